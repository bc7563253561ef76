"""Small helpers of programs, none of them about the accelerator."""

from . import graph_executor, utils

__all__ = ["graph_executor", "utils"]

"""Executors that tell more."""

from . import debug_executor

__all__ = ["debug_executor"]

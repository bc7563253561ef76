"""Computations written as Python functions, as TVM's hybrid scripts are."""

from . import hybrid, hybrid_module

__all__ = ["hybrid", "hybrid_module"]

"""Modules of lowered functions."""

from . import module, transform
from .module import IRModule

__all__ = ["IRModule", "module", "transform"]

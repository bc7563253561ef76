"""Modules of lowered functions."""

from . import module, transform
from .module import IRModule
from .._refuse import refuse

__all__ = ["IRModule", "module", "transform"]

__getattr__ = refuse("tvm.ir")

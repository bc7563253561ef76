"""Where programs find the error and the registry of functions."""

from vta.registry import get_global_func, register_func
from . import base
from .._refuse import refuse

__all__ = ["base", "get_global_func", "register_func"]

__getattr__ = refuse("tvm._ffi")

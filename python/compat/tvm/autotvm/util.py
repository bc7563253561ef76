"""Helpers; see :mod:`vta.autotvm`."""

from vta_tvm.autotvm.space import get_factors, get_pow2s
from vta_tvm.topi.utils import get_const_int, get_const_tuple
from .._refuse import refuse

__all__ = ["get_factors", "get_pow2s", "get_const_int", "get_const_tuple"]

__getattr__ = refuse("tvm.autotvm.util")

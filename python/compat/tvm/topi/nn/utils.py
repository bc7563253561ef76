"""Paddings as operators take them; see :mod:`vta.topi.nn`."""

from vta_tvm.topi.nn import get_pad_tuple
from ..._refuse import refuse

__all__ = ["get_pad_tuple"]

__getattr__ = refuse("tvm.topi.nn.utils")

"""Expressions; see :mod:`vta.tir`."""

from vta import tir as _module
from vta.tir import *  # noqa: F401,F403
from .._refuse import refuse

__getattr__ = refuse("tvm.tir.expr", _module)

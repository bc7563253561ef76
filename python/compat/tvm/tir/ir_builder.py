"""See :class:`vta.intrin.IRBuilder`."""

from vta.intrin import IRBuilder, create
from .._refuse import refuse

__all__ = ["IRBuilder", "create"]

__getattr__ = refuse("tvm.tir.ir_builder")

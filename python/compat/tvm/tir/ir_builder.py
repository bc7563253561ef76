"""See :mod:`vta.builder`."""

from vta.builder import BufferVar, IRBuilder, create
from vta.builder import Scope as WithScope
from .._refuse import refuse

__all__ = ["BufferVar", "IRBuilder", "WithScope", "create"]

__getattr__ = refuse("tvm.tir.ir_builder")

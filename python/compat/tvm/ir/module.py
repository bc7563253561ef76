"""See :mod:`vta.ir`."""

from vta.ir import IRModule
from .._refuse import refuse

__all__ = ["IRModule"]

__getattr__ = refuse("tvm.ir.module")

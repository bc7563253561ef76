"""See :mod:`vta.transform`."""

from vta.passes import Pass, Sequential
from vta.transform import PassContext
from .._refuse import refuse

__all__ = ["Pass", "PassContext", "Sequential"]

__getattr__ = refuse("tvm.ir.transform")

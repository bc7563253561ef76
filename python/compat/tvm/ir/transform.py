"""See :mod:`vta.transform`."""

from vta.transform import PassContext
from .._refuse import refuse

__all__ = ["PassContext"]

__getattr__ = refuse("tvm.ir.transform")

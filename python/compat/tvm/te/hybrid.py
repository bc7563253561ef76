"""See :mod:`vta.te.hybrid`."""

from vta.te.hybrid import script
from .._refuse import refuse

__all__ = ["script"]

__getattr__ = refuse("tvm.te.hybrid")

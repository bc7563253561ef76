"""See :mod:`tvm.error`."""

from vta.error import VTAError as TVMError
from .._refuse import refuse

__all__ = ["TVMError"]

__getattr__ = refuse("tvm._ffi.base")

"""Errors under TVM's names."""

from vta.error import VTAError as TVMError

RPCError = TVMError
from ._refuse import refuse

__all__ = ["TVMError", "RPCError"]

__getattr__ = refuse("tvm.error")

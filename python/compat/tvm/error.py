"""Errors under TVM's names."""

from vta.error import VTAError as TVMError

RPCError = TVMError
__all__ = ["TVMError", "RPCError"]

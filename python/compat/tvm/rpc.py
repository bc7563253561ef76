"""See :mod:`vta.rpc`."""

from vta.rpc import *  # noqa: F401,F403
from vta import rpc as _module
from ._refuse import refuse

__getattr__ = refuse("tvm.rpc", _module)

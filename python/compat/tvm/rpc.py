"""See :mod:`vta.rpc`."""

from vta.rpc import *  # noqa: F401,F403
from vta import rpc as _module


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    try:
        return getattr(_module, name)
    except AttributeError:
        raise NotImplementedError(f"tvm.rpc.{name} is not offered by this compatibility package") from None

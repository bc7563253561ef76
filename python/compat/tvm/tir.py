"""See :mod:`vta.tir`."""

from vta.tir import *  # noqa: F401,F403
from vta import tir as _module


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    try:
        return getattr(_module, name)
    except AttributeError:
        raise NotImplementedError(f"tvm.tir.{name} is not offered by this compatibility package") from None

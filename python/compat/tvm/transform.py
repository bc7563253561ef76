"""See :mod:`vta.transform`."""

from vta.transform import *  # noqa: F401,F403
from vta import transform as _module


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    try:
        return getattr(_module, name)
    except AttributeError:
        raise NotImplementedError(f"tvm.transform.{name} is not offered by this compatibility package") from None

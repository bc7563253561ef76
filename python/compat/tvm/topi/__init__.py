"""See :mod:`vta.topi`."""

from vta.topi import *  # noqa: F401,F403

from . import nn, tag, testing


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    raise NotImplementedError(f"tvm.topi.{name} is not offered by this compatibility package")

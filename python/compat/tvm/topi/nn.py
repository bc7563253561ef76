"""See :mod:`vta.topi.nn`."""

from vta.topi.nn import *  # noqa: F401,F403


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    raise NotImplementedError(f"tvm.topi.nn.{name} is not offered by this compatibility package")

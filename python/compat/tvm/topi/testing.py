"""See :mod:`vta.topi.testing`."""

from vta.topi.testing import *  # noqa: F401,F403


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    raise NotImplementedError(f"tvm.topi.testing.{name} is not offered by this compatibility package")

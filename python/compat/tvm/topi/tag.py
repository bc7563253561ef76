"""See :mod:`vta.topi.tag`."""

from vta.topi.tag import *  # noqa: F401,F403


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    raise NotImplementedError(f"tvm.topi.tag.{name} is not offered by this compatibility package")

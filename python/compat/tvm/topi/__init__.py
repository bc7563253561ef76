"""See :mod:`vta.topi`."""

from importlib import import_module

from vta.topi import *  # noqa: F401,F403

# The star above brought vta's own modules of these names, which `from . import` would find already there.
nn, tag, testing = (import_module(f"{__name__}.{part}") for part in ("nn", "tag", "testing"))


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    raise NotImplementedError(f"tvm.topi.{name} is not offered by this compatibility package")

"""See :mod:`vta.topi`."""

from importlib import import_module

from vta.topi import *  # noqa: F401,F403
from .._refuse import refuse

# The star above brought vta's own modules of these names, which `from . import` would find already there.
arm_cpu, generic, nn, tag, testing, utils = (
    import_module(f"{__name__}.{part}") for part in ("arm_cpu", "generic", "nn", "tag", "testing", "utils"))

__getattr__ = refuse("tvm.topi")

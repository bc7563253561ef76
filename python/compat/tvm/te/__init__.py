"""See :mod:`vta.te`."""

from importlib import import_module

from vta.te import *  # noqa: F401,F403
from vta import te as _module
from .._refuse import refuse

# The star above brought vta's own modules of these names, which `from . import` would find already there.
schedule, tensor, operation, tag, hybrid = (import_module(f"{__name__}.{part}") for part in ("schedule", "tensor", "operation", "tag", "hybrid"))

__getattr__ = refuse("tvm.te", _module)

"""See :mod:`vta.tir`."""

from importlib import import_module

from vta.tir import *  # noqa: F401,F403
from vta import tir as _module
from .._refuse import refuse

# The star above brought vta's own modules of these names, which `from . import` would find already there.
expr, ir_builder, stmt, stmt_functor, transform = (
    import_module(f"{__name__}.{part}") for part in ("expr", "ir_builder", "stmt", "stmt_functor", "transform"))

__getattr__ = refuse("tvm.tir", _module)

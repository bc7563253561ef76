"""See :mod:`vta.autotvm`."""

from importlib import import_module

from vta_tvm.autotvm import *  # noqa: F401,F403
from .._refuse import refuse

# The star above brought vta's own modules of these names, which `from . import` would find already there.
callback, dispatcher, env, measure, record, task, tophub, tuner, util, utils = (
    import_module(f"{__name__}.{part}") for part in ("callback", "dispatcher", "env", "measure", "record", "task", "tophub",
                                                     "tuner", "util", "utils"))

__getattr__ = refuse("tvm.autotvm")

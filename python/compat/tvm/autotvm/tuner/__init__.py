"""See :mod:`vta.autotvm.tuner`."""

from importlib import import_module

from vta_tvm.autotvm.tuner import *  # noqa: F401,F403
from ..._refuse import refuse

callback = import_module(f"{__name__}.callback")

__getattr__ = refuse("tvm.autotvm.tuner")

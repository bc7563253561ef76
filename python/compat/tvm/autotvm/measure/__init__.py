"""See :mod:`vta.autotvm.measure`."""

from importlib import import_module

from vta_tvm.autotvm.measure import *  # noqa: F401,F403
from ..._refuse import refuse

measure_methods = import_module(f"{__name__}.measure_methods")
request_remote = measure_methods.request_remote

__getattr__ = refuse("tvm.autotvm.measure")

"""See :mod:`vta.module`."""

from vta.module import Module
from vta.module import Timing as BenchmarkResult
from vta.runtime import enabled
from ._load import load_module
from .._refuse import refuse

__all__ = ["Module", "BenchmarkResult", "load_module", "enabled"]

__getattr__ = refuse("tvm.runtime.module")

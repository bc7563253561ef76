"""From schedules to code, under TVM's names."""

from vta.build import tvm_build as build
from vta.build import tvm_lower as lower
from . import build_module
from .._refuse import refuse

__all__ = ["build", "lower", "build_module"]

__getattr__ = refuse("tvm.driver")

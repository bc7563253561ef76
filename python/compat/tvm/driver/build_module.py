"""See :mod:`vta.build`."""

from vta.build import tvm_build as build
from vta.build import schedule_to_module
from vta.build import tvm_lower as lower
from .._refuse import refuse

__all__ = ["build", "lower", "schedule_to_module"]

__getattr__ = refuse("tvm.driver.build_module")

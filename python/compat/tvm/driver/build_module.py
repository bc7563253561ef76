"""See :mod:`vta.build`."""

from vta.build import tvm_build as build
from vta.build import tvm_lower as lower
from .._refuse import refuse

__all__ = ["build", "lower"]

__getattr__ = refuse("tvm.driver.build_module")

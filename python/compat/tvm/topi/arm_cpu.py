"""See :mod:`vta.topi.arm_cpu`."""

from vta_tvm.topi.arm_cpu import *  # noqa: F401,F403
from .._refuse import refuse

__getattr__ = refuse("tvm.topi.arm_cpu")

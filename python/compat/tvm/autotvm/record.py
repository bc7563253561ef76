"""See :mod:`vta.autotvm.record`."""

from vta_tvm.autotvm.record import *  # noqa: F401,F403
from .._refuse import refuse

__getattr__ = refuse("tvm.autotvm.record")

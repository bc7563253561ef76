"""See :mod:`vta.autotvm.extract`."""

from vta_tvm.autotvm.extract import *  # noqa: F401,F403
from ..._refuse import refuse

__getattr__ = refuse("tvm.autotvm.task.relay_integration")

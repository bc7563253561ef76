"""See :mod:`vta.autotvm.task`."""

from vta_tvm.autotvm.task import *  # noqa: F401,F403
from ..._refuse import refuse

__getattr__ = refuse("tvm.autotvm.task.task")

"""See :mod:`vta.autotvm.space`."""

from vta_tvm.autotvm.space import *  # noqa: F401,F403
from ..._refuse import refuse

__getattr__ = refuse("tvm.autotvm.task.space")

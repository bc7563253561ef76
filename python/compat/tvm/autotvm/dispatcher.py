"""See :mod:`vta.autotvm.dispatcher`."""

from vta_tvm.autotvm.dispatcher import *  # noqa: F401,F403
from vta_tvm.autotvm.history import *  # noqa: F401,F403
from .._refuse import refuse

__getattr__ = refuse("tvm.autotvm.dispatcher")

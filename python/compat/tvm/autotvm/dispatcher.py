"""See :mod:`vta.autotvm.dispatcher`."""

from vta.autotvm.dispatcher import *  # noqa: F401,F403
from vta.autotvm.history import *  # noqa: F401,F403
from .._refuse import refuse

__getattr__ = refuse("tvm.autotvm.dispatcher")

"""See :mod:`vta.autotvm.callback`."""

from vta_tvm.autotvm.callback import *  # noqa: F401,F403
from .._refuse import refuse

__getattr__ = refuse("tvm.autotvm.callback")

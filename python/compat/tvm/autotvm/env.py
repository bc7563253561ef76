"""See :mod:`vta.autotvm.env`."""

from vta_tvm.autotvm.env import *  # noqa: F401,F403
from .._refuse import refuse

__getattr__ = refuse("tvm.autotvm.env")

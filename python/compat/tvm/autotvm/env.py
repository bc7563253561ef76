"""See :mod:`vta.autotvm.env`."""

from vta.autotvm.env import *  # noqa: F401,F403
from .._refuse import refuse

__getattr__ = refuse("tvm.autotvm.env")

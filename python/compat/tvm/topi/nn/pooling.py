"""See :mod:`vta.topi.pooling`."""

from vta_tvm.topi.pooling import *  # noqa: F401,F403
from ..._refuse import refuse

__getattr__ = refuse("tvm.topi.nn.pooling")

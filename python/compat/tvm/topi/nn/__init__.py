"""See :mod:`vta.topi.nn`."""

from vta_tvm.topi.nn import *  # noqa: F401,F403
from . import pooling, utils
from ..._refuse import refuse

__getattr__ = refuse("tvm.topi.nn")

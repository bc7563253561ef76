"""See :mod:`vta.topi.generic`."""

from vta_tvm.topi.generic import *  # noqa: F401,F403
from .._refuse import refuse

__getattr__ = refuse("tvm.topi.generic")

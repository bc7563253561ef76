"""See :mod:`vta.topi.utils`."""

from vta_tvm.topi.utils import *  # noqa: F401,F403
from .._refuse import refuse

__getattr__ = refuse("tvm.topi.utils")

"""See :mod:`vta.topi.tag`."""

from vta.topi.tag import *  # noqa: F401,F403
from .._refuse import refuse

__getattr__ = refuse("tvm.topi.tag")

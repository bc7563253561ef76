"""See :mod:`vta.topi.testing`."""

from vta.topi.testing import *  # noqa: F401,F403
from .._refuse import refuse

__getattr__ = refuse("tvm.topi.testing")

"""See :mod:`vta.target`."""

from vta.target import *  # noqa: F401,F403
from vta import target as _module
from ._refuse import refuse

__getattr__ = refuse("tvm.target", _module)

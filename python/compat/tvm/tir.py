"""See :mod:`vta.tir`."""

from vta.tir import *  # noqa: F401,F403
from vta import tir as _module
from ._refuse import refuse

__getattr__ = refuse("tvm.tir", _module)

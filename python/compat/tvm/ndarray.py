"""See :mod:`vta.ndarray`; the longer name of :mod:`tvm.nd`."""

from .nd import *  # noqa: F401,F403
from . import nd as _module
from ._refuse import refuse

__getattr__ = refuse("tvm.ndarray", _module)

"""See :mod:`vta.contrib.memoize`."""

from vta_tvm.contrib.memoize import memoize
from .._refuse import refuse

__all__ = ["memoize"]

__getattr__ = refuse("tvm.contrib.pickle_memoize")

"""See :mod:`vta.contrib.cc`."""

from vta_tvm.contrib.cc import create_shared, get_cc
from .._refuse import refuse

__all__ = ["create_shared", "get_cc"]

__getattr__ = refuse("tvm.contrib.cc")

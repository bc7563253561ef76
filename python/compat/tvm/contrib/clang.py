"""See :mod:`vta.contrib.clang`."""

from vta_tvm.contrib.clang import create_llvm, find_clang
from .._refuse import refuse

__all__ = ["create_llvm", "find_clang"]

__getattr__ = refuse("tvm.contrib.clang")

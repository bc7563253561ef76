"""See :mod:`vta.te.hybrid`."""

from importlib import import_module

from vta_tvm.te.hybrid import HybridModule, build, script
from ..._refuse import refuse

runtime = import_module(f"{__name__}.runtime")

__all__ = ["HybridModule", "build", "runtime", "script"]

__getattr__ = refuse("tvm.te.hybrid")

"""The part of TVM's Python API that VTA programs use, over the libraries of this project.

This is not TVM. It is opt-in: put its folder on the path, or call ``vta.use_tvm_names()``. What is not offered raises
NotImplementedError with its name, which is an AttributeError (ImportError) too: ``hasattr`` and ``try: import`` work."""

from vta import error as _error
from vta.build import tvm_build as build
from vta.build import tvm_lower as lower
from vta.ndarray import Device, NDArray, cpu, device, ext_dev
from vta.registry import get_global_func, register_func

from . import _ffi, arith, autotvm, container, contrib, driver, error, ir, nd, ndarray, relay, rpc, runtime, script, target, te, testing, tir, topi, transform
from ._refuse import refuse

__version__ = "0.9.dev0+vta"

TVMError = _error.VTAError
IRModule = ir.IRModule
context = device

__getattr__ = refuse("tvm")

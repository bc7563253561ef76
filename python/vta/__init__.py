"""The stack of VTA, the Versatile Tensor Accelerator, from Python.

Describe a computation with :mod:`vta.te`, schedule it for the accelerator, look at it with :func:`lower`, compile it
with :func:`build`, and run it on a simulator. All the work happens in the C libraries libvta and libvtac.

Examples
--------
>>> import numpy as np
>>> import vta
>>> from vta import te
>>> env = vta.get_env()
>>> env.BATCH, env.BLOCK_IN, env.inp_dtype
(1, 16, 'int8')
"""

from __future__ import annotations

from . import _made, _parts

__path__ += _made.folders()

from .error import (  # noqa: E402
    VTAError, VTAIOError, VTALookupError, VTAMemoryError, VTASyntaxError, VTATimeoutError, VTAUnsupportedError,
    VTAValueError,
)
from .environment import DevContext, Environment, get_env
from . import expr, te, tir, topi  # noqa: F401
from . import ndarray as nd
from .ndarray import NDArray, cpu, device, ext_dev
from .board import board_check
from .packing import pack, unpack
from .rpc import program_fpga, reconfig_runtime
from .build import build, build_config, lower
from .compile import Quantized, compile, quantize  # pylint: disable=redefined-builtin
from .detect import detect
from .graph import Graph
from .image import picture, read_picture
from .language import Tokenizer, generate
from .model import Model, ModelProfile, load_model
from .stream import Stream
from .module import Module, ScheduledModule, load_module
from .load import load
from .proof import Proof, prove
from .ir import IRModule, print_style
from .registry import get_global_func, register_func
from .target import Target
from .tune import Record, Tuned, TuneLog, tune
from .transform import PassContext
from . import passes, rpc, runtime, testing, transform  # noqa: F401

__all__ = [
    "VTAError", "VTAValueError", "VTALookupError", "VTAMemoryError", "VTAIOError", "VTASyntaxError",
    "VTAUnsupportedError", "VTATimeoutError", "Environment", "DevContext", "get_env", "te", "tir", "topi", "nd",
    "NDArray", "cpu", "ext_dev", "device", "pack", "unpack", "reconfig_runtime", "program_fpga", "board_check", "build",
    "build_config", "lower",
    "Module", "ScheduledModule", "load_module", "Graph", "detect", "picture", "read_picture", "Quantized", "quantize", "compile", "Model", "ModelProfile", "Stream", "load_model", "load", "Tokenizer", "generate",
    "Proof", "prove", "IRModule", "print_style", "get_global_func", "register_func", "Target", "PassContext", "rpc", "Record", "TuneLog", "Tuned",
    "tune",
    "testing", "use_tvm_names", "__version__",
]


def __getattr__(name):
    if name == "__version__":
        from ._lib import lib

        return lib.vta_version().decode()
    if name in ("autotvm", "contrib", "module_loader", "top", "vta_autotvm_build_func"):
        return _parts.attribute("vta", name)
    raise AttributeError(f"module 'vta' has no attribute {name!r}")


def use_tvm_names() -> None:
    """Makes the compatibility package `tvm` importable: the part of TVM's API that VTA programs use, over this library.

    A real TVM that is installed comes first and stays what ``import tvm`` gives.

    Examples
    --------
    >>> import vta
    >>> vta.use_tvm_names()
    >>> import tvm
    """
    import sys

    folder = _parts.tvm_folder()
    if folder not in sys.path:
        sys.path.append(folder)

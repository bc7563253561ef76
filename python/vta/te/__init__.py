"""Tensor expressions and schedules.

A computation is described with tensors and Python lambdas, and a schedule says how it is carried out. Nothing is
computed here; :func:`vta.lower` shows the loops that result, and :func:`vta.build` compiles them.

Examples
--------
>>> import vta
>>> from vta import te
>>> A = te.placeholder((4, 16), name="A", dtype="int32")
>>> B = te.compute(A.shape, lambda i, j: A[i, j] + 1, name="B")
>>> s = te.create_schedule(B.op)
>>> outer, inner = s[B].split(B.op.axis[1], factor=4)
"""

from __future__ import annotations

from .._instead import instead
from .._parts import attribute
from ..error import NotOfferedError
from ..expr import const, convert, simplify, substitute
from ..intrin import TensorIntrin, decl_tensor_intrin
from .computation import compute, evaluate, placeholder, reduce_axis, size_var, tag_scope, thread_axis, var
from .gemm import GemmIntrin
from .. import _math
from .._math import *  # noqa: F401,F403  # pylint: disable=redefined-builtin
from . import numbers
from .numbers import *  # noqa: F401,F403
from .operators import (  # pylint: disable=redefined-builtin
    abs, all, any, div, floordiv, floormod, if_then_else, indexdiv, indexmod, isnan, likely, max, max_value, min, min_value,
    power, rsqrt, select, sigmoid, sum, truncdiv, truncmod,
)
from .reducers import comm_reducer
from .calls import TensorIntrinCall
from .external import extern
from .scan import scan
from .gradient import gradient
from .prim_func import PrimFunc, create_prim_func
from .schedule import Schedule, Stage, create_schedule
from .tensor import ComputeOp, ExternOp, IterVar, Operation, PlaceholderOp, ScanOp, Tensor, TensorComputeOp, TensorSlice

__all__ = [
    "Tensor", "TensorSlice", "Operation", "PlaceholderOp", "ComputeOp", "ExternOp", "ScanOp", "TensorComputeOp", "IterVar", "Schedule", "Stage", "GemmIntrin", "TensorIntrin", "TensorIntrinCall", "PrimFunc",
    "placeholder", "var", "size_var", "compute", "reduce_axis", "thread_axis", "create_schedule", "create_prim_func",
    "sum", "min", "max", "all", "any", "if_then_else", "select", "const", "convert", "simplify", "substitute", "abs", "floordiv", "floormod",
    "sigmoid", "rsqrt", "isnan", "min_value", "max_value", "truncdiv", "truncmod", "indexdiv", "indexmod", "div", "likely", "power", "tag_scope", "evaluate", "decl_tensor_intrin", "comm_reducer", "extern", "scan", "gradient",
]
__all__ += _math.__all__ + numbers.__all__


def __getattr__(name):
    if name.startswith("_"):
        raise AttributeError(name)
    if name in ("hybrid", "hybrid_module"):
        return attribute("vta.te", name)
    raise NotOfferedError(f"vta.te.{name} is not offered{instead(f'tvm.te.{name}')}")

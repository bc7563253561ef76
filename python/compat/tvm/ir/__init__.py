"""Modules of lowered functions, and comparing what they consist of."""

from vta.expr import Expr as PrimExpr
from vta.expr import Op
from vta.ir import assert_structural_equal, structural_equal
from vta.te.tensor import Range
from . import module, transform
from .module import IRModule
from ..container import Array, Map
from .._refuse import refuse

__all__ = ["Array", "IRModule", "Map", "Op", "PrimExpr", "Range", "assert_structural_equal", "module", "structural_equal", "transform"]

__getattr__ = refuse("tvm.ir")

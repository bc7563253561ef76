"""Parts of the tensor IR that programs use by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import intrin as ir_builder
from . import te
from ._check import type_of, whole
from .expr import Expr, ExprOp, const, convert
from .te import IterVar, PrimFunc
from .intrin import call_extern, call_intrin, decl_buffer
from .ir import Schedule

if TYPE_CHECKING:
    from .expr import Operand

__all__ = ["Expr", "PrimExpr", "ExprOp", "IterVar", "PrimFunc", "Schedule", "Select", "Var", "const", "convert", "all",
           "any", "if_then_else", "min", "max", "floordiv", "floormod", "truncdiv", "truncmod", "indexdiv", "indexmod",
           "likely", "abs", "exp", "log", "sqrt", "tanh", "floor", "ceil", "round", "power", "IntImm", "FloatImm",
           "Cast", "call_extern", "call_intrin", "decl_buffer", "ir_builder"]

PrimExpr = Expr
Var = te.var
Select = te.select
all, any, min, max = te.all, te.any, te.min, te.max  # pylint: disable=redefined-builtin
if_then_else = te.if_then_else
floordiv, floormod, truncdiv, truncmod = te.floordiv, te.floormod, te.truncdiv, te.truncmod
indexdiv, indexmod, likely = te.indexdiv, te.indexmod, te.likely
abs, exp, log, sqrt, tanh = te.abs, te.exp, te.log, te.sqrt, te.tanh  # pylint: disable=redefined-builtin
floor, ceil, round, power = te.floor, te.ceil, te.round, te.power  # pylint: disable=redefined-builtin


def IntImm(dtype: str, value: int) -> Expr:  # pylint: disable=invalid-name
    """An integer constant.

    Parameters
    ----------
    dtype : str
    value : int
    """
    return const(whole(value, "an integer constant"), type_of(dtype).decode())


def FloatImm(dtype: str, value: float) -> Expr:  # pylint: disable=invalid-name
    """A floating-point constant.

    Parameters
    ----------
    dtype : str
    value : float
    """
    return const(float(value), type_of(dtype).decode())


def Cast(dtype: str, value: Operand) -> Expr:  # pylint: disable=invalid-name
    """A value converted to another type.

    Parameters
    ----------
    dtype : str
    value : Expr
    """
    return convert(value).astype(dtype)

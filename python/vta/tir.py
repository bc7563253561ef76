"""Parts of the tensor IR that programs use by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import intrin as ir_builder
from . import te
from .te import _math
from .te._math import *  # noqa: F401,F403  # pylint: disable=redefined-builtin
from ._check import type_of, whole
from .expr import Expr, ExprOp, const, convert
from .te import IterVar, PrimFunc
from .intrin import call_extern, call_intrin, decl_buffer
from .ir import Schedule

if TYPE_CHECKING:
    from .expr import Operand

__all__ = ["Expr", "PrimExpr", "ExprOp", "IterVar", "PrimFunc", "Schedule", "Select", "Var", "const", "convert", "all",
           "any", "if_then_else", "min", "max", "floordiv", "floormod", "truncdiv", "truncmod", "indexdiv", "indexmod",
           "likely", "abs", "power", "IntImm", "FloatImm", "Cast", "call_extern", "call_intrin", "decl_buffer",
           "ir_builder"]
__all__ += _math.__all__

PrimExpr = Expr
Var = te.var
Select = te.select
all, any, min, max = te.all, te.any, te.min, te.max  # pylint: disable=redefined-builtin
if_then_else = te.if_then_else
floordiv, floormod, truncdiv, truncmod = te.floordiv, te.floormod, te.truncdiv, te.truncmod
indexdiv, indexmod, likely = te.indexdiv, te.indexmod, te.likely
abs, power = te.abs, te.power  # pylint: disable=redefined-builtin


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

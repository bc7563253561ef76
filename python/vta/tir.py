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
           "likely", "abs", "power", "IntImm", "FloatImm", "Cast", "Add", "Sub", "Mul", "Div",
           "sigmoid", "rsqrt", "isnan",
           "min_value", "max_value", "FloorDiv", "FloorMod", "Min", "Max", "Reduce", "ProducerLoad", "call_extern", "call_intrin", "decl_buffer",
           "ir_builder"]
__all__ += _math.__all__

PrimExpr = Expr
all, any, min, max = te.all, te.any, te.min, te.max  # pylint: disable=redefined-builtin
if_then_else = te.if_then_else
floordiv, floormod, truncdiv, truncmod = te.floordiv, te.floormod, te.truncdiv, te.truncmod
indexdiv, indexmod, likely = te.indexdiv, te.indexmod, te.likely
sigmoid, rsqrt, isnan, min_value, max_value = te.sigmoid, te.rsqrt, te.isnan, te.min_value, te.max_value
abs, power = te.abs, te.power  # pylint: disable=redefined-builtin


class _Node(type):
    """Classes of expressions by their kind: called they make one, and ``isinstance`` asks for it."""

    kind: str

    def __instancecheck__(cls, value):
        return isinstance(value, Expr) and value.kind == cls.kind

    def __call__(cls, *args, **kwargs):
        return cls._make(*args, **kwargs)


class Var(metaclass=_Node):
    """A variable: a scalar parameter of the kernel, or an axis's value."""

    kind = "var"
    _make = staticmethod(te.var)


class IntImm(metaclass=_Node):
    """An integer constant: ``IntImm(dtype, value)``."""

    kind = "int"

    @staticmethod
    def _make(dtype: str, value: int) -> Expr:
        """A constant.

        Parameters
        ----------
        dtype : str
        value : int
        """
        return const(whole(value, "an integer constant"), type_of(dtype).decode())


class FloatImm(metaclass=_Node):
    """A floating-point constant: ``FloatImm(dtype, value)``."""

    kind = "float"

    @staticmethod
    def _make(dtype: str, value: float) -> Expr:
        """A constant.

        Parameters
        ----------
        dtype : str
        value : float
        """
        return const(float(value), type_of(dtype).decode())


class Cast(metaclass=_Node):
    """A value converted to another type: ``Cast(dtype, value)``."""

    kind = "cast"

    @staticmethod
    def _make(dtype: str, value: Operand) -> Expr:
        """A conversion.

        Parameters
        ----------
        dtype : str
        value : Expr
        """
        return convert(value).astype(dtype)


def _node(kind, maker, meaning):
    return _Node(meaning[0], (), {"kind": kind, "_make": staticmethod(maker), "__doc__": meaning[1], "__module__": __name__})


Select = _node("select", te.select, ("Select", "``Select(condition, true_value, false_value)``; both values may be computed."))
Add = _node("add", lambda a, b: convert(a) + b, ("Add", "A sum."))
Sub = _node("sub", lambda a, b: convert(a) - b, ("Sub", "A difference."))
Mul = _node("mul", lambda a, b: convert(a) * b, ("Mul", "A product."))
Div = _node("div", te.truncdiv, ("Div", "A quotient, of integers rounded towards zero."))
FloorDiv = _node("floordiv", te.floordiv, ("FloorDiv", "An integer quotient rounded down."))
FloorMod = _node("floormod", te.floormod, ("FloorMod", "The remainder of FloorDiv."))
Min = _node("min", te.min, ("Min", "The smaller."))
Max = _node("max", te.max, ("Max", "The larger."))
Reduce = _node("reduce", te.sum, ("Reduce", "A reduction; made by te.sum, te.max and te.min."))
ProducerLoad = _node("pload", lambda tensor, indices: tensor(*indices), ("ProducerLoad", "An element of a tensor."))

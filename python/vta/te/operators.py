"""Reductions and operators in the bodies of computations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import _bindings as b
from .._check import items, type_of
from .._context import array_of
from .._lib import lib
from ..error import NotOfferedArgumentError
from ..expr import Expr, _operands, apply, const, convert
from .. import _math
from .._math import pow as power
from .tensor import IterVar


if TYPE_CHECKING:
    from typing import Sequence

    from ..expr import Operand



def _reduce(kind, op, values, axis, init):
    """A reduction over axes, or the operator on two or more values."""
    if axis is None:
        if len(values) < 2:
            raise ValueError("give the axis to reduce over, or two values")
        if init is not None:
            raise ValueError("only a reduction over axes starts at a value")
        first, *rest = values
        for value in rest:
            first = apply(op, first, value)
        return first
    if len(values) != 1:
        raise TypeError(f"a reduction takes one value, not {len(values)}")
    axes = items(axis)
    context, (handle, *start) = _operands(values if init is None else (*values, init))
    handles = context.handles_of(axes, IterVar, "an axis of a reduction")
    start = start[0] if start else None
    return Expr(context, context.made(lib.te_reduce_from(context.handle, kind, handle, start, len(axes), handles)))


def _reducer(kind, op, values, axis, where, init):
    if axis is None and len(values) == 2 and (isinstance(values[1], IterVar) or isinstance(values[1], (list, tuple))):
        values, axis = values[:1], values[1]
    if where is not None:
        if axis is None:
            raise ValueError("only a reduction over axes has a `where`")
        value = convert(values[0])  # what is left out counts as what changes nothing
        least, most = (const(0, value.dtype),) * 2 if kind == b.TE_SUM else _limits(value.dtype)
        values = (select(where, value, most if kind == b.TE_MIN_OF else least),)
    return _reduce(kind, op, values, axis, init)


def sum(
    *values: Operand,
    axis: IterVar | Sequence[IterVar] | None = None,
    where: Operand | None = None,
    init: Operand | None = None,
) -> Expr:
    """Sum over reduce axes.

    Parameters
    ----------
    values : Expr
        What to add up (or two values, to add them).
    axis : IterVar or list of IterVar
    where : Expr, optional
        Only elements for which it holds count.
    init : Expr, optional
        Where the reduction starts, of its type. On the accelerator a sum that starts at an element of a tensor in acc
        goes on in that tensor's place.

    Returns
    -------
    expr : Expr
        Only at the top of a computation's body.
    """
    return _reducer(b.TE_SUM, b.TE_ADD, values, axis, where, init)


def min(
    *values: Operand,
    axis: IterVar | Sequence[IterVar] | None = None,
    where: Operand | None = None,
    init: Operand | None = None,
) -> Expr:
    """The smallest over reduce axes, or the smaller of two values; see :func:`sum`.

    Parameters
    ----------
    axis : IterVar | Sequence[IterVar], optional
    where : Expr, optional
        Only elements for which it holds count.
    init : Expr, optional
        Where the reduction starts.
    """
    return _reducer(b.TE_MIN_OF, b.TE_MIN, values, axis, where, init)


def max(
    *values: Operand,
    axis: IterVar | Sequence[IterVar] | None = None,
    where: Operand | None = None,
    init: Operand | None = None,
) -> Expr:
    """The largest over reduce axes, or the larger of two values; see :func:`sum`.

    Parameters
    ----------
    axis : IterVar | Sequence[IterVar], optional
    where : Expr, optional
        Only elements for which it holds count.
    init : Expr, optional
        Where the reduction starts.
    """
    return _reducer(b.TE_MAX_OF, b.TE_MAX, values, axis, where, init)


def all(*conditions: Operand) -> Expr:  # pylint: disable=redefined-builtin
    """Whether all conditions hold."""
    return _fold(b.TE_AND, conditions)


def any(*conditions: Operand) -> Expr:  # pylint: disable=redefined-builtin
    """Whether one of the conditions holds."""
    return _fold(b.TE_OR, conditions)


def _fold(op, conditions):
    if not conditions:
        raise ValueError("no conditions were given")
    first, *rest = conditions
    first = convert(first)
    for condition in rest:
        first = apply(op, first, condition)
    return first


def _operator(op, name, meaning, *names):
    """A function for the operator `op`, whose operands have these names."""

    def function(*values: Operand, **named: Operand) -> Expr:
        if named:
            rest = names[len(values):]
            unknown = [n for n in named if n not in rest]
            if unknown:
                raise NotOfferedArgumentError(f"{name}: the parameter {unknown[0]!r} is not offered, or given twice; it takes "
                                              f"({', '.join(names)})")
            if len(named) < len(rest):
                raise TypeError(f"{name} takes ({', '.join(names)}); missing is {', '.join(n for n in rest if n not in named)}")
            values += tuple(named[n] for n in rest)
        return apply(op, *values)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""{meaning}

    Parameters
    ----------
    values : number or Expr
        The operands, in their order.
    named : number or Expr
        The others, by name: {', '.join(names)}.

    Returns
    -------
    value : Expr
    """
    return function


if_then_else = _operator(b.TE_IF_THEN_ELSE, "if_then_else",
                         "Value 2 where condition 1 holds, else value 3; only the chosen one is computed.",
                         "cond", "t", "f")
select = _operator(b.TE_SELECT, "select", "Value 2 where condition 1 holds, else value 3; both may be computed.", "condition",
                   "true_value", "false_value")
abs = _operator(b.TE_ABS, "abs", "Absolute value.", "x")  # pylint: disable=redefined-builtin
floordiv = _operator(b.TE_FLOORDIV, "floordiv", "Quotient, rounded towards minus infinity.", "a", "b")
floormod = _operator(b.TE_FLOORMOD, "floormod", "Remainder of floordiv.", "a", "b")
truncdiv = _operator(b.TE_TRUNCDIV, "truncdiv", "Integer quotient, rounded towards zero.", "a", "b")
truncmod = _operator(b.TE_TRUNCMOD, "truncmod", "Remainder of truncdiv.", "a", "b")
indexdiv, indexmod = floordiv, floormod
div = _operator(b.TE_DIV, "div", "Quotient of floats.", "a", "b")
likely = _operator(b.TE_LIKELY, "likely", "A condition that nearly always holds.", "cond")


def _function(name, x):
    """A function of one float that the IR has under this name."""
    value = convert(x)
    if not value.dtype.startswith("float"):
        raise ValueError(f"the operand of {name} is not a float: cast it first")
    context, handles = _operands((value,))
    return Expr(context, context.made(lib.te_call(context.handle, value.dtype.encode(), name.encode(), 1, array_of(handles))))


def sigmoid(x: Operand) -> Expr:
    """``1 / (1 + exp(-x))``.

    Parameters
    ----------
    x : Expr
        A float.
    """
    return _function("sigmoid", x)


def rsqrt(x: Operand) -> Expr:
    """``1 / sqrt(x)``.

    Parameters
    ----------
    x : Expr
        A float.
    """
    return _function("rsqrt", x)


def isnan(x: Operand) -> Expr:
    """Whether a float is NaN.

    Parameters
    ----------
    x : Expr
    """
    return apply(b.TE_NE, x, x)


def _limits(dtype):
    """The least and the largest value of a type."""
    import numpy as np

    dtype = type_of(dtype).decode()
    kind = np.dtype(dtype)
    info = np.iinfo(kind) if kind.kind in "iu" else np.finfo(kind)
    return [const(v.item() if hasattr(v, "item") else v, dtype) for v in (info.min, info.max)]


def min_value(dtype: str) -> Expr:
    """The least value of a type.

    Parameters
    ----------
    dtype : str
    """
    return _limits(dtype)[0]


def max_value(dtype: str) -> Expr:
    """The largest value of a type.

    Parameters
    ----------
    dtype : str
    """
    return _limits(dtype)[1]

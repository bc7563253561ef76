"""Reductions and operators in the bodies of computations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import _bindings as b
from .._check import items
from .._lib import lib
from ..expr import Expr, _operands, apply, convert
from ._math import pow as power
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
    if where is not None:
        raise NotImplementedError("a reduction's `where` is not offered: put the condition into the value with select")
    if axis is None and len(values) == 2 and (isinstance(values[1], IterVar) or isinstance(values[1], (list, tuple))):
        values, axis = values[:1], values[1]
    return _reduce(kind, op, values, axis, init)


def sum(
    *values: Operand,
    axis: IterVar | Sequence[IterVar] | None = None,
    where: None = None,
    init: Operand | None = None,
) -> Expr:
    """Sum over reduce axes.

    Parameters
    ----------
    values : Expr
        What to add up (or two values, to add them).
    axis : IterVar or list of IterVar
    where : None, optional
        Only None: put the condition into the value with :func:`select`.
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
    where: None = None,
    init: Operand | None = None,
) -> Expr:
    """The smallest over reduce axes, or the smaller of two values; see :func:`sum`.

    Parameters
    ----------
    axis : IterVar | Sequence[IterVar], optional
    where : None, optional
        Only None: put the condition into the value with :func:`select`.
    init : Expr, optional
        Where the reduction starts.
    """
    return _reducer(b.TE_MIN_OF, b.TE_MIN, values, axis, where, init)


def max(
    *values: Operand,
    axis: IterVar | Sequence[IterVar] | None = None,
    where: None = None,
    init: Operand | None = None,
) -> Expr:
    """The largest over reduce axes, or the larger of two values; see :func:`sum`.

    Parameters
    ----------
    axis : IterVar | Sequence[IterVar], optional
    where : None, optional
        Only None: put the condition into the value with :func:`select`.
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


def _operator(op, name, meaning):
    """A function for the operator `op`."""

    def function(*values: Operand) -> Expr:
        return apply(op, *values)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""{meaning}

    Parameters
    ----------
    values : number or Expr
        The operands, in their order.

    Returns
    -------
    value : Expr
    """
    return function


if_then_else = _operator(b.TE_IF_THEN_ELSE, "if_then_else",
                         "Value 2 where condition 1 holds, else value 3; only the chosen one is computed.")
select = _operator(b.TE_SELECT, "select", "Value 2 where condition 1 holds, else value 3; both may be computed.")
abs = _operator(b.TE_ABS, "abs", "Absolute value.")  # pylint: disable=redefined-builtin
floordiv = _operator(b.TE_FLOORDIV, "floordiv", "Integer quotient, rounded towards minus infinity.")
floormod = _operator(b.TE_FLOORMOD, "floormod", "Remainder of floordiv.")
truncdiv = _operator(b.TE_TRUNCDIV, "truncdiv", "Integer quotient, rounded towards zero.")
truncmod = _operator(b.TE_TRUNCMOD, "truncmod", "Remainder of truncdiv.")
indexdiv, indexmod = floordiv, floormod
div = _operator(b.TE_DIV, "div", "Quotient of floats.")
likely = _operator(b.TE_LIKELY, "likely", "A condition that nearly always holds.")

"""Operators on whole tensors, element by element; two tensors of different shapes are broadcast as in numpy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import _bindings as b
from .. import te
from ..expr import apply, convert
from ..te import Tensor
from . import tag

if TYPE_CHECKING:
    from typing import Callable

    from ..expr import Expr, Operand

__all__ = ["apply_operator", "broadcast", "combine", "condition", "elementwise"]


def _broadcast_shape(left, right):
    """The shape that two shapes broadcast to."""
    out = []
    for i in range(len(left) if len(left) > len(right) else len(right)):
        a = left[len(left) - 1 - i] if i < len(left) else 1
        c = right[len(right) - 1 - i] if i < len(right) else 1
        if isinstance(a, int) and isinstance(c, int) and a != c and 1 not in (a, c):
            raise ValueError(f"shapes {left} and {right} do not broadcast: {a} against {c}")
        out.append(c if isinstance(a, int) and a == 1 else a)
    return tuple(reversed(out))


def _element(tensor, indices):
    """An operand's element at the indices of the broadcast result."""
    if not isinstance(tensor, Tensor):
        return tensor
    own = indices[len(indices) - tensor.ndim:]
    fixed = [0 if isinstance(extent, int) and extent == 1 else i for extent, i in zip(tensor.shape, own)]
    return tensor(*fixed)


def elementwise(function: Callable[..., Expr], x: Tensor | Operand) -> Tensor | Expr:
    """`function` of every element of a tensor, or of an expression.

    Parameters
    ----------
    function : callable
    x : Tensor, Expr or number

    Returns
    -------
    result : Tensor or Expr
    """
    if not isinstance(x, Tensor):
        return function(convert(x))
    source: Tensor = x
    return te.compute(source.shape, lambda *i: function(source(*i)), tag=tag.ELEMWISE)


def combine(name: str, function: Callable[..., Expr], lhs: Tensor | Operand, rhs: Tensor | Operand) -> Tensor | Expr:
    """`function` of the elements of two operands.

    Parameters
    ----------
    name : str
        The result is called ``T_name``.
    function : callable
    lhs, rhs : Tensor, Expr or number

    Returns
    -------
    result : Tensor, or Expr where neither operand is a tensor
    """
    if isinstance(lhs, Tensor):
        shape = _broadcast_shape(lhs.shape, rhs.shape) if isinstance(rhs, Tensor) else lhs.shape
    elif isinstance(rhs, Tensor):
        shape = rhs.shape
    else:
        return function(convert(lhs), convert(rhs))
    names = [f"ax{i}" for i in range(len(shape))]
    both = isinstance(lhs, Tensor) and isinstance(rhs, Tensor)
    return te.compute(shape, lambda *i: function(_element(lhs, i), _element(rhs, i)), name=f"T_{name}",
                      tag=tag.BROADCAST if both else tag.ELEMWISE, varargs_names=names)


def condition(function: Callable[..., Expr]) -> Callable[..., Expr]:
    """`function`, which takes conditions, for numbers too: those other than 0 hold.

    Parameters
    ----------
    function : callable
    """
    return lambda *values: function(*[apply(b.TE_NE, v, 0) if v.dtype != "bool" else v for v in map(convert, values)])


def broadcast(name: str, op: int, *operands: Tensor | Operand, conditions: bool = False) -> Tensor | Expr:
    """An operator of include/vta/te_ops.def on one or two operands.

    Parameters
    ----------
    name : str
        Of the function.
    op : int
        A ``TE_...`` constant.
    operands : Tensor, Expr or number
    conditions : bool, optional
        Whether it takes conditions.

    Returns
    -------
    result : Tensor, or Expr where no operand is a tensor
    """
    def plain(*values: Expr) -> Expr:
        return values[0] / values[1] if op == b.TE_DIV else apply(op, *values)  # of integers it is refused

    function: Callable[..., Expr] = plain
    if conditions:
        function = condition(plain)
    return elementwise(function, *operands) if len(operands) == 1 else combine(name, function, *operands)


def apply_operator(op: int, values: tuple[Tensor | Operand, ...]) -> Tensor:
    """An operator on tensors and numbers, of which one at least is a tensor; their shapes broadcast.

    Parameters
    ----------
    op : int
        A ``TE_...`` constant.
    values : tuple of Tensor, Expr or number

    Returns
    -------
    result : Tensor
    """
    shape: tuple = ()
    for value in values:
        shape = _broadcast_shape(shape, value.shape) if isinstance(value, Tensor) else shape
    several = len([v for v in values if isinstance(v, Tensor)]) > 1
    return te.compute(shape, lambda *i: apply(op, *[_element(v, i) for v in values]),
                      tag=tag.BROADCAST if several else tag.ELEMWISE)

"""Small helpers of operators: numbers out of shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vta.error import VTAError
from vta.expr import Expr

if TYPE_CHECKING:
    from typing import Any, Iterable

__all__ = ["equal_const_int", "get_const_int", "get_const_tuple", "prod"]


def _constant(expr: Any) -> int | None:
    """The whole number that an expression is; None: it is none."""
    if isinstance(expr, Expr):
        try:
            return int(expr)
        except VTAError:
            return None
    return expr if isinstance(expr, int) and not isinstance(expr, bool) else None


def get_const_int(expr: int | Expr) -> int:
    """The number of a constant expression.

    Parameters
    ----------
    expr : int or Expr

    Returns
    -------
    number : int
    """
    value = _constant(expr)
    if value is None:
        raise ValueError(f"expected a constant integer, got {expr}")
    return value


def get_const_tuple(in_tuple: Iterable[int | Expr]) -> tuple[int | Expr, ...]:
    """A shape as a tuple: numbers where extents are constant, the expressions themselves where not.

    Parameters
    ----------
    in_tuple : iterable of int or Expr

    Returns
    -------
    shape : tuple of int or Expr
    """
    return tuple(e if isinstance(e, Expr) and _constant(e) is None else get_const_int(e) for e in in_tuple)


def equal_const_int(expr: int | Expr, value: int) -> bool:
    """Whether an expression is that constant.

    Parameters
    ----------
    expr : int or Expr
    value : int

    Returns
    -------
    equal : bool
    """
    return _constant(expr) == value


def prod(x: Iterable[int | Expr]) -> int | Expr:
    """The product of extents; 1 of none.

    Parameters
    ----------
    x : iterable of int or Expr

    Returns
    -------
    product : int or Expr
    """
    out: int | Expr = 1
    for extent in x:
        out = out * extent
    return out

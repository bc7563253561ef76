"""A function of numbers on all elements of a tensor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import te
from ..expr import convert
from ..te import Tensor
from . import tag

if TYPE_CHECKING:
    from typing import Callable

    from ..expr import Expr


def elementwise(function: Callable[..., Expr], x: Tensor | Expr) -> Tensor | Expr:
    """`function` of every element of a tensor, or of an expression.

    Parameters
    ----------
    function : callable
    x : Tensor or Expr

    Returns
    -------
    result : Tensor or Expr
    """
    if not isinstance(x, Tensor):
        return function(convert(x))
    source: Tensor = x
    return te.compute(source.shape, lambda *i: function(source(*i)), tag=tag.ELEMWISE)

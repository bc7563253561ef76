"""Common operators, each one a computation without a schedule; and those of the library, which schedule themselves
(:class:`Operator`, :func:`run`).

Two tensors of different shapes are broadcast as in numpy. The other operators of TVM's topi (``topi.nn``, ``topi.reshape``, …) are in the
distribution vta-tvm; they are loaded when they are asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, overload

from .. import _bindings as b
from .. import _elementwise as _elementwise_functions
from .. import te
from .._elementwise import *  # noqa: F401,F403  # pylint: disable=redefined-builtin
from .._check import need
from .._parts import attribute
from ..expr import convert
from ..te import Tensor
from ..te.tensor import _Computation
from . import packed, tag
from ._broadcast import apply_operator, broadcast, elementwise
from .packed import *  # noqa: F401,F403
from .operator import Argument, Attribute, Description, Operator, bias_max, operators, run

if TYPE_CHECKING:
    from typing import Any

    from ..expr import Expr, Operand

__all__ = ["cast", "clip", "identity", "mod", "logical_xor", "sign", "isnan", "isinf", "isfinite", "rsqrt", "sigmoid",
           "tag", "Argument", "Attribute", "Description", "Operator", "bias_max", "operators", "run"]
__all__ += _elementwise_functions.__all__
__all__ += packed.__all__


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(name)
    return attribute("vta.topi", name)


def mod(lhs: Tensor | Operand, rhs: Tensor | Operand) -> Tensor | Expr:
    """Another name of trunc_mod.

    Parameters
    ----------
    lhs, rhs : Tensor, Expr or number

    Returns
    -------
    result : Tensor, or Expr where neither operand is a tensor
    """
    return broadcast("mod", b.TE_TRUNCMOD, lhs, rhs)


def logical_xor(lhs: Tensor | Operand, rhs: Tensor | Operand) -> Tensor | Expr:
    """Exactly one of two conditions, element by element.

    Parameters
    ----------
    lhs, rhs : Tensor, Expr or number

    Returns
    -------
    result : Tensor, or Expr where neither operand is a tensor
    """
    return broadcast("logical_xor", b.TE_NE, lhs, rhs, conditions=True)


def _elementwise(name, function, meaning):
    def operator(x: Tensor | Operand) -> Tensor | Expr:
        return elementwise(function, x)

    operator.__name__ = operator.__qualname__ = name
    operator.__doc__ = f"""{meaning}

    Parameters
    ----------
    x : Tensor, Expr or number

    Returns
    -------
    result : Tensor or Expr
    """
    return operator


identity = _elementwise("identity", lambda x: x, "A copy.")
sign = _elementwise("sign", lambda x: te.select(x > te.const(0, x.dtype), te.const(1, x.dtype), te.select(
    x < te.const(0, x.dtype), te.const(-1, x.dtype), te.const(0, x.dtype))), "-1, 0 or 1, element by element.")
isnan = _elementwise("isnan", te.isnan, "Whether it is NaN, element by element.")
isinf = _elementwise("isinf", te.isinf, "Whether it is an infinity, element by element.")
isfinite = _elementwise("isfinite", te.isfinite, "Whether it is neither an infinity nor NaN, element by element.")
rsqrt = _elementwise("rsqrt", te.rsqrt, "1 / sqrt(x), element by element.")
sigmoid = _elementwise("sigmoid", te.sigmoid, "1 / (1 + exp(-x)), element by element.")


@overload
def cast(x: Tensor, dtype: str) -> Tensor: ...
@overload
def cast(x: Expr, dtype: str) -> Expr: ...
def cast(x: Tensor | Expr, dtype: str) -> Tensor | Expr:
    """The values in another type.

    Parameters
    ----------
    x : Tensor or Expr
    dtype : str

    Returns
    -------
    result : Tensor or Expr
    """
    if isinstance(x, Tensor):
        source: Tensor = x
        return te.compute(source.shape, lambda *i: source(*i).astype(dtype), tag=tag.ELEMWISE)
    return convert(x).astype(dtype)


def clip(x: Tensor, a_min: int | float, a_max: int | float) -> Tensor:
    """Values below `a_min` become it, and values above `a_max` likewise; both must fit the type of `x`, which stays.

    Parameters
    ----------
    x : Tensor
    a_min, a_max : number

    Returns
    -------
    result : Tensor
    """
    need(x, Tensor, "the operand of clip")
    low, high = te.const(a_min, x.dtype), te.const(a_max, x.dtype)
    return te.compute(x.shape, lambda *i: te.max(te.min(x(*i), high), low), tag=tag.ELEMWISE)


_Computation.operators.update({name: getattr(_elementwise_functions, name) for name in _elementwise_functions.__all__},
                              apply=apply_operator, cast=cast)

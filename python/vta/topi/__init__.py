"""Common operators, each one a computation without a schedule; and those of the library, which schedule themselves
(:class:`Operator`, :func:`run`).

Two tensors of different shapes are broadcast as in numpy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import _bindings as b
from .. import te
from .._check import need
from ..expr import apply, convert
from ..te import Tensor
from ..te.tensor import _Computation
from . import _math, arm_cpu, arrange, generic, join, nn, packed, tag, testing, transform, utils
from ._elementwise import elementwise
from .convolution import InvalidShapeError
from .arrange import *  # noqa: F401,F403
from ._math import *  # noqa: F401,F403  # pylint: disable=redefined-builtin
from .join import *  # noqa: F401,F403
from .packed import *  # noqa: F401,F403
from .transform import *  # noqa: F401,F403  # pylint: disable=redefined-builtin
from .operator import Argument, Attribute, Description, Operator, bias_most, operators, run

if TYPE_CHECKING:
    from ..expr import Expr, Operand

__all__ = ["add", "subtract", "multiply", "floor_divide", "floor_mod", "maximum", "minimum", "divide", "less",
           "less_equal", "greater", "greater_equal", "right_shift",
           "left_shift", "bitwise_and", "bitwise_or", "bitwise_xor", "cast", "clip", "identity", "negative",
           "abs", "arm_cpu", "generic", "nn", "tag", "testing", "utils", "InvalidShapeError", "Argument", "Attribute", "Description", "Operator", "bias_most",
           "operators", "run", "equal", "not_equal", "power", "mod", "trunc_divide", "trunc_mod", "logical_and", "logical_or", "logical_xor",
           "logical_not", "sign", "bitwise_not", "isnan", "isinf", "isfinite", "rsqrt", "sigmoid"]
__all__ += _math.__all__
__all__ += arrange.__all__
__all__ += join.__all__
__all__ += packed.__all__
__all__ += transform.__all__


def _broadcast_shape(left, right):
    """The shape that two shapes broadcast to."""
    out = []
    for i in range(len(left) if len(left) > len(right) else len(right)):
        a = left[len(left) - 1 - i] if i < len(left) else 1
        b = right[len(right) - 1 - i] if i < len(right) else 1
        if isinstance(a, int) and isinstance(b, int) and a != b and 1 not in (a, b):
            raise ValueError(f"shapes {left} and {right} do not broadcast: {a} against {b}")
        out.append(b if isinstance(a, int) and a == 1 else a)
    return tuple(reversed(out))


def _element(tensor, indices):
    """An operand's element at the indices of the broadcast result."""
    if not isinstance(tensor, Tensor):
        return tensor
    own = indices[len(indices) - tensor.ndim:]
    fixed = [0 if isinstance(extent, int) and extent == 1 else i for extent, i in zip(tensor.shape, own)]
    return tensor(*fixed)


def _binary(name, function, meaning):
    def operator(lhs: Tensor | Operand, rhs: Tensor | Operand) -> Tensor | Expr:
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

    operator.__name__ = operator.__qualname__ = name
    operator.__doc__ = f"""{meaning}

    Parameters
    ----------
    lhs, rhs : Tensor, Expr or number

    Returns
    -------
    result : Tensor, or Expr where neither operand is a tensor
    """
    return operator


add = _binary("add", lambda a, b: a + b, "Sum, element by element.")
subtract = _binary("subtract", lambda a, b: a - b, "Difference, element by element.")
multiply = _binary("multiply", lambda a, b: a * b, "Product, element by element.")
floor_divide = _binary("floor_divide", te.floordiv, "Integer quotient rounded down, element by element.")
floor_mod = _binary("floor_mod", te.floormod, "Remainder of floor_divide, element by element.")
maximum = _binary("maximum", te.max, "The larger, element by element.")
minimum = _binary("minimum", te.min, "The smaller, element by element.")
divide = _binary("divide", lambda a, b: a / b, "Quotient of floats, element by element.")
less = _binary("less", lambda a, b: a < b, "Whether the first is smaller, element by element.")
less_equal = _binary("less_equal", lambda a, b: a <= b, "Whether the first is no larger, element by element.")
greater = _binary("greater", lambda a, b: a > b, "Whether the first is larger, element by element.")
greater_equal = _binary("greater_equal", lambda a, b: a >= b, "Whether the first is no smaller, element by element.")
right_shift = _binary("right_shift", lambda a, b: a >> b, "Shift right, element by element.")
left_shift = _binary("left_shift", lambda a, b: a << b, "Shift left, element by element.")
bitwise_and = _binary("bitwise_and", lambda a, b: a & b, "Bitwise and, element by element.")
bitwise_or = _binary("bitwise_or", lambda a, b: a | b, "Bitwise or, element by element.")
bitwise_xor = _binary("bitwise_xor", lambda a, b: a ^ b, "Bitwise exclusive or, element by element.")


def _condition(function):
    """A function of truth values, of whatever numbers it gets."""
    return lambda *values: function(*[apply(b.TE_NE, v, 0) if v.dtype != "bool" else v for v in map(convert, values)])


equal = _binary("equal", lambda x, y: convert(x).equal(y), "Whether both are equal, element by element.")
not_equal = _binary("not_equal", lambda x, y: apply(b.TE_NE, x, y), "Whether both differ, element by element.")
power = _binary("power", te.power, "The first to the power of the second, element by element.")
mod = _binary("mod", te.truncmod, "Remainder of trunc_divide, element by element.")
trunc_divide = _binary("trunc_divide", te.truncdiv, "Integer quotient rounded towards zero, element by element.")
trunc_mod = _binary("trunc_mod", te.truncmod, "Remainder of trunc_divide, element by element.")
logical_and = _binary("logical_and", _condition(te.all), "Whether both hold, element by element.")
logical_or = _binary("logical_or", _condition(te.any), "Whether one of both holds, element by element.")
logical_xor = _binary("logical_xor", _condition(lambda x, y: apply(b.TE_NE, x, y)), "Whether exactly one holds, element by element.")


def _apply(op, values):
    """An operator on tensors and numbers, element by element; their shapes broadcast."""
    shape: tuple = ()
    for value in values:
        shape = _broadcast_shape(shape, value.shape) if isinstance(value, Tensor) else shape
    several = len([v for v in values if isinstance(v, Tensor)]) > 1
    return te.compute(shape, lambda *i: apply(op, *[_element(v, i) for v in values]), tag=tag.BROADCAST if several else tag.ELEMWISE)


def _elementwise(name, function, meaning):
    def operator(x: Tensor | Expr) -> Tensor | Expr:
        return elementwise(function, x)

    operator.__name__ = operator.__qualname__ = name
    operator.__doc__ = f"""{meaning}

    Parameters
    ----------
    x : Tensor or Expr

    Returns
    -------
    result : Tensor or Expr
    """
    return operator


identity = _elementwise("identity", lambda x: x, "A copy.")
negative = _elementwise("negative", lambda x: -x, "Negative, element by element.")
sign = _elementwise("sign", lambda x: te.select(x > te.const(0, x.dtype), te.const(1, x.dtype), te.select(
    x < te.const(0, x.dtype), te.const(-1, x.dtype), te.const(0, x.dtype))), "-1, 0 or 1, element by element.")
logical_not = _elementwise("logical_not", _condition(lambda x: apply(b.TE_NOT, x)), "Whether it does not hold, element by element.")
bitwise_not = _elementwise("bitwise_not", lambda x: ~x, "Bitwise not, element by element.")
isnan = _elementwise("isnan", te.isnan, "Whether it is NaN, element by element.")
isinf = _elementwise("isinf", te.isinf, "Whether it is an infinity, element by element.")
isfinite = _elementwise("isfinite", te.isfinite, "Whether it is neither an infinity nor NaN, element by element.")
rsqrt = _elementwise("rsqrt", te.rsqrt, "1 / sqrt(x), element by element.")
sigmoid = _elementwise("sigmoid", te.sigmoid, "1 / (1 + exp(-x)), element by element.")
abs = _elementwise("abs", te.abs, "Absolute value.")  # pylint: disable=redefined-builtin


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


_Computation.operators.update(apply=_apply, bitwise_and=bitwise_and, bitwise_or=bitwise_or, bitwise_xor=bitwise_xor, bitwise_not=bitwise_not,
                              divide=divide, floor_divide=floor_divide, floor_mod=floor_mod, less=less, less_equal=less_equal,
                              greater=greater, greater_equal=greater_equal, negative=negative, cast=cast, add=add, subtract=subtract, multiply=multiply, right_shift=right_shift,
                              left_shift=left_shift)

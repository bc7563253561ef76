"""Functions of tensors, element by element; shapes of two tensors broadcast.

Made by scripts/gen_python_bindings from include/vta/te_ops.def and math.def; do not edit."""

from __future__ import annotations

from typing import TYPE_CHECKING, overload

from . import _bindings as b
from .topi._broadcast import broadcast

if TYPE_CHECKING:
    from .expr import Expr, Operand
    from .te import Tensor

__all__ = [
    "add", "subtract", "multiply", "divide", "floor_divide", "floor_mod", "left_shift", "right_shift",
    "bitwise_and", "bitwise_or", "bitwise_xor", "equal", "not_equal", "less", "less_equal", "greater",
    "greater_equal", "logical_and", "logical_or", "logical_not", "negative", "bitwise_not", "minimum",
    "maximum", "trunc_divide", "trunc_mod", "abs", "exp", "log", "sqrt", "tanh", "floor", "ceil",
    "round", "power", "trunc", "nearbyint", "fabs", "exp2", "log2", "log10", "log1p", "sin", "cos",
    "tan", "sinh", "cosh", "asin", "acos", "atan", "asinh", "acosh", "atanh", "erf",
]


@overload
def add(lhs: Tensor, rhs: Tensor | Operand) -> Tensor: ...

@overload
def add(lhs: Operand, rhs: Tensor) -> Tensor: ...

@overload
def add(lhs: Operand, rhs: Operand) -> Expr: ...


def add(lhs: Tensor | Operand, rhs: Tensor | Operand) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Sum, element by element.

    Parameters
    ----------
    lhs, rhs : Tensor, Expr or number

    Returns
    -------
    result : Tensor, or Expr where no operand is a tensor
    """
    return broadcast("add", b.TE_ADD, lhs, rhs)


@overload
def subtract(lhs: Tensor, rhs: Tensor | Operand) -> Tensor: ...

@overload
def subtract(lhs: Operand, rhs: Tensor) -> Tensor: ...

@overload
def subtract(lhs: Operand, rhs: Operand) -> Expr: ...


def subtract(lhs: Tensor | Operand, rhs: Tensor | Operand) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Difference, element by element.

    Parameters
    ----------
    lhs, rhs : Tensor, Expr or number

    Returns
    -------
    result : Tensor, or Expr where no operand is a tensor
    """
    return broadcast("subtract", b.TE_SUB, lhs, rhs)


@overload
def multiply(lhs: Tensor, rhs: Tensor | Operand) -> Tensor: ...

@overload
def multiply(lhs: Operand, rhs: Tensor) -> Tensor: ...

@overload
def multiply(lhs: Operand, rhs: Operand) -> Expr: ...


def multiply(lhs: Tensor | Operand, rhs: Tensor | Operand) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Product, element by element.

    Parameters
    ----------
    lhs, rhs : Tensor, Expr or number

    Returns
    -------
    result : Tensor, or Expr where no operand is a tensor
    """
    return broadcast("multiply", b.TE_MUL, lhs, rhs)


@overload
def divide(lhs: Tensor, rhs: Tensor | Operand) -> Tensor: ...

@overload
def divide(lhs: Operand, rhs: Tensor) -> Tensor: ...

@overload
def divide(lhs: Operand, rhs: Operand) -> Expr: ...


def divide(lhs: Tensor | Operand, rhs: Tensor | Operand) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Quotient of floats, element by element.

    Parameters
    ----------
    lhs, rhs : Tensor, Expr or number

    Returns
    -------
    result : Tensor, or Expr where no operand is a tensor
    """
    return broadcast("divide", b.TE_DIV, lhs, rhs)


@overload
def floor_divide(lhs: Tensor, rhs: Tensor | Operand) -> Tensor: ...

@overload
def floor_divide(lhs: Operand, rhs: Tensor) -> Tensor: ...

@overload
def floor_divide(lhs: Operand, rhs: Operand) -> Expr: ...


def floor_divide(lhs: Tensor | Operand, rhs: Tensor | Operand) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Integer quotient, rounded towards minus infinity, element by element.

    Parameters
    ----------
    lhs, rhs : Tensor, Expr or number

    Returns
    -------
    result : Tensor, or Expr where no operand is a tensor
    """
    return broadcast("floor_divide", b.TE_FLOORDIV, lhs, rhs)


@overload
def floor_mod(lhs: Tensor, rhs: Tensor | Operand) -> Tensor: ...

@overload
def floor_mod(lhs: Operand, rhs: Tensor) -> Tensor: ...

@overload
def floor_mod(lhs: Operand, rhs: Operand) -> Expr: ...


def floor_mod(lhs: Tensor | Operand, rhs: Tensor | Operand) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Remainder of //, has the sign of the divisor, element by element.

    Parameters
    ----------
    lhs, rhs : Tensor, Expr or number

    Returns
    -------
    result : Tensor, or Expr where no operand is a tensor
    """
    return broadcast("floor_mod", b.TE_FLOORMOD, lhs, rhs)


@overload
def left_shift(lhs: Tensor, rhs: Tensor | Operand) -> Tensor: ...

@overload
def left_shift(lhs: Operand, rhs: Tensor) -> Tensor: ...

@overload
def left_shift(lhs: Operand, rhs: Operand) -> Expr: ...


def left_shift(lhs: Tensor | Operand, rhs: Tensor | Operand) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Shift left, element by element.

    Parameters
    ----------
    lhs, rhs : Tensor, Expr or number

    Returns
    -------
    result : Tensor, or Expr where no operand is a tensor
    """
    return broadcast("left_shift", b.TE_SHL, lhs, rhs)


@overload
def right_shift(lhs: Tensor, rhs: Tensor | Operand) -> Tensor: ...

@overload
def right_shift(lhs: Operand, rhs: Tensor) -> Tensor: ...

@overload
def right_shift(lhs: Operand, rhs: Operand) -> Expr: ...


def right_shift(lhs: Tensor | Operand, rhs: Tensor | Operand) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Shift right, element by element.

    Parameters
    ----------
    lhs, rhs : Tensor, Expr or number

    Returns
    -------
    result : Tensor, or Expr where no operand is a tensor
    """
    return broadcast("right_shift", b.TE_SHR, lhs, rhs)


@overload
def bitwise_and(lhs: Tensor, rhs: Tensor | Operand) -> Tensor: ...

@overload
def bitwise_and(lhs: Operand, rhs: Tensor) -> Tensor: ...

@overload
def bitwise_and(lhs: Operand, rhs: Operand) -> Expr: ...


def bitwise_and(lhs: Tensor | Operand, rhs: Tensor | Operand) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Bitwise and, element by element.

    Parameters
    ----------
    lhs, rhs : Tensor, Expr or number

    Returns
    -------
    result : Tensor, or Expr where no operand is a tensor
    """
    return broadcast("bitwise_and", b.TE_BITAND, lhs, rhs)


@overload
def bitwise_or(lhs: Tensor, rhs: Tensor | Operand) -> Tensor: ...

@overload
def bitwise_or(lhs: Operand, rhs: Tensor) -> Tensor: ...

@overload
def bitwise_or(lhs: Operand, rhs: Operand) -> Expr: ...


def bitwise_or(lhs: Tensor | Operand, rhs: Tensor | Operand) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Bitwise or, element by element.

    Parameters
    ----------
    lhs, rhs : Tensor, Expr or number

    Returns
    -------
    result : Tensor, or Expr where no operand is a tensor
    """
    return broadcast("bitwise_or", b.TE_BITOR, lhs, rhs)


@overload
def bitwise_xor(lhs: Tensor, rhs: Tensor | Operand) -> Tensor: ...

@overload
def bitwise_xor(lhs: Operand, rhs: Tensor) -> Tensor: ...

@overload
def bitwise_xor(lhs: Operand, rhs: Operand) -> Expr: ...


def bitwise_xor(lhs: Tensor | Operand, rhs: Tensor | Operand) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Bitwise exclusive or, element by element.

    Parameters
    ----------
    lhs, rhs : Tensor, Expr or number

    Returns
    -------
    result : Tensor, or Expr where no operand is a tensor
    """
    return broadcast("bitwise_xor", b.TE_BITXOR, lhs, rhs)


@overload
def equal(lhs: Tensor, rhs: Tensor | Operand) -> Tensor: ...

@overload
def equal(lhs: Operand, rhs: Tensor) -> Tensor: ...

@overload
def equal(lhs: Operand, rhs: Operand) -> Expr: ...


def equal(lhs: Tensor | Operand, rhs: Tensor | Operand) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Equal, element by element.

    Parameters
    ----------
    lhs, rhs : Tensor, Expr or number

    Returns
    -------
    result : Tensor, or Expr where no operand is a tensor
    """
    return broadcast("equal", b.TE_EQ, lhs, rhs)


@overload
def not_equal(lhs: Tensor, rhs: Tensor | Operand) -> Tensor: ...

@overload
def not_equal(lhs: Operand, rhs: Tensor) -> Tensor: ...

@overload
def not_equal(lhs: Operand, rhs: Operand) -> Expr: ...


def not_equal(lhs: Tensor | Operand, rhs: Tensor | Operand) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Not equal, element by element.

    Parameters
    ----------
    lhs, rhs : Tensor, Expr or number

    Returns
    -------
    result : Tensor, or Expr where no operand is a tensor
    """
    return broadcast("not_equal", b.TE_NE, lhs, rhs)


@overload
def less(lhs: Tensor, rhs: Tensor | Operand) -> Tensor: ...

@overload
def less(lhs: Operand, rhs: Tensor) -> Tensor: ...

@overload
def less(lhs: Operand, rhs: Operand) -> Expr: ...


def less(lhs: Tensor | Operand, rhs: Tensor | Operand) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Less, element by element.

    Parameters
    ----------
    lhs, rhs : Tensor, Expr or number

    Returns
    -------
    result : Tensor, or Expr where no operand is a tensor
    """
    return broadcast("less", b.TE_LT, lhs, rhs)


@overload
def less_equal(lhs: Tensor, rhs: Tensor | Operand) -> Tensor: ...

@overload
def less_equal(lhs: Operand, rhs: Tensor) -> Tensor: ...

@overload
def less_equal(lhs: Operand, rhs: Operand) -> Expr: ...


def less_equal(lhs: Tensor | Operand, rhs: Tensor | Operand) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Less or equal, element by element.

    Parameters
    ----------
    lhs, rhs : Tensor, Expr or number

    Returns
    -------
    result : Tensor, or Expr where no operand is a tensor
    """
    return broadcast("less_equal", b.TE_LE, lhs, rhs)


@overload
def greater(lhs: Tensor, rhs: Tensor | Operand) -> Tensor: ...

@overload
def greater(lhs: Operand, rhs: Tensor) -> Tensor: ...

@overload
def greater(lhs: Operand, rhs: Operand) -> Expr: ...


def greater(lhs: Tensor | Operand, rhs: Tensor | Operand) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Greater, element by element.

    Parameters
    ----------
    lhs, rhs : Tensor, Expr or number

    Returns
    -------
    result : Tensor, or Expr where no operand is a tensor
    """
    return broadcast("greater", b.TE_GT, lhs, rhs)


@overload
def greater_equal(lhs: Tensor, rhs: Tensor | Operand) -> Tensor: ...

@overload
def greater_equal(lhs: Operand, rhs: Tensor) -> Tensor: ...

@overload
def greater_equal(lhs: Operand, rhs: Operand) -> Expr: ...


def greater_equal(lhs: Tensor | Operand, rhs: Tensor | Operand) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Greater or equal, element by element.

    Parameters
    ----------
    lhs, rhs : Tensor, Expr or number

    Returns
    -------
    result : Tensor, or Expr where no operand is a tensor
    """
    return broadcast("greater_equal", b.TE_GE, lhs, rhs)


@overload
def logical_and(lhs: Tensor, rhs: Tensor | Operand) -> Tensor: ...

@overload
def logical_and(lhs: Operand, rhs: Tensor) -> Tensor: ...

@overload
def logical_and(lhs: Operand, rhs: Operand) -> Expr: ...


def logical_and(lhs: Tensor | Operand, rhs: Tensor | Operand) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Both of two conditions, element by element.

    Parameters
    ----------
    lhs, rhs : Tensor, Expr or number

    Returns
    -------
    result : Tensor, or Expr where no operand is a tensor
    """
    return broadcast("logical_and", b.TE_AND, lhs, rhs, conditions=True)


@overload
def logical_or(lhs: Tensor, rhs: Tensor | Operand) -> Tensor: ...

@overload
def logical_or(lhs: Operand, rhs: Tensor) -> Tensor: ...

@overload
def logical_or(lhs: Operand, rhs: Operand) -> Expr: ...


def logical_or(lhs: Tensor | Operand, rhs: Tensor | Operand) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """One of two conditions, element by element.

    Parameters
    ----------
    lhs, rhs : Tensor, Expr or number

    Returns
    -------
    result : Tensor, or Expr where no operand is a tensor
    """
    return broadcast("logical_or", b.TE_OR, lhs, rhs, conditions=True)


@overload
def logical_not(x: Tensor) -> Tensor: ...

@overload
def logical_not(x: Operand) -> Expr: ...


def logical_not(x: Tensor | Operand) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Not a condition, element by element.

    Parameters
    ----------
    x : Tensor, Expr or number

    Returns
    -------
    result : Tensor, or Expr where no operand is a tensor
    """
    return broadcast("logical_not", b.TE_NOT, x, conditions=True)


@overload
def negative(x: Tensor) -> Tensor: ...

@overload
def negative(x: Operand) -> Expr: ...


def negative(x: Tensor | Operand) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Negative, element by element.

    Parameters
    ----------
    x : Tensor, Expr or number

    Returns
    -------
    result : Tensor, or Expr where no operand is a tensor
    """
    return broadcast("negative", b.TE_NEG, x)


@overload
def bitwise_not(x: Tensor) -> Tensor: ...

@overload
def bitwise_not(x: Operand) -> Expr: ...


def bitwise_not(x: Tensor | Operand) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Bitwise complement, element by element.

    Parameters
    ----------
    x : Tensor, Expr or number

    Returns
    -------
    result : Tensor, or Expr where no operand is a tensor
    """
    return broadcast("bitwise_not", b.TE_BITNOT, x)


@overload
def minimum(lhs: Tensor, rhs: Tensor | Operand) -> Tensor: ...

@overload
def minimum(lhs: Operand, rhs: Tensor) -> Tensor: ...

@overload
def minimum(lhs: Operand, rhs: Operand) -> Expr: ...


def minimum(lhs: Tensor | Operand, rhs: Tensor | Operand) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """The smaller, element by element.

    Parameters
    ----------
    lhs, rhs : Tensor, Expr or number

    Returns
    -------
    result : Tensor, or Expr where no operand is a tensor
    """
    return broadcast("minimum", b.TE_MIN, lhs, rhs)


@overload
def maximum(lhs: Tensor, rhs: Tensor | Operand) -> Tensor: ...

@overload
def maximum(lhs: Operand, rhs: Tensor) -> Tensor: ...

@overload
def maximum(lhs: Operand, rhs: Operand) -> Expr: ...


def maximum(lhs: Tensor | Operand, rhs: Tensor | Operand) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """The larger, element by element.

    Parameters
    ----------
    lhs, rhs : Tensor, Expr or number

    Returns
    -------
    result : Tensor, or Expr where no operand is a tensor
    """
    return broadcast("maximum", b.TE_MAX, lhs, rhs)


@overload
def trunc_divide(lhs: Tensor, rhs: Tensor | Operand) -> Tensor: ...

@overload
def trunc_divide(lhs: Operand, rhs: Tensor) -> Tensor: ...

@overload
def trunc_divide(lhs: Operand, rhs: Operand) -> Expr: ...


def trunc_divide(lhs: Tensor | Operand, rhs: Tensor | Operand) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Integer quotient, rounded towards zero, element by element.

    Parameters
    ----------
    lhs, rhs : Tensor, Expr or number

    Returns
    -------
    result : Tensor, or Expr where no operand is a tensor
    """
    return broadcast("trunc_divide", b.TE_TRUNCDIV, lhs, rhs)


@overload
def trunc_mod(lhs: Tensor, rhs: Tensor | Operand) -> Tensor: ...

@overload
def trunc_mod(lhs: Operand, rhs: Tensor) -> Tensor: ...

@overload
def trunc_mod(lhs: Operand, rhs: Operand) -> Expr: ...


def trunc_mod(lhs: Tensor | Operand, rhs: Tensor | Operand) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Remainder of truncdiv, has the sign of the dividend, element by element.

    Parameters
    ----------
    lhs, rhs : Tensor, Expr or number

    Returns
    -------
    result : Tensor, or Expr where no operand is a tensor
    """
    return broadcast("trunc_mod", b.TE_TRUNCMOD, lhs, rhs)


@overload
def abs(x: Tensor) -> Tensor: ...

@overload
def abs(x: Operand) -> Expr: ...


def abs(x: Tensor | Operand) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Absolute value, element by element.

    Parameters
    ----------
    x : Tensor, Expr or number

    Returns
    -------
    result : Tensor, or Expr where no operand is a tensor
    """
    return broadcast("abs", b.TE_ABS, x)


@overload
def exp(x: Tensor) -> Tensor: ...

@overload
def exp(x: Operand) -> Expr: ...


def exp(x: Tensor | Operand) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """e to the power of x, element by element.

    Parameters
    ----------
    x : Tensor, Expr or number

    Returns
    -------
    result : Tensor, or Expr where no operand is a tensor
    """
    return broadcast("exp", b.TE_EXP, x)


@overload
def log(x: Tensor) -> Tensor: ...

@overload
def log(x: Operand) -> Expr: ...


def log(x: Tensor | Operand) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Natural logarithm, element by element.

    Parameters
    ----------
    x : Tensor, Expr or number

    Returns
    -------
    result : Tensor, or Expr where no operand is a tensor
    """
    return broadcast("log", b.TE_LOG, x)


@overload
def sqrt(x: Tensor) -> Tensor: ...

@overload
def sqrt(x: Operand) -> Expr: ...


def sqrt(x: Tensor | Operand) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Square root, element by element.

    Parameters
    ----------
    x : Tensor, Expr or number

    Returns
    -------
    result : Tensor, or Expr where no operand is a tensor
    """
    return broadcast("sqrt", b.TE_SQRT, x)


@overload
def tanh(x: Tensor) -> Tensor: ...

@overload
def tanh(x: Operand) -> Expr: ...


def tanh(x: Tensor | Operand) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Hyperbolic tangent, element by element.

    Parameters
    ----------
    x : Tensor, Expr or number

    Returns
    -------
    result : Tensor, or Expr where no operand is a tensor
    """
    return broadcast("tanh", b.TE_TANH, x)


@overload
def floor(x: Tensor) -> Tensor: ...

@overload
def floor(x: Operand) -> Expr: ...


def floor(x: Tensor | Operand) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Rounded down, element by element.

    Parameters
    ----------
    x : Tensor, Expr or number

    Returns
    -------
    result : Tensor, or Expr where no operand is a tensor
    """
    return broadcast("floor", b.TE_FLOOR, x)


@overload
def ceil(x: Tensor) -> Tensor: ...

@overload
def ceil(x: Operand) -> Expr: ...


def ceil(x: Tensor | Operand) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Rounded up, element by element.

    Parameters
    ----------
    x : Tensor, Expr or number

    Returns
    -------
    result : Tensor, or Expr where no operand is a tensor
    """
    return broadcast("ceil", b.TE_CEIL, x)


@overload
def round(x: Tensor) -> Tensor: ...

@overload
def round(x: Operand) -> Expr: ...


def round(x: Tensor | Operand) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Rounded to the nearest, element by element.

    Parameters
    ----------
    x : Tensor, Expr or number

    Returns
    -------
    result : Tensor, or Expr where no operand is a tensor
    """
    return broadcast("round", b.TE_ROUND, x)


@overload
def power(lhs: Tensor, rhs: Tensor | Operand) -> Tensor: ...

@overload
def power(lhs: Operand, rhs: Tensor) -> Tensor: ...

@overload
def power(lhs: Operand, rhs: Operand) -> Expr: ...


def power(lhs: Tensor | Operand, rhs: Tensor | Operand) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Lhs to the power of rhs, element by element.

    Parameters
    ----------
    lhs, rhs : Tensor, Expr or number

    Returns
    -------
    result : Tensor, or Expr where no operand is a tensor
    """
    return broadcast("power", b.TE_POW, lhs, rhs)


@overload
def trunc(x: Tensor) -> Tensor: ...

@overload
def trunc(x: Operand) -> Expr: ...


def trunc(x: Tensor | Operand) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Rounded towards zero, element by element.

    Parameters
    ----------
    x : Tensor, Expr or number

    Returns
    -------
    result : Tensor, or Expr where no operand is a tensor
    """
    return broadcast("trunc", b.TE_TRUNC, x)


@overload
def nearbyint(x: Tensor) -> Tensor: ...

@overload
def nearbyint(x: Operand) -> Expr: ...


def nearbyint(x: Tensor | Operand) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Rounded to the nearest, halves to even, element by element.

    Parameters
    ----------
    x : Tensor, Expr or number

    Returns
    -------
    result : Tensor, or Expr where no operand is a tensor
    """
    return broadcast("nearbyint", b.TE_NEARBYINT, x)


@overload
def fabs(x: Tensor) -> Tensor: ...

@overload
def fabs(x: Operand) -> Expr: ...


def fabs(x: Tensor | Operand) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Absolute value, element by element.

    Parameters
    ----------
    x : Tensor, Expr or number

    Returns
    -------
    result : Tensor, or Expr where no operand is a tensor
    """
    return broadcast("fabs", b.TE_FABS, x)


@overload
def exp2(x: Tensor) -> Tensor: ...

@overload
def exp2(x: Operand) -> Expr: ...


def exp2(x: Tensor | Operand) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """2 to the power of x, element by element.

    Parameters
    ----------
    x : Tensor, Expr or number

    Returns
    -------
    result : Tensor, or Expr where no operand is a tensor
    """
    return broadcast("exp2", b.TE_EXP2, x)


@overload
def log2(x: Tensor) -> Tensor: ...

@overload
def log2(x: Operand) -> Expr: ...


def log2(x: Tensor | Operand) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Logarithm to base 2, element by element.

    Parameters
    ----------
    x : Tensor, Expr or number

    Returns
    -------
    result : Tensor, or Expr where no operand is a tensor
    """
    return broadcast("log2", b.TE_LOG2, x)


@overload
def log10(x: Tensor) -> Tensor: ...

@overload
def log10(x: Operand) -> Expr: ...


def log10(x: Tensor | Operand) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Logarithm to base 10, element by element.

    Parameters
    ----------
    x : Tensor, Expr or number

    Returns
    -------
    result : Tensor, or Expr where no operand is a tensor
    """
    return broadcast("log10", b.TE_LOG10, x)


@overload
def log1p(x: Tensor) -> Tensor: ...

@overload
def log1p(x: Operand) -> Expr: ...


def log1p(x: Tensor | Operand) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Natural logarithm of 1 + x, element by element.

    Parameters
    ----------
    x : Tensor, Expr or number

    Returns
    -------
    result : Tensor, or Expr where no operand is a tensor
    """
    return broadcast("log1p", b.TE_LOG1P, x)


@overload
def sin(x: Tensor) -> Tensor: ...

@overload
def sin(x: Operand) -> Expr: ...


def sin(x: Tensor | Operand) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Sine, element by element.

    Parameters
    ----------
    x : Tensor, Expr or number

    Returns
    -------
    result : Tensor, or Expr where no operand is a tensor
    """
    return broadcast("sin", b.TE_SIN, x)


@overload
def cos(x: Tensor) -> Tensor: ...

@overload
def cos(x: Operand) -> Expr: ...


def cos(x: Tensor | Operand) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Cosine, element by element.

    Parameters
    ----------
    x : Tensor, Expr or number

    Returns
    -------
    result : Tensor, or Expr where no operand is a tensor
    """
    return broadcast("cos", b.TE_COS, x)


@overload
def tan(x: Tensor) -> Tensor: ...

@overload
def tan(x: Operand) -> Expr: ...


def tan(x: Tensor | Operand) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Tangent, element by element.

    Parameters
    ----------
    x : Tensor, Expr or number

    Returns
    -------
    result : Tensor, or Expr where no operand is a tensor
    """
    return broadcast("tan", b.TE_TAN, x)


@overload
def sinh(x: Tensor) -> Tensor: ...

@overload
def sinh(x: Operand) -> Expr: ...


def sinh(x: Tensor | Operand) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Hyperbolic sine, element by element.

    Parameters
    ----------
    x : Tensor, Expr or number

    Returns
    -------
    result : Tensor, or Expr where no operand is a tensor
    """
    return broadcast("sinh", b.TE_SINH, x)


@overload
def cosh(x: Tensor) -> Tensor: ...

@overload
def cosh(x: Operand) -> Expr: ...


def cosh(x: Tensor | Operand) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Hyperbolic cosine, element by element.

    Parameters
    ----------
    x : Tensor, Expr or number

    Returns
    -------
    result : Tensor, or Expr where no operand is a tensor
    """
    return broadcast("cosh", b.TE_COSH, x)


@overload
def asin(x: Tensor) -> Tensor: ...

@overload
def asin(x: Operand) -> Expr: ...


def asin(x: Tensor | Operand) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Arc sine, element by element.

    Parameters
    ----------
    x : Tensor, Expr or number

    Returns
    -------
    result : Tensor, or Expr where no operand is a tensor
    """
    return broadcast("asin", b.TE_ASIN, x)


@overload
def acos(x: Tensor) -> Tensor: ...

@overload
def acos(x: Operand) -> Expr: ...


def acos(x: Tensor | Operand) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Arc cosine, element by element.

    Parameters
    ----------
    x : Tensor, Expr or number

    Returns
    -------
    result : Tensor, or Expr where no operand is a tensor
    """
    return broadcast("acos", b.TE_ACOS, x)


@overload
def atan(x: Tensor) -> Tensor: ...

@overload
def atan(x: Operand) -> Expr: ...


def atan(x: Tensor | Operand) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Arc tangent, element by element.

    Parameters
    ----------
    x : Tensor, Expr or number

    Returns
    -------
    result : Tensor, or Expr where no operand is a tensor
    """
    return broadcast("atan", b.TE_ATAN, x)


@overload
def asinh(x: Tensor) -> Tensor: ...

@overload
def asinh(x: Operand) -> Expr: ...


def asinh(x: Tensor | Operand) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Inverse hyperbolic sine, element by element.

    Parameters
    ----------
    x : Tensor, Expr or number

    Returns
    -------
    result : Tensor, or Expr where no operand is a tensor
    """
    return broadcast("asinh", b.TE_ASINH, x)


@overload
def acosh(x: Tensor) -> Tensor: ...

@overload
def acosh(x: Operand) -> Expr: ...


def acosh(x: Tensor | Operand) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Inverse hyperbolic cosine, element by element.

    Parameters
    ----------
    x : Tensor, Expr or number

    Returns
    -------
    result : Tensor, or Expr where no operand is a tensor
    """
    return broadcast("acosh", b.TE_ACOSH, x)


@overload
def atanh(x: Tensor) -> Tensor: ...

@overload
def atanh(x: Operand) -> Expr: ...


def atanh(x: Tensor | Operand) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Inverse hyperbolic tangent, element by element.

    Parameters
    ----------
    x : Tensor, Expr or number

    Returns
    -------
    result : Tensor, or Expr where no operand is a tensor
    """
    return broadcast("atanh", b.TE_ATANH, x)


@overload
def erf(x: Tensor) -> Tensor: ...

@overload
def erf(x: Operand) -> Expr: ...


def erf(x: Tensor | Operand) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Error function, element by element.

    Parameters
    ----------
    x : Tensor, Expr or number

    Returns
    -------
    result : Tensor, or Expr where no operand is a tensor
    """
    return broadcast("erf", b.TE_ERF, x)

"""Mathematical functions in the bodies of computations.

Made by scripts/gen_python_bindings from include/vta/math.def; do not edit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import _bindings as b
from .expr import apply

if TYPE_CHECKING:
    from .expr import Expr, Operand

__all__ = [
    "exp", "log", "sqrt", "tanh", "floor", "ceil", "round", "pow", "trunc", "nearbyint", "fabs",
    "fmod", "exp2", "log2", "log10", "log1p", "sin", "cos", "tan", "sinh", "cosh", "asin", "acos",
    "atan", "asinh", "acosh", "atanh", "atan2", "hypot", "copysign", "erf",
]


def exp(x: Operand) -> Expr:  # pylint: disable=redefined-builtin
    """e to the power of x.

    Parameters
    ----------
    x : float or Expr

    Returns
    -------
    value : Expr
    """
    return apply(b.TE_EXP, x)


def log(x: Operand) -> Expr:  # pylint: disable=redefined-builtin
    """Natural logarithm.

    Parameters
    ----------
    x : float or Expr

    Returns
    -------
    value : Expr
    """
    return apply(b.TE_LOG, x)


def sqrt(x: Operand) -> Expr:  # pylint: disable=redefined-builtin
    """Square root.

    Parameters
    ----------
    x : float or Expr

    Returns
    -------
    value : Expr
    """
    return apply(b.TE_SQRT, x)


def tanh(x: Operand) -> Expr:  # pylint: disable=redefined-builtin
    """Hyperbolic tangent.

    Parameters
    ----------
    x : float or Expr

    Returns
    -------
    value : Expr
    """
    return apply(b.TE_TANH, x)


def floor(x: Operand) -> Expr:  # pylint: disable=redefined-builtin
    """Rounded down.

    Parameters
    ----------
    x : float or Expr

    Returns
    -------
    value : Expr
    """
    return apply(b.TE_FLOOR, x)


def ceil(x: Operand) -> Expr:  # pylint: disable=redefined-builtin
    """Rounded up.

    Parameters
    ----------
    x : float or Expr

    Returns
    -------
    value : Expr
    """
    return apply(b.TE_CEIL, x)


def round(x: Operand) -> Expr:  # pylint: disable=redefined-builtin
    """Rounded to the nearest.

    Parameters
    ----------
    x : float or Expr

    Returns
    -------
    value : Expr
    """
    return apply(b.TE_ROUND, x)


def pow(x: Operand, y: Operand) -> Expr:  # pylint: disable=redefined-builtin
    """x to the power of y.

    Parameters
    ----------
    x, y : float or Expr

    Returns
    -------
    value : Expr
    """
    return apply(b.TE_POW, x, y)


def trunc(x: Operand) -> Expr:  # pylint: disable=redefined-builtin
    """Rounded towards zero.

    Parameters
    ----------
    x : float or Expr

    Returns
    -------
    value : Expr
    """
    return apply(b.TE_TRUNC, x)


def nearbyint(x: Operand) -> Expr:  # pylint: disable=redefined-builtin
    """Rounded to the nearest, halves to even.

    Parameters
    ----------
    x : float or Expr

    Returns
    -------
    value : Expr
    """
    return apply(b.TE_NEARBYINT, x)


def fabs(x: Operand) -> Expr:  # pylint: disable=redefined-builtin
    """Absolute value.

    Parameters
    ----------
    x : float or Expr

    Returns
    -------
    value : Expr
    """
    return apply(b.TE_FABS, x)


def fmod(x: Operand, y: Operand) -> Expr:  # pylint: disable=redefined-builtin
    """Remainder of x / y rounded towards zero.

    Parameters
    ----------
    x, y : float or Expr

    Returns
    -------
    value : Expr
    """
    return apply(b.TE_FMOD, x, y)


def exp2(x: Operand) -> Expr:  # pylint: disable=redefined-builtin
    """2 to the power of x.

    Parameters
    ----------
    x : float or Expr

    Returns
    -------
    value : Expr
    """
    return apply(b.TE_EXP2, x)


def log2(x: Operand) -> Expr:  # pylint: disable=redefined-builtin
    """Logarithm to base 2.

    Parameters
    ----------
    x : float or Expr

    Returns
    -------
    value : Expr
    """
    return apply(b.TE_LOG2, x)


def log10(x: Operand) -> Expr:  # pylint: disable=redefined-builtin
    """Logarithm to base 10.

    Parameters
    ----------
    x : float or Expr

    Returns
    -------
    value : Expr
    """
    return apply(b.TE_LOG10, x)


def log1p(x: Operand) -> Expr:  # pylint: disable=redefined-builtin
    """Natural logarithm of 1 + x.

    Parameters
    ----------
    x : float or Expr

    Returns
    -------
    value : Expr
    """
    return apply(b.TE_LOG1P, x)


def sin(x: Operand) -> Expr:  # pylint: disable=redefined-builtin
    """Sine.

    Parameters
    ----------
    x : float or Expr

    Returns
    -------
    value : Expr
    """
    return apply(b.TE_SIN, x)


def cos(x: Operand) -> Expr:  # pylint: disable=redefined-builtin
    """Cosine.

    Parameters
    ----------
    x : float or Expr

    Returns
    -------
    value : Expr
    """
    return apply(b.TE_COS, x)


def tan(x: Operand) -> Expr:  # pylint: disable=redefined-builtin
    """Tangent.

    Parameters
    ----------
    x : float or Expr

    Returns
    -------
    value : Expr
    """
    return apply(b.TE_TAN, x)


def sinh(x: Operand) -> Expr:  # pylint: disable=redefined-builtin
    """Hyperbolic sine.

    Parameters
    ----------
    x : float or Expr

    Returns
    -------
    value : Expr
    """
    return apply(b.TE_SINH, x)


def cosh(x: Operand) -> Expr:  # pylint: disable=redefined-builtin
    """Hyperbolic cosine.

    Parameters
    ----------
    x : float or Expr

    Returns
    -------
    value : Expr
    """
    return apply(b.TE_COSH, x)


def asin(x: Operand) -> Expr:  # pylint: disable=redefined-builtin
    """Arc sine.

    Parameters
    ----------
    x : float or Expr

    Returns
    -------
    value : Expr
    """
    return apply(b.TE_ASIN, x)


def acos(x: Operand) -> Expr:  # pylint: disable=redefined-builtin
    """Arc cosine.

    Parameters
    ----------
    x : float or Expr

    Returns
    -------
    value : Expr
    """
    return apply(b.TE_ACOS, x)


def atan(x: Operand) -> Expr:  # pylint: disable=redefined-builtin
    """Arc tangent.

    Parameters
    ----------
    x : float or Expr

    Returns
    -------
    value : Expr
    """
    return apply(b.TE_ATAN, x)


def asinh(x: Operand) -> Expr:  # pylint: disable=redefined-builtin
    """Inverse hyperbolic sine.

    Parameters
    ----------
    x : float or Expr

    Returns
    -------
    value : Expr
    """
    return apply(b.TE_ASINH, x)


def acosh(x: Operand) -> Expr:  # pylint: disable=redefined-builtin
    """Inverse hyperbolic cosine.

    Parameters
    ----------
    x : float or Expr

    Returns
    -------
    value : Expr
    """
    return apply(b.TE_ACOSH, x)


def atanh(x: Operand) -> Expr:  # pylint: disable=redefined-builtin
    """Inverse hyperbolic tangent.

    Parameters
    ----------
    x : float or Expr

    Returns
    -------
    value : Expr
    """
    return apply(b.TE_ATANH, x)


def atan2(x: Operand, y: Operand) -> Expr:  # pylint: disable=redefined-builtin
    """Arc tangent of x / y, in all four quadrants.

    Parameters
    ----------
    x, y : float or Expr

    Returns
    -------
    value : Expr
    """
    return apply(b.TE_ATAN2, x, y)


def hypot(x: Operand, y: Operand) -> Expr:  # pylint: disable=redefined-builtin
    """Square root of x * x + y * y.

    Parameters
    ----------
    x, y : float or Expr

    Returns
    -------
    value : Expr
    """
    return apply(b.TE_HYPOT, x, y)


def copysign(x: Operand, y: Operand) -> Expr:  # pylint: disable=redefined-builtin
    """The size of x with the sign of y.

    Parameters
    ----------
    x, y : float or Expr

    Returns
    -------
    value : Expr
    """
    return apply(b.TE_COPYSIGN, x, y)


def erf(x: Operand) -> Expr:  # pylint: disable=redefined-builtin
    """Error function.

    Parameters
    ----------
    x : float or Expr

    Returns
    -------
    value : Expr
    """
    return apply(b.TE_ERF, x)

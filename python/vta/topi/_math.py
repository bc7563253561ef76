"""Mathematical functions, element by element.

Made by scripts/gen_python_bindings from include/vta/math.def; do not edit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..te import _math
from ._elementwise import elementwise

if TYPE_CHECKING:
    from ..expr import Expr
    from ..te import Tensor

__all__ = [
    "exp", "log", "sqrt", "tanh", "floor", "ceil", "round", "trunc", "nearbyint", "fabs", "exp2",
    "log2", "log10", "log1p", "sin", "cos", "tan", "sinh", "cosh", "asin", "acos", "atan", "asinh",
    "acosh", "atanh", "erf",
]


def exp(x: Tensor | Expr) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """e to the power of x, element by element.

    Parameters
    ----------
    x : Tensor or Expr

    Returns
    -------
    result : Tensor or Expr
    """
    return elementwise(_math.exp, x)


def log(x: Tensor | Expr) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Natural logarithm, element by element.

    Parameters
    ----------
    x : Tensor or Expr

    Returns
    -------
    result : Tensor or Expr
    """
    return elementwise(_math.log, x)


def sqrt(x: Tensor | Expr) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Square root, element by element.

    Parameters
    ----------
    x : Tensor or Expr

    Returns
    -------
    result : Tensor or Expr
    """
    return elementwise(_math.sqrt, x)


def tanh(x: Tensor | Expr) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Hyperbolic tangent, element by element.

    Parameters
    ----------
    x : Tensor or Expr

    Returns
    -------
    result : Tensor or Expr
    """
    return elementwise(_math.tanh, x)


def floor(x: Tensor | Expr) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Rounded down, element by element.

    Parameters
    ----------
    x : Tensor or Expr

    Returns
    -------
    result : Tensor or Expr
    """
    return elementwise(_math.floor, x)


def ceil(x: Tensor | Expr) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Rounded up, element by element.

    Parameters
    ----------
    x : Tensor or Expr

    Returns
    -------
    result : Tensor or Expr
    """
    return elementwise(_math.ceil, x)


def round(x: Tensor | Expr) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Rounded to the nearest, element by element.

    Parameters
    ----------
    x : Tensor or Expr

    Returns
    -------
    result : Tensor or Expr
    """
    return elementwise(_math.round, x)


def trunc(x: Tensor | Expr) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Rounded towards zero, element by element.

    Parameters
    ----------
    x : Tensor or Expr

    Returns
    -------
    result : Tensor or Expr
    """
    return elementwise(_math.trunc, x)


def nearbyint(x: Tensor | Expr) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Rounded to the nearest, halves to even, element by element.

    Parameters
    ----------
    x : Tensor or Expr

    Returns
    -------
    result : Tensor or Expr
    """
    return elementwise(_math.nearbyint, x)


def fabs(x: Tensor | Expr) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Absolute value, element by element.

    Parameters
    ----------
    x : Tensor or Expr

    Returns
    -------
    result : Tensor or Expr
    """
    return elementwise(_math.fabs, x)


def exp2(x: Tensor | Expr) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """2 to the power of x, element by element.

    Parameters
    ----------
    x : Tensor or Expr

    Returns
    -------
    result : Tensor or Expr
    """
    return elementwise(_math.exp2, x)


def log2(x: Tensor | Expr) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Logarithm to base 2, element by element.

    Parameters
    ----------
    x : Tensor or Expr

    Returns
    -------
    result : Tensor or Expr
    """
    return elementwise(_math.log2, x)


def log10(x: Tensor | Expr) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Logarithm to base 10, element by element.

    Parameters
    ----------
    x : Tensor or Expr

    Returns
    -------
    result : Tensor or Expr
    """
    return elementwise(_math.log10, x)


def log1p(x: Tensor | Expr) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Natural logarithm of 1 + x, element by element.

    Parameters
    ----------
    x : Tensor or Expr

    Returns
    -------
    result : Tensor or Expr
    """
    return elementwise(_math.log1p, x)


def sin(x: Tensor | Expr) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Sine, element by element.

    Parameters
    ----------
    x : Tensor or Expr

    Returns
    -------
    result : Tensor or Expr
    """
    return elementwise(_math.sin, x)


def cos(x: Tensor | Expr) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Cosine, element by element.

    Parameters
    ----------
    x : Tensor or Expr

    Returns
    -------
    result : Tensor or Expr
    """
    return elementwise(_math.cos, x)


def tan(x: Tensor | Expr) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Tangent, element by element.

    Parameters
    ----------
    x : Tensor or Expr

    Returns
    -------
    result : Tensor or Expr
    """
    return elementwise(_math.tan, x)


def sinh(x: Tensor | Expr) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Hyperbolic sine, element by element.

    Parameters
    ----------
    x : Tensor or Expr

    Returns
    -------
    result : Tensor or Expr
    """
    return elementwise(_math.sinh, x)


def cosh(x: Tensor | Expr) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Hyperbolic cosine, element by element.

    Parameters
    ----------
    x : Tensor or Expr

    Returns
    -------
    result : Tensor or Expr
    """
    return elementwise(_math.cosh, x)


def asin(x: Tensor | Expr) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Arc sine, element by element.

    Parameters
    ----------
    x : Tensor or Expr

    Returns
    -------
    result : Tensor or Expr
    """
    return elementwise(_math.asin, x)


def acos(x: Tensor | Expr) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Arc cosine, element by element.

    Parameters
    ----------
    x : Tensor or Expr

    Returns
    -------
    result : Tensor or Expr
    """
    return elementwise(_math.acos, x)


def atan(x: Tensor | Expr) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Arc tangent, element by element.

    Parameters
    ----------
    x : Tensor or Expr

    Returns
    -------
    result : Tensor or Expr
    """
    return elementwise(_math.atan, x)


def asinh(x: Tensor | Expr) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Inverse hyperbolic sine, element by element.

    Parameters
    ----------
    x : Tensor or Expr

    Returns
    -------
    result : Tensor or Expr
    """
    return elementwise(_math.asinh, x)


def acosh(x: Tensor | Expr) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Inverse hyperbolic cosine, element by element.

    Parameters
    ----------
    x : Tensor or Expr

    Returns
    -------
    result : Tensor or Expr
    """
    return elementwise(_math.acosh, x)


def atanh(x: Tensor | Expr) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Inverse hyperbolic tangent, element by element.

    Parameters
    ----------
    x : Tensor or Expr

    Returns
    -------
    result : Tensor or Expr
    """
    return elementwise(_math.atanh, x)


def erf(x: Tensor | Expr) -> Tensor | Expr:  # pylint: disable=redefined-builtin
    """Error function, element by element.

    Parameters
    ----------
    x : Tensor or Expr

    Returns
    -------
    result : Tensor or Expr
    """
    return elementwise(_math.erf, x)

"""Comparisons for tests, and decorators; see :mod:`vta.testing.conditions`."""

from __future__ import annotations

from typing import Any

import numpy as np
from vta_tvm.testing.conditions import *  # noqa: F401,F403
from vta_tvm.testing import conditions as _conditions
from vta_tvm.testing.gradients import check_numerical_grads
from vta.expr import convert, equal, simplify
from . import utils
from .._refuse import refuse

__all__ = ["assert_allclose", "assert_prim_expr_equal", "check_numerical_grads", "utils", *_conditions.__all__]


def assert_allclose(actual: Any, desired: Any, rtol: float = 1e-07, atol: float = 1e-07, verbose: bool = True) -> None:
    """Raises AssertionError where two arrays differ by more than ``atol + rtol * |desired|``, or in shape.

    Parameters
    ----------
    actual, desired : array
    rtol, atol : float, optional
    verbose : bool, optional
        Show the values.
    """
    actual, desired = np.asanyarray(actual), np.asanyarray(desired)
    np.testing.assert_equal(actual.shape, desired.shape)
    np.testing.assert_allclose(actual, desired, rtol=rtol, atol=atol, verbose=verbose)


def assert_prim_expr_equal(lhs: Any, rhs: Any) -> None:
    """Raises AssertionError unless two expressions have the same value for all values of their variables, as far as
    simplification can tell."""
    if not (equal(lhs, rhs) or equal(simplify(convert(lhs) - rhs), 0)):
        raise AssertionError(f"{lhs} and {rhs} are not equal")


__getattr__ = refuse("tvm.testing")

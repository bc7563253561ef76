"""Gradients against differences of the function's values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from typing import Any, Callable, Sequence

__all__ = ["check_numerical_grads"]


def _slopes(function, values, array, place, step, middle):
    """What the function's value changes by at one number: on both sides together, and on each side."""
    keep = array.flat[place]
    array.flat[place] = keep + step
    up, above = float(array.flat[place] - keep), function(*values)
    array.flat[place] = keep - step
    down, below = float(keep - array.flat[place]), function(*values)
    array.flat[place] = keep
    return (above - below) / (up + down), (above - middle) / up, (middle - below) / down


def _numerical(function, values, array, grad, step, atol, rtol, middle):
    """The slope at every number. Where it is not near what is expected a wider step is tried, whose rounding error is
    smaller, and each side by itself, as for a corner; the nearest counts."""
    found = np.zeros(grad.shape, "float64")
    for place in range(grad.size):
        want = float(grad.flat[place])
        for distance in (step, 10 * step):
            slopes = _slopes(function, values, array, place, distance, middle)
            best = min(slopes, key=lambda slope: abs(slope - want))
            if distance == step or abs(best - want) < abs(found.flat[place] - want):
                found.flat[place] = best
            if abs(found.flat[place] - want) <= atol + rtol * abs(found.flat[place]):
                break
    return found


def check_numerical_grads(function: Callable[..., Any], input_values: Sequence[np.ndarray] | dict[str, np.ndarray],
                          grad_values: Sequence[np.ndarray] | dict[str, np.ndarray], function_value: Any = None,
                          delta: float = 1e-3, atol: float = 1e-2, rtol: float = 0.1) -> None:
    """Raises AssertionError where gradients are not what differences of a function's values say.

    Parameters
    ----------
    function : callable
        Takes arrays, gives one number.
    input_values : list or dict of numpy.ndarray
        Where it is differentiated; of a dictionary the names are those of the function's parameters.
    grad_values : list or dict of numpy.ndarray
        The gradients by the inputs, or by the first of them.
    function_value : float, optional
        The function's value there, where it is known.
    delta : float, optional
        How far the inputs are changed.
    atol, rtol : float, optional
        An input's gradient as a whole may be off by ``atol * sqrt(size) + rtol * (its length)``.
    """
    named: dict = dict(input_values) if isinstance(input_values, dict) else {n: value for n, value in enumerate(input_values)}  # noqa: C416
    names = list(named)
    arrays = {name: np.array(value) for name, value in named.items()}
    values = list(arrays.values())
    if isinstance(input_values, dict):
        inner = function
        function = lambda *given: inner(**dict(zip(names, given)))  # noqa: E731
    grads = grad_values if isinstance(grad_values, dict) else dict(zip(names, grad_values))
    middle = function(*values) if function_value is None else function_value
    for name, given in grads.items():
        grad, array = np.asarray(given), arrays[name]
        if grad.shape != array.shape:
            raise AssertionError(f"the gradient by input {name} has the shape {grad.shape}, the input {array.shape}")
        found = _numerical(function, values, array, grad, delta, atol, rtol, middle)
        distance, length = float(np.linalg.norm(found - grad)), float(np.linalg.norm(found))
        if not np.isfinite(distance):
            raise ValueError(f"the gradient by input {name}, or the slopes of the function there, are not finite")
        if distance > atol * grad.size ** 0.5 + rtol * length:
            raise AssertionError(f"the gradient by input {name} is off by {distance:g}, at a length of {length:g}; "
                                 f"the slopes are\n{found}\nand the gradient is\n{grad}")

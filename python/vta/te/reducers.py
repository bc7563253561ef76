"""Reductions whose combination is given as a function."""

from __future__ import annotations

import ctypes
import inspect
from typing import TYPE_CHECKING

from .. import _context
from .._check import items, kind_error, name_of
from .._context import array_of
from .._lib import lib
from ..expr import Expr, _operands, const, convert
from .tensor import IterVar, Tensor

if TYPE_CHECKING:
    from typing import Any, Callable


def comm_reducer(fcombine: Callable, fidentity: Callable, name: str = "reduce") -> Callable[..., Any]:
    """A reduction from how two values become one.

    Parameters
    ----------
    fcombine : callable
        From two values to one; of several results from two tuples to a tuple. In which order and how grouped values are
        combined must not matter: schedules change it.
    fidentity : callable
        From the type of each result to the value (or tuple of values) that changes nothing.
    name : str, optional

    Returns
    -------
    reducer : callable
        ``reducer(value, axis=k, where=condition, init=start)``, to be the body of a computation; `value` and `init` are
        tuples for several results. Without an axis it combines its arguments.

    Examples
    --------
    >>> product = te.comm_reducer(lambda x, y: x * y, lambda t: te.const(1, t), name="product")
    >>> k = te.reduce_axis((0, 16), "k")
    >>> C = te.compute((8,), lambda i: product(A[i, k], axis=k))
    """
    for function, what in ((fcombine, "how a reducer combines"), (fidentity, "the identity of a reducer")):
        if not callable(function) or isinstance(function, Tensor):
            raise kind_error(function, what, "a function")
    name_of(name, "the name of a reducer")

    def reducer(expr: Any, axis: Any = None, where: Any = None, init: Any = None, *more: Any) -> Any:
        if isinstance(axis, (IterVar, list, tuple)) and not (isinstance(axis, tuple) and not _all_axes(axis)):
            if more:
                raise TypeError(f"{name} over axes takes one value, a condition and a start")
            return _over_axes(fcombine, fidentity, expr, items(axis), where, init)
        result = expr
        for value in (axis, where, init, *more):
            if value is not None:
                result = fcombine(result, value)
        return result

    reducer.__name__ = reducer.__qualname__ = name
    reducer.__doc__ = fcombine.__doc__ or f"The reduction {name}."
    return reducer


def _all_axes(values):
    return all([isinstance(v, IterVar) for v in values])


def _operand_names(fcombine):
    """Names of the two sides: the function's parameters."""
    try:
        names = list(inspect.signature(fcombine).parameters)
    except (TypeError, ValueError):
        names = []
    return names if len(names) == 2 and names[0] != names[1] else ["x", "y"]


def _parts(value, count, what):
    """The values of a tuple (one value where there is one result)."""
    parts = list(value) if isinstance(value, (tuple, list)) else [value]
    if len(parts) != count:
        raise ValueError(f"{what} has {len(parts)} values, but {count} values are reduced")
    return parts


def _over_axes(fcombine, fidentity, expr, axes, where, init):
    several = isinstance(expr, (tuple, list))
    values = [convert(v) for v in (expr if several else (expr,))]
    count = len(values)
    context, handles = _operands(tuple(values))
    axis_handles = context.handles_of(axes, IterVar, "an axis of a reduction")
    sides = []
    for side in _operand_names(fcombine):
        names = [f"{side}_{i}" if several else side for i in range(count)]
        sides.append([Expr(context, context.made(lib.te_operand(context.handle, name_of(n, "an operand"), v.dtype.encode())))
                      for n, v in zip(names, values)])
    x, y = [s if several else s[0] for s in sides]
    results = _parts(fcombine(x, y), count, "what a reducer gives")
    identities = _parts(fidentity(*[v.dtype for v in values]), count, "the identity of a reducer")
    parts = [_handles(context, p, v) for p, v in ((results, values), (identities, values))]
    made = context.made(lib.te_reducer_create(context.handle, count, *[array_of([e.handle for e in s]) for s in sides],
                                              *[array_of(p) for p in parts]))
    starts = None if init is None else array_of(_handles(context, _parts(init, count, "the start of a reduction"), values))
    condition = None if where is None else context.handle_of(convert(where), Expr, "the condition of a reduction")
    out = (ctypes.c_void_p * count)()
    context.done(lib.te_reduce_with(context.handle, made, array_of(handles), starts, condition, len(axes), axis_handles, out))
    reduced = tuple(Expr(context, handle) for handle in out)
    return reduced if several else reduced[0]


def _handles(context, parts, values):
    """Handles of expressions of the values' types; numbers become constants of these."""
    made = [const(p, v.dtype) if isinstance(p, (int, float)) else convert(p) for p, v in zip(parts, values)]
    return [context.handle_of(e, Expr, "a part of a reducer") for e in made]

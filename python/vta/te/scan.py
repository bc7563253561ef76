"""Tensors whose rows follow from the rows before."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from .. import _context
from .._check import items, name_of
from .._lib import lib
from .tensor import Tensor

if TYPE_CHECKING:
    from typing import Any, Sequence


def scan(init: Tensor | Sequence[Tensor], update: Tensor | Sequence[Tensor], state_placeholder: Tensor | Sequence[Tensor],
         inputs: Sequence[Tensor] | None = None, name: str = "scan", tag: str = "", attrs: dict | None = None) -> Any:
    """A tensor whose rows (its first dimension) follow from the rows before; several that are computed together.

    Parameters
    ----------
    init : Tensor or list of Tensor
        The first rows: of the shape of the result but for its first dimension.
    update : Tensor or list of Tensor
        The rows after them; it reads the state at earlier rows, ``state[t - 1, i]``.
    state_placeholder : Tensor or list of Tensor
        Stands for the result inside of `update`, a placeholder of its shape.
    inputs : list of Tensor, optional
        Accepted, without effect: what else is read is seen in the computations.
    name, tag : str, optional
    attrs : dict, optional
        Accepted, without effect.

    Returns
    -------
    result : Tensor, or list of Tensor
        A list where there are several. A schedule computes what depends on the state inside of the loop over the rows,
        ``result.op.scan_axis``; its stages are scheduled like others.

    Examples
    --------
    >>> state = te.placeholder((m, n))
    >>> first = te.compute((1, n), lambda _, i: X[0, i])
    >>> rows = te.compute((m, n), lambda t, i: state[t - 1, i] + X[t, i])
    >>> sums = te.scan(first, rows, state)
    """
    lists = [items(init), items(update), items(state_placeholder)]
    if len({len(entry) for entry in lists}) != 1:
        raise ValueError(f"a scan of {len(lists[2])} states takes as many of init and update, "
                         f"not {len(lists[0])} and {len(lists[1])}")
    context = lists[2][0].context.newest() if lists[2] and isinstance(lists[2][0], Tensor) else _context.current()
    context.here()
    what = ("what a scan starts with", "what a scan goes on with", "a state of a scan")
    handles = [context.handles_of(entry, Tensor, w) for entry, w in zip(lists, what)]
    count = len(lists[0])
    out = (ctypes.c_void_p * max(1, count))()
    context.done(lib.te_scan(context.handle, name_of(name, "a scan's name"), name_of(tag, "a tag"), count, *handles, out))
    results = [Tensor(context, out[i] or 0) for i in range(count)]
    return results if len(results) > 1 else results[0]

"""Operators that join, repeat and pick elements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vta import _bindings as b
from vta import te
from vta._check import items, need, whole
from vta.expr import apply, convert
from vta.te import Tensor
from vta.topi import tag
from .utils import get_const_tuple

if TYPE_CHECKING:
    from typing import Sequence

    from vta.expr import Expr

__all__ = ["add_n", "arange", "broadcast_to", "concatenate", "elemwise_sum", "flip", "repeat", "split", "stack", "strided_slice", "take",
           "tile", "where"]


def _at(axis, ndim, what):
    """A dimension, counted from the front."""
    at = whole(axis, f"the axis of {what}")
    at += ndim if at < 0 else 0
    if not 0 <= at < ndim:
        raise ValueError(f"{what}: axis {axis} of {ndim} dimensions")
    return at


def _several(tensors, what):
    """Tensors of one number of dimensions."""
    given = [need(t, Tensor, f"an operand of {what}") for t in items(tensors)]
    if not given or any(t.ndim != given[0].ndim for t in given):
        raise ValueError(f"{what} takes one or more tensors of the same number of dimensions")
    return given


def _put(index, at, value):
    """Indices with another one at a dimension."""
    return [*index[:at], value, *index[at + 1:]]


def elemwise_sum(xs: Sequence[Tensor]) -> Tensor:
    """The sum of tensors of one shape, element by element.

    Parameters
    ----------
    xs : list of Tensor
    """
    given = _several(xs, "elemwise_sum")

    def element(*i):
        total = given[0](*i)
        for t in given[1:]:
            total = total + t(*i)
        return total

    return te.compute(given[0].shape, element, "T_elemwise_sum", tag=tag.ELEMWISE)


add_n = elemwise_sum


def broadcast_to(data: Tensor, shape: Sequence[int | Expr]) -> Tensor:
    """The elements repeated along dimensions of one element, and along new ones in front.

    Parameters
    ----------
    data : Tensor
    shape : tuple of int
    """
    extents = list(items(shape))
    own, more = need(data, Tensor, "what is broadcast").shape, len(extents) - data.ndim
    if more < 0 or any(isinstance(o, int) and o not in (1, e) and isinstance(e, int) for o, e in zip(own, extents[max(more, 0):])):
        raise ValueError(f"shape {own} does not broadcast to {extents}")
    return te.compute(extents, lambda *i: data(*[0 if isinstance(o, int) and o == 1 else at for o, at in zip(own, i[more:])]),
                      "T_broadcast_to", tag=tag.BROADCAST)


def concatenate(a_tuple: Sequence[Tensor], axis: int = 0) -> Tensor:
    """Tensors one behind another along a dimension.

    Parameters
    ----------
    a_tuple : list of Tensor
    axis : int, optional
    """
    given = _several(a_tuple, "concatenate")
    at = _at(axis, given[0].ndim, "concatenate")
    sizes = [t.shape[at] for t in given]
    shape = _put(given[0].shape, at, sum(sizes[1:], sizes[0]))

    def element(*i):
        begin, value = sizes[0], given[0](*_put(i, at, te.min(i[at], sizes[0] - 1)))
        for t, size in zip(given[1:], sizes[1:]):
            value = te.if_then_else(i[at] >= begin, t(*_put(i, at, te.max(te.min(i[at] - begin, size - 1), 0))), value)
            begin = begin + size
        return value

    return te.compute(shape, element, "T_concat", tag=tag.INJECTIVE)


def stack(a: Sequence[Tensor], axis: int = 0) -> Tensor:
    """Tensors of one shape along a new dimension.

    Parameters
    ----------
    a : list of Tensor
    axis : int, optional
    """
    given = _several(a, "stack")
    at = _at(axis, given[0].ndim + 1, "stack")
    shape = [*given[0].shape[:at], len(given), *given[0].shape[at:]]

    def element(*i):
        rest = [*i[:at], *i[at + 1:]]
        value = given[-1](*rest)
        for place in reversed(range(len(given) - 1)):
            value = te.if_then_else(i[at].equal(place), given[place](*rest), value)
        return value

    return te.compute(shape, element, "T_stack", tag=tag.INJECTIVE)


def split(ary: Tensor, indices_or_sections: int | Sequence[int], axis: int = 0) -> list[Tensor]:
    """A tensor in parts along a dimension.

    Parameters
    ----------
    ary : Tensor
        Of constant extents.
    indices_or_sections : int or list of int
        The number of equal parts, or where parts begin but for the first.
    axis : int, optional
    """
    at = _at(axis, need(ary, Tensor, "what is split").ndim, "split")
    extents = [whole(e, "an extent") for e in ary.shape]
    size = extents[at]
    if isinstance(indices_or_sections, int):
        if indices_or_sections < 1 or size % indices_or_sections:
            raise ValueError(f"split: {size} elements are not {indices_or_sections} equal parts")
        step = size // indices_or_sections
        begins = list(range(0, size, step))
    else:
        begins = [0, *[whole(i, "where a part begins") for i in items(indices_or_sections)]]
    ends = [*begins[1:], size]
    return [strided_slice(ary, [0] * at + [first], [*extents[:at], last]) for first, last in zip(begins, ends)]


def where(condition: Tensor, x: Tensor, y: Tensor) -> Tensor:
    """The elements of `x` where the condition is not 0, else those of `y`; all of one shape.

    Parameters
    ----------
    condition, x, y : Tensor
    """
    given = _several((condition, x, y), "where")

    def element(*i):
        holds = given[0](*i)
        return te.if_then_else(holds if holds.dtype == "bool" else apply(b.TE_NE, holds, 0), x(*i), y(*i))

    return te.compute(x.shape, element, "T_where", tag=tag.BROADCAST)


def take(a: Tensor, indices: Tensor, axis: int | None = None, batch_dims: int = 0, mode: str = "clip") -> Tensor:
    """Elements, or parts along a dimension, at given places.

    Parameters
    ----------
    a : Tensor
    indices : Tensor
        Of integers; those outside become the first or the last.
    axis : int, optional
        None: `a` is taken as one row.
    batch_dims : int, optional
        Only 0.
    mode : str, optional
        Only ``"clip"``.
    """
    from .transform import reshape

    if whole(batch_dims, "batch_dims of take") or mode != "clip":
        raise NotImplementedError("take is offered with batch_dims=0 and mode=\"clip\"")
    given = reshape(need(a, Tensor, "what is taken from"), (-1,)) if axis is None else need(a, Tensor, "what is taken from")
    at, count = _at(0 if axis is None else axis, given.ndim, "take"), need(indices, Tensor, "the places of take").ndim
    shape = [*given.shape[:at], *indices.shape, *given.shape[at + 1:]]

    def element(*i):
        place = te.max(te.min(indices(*i[at:at + count]).astype("int32"), convert(given.shape[at]) - 1), 0)
        return given(*i[:at], place, *i[at + count:])

    return te.compute(shape, element, "T_take", tag=tag.INJECTIVE)


def strided_slice(a: Tensor, begin: Sequence[int], end: Sequence[int], strides: Sequence[int] | None = None,
                  axes: Sequence[int] | None = None) -> Tensor:
    """Some of the elements along each dimension, as numpy's slices: dimensions that are not named are whole.

    Parameters
    ----------
    a : Tensor
        Of constant extents.
    begin, end : list of int
        Negative ones count from the end.
    strides : list of int, optional
        Steps; 1 where none is given. Negative ones go backwards.
    axes : list of int, optional
        The dimensions that the others are about, in their order; the first ones where none are given.
    """
    shape = get_const_tuple(need(a, Tensor, "what is cut").shape)
    begin, end, steps = items(begin), items(end), items([] if strides is None else strides)
    at = list(range(len(shape))) if axes is None else [_at(d, len(shape), "strided_slice") for d in items(axes)]
    if axes is not None and (len(set(at)) != len(at) or len(at) != len(begin) or len(at) != len(end)):
        raise ValueError(f"strided_slice: axes {items(axes)} with begin {begin} and end {end}: as many as axes, each once")
    place = {d: k for k, d in enumerate(at)}
    rows = []
    for d, extent in enumerate(shape):
        k = place.get(d, len(shape))
        step = whole(steps[k], "a stride") if k < len(steps) else 1
        first, last = (whole(v[k], "an end of a slice") if k < len(v) else None for v in (begin, end))
        rows.append(range(*slice(first, last, step).indices(extent)))
    if any(not r for r in rows):
        raise ValueError(f"strided_slice: nothing is left of {shape}")
    return te.compute([len(r) for r in rows], lambda *i: a(*[x * r.step + r.start for x, r in zip(i, rows)]), "T_strided_slice",
                      tag=tag.INJECTIVE)


def flip(a: Tensor, axis: int = 0) -> Tensor:
    """The elements in reverse along a dimension.

    Parameters
    ----------
    a : Tensor
    axis : int, optional
    """
    at = _at(axis, need(a, Tensor, "what is flipped").ndim, "flip")
    return te.compute(a.shape, lambda *i: a(*_put(i, at, a.shape[at] - 1 - i[at])), "T_flip", tag=tag.INJECTIVE)


def repeat(a: Tensor, repeats: int, axis: int = 0) -> Tensor:
    """Each element several times along a dimension.

    Parameters
    ----------
    a : Tensor
    repeats : int
    axis : int, optional
    """
    at, times = _at(axis, need(a, Tensor, "what is repeated").ndim, "repeat"), whole(repeats, "repeats")
    return te.compute(_put(a.shape, at, a.shape[at] * times), lambda *i: a(*_put(i, at, te.floordiv(i[at], times))), "T_repeat",
                      tag=tag.INJECTIVE)


def tile(a: Tensor, reps: Sequence[int]) -> Tensor:
    """The whole tensor several times along each dimension.

    Parameters
    ----------
    a : Tensor
    reps : list of int
        One for each of the last dimensions, or more: then there are new ones in front.
    """
    times = [whole(r, "a repetition") for r in items(reps)]
    own = need(a, Tensor, "what is tiled").shape
    more = max(len(times) - len(own), 0)
    times = [1] * (len(own) - len(times)) + times
    shape = [t if d < more else own[d - more] * t for d, t in enumerate(times)]
    return te.compute(shape, lambda *i: a(*[te.floormod(x, e) for x, e in zip(i[more:], own)]), "T_tile", tag=tag.INJECTIVE)


def arange(start: int | float, stop: int | float | None = None, step: int | float = 1, dtype: str = "float32") -> Tensor:
    """Numbers one step after another.

    Parameters
    ----------
    start : number
        Without `stop`: the end, and 0 the start.
    stop, step : number, optional
    dtype : str, optional
    """
    first, last = (0, start) if stop is None else (start, stop)
    count = max(0, int(-((first - last) // step)))
    return te.compute((count,), lambda i: te.const(first, dtype) + i.astype(dtype) * te.const(step, dtype), "T_arange", tag=tag.INJECTIVE)

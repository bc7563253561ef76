"""Operators that move elements, or combine them along axes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vta import _bindings as b
from vta import te
from vta._check import items, need, whole
from vta.expr import apply
from vta.te import Tensor
from vta.topi import tag
from .utils import get_const_tuple

if TYPE_CHECKING:
    from typing import Sequence

    from vta.expr import Expr

__all__ = ["sum", "max", "min", "full", "full_like", "transpose", "reshape", "expand_dims", "squeeze", "matmul", "prod", "all", "any", "argmax",
           "argmin"]


def _axes(axis, ndim):
    """Dimensions, counted from the front."""
    chosen = range(ndim) if axis is None else [whole(a, "an axis") for a in items(axis)]
    out = sorted({a + ndim if a < 0 else a for a in chosen})
    if out and not 0 <= out[0] <= out[-1] < ndim:
        raise ValueError(f"axis {axis}: the tensor has {ndim} dimensions")
    return out


def _reduction(name, function, meaning):
    def operator(data: Tensor, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
        need(data, Tensor, f"the operand of {name}")
        need(keepdims, bool, f"keepdims of {name}")
        reduced = _axes(axis, data.ndim)
        extents = data.shape
        over = [te.reduce_axis((0, extents[d]), f"k{d}") for d in reduced]
        shape = [1 if d in reduced else e for d, e in enumerate(extents) if keepdims or d not in reduced]

        def element(*at):
            kept = iter(at)
            index = []
            for d in range(len(extents)):
                if d in reduced:
                    index.append(over[reduced.index(d)])
                    if keepdims:
                        next(kept)
                else:
                    index.append(next(kept))
            return function(data(*index), axis=over)

        return te.compute(shape, element, f"{data.name}_{name}", tag=tag.COMM_REDUCE,
                          varargs_names=[f"ax{i}" for i in range(len(shape))])

    operator.__name__ = operator.__qualname__ = name
    operator.__doc__ = f"""{meaning}

    Parameters
    ----------
    data : Tensor
    axis : int or list of int, optional
        Dimensions that are reduced; None: all.
    keepdims : bool, optional
        They stay, with one element.

    Returns
    -------
    result : Tensor
        Of the shape () where all dimensions are reduced.
    """
    return operator


sum = _reduction("sum", te.sum, "Sum along dimensions.")  # pylint: disable=redefined-builtin
max = _reduction("max", te.max, "The largest along dimensions.")  # pylint: disable=redefined-builtin
min = _reduction("min", te.min, "The smallest along dimensions.")  # pylint: disable=redefined-builtin


prod = _reduction("prod", te.comm_reducer(lambda x, y: x * y, lambda t: te.const(1, t), "prod"), "Product along dimensions.")


def _truth(name, function, meaning):
    """A reduction of conditions: of 0 and 1."""
    reduction = _reduction(name, lambda x, axis: function(apply(b.TE_NE, x, 0).astype("int8"), axis=axis), meaning)

    def operator(data: Tensor, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
        found = reduction(data, axis, keepdims)
        return te.compute(found.shape, lambda *i: apply(b.TE_NE, found(*i), 0), f"T_{name}", tag=tag.ELEMWISE)

    operator.__name__ = operator.__qualname__ = name
    operator.__doc__ = (reduction.__doc__ or "").replace("result : Tensor\n        Of one", "result : Tensor\n        Of bool, of one")
    return operator


all = _truth("all", te.min, "Whether all along dimensions are other than 0.")  # pylint: disable=redefined-builtin
any = _truth("any", te.max, "Whether one along dimensions is other than 0.")  # pylint: disable=redefined-builtin


def _arg(name, better, least, meaning):
    """The place of the best element; the first of several."""

    def choose(x, y):
        first = te.any(better(x[1], y[1]), te.all(x[1].equal(y[1]), x[0] < y[0]))
        return te.select(first, x[0], y[0]), te.select(first, x[1], y[1])

    reducer = te.comm_reducer(choose, lambda place, value: (te.max_value(place), least(value)), name)

    def operator(data: Tensor, axis: int | None = None, keepdims: bool = False) -> Tensor:
        need(data, Tensor, f"the operand of {name}")
        need(keepdims, bool, f"keepdims of {name}")
        source = reshape(data, (-1,)) if axis is None else data
        (at,) = _axes(0 if axis is None else axis, source.ndim)
        k = te.reduce_axis((0, source.shape[at]), "k")
        shape = [e for d, e in enumerate(source.shape) if d != at]
        places, _ = te.compute(shape, lambda *i: reducer((k.var, source(*i[:at], k, *i[at:])), axis=k), f"{data.name}_{name}",
                               tag=tag.COMM_REDUCE, varargs_names=[f"ax{i}" for i in range(len(shape))])
        out = te.compute(places.shape, lambda *i: places(*i), f"T_{name}", tag=tag.ELEMWISE)
        if not keepdims:
            return out
        return reshape(out, [1] * data.ndim if axis is None else [1 if d == at else e for d, e in enumerate(data.shape)])

    operator.__name__ = operator.__qualname__ = name
    operator.__doc__ = f"""{meaning}

    Parameters
    ----------
    data : Tensor
    axis : int, optional
        The dimension; None: of all elements in their order.
    keepdims : bool, optional
        It stays, with one element.

    Returns
    -------
    places : Tensor
        Of int32.
    """
    return operator


argmax = _arg("argmax", lambda x, y: x > y, te.min_value, "Where the largest element is; the first of several.")
argmin = _arg("argmin", lambda x, y: x < y, te.max_value, "Where the smallest element is; the first of several.")


def full(shape: Sequence[int | Expr], dtype: str, fill_value: int | float | Expr) -> Tensor:
    """A tensor of one value.

    Parameters
    ----------
    shape : tuple of int
    dtype : str
    fill_value : number
    """
    return te.compute(shape, lambda *i: te.convert(fill_value).astype(dtype), "T_full", tag=tag.ELEMWISE)


def full_like(x: Tensor, fill_value: int | float | Expr) -> Tensor:
    """A tensor of one value, of the shape and the type of another.

    Parameters
    ----------
    x : Tensor
    fill_value : number
    """
    return full(need(x, Tensor, "the tensor that it is like").shape, x.dtype, fill_value)


def transpose(a: Tensor, axes: Sequence[int] | None = None) -> Tensor:
    """The dimensions in another order.

    Parameters
    ----------
    a : Tensor
    axes : list of int, optional
        None: the last first.
    """
    need(a, Tensor, "what is transposed")
    order = list(range(a.ndim))[::-1] if axes is None else [whole(x, "an axis") % a.ndim for x in axes]
    if sorted(order) != list(range(a.ndim)):
        raise ValueError(f"axes {axes}: each of the {a.ndim} dimensions once")
    return te.compute([a.shape[d] for d in order], lambda *i: a(*[i[order.index(d)] for d in range(a.ndim)]), "T_transpose",
                      tag=tag.INJECTIVE)


def reshape(a: Tensor, newshape: Sequence[int | Expr]) -> Tensor:
    """The elements in their order, in another shape.

    Parameters
    ----------
    a : Tensor
        Of constant extents.
    newshape : tuple of int
        One may be -1: what is left.
    """
    old, new = list(get_const_tuple(need(a, Tensor, "what is reshaped").shape)), list(get_const_tuple(newshape))
    count, known = 1, 1
    for e in old:
        count *= e
    for e in new:
        known *= e if e != -1 else 1
    if new.count(-1) == 1 and known:
        new[new.index(-1)] = count // known
        known *= count // known
    if known != count or -1 in new:
        raise ValueError(f"{tuple(old)} elements do not fill {tuple(newshape)}")

    return in_order(a, new)


def in_order(a: Tensor, newshape: Sequence[int | Expr]) -> Tensor:
    """The first elements of a tensor, in another shape.

    Parameters
    ----------
    a : Tensor
        Of constant extents.
    newshape : list of int
        Of no more elements.
    """
    old = get_const_tuple(a.shape)

    def element(*at):
        place = 0
        for i, extent in zip(at, newshape):
            place = place * extent + i
        index = []
        for extent in reversed(old):
            index.append(te.floormod(place, extent))
            place = te.floordiv(place, extent)
        return a(*reversed(index))

    return te.compute(newshape, element, "T_reshape", tag=tag.INJECTIVE, varargs_names=[f"ax{i}" for i in range(len(newshape))])


def expand_dims(a: Tensor, axis: int, num_newaxis: int = 1) -> Tensor:
    """Dimensions of one element put in front of one.

    Parameters
    ----------
    a : Tensor
    axis : int
    num_newaxis : int, optional
    """
    shape = list(need(a, Tensor, "what gets dimensions").shape)
    at = axis + len(shape) + 1 if axis < 0 else axis
    return te.compute(shape[:at] + [1] * num_newaxis + shape[at:], lambda *i: a(*i[:at], *i[at + num_newaxis:]),
                      "T_expand_dims", tag=tag.INJECTIVE)


def squeeze(a: Tensor, axis: int | Sequence[int] | None = None) -> Tensor:
    """Dimensions of one element left out.

    Parameters
    ----------
    a : Tensor
    axis : int or list of int, optional
        None: all of them.
    """
    shape = need(a, Tensor, "what loses dimensions").shape
    gone = [d for d, e in enumerate(shape) if isinstance(e, int) and e == 1] if axis is None else _axes(axis, a.ndim)
    left = [d for d in range(a.ndim) if d not in gone]
    if [d for d in gone if shape[d] != 1]:
        raise ValueError(f"squeeze: dimensions {gone} of {shape} have more than one element")
    return te.compute([shape[d] for d in left], lambda *i: a(*[i[left.index(d)] if d in left else 0 for d in range(a.ndim)]),
                      "T_squeeze", tag=tag.INJECTIVE)


def matmul(a: Tensor, b: Tensor, transp_a: bool = False, transp_b: bool = False) -> Tensor:
    """The product of two matrices.

    Parameters
    ----------
    a, b : Tensor
    transp_a, transp_b : bool, optional
        They are given transposed.
    """
    for flag in (transp_a, transp_b):
        need(flag, bool, "transp_a or transp_b of matmul")
    (first, second), (third, last) = [[*need(t, Tensor, "a factor of matmul").shape] for t in (a, b)]
    rows, depth = (second, first) if transp_a else (first, second)
    k, columns = te.reduce_axis((0, depth), "k"), third if transp_b else last
    return te.compute((rows, columns), lambda i, j: te.sum(
        (a[k, i] if transp_a else a[i, k]) * (b[j, k] if transp_b else b[k, j]), axis=k), "T_matmul", tag=tag.COMM_REDUCE)

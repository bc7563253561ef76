"""Elements found by indices or laid out anew, and sums along the way."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from vta import te
from vta._check import name_of, need, type_of, whole
from vta.error import VTAUnsupportedError
from vta.expr import convert
from vta.te import Tensor
from vta.topi import tag
from .convolution import InvalidShapeError
from .transform import reshape

if TYPE_CHECKING:
    from typing import Sequence

    from vta.expr import Expr

__all__ = ["cumprod", "cumsum", "gather", "einsum", "gather_nd", "layout_transform", "meshgrid", "one_hot", "tensordot"]


def tensordot(a: Tensor, b: Tensor, axes: int | Sequence) -> Tensor:
    """Sums of products over dimensions of both tensors.

    Parameters
    ----------
    a, b : Tensor
    axes : int or (sequence of int, sequence of int)
        How many: the last of `a` and the first of `b`; or which of both.
    """
    need(a, Tensor, "an operand of tensordot")
    need(b, Tensor, "an operand of tensordot")
    if isinstance(axes, int):
        axes = list(range(a.ndim - axes, a.ndim)), list(range(axes))
    mine, other = [[d % t.ndim for d in ([given] if isinstance(given, int) else given)] for t, given in zip((a, b), axes)]
    if len(mine) != len(other):
        raise InvalidShapeError(f"tensordot over {len(mine)} dimensions of {a.name} and {len(other)} of {b.name}")
    for x, y in zip(mine, other):
        if isinstance(a.shape[x], int) and isinstance(b.shape[y], int) and a.shape[x] != b.shape[y]:
            raise InvalidShapeError(f"tensordot: dimension {x} of {a.name} has {a.shape[x]} elements, {y} of {b.name} has {b.shape[y]}")
    left, right = [[d for d in range(t.ndim) if d not in used] for t, used in ((a, mine), (b, other))]
    over = [te.reduce_axis((0, a.shape[d]), f"k{d}") for d in mine]

    def at(t, kept, used, index):
        place: list = [None] * t.ndim
        for d, i in [*zip(kept, index), *zip(used, over)]:
            place[d] = i
        return t(*place)

    def element(*index):
        product = at(a, left, mine, index[:len(left)]) * at(b, right, other, index[len(left):])
        return te.sum(product, axis=over) if over else product

    shape = [a.shape[d] for d in left] + [b.shape[d] for d in right]
    return te.compute(shape, element, "T_tensordot", tag="matmul", varargs_names=[f"ax{i}" for i in range(len(shape))])


def _letters_of(subscripts, count):
    """The letters of each operand of einsum, and of the result."""
    left, arrow, result = subscripts.replace(" ", "").partition("->")
    names = left.split(",")
    every = "".join(names)
    if not arrow:
        result = "".join(sorted(c for c in set(every) if every.count(c) == 1))
    if not (every + result).isalpha() and every + result:
        raise NotImplementedError(f"einsum {subscripts!r}: subscripts are letters, one for each dimension; an ellipsis is not offered")
    if len(names) != count or not set(result) <= set(every) or len(set(result)) != len(result):
        raise InvalidShapeError(f"einsum {subscripts!r} of {count} operands: it takes subscripts for each, and a result of letters "
                                "that they have, each once")
    return names, result


def einsum(subscripts: str, *operand: Tensor) -> Tensor:
    """Sums of products, as numpy.einsum: dimensions with one letter run together, and those that the result does not name are
    summed over.

    Parameters
    ----------
    subscripts : str
        Such as ``"ij,jk->ik"``. Without an arrow the result has the letters that stand once, in order.
    operand : Tensor
    """
    given = [need(t, Tensor, "an operand of einsum") for t in (operand[0] if len(operand) == 1 and isinstance(operand[0], (list, tuple)) else operand)]
    names, result = _letters_of(subscripts, len(given))
    extents: dict = {}
    for letters, t in zip(names, given):
        if len(letters) != t.ndim:
            raise InvalidShapeError(f"einsum: {t.name} has {t.ndim} dimensions, its subscripts {letters!r} are {len(letters)}")
        for letter, extent in zip(letters, t.shape):
            known = extents.setdefault(letter, extent)
            if isinstance(known, int) and isinstance(extent, int) and known != extent:
                raise InvalidShapeError(f"einsum: {letter!r} has {known} elements, and {extent} in {t.name}")
    over = {c: te.reduce_axis((0, extents[c]), c) for c in extents if c not in result}

    def element(*index):
        at: dict = {**dict(zip(result, index)), **over}
        product = given[0](*[at[c] for c in names[0]])
        for letters, t in zip(names[1:], given[1:]):
            product = product * t(*[at[c] for c in letters])
        return te.sum(product, axis=list(over.values())) if over else product

    return te.compute([extents[c] for c in result], element, "T_einsum", tag="matmul", varargs_names=list(result))


def one_hot(indices: Tensor, on_value: Expr | int | float, off_value: Expr | int | float, depth: int, axis: int, dtype: str) -> Tensor:
    """A new dimension in which the place of an index has one value, the others another.

    Parameters
    ----------
    indices : Tensor
        Of integers.
    on_value, off_value : Expr or number
    depth : int
        Extent of the new dimension.
    axis : int
        Its place.
    dtype : str
    """
    rank = need(indices, Tensor, "the indices of one_hot").ndim
    place = axis % (rank + 1)
    shape = list(indices.shape)
    shape.insert(place, whole(depth, "the depth of one_hot"))
    on, off = [convert(v).astype(dtype) for v in (on_value, off_value)]

    def element(*index):
        rest = [i for d, i in enumerate(index) if d != place]
        return te.select(indices(*rest).astype("int32").equal(index[place]), on, off)

    return te.compute(shape, element, "T_one_hot", tag=tag.INJECTIVE)


def _running(name, reduce):
    def operator(data: Tensor, axis: int | None = None, dtype: str | None = None, exclusive: bool | None = None) -> Tensor:
        x = need(data, Tensor, f"the operand of {name}")
        need(exclusive, (bool, type(None)), f"exclusive of {name}")
        if axis is None:
            x, axis = reshape(x, (-1,)), 0
        at, kind = axis % x.ndim, x.dtype if dtype is None else type_of(dtype).decode()
        k = te.reduce_axis((0, x.shape[at]), "k")

        def element(*index):
            place = list(index)
            place[at] = k
            return reduce(x(*place).astype(kind), k, k < index[at] if exclusive else k <= index[at])

        return te.compute(x.shape, element, f"T_{name}", tag=tag.COMM_REDUCE)

    operator.__name__ = operator.__qualname__ = name
    operator.__doc__ = f"""{name.capitalize()} along a dimension: of each element with all before it.

    Parameters
    ----------
    data : Tensor
    axis : int, optional
        Without it: of all elements in their order.
    dtype : str, optional
    exclusive : bool, optional
        Of those before it only.
    """
    return operator


cumsum = _running("cumsum", lambda value, k, where: te.sum(value, axis=k, where=where))
cumprod = _running("cumprod", lambda value, k, where: te.comm_reducer(lambda x, y: x * y, lambda t: te.const(1, t), name="product")(
    value, axis=k, where=where))


def gather(data: Tensor, axis: int, indices: Tensor) -> Tensor:
    """For each index its element along a dimension, at its own place in the others.

    Parameters
    ----------
    data : Tensor
    axis : int
    indices : Tensor
        Of integers, with as many dimensions as the data.
    """
    at = axis % need(data, Tensor, "the data of gather").ndim
    if need(indices, Tensor, "the indices of gather").ndim != data.ndim:
        raise InvalidShapeError(f"gather: {data.name} has {data.ndim} dimensions, its indices {indices.ndim}")

    def element(*index):
        place = list(index)
        place[at] = indices(*index).astype("int32")
        return data(*place)

    return te.compute(indices.shape, element, "T_gather", tag=tag.INJECTIVE)


def gather_nd(a: Tensor, indices: Tensor) -> Tensor:
    """Elements or parts of a tensor at places whose coordinates stand along the first dimension of the indices.

    Parameters
    ----------
    a, indices : Tensor
    """
    need(a, Tensor, "the data of gather_nd")
    count, *rest = need(indices, Tensor, "the indices of gather_nd").shape
    known = whole(count, "the coordinates of gather_nd")
    shape = [*rest, *a.shape[known:]]

    def element(*index):
        which = index[:len(rest)]
        return a(*[indices(c, *which).astype("int32") for c in range(known)], *index[len(rest):])

    return te.compute(shape, element, "T_gather_nd", tag=tag.INJECTIVE)


def meshgrid(a_tuple: Sequence[Tensor], indexing: str) -> list[Tensor]:
    """Vectors over all dimensions of their grid.

    Parameters
    ----------
    a_tuple : sequence of Tensor
    indexing : str
        ``"ij"``, or ``"xy"``: the first two are exchanged.
    """
    if indexing not in ("ij", "xy"):
        raise ValueError(f"no indexing {indexing!r} of meshgrid; there are ij and xy")
    order = list(range(len(a_tuple)))
    if indexing == "xy" and len(order) > 1:
        order[:2] = 1, 0
    shape = [need(a_tuple[d], Tensor, "a vector of meshgrid").shape[0] for d in order]
    return [te.compute(shape, lambda *i, v=v, d=order.index(n): v(i[d]), "T_meshgrid", tag=tag.INJECTIVE,
                       varargs_names=[f"ax{i}" for i in range(len(shape))]) for n, v in enumerate(a_tuple)]


def _parsed(layout):
    """(letter, factor or None) of each dimension: a capital letter is an axis, a small one with a number its inner part."""
    parts = re.findall(r"([A-Z])|(\d+)([a-z])", name_of(layout, "a layout").decode())
    dims = [(outer or inner, int(number) if number else None) for outer, number, inner in parts]
    written = "".join(letter if number is None else f"{number}{letter}" for letter, number in dims)
    if written != layout or len(set(dims)) != len(dims) or len({d for d, _ in dims}) != len(dims):
        raise VTAUnsupportedError(f"the layout {layout!r} is not offered: capital letters are axes, and each may have one inner part, as in "
                                  "NCHW16c")
    return dims


def layout_transform(array: Tensor, src_layout: str, dst_layout: str, schedule_rule: str = "None") -> Tensor:
    """The elements of a tensor in another layout, such as NCHW16c of NCHW.

    Parameters
    ----------
    array : Tensor
    src_layout, dst_layout : str
    schedule_rule : str, optional
        Accepted, without effect.
    """
    source, goal = _parsed(src_layout), _parsed(dst_layout)
    if need(array, Tensor, "what is laid out anew").ndim != len(source):
        raise InvalidShapeError(f"{array.name} has {array.ndim} dimensions, but the layout {src_layout} has {len(source)}")
    inner = [dict(part for part in dims if part[1]) for dims in (source, goal)]
    whole_axes = [[letter for letter, number in dims if number is None] for dims in (source, goal)]
    if sorted(whole_axes[0]) != sorted(whole_axes[1]) or any(c.upper() not in whole_axes[0] for parts in inner for c in parts):
        raise InvalidShapeError(f"the layouts {src_layout} and {dst_layout} do not have the same axes")
    extents = {letter: e * inner[0].get(letter.lower(), 1) for (letter, number), e in zip(source, array.shape) if number is None}
    for letter, number in goal:
        size = extents[letter.upper()]
        if number and isinstance(size, int) and size % number:
            raise InvalidShapeError(f"{array.name}: axis {letter.upper()} has {size} elements, which {number} does not divide")
    shape = [number or extents[letter] // inner[1].get(letter.lower(), 1) for letter, number in goal]

    def element(*index):
        at = dict(zip([letter for letter, _ in goal], index))
        values = {c: at[c] * inner[1][c.lower()] + at[c.lower()] if c.lower() in inner[1] else at[c] for c in extents}
        return array(*[te.floormod(values[c.upper()], number) if number else
                       te.floordiv(values[c], inner[0][c.lower()]) if c.lower() in inner[0] else values[c] for c, number in source])

    return te.compute(shape, element, "T_layout_trans", tag=tag.INJECTIVE)

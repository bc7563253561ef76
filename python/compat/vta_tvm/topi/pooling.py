"""Windows of pictures brought down to their largest element or their mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vta import te
from vta._check import name_of, need, whole
from vta.te import Tensor
from .convolution import InvalidShapeError
from vta.topi.padding import pad

if TYPE_CHECKING:
    from typing import Sequence

__all__ = ["adaptive_pool", "global_pool", "pool", "pool1d", "pool2d", "pool3d"]


def _dimensions(data, layout, count):
    """Which dimensions of a tensor are those of the picture, by the letters D, H, W of its layout."""
    layout = name_of(layout, "a layout").decode()
    letters = "DHW"[3 - count:]
    if sorted(layout) != sorted("NC" + letters):
        raise NotImplementedError(f"pooling in the layout {layout!r} is not offered: it takes N, C and {', '.join(letters)} in any order")
    if need(data, Tensor, "what is pooled").ndim != len(layout):
        raise InvalidShapeError(f"{data.name} has {data.ndim} dimensions, but the layout {layout} has {len(layout)}")
    return [layout.index(letter) for letter in letters]


def _numbers(values, what, count, least=0):
    """One number for each dimension, from one number or a list."""
    listed = list(values) if isinstance(values, (list, tuple)) else [values] * count
    numbers = [whole(v, what) for v in listed]
    if len(numbers) != count or min(numbers) < least:
        raise ValueError(f"{what}: {count} numbers of at least {least} expected, got {values!r}")
    return numbers


def _kind(pool_type):
    if pool_type not in ("max", "avg"):
        raise ValueError(f"no pooling {pool_type!r}: there are max and avg")
    return pool_type


def _mean(total, count):
    """A sum divided by how many were added; of integers rounded towards zero."""
    if isinstance(count, int):
        count = te.const(count, "int32")
    return total / count.astype(total.dtype) if total.dtype.startswith("float") else te.truncdiv(total, count.astype(total.dtype))


def _inside(i, extent, kernel, stride, dilation, before):
    """How many of the places of a window lie inside of the picture, at least 1."""
    first = i * stride - before
    begin = te.max(te.floordiv(dilation - 1 - first, dilation), 0)
    end = te.min(te.floordiv(extent - first + dilation - 1, dilation), kernel)
    return te.max(end - begin, 1)


def _pool(data, dims, kernel, stride, dilation, padding, pool_type, ceil_mode, count_include_pad):
    count = len(dims)
    kernel, stride = _numbers(kernel, "the kernel of a pooling", count, 1), _numbers(stride, "the stride of a pooling", count, 1)
    dilation = _numbers(dilation, "the dilation of a pooling", count, 1)
    sides = _numbers(padding, "the padding of a pooling", 2 * count)
    before, after = sides[:count], sides[count:]
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilation)]
    if ceil_mode:
        after = [a + s - 1 for a, s in zip(after, stride)]
    shape, frame = list(data.shape), [[0] * data.ndim, [0] * data.ndim]
    for at, a, b, r, s in zip(dims, before, after, reach, stride):
        frame[0][at], frame[1][at] = a, b
        shape[at] = (shape[at] + a + b - r) // s + 1
        if isinstance(shape[at], int) and shape[at] < 1:
            raise InvalidShapeError(f"a window of {r} does not fit into dimension {at} of {data.name}, with its padding "
                                    f"{data.shape[at] + a + b}")
    least = te.min_value(data.dtype).value
    source = pad(data, *frame, least if pool_type == "max" else 0, name="pad_temp") if any(before + after) else data
    axes = [te.reduce_axis((0, k), f"rv{i}") for i, k in enumerate(kernel)]

    def element(*index):
        at = list(index)
        for d, k, s, step in zip(dims, axes, stride, dilation):
            at[d] = index[d] * s + k * step
        return (te.max if pool_type == "max" else te.sum)(source(*at), axis=axes)

    names = [f"ax{i}" for i in range(data.ndim)]
    name = "pool_max" if pool_type == "max" else "pool_sum"
    pooled = te.compute(shape, element, name, tag=name, varargs_names=names)
    if pool_type == "max":
        return pooled

    def mean(*index):
        number = 1
        for d, k, s, step, a in zip(dims, kernel, stride, dilation, before):
            number = number * (k if count_include_pad else _inside(index[d], data.shape[d], k, s, step, a))
        return _mean(pooled(*index), number)

    return te.compute(shape, mean, "pool_avg", tag="elemwise", varargs_names=names)


def pool1d(data: Tensor, kernel: int | Sequence[int], stride: int | Sequence[int], dilation: int | Sequence[int],
           padding: Sequence[int], pool_type: str, ceil_mode: bool = False, layout: str = "NCW",
           count_include_pad: bool = True) -> Tensor:
    """The largest element or the mean of each window of rows; see :func:`pool2d`.

    Parameters
    ----------
    data : Tensor
    kernel, stride, dilation : int or (int,)
    padding : (int, int)
        Left and right.
    pool_type, layout : str
    ceil_mode, count_include_pad : bool, optional
    """
    return _pool(data, _dimensions(data, layout, 1), kernel, stride, dilation, padding, _kind(pool_type), ceil_mode, count_include_pad)


def pool2d(data: Tensor, kernel: Sequence[int], stride: Sequence[int], dilation: Sequence[int], padding: Sequence[int],
           pool_type: str, ceil_mode: bool = False, layout: str = "NCHW", count_include_pad: bool = True) -> Tensor:
    """The largest element or the mean of each window of a picture.

    Parameters
    ----------
    data : Tensor
    kernel, stride, dilation : (int, int)
        Rows and columns.
    padding : (int, int, int, int)
        Above, on the left, below, on the right; elements there count as the least value, or as 0.
    pool_type : str
        ``"max"`` or ``"avg"``.
    ceil_mode : bool, optional
        Whether a window that begins inside but ends outside counts.
    layout : str, optional
        Which dimension is what: the letters N, C, H, W in any order.
    count_include_pad : bool, optional
        Whether a mean divides by the size of the window, or by how many of its elements lie inside.
    """
    return _pool(data, _dimensions(data, layout, 2), kernel, stride, dilation, padding, _kind(pool_type), ceil_mode, count_include_pad)


def pool3d(data: Tensor, kernel: Sequence[int], stride: Sequence[int], dilation: Sequence[int], padding: Sequence[int],
           pool_type: str, ceil_mode: bool = False, layout: str = "NCDHW", count_include_pad: bool = True) -> Tensor:
    """The largest element or the mean of each window of a volume; see :func:`pool2d`.

    Parameters
    ----------
    data : Tensor
    kernel, stride, dilation : (int, int, int)
    padding : six int
        In front, above, on the left, behind, below, on the right.
    pool_type, layout : str
    ceil_mode, count_include_pad : bool, optional
    """
    return _pool(data, _dimensions(data, layout, 3), kernel, stride, dilation, padding, _kind(pool_type), ceil_mode, count_include_pad)


def pool(data: Tensor, kernel: Sequence[int], stride: Sequence[int], padding: Sequence[int], pool_type: str,
         ceil_mode: bool = False, layout: str = "NCHW", count_include_pad: bool = True) -> Tensor:
    """:func:`pool2d` without dilation.

    Parameters
    ----------
    data : Tensor
    kernel, stride : (int, int)
    padding : (int, int, int, int)
    pool_type, layout : str
    ceil_mode, count_include_pad : bool, optional
    """
    return pool2d(data, kernel, stride, (1, 1), padding, pool_type, ceil_mode, layout, count_include_pad)


def adaptive_pool(data: Tensor, output_size: Sequence[int], pool_type: str, layout: str = "NCHW") -> Tensor:
    """A picture brought to a size: each result is the largest element or the mean of its share of rows and columns.

    Parameters
    ----------
    data : Tensor
    output_size : (int, int)
        Rows and columns.
    pool_type, layout : str
    """
    dims, kind = _dimensions(data, layout, 2), _kind(pool_type)
    sizes, shape = _numbers(output_size, "the size of an adaptive pooling", 2, 1), list(data.shape)
    for d, size in zip(dims, sizes):
        shape[d] = size

    def share(i, extent, size):
        """Where the share of a result begins, and how much it is."""
        if isinstance(extent, int) and extent % size == 0:
            return i * (extent // size), extent // size
        begin = te.floordiv(i * extent, size)
        return begin, te.floordiv((i + 1) * extent + size - 1, size) - begin

    def element(*index):
        at, axes = list(index), []
        for number, (d, size) in enumerate(zip(dims, sizes)):
            begin, length = share(index[d], data.shape[d], size)
            axes.append(te.reduce_axis((0, length), f"rv{number}"))
            at[d] = begin + axes[-1]
        return (te.max if kind == "max" else te.sum)(data(*at), axis=axes)

    names, tag = [f"ax{i}" for i in range(data.ndim)], f"adaptive_pool_{'max' if kind == 'max' else 'sum'}"
    pooled = te.compute(shape, element, tag, tag=tag, varargs_names=names)
    if kind == "max":
        return pooled

    def mean(*index):
        number = 1
        for d, size in zip(dims, sizes):
            number = number * share(index[d], data.shape[d], size)[1]
        return _mean(pooled(*index), number)

    return te.compute(shape, mean, "adaptive_pool_avg", tag="elemwise", varargs_names=names)


def global_pool(data: Tensor, pool_type: str, layout: str = "NCHW") -> Tensor:
    """The largest element or the mean of each whole picture.

    Parameters
    ----------
    data : Tensor
    pool_type, layout : str
    """
    return adaptive_pool(data, (1, 1), pool_type, layout)

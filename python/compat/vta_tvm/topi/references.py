"""More reference implementations in numpy: pooling, products, normalizations, and what moves elements."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from .testing import conv2d_nchw_python

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Tuple, Union

    import numpy as np

    Padding = Union[int, str, Tuple[int, ...]]

__all__ = ["adaptive_pool", "batch_matmul", "conv2d_hwcn_python", "conv2d_nhwc_python", "dense", "depth_to_space_python",
           "depthwise_conv2d_python_nchw", "depthwise_conv2d_python_nhwc", "gather_nd_python", "gather_python", "l2_normalize_python",
           "log_softmax_python", "lrn_python", "one_hot", "pool_grad_nchw", "poolnd_python", "sequence_mask", "softmax_python",
           "space_to_depth_python", "strided_slice_python", "upsampling_python"]


def conv2d_nhwc_python(a_np: np.ndarray, w_np: np.ndarray, stride: int | tuple[int, int], padding: Padding,
                       groups: int = 1) -> np.ndarray:
    """A convolution of [batch, height, width, channel] by [height, width, in_channel, out_channel].

    Parameters
    ----------
    a_np, w_np : numpy.ndarray
    stride : int or (int, int)
    padding : int, str or tuple
        As for :func:`vta_tvm.topi.testing.conv2d_nchw_python`.
    groups : int, optional
    """
    out = conv2d_nchw_python(a_np.transpose(0, 3, 1, 2), w_np.transpose(3, 2, 0, 1), stride, padding, groups)
    return out.transpose(0, 2, 3, 1)


def conv2d_hwcn_python(a_np: np.ndarray, w_np: np.ndarray, stride: int | tuple[int, int], padding: Padding) -> np.ndarray:
    """A convolution of [height, width, channel, batch] by [height, width, in_channel, out_channel].

    Parameters
    ----------
    a_np, w_np : numpy.ndarray
    stride : int or (int, int)
    padding : int, str or tuple
    """
    out = conv2d_nchw_python(a_np.transpose(3, 2, 0, 1), w_np.transpose(3, 2, 0, 1), stride, padding)
    return out.transpose(2, 3, 1, 0)


def _same(padding, sizes, kernel, strides):
    """``"SAME"`` as numbers: ceil(size / stride) results, the larger half of the zeros behind."""
    if padding != "SAME":
        return padding
    whole = [max((-(-n // s) - 1) * s + k - n, 0) for n, k, s in zip(sizes, kernel, strides)]
    return (*(n // 2 for n in whole), *(n - n // 2 for n in whole))


def depthwise_conv2d_python_nchw(input_np: np.ndarray, filter_np: np.ndarray, stride: int | tuple[int, int],
                                 padding: Padding) -> np.ndarray:
    """A depthwise convolution: each channel by its own filters.

    Parameters
    ----------
    input_np : numpy.ndarray
        [batch, channel, height, width].
    filter_np : numpy.ndarray
        [channel, multiplier, height, width].
    stride : int or (int, int)
    padding : int, str or tuple

    Returns
    -------
    out : numpy.ndarray
        [batch, channel * multiplier, height, width].
    """
    channels, multiplier, *kernel = filter_np.shape
    strides = (stride, stride) if isinstance(stride, int) else stride
    weights = filter_np.reshape(channels * multiplier, 1, *kernel)
    return conv2d_nchw_python(input_np, weights, strides, _same(padding, input_np.shape[2:], kernel, strides), channels)


def depthwise_conv2d_python_nhwc(input_np: np.ndarray, filter_np: np.ndarray, stride: int | tuple[int, int],
                                 padding: Padding) -> np.ndarray:
    """A depthwise convolution of [batch, height, width, channel] by [height, width, channel, multiplier].

    Parameters
    ----------
    input_np, filter_np : numpy.ndarray
    stride : int or (int, int)
    padding : int, str or tuple
    """
    out = depthwise_conv2d_python_nchw(input_np.transpose(0, 3, 1, 2), filter_np.transpose(2, 3, 0, 1), stride, padding)
    return out.transpose(0, 2, 3, 1)


def dense(x: np.ndarray, y: np.ndarray, bias: np.ndarray | None, use_bias: bool = False, use_relu: bool = False,
          out_dtype: Any = None) -> np.ndarray:
    """A fully connected layer.

    Parameters
    ----------
    x, y : numpy.ndarray
        [batch, in] and [out, in].
    bias : numpy.ndarray or None
    use_bias, use_relu : bool, optional
    out_dtype : dtype, optional
        Of the products and sums; that of the operands else.
    """
    import numpy as np

    out = x.astype(out_dtype or x.dtype) @ y.T.astype(out_dtype or y.dtype)
    if use_bias:
        out = out + bias
    return np.maximum(out, 0) if use_relu else out


def batch_matmul(x: np.ndarray, y: np.ndarray, out_dtype: Any = None, trans_x: bool = False, trans_y: bool = True) -> np.ndarray:
    """Products of matrices, one for each of a batch; a batch of one goes with all of the other.

    Parameters
    ----------
    x, y : numpy.ndarray
    out_dtype : dtype, optional
    trans_x, trans_y : bool, optional
        Whether the matrices are transposed.
    """
    left = x.transpose(0, 2, 1) if trans_x else x
    right = y.transpose(0, 2, 1) if trans_y else y
    return left.astype(out_dtype or x.dtype) @ right.astype(out_dtype or y.dtype)


def softmax_python(a_np: np.ndarray, axis: int = 1) -> np.ndarray:
    """Exponentials along an axis, over their sum.

    Parameters
    ----------
    a_np : numpy.ndarray
    axis : int, optional
    """
    import numpy as np

    e = np.exp(a_np - a_np.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def log_softmax_python(a_np: np.ndarray, axis: int = 1) -> np.ndarray:
    """The logarithm of :func:`softmax_python`.

    Parameters
    ----------
    a_np : numpy.ndarray
    axis : int, optional
    """
    import numpy as np

    less = a_np - a_np.max(axis, keepdims=True)
    return less - np.log(np.exp(less).sum(axis, keepdims=True))


def l2_normalize_python(a_np: np.ndarray, eps: float, axis: int | tuple[int, ...] | None = None) -> np.ndarray:
    """An array over the root of the sum of its squares along axes, or of `eps` where that is more.

    Parameters
    ----------
    a_np : numpy.ndarray
    eps : float
    axis : int or tuple of int, optional
    """
    import numpy as np

    return a_np / np.sqrt(np.maximum(np.square(a_np).sum(axis, keepdims=True), eps))


def lrn_python(a_np: np.ndarray, size: int, axis: int, bias: float, alpha: float, beta: float) -> np.ndarray:
    """Local response normalization: each element over a power of the squares of its `size` neighbours along an axis.

    Parameters
    ----------
    a_np : numpy.ndarray
    size, axis : int
    bias, alpha, beta : float
    """
    import numpy as np

    squares, sums = np.moveaxis(np.square(a_np), axis, 0), np.moveaxis(np.zeros_like(a_np), axis, 0)
    for i in range(squares.shape[0]):
        sums[i] = squares[max(i - size // 2, 0):i + size // 2 + 1].sum(0)
    return a_np / (bias + alpha * np.moveaxis(sums, 0, axis) / size) ** beta


def _windows(sizes, kernel, strides, dilation, before, after, ceil_mode):
    """For each place of the output the slices of the padded input; an extent of the output is ``len`` of its list."""
    each = []
    for n, k, s, d, b, a in zip(sizes, kernel, strides, dilation, before, after):
        room = n + b + a - (k - 1) * d - 1
        count = (-(-room // s) if ceil_mode else room // s) + 1
        each.append([slice(i * s, i * s + (k - 1) * d + 1, d) for i in range(count)])
    return each


def poolnd_python(np_data: np.ndarray, kernel: Sequence[int], strides: Sequence[int], dilation: Sequence[int],
                  padding_before: Sequence[int], padding_after: Sequence[int], pool_type: str, count_include_pad: bool = True,
                  ceil_mode: bool = False, dtype: str = "float32", layout: str = "NCHW") -> np.ndarray:
    """Pooling over any number of axes.

    Parameters
    ----------
    np_data : numpy.ndarray
    kernel, strides, dilation, padding_before, padding_after : sequence of int
        A number for each pooled axis.
    pool_type : str
        ``"max"`` or ``"avg"``.
    count_include_pad : bool, optional
        Means are over all places of the window, also those around the input.
    ceil_mode : bool, optional
        A last window that is only begun counts.
    dtype : str, optional
        Of the result.
    layout : str, optional
        Letters of the axes: all but N and C are pooled.
    """
    import numpy as np

    axes = [i for i, letter in enumerate(layout) if letter not in "NC"]
    data = np.moveaxis(np_data, axes, range(-len(axes), 0))
    more = [s - 1 if ceil_mode else 0 for s in strides]
    around = [(0, 0)] * (data.ndim - len(axes)) + [(b, a + m) for b, a, m in zip(padding_before, padding_after, more)]
    inside = np.pad(np.ones_like(data, "bool"), around)
    padded = np.pad(data, around).astype("float64" if pool_type == "avg" else data.dtype)
    places = _windows(data.shape[-len(axes):], kernel, strides, dilation, padding_before, padding_after, ceil_mode)
    out = np.zeros((*data.shape[:-len(axes)], *(len(p) for p in places)), dtype)
    least = (np.finfo if data.dtype.kind == "f" else np.iinfo)(data.dtype).min
    pooled = tuple(range(-len(axes), 0))
    for at in itertools.product(*(range(len(p)) for p in places)):
        window = (..., *(p[i] for p, i in zip(places, at)))
        if pool_type == "max":
            out[(..., *at)] = np.where(inside[window], padded[window], least).max(pooled)
        else:
            count = np.prod(kernel) if count_include_pad else inside[window].sum(pooled)
            out[(..., *at)] = padded[window].sum(pooled) / np.maximum(count, 1)
    return np.moveaxis(out, range(-len(axes), 0), axes)


def pool_grad_nchw(a_np: np.ndarray, out_grad_np: np.ndarray, pool_size: Sequence[int], strides: Sequence[int],
                   padding: Sequence[int], pool_type: str, ceil_mode: bool, count_include_pad: bool = True) -> np.ndarray:
    """The gradient of pooling with respect to its input, [batch, channel, height, width].

    Parameters
    ----------
    a_np, out_grad_np : numpy.ndarray
        The input, and the gradient with respect to the output.
    pool_size, strides : sequence of int
    padding : sequence of int
        Above, on the left, below, on the right.
    pool_type : str
        ``"max"``: a window's gradient goes to its first largest element; ``"avg"``: to all in equal parts.
    ceil_mode, count_include_pad : bool
    """
    import numpy as np

    top, left, below, right = padding
    more = [s - 1 if ceil_mode else 0 for s in strides]
    around = ((0, 0), (0, 0), (top, below + more[0]), (left, right + more[1]))
    inside = np.pad(np.ones(a_np.shape[2:], "bool"), around[2:])
    padded = np.pad(a_np.astype("float64"), around)
    grad = np.zeros_like(padded)
    rows, columns = _windows(a_np.shape[2:], pool_size, strides, (1, 1), (top, left), (below, right), ceil_mode)
    for (y, row), (x, column) in itertools.product(enumerate(rows), enumerate(columns)):
        there, given = inside[row, column], out_grad_np[:, :, y, x]
        if pool_type == "avg":
            count = there.size if count_include_pad else there.sum()
            grad[:, :, row, column] += given[:, :, None, None] / max(count, 1)
            continue
        window = np.where(there, padded[:, :, row, column], -np.inf)
        flat = window.reshape(*window.shape[:2], -1)
        first = np.arange(flat.shape[2]) == flat.argmax(2)[:, :, None]
        grad[:, :, row, column] += (first * given[:, :, None]).reshape(window.shape)
    return grad[:, :, top:top + a_np.shape[2], left:left + a_np.shape[3]].astype(a_np.dtype)


def adaptive_pool(np_data: np.ndarray, out_size: Sequence[int], pool_type: str, layout: str) -> np.ndarray:
    """Pooling to a given size: window i is of ``floor(i n / size)`` to ``ceil((i + 1) n / size)``.

    Parameters
    ----------
    np_data : numpy.ndarray
    out_size : sequence of int
    pool_type : str
    layout : str
    """
    import numpy as np

    axes = [i for i, letter in enumerate(layout) if letter not in "NC"]
    data = np.moveaxis(np_data, axes, range(-len(axes), 0))
    sizes, pooled = data.shape[-len(axes):], tuple(range(-len(axes), 0))
    out = np.zeros((*data.shape[:-len(axes)], *out_size), np_data.dtype)
    for at in itertools.product(*(range(n) for n in out_size)):
        part: tuple[Any, ...] = (..., *(slice(i * n // o, -(-(i + 1) * n // o)) for i, n, o in zip(at, sizes, out_size)))
        window = data[part]
        out[(..., *at)] = window.max(pooled) if pool_type == "max" else window.mean(pooled)
    return np.moveaxis(out, range(-len(axes), 0), axes)


def strided_slice_python(data: np.ndarray, begin: Sequence[int], end: Sequence[int], strides: Sequence[int] | int | None,
                         slice_mode: str = "end", axes: Sequence[int] | None = None) -> np.ndarray:
    """A part of an array.

    Parameters
    ----------
    data : numpy.ndarray
    begin, end : sequence of int or None
    strides : int or sequence of int, optional
    slice_mode : str, optional
        ``"size"``: `end` holds extents (-1: all that is left), and strides do not count.
    axes : sequence of int, optional
        The axes that the numbers are of; all of them, from the first, else.
    """
    steps = [strides] * len(begin) if isinstance(strides, int) else list(strides or [])
    parts = [slice(None)] * data.ndim
    for i, axis in enumerate(axes if axes is not None else range(len(begin))):
        first = begin[i] if begin[i] is not None else None
        last, step = end[i] if i < len(end) else None, steps[i] if i < len(steps) else None
        if slice_mode == "size":
            last, step = (None if last is None or last < 0 else (first or 0) + last), None
        parts[axis] = slice(first, last, step)
    return data[tuple(parts)]


def gather_python(data: np.ndarray, axis: int, indices: np.ndarray) -> np.ndarray:
    """Elements along an axis, by the indices of an array of the same rank.

    Parameters
    ----------
    data : numpy.ndarray
    axis : int
    indices : numpy.ndarray
    """
    import numpy as np

    return np.take_along_axis(data, indices, axis)


def gather_nd_python(a_np: np.ndarray, indices_np: np.ndarray) -> np.ndarray:
    """Elements or parts by the indices of the first axes, which the first axis of `indices_np` holds.

    Parameters
    ----------
    a_np, indices_np : numpy.ndarray
    """
    return a_np[tuple(indices_np)]


def one_hot(indices: np.ndarray, on_value: float, off_value: float, depth: int, axis: int, dtype: Any) -> np.ndarray:
    """One value where a new axis' number is the index, another elsewhere.

    Parameters
    ----------
    indices : numpy.ndarray
    on_value, off_value : number
    depth : int
        The extent of the new axis.
    axis : int
    dtype : dtype
    """
    import numpy as np

    hot = np.arange(depth) == np.asarray(indices)[..., None]
    return np.moveaxis(np.where(hot, on_value, off_value).astype(dtype), -1, axis)


def sequence_mask(data: np.ndarray, valid_length: np.ndarray, mask_value: float, axis: int) -> np.ndarray:
    """A value in place of what is behind the end of each sequence.

    Parameters
    ----------
    data : numpy.ndarray
    valid_length : numpy.ndarray
        A length for each of the batch.
    mask_value : number
    axis : int
        The axis of time, 0 or 1; the other one is the batch.
    """
    import numpy as np

    steps = np.arange(data.shape[axis])
    behind = steps[:, None] >= valid_length if axis == 0 else steps >= np.asarray(valid_length)[:, None]
    return np.where(behind.reshape(behind.shape + (1,) * (data.ndim - 2)), mask_value, data).astype(data.dtype)


def depth_to_space_python(data: np.ndarray, block_size: int, mode: str = "DCR") -> np.ndarray:
    """Channels as blocks of the picture, [batch, channel, height, width].

    Parameters
    ----------
    data : numpy.ndarray
    block_size : int
    mode : str, optional
        ``"DCR"``: the places of a block are the outer numbers of a channel, ``"CRD"`` the inner ones.
    """
    n, c, h, w = data.shape
    if mode == "DCR":
        parts = data.reshape(n, block_size, block_size, -1, h, w).transpose(0, 3, 4, 1, 5, 2)
    else:
        parts = data.reshape(n, -1, block_size, block_size, h, w).transpose(0, 1, 4, 2, 5, 3)
    return parts.reshape(n, c // block_size ** 2, h * block_size, w * block_size)


def space_to_depth_python(data: np.ndarray, block_size: int) -> np.ndarray:
    """Blocks of the picture as channels: the opposite of :func:`depth_to_space_python`.

    Parameters
    ----------
    data : numpy.ndarray
    block_size : int
    """
    n, c, h, w = data.shape
    parts = data.reshape(n, c, h // block_size, block_size, w // block_size, block_size).transpose(0, 3, 5, 1, 2, 4)
    return parts.reshape(n, c * block_size ** 2, h // block_size, w // block_size)


def upsampling_python(data: np.ndarray, scale: int | tuple[int, int], layout: str = "NCHW") -> np.ndarray:
    """Each element of a picture several times.

    Parameters
    ----------
    data : numpy.ndarray
    scale : int or (int, int)
        How often in rows and in columns.
    layout : str, optional
    """
    rows, columns = (scale, scale) if isinstance(scale, int) else scale
    return data.repeat(rows, layout.index("H")).repeat(columns, layout.index("W"))

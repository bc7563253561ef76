"""Reference implementations in numpy, to test results against."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Sequence

    import numpy as np


def _pair(value):
    """(before and after) amounts for both axes, from a number or a pair."""
    return (value, value) if isinstance(value, int) else tuple(value)


def _pads(padding, kernel):
    """(top, left, bottom, right) from a number, a pair, four numbers, "SAME" or "VALID"."""
    if padding == "VALID":
        return 0, 0, 0, 0
    if padding == "SAME":
        (height, width) = (k - 1 for k in kernel)
        return height // 2, width // 2, height - height // 2, width - width // 2
    if isinstance(padding, (tuple, list)) and len(padding) == 4:
        return tuple(padding)
    height, width = _pair(padding)
    return height, width, height, width


def conv2d_nchw_python(a_np: np.ndarray, w_np: np.ndarray, stride: int | tuple[int, int],
                       padding: int | str | tuple[int, ...], groups: int = 1) -> np.ndarray:
    """A plain 2D convolution.

    Parameters
    ----------
    a_np : numpy.ndarray
        Input, [batch, in_channel, in_height, in_width].
    w_np : numpy.ndarray
        Weights, [out_channel, in_channel // groups, kernel_height, kernel_width].
    stride : int or (int, int)
        Steps of the kernel.
    padding : int, (int, int), (int, int, int, int) or str
        Zeros around the input: both axes, each axis, (top, left, bottom, right), or ``"SAME"``, ``"VALID"``.
    groups : int, optional
        Groups of channels that do not see each other.

    Returns
    -------
    b_np : numpy.ndarray
        Output, [batch, out_channel, out_height, out_width], in the type of the input.
    """
    import numpy as np

    stride_h, stride_w = _pair(stride)
    top, left, bottom, right = _pads(padding, w_np.shape[2:])
    data = np.pad(a_np, ((0, 0), (0, 0), (top, bottom), (left, right)))
    out_channel, in_group, kernel_h, kernel_w = w_np.shape
    out_h = (data.shape[2] - kernel_h) // stride_h + 1
    out_w = (data.shape[3] - kernel_w) // stride_w + 1
    out = np.zeros((a_np.shape[0], out_channel, out_h, out_w), dtype=a_np.dtype)
    out_group = out_channel // groups
    for g in range(groups):
        inside = data[:, g * in_group:(g + 1) * in_group]
        weights = w_np[g * out_group:(g + 1) * out_group]
        for y in range(kernel_h):
            for x in range(kernel_w):
                window = inside[:, :, y:y + out_h * stride_h:stride_h, x:x + out_w * stride_w:stride_w]
                part = np.einsum("nihw,oi->nohw", window, weights[:, :, y, x], optimize=True)
                out[:, g * out_group:(g + 1) * out_group] += part.astype(a_np.dtype, copy=False)
    return out


def dilate_python(input_np: np.ndarray, strides: Sequence[int], dilation_value: float = 0.0) -> np.ndarray:
    """Constant elements between those of an array.

    Parameters
    ----------
    input_np : numpy.ndarray
    strides : sequence of int
        For each dimension, how far neighbours are apart then.
    dilation_value : number, optional
        What is put between them.

    Returns
    -------
    dilated : numpy.ndarray
    """
    import numpy as np

    shape = [(n - 1) * s + 1 for n, s in zip(input_np.shape, strides)]
    out = np.full(shape, dilation_value, input_np.dtype)
    out[tuple(slice(None, None, s) for s in strides)] = input_np
    return out


def conv2d_transpose_nchw_python(a_np: np.ndarray, w_np: np.ndarray, stride: int | tuple[int, int],
                                 padding: int | str | tuple[int, ...],
                                 output_padding: tuple[int, int] = (0, 0)) -> np.ndarray:
    """A plain transposed 2D convolution: each element of the input spreads the kernel over the output.

    Parameters
    ----------
    a_np : numpy.ndarray
        Input, [batch, in_channel, in_height, in_width].
    w_np : numpy.ndarray
        Weights, [in_channel, out_channel, kernel_height, kernel_width].
    stride : int or (int, int)
        How far neighbours of the input are apart in the output.
    padding : int, str or tuple
        What is cut off the output, as for :func:`conv2d_nchw_python`.
    output_padding : (int, int), optional
        Rows below and columns on the right that are kept nevertheless.

    Returns
    -------
    out : numpy.ndarray
        [batch, out_channel, height, width].
    """
    import numpy as np

    (height, width), (rows, columns) = _pair(stride), w_np.shape[2:]
    top, left, below, right = _pads(padding, (rows, columns))
    size = [(n - 1) * s + k + more for n, s, k, more in
            zip(a_np.shape[2:], (height, width), (rows, columns), output_padding)]
    whole = np.zeros((a_np.shape[0], w_np.shape[1], *size), a_np.dtype)
    for i in range(a_np.shape[2]):
        for j in range(a_np.shape[3]):
            spread = np.tensordot(a_np[:, :, i, j], w_np, (1, 0)).astype(a_np.dtype)
            whole[:, :, i * height:i * height + rows, j * width:j * width + columns] += spread
    return whole[:, :, top:size[0] - below, left:size[1] - right]

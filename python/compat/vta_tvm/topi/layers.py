"""Layers of networks on plain tensors: norms, depthwise convolutions, products of batches, and pictures made larger."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vta import te
from vta._check import need, whole
from vta.error import VTAUnsupportedError
from vta.te import Tensor
from vta.topi import tag
from .convolution import InvalidShapeError, group_conv2d_nchw
from .transform import reshape

if TYPE_CHECKING:
    from typing import Sequence, Union

    Pair = Union[int, Sequence[int]]

__all__ = ["batch_matmul", "batch_norm", "depth_to_space", "depthwise_conv2d_nchw", "layer_norm", "prelu", "scale_shift_nchw",
           "space_to_depth", "upsampling"]


def batch_matmul(tensor_a: Tensor, tensor_b: Tensor, oshape: Sequence[int] | None = None, out_dtype: str | None = None,
                 transpose_a: bool = False, transpose_b: bool = True) -> Tensor:
    """A matrix product for each element of a batch; one of the batches may have one element.

    Parameters
    ----------
    tensor_a, tensor_b : Tensor
        [batch, rows, depth] and [batch, columns, depth], or as they are transposed.
    oshape : sequence of int, optional
        The shape of the result, where the caller knows it; it is found from the operands.
    out_dtype : str, optional
    transpose_a, transpose_b : bool, optional
        Whether the depth of the first comes before its rows, that of the second after its columns.
    """
    shapes = [need(t, Tensor, "an operand of batch_matmul").shape for t in (tensor_a, tensor_b)]
    if len(shapes[0]) != 3 or len(shapes[1]) != 3:
        raise InvalidShapeError(f"batch_matmul of {len(shapes[0])} and {len(shapes[1])} dimensions: batches of matrices have 3")
    (depth, rows), (columns, deep) = [s[1:] if swapped else s[:0:-1] for s, swapped in zip(shapes, (transpose_a, transpose_b))]
    batches = [s[0] for s in shapes]
    if isinstance(depth, int) and isinstance(deep, int) and depth != deep:
        raise InvalidShapeError(f"batch_matmul of {shapes[0]} and {shapes[1]}: depths {depth} and {deep} differ")
    if all(isinstance(n, int) for n in batches) and batches[0] != batches[1] and 1 not in batches:
        raise InvalidShapeError(f"batch_matmul of {batches[0]} and {batches[1]} matrices")
    kind, k = out_dtype or tensor_a.dtype, te.reduce_axis((0, depth), "k")

    def at(t, b, i, swapped):
        place = 0 if isinstance(t.shape[0], int) and t.shape[0] == 1 else b
        return (t(place, k, i) if swapped else t(place, i, k)).astype(kind)

    shape = (batches[1] if isinstance(batches[0], int) and batches[0] == 1 else batches[0], rows, columns)
    return te.compute(shape, lambda b, i, j: te.sum(at(tensor_a, b, i, transpose_a) * at(tensor_b, b, j, not transpose_b), axis=k),
                      "T_batch_matmul", tag="batch_matmul")


def depthwise_conv2d_nchw(Input: Tensor, Filter: Tensor, stride: Pair, padding: Pair | str, dilation: Pair,
                          out_dtype: str | None = None) -> Tensor:
    """A 2D convolution of each channel by itself.

    Parameters
    ----------
    Input : Tensor
        [batch, channel, height, width].
    Filter : Tensor
        [channel, results of each channel, height, width].
    stride, dilation : int or (int, int)
    padding : int, str, (int, int) or (top, left, bottom, right)
    out_dtype : str, optional
    """
    channels, each, rows, columns = [whole(e, "an extent of the weights") for e in need(Filter, Tensor, "the weights").shape]
    weights = Filter if each == 1 else reshape(Filter, (channels * each, 1, rows, columns))
    return group_conv2d_nchw(Input, weights, stride, padding, dilation, channels, out_dtype)


def _along(data, axis, *vectors):
    """(the dimension, a function from indices to the elements of the vectors there)."""
    at = axis % need(data, Tensor, "the operand of a norm").ndim
    for v in vectors:
        if need(v, Tensor, "a vector of a norm").ndim != 1:
            raise InvalidShapeError(f"{v.name} has {v.ndim} dimensions, not 1")
    return lambda index: [v(index[at]) for v in vectors]


def scale_shift_nchw(Input: Tensor, Scale: Tensor, Shift: Tensor) -> Tensor:
    """A factor and a summand for each channel.

    Parameters
    ----------
    Input, Scale, Shift : Tensor
    """
    values = _along(Input, 1, Scale, Shift)

    def element(*index):
        scale, shift = values(index)
        return Input(*index) * scale + shift

    return te.compute(Input.shape, element, "ScaleShift", tag=tag.BROADCAST)


def batch_norm(data: Tensor, gamma: Tensor, beta: Tensor, moving_mean: Tensor, moving_var: Tensor, axis: int | None = None,
               epsilon: float | None = None, center: bool | None = None, scale: bool | None = None) -> list[Tensor]:
    """``(x - mean) / sqrt(variance + epsilon) * gamma + beta`` for each index of a dimension.

    Parameters
    ----------
    data : Tensor
        Of floats.
    gamma, beta, moving_mean, moving_var : Tensor
        One number for each index.
    axis : int, optional
        The dimension; 1 by default.
    epsilon : float, optional
        0.00001 by default.
    center, scale : bool, optional
        Whether beta, and gamma, count; both do by default.

    Returns
    -------
    results : list of Tensor
        The values, the mean and the variance.
    """
    values = _along(data, 1 if axis is None else axis, gamma, beta, moving_mean, moving_var)
    small = te.const(1e-5 if epsilon is None else epsilon, data.dtype)

    def element(*index):
        factor, summand, mean, variance = values(index)
        out = (data(*index) - mean) / te.sqrt(variance + small)
        out = out if scale is False else out * factor
        return out if center is False else out + summand

    return [te.compute(data.shape, element, "T_batch_norm", tag=tag.BROADCAST), moving_mean, moving_var]


def layer_norm(data: Tensor, gamma: Tensor, beta: Tensor | None, axis: Sequence[int], epsilon: float = 1e-5) -> Tensor:
    """``(x - mean) / sqrt(variance + epsilon) * gamma + beta`` with mean and variance over the given dimensions.

    Parameters
    ----------
    data : Tensor
        Of floats.
    gamma : Tensor
        Of the given dimensions.
    beta : Tensor or None
    axis : sequence of int
    epsilon : float, optional
    """
    shape = need(data, Tensor, "the operand of layer_norm").shape
    over = sorted({a % data.ndim for a in ([axis] if isinstance(axis, int) else axis)})
    kept = [d for d in range(data.ndim) if d not in over]
    count = te.const(1, "int32")
    for d in over:
        count = count * shape[d]
    number = count.astype(data.dtype)

    def total(function, name):
        axes = [te.reduce_axis((0, shape[d]), f"k{d}") for d in over]

        def element(*at):
            index: list = [None] * data.ndim
            for d, i in [*zip(kept, at), *zip(over, axes)]:
                index[d] = i
            return te.sum(function(index, at), axis=axes)

        return te.compute([shape[d] for d in kept] or [1], element, name, varargs_names=[f"i{i}" for i in range(len(kept) or 1)])

    mean = total(lambda index, _: data(*index), "T_layer_norm_sum")
    spread = total(lambda index, at: (data(*index) - mean(*at) / number) * (data(*index) - mean(*at) / number), "T_layer_norm_squares")

    def element(*index):
        rest, inner = [index[d] for d in kept] or [0], [index[d] for d in over]
        out = (data(*index) - mean(*rest) / number) / te.sqrt(spread(*rest) / number + te.const(epsilon, data.dtype)) * gamma(*inner)
        return out if beta is None else out + beta(*inner)

    return te.compute(shape, element, "T_layer_norm", tag=tag.INJECTIVE)


def prelu(x: Tensor, slope: Tensor, axis: int = 1) -> Tensor:
    """x where it is positive, else x times the slope of its channel.

    Parameters
    ----------
    x, slope : Tensor
    axis : int, optional
        The dimension of the channels.
    """
    values = _along(x, axis, slope)
    return te.compute(x.shape, lambda *i: te.select(x(*i) > te.const(0, x.dtype), x(*i), x(*i) * values(i)[0]), "T_prelu", tag=tag.BROADCAST)


def _picture(data, layout, what):
    """The dimensions of rows and columns."""
    if layout not in ("NCHW", "NHWC"):
        raise VTAUnsupportedError(f"{what} in the layout {layout!r} is not offered; there are NCHW and NHWC")
    if need(data, Tensor, f"the operand of {what}").ndim != 4:
        raise InvalidShapeError(f"{data.name} has {data.ndim} dimensions, but the layout {layout} has 4")
    return layout.index("C"), layout.index("H"), layout.index("W")


def upsampling(data: Tensor, scale_h: int, scale_w: int, layout: str = "NCHW", method: str = "nearest_neighbor") -> Tensor:
    """A picture whose rows and columns are repeated.

    Parameters
    ----------
    data : Tensor
    scale_h, scale_w : int
        How often rows and columns are repeated.
    layout : str, optional
    method : str, optional
        ``"nearest_neighbor"``.
    """
    _, h, w = _picture(data, layout, "upsampling")
    if method != "nearest_neighbor":
        raise VTAUnsupportedError(f"upsampling by {method!r} is not offered; there is nearest_neighbor")
    times = {h: whole(scale_h, "a scale of upsampling"), w: whole(scale_w, "a scale of upsampling")}
    shape = [e * times.get(d, 1) for d, e in enumerate(data.shape)]

    def element(*index):
        return data(*[te.floordiv(i, times[d]) if d in times else i for d, i in enumerate(index)])

    return te.compute(shape, element, "T_upsampling", tag=tag.INJECTIVE)


def _block(data, block_size, layout, what):
    places = _picture(data, layout, what)
    return places, whole(block_size, f"the block of {what}"), list(data.shape)


def space_to_depth(data: Tensor, block_size: int, layout: str = "NCHW") -> Tensor:
    """Blocks of rows and columns as channels.

    Parameters
    ----------
    data : Tensor
    block_size : int
    layout : str, optional
    """
    (c, h, w), size, shape = _block(data, block_size, layout, "space_to_depth")
    channels = shape[c]
    shape[c], shape[h], shape[w] = channels * size * size, shape[h] // size, shape[w] // size

    def element(*index):
        at = list(index)
        block = te.floordiv(index[c], channels)
        at[c] = te.floormod(index[c], channels)
        at[h], at[w] = index[h] * size + te.floordiv(block, size), index[w] * size + te.floormod(block, size)
        return data(*at)

    return te.compute(shape, element, "T_space_to_depth", tag=tag.INJECTIVE)


def depth_to_space(data: Tensor, block_size: int, layout: str = "NCHW", mode: str = "DCR") -> Tensor:
    """Channels as blocks of rows and columns.

    Parameters
    ----------
    data : Tensor
    block_size : int
    layout : str, optional
    mode : str, optional
        ``"DCR"``: the place in a block is the outer part of the channel, ``"CRD"``: the inner one.
    """
    (c, h, w), size, shape = _block(data, block_size, layout, "depth_to_space")
    if mode not in ("DCR", "CRD"):
        raise ValueError(f"no mode {mode!r} of depth_to_space; there are DCR and CRD")
    channels = shape[c] // (size * size)
    shape[c], shape[h], shape[w] = channels, shape[h] * size, shape[w] * size

    def element(*index):
        at = list(index)
        block = te.floormod(index[h], size) * size + te.floormod(index[w], size)
        at[c] = block * channels + index[c] if mode == "DCR" else index[c] * (size * size) + block
        at[h], at[w] = te.floordiv(index[h], size), te.floordiv(index[w], size)
        return data(*at)

    return te.compute(shape, element, "T_depth_to_space", tag=tag.INJECTIVE)

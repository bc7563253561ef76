"""Convolutions as operators call them. In tiles, inside ``with env.target:``, they are the registered templates of the accelerator
(:mod:`vta.autotvm`, :mod:`vta.top`); on plain tensors, computations for the host."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vta import te
from vta._check import need, whole
from vta.error import VTAUnsupportedError, VTAValueError
from vta.target import Target
from vta.te import Tensor
from vta.topi.padding import dilate, get_pad_tuple, pad
from .utils import get_const_tuple

if TYPE_CHECKING:
    from typing import Sequence, Union

    Pair = Union[int, Sequence[int]]

__all__ = ["conv2d", "conv2d_nchw", "group_conv2d_nchw", "conv2d_transpose_nchw", "InvalidShapeError"]


class InvalidShapeError(VTAValueError):
    """An operator is given tensors of shapes, or a layout, that it does not take."""


def for_accelerator() -> bool:
    """Whether the current target is the accelerator."""
    target = Target.current()
    return target is not None and "vta" in target.keys


def is_packed_layout(layout: str) -> bool:
    """Whether a layout is one of tiles, such as ``"NCHW1n16c"``.

    Parameters
    ----------
    layout : str
    """
    return layout != "NCHW" and "n" in layout and "c" in layout


def _pair(value: Pair, what: str) -> tuple[int, int]:
    values = tuple(value) if isinstance(value, (list, tuple)) else (value, value)
    if len(values) != 2:
        raise ValueError(f"{what} is one number, or one of rows and one of columns, not {value!r}")
    return whole(values[0], what), whole(values[1], what)


def _template(name: str, *args: object) -> Tensor:
    from ..autotvm.task import computed_by

    return computed_by(name, *args)


def conv2d(input: Tensor, filter: Tensor, strides: Pair, padding: Pair, dilation: Pair,  # pylint: disable=redefined-builtin
           layout: str = "NCHW", out_dtype: str | None = None) -> Tensor:
    """A 2D convolution.

    Parameters
    ----------
    input : Tensor
        ``"NCHW"``: [batch, channel, height, width]; ``"NCHW1n16c"``: in tiles.
    filter : Tensor
        [out_channel, in_channel, height, width], or in tiles.
    strides, padding, dilation : int or (int, int)
    layout : str, optional
        In tiles it is the template ``conv2d_packed.vta``, for the target of the accelerator.
    out_dtype : str, optional
        Of sums; that of `input` by default.

    Returns
    -------
    sums : Tensor
    """
    if layout == "NCHW":
        return conv2d_nchw(input, filter, strides, padding, dilation, out_dtype)
    if not is_packed_layout(layout):
        raise VTAUnsupportedError(f"conv2d of layout {layout!r} is not offered; there are NCHW and those of tiles, such as NCHW1n16c")
    if not for_accelerator():
        raise InvalidShapeError(f"conv2d of layout {layout!r} is for the accelerator: call it inside `with vta.get_env().target:`")
    return _template("conv2d_packed.vta", input, filter, _pair(strides, "the strides"), _sides(padding), _pair(dilation, "the dilation"),
                     layout, out_dtype or input.dtype)


def _sides(padding: Pair) -> tuple[int, ...]:
    values = tuple(padding) if isinstance(padding, (list, tuple)) else (padding, padding)
    return tuple(whole(p, "the padding") for p in values)


def conv2d_nchw(Input: Tensor, Filter: Tensor, stride: Pair, padding: Pair | str, dilation: Pair,
                out_dtype: str | None = None) -> Tensor:
    """A 2D convolution of plain tensors.

    Parameters
    ----------
    Input : Tensor
        [batch, channel, height, width].
    Filter : Tensor
        [out_channel, in_channel, height, width].
    stride, dilation : int or (int, int)
    padding : int, str, (int, int) or (top, left, bottom, right)
    out_dtype : str, optional

    Returns
    -------
    sums : Tensor
    """
    return _plain(Input, Filter, stride, padding, dilation, 1, out_dtype, "conv2d_nchw")


def group_conv2d_nchw(Input: Tensor, Filter: Tensor, stride: Pair, padding: Pair | str, dilation: Pair, groups: int,
                      out_dtype: str | None = None) -> Tensor:
    """A 2D convolution in groups; in tiles the template ``group_conv2d_packed.vta``, for the target of the accelerator.

    Parameters
    ----------
    Input : Tensor
        [batch, channel, height, width], or in tiles.
    Filter : Tensor
        [out_channel, in_channel / groups, height, width], or in tiles.
    stride, dilation : int or (int, int)
    padding : int, str, (int, int) or (top, left, bottom, right)
    groups : int
    out_dtype : str, optional

    Returns
    -------
    sums : Tensor
    """
    if need(Input, Tensor, "the data of a convolution").ndim == 6 and for_accelerator() and not isinstance(padding, str):
        return _template("group_conv2d_packed.vta", Input, Filter, _pair(stride, "the stride"), _sides(padding),
                         _pair(dilation, "the dilation"), whole(groups, "the groups"), out_dtype or Input.dtype)
    return _plain(Input, Filter, stride, padding, dilation, whole(groups, "the groups"), out_dtype, "group_conv2d_nchw")


def _shape(tensor: Tensor, what: str) -> list[int]:
    if need(tensor, Tensor, what).ndim != 4:
        raise InvalidShapeError(f"{what}, {tensor.name}, has {tensor.ndim} dimensions, not 4")
    return [whole(d, f"an extent of {what}") for d in get_const_tuple(tensor.shape)]


def _plain(data: Tensor, weight: Tensor, stride: Pair, padding: Pair | str, dilation: Pair, groups: int, out_dtype: str | None,
           tag: str) -> Tensor:
    n, channels, height, width = _shape(data, "the data of a convolution")
    outputs, each, kh, kw = _shape(weight, "the weights of a convolution")
    (sh, sw), (dh, dw) = _pair(stride, "the stride"), _pair(dilation, "the dilation")
    rows, columns, kind = (kh - 1) * dh + 1, (kw - 1) * dw + 1, out_dtype or data.dtype
    top, left, below, right = get_pad_tuple(padding, (rows, columns))
    if each * groups != channels or outputs % groups:
        raise InvalidShapeError(f"data of {channels} channels, weights of {outputs} x {each} in {groups} groups: they do not come out even")
    shape = (n, outputs, (height + top + below - rows) // sh + 1, (width + left + right - columns) // sw + 1)
    image = pad(data, [0, 0, top, left], [0, 0, below, right], name="pad_temp") if top + left + below + right else data
    rc, ry, rx = (te.reduce_axis((0, e), name) for e, name in ((each, "rc"), (kh, "ry"), (kw, "rx")))

    def channel(co):
        return rc if groups == 1 else te.floordiv(co, outputs // groups) * each + rc

    return te.compute(shape, lambda b, co, y, x: te.sum(
        image[b, channel(co), y * sh + ry * dh, x * sw + rx * dw].astype(kind) * weight[co, rc, ry, rx].astype(kind),
        axis=[rc, ry, rx]), name="sums", tag=tag)


def conv2d_transpose_nchw(Input: Tensor, Filter: Tensor, strides: Pair, padding: Pair | str, out_dtype: str | None = None,
                          output_padding: Pair = 0) -> Tensor:
    """A transposed 2D convolution; in tiles the template ``conv2d_transpose_packed.vta``, for the target of the accelerator.

    Parameters
    ----------
    Input : Tensor
        [batch, channel, height, width], or in tiles.
    Filter : Tensor
        [in_channel, out_channel, height, width], or in tiles.
    strides : int or (int, int)
    padding : int, str, (int, int) or (top, left, bottom, right)
    out_dtype : str, optional
    output_padding : int or (int, int), optional

    Returns
    -------
    sums : Tensor
    """
    need(Input, Tensor, "the data of a transposed convolution")
    stride, more = _pair(strides, "the strides"), _pair(output_padding, "the output padding")
    if Input.ndim == 6 and for_accelerator() and not isinstance(padding, str):
        return _template("conv2d_transpose_packed.vta", Input, Filter, stride, _sides(padding), out_dtype or Input.dtype, more)
    n, channels, height, width = _shape(Input, "the data of a transposed convolution")
    inputs, outputs, kh, kw = _shape(Filter, "the weights of a transposed convolution")
    if inputs != channels:
        raise InvalidShapeError(f"data of {channels} channels, weights of {inputs} x {outputs}: they do not fit")
    top, left, below, right = get_pad_tuple(padding, (kh, kw))
    kind = out_dtype or Input.dtype
    shape = (n, outputs, (height - 1) * stride[0] - top - below + kh + more[0], (width - 1) * stride[1] - left - right + kw + more[1])
    image = pad(dilate(Input, [1, 1, *stride]), [0, 0, kh - 1 - top, kw - 1 - left],
                   [0, 0, kh - 1 - below + more[0], kw - 1 - right + more[1]], name="pad_temp")
    rc, ry, rx = (te.reduce_axis((0, e), name) for e, name in ((channels, "rc"), (kh, "ry"), (kw, "rx")))
    return te.compute(shape, lambda b, co, y, x: te.sum(
        image[b, rc, y + ry, x + rx].astype(kind) * Filter[rc, co, kh - 1 - ry, kw - 1 - rx].astype(kind), axis=[rc, ry, rx]),
        name="sums", tag="conv2d_transpose_nchw")

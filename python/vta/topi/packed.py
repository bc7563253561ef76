"""The library's operators as computations on tensors in tiles (docs/operators.md has the layouts): without a schedule, for
``vta.build(..., auto=True)`` to find one, or to be scheduled by hand.

Results are of the accumulators' type. What follows (shifts, :func:`vta.topi.clip`, a bias) is written behind them, and
:func:`out` makes the result of the accelerator's output type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import te
from .._check import need, whole
from .._settings import current
from ..te import Tensor
from .padding import pad

if TYPE_CHECKING:
    from typing import Sequence, Union

    Pair = Union[int, Sequence[int]]

__all__ = ["conv2d_packed", "conv2d_transpose_packed", "dense_packed", "batch_matmul_packed", "acc", "out", "bias_add_packed",
           "leaky_relu_packed", "max_pool2d_packed", "avg_pool2d_packed", "upsample2d_packed", "concat_packed"]

_AXES = ["bo", "co", "i", "j", "bi", "ci"]


def _pair(value, what):
    """An option of rows and columns."""
    values = list(value) if isinstance(value, (list, tuple)) else [value, value]
    if len(values) != 2:
        raise ValueError(f"{what} is one number, or one of rows and one of columns, not {value!r}")
    return [whole(v, what) for v in values]


def _sides(padding):
    """Padding above, on the left, below, on the right: of one, two or four numbers."""
    if isinstance(padding, (list, tuple)) and len(padding) == 4:
        return [whole(p, "the padding") for p in padding]
    return _pair(padding, "the padding (1, 2 or 4 numbers)") * 2


def _of(tensor, ndim, what):
    need(tensor, Tensor, what)
    if tensor.ndim != ndim:
        raise ValueError(f"{what} has {tensor.ndim} dimensions, not the {ndim} of tiles (docs/operators.md)")
    return [int(d) for d in tensor.shape]


def _padded(data, sides, value=0):
    top, left, bottom, right = sides
    if not any(sides):
        return data
    return pad(data, [0, 0, top, left, 0, 0], [0, 0, bottom, right, 0, 0], value, name="padded")


def acc(x: Tensor) -> Tensor:
    """The elements in the accumulators' type.

    Parameters
    ----------
    x : Tensor
    """
    need(x, Tensor, "what comes into the accumulators")
    return te.compute(x.shape, lambda *i: x(*i).astype(current().acc_dtype), "acc")


def out(x: Tensor) -> Tensor:
    """The result: the elements in the accelerator's output type, of which they keep the low bits.

    Parameters
    ----------
    x : Tensor
    """
    need(x, Tensor, "the result")
    return te.compute(x.shape, lambda *i: x(*i).astype(current().out_dtype), "res")


def conv2d_packed(data: Tensor, weight: Tensor, stride: Pair = 1, padding: Pair = 0, dilation: Pair = 1) -> Tensor:
    """A 2D convolution; in groups where the weights have fewer blocks of inputs than the data.

    Parameters
    ----------
    data : Tensor
        ``[N, I, height, width, BATCH, BLOCK_IN]``.
    weight : Tensor
        ``[O, I / groups, kernel_h, kernel_w, BLOCK_OUT, BLOCK_IN]``.
    stride, dilation : int or (int, int), optional
    padding : int, (int, int) or (top, left, bottom, right), optional

    Returns
    -------
    sums : Tensor
        ``[N, O, rows, columns, BATCH, BLOCK_OUT]``.

    Examples
    --------
    >>> sums = topi.conv2d_packed(data, weight, padding=1)
    >>> res = topi.out(topi.clip(topi.right_shift(sums, 8), 0, 127))
    >>> module = vta.build([data, weight, res], auto=True)
    """
    n, ic, height, width, batch, lanes = _of(data, 6, "the data of a convolution")
    oc, each, kh, kw, rows, _ = _of(weight, 6, "the weights of a convolution")
    (sh, sw), (dh, dw), sides = _pair(stride, "the stride"), _pair(dilation, "the dilation"), _sides(padding)
    if ic % each or oc % (ic // each):
        raise ValueError(f"data of {ic} blocks of channels, weights of {oc} x {each}: groups do not come out even")
    outputs = oc // (ic // each)
    shape = (n, oc, (height + sides[0] + sides[2] - (kh - 1) * dh - 1) // sh + 1,
             (width + sides[1] + sides[3] - (kw - 1) * dw - 1) // sw + 1, batch, rows)
    image, acc_t = _padded(data, sides), current().acc_dtype
    rc, dy, dx = (te.reduce_axis((0, e), name) for e, name in ((each, "rc"), (kh, "dy"), (kw, "dx")))
    ri = te.reduce_axis((0, lanes), "ri")

    def block(co):
        return rc if outputs == oc else te.floordiv(co, outputs) * each + rc

    return te.compute(shape, lambda bo, co, i, j, bi, ci: te.sum(
        image[bo, block(co), i * sh + dy * dh, j * sw + dx * dw, bi, ri].astype(acc_t) *
        weight[co, rc, dy, dx, ci, ri].astype(acc_t), axis=[rc, dy, dx, ri]), "sums", varargs_names=_AXES)


def _transposed_axis(axis, tap, pad, stride, taps):
    """Where an output of a transposed convolution reads: the row of the image (before its frame) and that of the kernel."""
    place, number = te.floordiv(axis + pad, stride), te.floormod(axis + pad, stride) + tap * stride
    if taps % stride == 0:
        return place - tap + (-(-taps // stride) - 1), number
    each = -(-taps // stride)
    return te.select(number < taps, place - tap + each, 0), te.min(number, taps - 1)


def conv2d_transpose_packed(data: Tensor, weight: Tensor, stride: Pair = 1, padding: Pair = 0,
                            output_padding: Pair = 0) -> Tensor:
    """A transposed 2D convolution, without the zeros that other ways insert.

    Parameters
    ----------
    data : Tensor
        ``[N, I, height, width, BATCH, BLOCK_IN]``.
    weight : Tensor
        ``[O, I, kernel_h, kernel_w, BLOCK_OUT, BLOCK_IN]``, as ``vta_conv_pack_weight_transposed`` makes them.
    stride : int or (int, int), optional
    padding : int, (int, int) or (top, left, bottom, right), optional
        Rows and columns of the result that are left out.
    output_padding : int or (int, int), optional
        Rows and columns that are added below and on the right.

    Returns
    -------
    sums : Tensor
    """
    n, ic, height, width, batch, lanes = _of(data, 6, "the data of a transposed convolution")
    oc, _, kh, kw, rows, _ = _of(weight, 6, "the weights of a transposed convolution")
    strides, sides, more = _pair(stride, "the stride"), _sides(padding), _pair(output_padding, "the output padding")
    sizes, taps = (height, width), (kh, kw)
    outs = [(sizes[d] - 1) * strides[d] + taps[d] - sides[d] - sides[d + 2] + more[d] for d in (0, 1)]
    if min(outs) < 1:
        raise ValueError(f"a transposed convolution of {outs[0]} x {outs[1]} outputs: the padding leaves none")
    each = [-(-t // s) for t, s in zip(taps, strides)]
    before = [e - 1 if t % s == 0 else e for e, t, s in zip(each, taps, strides)]
    after = [max(0, (outs[d] - 1 + sides[d]) // strides[d] - sizes[d] + 1) for d in (0, 1)]
    image, acc_t = pad(data, [0, 0, *before, 0, 0], [0, 0, *after, 0, 0], name="padded"), current().acc_dtype
    rc, dy, dx = (te.reduce_axis((0, e), name) for e, name in ((ic, "rc"), (each[0], "dy"), (each[1], "dx")))
    ri = te.reduce_axis((0, lanes), "ri")

    def element(bo, co, i, j, bi, ci):
        y, ky = _transposed_axis(i, dy, sides[0], strides[0], kh)
        x, kx = _transposed_axis(j, dx, sides[1], strides[1], kw)
        return te.sum(image[bo, rc, y, x, bi, ri].astype(acc_t) * weight[co, rc, ky, kx, ci, ri].astype(acc_t),
                      axis=[rc, dy, dx, ri])

    return te.compute((n, oc, *outs, batch, rows), element, "sums")


def dense_packed(data: Tensor, weight: Tensor) -> Tensor:
    """A matrix product with transposed weights.

    Parameters
    ----------
    data : Tensor
        ``[N, I, BATCH, BLOCK_IN]``.
    weight : Tensor
        ``[O, I, BLOCK_OUT, BLOCK_IN]``.

    Returns
    -------
    sums : Tensor
        ``[N, O, BATCH, BLOCK_OUT]``.
    """
    n, ic, batch, lanes = _of(data, 4, "the data of a matrix product")
    oc, _, rows, _ = _of(weight, 4, "the weights of a matrix product")
    rc, ri, acc_t = te.reduce_axis((0, ic), "rc"), te.reduce_axis((0, lanes), "ri"), current().acc_dtype
    return te.compute((n, oc, batch, rows), lambda bo, co, bi, ci: te.sum(
        data[bo, rc, bi, ri].astype(acc_t) * weight[co, rc, ci, ri].astype(acc_t), axis=[rc, ri]), "sums")


def batch_matmul_packed(data: Tensor, weight: Tensor) -> Tensor:
    """Matrix products, one of each pair.

    Parameters
    ----------
    data : Tensor
        ``[batch, N, I, BATCH, BLOCK_IN]``.
    weight : Tensor
        ``[batch, O, I, BLOCK_OUT, BLOCK_IN]``.

    Returns
    -------
    sums : Tensor
        ``[batch, N, O, BATCH, BLOCK_OUT]``.
    """
    pairs, n, ic, batch, lanes = _of(data, 5, "the data of a batch of matrix products")
    _, oc, _, rows, _ = _of(weight, 5, "the weights of a batch of matrix products")
    rc, ri, acc_t = te.reduce_axis((0, ic), "rc"), te.reduce_axis((0, lanes), "ri"), current().acc_dtype
    return te.compute((pairs, n, oc, batch, rows), lambda bb, bo, co, bi, ci: te.sum(
        data[bb, bo, rc, bi, ri].astype(acc_t) * weight[bb, co, rc, ci, ri].astype(acc_t), axis=[rc, ri]), "sums")


def bias_add_packed(x: Tensor, bias: Tensor) -> Tensor:
    """The sum with the bias of each output channel.

    Parameters
    ----------
    x : Tensor
        Of 4 or 6 dimensions.
    bias : Tensor
        ``[O, BATCH, BLOCK_OUT]``, of the accumulators' type.
    """
    need(x, Tensor, "what a bias is added to")
    _of(bias, 3, "a bias")
    return te.compute(x.shape, lambda *i: x(*i) + bias[i[1], i[-2], i[-1]], "biased")


def leaky_relu_packed(x: Tensor, by: int = 3) -> Tensor:
    """x where it is not negative, else ``x >> by``.

    Parameters
    ----------
    x : Tensor
    by : int, optional
    """
    need(x, Tensor, "the operand of leaky_relu")
    by = whole(by, "the shift of leaky_relu")
    return te.compute(x.shape, lambda *i: te.max(x(*i), x(*i) >> by), "leaky")


def _window(data, kernel, stride, padding, fill, what):
    """A shape, the image, the window's axes, and what an output reads."""
    n, c, height, width, batch, lanes = _of(data, 6, f"the data of {what}")
    env = current()
    if env.BLOCK_IN != env.BLOCK_OUT:
        raise NotImplementedError(f"{what}: blocks of {env.BLOCK_IN} inputs become blocks of {env.BLOCK_OUT} outputs in this "
                                  "configuration: use vta.topi.Operator, which writes that down")
    (kh, kw), (sh, sw), sides = _pair(kernel, "the kernel"), _pair(stride, "the stride"), _sides(padding)
    shape = (n, c, (height + sides[0] + sides[2] - kh) // sh + 1, (width + sides[1] + sides[3] - kw) // sw + 1, batch, lanes)
    image = _padded(data, sides, fill)
    dy, dx = te.reduce_axis((0, kh), "dy"), te.reduce_axis((0, kw), "dx")
    return shape, [dy, dx], lambda bo, co, i, j, bi, ci: image[
        bo, co, i * sh + dy, j * sw + dx, bi, ci].astype(env.acc_dtype)


def max_pool2d_packed(data: Tensor, kernel: Pair, stride: Pair = 1, padding: Pair = 0) -> Tensor:
    """The largest element under each window; padding does not count.

    Parameters
    ----------
    data : Tensor
        ``[N, C, height, width, BATCH, BLOCK_IN]``; BLOCK_IN is BLOCK_OUT.
    kernel, stride : int or (int, int)
    padding : int, (int, int) or (top, left, bottom, right), optional
    """
    shape, axes, read = _window(data, kernel, stride, padding, -(1 << (current().INP_WIDTH - 1)), "max_pool2d")
    return te.compute(shape, lambda *i: te.max(read(*i), axis=axes), "largest", varargs_names=_AXES)


def avg_pool2d_packed(data: Tensor, kernel: Pair, stride: Pair = 1, padding: Pair = 0) -> Tensor:
    """The average of each window, rounded to the nearest, halves up; padding counts as zeros. (Where it shall not count, use
    :class:`vta.topi.Operator`.)

    Parameters
    ----------
    data : Tensor
        ``[N, C, height, width, BATCH, BLOCK_IN]``; BLOCK_IN is BLOCK_OUT.
    kernel, stride : int or (int, int)
    padding : int, (int, int) or (top, left, bottom, right), optional
    """
    shape, axes, read = _window(data, kernel, stride, padding, 0, "avg_pool2d")
    kh, kw = _pair(kernel, "the kernel")
    total = te.compute(shape, lambda *i: te.sum(read(*i), axis=axes), "total", varargs_names=_AXES)
    return te.compute(shape, lambda *i: te.floordiv(total(*i) * 2 + kh * kw, 2 * kh * kw), "average")


def upsample2d_packed(data: Tensor, scale: Pair = 2) -> Tensor:
    """The nearest neighbour: each element several times.

    Parameters
    ----------
    data : Tensor
        ``[N, C, height, width, BATCH, BLOCK_IN]``; BLOCK_IN is BLOCK_OUT.
    scale : int or (int, int), optional
    """
    n, c, height, width, batch, lanes = _of(data, 6, "the data of upsample2d")
    rows, columns = _pair(scale, "the scale")
    return te.compute((n, c, height * rows, width * columns, batch, lanes), lambda bo, co, i, j, bi, ci: data[
        bo, co, te.floordiv(i, rows), te.floordiv(j, columns), bi, ci].astype(current().acc_dtype), "nearest")


def concat_packed(*inputs: Tensor) -> Tensor:
    """Whole blocks of channels, those of one tensor behind those of another; of the output type, and the whole of a kernel.

    Parameters
    ----------
    inputs : Tensor
        ``[N, C, height, width, BATCH, BLOCK_OUT]``.
    """
    if not inputs:
        raise ValueError("concat takes at least one tensor")
    shapes = [_of(x, 6, "an input of concat") for x in inputs]
    n, _, *rest = shapes[0]
    ends = [sum(s[1] for s in shapes[:k + 1]) for k in range(len(shapes))]

    def element(bo, co, *at):
        value = te.const(0, inputs[0].dtype)
        for x, end, s in reversed(list(zip(inputs, ends, shapes))):
            value = te.if_then_else(co < end, x(bo, co - (end - s[1]), *at), value)
        return value

    return te.compute((n, ends[-1], *rest), element, "res", varargs_names=_AXES)

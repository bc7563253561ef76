"""Operators of neural networks."""

from __future__ import annotations

from vta import te
from vta._check import need
from vta.te import Tensor
from vta.topi import tag
from .convolution import InvalidShapeError, conv2d, conv2d_nchw, conv2d_transpose_nchw, for_accelerator, group_conv2d_nchw
from .layers import (batch_matmul, batch_norm, depth_to_space, depthwise_conv2d_nchw, layer_norm, prelu, scale_shift_nchw, space_to_depth,
                     upsampling)
from vta.topi.padding import dilate, get_pad_tuple, pad
from .pooling import adaptive_pool, global_pool, pool, pool1d, pool2d, pool3d

__all__ = ["adaptive_pool", "batch_flatten", "batch_matmul", "batch_norm", "bias_add", "conv2d", "conv2d_nchw", "conv2d_transpose_nchw",
           "dense", "depth_to_space", "depthwise_conv2d_nchw", "dilate", "flatten", "get_pad_tuple", "global_pool", "group_conv2d_nchw",
           "layer_norm", "leaky_relu", "log_softmax", "pad", "pool", "pool1d", "pool2d", "pool3d", "prelu", "relu", "scale_shift_nchw",
           "softmax", "space_to_depth", "upsampling"]


def relu(x: Tensor) -> Tensor:
    """max(x, 0), element by element.

    Parameters
    ----------
    x : Tensor

    Returns
    -------
    result : Tensor
    """
    need(x, Tensor, "the operand of relu")
    return te.compute(x.shape, lambda *i: te.max(x(*i), te.const(0, x.dtype)), tag=tag.ELEMWISE)


def dense(data: Tensor, weight: Tensor, bias: Tensor | None = None, out_dtype: str | None = None) -> Tensor:
    """A matrix product with transposed weights: ``[N, I]`` and ``[O, I]``; of tensors in tiles (four dimensions) the template
    ``dense_packed.vta``, for the target of the accelerator.

    Parameters
    ----------
    data, weight : Tensor
    bias : Tensor, optional
        ``[O]``.
    out_dtype : str, optional
        Default: the type of the data.
    """
    if need(data, Tensor, "an operand of dense").ndim == 4 and for_accelerator():
        from ..autotvm.task import computed_by

        return computed_by("dense_packed.vta", data, weight, bias, out_dtype or data.dtype)
    if data.ndim != 2 or need(weight, Tensor, "an operand of dense").ndim != 2:
        raise InvalidShapeError(f"dense of {data.name} with {data.ndim} and {weight.name} with {weight.ndim} dimensions: matrices are "
                                "wanted, or tensors in tiles inside `with vta.get_env().target:`")
    (n, depth), (outs, _) = [need(t, Tensor, "an operand of dense").shape for t in (data, weight)]
    dtype, k = data.dtype if out_dtype is None else out_dtype, te.reduce_axis((0, depth), "k")
    out = te.compute((n, outs), lambda i, j: te.sum(data[i, k].astype(dtype) * weight[j, k].astype(dtype), axis=k), "T_dense",
                     tag="dense")
    if bias is None:
        return out
    return te.compute((n, outs), lambda i, j: out[i, j] + need(bias, Tensor, "a bias")[j].astype(dtype), "T_add",
                      tag=tag.BROADCAST)


def softmax(x: Tensor, axis: int = -1) -> Tensor:
    """``exp(x - max) / sum(exp(x - max))`` along a dimension.

    Parameters
    ----------
    x : Tensor
        Of floats.
    axis : int, optional
    """
    extents = need(x, Tensor, "the operand of softmax").shape
    along = axis % x.ndim
    rest = [e for d, e in enumerate(extents) if d != along] or [1]

    def at(rests, value):
        return list(rests[:along]) + [value] + list(rests[along:]) if x.ndim > 1 else [value]

    def others(index):
        return [i for d, i in enumerate(index) if d != along] or [0]

    k, names = te.reduce_axis((0, extents[along]), "k"), [f"i{d}" for d in range(x.ndim)]
    largest = te.compute(rest, lambda *i: te.max(x(*at(i, k)), axis=k), "T_softmax_maxelem", varargs_names=names)
    powers = te.compute(extents, lambda *i: te.exp(x(*i) - largest(*others(i))), "T_softmax_exp", varargs_names=names)
    k2 = te.reduce_axis((0, extents[along]), "k")
    total = te.compute(rest, lambda *i: te.sum(powers(*at(i, k2)), axis=k2), "T_softmax_expsum", varargs_names=names)
    return te.compute(extents, lambda *i: powers(*i) / total(*others(i)), "T_softmax_norm", varargs_names=names)


def log_softmax(x: Tensor, axis: int = -1) -> Tensor:
    """``x - max - log(sum(exp(x - max)))`` along the last dimension of a matrix.

    Parameters
    ----------
    x : Tensor
        Of floats, with two dimensions.
    axis : int, optional
        The last.
    """
    rows, columns = need(x, Tensor, "the operand of log_softmax").shape
    if axis not in (-1, 1):
        raise NotImplementedError("log_softmax is offered along the last dimension of a matrix")
    k, k2 = te.reduce_axis((0, columns), "k"), te.reduce_axis((0, columns), "k")
    largest = te.compute((rows,), lambda i: te.max(x[i, k], axis=k), "T_softmax_maxelem")
    total = te.compute((rows,), lambda i: te.sum(te.exp(x[i, k2] - largest[i]), axis=k2), "T_softmax_expsum")
    return te.compute((rows, columns), lambda i, j: x[i, j] - largest[i] - te.log(total[i]), "T_log_softmax")


def leaky_relu(x: Tensor, alpha: float) -> Tensor:
    """x where it is positive, else ``alpha * x``.

    Parameters
    ----------
    x : Tensor
    alpha : float
    """
    need(x, Tensor, "the operand of leaky_relu")
    return te.compute(x.shape, lambda *i: te.select(x(*i) > te.const(0, x.dtype), x(*i), x(*i) * te.const(alpha, x.dtype)),
                      tag=tag.ELEMWISE)


def batch_flatten(data: Tensor) -> Tensor:
    """All dimensions but the first as one.

    Parameters
    ----------
    data : Tensor
        Of constant extents.
    """
    from .transform import reshape

    return reshape(data, (need(data, Tensor, "what is flattened").shape[0], -1))


flatten = batch_flatten


def bias_add(data: Tensor, bias: Tensor, axis: int = 1) -> Tensor:
    """A number for each index of a dimension added.

    Parameters
    ----------
    data, bias : Tensor
    axis : int, optional
    """
    at = axis % need(data, Tensor, "what a bias is added to").ndim
    need(bias, Tensor, "a bias")
    return te.compute(data.shape, lambda *i: data(*i) + bias(i[at]), "T_bias_add", tag=tag.BROADCAST)

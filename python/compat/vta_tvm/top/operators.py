"""The computations, by their names. A task of one alone rounds its sums to eight bits, which is what the accelerator stores."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from vta import te, topi
from vta._settings import current
from ..autotvm.dispatcher import register_fallback
from ..autotvm.task import register_topi_compute, register_topi_schedule, template
from vta.error import VTAValueError
from vta.topi import packed
from ..topi.convolution import InvalidShapeError, is_packed_layout
from ..topi.utils import get_const_int, get_const_tuple
from .choose import choose_for
from .schedule import schedule_packed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from vta.te import Schedule, Tensor

__all__ = ["conv2d_packed", "conv2d_transpose_packed", "dense_packed", "group_conv2d_packed", "is_packed_layout",
           "schedule_conv2d_packed", "schedule_conv2d_transpose_packed", "schedule_dense_packed", "schedule_group_conv2d_packed"]


def _sums(cfg: Any, name: str, sums: Tensor, kernel: Tensor, out_dtype: str | None) -> Tensor:
    """Counts the operations of a product, and checks its type."""
    if out_dtype not in (None, sums.dtype):
        raise VTAValueError(f"{name}: out_dtype is {out_dtype}: the accelerator sums in {sums.dtype}")
    taps = math.prod(get_const_tuple(kernel.shape)[1:]) // kernel.shape[-2]
    cfg.add_flop(2 * math.prod(get_const_tuple(sums.shape)) * taps)
    return sums


def _undilated(name: str, dilation: Any) -> None:
    if dilation not in (1, (1, 1), [1, 1]):
        raise NotImplementedError(f"{name}: dilation is {dilation}: only 1 has a template; vta.topi.Operator(\"conv2d\") takes others")


@register_topi_compute("conv2d_packed.vta")
def conv2d_packed(cfg: Any, data: Tensor, kernel: Tensor, strides: Any, padding: Any, dilation: Any, layout: str,
                  out_dtype: str) -> Tensor:
    """A 2D convolution of tensors in tiles.

    Parameters
    ----------
    cfg : ConfigEntity
        Not given by the caller: the dispatch context's.
    data : Tensor
        ``[N, I, height, width, BATCH, BLOCK_IN]``.
    kernel : Tensor
        ``[O, I, kernel_h, kernel_w, BLOCK_OUT, BLOCK_IN]``.
    strides : (int, int)
    padding : (int, int) or (top, left, bottom, right)
    dilation : (int, int)
        (1, 1).
    layout : str
        ``"NCHW1n16c"``, with the environment's BATCH and BLOCK_IN.
    out_dtype : str
        That of sums, ``env.acc_dtype``.
    """
    if not is_packed_layout(layout):
        raise InvalidShapeError(f"conv2d_packed takes tensors in tiles, layout NCHW{current().BATCH}n{current().BLOCK_IN}c, not {layout}")
    _undilated("conv2d_packed", dilation)
    return _sums(cfg, "conv2d_packed", packed.conv2d_packed(data, kernel, strides, padding), kernel, out_dtype)


@register_topi_compute("group_conv2d_packed.vta")
def group_conv2d_packed(cfg: Any, data: Tensor, kernel: Tensor, strides: Any, padding: Any, dilation: Any, group: int,
                        out_dtype: str) -> Tensor:
    """A 2D convolution in groups, of tensors in tiles.

    Parameters
    ----------
    cfg : ConfigEntity
        Not given by the caller.
    data : Tensor
        ``[N, I, height, width, BATCH, BLOCK_IN]``.
    kernel : Tensor
        ``[O, I / group, kernel_h, kernel_w, BLOCK_OUT, BLOCK_IN]``.
    strides : (int, int)
    padding : (int, int) or (top, left, bottom, right)
    dilation : (int, int)
        (1, 1).
    group : int
    out_dtype : str
    """
    _undilated("group_conv2d_packed", dilation)
    if kernel.shape[1] * group != data.shape[1]:
        raise InvalidShapeError(f"group_conv2d_packed: {data.shape[1]} blocks of channels in {group} groups, the kernel takes {kernel.shape[1]}")
    return _sums(cfg, "group_conv2d_packed", packed.conv2d_packed(data, kernel, strides, padding), kernel, out_dtype)


@register_topi_compute("conv2d_transpose_packed.vta")
def conv2d_transpose_packed(cfg: Any, data: Tensor, kernel: Tensor, strides: Any, padding: Any, out_dtype: str,
                            output_padding: Any = (0, 0)) -> Tensor:
    """A transposed 2D convolution of tensors in tiles: the host spreads the data out with zeros, and a convolution follows.
    (``vta.topi.Operator("conv2d_transpose")`` needs no zeros.)

    Parameters
    ----------
    cfg : ConfigEntity
        Not given by the caller.
    data : Tensor
        ``[N, I, height, width, BATCH, BLOCK_IN]``.
    kernel : Tensor
        ``[O, I, kernel_h, kernel_w, BLOCK_OUT, BLOCK_IN]``, rows and columns in reverse order.
    strides : (int, int)
    padding : (int, int) or (top, left, bottom, right)
        Rows and columns of the result that are left out.
    out_dtype : str
    output_padding : (int, int), optional
        Rows and columns that are added below and on the right.
    """
    rows, columns = (get_const_int(extent) for extent in kernel.shape[2:4])
    top, left, below, right = topi.nn.get_pad_tuple(padding, (rows, columns))
    around = (rows - 1 - top, columns - 1 - left, rows - 1 - below + output_padding[0], columns - 1 - right + output_padding[1])
    if min(around) < 0:
        raise VTAValueError(f"conv2d_transpose_packed: a padding of {padding} leaves out more than a kernel of {rows} x {columns} reaches")
    spread = topi.nn.dilate(data, [1, 1, *strides, 1, 1], name="spread") if tuple(strides) != (1, 1) else data
    return _sums(cfg, "conv2d_transpose_packed", packed.conv2d_packed(spread, kernel, 1, around), kernel, out_dtype)


@register_topi_compute("dense_packed.vta")
def dense_packed(cfg: Any, data: Tensor, weight: Tensor, bias: Tensor | None = None, out_dtype: str | None = None) -> Tensor:
    """A matrix product of tensors in tiles, with transposed weights.

    Parameters
    ----------
    cfg : ConfigEntity
        Not given by the caller.
    data : Tensor
        ``[N, I, BATCH, BLOCK_IN]``.
    weight : Tensor
        ``[O, I, BLOCK_OUT, BLOCK_IN]``.
    bias : None, optional
        Only None: add it to the sums.
    out_dtype : str, optional
    """
    if data.ndim != 4 or weight.ndim != 4:
        raise InvalidShapeError(f"dense_packed takes tensors in tiles, of 4 dimensions, not of {data.ndim} and {weight.ndim}")
    if bias is not None:
        raise NotImplementedError("dense_packed(bias=...) is not offered: add the bias to the sums with topi.add")
    return _sums(cfg, "dense_packed", packed.dense_packed(data, weight), weight, out_dtype)


def _register(name: str, compute: Callable[..., Tensor]) -> Callable[..., Schedule]:
    """Registers the schedule of a computation, and the task of it alone."""

    def schedule(cfg: Any, outs: Sequence[Tensor]) -> Schedule:
        return schedule_packed(cfg, outs)

    schedule.__name__ = schedule.__qualname__ = f"schedule_{compute.__name__}"
    schedule.__doc__ = f"""The schedule of what comes from :func:`{compute.__name__}`, with what follows element by element.

    Parameters
    ----------
    cfg : ConfigEntity
        Not given by the caller.
    outs : list of Tensor
        One, of the type that the accelerator stores.
    """
    scheduled = register_topi_schedule(name, schedule)
    register_fallback(name, choose_for)

    @template(name)
    def task(*args: Any) -> tuple[Schedule, list[Tensor]]:
        env = current()
        most = (1 << (env.OUT_WIDTH - 1)) - 1
        res = topi.maximum(topi.minimum(topi.right_shift(compute(*args), env.WGT_WIDTH), most), -most - 1)
        res = topi.cast(res, env.out_dtype)
        return scheduled([res]), [a for a in args if isinstance(a, te.Tensor)] + [res]

    return scheduled


schedule_conv2d_packed = _register("conv2d_packed.vta", conv2d_packed)
schedule_group_conv2d_packed = _register("group_conv2d_packed.vta", group_conv2d_packed)
schedule_conv2d_transpose_packed = _register("conv2d_transpose_packed.vta", conv2d_transpose_packed)
schedule_dense_packed = _register("dense_packed.vta", dense_packed)

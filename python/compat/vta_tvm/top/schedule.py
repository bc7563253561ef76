"""One schedule for all products on tensors in tiles: a tile of the result at a time, its sums in the accumulators, what follows element
by element behind them, operands loaded a few blocks of input channels at a time, virtual threads along output channels or rows.

The knobs are those of TVM's VTA: ``tile_b``, ``tile_h``, ``tile_w``, ``tile_ci``, ``tile_co``, ``oc_nthread``, ``h_nthread``."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from vta import te
from vta.environment import get_env
from vta.error import VTAValueError
from vta.te.tensor import ComputeOp
from ..topi.utils import get_const_int
from .choose import choose

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from vta.environment import Environment
    from vta.te import Schedule, Tensor
    from vta.te.tensor import IterVar, Operation

__all__ = ["schedule_packed"]


class _Parts(NamedTuple):
    """What an output is made of: the product, the steps between it and the output, and what these read besides."""

    product: Tensor
    steps: list[Operation]
    constants: list[Operation]
    operands: list[tuple[Operation, Tensor]]


def _parts(output: Tensor) -> _Parts:
    found: list[Tensor] = []
    parts = _Parts(output, [], [], [])

    def visit(op: Operation) -> None:
        if op != output.op:
            (parts.steps if op.axis else parts.constants).append(op)
        for tensor in op.input_tensors:
            if not isinstance(tensor.op, ComputeOp):
                parts.operands.append((op, tensor))
            elif tensor.op.reduce_axis:
                found.append(tensor)
            elif tensor.op not in parts.steps and tensor.op not in parts.constants:
                visit(tensor.op)

    visit(output.op)
    if len(found) != 1:
        raise VTAValueError(f"{output.name} is made of {len(found)} sums: the template takes one, and what follows it element by element")
    return parts._replace(product=found[0])


def _shape(tensor: Tensor) -> list[int]:
    return [get_const_int(extent) for extent in tensor.shape]


def _define(cfg: Any, product: Tensor) -> None:
    """The knobs."""
    axes, image = product.op.axis, len(product.shape) == 6
    cfg.define_split("tile_b", axes[0], num_outputs=2)
    if image:
        cfg.define_split("tile_h", axes[2], num_outputs=2)
        cfg.define_split("tile_w", axes[3], num_outputs=2)
    cfg.define_split("tile_ci", product.op.reduce_axis[0], num_outputs=2)
    cfg.define_split("tile_co", axes[1], num_outputs=2)
    cfg.define_knob("oc_nthread", [1, 2])
    if image:
        cfg.define_knob("h_nthread", [1, 2])


def _tile(s: Schedule, cfg: Any, output: Tensor) -> tuple[IterVar, IterVar]:
    """Cuts the result into tiles, some for virtual threads. Gives the loop whose iteration is a tile, and the first one inside."""
    b, co, *rest = s[output].op.axis
    image = len(rest) == 4
    b0, b1 = cfg["tile_b"].apply(s, output, b)
    co0, co1 = cfg["tile_co"].apply(s, output, co)
    outer, inner, rows = [b0, co0], [b1, co1], None
    if image:
        rows, i1 = cfg["tile_h"].apply(s, output, rest[0])
        j0, j1 = cfg["tile_w"].apply(s, output, rest[1])
        outer, inner = [b0, rows, co0, j0], [b1, co1, i1, j1]
    s[output].reorder(*outer, *inner)
    threads = []
    for name, axis in (("oc_nthread", co0), ("h_nthread", rows)):
        if axis is not None and cfg[name].val > 1:
            rest_of, thread = s[output].split(axis, factor=cfg[name].val)
            outer[outer.index(axis)] = rest_of
            threads.append(thread)
    s[output].reorder(*threads, *outer)
    for thread in threads:
        s[output].bind(thread, te.thread_axis("cthread"))
    return outer[-1], inner[0]


def _load(s: Schedule, product: Tensor) -> tuple[Tensor, Tensor]:
    """Copies of the operands of a product in the accelerator's memories."""
    env = get_env()
    data, weight = product.op.input_tensors
    if isinstance(data.op, ComputeOp) and "pad" in data.op.tag:
        s[data].set_scope(env.inp_scope)
        image = data
    else:
        image = s.cache_read(data, env.inp_scope, [product])
    return image, s.cache_read(weight, env.wgt_scope, [product])


def _multiply(s: Schedule, cfg: Any, product: Tensor, image: Tensor, weight: Tensor, env: Environment) -> None:
    """The product: a few blocks of input channels at a time, micro-ops along the tile inside."""
    axes, sums = list(s[product].op.axis), list(s[product].op.reduce_axis)
    b, co, bi, ci = axes[0], axes[1], axes[-2], axes[-1]
    k0, k1 = cfg["tile_ci"].apply(s, product, sums[0])
    if len(axes) == 6:
        s[product].reorder(k0, b, k1, axes[3], sums[2], sums[1], co, axes[2], bi, ci, sums[3])
    else:
        s[product].reorder(k0, k1, b, co, bi, ci, sums[1])
    for operand in (image, weight):
        s[operand].compute_at(s[product], k0)
        s[operand].pragma(s[operand].op.axis[0], env.dma_copy)
    s[product].tensorize(bi, env.gemm)


def schedule_packed(cfg: Any, outs: Sequence[Tensor]) -> Schedule:
    """The schedule of a product and what follows it.

    Parameters
    ----------
    cfg : ConfigSpace, ConfigEntity or FallbackConfigEntity
        Without a configuration, tiles are chosen by their estimated time (:func:`vta.top.choose.choose`).
    outs : list of Tensor
        One, of the type that the accelerator stores.
    """
    env = get_env()
    if len(outs) != 1 or outs[0].dtype != env.out_dtype:
        raise VTAValueError(f"the template schedules one output of {env.out_dtype}, which the accelerator stores, not "
                            f"{', '.join(f'{o.name} of {o.dtype}' for o in outs)}: end with topi.cast(…, env.out_dtype)")
    output = outs[0]
    parts = _parts(output)
    product = parts.product
    s = te.create_schedule(output.op)
    _define(cfg, product)
    if cfg.is_fallback:
        choose(cfg, [_shape(t) for t in (product, *product.op.input_tensors)], [_shape(t) for _, t in parts.operands])
    image, weight = _load(s, product)
    loaded = [s.cache_read(tensor, env.acc_scope, [reader]) for reader, tensor in parts.operands]
    s[product].set_scope(env.acc_scope)
    for op in parts.constants:
        s[op].compute_inline()
    at, first = _tile(s, cfg, output)
    s[product].compute_at(s[output], at)
    for op in parts.steps:
        s[op].set_scope(env.acc_scope)
        s[op].compute_at(s[output], at)
        s[op].pragma(s[op].op.axis[0], env.alu)
    for tensor in loaded:
        s[tensor].compute_at(s[output], at)
        s[tensor].pragma(s[tensor].op.axis[0], env.dma_copy)
    _multiply(s, cfg, product, image, weight, env)
    s[output].pragma(first, env.dma_copy)
    return s

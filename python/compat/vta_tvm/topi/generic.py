"""Schedules of operators by name. Outputs of a registered template (:mod:`vta.autotvm`) get its schedule; those of plain computations
one for the host: outer loops on all its cores, reductions outside of the innermost data axis."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vta import te
from vta._check import need
from vta.error import VTALookupError
from vta.expr import Expr
from vta.te import Schedule, Tensor
from vta.te.tensor import ExternOp, PlaceholderOp
from vta.topi import tag
from .convolution import for_accelerator

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Union

    from vta.te.tensor import Operation

    Outs = Union[Tensor, Sequence[Tensor]]

__all__ = ["schedule_conv2d_nchw", "schedule_group_conv2d_nchw", "schedule_conv2d_transpose_nchw", "schedule_dense", "schedule_injective",
           "schedule_depthwise_conv2d_nchw", "schedule_matmul", "schedule_batch_matmul", "schedule_reduce", "schedule_softmax",
           "schedule_concatenate", "schedule_extern", "schedule_adaptive_pool", "schedule_pool", "schedule_injective_from_existing",
           "default_schedule"]


def _operations(outs: Sequence[Tensor]) -> list[Operation]:
    """The computations that outputs need, consumers first."""
    todo, out = [t.op for t in outs], list[te.tensor.Operation]()
    while todo:
        op = todo.pop(0)
        if op not in out and not isinstance(op, PlaceholderOp):
            out.append(op)
            todo += [t.op for t in op.input_tensors]
    return out


def _varies(op: Operation) -> bool:
    """Whether a reduce axis is longer or shorter for some indices than for others."""
    data = {axis.var.handle for axis in op.axis}

    def uses(e: object) -> bool:
        return isinstance(e, Expr) and (e.handle in data or bool([part for part in e.operands if uses(part)]))

    return bool([axis for axis in op.reduce_axis if axis.dom and (uses(axis.dom.min) or uses(axis.dom.extent))])


def default_schedule(outs: Outs) -> Schedule:
    """A schedule for the host.

    Parameters
    ----------
    outs : Tensor or list of Tensor
    """
    given = [need(t, Tensor, "what is scheduled") for t in (outs if isinstance(outs, (list, tuple)) else [outs])]
    s = te.create_schedule([t.op for t in given])
    last = [t.op for t in given]
    for op in _operations(given):
        if isinstance(op, ExternOp):  # its loops stay as they are written
            continue
        stage = s[op]
        axes = list(op.axis)
        if op not in last and not op.reduce_axis and (tag.is_broadcast(op.tag) or tag.is_injective(op.tag)):
            stage.compute_inline()
            continue
        if op.reduce_axis and len(axes) > 1 and not _varies(op):
            stage.reorder(*axes[:-1], *op.reduce_axis, axes[-1])
        if len(axes) > 1:
            stage.parallel(stage.fuse(*axes[:2]) if len(axes) > 2 else axes[0])
    return s


def _scheduler(name: str) -> Callable[[Outs], Schedule]:
    def schedule(outs: Outs) -> Schedule:
        from ..autotvm.task import scheduled_by

        found = scheduled_by(outs)
        if found is not None:
            return found
        if for_accelerator():
            raise VTALookupError(f"{name}: these outputs come from no registered template of the accelerator (vta.autotvm), so that there is "
                                 "no schedule for them: vta.build(args, auto=True) finds one")
        return default_schedule(outs)

    schedule.__name__ = schedule.__qualname__ = name
    schedule.__doc__ = """The schedule of the template that outputs come from, or one for the host.

    Parameters
    ----------
    outs : Tensor or list of Tensor
    """
    return schedule


schedule_conv2d_nchw = _scheduler("schedule_conv2d_nchw")
schedule_group_conv2d_nchw = _scheduler("schedule_group_conv2d_nchw")
schedule_conv2d_transpose_nchw = _scheduler("schedule_conv2d_transpose_nchw")
schedule_dense = _scheduler("schedule_dense")
schedule_injective = _scheduler("schedule_injective")
schedule_depthwise_conv2d_nchw = _scheduler("schedule_depthwise_conv2d_nchw")
schedule_matmul = _scheduler("schedule_matmul")
schedule_batch_matmul = _scheduler("schedule_batch_matmul")
schedule_reduce = _scheduler("schedule_reduce")
schedule_softmax = _scheduler("schedule_softmax")
schedule_concatenate = _scheduler("schedule_concatenate")
schedule_extern = _scheduler("schedule_extern")
schedule_adaptive_pool = _scheduler("schedule_adaptive_pool")
_schedule_pool = _scheduler("schedule_pool")


def schedule_pool(outs: Outs, layout: str = "NCHW") -> Schedule:
    """The schedule of the template that outputs come from, or one for the host.

    Parameters
    ----------
    outs : Tensor or list of Tensor
    layout : str, optional
        Accepted, without effect: the computation says it.
    """
    return _schedule_pool(outs)


def schedule_injective_from_existing(sch: Schedule, out: Tensor) -> Schedule:
    """Makes one loop of those of a tensor, in a schedule that is there.

    Parameters
    ----------
    sch : Schedule
    out : Tensor

    Returns
    -------
    sch : Schedule
    """
    stage = need(sch, Schedule, "the schedule")[need(out, Tensor, "what is scheduled")]
    if len(stage.op.axis) > 1:
        stage.fuse(*stage.op.axis)
    return sch

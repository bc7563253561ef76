"""See :mod:`vta.te.schedule`."""

from __future__ import annotations

from typing import Any

from vta.build import schedule_ops
from vta.intrin import Buffer
from vta._check import need
from vta.expr import Extent
from vta.te import IterVar, ScanOp
from vta.te.graph import producers_first, read_graph
from vta.te.relations import Fuse, IterVarAttr, IterVarRelation, Singleton, Split
from vta.te.schedule import Schedule, Stage, create_schedule
from vta.registry import register_func
from .._refuse import refuse

__all__ = ["AutoInlineBroadcast", "AutoInlineElemWise", "AutoInlineInjective", "Buffer", "CreateReadGraph", "Fuse", "InferBound",
           "IterVar", "IterVarAttr", "IterVarRelation", "PostDFSOrder", "ScanFixPointAnalysis", "ScanGetBody", "Schedule", "ScheduleOps", "Singleton", "Split", "Stage", "create_schedule"]


def InferBound(s: Any) -> Any:
    """What each axis runs over; see :meth:`vta.te.Schedule.bounds`."""
    return s.bounds()


def ScheduleOps(s: Any, bounds: object, debug_keep_trivial_loop: bool = False) -> Any:
    """The statement of a schedule; its bounds are inferred once more."""
    return schedule_ops(s)


def CreateReadGraph(ops: Any) -> Any:
    """See :func:`vta.te.graph.read_graph`."""
    return read_graph(ops)


def PostDFSOrder(roots: Any, g: Any) -> Any:
    """See :func:`vta.te.graph.producers_first`."""
    return producers_first(roots, g)


def ScanGetBody(scan: Any) -> Any:
    """What a scan computes a row with."""
    return need(scan, ScanOp, "what ScanGetBody takes").scan_body


def ScanFixPointAnalysis(scan: Any) -> dict[Any, Extent]:
    """For each of its column axes 1 where its places are computed apart from each other, else 0."""
    apart = need(scan, ScanOp, "what ScanFixPointAnalysis takes").columns_apart()
    return {axis: Extent(value) for axis, value in apart.items()}


def AutoInlineElemWise(s: Any) -> None:
    """See :meth:`vta.te.Schedule.inline_all`."""
    s.inline_all("elementwise")


def AutoInlineBroadcast(s: Any) -> None:
    """See :meth:`vta.te.Schedule.inline_all`."""
    s.inline_all("broadcast")


def AutoInlineInjective(s: Any) -> None:
    """See :meth:`vta.te.Schedule.inline_all`."""
    s.inline_all("injective")


class _Map(dict):
    """A dictionary whose items are a list."""

    def items(self):
        return list(super().items())


@register_func("test.op.InferTensorizeRegion", override=True)
def _region(stage, bounds):
    found = stage.tensorized()
    return _Map(found.axes), _Map(found.inputs)


@register_func("test.op.MatchTensorizeBody", override=True)
def _body(stage, out_dom, in_dom, intrin):
    return stage.tensorized().body


__getattr__ = refuse("tvm.te.schedule")

"""See :mod:`vta.te.schedule`."""

from vta.build import schedule_ops
from vta.intrin import Buffer
from vta.te import IterVar
from vta.te.relations import Fuse, IterVarAttr, IterVarRelation, Singleton, Split
from vta.te.schedule import Schedule, Stage, create_schedule
from .._refuse import refuse

__all__ = ["AutoInlineBroadcast", "AutoInlineElemWise", "AutoInlineInjective", "Buffer", "Fuse", "InferBound", "IterVar",
           "IterVarAttr", "IterVarRelation", "Schedule", "ScheduleOps", "Singleton", "Split", "Stage", "create_schedule"]


def InferBound(s):
    """What each axis runs over; see :meth:`vta.te.Schedule.bounds`."""
    return s.bounds()


def ScheduleOps(s, bounds, debug_keep_trivial_loop=False):
    """The statement of a schedule; its bounds are inferred once more."""
    return schedule_ops(s)


def AutoInlineElemWise(s):
    """See :meth:`vta.te.Schedule.inline_all`."""
    s.inline_all("elementwise")


def AutoInlineBroadcast(s):
    """See :meth:`vta.te.Schedule.inline_all`."""
    s.inline_all("broadcast")


def AutoInlineInjective(s):
    """See :meth:`vta.te.Schedule.inline_all`."""
    s.inline_all("injective")


__getattr__ = refuse("tvm.te.schedule")

"""See :mod:`vta.te.schedule`."""

from vta.te.schedule import Schedule, Stage, create_schedule
from .._refuse import refuse

__all__ = ["Schedule", "Stage", "create_schedule"]

__getattr__ = refuse("tvm.te.schedule")

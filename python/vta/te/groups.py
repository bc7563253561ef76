"""Stages that are computed together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._check import need
from .._lib import lib
from ..error import Refusing
from .tensor import IterVar, Tensor

if TYPE_CHECKING:
    from typing import Any

    from .tensor import Operation


class StageGroup(Refusing):
    """Stages that are computed together at a loop of another one: :meth:`vta.te.Schedule.create_group`.

    Parameters
    ----------
    schedule : Schedule
    handle : int

    Attributes
    ----------
    members : list of Operation
        Of all its stages, those of groups inside of it too.
    num_child_stages : int
        Of how many stages, and groups, it consists.
    group : StageGroup or None
        The group around it.
    attach_type : int
        ``Stage.ROOT`` or ``Stage.SCOPE``.
    attach_stage : Stage or None
    attach_ivar : IterVar or None
    """

    def __init__(self, schedule: Any, handle: int) -> None:
        self.schedule, self.handle, self.context = schedule, handle, schedule.context

    @property
    def members(self) -> list[Operation]:
        """The operations of its stages."""
        return [stage.op for stage in self.schedule.stages if self._holds(stage)]

    def _holds(self, stage):
        group = stage.group
        while group is not None and group != self:
            group = group.group
        return group is not None

    @property
    def num_child_stages(self) -> int:
        """Of how many stages, and groups, it consists."""
        return lib.te_group_children(self.handle)

    @property
    def group(self) -> StageGroup | None:
        """The group around it."""
        return group_of(self.schedule, lib.te_group_around(self.handle))

    @property
    def attach_type(self) -> int:
        """Where it is computed: by itself, or at a loop of a stage."""
        return 4 if lib.te_group_attachment(self.handle) else 1

    @property
    def attach_stage(self) -> Any:
        """The stage at whose loop it is computed."""
        handle = lib.te_group_attached_to(self.handle)
        return next((stage for stage in self.schedule.stages if stage.handle == handle), None)

    @property
    def attach_ivar(self) -> IterVar | None:
        """The loop that it is computed at, as it was given."""
        handle = lib.te_group_attached_at(self.handle)
        return IterVar(self.context, handle) if handle else None

    def compute_at(self, parent: Any, scope: IterVar) -> None:
        """Computes the group at a loop of `parent`: each of its stages of which nothing else is said.

        Parameters
        ----------
        parent : Stage
        scope : IterVar
        """
        self.context.here()
        to, at = self.context.handle_of(parent, type(self.schedule.stages[0]), "the parent of compute_at"), self.context.handle_of(
            scope, IterVar, "an axis of compute_at")
        self.context.done(lib.te_group_compute_at(self.handle, to, at))
        self.schedule._record("compute_at")

    def compute_root(self) -> None:
        """Computes its stages by themselves, as at first."""
        self.context.here()
        self.context.done(lib.te_group_compute_root(self.handle))
        self.schedule._record("compute_root")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StageGroup) and self.handle == other.handle

    def __hash__(self) -> int:
        return hash(self.handle)

    def __repr__(self) -> str:
        return f"group({', '.join(op.name for op in self.members)})"


def group_of(schedule: Any, handle: int | None) -> StageGroup | None:
    """The group of a handle.

    Parameters
    ----------
    schedule : Schedule
    handle : int or None
    """
    return StageGroup(schedule, handle) if handle else None


def create_group(schedule: Any, outputs: list[Tensor], inputs: list[Tensor], include_inputs: bool) -> StageGroup:
    """See :meth:`vta.te.Schedule.create_group`.

    Parameters
    ----------
    schedule : Schedule
    outputs, inputs : list of Tensor
    include_inputs : bool
    """
    context, what = schedule.context, "an end of create_group"
    last, first = context.handles_of(outputs, Tensor, what), context.handles_of(inputs, Tensor, what)
    context.here()
    handle = lib.te_group_create(schedule.handle, len(outputs), last, len(inputs), first,
                                 need(include_inputs, bool, "include_inputs of create_group"))
    return StageGroup(schedule, context.made(handle))

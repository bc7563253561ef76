"""Choices of a template: sizes of a split, an order, annotations, a value. They say themselves how a schedule takes them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from vta.error import VTAValueError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from vta.te import Schedule, Stage, Tensor
    from vta.te.tensor import IterVar

if TYPE_CHECKING:
    from typing import Union

    Entity = Union["SplitEntity", "ReorderEntity", "AnnotateEntity", "OtherOptionEntity"]

__all__ = ["SplitEntity", "ReorderEntity", "AnnotateEntity", "OtherOptionEntity"]


class SplitEntity:
    """Sizes of the parts of an axis, outermost first; -1 for what follows from the others.

    Parameters
    ----------
    size : list of int
    """

    kind = "sp"

    def __init__(self, size: Sequence[int]) -> None:
        self.size = [int(s) for s in size]

    @property
    def value(self) -> list[int]:
        """What a record has of it."""
        return self.size

    def apply(self, sch: Schedule, op: Tensor, axis: IterVar) -> list[IterVar]:
        """Splits an axis.

        Parameters
        ----------
        sch : Schedule
        op : Tensor
        axis : IterVar

        Returns
        -------
        axes : list of IterVar
            As many as sizes, outermost first.
        """
        out = []
        for i in range(1, len(self.size)):
            outer, axis = sch[op].split(axis, factor=math.prod(self.size[i:]))
            out.append(outer)
        return [*out, axis]

    def __repr__(self) -> str:
        return str(self.size)


class ReorderEntity:
    """An order of axes.

    Parameters
    ----------
    perm : list of int
        The numbers of the axes, outermost first.
    """

    kind = "re"

    def __init__(self, perm: Sequence[int]) -> None:
        self.perm = [int(p) for p in perm]

    @property
    def value(self) -> list[int]:
        """What a record has of it."""
        return self.perm

    def apply(self, sch: Schedule, op: Tensor, axes: Sequence[IterVar]) -> list[IterVar]:
        """Puts axes into the order.

        Parameters
        ----------
        sch : Schedule
        op : Tensor
        axes : list of IterVar

        Returns
        -------
        axes : list of IterVar
            In the new order.
        """
        if len(axes) != len(self.perm):
            raise VTAValueError(f"an order of {len(self.perm)} axes is applied to {len(axes)}")
        ordered = [axes[p] for p in self.perm]
        sch[op].reorder(*ordered)
        return ordered

    def __repr__(self) -> str:
        return str(self.perm)


ANNOTATIONS = ("none", "unroll", "vec")


class AnnotateEntity:
    """What each axis becomes: ``"none"``, ``"unroll"`` or ``"vec"``.

    Parameters
    ----------
    anns : list of str
    """

    kind = "an"

    def __init__(self, anns: Sequence[str]) -> None:
        for a in anns:
            if a not in ANNOTATIONS:
                raise VTAValueError(f"an annotation is one of {', '.join(ANNOTATIONS)}, not {a!r}")
        self.anns = list(anns)

    @property
    def value(self) -> list[str]:
        """What a record has of it."""
        return self.anns

    def apply(self, sch: Schedule, op: Tensor, axes: Sequence[IterVar], **limits: Any) -> list[IterVar]:
        """Annotates axes.

        Parameters
        ----------
        sch : Schedule
        op : Tensor
        axes : list of IterVar
        limits : Any
            Not offered: axes are annotated whatever their extents are.

        Returns
        -------
        axes : list of IterVar
        """
        if any(v is not None for v in limits.values()):
            raise NotImplementedError(f"AnnotateEntity.apply({', '.join(limits)}) is not offered: choose axes in the template")
        if len(axes) != len(self.anns):
            raise VTAValueError(f"annotations of {len(self.anns)} axes are applied to {len(axes)}")
        stage: Stage = sch[op]
        for axis, a in zip(axes, self.anns):
            if a == "unroll":
                stage.unroll(axis)
            elif a == "vec":
                stage.vectorize(axis)
        return list(axes)

    def __repr__(self) -> str:
        return str(self.anns)


class OtherOptionEntity:
    """A value.

    Parameters
    ----------
    val : Any
        A number, a text, or whatever the template understands.
    """

    kind = "ot"

    def __init__(self, val: Any) -> None:
        self.val = val

    @property
    def value(self) -> Any:
        """What a record has of it."""
        return self.val

    def __repr__(self) -> str:
        return str(self.val)


KINDS: dict[str, Any] = {"sp": SplitEntity, "re": ReorderEntity, "an": AnnotateEntity, "ot": OtherOptionEntity}

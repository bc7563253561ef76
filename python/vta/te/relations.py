"""How the axes of a stage came about, and what is said of them."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from .. import _bindings as b
from .._lib import lib, text
from ..expr import Expr
from .attributes import Text
from .tensor import IterVar

if TYPE_CHECKING:
    from typing import Any


class IterVarRelation:
    """A step that made axes of others."""


class Split(IterVarRelation):
    """An axis that became two.

    Parameters
    ----------
    parent, outer, inner : IterVar
    factor, nparts : Expr or None
        By which number; both None: by a list of sizes.
    """

    def __init__(self, parent: IterVar, outer: IterVar, inner: IterVar, factor: Expr | None, nparts: Expr | None) -> None:
        self.parent, self.outer, self.inner, self.factor, self.nparts = parent, outer, inner, factor, nparts


class Fuse(IterVarRelation):
    """Two axes that became one.

    Parameters
    ----------
    outer, inner, fused : IterVar
    """

    def __init__(self, outer: IterVar, inner: IterVar, fused: IterVar) -> None:
        self.outer, self.inner, self.fused = outer, inner, fused


class Singleton(IterVarRelation):
    """An axis of extent 1 around everything.

    Parameters
    ----------
    iter : IterVar
    """

    def __init__(self, iter: IterVar) -> None:  # pylint: disable=redefined-builtin
        self.iter = iter


class IterVarAttr:
    """What is said of an axis.

    Parameters
    ----------
    iter_type : int
        One of IterVar's constants, such as ``IterVar.Vectorized``.
    bind_thread : IterVar or None
    pragma_keys : list of str
    pragma_values : list of Expr
    tensor_intrin : TensorIntrin, GemmIntrin or None
        What stands in place of the axis and those inside of it.
    """

    def __init__(self, iter_type: int, bind_thread: IterVar | None, pragma_keys: list[str], pragma_values: list[Expr],
                 tensor_intrin: Any = None) -> None:
        self.iter_type, self.bind_thread, self.tensor_intrin = iter_type, bind_thread, tensor_intrin
        self.pragma_keys, self.pragma_values = pragma_keys, pragma_values


def relations(stage: Any) -> list[IterVarRelation]:
    """All relations of a stage, in the order of the steps."""
    return [_relation(stage, i) for i in range(lib.te_stage_relations(stage.handle))]


def _relation(stage, index):
    context, row = stage.context, b.te_relation()
    context.done(lib.te_stage_relation(stage.handle, index, ctypes.byref(row)))
    parent, outer, inner = [IterVar(context, h) if h else None for h in (row.parent, row.outer, row.inner)]
    if row.kind == b.TE_RELATION_FUSE:
        return Fuse(outer, inner, parent)
    if row.kind == b.TE_RELATION_SINGLETON:
        return Singleton(inner)
    return Split(parent, outer, inner, *[Expr(context, h) if h else None for h in (row.factor, row.nparts)])


def marks(stage: Any) -> dict[IterVar, IterVarAttr]:
    """What is said of the axes of a stage of which something is said."""
    out, row = {}, b.te_axis_marks()
    for axis in stage.all_iter_vars:
        if lib.te_stage_marks(stage.handle, axis.handle, ctypes.byref(row)):
            continue
        thread = IterVar(stage.context, row.thread) if row.thread else None
        pragmas = [_pragma(stage, axis, i) for i in range(row.pragma_count)]
        out[axis] = IterVarAttr(getattr(IterVar, text(row.type)), thread, [k for k, _ in pragmas], [v for _, v in pragmas],
                                stage.context.intrins.get(row.intrin))
    return out


def _pragma(stage, axis, index):
    value = ctypes.c_void_p()
    name = lib.te_stage_pragma(stage.handle, axis.handle, index, ctypes.byref(value))
    return Text(text(name)), Expr(stage.context, value.value)

"""Schedules: how a computation is carried out."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from .._context import array_of
from .._lib import lib, text
from ..expr import convert
from ..intrin import TensorIntrin
from .gemm import GemmIntrin
from .tensor import IterVar, Operation, Tensor


if TYPE_CHECKING:
    from typing import NoReturn, Sequence

    from .._context import Context
    from ..expr import Operand



def create_schedule(ops: Operation | Tensor | Sequence[Operation | Tensor]) -> Schedule:
    """The default schedule: every computation by itself, loops in the order of its axes.

    Parameters
    ----------
    ops : Operation, Tensor or list of them
        The outputs.

    Returns
    -------
    schedule : Schedule
    """
    ops = list(ops) if isinstance(ops, (tuple, list)) else [ops]
    tensors = [op.output(0) if isinstance(op, Operation) else op for op in ops]
    context = tensors[0].context
    context.here()
    handle = lib.te_schedule_create(context.handle, len(tensors), array_of([t.handle for t in tensors]))
    return Schedule(context, context.made(handle), [t.op for t in tensors])


class Schedule:
    """How a set of outputs, and all they need, is computed. ``s[X]`` is the stage of the tensor X.

    Parameters
    ----------
    context : Context
    handle : int

    Attributes
    ----------
    stages : list of Stage
        Producers before consumers.
    outputs : list of Operation
    """

    def __init__(self, context: Context, handle: int, outputs: list[Operation]) -> None:
        self.context, self.handle, self.outputs = context, handle, outputs

    def __getitem__(self, tensor: Tensor | Operation) -> Stage:
        if isinstance(tensor, Operation):
            tensor = tensor.output(0)
        if not isinstance(tensor, Tensor):
            raise TypeError(f"a schedule is indexed with a tensor or an operation, not {type(tensor).__name__}")
        self.context.owner_check(tensor.context)
        self.context.here()
        return Stage(self, self.context.made(lib.te_schedule_stage(self.handle, tensor.handle)))

    @property
    def stages(self) -> list[Stage]:
        """All stages."""
        count = lib.te_schedule_stages(self.handle)
        return [Stage(self, lib.te_schedule_stage_at(self.handle, i)) for i in range(count)]

    def copy(self) -> Schedule:
        """A schedule with the same steps, to be changed by itself."""
        return Schedule(self.context, self.context.made(lib.te_schedule_copy(self.handle)), self.outputs)

    def cache_read(self, tensor: Tensor, scope: str,
                   readers: Tensor | Operation | Sequence[Tensor | Operation]) -> Tensor:
        """A copy of `tensor` in a memory scope that the readers use.

        Parameters
        ----------
        tensor : Tensor
        scope : str
            Such as ``env.inp_scope``.
        readers : list of Tensor or Operation

        Returns
        -------
        cache : Tensor
        """
        readers = list(readers) if isinstance(readers, (tuple, list)) else [readers]
        readers = [r.output(0) if isinstance(r, Operation) else r for r in readers]
        self.context.here()
        handle = lib.te_cache_read(self.handle, tensor.handle, scope.encode(), len(readers),
                                   array_of([r.handle for r in readers]))
        return Tensor(self.context, self.context.made(handle))

    def cache_write(self, tensor: Tensor | Sequence[Tensor], scope: str) -> Tensor | list[Tensor]:
        """Computes `tensor` in a memory scope and copies it out.

        Parameters
        ----------
        tensor : Tensor
        scope : str

        Returns
        -------
        cache : Tensor
        """
        if isinstance(tensor, (tuple, list)):
            if len(tensor) != 1:
                raise NotImplementedError("cache_write of several tensors at once is not offered")
            return [self.cache_write(tensor[0], scope)]
        self.context.here()
        return Tensor(self.context, self.context.made(lib.te_cache_write(self.handle, tensor.handle, scope.encode())))

    def normalize(self) -> Schedule:
        """The schedule itself: lowering brings schedules to normal form."""
        return self


class Stage:
    """One computation within a schedule; its methods are the schedule steps.

    A step that is not legal raises and changes nothing.

    Parameters
    ----------
    handle : int

    Attributes
    ----------
    op : Operation
        The computation.
    leaf_iter_vars, all_iter_vars : list of IterVar
        The loops as they stand, outermost first.
    scope : str
    """

    def __init__(self, schedule: Schedule, handle: int) -> None:
        self.schedule, self.handle = schedule, handle
        self.context = schedule.context

    def _step(self, function, *args):
        self.context.here()
        self.context.done(function(self.handle, *args))

    def _new(self, count, function, *args):
        """A step that makes axes: `function(stage, *args, out, out, …)`."""
        outs = [ctypes.c_void_p() for _ in range(count)]
        self._step(function, *args, *[ctypes.byref(o) for o in outs])
        return tuple(IterVar(self.context, o.value) for o in outs)

    @property
    def op(self) -> Operation:
        """The computation."""
        return Operation(self.context, lib.te_stage_tensor(self.handle))

    origin_op = op

    @property
    def leaf_iter_vars(self) -> list[IterVar]:
        """Loops, outermost first."""
        count = lib.te_stage_leaves(self.handle)
        return [IterVar(self.context, lib.te_stage_leaf(self.handle, i)) for i in range(count)]

    @property
    def scope(self) -> str:
        """Memory that its result is in."""
        return text(lib.te_stage_scope(self.handle)) or ""

    @property
    def is_output(self) -> bool:
        """Whether its result is an output of the schedule."""
        return bool(lib.te_stage_is_output(self.handle))

    def split(self, parent: IterVar, factor: int | None = None, nparts: int | None = None) -> tuple[IterVar, IterVar]:
        """Splits an axis into an outer and an inner one.

        Parameters
        ----------
        parent : IterVar
        factor : int
            Extent of the inner axis, or
        nparts : int
            extent of the outer axis.

        Returns
        -------
        outer, inner : IterVar
        """
        if (factor is None) == (nparts is None):
            raise ValueError("split takes one of factor and nparts")
        if nparts is not None:
            return self._new(2, lib.te_split_nparts, parent.handle, int(nparts))
        return self._new(2, lib.te_split, parent.handle, int(factor))

    def fuse(self, *axes: IterVar) -> IterVar:
        """One axis from adjacent ones, outermost first.

        Parameters
        ----------
        axes : IterVar
        """
        axes = axes[0] if len(axes) == 1 and isinstance(axes[0], (tuple, list)) else axes
        return self._new(1, lib.te_fuse, len(axes), array_of([a.handle for a in axes]))[0]

    def reorder(self, *axes: IterVar) -> None:
        """Puts the given axes into the given order, at the places they take now."""
        self._step(lib.te_reorder, len(axes), array_of([a.handle for a in axes]))

    def tile(self, x_parent: IterVar, y_parent: IterVar, x_factor: int,
             y_factor: int) -> tuple[IterVar, IterVar, IterVar, IterVar]:
        """Splits two axes and orders them outer, outer, inner, inner.

        Parameters
        ----------
        x_parent : IterVar
        y_parent : IterVar
        x_factor : int
        y_factor : int

        Returns
        -------
        x_outer, y_outer, x_inner, y_inner : IterVar
        """
        out = (ctypes.c_void_p * 4)()
        self._step(lib.te_tile, x_parent.handle, y_parent.handle, int(x_factor), int(y_factor), out)
        return tuple(IterVar(self.context, handle) for handle in out)

    def compute_at(self, parent: Stage, scope: IterVar) -> None:
        """Computes this stage inside the loop `scope` of the stage `parent`, as much as that iteration needs."""
        self._step(lib.te_compute_at, parent.handle, scope.handle)

    def compute_inline(self) -> None:
        """Puts the computation into the bodies of its consumers."""
        self._step(lib.te_compute_inline)

    def compute_root(self) -> None:
        """Computes this stage by itself, before its consumers."""
        self._step(lib.te_compute_root)

    def set_scope(self, scope: str) -> Stage:
        """Chooses the memory of the result, such as ``env.acc_scope``; returns the stage.

        Parameters
        ----------
        scope : str
        """
        self._step(lib.te_set_scope, scope.encode())
        return self

    def pragma(self, axis: IterVar, pragma_type: str, pragma_value: Operand | None = None) -> None:
        """Marks an axis for a later pass.

        Parameters
        ----------
        axis : IterVar
        pragma_type : str
            ``env.dma_copy``, ``env.alu``, ``"conv2d_transpose_gemm"``, ``"unroll"``, …
        pragma_value : Expr or int, optional
        """
        value = None if pragma_value is None else convert(pragma_value).handle
        self._step(lib.te_pragma, axis.handle, str(pragma_type).encode(), value)

    def bind(self, ivar: IterVar, thread_ivar: IterVar) -> None:
        """Runs the iterations of an axis as the threads of a thread axis.

        Parameters
        ----------
        ivar : IterVar
        thread_ivar : IterVar
        """
        self._step(lib.te_bind, ivar.handle, thread_ivar.handle)

    def vectorize(self, axis: IterVar) -> None:
        """Carries out the iterations of an axis as one vector operation."""
        self._step(lib.te_vectorize, axis.handle)

    def parallel(self, axis: IterVar) -> None:
        """Spreads the iterations of an axis over the threads of the processor."""
        self._step(lib.te_parallel, axis.handle)

    def unroll(self, axis: IterVar) -> None:
        """Writes the iterations of an axis one after another."""
        self._step(lib.te_unroll, axis.handle)

    def double_buffer(self) -> None:
        """Not offered: virtual threads (``bind`` to ``"cthread"``) overlap transfers with computation."""
        raise NotImplementedError("Stage.double_buffer is not offered: bind an axis to \"cthread\" instead")

    def storage_align(self, axis: IterVar, factor: int, offset: int) -> None:
        """Makes the stride of an axis equal `offset` modulo `factor`."""
        self._step(lib.te_storage_align, axis.handle, int(factor), int(offset))

    def tensorize(self, axis: IterVar, intrin: GemmIntrin | TensorIntrin) -> None:
        """Replaces the loops from `axis` inwards by an intrinsic, such as ``env.gemm``.

        Parameters
        ----------
        intrin : GemmIntrin
        """
        handle = intrin.handle_for(self.schedule)
        self._step(lib.te_tensorize, axis.handle, handle)

    def env_threads(self, threads: object) -> NoReturn:
        """Not offered: bind axes to threads with :meth:`bind`."""
        raise NotImplementedError("Stage.env_threads is not offered")

    def prefetch(self, tensor: object, var: object, offset: object) -> NoReturn:  # pylint: disable=redefined-outer-name
        """Not offered.

        Parameters
        ----------
        tensor : object
        var : object
        offset : object
        """
        raise NotImplementedError("Stage.prefetch is not offered")

    def __repr__(self):
        return text(lib.te_stage_text(self.context.handle, self.handle))

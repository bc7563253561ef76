"""Schedules: how a computation is carried out."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from .. import _context
from .._check import items, kind_error, name_of, need, whole
from .._instead import instead
from .._lib import lib, text
from ..error import Refusing
from ..expr import Expr, convert, number_or_expr
from ..intrin import TensorIntrin
from .gemm import GemmIntrin
from .groups import StageGroup, create_group, group_of
from .relations import Fuse, IterVarAttr, IterVarRelation, Singleton, Split, marks, relations
from .tensor import ComputeOp, IterVar, Operation, Range, Tensor, operation


if TYPE_CHECKING:
    from typing import NoReturn, Sequence

    from .._context import Context
    from ..expr import Operand



def _tensors(given, what):
    """Tensors from tensors and operations, one or several."""
    return [op.output(0) if isinstance(op, Operation) else need(op, (Tensor, Operation), what) for op in items(given)]


def create_schedule(ops: Operation | Tensor | Sequence[Operation | Tensor]) -> Schedule:
    """The default schedule: every computation by itself, loops in the order of its axes.

    Parameters
    ----------
    ops : Operation, Tensor or list of them
        The outputs; of none the schedule has no stages.

    Returns
    -------
    schedule : Schedule
    """
    tensors = _tensors(ops, "what is scheduled")
    from ..transform import PassContext  # which is made of this package

    context = tensors[0].context.newest() if tensors else _context.current()
    context.here()
    handles = context.handles_of(tensors, Tensor, "what is scheduled")
    handle = lib.te_schedule_create(context.handle, len(tensors), handles)
    schedule = Schedule(context, context.made(handle), [t.op for t in tensors])
    if PassContext.current().config.get("te.keep_schedule_record"):
        schedule.schedule_record.append(schedule.copy())
        schedule.primitive_record.append("vanilla")
    return schedule


def _loads(e):
    """The loads of tensors in an expression."""
    if e.kind == "pload":
        yield e
    for operand in e.operands:
        yield from _loads(operand)


def _is_injective(op):
    return isinstance(op, ComputeOp) and not op.reduce_axis and op.num_outputs == 1


def _reads_in_order(op, complete):
    """Whether all reads are at indices of the computation in order: all of them, or some."""
    axes = [a.var.handle for a in op.axis]
    for load in (found for body in op.body for found in _loads(body)):
        at = [i.handle for i in load.operands if i.kind == "var"]
        places = [axes.index(h) if h in axes else -1 for h in at]
        if places != sorted(set(places)) or -1 in places or complete and places != list(range(len(axes))):
            return False
        if len(at) < len(load.operands) and (complete or not all(i.kind in ("var", "int") for i in load.operands)):
            return False
    return True


def _is_elementwise(op):
    return _is_injective(op) and _reads_in_order(op, True)


def _is_broadcast(op):
    return _is_injective(op) and _reads_in_order(op, False)


class Schedule(Refusing):
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
    groups : list of StageGroup
        Stages that are computed together (:meth:`create_group`).
    """

    def __init__(self, context: Context, handle: int, outputs: list[Operation]) -> None:
        self.context, self.handle, self.outputs = context, handle, outputs
        #: Inside of ``PassContext(config={"te.keep_schedule_record": True})``: the schedule after each step, from its beginning
        #: on, and the names of the steps.
        self.schedule_record: list[Schedule] = []
        self.primitive_record: list[str] = []

    def _record(self, step):
        """Keeps what a step made of the schedule, where this is asked for."""
        if self.schedule_record:
            self.schedule_record.append(self.copy())
            self.primitive_record.append(step)

    def __getitem__(self, tensor: Tensor | Operation) -> Stage:
        if isinstance(tensor, (tuple, list)):
            raise kind_error(tensor, "what a schedule is indexed with", "one tensor or operation")
        (tensor,) = _tensors(tensor, "what a schedule is indexed with")
        self.context.here()
        handle = self.context.handle_of(tensor, Tensor, "what a schedule is indexed with")
        return Stage(self, self.context.made(lib.te_schedule_stage(self.handle, handle)))

    @property
    def stages(self) -> list[Stage]:
        """All stages."""
        count = lib.te_schedule_stages(self.handle)
        return [Stage(self, lib.te_schedule_stage_at(self.handle, i)) for i in range(count)]

    @property
    def groups(self) -> list[StageGroup]:
        """Groups of stages, in the order in which they were made; each scan has one."""
        return [StageGroup(self, lib.te_schedule_group_at(self.handle, i)) for i in range(lib.te_schedule_groups(self.handle))]

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
        given = _tensors(readers, "a reader of cache_read")
        self.context.here()
        handle = lib.te_cache_read(
            self.handle, self.context.handle_of(tensor, Tensor, "the tensor of cache_read"),
            name_of(scope, "the scope of cache_read"), len(given),
            self.context.handles_of(given, Tensor, "a reader of cache_read"))
        cache = Tensor(self.context, self.context.made(handle))
        self._record("cache_read")
        return cache

    def cache_write(self, tensor: Tensor | Sequence[Tensor], scope: str) -> Tensor | list[Tensor]:
        """Computes `tensor` in a memory scope and copies it out.

        Parameters
        ----------
        tensor : Tensor
            Or a list: all outputs of one computation.
        scope : str

        Returns
        -------
        cache : Tensor
            A list where `tensor` is one.
        """
        if isinstance(tensor, (tuple, list)):
            tensors = _tensors(tensor, "a tensor of cache_write")
            if not tensors or len(tensors) != tensors[0].op.num_outputs or {t.op for t in tensors} != {tensors[0].op}:
                raise ValueError("cache_write of several tensors takes all outputs of one computation")
            cache = self._cache_write(tensors[0], scope).op
            return [cache.output(t.value_index) for t in tensors]
        return self._cache_write(tensor, scope)

    def _cache_write(self, tensor, scope):
        self.context.here()
        handle = lib.te_cache_write(self.handle, self.context.handle_of(tensor, Tensor, "the tensor of cache_write"),
                                    name_of(scope, "the scope of cache_write"))
        tensor = Tensor(self.context, self.context.made(handle))
        self._record("cache_write")
        return tensor

    def rfactor(self, tensor: Tensor, axis: IterVar, factor_axis: int = 0) -> Tensor | list[Tensor]:
        """Reduces in two stages: the first for each value of `axis`, the second, the stage of `tensor`, what that gave.

        Parameters
        ----------
        tensor : Tensor
            A reduction.
        axis : IterVar
            A loop of it that is made of reduce axes.
        factor_axis : int, optional
            The place of the new data axis of the first stage.

        Returns
        -------
        first : Tensor
            A list where the reduction has several results. ``s[first].op.reduce_axis`` is what is left of the reduction.
        """
        self.context.here()
        handle = lib.te_rfactor(self.handle, self.context.handle_of(tensor, Tensor, "the tensor of rfactor"),
                                self.context.handle_of(axis, IterVar, "the axis of rfactor"),
                                whole(factor_axis, "factor_axis of rfactor"))
        op = Tensor(self.context, self.context.made(handle)).op
        self._record("rfactor")
        outputs = [op.output(i) for i in range(op.num_outputs)]
        return outputs if len(outputs) > 1 else outputs[0]

    def bounds(self) -> dict[IterVar, Range]:
        """Bound inference: what each axis of each stage that is computed runs over.

        Returns
        -------
        bounds : dict of IterVar to Range
            Its ends may contain variables of the axes around it.
        """
        bounds = self.context.made(lib.te_infer_bounds(self.handle))
        found, ends = {}, (ctypes.c_void_p(), ctypes.c_void_p())
        for i in range(lib.te_bounds_count(bounds)):
            axis = lib.te_bounds_axis(bounds, i)
            lib.te_bounds_range(bounds, axis, *(ctypes.byref(e) for e in ends))
            found[IterVar(self.context, axis)] = Range.from_min_extent(*(number_or_expr(self.context, e.value or 0) for e in ends))
        return found

    def inline_all(self, kind: str = "injective") -> None:
        """Inlines every stage whose computation is of a kind, but for outputs and stages in a memory of their own.

        Parameters
        ----------
        kind : str, optional
            ``"elementwise"`` (each element of those at the same place), ``"broadcast"`` (of those at some of its indices in
            order), ``"injective"`` (no reduction).
        """
        test = {"elementwise": _is_elementwise, "broadcast": _is_broadcast, "injective": _is_injective}.get(kind)
        if test is None:
            raise ValueError(f"no kind {kind!r}; there are elementwise, broadcast and injective")
        for stage in self.stages:
            if isinstance(stage.op, ComputeOp) and not stage.is_output and not stage.scope and test(stage.op):
                stage.compute_inline()

    def create_group(self, outputs: Tensor | Sequence[Tensor], inputs: Tensor | Sequence[Tensor],
                     include_inputs: bool = False) -> StageGroup:
        """The stages on the ways from `inputs` to `outputs`, to be computed together at a loop.

        Parameters
        ----------
        outputs, inputs : Tensor or list of Tensor
        include_inputs : bool, optional
            Whether the inputs belong to it.
        """
        last, first = (_tensors(given, "an end of create_group") for given in (outputs, inputs))
        return create_group(self, last, first, include_inputs)

    def normalize(self) -> Schedule:
        """The schedule itself: lowering brings schedules to normal form."""
        return self


class Matching(Refusing):
    """What :meth:`Stage.tensorized` gives.

    Parameters
    ----------
    context : Context
    handle : int
    op : Operation
        Of the stage.

    Attributes
    ----------
    axes : dict of IterVar to Range
        What the replaced loops cover of each axis of the computation.
    inputs : dict of Tensor to list of Range
        What they read of each tensor, by dimensions.
    body : list of Expr
        The computation, written over the axes and tensors of the intrinsic's.
    """

    def __init__(self, context: Context, handle: int, op: Operation) -> None:
        self.axes: dict[IterVar, Range] = {}
        self.inputs: dict[Tensor, list[Range]] = {}
        ends = ctypes.c_void_p(), ctypes.c_void_p()

        def ranged(function, *place):
            context.done(function(handle, *place, *(ctypes.byref(e) for e in ends)))
            return Range.from_min_extent(*(number_or_expr(context, e.value or 0) for e in ends))

        for i, axis in enumerate([*op.axis, *op.reduce_axis]):
            self.axes[axis] = ranged(lib.te_tensorized_axis, i)
        for i, t in enumerate(op.input_tensors):
            self.inputs[t] = [ranged(lib.te_tensorized_input, i, d) for d in range(t.ndim)]
        self.body = [Expr(context, lib.te_tensorized_body(handle, i)) for i in range(op.num_outputs)]


class Stage(Refusing):
    """One computation within a schedule; its methods are the schedule steps.

    A step that is not legal raises and changes nothing.

    Parameters
    ----------
    handle : int

    Attributes
    ----------
    op : Operation
        The computation.
    leaf_iter_vars : list of IterVar
        The loops as they stand, outermost first.
    all_iter_vars : list of IterVar
        All axes that it has or had: its computation's, then those that steps made.
    relations : list of IterVarRelation
        How its axes came about.
    iter_var_attrs : dict of IterVar to IterVarAttr
    attach_type : int
        ``Stage.ROOT``, ``Stage.INLINE`` or ``Stage.SCOPE``.
    scope : str
    group : StageGroup or None
        The innermost that it belongs to.
    num_child_stages : int
        0; a group has some.
    """

    num_child_stages = 0

    #: Values of attach_type, as TVM numbers them.
    ROOT, INLINE, SCOPE = 1, 2, 4

    def __init__(self, schedule: Schedule, handle: int) -> None:
        self.schedule, self.handle = schedule, handle
        self.context = schedule.context

    def _step(self, function, *args):
        self.context.here()
        self.context.done(function(self.handle, *args))
        self.schedule._record(function.__name__.removeprefix("te_").removesuffix("_expr").removesuffix("_nparts"))

    def _axis(self, axis, step):
        """The handle of an axis that a step is given."""
        return self.context.handle_of(axis, IterVar, f"an axis of {step}")

    def _axes(self, axes, step):
        return self.context.handles_of(axes, IterVar, f"an axis of {step}")

    def _new(self, count, function, *args):
        """A step that makes axes: `function(stage, *args, out, out, …)`."""
        outs = [ctypes.c_void_p() for _ in range(count)]
        self._step(function, *args, *[ctypes.byref(o) for o in outs])
        return tuple(IterVar(self.context, o.value) for o in outs)

    @property
    def op(self) -> Operation:
        """The computation."""
        return operation(self.context, lib.te_stage_tensor(self.handle))

    origin_op = op

    @property
    def leaf_iter_vars(self) -> list[IterVar]:
        """Loops, outermost first."""
        count = lib.te_stage_leaves(self.handle)
        return [IterVar(self.context, lib.te_stage_leaf(self.handle, i)) for i in range(count)]

    @property
    def all_iter_vars(self) -> list[IterVar]:
        """All axes that it has or had."""
        return [IterVar(self.context, lib.te_stage_all_axis(self.handle, i)) for i in range(lib.te_stage_all(self.handle))]

    @property
    def relations(self) -> list[IterVarRelation]:
        """How its axes came about, in the order of the steps."""
        return relations(self)

    @property
    def iter_var_attrs(self) -> dict[IterVar, IterVarAttr]:
        """What is said of its axes."""
        return marks(self)

    @property
    def attach_type(self) -> int:
        """Where it is computed: at the root, in its consumers, or at a loop of another stage."""
        return (self.ROOT, self.INLINE, self.SCOPE)[lib.te_stage_attachment(self.handle)]

    @property
    def attach_stage(self) -> Stage | None:
        """The stage at whose loop it is computed."""
        handle = lib.te_stage_attached_to(self.handle)
        return Stage(self.schedule, handle) if handle else None

    @property
    def attach_ivar(self) -> IterVar | None:
        """The loop that it is computed at, as it was given."""
        handle = lib.te_stage_attached_at(self.handle)
        return IterVar(self.context, handle) if handle else None

    @property
    def group(self) -> StageGroup | None:
        """The innermost group that it belongs to."""
        return group_of(self.schedule, lib.te_stage_group(self.handle))

    @property
    def scope(self) -> str:
        """Memory that its result is in."""
        return text(lib.te_stage_scope(self.handle)) or ""

    @property
    def is_output(self) -> bool:
        """Whether its result is an output of the schedule."""
        return bool(lib.te_stage_is_output(self.handle))

    def split(self, parent: IterVar, factor: int | Expr | None = None,
              nparts: int | Expr | None = None) -> tuple[IterVar, IterVar]:
        """Splits an axis into an outer and an inner one.

        Parameters
        ----------
        parent : IterVar
        factor : int or Expr
            Extent of the inner axis, or
        nparts : int or Expr
            extent of the outer axis. An expression is made of scalars of the kernel (:func:`vta.te.var`); when it is not
            from 1 to 2**30, the kernel refuses its call.

        Returns
        -------
        outer, inner : IterVar
        """
        if (factor is None) == (nparts is None):
            raise ValueError("split takes one of factor and nparts")
        number = factor if nparts is None else nparts
        if isinstance(number, Expr):
            function = lib.te_split_expr if nparts is None else lib.te_split_nparts_expr
            return self._new(2, function, self._axis(parent, "split"), self.context.handle_of(number, Expr, "a factor"))
        if nparts is not None:
            return self._new(2, lib.te_split_nparts, self._axis(parent, "split"), whole(nparts, "nparts of split"))
        return self._new(2, lib.te_split, self._axis(parent, "split"), whole(factor, "the factor of split"))

    def split_sizes(self, parent: IterVar, sizes: list[int]) -> tuple[IterVar, IterVar]:
        """Splits an axis into parts of the given sizes. On the accelerator the outer axis takes the pragma ``slots``.

        Parameters
        ----------
        parent : IterVar
        sizes : list of int
            They make up the axis.

        Returns
        -------
        outer, inner : IterVar
        """
        values = [whole(s, "a size of split_sizes") for s in sizes]
        return self._new(2, lib.te_split_sizes, self._axis(parent, "split_sizes"), len(values),
                         (ctypes.c_int64 * max(1, len(values)))(*values))

    def fuse(self, *axes: IterVar) -> IterVar:
        """One axis from adjacent ones, outermost first.

        Parameters
        ----------
        axes : IterVar
        """
        axes = axes[0] if len(axes) == 1 and isinstance(axes[0], (tuple, list)) else axes
        return self._new(1, lib.te_fuse, len(axes), self._axes(axes, "fuse"))[0]

    def reorder(self, *axes: IterVar) -> None:
        """Puts the given axes into the given order, at the places they take now."""
        self._step(lib.te_reorder, len(axes), self._axes(axes, "reorder"))

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
        if self.schedule.schedule_record:  # step by step
            outer, inner = self.split(x_parent, x_factor), self.split(y_parent, y_factor)
            self.reorder(outer[0], inner[0], outer[1], inner[1])
            return outer[0], inner[0], outer[1], inner[1]
        out = (ctypes.c_void_p * 4)()
        self._step(lib.te_tile, self._axis(x_parent, "tile"), self._axis(y_parent, "tile"),
                   whole(x_factor, "x_factor of tile"), whole(y_factor, "y_factor of tile"), out)
        xo, yo, xi, yi = [IterVar(self.context, handle or 0) for handle in out]
        return xo, yo, xi, yi

    def compute_at(self, parent: Stage, scope: IterVar) -> None:
        """Computes this stage inside the loop `scope` of the stage `parent`, as much as that iteration needs."""
        self._step(lib.te_compute_at, self.context.handle_of(parent, Stage, "the parent of compute_at"),
                   self._axis(scope, "compute_at"))

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
        self._step(lib.te_set_scope, name_of(scope, "the scope of set_scope"))
        return self

    def pragma(self, var: IterVar, pragma_type: str, pragma_value: Operand | str | None = None) -> None:
        """Marks an axis for a later pass.

        Parameters
        ----------
        var : IterVar
        pragma_type : str
            ``env.dma_copy``, ``env.alu``, ``"conv2d_transpose_gemm"``, ``"unroll"``, …; for the host ``"import_llvm"``,
            whose value is LLVM's IR of functions that the kernel calls (:func:`vta.contrib.clang.create_llvm`).
        pragma_value : Expr, int or str, optional
        """
        value = None
        if isinstance(pragma_value, str):
            value = self.context.made(lib.te_string(self.context.handle, pragma_value.encode()))
        elif pragma_value is not None:
            value = self.context.handle_of(convert(pragma_value), Expr, "the value")
        self._step(lib.te_pragma, self._axis(var, "pragma"), name_of(pragma_type, "the name of a pragma"), value)

    def bind(self, ivar: IterVar, thread_ivar: IterVar) -> None:
        """Runs the iterations of an axis as the threads of a thread axis.

        Parameters
        ----------
        ivar : IterVar
        thread_ivar : IterVar
        """
        self._step(lib.te_bind, self._axis(ivar, "bind"), self._axis(thread_ivar, "bind"))

    def vectorize(self, var: IterVar) -> None:
        """Carries out the iterations of an axis as one vector operation.

        Parameters
        ----------
        var : IterVar
        """
        self._step(lib.te_vectorize, self._axis(var, "vectorize"))

    def parallel(self, var: IterVar) -> None:
        """Spreads the iterations of an axis over the threads of the host.

        Parameters
        ----------
        var : IterVar
        """
        self._step(lib.te_parallel, self._axis(var, "parallel"))

    def unroll(self, var: IterVar) -> None:
        """Writes the iterations of an axis one after another.

        Parameters
        ----------
        var : IterVar
        """
        self._step(lib.te_unroll, self._axis(var, "unroll"))

    def double_buffer(self) -> None:
        """Not offered: virtual threads (``bind`` to ``"cthread"``) overlap transfers with computation."""
        raise NotImplementedError("Stage.double_buffer is not offered: bind an axis to \"cthread\" instead")

    def storage_align(self, axis: IterVar, factor: int, offset: int) -> None:
        """Makes the stride of an axis equal `offset` modulo `factor`."""
        self._step(lib.te_storage_align, self._axis(axis, "storage_align"), whole(factor, "the factor of storage_align"),
                   whole(offset, "the offset of storage_align"))

    def tensorize(self, var: IterVar, tensor_intrin: GemmIntrin | TensorIntrin) -> None:
        """Replaces the loops from `var` inwards by an intrinsic, such as ``env.gemm``.

        Parameters
        ----------
        var : IterVar
        tensor_intrin : GemmIntrin or TensorIntrin
        """
        handle = need(tensor_intrin, (GemmIntrin, TensorIntrin), "the intrinsic of tensorize")._handle_in(self.schedule.context)
        self._step(lib.te_tensorize, self._axis(var, "tensorize"), handle)
        self.context.intrins[handle] = tensor_intrin

    def tensorized(self) -> Matching:
        """How the loops match the intrinsic that takes their place, by the bounds of the schedule as it is now."""
        return Matching(self.schedule.context, self.schedule.context.made(lib.te_tensorized(self.handle)), self.op)

    def env_threads(self, threads: object) -> NoReturn:
        """Not offered: bind axes to threads with :meth:`bind`."""
        raise NotImplementedError(f"Stage.env_threads is not offered{instead('Stage.env_threads')}")

    def prefetch(self, tensor: object, var: object, offset: object) -> NoReturn:  # pylint: disable=redefined-outer-name
        """Not offered.

        Parameters
        ----------
        tensor : object
        var : object
        offset : object
        """
        raise NotImplementedError(f"Stage.prefetch is not offered{instead('Stage.prefetch')}")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stage) and self.handle == other.handle

    def __hash__(self) -> int:
        return hash(self.handle)

    def __repr__(self):
        return text(self.context.made(lib.te_stage_text(self.context.handle, self.handle)))

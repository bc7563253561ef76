"""User-defined intrinsics: instructions that :meth:`vta.te.Stage.tensorize` puts in place of a loop nest.

Examples
--------
The matrix multiplication of the configuration, written by hand:

>>> inp, wgt = te.placeholder((1, 16), "int8", "inp"), te.placeholder((16, 16), "int8", "wgt")
>>> k = te.reduce_axis((0, 16), "k")
>>> out = te.compute((1, 16), lambda i, j: te.sum(
...     inp[i, k].astype("int32") * wgt[j, k].astype("int32"), axis=k), "out")
>>> def instructions(ins, outs):
...     def part(reset):
...         ib = tir.ir_builder.create()
...         ib.scope_attr(env.dev.vta_axis, "coproc_scope", env.dev.QID_COMPUTE)
...         ib.scope_attr(env.dev.vta_axis, "coproc_uop_scope", "VTAPushGEMMOp")
...         ib.emit(tir.call_intrin("int32", "tir.vta.uop_push", 0, reset, outs[0].access_ptr("rw"),
...                                 ins[0].access_ptr("r"), ins[1].access_ptr("r"), 0, 0, 0))
...         return ib.get()
...     return part(0), part(1), part(0)
>>> gemm = te.decl_tensor_intrin(out.op, instructions, name="GEMM", binds={
...     inp: tir.decl_buffer(inp.shape, "int8", scope=env.inp_scope, offset_factor=16),
...     wgt: tir.decl_buffer(wgt.shape, "int8", scope=env.wgt_scope, offset_factor=256),
...     out: tir.decl_buffer(out.shape, "int32", scope=env.acc_scope, offset_factor=16)})
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from . import _bindings as b
from . import _context
from ._check import items, kind_error, name_of, need, type_of, whole
from ._context import array_of
from ._lib import lib
from .error import NotOfferedError, Refusing
from .expr import Expr, Extent, _operands
from .te.tensor import IterVar, Operation, Tensor

if TYPE_CHECKING:
    from typing import Any, Callable, ContextManager, NoReturn, Sequence

    from ._context import Context
    from .expr import Operand

__all__ = ["Buffer", "IRBuilder", "Instructions", "TensorIntrin", "call_extern", "call_intrin", "create",
           "decl_buffer", "decl_tensor_intrin"]


class Buffer(Refusing):
    """Where an operand of an intrinsic lies.

    Parameters
    ----------
    shape : sequence of int or Expr
    dtype : str
    name : str
    scope : str
        Its memory, such as ``env.inp_scope``; "" is ordinary memory.
    offset_factor : int
        What its element offset is a multiple of.
    strides : sequence of int or Expr, optional
        Distances of its elements; see :func:`decl_buffer`.
    """

    READ, WRITE = 1, 2

    def __init__(self, shape: Sequence[int | Expr], dtype: str, name: str, scope: str, offset_factor: int,
                 strides: Sequence[int | Expr] | None = None) -> None:
        self.shape = [Extent(d) if isinstance(d, int) else d for d in shape]
        self.dtype, self.name = dtype, name
        self.scope, self.offset_factor = scope, offset_factor
        self.strides = list(strides or [])


def decl_buffer(shape: Sequence[int | Expr], dtype: str = "float32", name: str = "buffer", data: None = None,
                strides: Sequence[int | Expr] | None = None, elem_offset: None = None, scope: str = "",
                data_alignment: int = -1, offset_factor: int = 1, buffer_type: str = "") -> Buffer:
    """Says where an operand of an intrinsic lies; see :class:`Buffer`.

    Parameters
    ----------
    shape : sequence of int or Expr
    dtype, name, scope : str, optional
    offset_factor : int, optional
    strides : sequence of int or Expr, optional
        Distances of elements, one for each dimension: numbers that they must be, or variables (``te.var``), which get them
        where the intrinsic is put in. Without it rows must follow one another.
    data, elem_offset : None, optional
        Only None: the operand says them.
    data_alignment : int, optional
        Accepted; that of `offset_factor` counts.
    buffer_type : str, optional
        Only "".

    Returns
    -------
    buffer : Buffer
    """
    for text in (name, scope):
        name_of(text, "the name or scope of decl_buffer")
    if data is not None or elem_offset is not None or need(buffer_type, str, "the buffer_type of decl_buffer"):
        raise NotImplementedError("decl_buffer(data=..., elem_offset=..., buffer_type=...) is not offered: where an operand begins "
                                  "comes from the loops that the intrinsic replaces")
    shape, strides = ([d if isinstance(d, Expr) else whole(d, what) for d in items(given)]
                      for given, what in ((shape, "an extent"), ([] if strides is None else strides, "a stride")))
    factor = whole(offset_factor, "the offset_factor of decl_buffer")
    return Buffer(shape, type_of(dtype).decode(), name, scope, max(1, factor), strides)


class _OperandBuffer(Buffer):
    """An operand of the intrinsic being declared."""

    def __init__(self, context, intrin, tensor, declared):
        super().__init__(tensor.shape, tensor.dtype, declared.name if declared else tensor.name,
                         declared.scope if declared else "", declared.offset_factor if declared else 1,
                         declared.strides if declared else None)
        self._context, self._intrin, self._tensor = context, intrin, tensor

    @property
    def data(self) -> Expr:
        """The address of its first element."""
        return self.access_ptr("rw")

    def access_ptr(self, access_mask: str | int, ptr_type: object = None, content_lanes: int = 1, offset: int = 0) -> Expr:
        """The address of its first element; `access_mask` is "r", "w" or "rw", or a sum of READ and WRITE."""
        if content_lanes != 1 or not isinstance(offset, int) or offset:
            raise NotImplementedError("access_ptr(content_lanes=..., offset=...) is not offered: pass the offset to the call")
        if isinstance(access_mask, int):
            access_mask = ("r" if access_mask & Buffer.READ else "") + ("w" if access_mask & Buffer.WRITE else "")
        return Expr(self._context, self._context.made(
            lib.te_intrin_access(self._intrin, self._tensor.handle, name_of(access_mask, "an access"))))


def _call(dtype, name, args):
    handles = []
    for a in args:
        if isinstance(a, str):
            context = _context.current()
            handles.append(context.made(lib.te_string(context.handle, a.encode())))
        else:
            handles.append(_operands((a,))[1][0])
    context = _context.current()
    made = lib.te_call(context.handle, type_of(dtype), name_of(name, "the name of a call"), len(handles),
                       array_of(handles))
    return Expr(context, context.made(made))


def call_intrin(dtype: str, func_name: str, *args: Operand | str) -> Expr:
    """A call of an intrinsic of the IR, such as ``"tir.vta.uop_push"``.

    Parameters
    ----------
    dtype : str
        What it returns.
    func_name : str
    args : number, str or Expr

    Returns
    -------
    call : Expr
    """
    return _call(dtype, func_name, args)


def call_extern(dtype: str, func_name: str, *args: Operand | str) -> Expr:
    """A call of a function of the runtime, such as ``"VTAUopLoopBegin"``; like :func:`call_intrin`.

    Parameters
    ----------
    dtype, func_name : str
    args : number, str or Expr

    Returns
    -------
    call : Expr
    """
    return _call(dtype, func_name, args)


class Instructions:
    """What a part of an intrinsic consists of.

    Parameters
    ----------
    attrs : list of (IterVar, str, value)
        Attributes around the calls.
    calls : list of Expr
    """

    def __init__(self, attrs: list[tuple[IterVar, str, Operand | str]], calls: list[Expr]) -> None:
        self.attrs, self.calls = attrs, calls


class IRBuilder(Refusing):
    """Collects the calls of one part of an intrinsic."""

    def __init__(self) -> None:
        self._attrs: list[tuple[IterVar, str, Operand | str]] = []
        self._calls: list[Expr] = []

    def scope_attr(self, node: IterVar, attr_key: str, value: Operand | str) -> ContextManager:
        """Puts an attribute around all calls.

        Parameters
        ----------
        node : IterVar
            A thread axis, such as ``env.dev.vta_axis``.
        attr_key : str
            ``"coproc_scope"``, ``"coproc_uop_scope"``.
        value : number, str or Expr

        Returns
        -------
        scope : context manager
            For a ``with`` statement; without one the attribute holds as well.
        """
        self._attrs.append((node, attr_key, value))
        return contextlib.nullcontext()

    def emit(self, stmt: Expr) -> None:
        """Adds a call.

        Parameters
        ----------
        stmt : Expr
        """
        self._calls.append(stmt)

    def get(self) -> Instructions:
        """What was collected."""
        return Instructions(self._attrs, self._calls)


def create() -> IRBuilder:
    """A new :class:`IRBuilder`."""
    return IRBuilder()


class TensorIntrin(Refusing):
    """An intrinsic; made by :func:`decl_tensor_intrin`.

    Parameters
    ----------
    context : Context
        What the tensors of its description belong to.
    handle : int
        A ``te_intrin *``.
    name : str
    op : Operation
        What it computes.
    """

    def __init__(self, context: Context, handle: int, name: str, op: Operation) -> None:
        self.context, self.handle, self.name, self.op = context, handle, name, op

    @property
    def inputs(self) -> list[Tensor]:
        """The operands that it reads."""
        return self.op.input_tensors

    def __call__(self, *args: object, **kwargs: object) -> NoReturn:
        raise NotOfferedError("calls of an intrinsic in te.compute are not offered: describe the computation, and put the intrinsic "
                              "in with Stage.tensorize")

    def _handle_in(self, context: Context) -> int:
        """The intrinsic, for a schedule of the same environment."""
        context.owner_check(self.context)
        return self.handle

    def __repr__(self):
        return f"TensorIntrin({self.name})"


def _emit(context, intrin, part, what):
    """Gives a part of an intrinsic its calls."""
    if isinstance(what, Expr):
        what = Instructions([], [what])
    need(what, Instructions, "a part of an intrinsic")
    for axis, key, value in what.attrs:
        if isinstance(value, str):
            handle = context.made(lib.te_string(context.handle, value.encode()))
        else:
            handle = _operands((value,))[1][0]
        axis = context.handle_of(axis, IterVar, "the axis of an attribute")
        context.done(lib.te_intrin_attr(intrin, part, axis, name_of(key, "the name of an attribute"), handle))
    for call in what.calls:
        context.done(lib.te_intrin_emit(intrin, part, context.handle_of(call, Expr, "a call of an intrinsic")))


def _place(context, intrin, tensor, buffer):
    """Says where an operand lies."""
    operand = context.handle_of(tensor, Tensor, "an operand")
    scope = name_of(need(buffer, Buffer, "where an operand lies").scope, "a scope")
    context.done(lib.te_intrin_buffer(intrin, operand, scope, buffer.offset_factor))
    if buffer.strides:
        handles = _operands(buffer.strides)[1]
        context.done(lib.te_intrin_strides(intrin, operand, len(handles), array_of(handles)))


def decl_tensor_intrin(op: Operation, fcompute: Callable, name: str = "tensor_intrin",
                       binds: dict[Tensor, Buffer] | None = None, scalar_params: None = None,
                       default_buffer_params: dict[str, Any] | None = None) -> TensorIntrin:
    """Declares an intrinsic.

    Parameters
    ----------
    op : Operation
        What it computes: a computation on placeholders.
    fcompute : callable
        From the operands that are read and those that are written to the body, or to (body, reset, update); each is
        what ``IRBuilder.get()`` returns, or one call. Operands have ``access_ptr("r" | "w" | "rw")`` and ``strides``.
    name : str, optional
    binds : dict of Tensor to Buffer, optional
        Where the operands lie; see :func:`decl_buffer`.
    scalar_params : None, optional
        Only None: numbers of the intrinsic are constants.
    default_buffer_params : dict, optional
        ``offset_factor`` of the operands that `binds` does not name; ``data_alignment`` is accepted.

    Returns
    -------
    intrin : TensorIntrin
        For :meth:`vta.te.Stage.tensorize`.
    """
    what = need(op, Operation, "what an intrinsic computes").output(0)
    context = what.context.newest()
    if not callable(fcompute):
        raise kind_error(fcompute, "the instructions of an intrinsic", "a function of its operands")
    if scalar_params:
        raise NotImplementedError("decl_tensor_intrin(scalar_params=...) is not offered: numbers of an intrinsic are constants of its "
                                  "instructions")
    context.here()
    intrin = context.made(lib.te_intrin_create(context.handle, name_of(name, "an intrinsic's name"),
                                               context.handle_of(what, Tensor, "what an intrinsic computes")))
    tensors = [*op.input_tensors, what]
    buffers = dict(need(binds or {}, dict, "what binds operands"))
    if default_buffer_params:
        buffers = {t: decl_buffer(t.shape, t.dtype, t.name, **default_buffer_params) for t in tensors} | buffers
    for tensor, buffer in buffers.items():
        _place(context, intrin, tensor, buffer)
    operands = [[_OperandBuffer(context, intrin, t, buffers.get(t)) for t in some] for some in (op.input_tensors, [what])]
    parts = fcompute(*operands)
    parts = parts if isinstance(parts, tuple) else (parts,)
    for part, instructions in zip((b.TE_INTRIN_BODY, b.TE_INTRIN_RESET, b.TE_INTRIN_UPDATE), parts):
        if instructions is not None:
            _emit(context, intrin, part, instructions)
    return TensorIntrin(context, intrin, name, op)

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

from typing import TYPE_CHECKING

from . import _bindings as b
from . import _context
from ._check import kind_error, name_of, need, type_of
from ._context import array_of
from ._lib import lib
from .buffer import Buffer, decl_buffer
from .builder import IRBuilder, create
from .error import NotOfferedError, Refusing
from .expr import Expr, _operands
from .statements import argument, statement
from .te.calls import TensorIntrinCall
from .te.tensor import Operation, Tensor

if TYPE_CHECKING:
    from typing import Any, Callable, Sequence

    from ._context import Context
    from .expr import Operand
    from .stmt import Stmt

__all__ = ["Buffer", "IRBuilder", "TensorIntrin", "call_extern", "call_intrin", "call_pure_extern", "create",
           "decl_buffer", "decl_tensor_intrin"]


def _call(dtype, name, args):
    handles = [_operands((argument(a),))[1][0] for a in args]
    context = _context.current()
    made = lib.te_call(context.handle, type_of(dtype), name_of(name, "the name of a call"), len(handles),
                       array_of(handles))
    return Expr(context, context.made(made))


def call_intrin(dtype: str, func_name: str, *args: Operand | str | Buffer) -> Expr:
    """A call of an intrinsic of the IR, such as ``"tir.vta.uop_push"``.

    Parameters
    ----------
    dtype : str
        What it returns.
    func_name : str
    args : number, str, Expr or Buffer
        A buffer is given as its address.

    Returns
    -------
    call : Expr
    """
    return _call(dtype, func_name, args)


def call_extern(dtype: str, func_name: str, *args: Operand | str | Buffer) -> Expr:
    """A call of a function of the runtime, such as ``"VTAUopLoopBegin"``; like :func:`call_intrin`.

    Parameters
    ----------
    dtype, func_name : str
    args : number, str, Expr or Buffer
        A buffer is given as its address.

    Returns
    -------
    call : Expr
    """
    return _call(dtype, func_name, args)


def call_pure_extern(dtype: str, func_name: str, *args: Operand | str | Buffer) -> Expr:
    """A call of a function whose result depends on its arguments alone, and which changes nothing, such as ``"expf"``: it may be
    left out, repeated and moved. Otherwise like :func:`call_extern`.

    Parameters
    ----------
    dtype, func_name : str
    args : number, str, Expr or Buffer
    """
    return _call(dtype, "tir.call_pure_extern", (name_of(func_name, "the name of a function").decode(), *args))


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
    buffers : list of Buffer, optional
        Its operands: those that are read, then those that are written.
    scalar_params : list of Expr, optional
    parts : list of Stmt, optional
        What it consists of: ``body``, ``reduce_init``, ``reduce_update``.
    """

    def __init__(self, context: Context, handle: int, name: str, op: Operation, buffers: Sequence[Buffer] = (),
                 scalar_params: Sequence[Expr] = (), parts: Sequence[Stmt | None] = ()) -> None:
        self.context, self.handle, self.name, self.op = context, handle, name, op
        self.buffers, self.scalar_params = list(buffers), list(scalar_params)
        self.body, self.reduce_init, self.reduce_update = (*parts, None, None, None)[:3]

    @property
    def inputs(self) -> list[Tensor]:
        """The operands that it reads."""
        return self.op.input_tensors

    def __call__(self, *args: Any, reduce_axis: Any = None) -> TensorIntrinCall:
        """A call on parts of tensors, as the body of a computation: ``te.compute((m,), lambda i: intrin(A[i, 0:n]))``.

        Parameters
        ----------
        args : tensor slices, and values of `scalar_params`
            In the order of its inputs; ``A[i, 0:n]`` has one row of A.
        reduce_axis : IterVar or list of IterVar, optional
            The result is reset once and updated at each of their points.
        """
        return TensorIntrinCall(self, args, reduce_axis)

    def _handle_of_call(self, context: Context) -> int:
        """The intrinsic, for a computation of the same environment."""
        context.owner_check(self.context)
        return self.handle

    def _handle_in(self, context: Context) -> int:
        """The intrinsic, for a schedule of the same environment."""
        if self.scalar_params:
            raise NotOfferedError(f"{self.name} takes scalars, which tensorize cannot give: call it in te.compute")
        return self._handle_of_call(context)

    def __repr__(self):
        return f"TensorIntrin({self.name})"


def _operand(context, intrin, tensor, buffer):
    """What stands for an operand in the instructions."""
    operand = context.handle_of(tensor, Tensor, "an operand")
    if buffer is not None:
        context.done(lib.te_intrin_bind(intrin, operand, context.handle_of(buffer, Buffer, "where an operand lies")))
        return buffer
    return Buffer(context, context.made(lib.te_intrin_operand(intrin, operand)))


def decl_tensor_intrin(op: Operation, fcompute: Callable, name: str = "tensor_intrin",
                       binds: dict[Tensor, Buffer] | None = None, scalar_params: Sequence[Expr] | None = None,
                       default_buffer_params: dict[str, Any] | None = None) -> TensorIntrin:
    """Declares an intrinsic.

    Parameters
    ----------
    op : Operation
        What it computes: a computation on placeholders.
    fcompute : callable
        From the buffers of operands that are read and of those that are written (:class:`vta.buffer.Buffer`) to the body, or to
        (body, reset, update); each is a statement, such as ``IRBuilder.get()`` returns, or one call.
    name : str, optional
    binds : dict of Tensor to Buffer, optional
        Where the operands lie; see :func:`decl_buffer`.
    scalar_params : list of Expr, optional
        Variables (``te.var``) that get a value with each call; `fcompute` gets them as its third argument.
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
    scalars = [need(v, Expr, "a scalar of an intrinsic") for v in scalar_params or ()]
    context.here()
    intrin = context.made(lib.te_intrin_create(context.handle, name_of(name, "an intrinsic's name"),
                                               context.handle_of(what, Tensor, "what an intrinsic computes")))
    tensors = [*op.input_tensors, *(op.output(i) for i in range(op.num_outputs))]
    buffers = dict(need(binds or {}, dict, "what binds operands"))
    if default_buffer_params:
        buffers = {t: decl_buffer(t.shape, t.dtype, t.name, **default_buffer_params) for t in tensors} | buffers
    for tensor in buffers:
        if tensor not in tensors:
            raise ValueError(f"{tensor} is bound to a buffer, but is not an operand of {name}")
    operands = [_operand(context, intrin, t, buffers.get(t)) for t in tensors]
    count = len(op.input_tensors)
    parts = fcompute(operands[:count], operands[count:], *([scalars] if scalars else []))
    parts = parts if isinstance(parts, tuple) else (parts,)
    made = [None if p is None else statement(p) for p in parts]
    for part, instructions in zip((b.TE_INTRIN_BODY, b.TE_INTRIN_RESET, b.TE_INTRIN_UPDATE), made):
        if instructions is not None:
            context.owner_check(instructions.context)
            context.done(lib.te_intrin_emit_stmt(intrin, part, instructions.handle))
    return TensorIntrin(context, intrin, name, op, operands, scalars, made)

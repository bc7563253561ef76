"""Statements made by hand: of ``te.extern``, of intrinsics, and of whole functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import _bindings as b
from . import _context
from ._check import kind_error, name_of, need, type_of
from ._context import array_of
from ._lib import lib
from .buffer import Buffer, make_buffer
from .expr import Expr, ExprOp, _operands
from .stmt import Stmt
from .te.tensor import IterVar

if TYPE_CHECKING:
    from typing import Any, Sequence

    from .expr import Operand

__all__ = ["allocate", "assert_", "attr", "evaluate", "for_", "if_", "let", "seq", "store"]

_KINDS = {"serial": b.TE_LOOP_SERIAL, "for": b.TE_LOOP_SERIAL, "parallel": b.TE_LOOP_PARALLEL, "vectorize": b.TE_LOOP_VECTORIZED,
          "vectorized": b.TE_LOOP_VECTORIZED, "unroll": b.TE_LOOP_UNROLLED, "unrolled": b.TE_LOOP_UNROLLED}


def statement(value: Any) -> Stmt:
    """A statement as it is; an expression as one whose effect counts.

    Parameters
    ----------
    value : Stmt or Expr
    """
    if isinstance(value, Stmt):
        return value
    if isinstance(value, (ExprOp, int)):
        return evaluate(value)
    raise kind_error(value, "a statement", "of type Stmt, or a call")


def _made(values, function, *more, bodies=()):
    """``function(context, handles of the values..., more...)`` in the context that the parts belong to."""
    context, handles = _operands(tuple(values)) if values else (_context.current(), [])
    for body in bodies:
        context.owner_check(body.context)
    return Stmt(context, context, context.made(function(context.handle, handles, *more)))


def evaluate(value: Operand) -> Stmt:
    """A value whose effect counts, such as a call.

    Parameters
    ----------
    value : Expr
    """
    return _made([value], lambda c, h: lib.te_stmt_evaluate(c, h[0]))


def store(buffer: Buffer, value: Operand, indices: Sequence[Operand]) -> Stmt:
    """Stores an element, or, with a vector as the last index, several.

    Parameters
    ----------
    buffer : Buffer
    value : Expr or number
    indices : list of Expr or int
    """
    need(buffer, Buffer, "where a statement stores to")
    return _made([buffer.data, value, *indices],
                 lambda c, h: lib.te_stmt_store(c, buffer.handle, h[1], len(h) - 2, array_of(h[2:])))


setattr(Buffer, "store", staticmethod(store))


def seq(stmts: Sequence[Any]) -> Stmt:
    """Statements one after another.

    Parameters
    ----------
    stmts : list of Stmt or Expr
    """
    given = [statement(s) for s in stmts]
    context = given[0].context.newest() if given else _context.current()
    for s in given:
        context.owner_check(s.context)
    return Stmt(context, context, context.made(lib.te_stmt_seq(context.handle, len(given), array_of([s.handle for s in given]))))


def for_(var: Expr, begin: Operand, extent: Operand, body: Any, kind: str = "serial") -> Stmt:
    """A loop.

    Parameters
    ----------
    var : Expr
        See :func:`vta.buffer.variable`.
    begin, extent : Expr or int
    body : Stmt
    kind : str, optional
        ``"serial"``, ``"parallel"``, ``"vectorize"``, ``"unroll"``.
    """
    if kind not in _KINDS:
        raise ValueError(f"there is no kind {kind!r} of loops; there are {', '.join(_KINDS)}")
    inner = statement(body)
    return _made([var, begin, extent], lambda c, h: lib.te_stmt_for(c, *h, _KINDS[kind], inner.handle), bodies=[inner])


def if_(condition: Operand, then: Any, otherwise: Any = None) -> Stmt:
    """A condition.

    Parameters
    ----------
    condition : Expr
    then : Stmt
    otherwise : Stmt, optional
    """
    parts = [statement(s) for s in (then, otherwise) if s is not None]
    return _made([condition], lambda c, h: lib.te_stmt_if(c, h[0], parts[0].handle, parts[1].handle if parts[1:] else None),
                 bodies=parts)


def let(var: Expr, value: Operand, body: Any) -> Stmt:
    """A name for a value, which is computed once.

    Parameters
    ----------
    var : Expr
    value : Expr
    body : Stmt
    """
    inner = statement(body)
    return _made([var, value], lambda c, h: lib.te_stmt_let(c, *h, inner.handle), bodies=[inner])


def allocate(buffer: Buffer, body: Any) -> Stmt:
    """Memory, as long as the body runs.

    Parameters
    ----------
    buffer : Buffer
        Dense.
    body : Stmt
    """
    inner = statement(body)
    return _made([buffer.data], lambda c, h: lib.te_stmt_allocate(c, buffer.handle, inner.handle), bodies=[inner])


def assert_(condition: Operand, message: str, body: Any) -> Stmt:
    """A check at run time: where it does not hold, the call fails with the message.

    Parameters
    ----------
    condition : Expr
    message : str
    body : Stmt
    """
    inner, words = statement(body), string(message)
    return _made([condition, words], lambda c, h: lib.te_stmt_assert(c, *h, inner.handle), bodies=[inner])


def attr(node: Any, key: str, value: Operand | str, body: Any) -> Stmt:
    """An attribute around a statement.

    Parameters
    ----------
    node : IterVar, Expr, Buffer or None
        What it is about: an axis, a variable, the memory of a buffer.
    key : str
    value : number, str or Expr
    body : Stmt
    """
    inner, named = statement(body), name_of(key, "the name of an attribute")
    said = string(value) if isinstance(value, str) else value
    need(node, (IterVar, Expr, Buffer, type(None)), "what an attribute is about")
    parts = [said] if node is None else [said, getattr(node, "data", node)]
    return _made(parts, lambda c, h: lib.te_stmt_attr(c, getattr(node, "handle", None), named, h[0], inner.handle), bodies=[inner])


def string(value: str) -> Expr:
    """A text, as an argument of a call or the value of an attribute.

    Parameters
    ----------
    value : str
    """
    context = _context.current()
    return Expr(context, context.made(lib.te_string(context.handle, name_of(value, "a text"))))


def argument(value: Any) -> Any:
    """What a call is given: a text as a constant, memory as its address.

    Parameters
    ----------
    value : str, Buffer, Expr or number
    """
    if isinstance(value, str):
        return string(value)
    return value.data if isinstance(value, Buffer) else value


def call_packed(name: str, *args: Any, dtype: str = "int32") -> Expr:
    """A call of a function by name, one of :func:`vta.register_func` too: of numbers, texts, and buffers, which it gets as arrays
    in the memory of the host.

    Parameters
    ----------
    name : str
    args : number, str, Buffer or Expr
    dtype : str, optional
        What it returns.
    """
    values = [string(a) if isinstance(a, str) else _tensor(a) if isinstance(a, Buffer) else a for a in args]
    context, handles = _operands(tuple(values)) if values else (_context.current(), [])
    made = lib.te_call_packed(context.handle, type_of(dtype), name_of(name, "the name of a function"), len(handles), array_of(handles))
    return Expr(context, context.made(made))


def _tensor(buffer):
    context = buffer.context.newest()
    context.owner_check(buffer.context)
    return Expr(context, context.made(lib.te_buffer_tensor(context.handle, buffer.handle)))


def memory(shape: Sequence[Any], dtype: str, name: str, scope: str = "") -> Buffer:
    """A buffer for :func:`allocate`.

    Parameters
    ----------
    shape : list of int or Expr
    dtype, name : str
    scope : str, optional
    """
    return make_buffer(_context.current(), shape, dtype, name, scope)

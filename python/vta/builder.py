"""Statements written down in their order: ``tir.ir_builder``.

Examples
--------
>>> ib = tir.ir_builder.create()
>>> x, y = ib.buffer_ptr(ins[0]), ib.buffer_ptr(outs[0])
>>> with ib.for_range(0, n, "i") as i:
...     with ib.if_scope(i < 4):
...         y[i] = x[i] + 1
...     with ib.else_scope():
...         y[i] = x[i]
>>> body = ib.get()
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import statements
from ._check import items, need, type_of
from ._lib import lib
from .buffer import Buffer, variable
from .error import Refusing
from .expr import Expr, ExprOp, convert
from .stmt import Stmt

if TYPE_CHECKING:
    from typing import Any, Callable, Sequence

    from .expr import Operand

__all__ = ["BufferVar", "IRBuilder", "Scope", "create"]


class Scope(Refusing):
    """What a ``with`` statement of the builder opens and closes.

    Parameters
    ----------
    value : object
        What ``as`` gives.
    close : callable
    """

    def __init__(self, value: Any, close: Callable[[], None]) -> None:
        self._value, self._close = value, close

    def __enter__(self) -> Any:
        return self._value

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if kind is None:
            self._close()


class BufferVar(Refusing):
    """Memory whose elements are read as ``x[i]`` and written with ``x[i] = value``.

    Parameters
    ----------
    builder : IRBuilder
    buffer : Buffer
    flat : bool
        One index counts all elements.
    """

    __iter__ = None  # as Buffer

    def __init__(self, builder: IRBuilder, buffer: Buffer, flat: bool) -> None:
        self._builder, self._whole = builder, buffer
        self._flat = buffer
        if flat and len(buffer.shape) != 1 and not buffer.strides:
            context = buffer.context.newest()
            context.owner_check(buffer.context)
            self._flat = Buffer(context, context.made(lib.te_buffer_flat(context.handle, buffer.handle)), str(buffer.scope))

    @property
    def dtype(self) -> str:
        """Type of an element."""
        return self._whole.dtype

    @property
    def name(self) -> str:
        """Its name."""
        return self._whole.name

    @property
    def data(self) -> Expr:
        """The variable of its address."""
        return self._whole.data

    @property
    def buffer(self) -> Buffer:
        """The memory itself."""
        return self._whole

    def asobject(self) -> Expr:
        """The variable of its address."""
        return self._whole.data

    def _as_expr(self):
        return self.data.context, self.data.handle

    def _at(self, index):
        index = items(index)
        return (self._whole if len(index) == len(self._whole.shape) else self._flat), index

    def __getitem__(self, index: Any) -> Expr:
        buffer, at = self._at(index)
        return buffer[tuple(at)]

    def __setitem__(self, index: Any, value: Operand) -> None:
        buffer, at = self._at(index)
        given = getattr(convert(value), "dtype", "")
        if isinstance(value, ExprOp) and given.partition("x")[0] != self.dtype:
            raise ValueError(f"{self.name} has elements of type {self.dtype}, not {given}: convert the value with astype")
        self._builder.emit(statements.store(buffer, value, at))


class IRBuilder(Refusing):
    """Collects statements in their order."""

    def __init__(self) -> None:
        self._open: list[list[Any]] = [[]]

    def _take(self):
        """The statements of the innermost scope as one; what was to stand around those after it does."""
        parts = self._open.pop()
        inner: list[Stmt] = []
        for part in reversed(parts):
            inner = [part(statements.seq(inner))] if callable(part) else [part, *inner]
        return statements.seq(inner)

    def emit(self, stmt: Stmt | Expr | Callable[[Stmt], Stmt]) -> None:
        """Adds a statement or a call.

        Parameters
        ----------
        stmt : Stmt or Expr
            Or a function from what follows to a statement around it.
        """
        self._open[-1].append(stmt if callable(stmt) and not isinstance(stmt, Stmt) else statements.statement(stmt))

    def _scope(self, value, around):
        """Opens a scope; `around` makes a statement of what it collects."""
        self._open.append([])
        return Scope(value, lambda: self.emit(around(self._take())))

    def scope_attr(self, node: Any, attr_key: str, value: Operand | str) -> Scope:
        """Puts an attribute around all that follows; in a ``with`` statement, around what stands inside.

        Parameters
        ----------
        node : IterVar, Expr, Buffer or None
            A thread axis, such as ``env.dev.vta_axis``.
        attr_key : str
            ``"coproc_scope"``, ``"coproc_uop_scope"``.
        value : number, str or Expr
        """
        about = node.data if isinstance(node, BufferVar) else node
        self.emit(lambda body: statements.attr(about, attr_key, value, body))
        return _Attribute(self)

    def for_range(self, begin: Operand, end: Operand, name: str = "i", dtype: str | None = None, kind: str = "serial") -> Scope:
        """A loop over ``begin, begin + 1, ... end - 1``; ``as`` gives its variable.

        Parameters
        ----------
        begin, end : Expr or int
        name : str, optional
        dtype : str, optional
            Of the variable; without it that of the bounds.
        kind : str, optional
            ``"serial"``, ``"parallel"``, ``"vectorize"``, ``"unroll"``.
        """
        kinds = {getattr(convert(e), "dtype", "int32") for e in (begin, end)}
        var = variable(name, dtype or ("int64" if "int64" in kinds else "int32"))
        extent = end if isinstance(begin, int) and begin == 0 else end - begin
        return self._scope(var, lambda body: statements.for_(var, begin, extent, body, kind))

    def if_scope(self, cond: Operand) -> Scope:
        """What happens where a condition holds.

        Parameters
        ----------
        cond : Expr
        """
        return self._scope(None, lambda body: statements.if_(cond, body))

    def else_scope(self) -> Scope:
        """What happens where the condition of the ``if_scope`` before it does not hold."""
        last = self._open[-1][-1] if self._open[-1] else None
        if not isinstance(last, Stmt) or last.node != "if" or last.fields["else_case"] is not None:
            raise RuntimeError("else_scope can only follow an if_scope")
        self._open[-1].pop()
        return self._scope(None, lambda body: statements.if_(last.fields["condition"], last.fields["then_case"], body))

    def new_scope(self) -> Scope:
        """A scope of its own: attributes, names and memory inside end with it."""
        return self._scope(None, lambda body: body)

    def let(self, var_name: str, value: Operand) -> Expr:
        """A name for a value in what follows.

        Parameters
        ----------
        var_name : str
        value : Expr
        """
        said = convert(value)
        var = variable(var_name, said.dtype)
        self.emit(lambda body: statements.let(var, said, body))
        return var

    def allocate(self, dtype: str, shape: Sequence[Operand] | Operand, name: str = "buf", scope: str = "") -> BufferVar:
        """Memory for what follows.

        Parameters
        ----------
        dtype : str
        shape : list of Expr or int
        name : str, optional
        scope : str, optional
        """
        buffer = statements.memory(items(shape), type_of(dtype).decode(), name, scope or "global")
        self.emit(lambda body: statements.allocate(buffer, body))
        return BufferVar(self, buffer, True)

    def pointer(self, content_type: str, name: str = "ptr", scope: str = "") -> BufferVar:
        """Memory at an address that the function is given: a parameter of ``tir.PrimFunc``.

        Parameters
        ----------
        content_type : str
        name : str, optional
        scope : str, optional
        """
        return BufferVar(self, statements.memory([1], type_of(content_type).decode(), name, scope), True)

    def buffer_ptr(self, buf: Buffer, shape: Sequence[Operand] | None = None) -> BufferVar:
        """A buffer, to be read and written by index: one for each dimension, or a single one that counts all elements.

        Parameters
        ----------
        buf : Buffer
        shape : list of Expr or int, optional
            Accepted; the buffer knows its shape.
        """
        return BufferVar(self, need(buf, Buffer, "the buffer of buffer_ptr"), True)

    def likely(self, expr: Operand) -> Expr:
        """A condition that holds as a rule.

        Parameters
        ----------
        expr : Expr
        """
        from .te.operators import likely

        return likely(expr)

    def get(self) -> Stmt:
        """What was collected, as one statement."""
        if len(self._open) != 1:
            raise RuntimeError("a scope of the builder is still open")
        made = self._take()
        self._open = [[]]
        return made


class _Attribute(Scope):
    """An attribute; used with ``with`` it ends there."""

    def __init__(self, builder: IRBuilder) -> None:
        super().__init__(None, lambda: None)
        self._builder = builder

    def __enter__(self) -> None:
        around = self._builder._open[-1].pop()
        self._builder._open.append([])
        self._close = lambda: self._builder.emit(around(self._builder._take()))


def create() -> IRBuilder:
    """A new :class:`IRBuilder`."""
    return IRBuilder()

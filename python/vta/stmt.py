"""Statements of lowered functions, for programs that look at loops and stores."""

from __future__ import annotations

import ctypes
import functools
from typing import TYPE_CHECKING

from . import _bindings as b
from ._lib import lib, text
from .error import Refusing
from .expr import Expr, substitute
from .te.tensor import ExternOp, IterVar, Tensor

if TYPE_CHECKING:
    from typing import Any, Callable

    from ._context import Context

__all__ = ["Stmt", "post_order_visit", "pre_order_visit", "substitute"]


class Stmt(Refusing):
    """A statement. Its parts are attributes: those of a ``"for"`` are ``loop_var``, ``min``, ``extent``, ``kind``, ``body``.

    Parameters
    ----------
    context : Context
        Where its expressions belong.
    owner : object
        The function that it is a part of; kept as long as the statement.
    handle : int

    Attributes
    ----------
    node : str
        What it is: ``"let"``, ``"attr"``, ``"assert"``, ``"for"``, ``"allocate"``, ``"store"``, ``"pstore"`` (a store to a
        tensor), ``"realize"``, ``"seq"``, ``"if"``, ``"evaluate"``, ``"block"``.
    """

    #: Other names of parts, by kind.
    _NAMES = {"for": {"loop_var": "var"}, "attr": {"attr_key": "key"}, "allocate": {"buffer_var": "var"},
              "pstore": {"producer": "tensor"}, "realize": {"producer": "tensor", "storage_scope": "scope"}, "seq": {"seq": "items"}}

    def __init__(self, context: Context, owner: object, handle: int) -> None:
        self.context, self.owner, self.handle = context, owner, handle
        self.node: str = text(lib.vtac_stmt_kind(handle)) or ""

    @functools.cached_property
    def fields(self) -> dict[str, Any]:
        """Its parts by name."""
        fields, one = {}, b.vtac_field()
        for i in range(lib.vtac_stmt_fields(self.handle)):
            one.size = ctypes.sizeof(one)
            lib.vtac_stmt_field(self.handle, i, ctypes.byref(one))
            fields[text(one.name) or ""] = self._value(one)
            if one.type == b.VTAC_FIELD_TENSOR and one.text:
                fields["buffer_name"] = text(one.text)
            if one.type == b.VTAC_FIELD_BUFFER:
                extents: Any = ctypes.cast(one.items, ctypes.POINTER(ctypes.c_void_p)) if one.count else ()
                fields["buffer_shape"] = [Expr(self.context, extents[k]) for k in range(one.count)]
        return fields

    def _value(self, field):
        """A part as a Python object: one, None, or a list."""
        if field.type in (b.VTAC_FIELD_TEXT, b.VTAC_FIELD_BUFFER):
            return text(field.text)
        made = {b.VTAC_FIELD_EXPR: Expr, b.VTAC_FIELD_AXIS: IterVar, b.VTAC_FIELD_TENSOR: Tensor}.get(field.type)
        items = ctypes.cast(field.items, ctypes.POINTER(ctypes.c_void_p)) if field.count else ()
        handles = [items[i] for i in range(field.count)]
        if field.type == b.VTAC_FIELD_STMT:
            values = [Stmt(self.context, self.owner, h) for h in handles]
        else:
            values = [made(self.context, h) for h in handles] if made else []
        single = (text(field.name) or "") in _SINGLE
        return (values[0] if values else None) if single else values

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            if name.startswith("_") or "handle" not in self.__dict__:
                return super().__getattr__(name)
            known = self._NAMES.get(self.__dict__.get("node"), {}).get(name, name)
            return self.fields[known] if known in self.fields else super().__getattr__(name)

    def __getitem__(self, index: int) -> Stmt:
        if self.node != "seq":
            raise TypeError(f"a statement of kind {self.node} has no items; those of kind seq do")
        return self.fields["items"][index]

    def __len__(self) -> int:
        return len(self.fields["items"]) if self.node == "seq" else 1

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stmt) and self.handle == other.handle

    def __hash__(self) -> int:
        return hash(self.handle)

    def __repr__(self) -> str:
        inner = {k: v for k, v in self.fields.items() if not isinstance(v, Stmt) and v != []}
        return f"{self.node}({', '.join(f'{k}={v}' for k, v in inner.items())})"


ExternOp.statement = Stmt
_SINGLE = {"var", "value", "body", "node", "key", "condition", "message", "min", "extent", "thread", "tensor", "then_case",
           "else_case", "init"}


def _children(node):
    """What a statement or expression consists of, in order."""
    if isinstance(node, Stmt):
        for value in node.fields.values():
            yield from (v for v in (value if isinstance(value, list) else [value]) if isinstance(v, (Stmt, Expr)))
    elif isinstance(node, Expr):
        yield from node.operands


def post_order_visit(stmt: Any, fvisit: Callable[[Any], None]) -> None:
    """Calls `fvisit` for each statement and expression below `stmt`, parts before what they are parts of.

    Parameters
    ----------
    stmt : Stmt, Expr or LoweredFunc
    fvisit : callable
    """
    node = getattr(stmt, "body") if not isinstance(stmt, (Stmt, Expr)) else stmt
    for child in _children(node):
        post_order_visit(child, fvisit)
    fvisit(node)


def pre_order_visit(stmt: Any, fvisit: Callable[[Any], bool | None]) -> None:
    """Calls `fvisit` for each statement and expression below `stmt`; what it returns False for is not looked into.

    Parameters
    ----------
    stmt : Stmt, Expr or LoweredFunc
    fvisit : callable
    """
    node = getattr(stmt, "body") if not isinstance(stmt, (Stmt, Expr)) else stmt
    if fvisit(node) is False:
        return
    for child in _children(node):
        pre_order_visit(child, fvisit)

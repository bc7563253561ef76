"""Scalar expressions: what a computation's body is made of."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from . import _bindings as b
from . import _context
from ._check import need, type_of
from ._context import array_of
from ._lib import lib, text, utf8
from .error import NotOfferedError, Refusing, VTAError

if TYPE_CHECKING:
    from typing import Union

    from ._context import Context

    #: What can stand in an expression.
    Operand = Union[int, float, bool, "ExprOp"]


class ExprOp(Refusing):
    """Operators shared by everything that can stand in an expression.

    Integer division is written ``//``; comparison operators give expressions, not truth values."""

    __slots__ = ()
    __array_ufunc__ = None  # numpy's scalars leave the operator to us, and so keep their type

    def __add__(self, other):
        return binary(b.TE_ADD, self, other)

    def __radd__(self, other):
        return binary(b.TE_ADD, other, self)

    def __sub__(self, other):
        return binary(b.TE_SUB, self, other)

    def __rsub__(self, other):
        return binary(b.TE_SUB, other, self)

    def __mul__(self, other):
        return binary(b.TE_MUL, self, other)

    def __rmul__(self, other):
        return binary(b.TE_MUL, other, self)

    def __truediv__(self, other):
        return _divide(self, other)

    def __rtruediv__(self, other):
        return _divide(other, self)

    def __floordiv__(self, other):
        return binary(b.TE_FLOORDIV, self, other)

    def __rfloordiv__(self, other):
        return binary(b.TE_FLOORDIV, other, self)

    def __mod__(self, other):
        return binary(b.TE_FLOORMOD, self, other)

    def __rmod__(self, other):
        return binary(b.TE_FLOORMOD, other, self)

    def __lshift__(self, other):
        return binary(b.TE_SHL, self, other)

    def __rlshift__(self, other):
        return binary(b.TE_SHL, other, self)

    def __rshift__(self, other):
        return binary(b.TE_SHR, self, other)

    def __rrshift__(self, other):
        return binary(b.TE_SHR, other, self)

    def __and__(self, other):
        return binary(b.TE_BITAND, self, other)

    def __rand__(self, other):
        return binary(b.TE_BITAND, other, self)

    def __or__(self, other):
        return binary(b.TE_BITOR, self, other)

    def __ror__(self, other):
        return binary(b.TE_BITOR, other, self)

    def __xor__(self, other):
        return binary(b.TE_BITXOR, self, other)

    def __rxor__(self, other):
        return binary(b.TE_BITXOR, other, self)

    def __neg__(self):
        return apply(b.TE_NEG, self)

    def __invert__(self):
        return apply(b.TE_BITNOT, self)

    def __lt__(self, other):
        return binary(b.TE_LT, self, other)

    def __le__(self, other):
        return binary(b.TE_LE, self, other)

    def __gt__(self, other):
        return binary(b.TE_GT, self, other)

    def __ge__(self, other):
        return binary(b.TE_GE, self, other)

    def __eq__(self, other):
        return Comparison(b.TE_EQ, self, other)

    def __ne__(self, other):
        return Comparison(b.TE_NE, self, other)

    def __hash__(self):
        return id(self)

    def __bool__(self):
        raise ValueError(
            "an expression has no truth value while the computation is described: use te.if_then_else or te.all/te.any "
            "instead of if, and, or, not"
        )

    def equal(self, other: Operand) -> Expr:
        """The expression ``self == other``."""
        return binary(b.TE_EQ, self, other)

    def astype(self, dtype: str) -> Expr:
        """The value converted to another type.

        Parameters
        ----------
        dtype : str
            Such as ``"int32"``.

        Returns
        -------
        value : Expr
            Narrower integers keep the low bits.
        """
        context, (value,) = _operands((self,))
        return Expr(context, context.made(lib.te_cast(context.handle, type_of(dtype), value)))


class Expr(ExprOp):
    """A scalar expression.

    Parameters
    ----------
    context : Context
    handle : int

    Attributes
    ----------
    dtype : str
        Its type, such as ``"int32"``.
    """

    __slots__ = ("context", "handle")

    def __init__(self, context: Context, handle: int) -> None:
        self.context = context
        self.handle = handle

    @property
    def dtype(self) -> str:
        """Type of the value."""
        return text(lib.te_expr_dtype(self.context.handle, self.handle))

    @property
    def kind(self) -> str:
        """What kind of node it is: ``"var"``, ``"int"``, ``"add"``, ``"reduce"``, …"""
        return text(lib.te_expr_kind(self.handle)) or ""

    @property
    def name(self) -> str:
        """Of a variable, its name."""
        if self.kind != "var":
            raise NotOfferedError(f"Expr.name: an expression of kind {self.kind} has none; variables do")
        return repr(self)

    def same_as(self, other: object) -> bool:
        """Whether both are the same node.

        Parameters
        ----------
        other : object
        """
        return isinstance(other, Expr) and self.handle == other.handle

    @property
    def operands(self) -> list[Expr]:
        """What it consists of: of an operator its operands, of a load its indices, of a call its arguments, of a reduction its
        values, what they start at, and its condition."""
        count = lib.te_expr_operands(self.handle)
        return [Expr(self.context, lib.te_expr_operand(self.handle, i)) for i in range(count)]

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            if name in _PARTS:
                kinds, part = _PARTS[name]
                if self.kind in kinds:
                    return part(self)
                raise NotOfferedError(f"Expr.{name}: an expression of kind {self.kind} has none; those of kind "
                                      f"{', '.join(kinds)} do")
            return super().__getattr__(name)

    @property
    def value(self) -> int | float | str | Expr:
        """The number or text, where the expression is a constant; of a conversion what is converted; raises otherwise."""
        kind = self.kind
        if kind == "var":
            raise NotOfferedError("Expr.value: a variable has none; constants do")
        if kind == "float":
            return lib.te_expr_float(self.handle)
        if kind == "string":
            return text(lib.te_expr_name(self.handle)) or ""
        if kind == "cast":
            return self.operands[0]
        try:
            return int(self)
        except VTAError:
            raise NotOfferedError(f"Expr.value: {self} is not a constant") from None

    def __int__(self):
        out = ctypes.c_int64()
        self.context.done(lib.te_expr_int(self.context.handle, self.handle, ctypes.byref(out)))
        return out.value if out.value >= 0 or self.dtype != "uint64" else out.value + 2**64

    __index__ = __int__

    def __repr__(self):
        return text(self.context.made(lib.te_expr_text(self.context.handle, self.handle)))


class Op(Refusing):
    """A function that expressions call.

    Parameters
    ----------
    name : str
        Such as ``"tir.exp"``.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    @staticmethod
    def get(op_name: str) -> Op:
        """The function of a name.

        Parameters
        ----------
        op_name : str
        """
        return Op(op_name)

    def __eq__(self, other):
        return isinstance(other, Op) and self.name == other.name

    def __hash__(self):
        return hash(self.name)

    def __repr__(self):
        return f"Op({self.name})"


_INFIX = ("add", "sub", "mul", "div", "mod", "floordiv", "floormod", "min", "max", "eq", "ne", "lt", "le", "gt", "ge", "and", "or")


#: Parts of expressions by name: of which kinds, and how they are found. Those that are tensors and axes come from te.tensor.
_PARTS = {
    "a": (_INFIX + ("not",), lambda e: e.operands[0]), "b": (_INFIX, lambda e: e.operands[1]),
    "condition": (("select", "reduce"), lambda e: e.operands[0 if e.kind == "select" else -1]),
    "true_value": (("select",), lambda e: e.operands[1]), "false_value": (("select",), lambda e: e.operands[2]),
    "indices": (("load", "pload"), lambda e: e.operands), "buffer": (("load",), lambda e: text(lib.te_expr_name(e.handle))),
    "args": (("call",), lambda e: e.operands), "op": (("call",), lambda e: Op(text(lib.te_expr_name(e.handle)))),
    "source": (("reduce",), lambda e: e.operands[:-1]),
    "base": (("ramp",), lambda e: e.operands[0]), "stride": (("ramp",), lambda e: e.operands[1]),
    "body": (("let",), lambda e: e.operands[1]),
}


class Extent(int):
    """A whole number of a shape or range, which has what constants have."""

    __slots__ = ()
    dtype, kind = "int32", "int"

    @property
    def value(self) -> int:
        """The number."""
        return int(self)

    def astype(self, dtype: str) -> Expr:
        """The number as a constant of a type.

        Parameters
        ----------
        dtype : str
        """
        return const(int(self), dtype)

    def same_as(self, other: object) -> bool:
        """Whether both are the same number.

        Parameters
        ----------
        other : object
        """
        return self == other


def number_or_expr(context: Context, handle: int) -> Extent | Expr:
    """An expression, as a number where it is a constant.

    Parameters
    ----------
    context : Context
    handle : int
        A ``te_expr *``.
    """
    e = Expr(context, handle)
    return Extent(int(e)) if e.kind == "int" else e


def simplify(expr: Operand) -> Expr:
    """The expression in a simpler form of the same value, nothing being known of its variables.

    Parameters
    ----------
    expr : Expr
    """
    e = convert(expr)
    return Expr(e.context, e.context.made(lib.te_simplify(e.context.handle, e.handle)))


def substitute(expr: Operand, vmap: dict) -> Expr:
    """The expression with variables replaced by values.

    Parameters
    ----------
    expr : Expr
    vmap : dict of variable to Expr or number
    """
    count = len(need(vmap, dict, "what variables are replaced by"))
    context, handles = _operands((expr, *vmap, *vmap.values()))
    return Expr(context, context.made(lib.te_substitute(context.handle, handles[0], count, array_of(handles[1:1 + count]),
                                                        array_of(handles[1 + count:]))))


def equal(lhs: Operand, rhs: Operand, map_free_vars: bool = False) -> bool:
    """Whether two expressions are the same but for the names of variables that they define.

    Parameters
    ----------
    lhs, rhs : Expr or number
    map_free_vars : bool, optional
        Names of all variables may differ.
    """
    context, handles = _operands((lhs, rhs))
    out = ctypes.c_bool()
    context.done(lib.te_expr_equal(context.handle, *handles, map_free_vars, ctypes.byref(out)))
    return out.value


class Comparison(ExprOp):
    """``a == b`` or ``a != b``: an expression when used in one; as a truth value, whether both are the same object.

    Parameters
    ----------
    op : int
    left : Operand
    right : Operand
    """

    __slots__ = ("op", "left", "right")

    def __init__(self, op: int, left: Operand, right: Operand) -> None:
        self.op, self.left, self.right = op, left, right

    def asobject(self) -> Expr:
        """The comparison as an expression."""
        return binary(self.op, self.left, self.right)

    @property
    def dtype(self) -> str:
        """Type of the value: ``"bool"``."""
        return "bool"

    def __bool__(self):
        same = self.left is self.right or (
            getattr(self.left, "handle", self.left) is not None
            and getattr(self.left, "handle", self.left) == getattr(self.right, "handle", self.right)
        )
        return same if self.op == b.TE_EQ else not same

    def __repr__(self):
        return repr(self.asobject())


def _integer(context, value, dtype):
    """An integer constant; the C call would cut what it cannot hold."""
    low, high = (0, 2**64) if dtype == "uint64" else (-(2**63), 2**63)
    if not low <= value < high:
        raise ValueError(f"the number {value} does not fit {dtype or 'int64'}")
    return context.made(lib.te_int(context.handle, utf8(dtype), value if value < 2**63 else value - 2**64))


def _literal(context, value, dtype=None):
    """A number as an expression; without a type that of numpy's scalars, else the C library's rule for numbers.
    None when it is not a number; raises when the type does not have it."""
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:  # of numpy; its double is a Python float as well
        value, dtype = value.item(), dtype or str(value.dtype)
    if isinstance(value, bool) and (dtype or "bool") == "bool":
        return context.made(lib.te_int(context.handle, b"bool", int(value)))
    if isinstance(value, int):
        if dtype is None or not dtype.startswith("float"):
            return _integer(context, int(value), dtype)
        value = float(value)
    return context.made(lib.te_float(context.handle, utf8(dtype), value)) if isinstance(value, float) else None


def _resolve(value):
    """(context, handle) of an operand, or None for a plain number."""
    if isinstance(value, Expr):
        return value.context, value.handle
    if isinstance(value, Comparison):
        value = value.asobject()
        return value.context, value.handle
    as_expr = getattr(value, "_as_expr", None)
    return as_expr() if as_expr else None


def _operands(values):
    """The context and the handles of operands."""
    resolved = [_resolve(v) for v in values]
    context = None
    for found in resolved:
        if found is not None:
            context = context or found[0].newest()
            context.owner_check(found[0])
    context = context or _context.current()
    handles = []
    for found, value in zip(resolved, values):
        handle = context.made(found[1]) if found else _literal(context, value)
        if handle is None:
            raise TypeError(f"cannot use {value!r} of type {type(value).__name__} in an expression")
        handles.append(handle)
    return context, handles


def apply(op: int, *values: Operand) -> Expr:
    """The operator `op` (a ``TE_...`` constant) on operands.

    Parameters
    ----------
    values : Operand
    """
    for value in values:
        if hasattr(type(value), "_apply_to_all"):  # a whole tensor
            return value._apply_to_all(op, values)  # type: ignore[union-attr]
    context, handles = _operands(values)
    return Expr(context, context.made(lib.te_apply(context.handle, op, len(handles), array_of(handles))))


def binary(op: int, left: Operand, right: Operand) -> Expr:
    """A binary operator; NotImplemented where an operand cannot stand in an expression.

    Parameters
    ----------
    op : int
    left : Operand
    right : Operand
    """
    return apply(op, left, right)


def _divide(left, right):
    kinds = [str(getattr(v, "dtype", "float32" if isinstance(v, float) else "int32")) for v in (left, right)]
    if not any(k.startswith("float") for k in kinds):
        raise TypeError("/ on integers is ambiguous: write // (rounds down) or te.truncdiv (rounds towards zero)")
    return binary(b.TE_DIV, left, right)


def convert(value: Operand) -> Expr:
    """A number, axis or expression as an :class:`Expr`.

    Parameters
    ----------
    value : int, float, bool, Expr, IterVar or tensor element

    Returns
    -------
    expr : Expr
    """
    context, (handle,) = _operands((value,))
    return Expr(context, handle)


def const(value: int | float | bool, dtype: str | None = None) -> Expr:
    """A constant.

    Parameters
    ----------
    value : int, float or bool
    dtype : str, optional
        Default: ``"bool"``, ``"int32"`` (``"int64"`` where it does not fit), ``"float32"``; of a numpy scalar its own.

    Returns
    -------
    expr : Expr
    """
    context = _context.current()
    handle = _literal(context, value, None if dtype is None else type_of(dtype).decode())
    if handle is None:
        raise TypeError(f"{value!r} is not a number")
    return Expr(context, handle)

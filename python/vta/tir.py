"""Parts of the tensor IR that programs use by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import _bindings as b_
from . import builder as ir_builder
from . import stmt as stmt_functor
from . import te
from . import _math
from ._math import *  # noqa: F401,F403  # pylint: disable=redefined-builtin
from ._check import type_of, whole
from .error import NotOfferedError
from .expr import Comparison, Expr, ExprOp, Extent, apply, const, convert
from .te import IterVar, PrimFunc
from . import statements
from .buffer import Buffer, broadcast, decl_buffer, make_buffer, ramp
from .intrin import call_extern, call_intrin, call_pure_extern
from .statements import call_packed
from .ir import Schedule
from .stmt import Stmt

if TYPE_CHECKING:
    from typing import NoReturn

    from .expr import Operand

__all__ = ["Expr", "PrimExpr", "ExprOp", "IterVar", "PrimFunc", "Schedule", "Select", "Var", "const", "convert", "all",
           "any", "if_then_else", "min", "max", "floordiv", "floormod", "truncdiv", "truncmod", "indexdiv", "indexmod",
           "likely", "abs", "power", "IntImm", "FloatImm", "Cast", "Add", "Sub", "Mul", "Div",
           "sigmoid", "rsqrt", "isnan",
           "min_value", "max_value", "FloorDiv", "FloorMod", "Min", "Max", "Reduce", "ProducerLoad", "call_extern", "call_intrin", "decl_buffer", "Buffer", "call_packed", "stmt_seq",
           "ir_builder", "stmt_functor", "Stmt", "EQ", "NE", "LT", "LE", "GT", "GE", "And", "Or", "Not", "Mod", "Call", "StringImm",
           "BufferLoad", "Ramp", "Broadcast", "Let", "For", "IfThenElse", "SeqStmt", "BufferStore", "ProducerStore", "ProducerRealize",
           "AttrStmt", "LetStmt", "AssertStmt", "Evaluate", "Allocate", "Block", "SizeVar", "ForKind"]
__all__ += ["nextafter", "reinterpret", "q_multiply_shift", "isfinite", "isinf", "infinity", "exp10", "ldexp", "ceildiv", "popcount", "clz", "sum", "comm_reducer", "call_pure_extern",
            "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not", "shift_left", "shift_right", "add", "subtract", "multiply"]
__all__ += _math.__all__

PrimExpr = Expr


class ForKind:
    """What ``kind`` of a loop may be: its words by TVM's names."""

    SERIAL, PARALLEL, VECTORIZED, UNROLLED, THREAD_BINDING = "serial", "parallel", "vectorized", "unrolled", "thread_binding"


all, any, min, max = te.all, te.any, te.min, te.max  # pylint: disable=redefined-builtin
if_then_else = te.if_then_else
floordiv, floormod, truncdiv, truncmod = te.floordiv, te.floormod, te.truncdiv, te.truncmod
indexdiv, indexmod, likely = te.indexdiv, te.indexmod, te.likely
sigmoid, rsqrt, isnan, min_value, max_value = te.sigmoid, te.rsqrt, te.isnan, te.min_value, te.max_value
abs, power = te.abs, te.power  # pylint: disable=redefined-builtin
isfinite, isinf, infinity, exp10, ldexp, ceildiv = te.isfinite, te.isinf, te.infinity, te.exp10, te.ldexp, te.ceildiv
nextafter, reinterpret, q_multiply_shift = te.nextafter, te.reinterpret, te.q_multiply_shift
popcount, clz, sum, comm_reducer = te.popcount, te.clz, te.sum, te.comm_reducer  # pylint: disable=redefined-builtin


def _infix(op, name, meaning):
    def function(x: Operand, y: Operand) -> Expr:
        return apply(op, x, y)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""{meaning}

    Parameters
    ----------
    x, y : number or Expr
    """
    return function


bitwise_and = _infix(b_.TE_BITAND, "bitwise_and", "Bitwise and.")
bitwise_or = _infix(b_.TE_BITOR, "bitwise_or", "Bitwise or.")
bitwise_xor = _infix(b_.TE_BITXOR, "bitwise_xor", "Bitwise exclusive or.")
shift_left = _infix(b_.TE_SHL, "shift_left", "Shift left.")
shift_right = _infix(b_.TE_SHR, "shift_right", "Shift right.")
add = _infix(b_.TE_ADD, "add", "Sum.")
subtract = _infix(b_.TE_SUB, "subtract", "Difference.")
multiply = _infix(b_.TE_MUL, "multiply", "Product.")


def bitwise_not(x: Operand) -> Expr:
    """Bitwise not.

    Parameters
    ----------
    x : number or Expr
    """
    return apply(b_.TE_BITNOT, x)


class _Node(type):
    """Classes of expressions by their kind: called they make one, and ``isinstance`` asks for it."""

    kind: str

    def __instancecheck__(cls, value):
        return isinstance(value, (Expr, Extent)) and value.kind == cls.kind or \
            isinstance(value, Comparison) and value.asobject().kind == cls.kind

    def __call__(cls, *args, **kwargs):
        return cls._make(*args, **kwargs)


class _Statement(type):
    """Classes of statements by their kind: called they make one, and ``isinstance`` asks for it."""

    kind: str

    def __instancecheck__(cls, value):
        return isinstance(value, Stmt) and value.node == cls.kind

    def __call__(cls, *args, **kwargs):
        return cls._make(*args, **kwargs)


class Var(metaclass=_Node):
    """A variable: a scalar parameter of the kernel, or an axis's value."""

    kind = "var"
    _make = staticmethod(te.var)


class SizeVar(metaclass=_Node):
    """A variable that is never negative."""

    kind = "var"
    _make = staticmethod(te.size_var)


class IntImm(metaclass=_Node):
    """An integer constant: ``IntImm(dtype, value)``."""

    kind = "int"

    @staticmethod
    def _make(dtype: str, value: int) -> Expr:
        """A constant.

        Parameters
        ----------
        dtype : str
        value : int
        """
        return const(whole(value, "an integer constant"), type_of(dtype).decode())


class FloatImm(metaclass=_Node):
    """A floating-point constant: ``FloatImm(dtype, value)``."""

    kind = "float"

    @staticmethod
    def _make(dtype: str, value: float) -> Expr:
        """A constant.

        Parameters
        ----------
        dtype : str
        value : float
        """
        return const(float(value), type_of(dtype).decode())


class Cast(metaclass=_Node):
    """A value converted to another type: ``Cast(dtype, value)``."""

    kind = "cast"

    @staticmethod
    def _make(dtype: str, value: Operand) -> Expr:
        """A conversion.

        Parameters
        ----------
        dtype : str
        value : Expr
        """
        return convert(value).astype(dtype)


def _not_made(name):
    def refuse(*args: object, **kwargs: object) -> NoReturn:
        raise NotOfferedError(f"tir.{name}(...) is not offered: it comes from lowering")

    return refuse


def _node(kind, maker, meaning):
    return _Node(meaning[0], (), {"kind": kind, "_make": staticmethod(maker), "__doc__": meaning[1], "__module__": __name__})


Select = _node("select", te.select, ("Select", "``Select(condition, true_value, false_value)``; both values may be computed."))
Add = _node("add", lambda a, b: convert(a) + b, ("Add", "A sum."))
Sub = _node("sub", lambda a, b: convert(a) - b, ("Sub", "A difference."))
Mul = _node("mul", lambda a, b: convert(a) * b, ("Mul", "A product."))
Div = _node("div", te.truncdiv, ("Div", "A quotient, of integers rounded towards zero."))
FloorDiv = _node("floordiv", te.floordiv, ("FloorDiv", "An integer quotient rounded down."))
FloorMod = _node("floormod", te.floormod, ("FloorMod", "The remainder of FloorDiv."))
Min = _node("min", te.min, ("Min", "The smaller."))
Max = _node("max", te.max, ("Max", "The larger."))
Reduce = _node("reduce", te.sum, ("Reduce", "A reduction; made by te.sum, te.max and te.min."))
ProducerLoad = _node("pload", lambda tensor, indices: tensor(*indices), ("ProducerLoad", "An element of a tensor."))


def _made_by(method):
    return lambda a, b: getattr(convert(a), method)(b)


EQ = _node("eq", lambda a, b: convert(a).equal(b), ("EQ", "Whether two values are equal."))
NE = _node("ne", lambda a, b: apply(b_.TE_NE, a, b), ("NE", "Whether two values differ."))
LT = _node("lt", _made_by("__lt__"), ("LT", "Whether the first is smaller."))
LE = _node("le", _made_by("__le__"), ("LE", "Whether the first is no larger."))
GT = _node("gt", _made_by("__gt__"), ("GT", "Whether the first is larger."))
GE = _node("ge", _made_by("__ge__"), ("GE", "Whether the first is no smaller."))
And = _node("and", lambda a, b: te.all(a, b), ("And", "Whether both hold."))
Or = _node("or", lambda a, b: te.any(a, b), ("Or", "Whether one of both holds."))
Not = _node("not", lambda a: apply(b_.TE_NOT, a), ("Not", "Whether a condition does not hold."))
Mod = _node("mod", te.truncmod, ("Mod", "The remainder of Div."))
Call = _node("call", lambda dtype, op, args: call_intrin(dtype, str(getattr(op, "name", op)), *args), ("Call", "A call: ``Call(dtype, op, args)``."))
StringImm = _node("string", statements.string, ("StringImm", "A text."))
BufferLoad = _node("load", lambda buffer, indices: buffer[tuple(indices)], ("BufferLoad", "An element of memory: ``BufferLoad(buffer, indices)``."))
Ramp = _node("ramp", ramp, ("Ramp", "A vector base, base + stride, ...: ``Ramp(base, stride, lanes)``."))
Broadcast = _node("broadcast", broadcast, ("Broadcast", "A vector of one value: ``Broadcast(value, lanes)``."))
Let = _node("let", _not_made("Let"), ("Let", "A value with a name inside of another."))


_KINDS = ("serial", "parallel", "vectorize", "unroll")


def _for(loop_var: Expr, min: Operand, extent: Operand, kind: int | str, body: Stmt) -> Stmt:  # pylint: disable=redefined-builtin
    """A loop.

    Parameters
    ----------
    loop_var, min, extent : Expr
    kind : str or int
    body : Stmt
    """
    return statements.for_(loop_var, min, extent, body, _KINDS[kind] if isinstance(kind, int) and 0 <= kind < 4 else str(kind))


def _allocate(buffer_var: Expr, dtype: str, extents: list, condition: Operand, body: Stmt) -> Stmt:
    """Memory.

    Parameters
    ----------
    buffer_var : Expr
    dtype : str
    extents : list of Expr or int
    condition : Expr
    body : Stmt
    """
    if not (isinstance(condition, (bool, int)) and condition) and str(condition) not in ("True", "1"):
        raise NotOfferedError("tir.Allocate(condition=...) is not offered: memory is always there; use tir.IfThenElse around it")
    context = buffer_var.context.newest()
    return statements.allocate(make_buffer(context, list(extents), type_of(dtype).decode(), buffer_var.name, data=buffer_var), body)


def _statement(name, kind, meaning, make=None):
    return _Statement(name, (), {"kind": kind, "__doc__": meaning, "__module__": __name__,
                                 "_make": staticmethod(make or _not_made(name))})


def stmt_seq(*args: Stmt | Expr) -> Stmt:
    """Statements one after another.

    Parameters
    ----------
    args : Stmt or Expr
    """
    return statements.seq(args)


For = _statement("For", "for", "A loop: ``For(loop_var, min, extent, kind, body)``.", _for)
IfThenElse = _statement("IfThenElse", "if", "A condition: ``IfThenElse(condition, then_case, else_case)``.", statements.if_)
SeqStmt = _statement("SeqStmt", "seq", "Statements one after another.", statements.seq)
BufferStore = _statement("BufferStore", "store", "A store: ``BufferStore(buffer, value, indices)``.", statements.store)
ProducerStore = _statement("ProducerStore", "pstore", "A store to a tensor, before flattening.")
ProducerRealize = _statement("ProducerRealize", "realize", "Memory of a tensor, before flattening.")
AttrStmt = _statement("AttrStmt", "attr", "An attribute: ``AttrStmt(node, key, value, body)``.", statements.attr)
LetStmt = _statement("LetStmt", "let", "A value with a name: ``LetStmt(var, value, body)``.", statements.let)
AssertStmt = _statement("AssertStmt", "assert", "A check at run time: ``AssertStmt(condition, message, body)``.", statements.assert_)
Evaluate = _statement("Evaluate", "evaluate", "A call: ``Evaluate(value)``.", statements.evaluate)
Allocate = _statement("Allocate", "allocate", "Memory: ``Allocate(buffer_var, dtype, extents, condition, body)``.", _allocate)
Block = _statement("Block", "block", "A block of create_prim_func.")

"""Computations written as Python functions with loops: ``te.hybrid.script``.

What a function may consist of: ``for i in range(...)`` (also ``serial``, ``parallel``, ``vectorize``, ``unroll``, and
``const_range``, which is written out), ``if`` and ``else``, assignments to elements of tensors and to scalars, ``+=`` and the like,
``output_tensor(shape, dtype)``, ``allocate(shape, dtype)``, arithmetic, comparisons, ``and``, ``or``, ``not``, ``x if c else y``,
functions of :mod:`vta.te`, conversions such as ``float32(x)``, ``len(x)``, ``assert``, names that are given a number once, names
from outside that are numbers or lists of them, and one ``return`` of what ``output_tensor`` made. Arguments are tensors, scalars,
numbers, and lists of these. Everything else is refused by its line.

:func:`build` makes a script of a schedule.

Examples
--------
>>> @te.hybrid.script
... def outer(a, b):
...     c = output_tensor((a.shape[0], b.shape[0]), a.dtype)
...     for i in range(a.shape[0]):
...         for j in range(b.shape[0]):
...             c[i, j] = a[i] * b[j]
...     return c
>>> C = outer(A, B)                # a tensor; of numpy arrays, an array
"""

from __future__ import annotations

import ast
import functools
import inspect
import operator
import textwrap
from typing import TYPE_CHECKING

from vta import _context
from vta._check import type_of
from vta.buffer import make_buffer
from vta.builder import BufferVar, IRBuilder
from vta.error import NotOfferedError
from vta.expr import Expr, ExprOp, convert
from vta.statements import assert_, evaluate
from vta import _math
from vta.te import numbers, operators
from vta.te.external import extern
from .hybrid_module import HybridModule, build
from vta.te.tensor import Tensor

if TYPE_CHECKING:
    from typing import Any, Callable

__all__ = ["HybridModule", "build", "script"]

_LOOPS = {"range": "serial", "serial": "serial", "parallel": "parallel", "vectorize": "vectorize", "unroll": "unroll"}
_TYPES = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64")
_BINARY: dict[type, Any] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv, ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod, ast.LShift: operator.lshift, ast.RShift: operator.rshift, ast.BitAnd: operator.and_, ast.BitOr: operator.or_,
    ast.BitXor: operator.xor}
_COMPARE: dict[type, Any] = {ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge}


def _functions():
    """Functions that scripts may call, by name."""
    found = {name: getattr(module, name) for module in (_math, numbers, operators) for name in getattr(module, "__all__", vars(module))
             if not name.startswith("_")}
    casts = {name: functools.partial(lambda kind, x: convert(x).astype(kind), name) for name in _TYPES}
    return {**found, **casts, "max": operators.max, "min": operators.min, "abs": operators.abs, "len": _length}


def _length(thing):
    """What len gives: of memory its first extent."""
    return thing.buffer.shape[0] if isinstance(thing, BufferVar) else len(thing)


def _written(code):
    """How often each name is assigned to."""
    counts: dict[str, int] = {}
    for node in ast.walk(code):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AugAssign) else []
        for name in [t.id for t in targets if isinstance(t, ast.Name)]:
            counts[name] = counts.get(name, 0) + 1
    return counts


class _Writer:
    """Turns the statements of a function into those of an IRBuilder."""

    def __init__(self, code, outside):
        self.name, self.ib, self.written = code.name, IRBuilder(), _written(code)
        self.names, self.outside, self.functions = {}, outside, _functions()
        self.inputs, self.scalars, self.made, self.results = [], set(), [], []
        self.taken: set = set()  # names of memory: a script made of the schedule tells memory by them

    def memory_name(self, name):
        """A name that no other memory has."""
        made, n = name, 0
        while made in self.taken:
            n += 1
            made = f"{name}_{n}"
        self.taken.add(made)
        return made

    def argument(self, value, tensors, buffers):
        """What a parameter stands for; of lists what their elements do."""
        if isinstance(value, (list, tuple)):
            return [self.argument(v, tensors, buffers) for v in value]
        if not isinstance(value, Tensor):
            return value
        tensors.append(value)
        buffers.append(make_buffer(_context.current(), value.shape, value.dtype, self.memory_name(value.name)))
        self.inputs.append(BufferVar(self.ib, buffers[-1], False))
        return self.inputs[-1]

    def refuse(self, node, what):
        raise NotOfferedError(f"te.hybrid.script: {self.name}, line {getattr(node, 'lineno', 0)}: {what} is not offered; "
                              "help(vta.te.hybrid) says what a function may consist of, te.extern does the rest")

    # ---- Values

    def value(self, node):
        """The value of an expression: of Python, or of the IR."""
        one = getattr(self, f"value_{type(node).__name__.lower()}", None)
        if one is None:
            self.refuse(node, ast.unparse(node))
        return one(node)

    def value_constant(self, node):
        return node.value

    def value_name(self, node):
        if node.id in self.scalars:
            return self.names[node.id][0]
        if node.id in self.names:
            return self.names[node.id]
        found = self.outside.get(node.id)
        if not isinstance(found, (int, float, ExprOp, tuple, list)):
            self.refuse(node, f"the name {node.id}")
        return found

    def value_tuple(self, node):
        return tuple(self.value(e) for e in node.elts)

    def value_binop(self, node):
        if type(node.op) is ast.Pow:  # pylint: disable=unidiomatic-typecheck
            return operators.power(self.value(node.left), self.value(node.right))
        if type(node.op) not in _BINARY:
            self.refuse(node, ast.unparse(node))
        return _BINARY[type(node.op)](self.value(node.left), self.value(node.right))

    def value_unaryop(self, node):
        x = self.value(node.operand)
        if isinstance(node.op, ast.Not):
            return not x if isinstance(x, bool) else convert(x).equal(False)
        return {ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert}[type(node.op)](x)

    def value_compare(self, node):
        sides, parts = [self.value(e) for e in (node.left, *node.comparators)], []
        for kind, x, y in zip(node.ops, sides, sides[1:]):
            plain = not isinstance(x, ExprOp) and not isinstance(y, ExprOp)
            if isinstance(kind, (ast.Eq, ast.NotEq)):
                same = x == y if plain else convert(x).equal(y)
                parts.append(same if isinstance(kind, ast.Eq) else not same if plain else convert(same).equal(False))
            elif type(kind) in _COMPARE:
                parts.append(_COMPARE[type(kind)](x, y))
            else:
                self.refuse(node, ast.unparse(node))
        return self.joined(parts, ast.And)

    def value_boolop(self, node):
        return self.joined([self.value(e) for e in node.values], type(node.op))

    @staticmethod
    def joined(parts, kind):
        if not any(isinstance(p, ExprOp) for p in parts):
            return all(parts) if kind is ast.And else any(parts)
        return functools.reduce(operators.all if kind is ast.And else operators.any, [convert(p) for p in parts])

    def value_ifexp(self, node):
        condition = self.value(node.test)
        if not isinstance(condition, ExprOp):
            return self.value(node.body if condition else node.orelse)
        return operators.if_then_else(condition, self.value(node.body), self.value(node.orelse))

    def value_attribute(self, node):
        thing = self.value(node.value)
        if isinstance(thing, BufferVar) and node.attr in ("shape", "dtype"):
            return tuple(thing.buffer.shape) if node.attr == "shape" else thing.dtype
        return self.refuse(node, ast.unparse(node))

    def value_subscript(self, node):
        thing, index = self.value(node.value), self.value(node.slice)
        if isinstance(thing, (tuple, list)) and isinstance(index, tuple):
            return functools.reduce(operator.getitem, index, thing)
        if isinstance(thing, (tuple, list)) and isinstance(index, Expr):
            return thing[int(index)] if index.kind == "int" else self.refuse(node, f"{ast.unparse(node)}, of a list, at a place that changes,")
        return thing[index] if isinstance(thing, (BufferVar, tuple, list)) else self.refuse(node, ast.unparse(node))

    def value_call(self, node):
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        if name not in self.functions or node.keywords:
            self.refuse(node, f"the call {ast.unparse(node)}")
        return self.functions[name](*[self.value(a) for a in node.args])

    # ---- Statements

    def run(self, nodes):
        """Writes statements."""
        for node in nodes:
            one = getattr(self, f"run_{type(node).__name__.lower()}", None)
            if one is None or self.results:
                self.refuse(node, "what follows the return" if one else f"the statement {ast.unparse(node).splitlines()[0]}")
            one(node)

    def run_pass(self, node):
        """Nothing."""

    def run_expr(self, node):
        if not isinstance(node.value, ast.Constant):
            self.refuse(node, ast.unparse(node))

    def run_return(self, node):
        self.results = [self.value(e) for e in (node.value.elts if isinstance(node.value, ast.Tuple) else [node.value])]
        if not all(r in self.made for r in self.results):
            self.refuse(node, "a return of anything but output tensors")

    def memory(self, node, name, call):
        """What output_tensor and allocate make."""
        shape, dtype = [self.value(a) for a in (*call.args, *(k.value for k in call.keywords))][:2]
        shape = list(shape) if isinstance(shape, (tuple, list)) else [shape]
        if call.func.id == "allocate":
            return self.ib.allocate(dtype, shape, self.memory_name(name))
        if len(self.ib._open) != 1:
            self.refuse(node, "output_tensor inside of a loop or condition")
        self.made.append(BufferVar(self.ib, make_buffer(_context.current(), shape, type_of(dtype).decode(), self.memory_name(name)), False))
        return self.made[-1]

    def run_assign(self, node):
        if len(node.targets) != 1:
            self.refuse(node, "an assignment to several names")
        self.assign(node, node.targets[0], node.value)

    def assign(self, node, target, value):
        if isinstance(target, ast.Name) and isinstance(value, ast.Call) and getattr(value.func, "id", "") in ("allocate", "output_tensor"):
            self.names[target.id] = self.memory(node, target.id, value)
            return
        made = self.value(value)
        once = isinstance(target, ast.Name) and target.id not in self.names and self.written.get(target.id) == 1
        if once and isinstance(made, (int, float, tuple, list)):
            self.names[target.id] = made  # a name for a number
            return
        self.store(node, target, made)

    def store(self, node, target, value):
        if isinstance(target, ast.Subscript):
            buffer = self.value(target.value)
            if not isinstance(buffer, BufferVar) or buffer in self.inputs:
                self.refuse(node, f"an assignment to {ast.unparse(target)}, an input")
            buffer[self.value(target.slice)] = convert(value).astype(buffer.dtype)
            return
        if not isinstance(target, ast.Name) or (target.id in self.names and target.id not in self.scalars):
            self.refuse(node, f"an assignment to {ast.unparse(target)}")
        if target.id not in self.scalars:
            self.names[target.id] = self.ib.allocate(convert(value).dtype, [1], self.memory_name(target.id))
            self.scalars.add(target.id)
        self.names[target.id][0] = convert(value).astype(self.names[target.id].dtype)

    def run_augassign(self, node):
        source = ast.copy_location(ast.BinOp(left=node.target, op=node.op, right=node.value), node)
        self.store(node, node.target, self.value(source))

    def inside(self, nodes, names=None):
        """Statements of a scope; names made in it end with it."""
        before, scalars = dict(self.names), set(self.scalars)
        self.names.update(names or {})
        self.run(nodes)
        self.names, self.scalars = before, scalars

    def run_for(self, node):
        call = node.iter
        kind = getattr(getattr(call, "func", None), "id", "")
        if not isinstance(node.target, ast.Name) or node.orelse or kind not in (*_LOOPS, "const_range"):
            self.refuse(node, ast.unparse(node).splitlines()[0])
        ends = [self.value(a) for a in call.args]
        if len(ends) not in (1, 2):
            self.refuse(node, "a loop with a step")
        begin, end = ends if ends[1:] else (0, ends[0])
        if kind == "const_range":
            for i in range(int(begin), int(end)):
                self.inside(node.body, {node.target.id: i})
            return
        with self.ib.for_range(begin, end, node.target.id, kind=_LOOPS[kind]) as var:
            self.inside(node.body, {node.target.id: var})

    def run_assert(self, node):
        condition = self.value(node.test)
        message = self.value(node.msg) if node.msg else "an assertion does not hold"
        if not isinstance(condition, ExprOp) or not isinstance(message, str):
            if not condition:
                raise ValueError(f"te.hybrid.script: {self.name}, line {node.lineno}: {message}")
            return
        self.ib.emit(assert_(condition, message, evaluate(0)))

    def run_if(self, node):
        condition = self.value(node.test)
        if not isinstance(condition, ExprOp):
            self.run(node.body if condition else node.orelse)
            return
        with self.ib.if_scope(condition):
            self.inside(node.body)
        if node.orelse:
            with self.ib.else_scope():
                self.inside(node.orelse)


def _plain_names():
    """What scripts know by name, for numpy arrays."""
    import numpy as np

    def zeros(shape, dtype="float32", *_):
        return np.zeros(shape, dtype)

    same = ("exp", "log", "sqrt", "tanh", "floor", "ceil", "trunc", "round", "sin", "cos", "power", "log2", "log10", "log1p", "exp2", "sinh",
            "cosh", "tan", "hypot", "copysign", "fmod", "isnan")
    return {"output_tensor": zeros, "allocate": zeros, "const_range": range, **dict.fromkeys(_LOOPS, range),
            **{t: getattr(np, t) for t in _TYPES}, **{n: getattr(np, n) for n in same}, "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
            "rsqrt": lambda x: 1 / np.sqrt(x), "popcount": lambda x: bin(int(x)).count("1"), "max": max, "min": min, "abs": abs, "len": len}


class _Script:
    """A function with loops.

    Parameters
    ----------
    code : ast.FunctionDef
    filename : str
    outside : dict
        The names that it sees besides its own.
    """

    def __init__(self, code, filename, outside):
        self.code, self.filename, self.outside = code, filename, outside

    def plain(self):
        """The function for numpy arrays."""
        code = ast.Module([self.code], [])
        self.code.decorator_list = []
        scope = {**_plain_names(), **self.outside}
        exec(compile(code, self.filename, "exec"), scope)  # pylint: disable=exec-used
        return scope[self.code.name]

    def tensors(self, args):
        """What it computes of tensors."""
        name, parameters = self.code.name, [a.arg for a in self.code.args.args]
        if len(parameters) != len(args):
            raise TypeError(f"{name} takes {len(parameters)} arguments, not {len(args)}")
        given: list = []
        buffers: list = []
        writer = _Writer(self.code, self.outside)
        writer.names = {parameter: writer.argument(value, given, buffers) for parameter, value in zip(parameters, args)}
        writer.run(self.code.body)
        if not writer.results:
            writer.refuse(self.code, "a function without a return")
        results = [r.buffer for r in writer.results]
        body = writer.ib.get()
        return extern([list(r.shape) for r in results], given, lambda ins, outs: body, name, in_buffers=buffers, out_buffers=results)

    def __call__(self, *args):
        if any(_is_symbolic(a) for a in args):
            return self.tensors(args)
        return self.plain()(*args)


def _is_symbolic(value):
    return any(map(_is_symbolic, value)) if isinstance(value, (list, tuple)) else isinstance(value, (Tensor, Expr))


def script(pyfunc: Callable) -> Callable:
    """Makes a function of tensors of a Python function with loops; also a decorator. Called with tensors (and numbers) it gives
    the tensors that the loops compute, as :func:`vta.te.extern` does; called with numpy arrays, arrays.

    Parameters
    ----------
    pyfunc : callable
    """
    if not inspect.isfunction(pyfunc):
        raise TypeError(f"te.hybrid.script takes a function, not {type(pyfunc).__name__}")

    @functools.wraps(pyfunc)
    def call(*args: Any) -> Any:
        code = ast.parse(textwrap.dedent(inspect.getsource(pyfunc))).body[0]
        outside = {**pyfunc.__globals__, **inspect.getclosurevars(pyfunc).nonlocals}
        return _Script(code, pyfunc.__code__.co_filename, outside)(*args)

    return call


def _script_of(src):
    """The function that a text defines."""
    code = ast.parse(src).body
    if len(code) != 1 or not isinstance(code[0], ast.FunctionDef):
        raise ValueError("a hybrid script is the definition of one function")
    made = _Script(code[0], "<hybrid script>", {})

    def call(*args: Any) -> Any:
        return made(*args)

    call.__name__ = code[0].name
    return call


HybridModule._script_of, HybridModule._functions = _script_of, _functions

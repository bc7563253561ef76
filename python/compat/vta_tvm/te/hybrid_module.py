"""Schedules as Python functions with loops: ``te.hybrid.build``."""

from __future__ import annotations

import ast
import keyword
import os
import re
from typing import TYPE_CHECKING

from vta._check import items
from vta.build import _lowered
from vta.error import NotOfferedError
from vta.expr import Expr, convert
from vta.te.tensor import Tensor

if TYPE_CHECKING:
    from typing import Any, Callable, ClassVar, Sequence

    from vta.stmt import Stmt
    from vta.te.schedule import Schedule

__all__ = ["HybridModule", "build"]

_INFIX = {"add": "+", "sub": "-", "mul": "*", "floordiv": "//", "floormod": "%", "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">",
          "ge": ">=", "and": "and", "or": "or"}
_BITS = {"shift_left": "<<", "shift_right": ">>", "bitwise_and": "&", "bitwise_or": "|", "bitwise_xor": "^"}
_LOOPS = {"serial": "range", "parallel": "parallel", "vectorized": "vectorize", "unrolled": "unroll"}
_CALLED = {"fabs": "abs", "pow": "power"}


def _key(thing):
    """What tells tensors apart; of scalars, which the IR knows by name, that."""
    return (thing.name, thing.value_index) if isinstance(thing, Tensor) else thing.name


class _Source:
    """Writes a lowered function as a script."""

    def __init__(self, inputs, outputs):
        self.lines: list[str] = []
        self.depth = 0
        self.names: dict = {}    # variables and memory by their names in the IR, tensors by _key: what the script calls them
        self.origins: dict = {}  # of tensors whose memory does not begin at 0
        self.taken: set = set(keyword.kwlist) | {"output_tensor", "allocate", *_LOOPS.values()}
        self.given = {_key(t) for t in outputs}
        for thing in (*inputs, *outputs):
            self.new_name(thing.name, _key(thing))

    def refuse(self, what):
        raise NotOfferedError(f"te.hybrid.build: {what} has no form in a script; build the schedule with tvm.build")

    def new_name(self, name, key=None):
        """The script's name for what is made now."""
        base = re.sub(r"\W", "_", name)
        made, n = base, 0
        while made in self.taken:
            n += 1
            made = f"{base}_{n}"
        self.taken.add(made)
        self.names[name if key is None else key] = made
        return made

    def line(self, text):
        self.lines.append("    " * self.depth + text)

    def block(self, body):
        self.depth += 1
        before = len(self.lines)
        names, origins = dict(self.names), dict(self.origins)
        self.statement(body)
        if len(self.lines) == before:
            self.line("pass")
        self.names, self.origins = names, origins
        self.depth -= 1

    # ---- Expressions

    def call(self, e, args):
        name = e.op.name.rpartition(".")[2]
        if name in ("if_then_else", "likely"):
            return f"({args[1]} if {args[0]} else {args[2]})" if name[0] == "i" else args[0]
        if name in _BITS:
            return f"({args[0]} {_BITS[name]} {args[1]})"
        if name == "bitwise_not":
            return f"(~{args[0]})"
        if name not in HybridModule._functions() and name not in _CALLED:
            self.refuse(f"the call of {name}")
        return f"{_CALLED.get(name, name)}({', '.join(args)})"

    def value(self, e):
        """An expression of the script."""
        kind, dtype = e.kind, e.dtype
        if kind == "var":
            return self.names.get(e.name) or self.refuse(f"the variable {e.name}")
        if kind == "int":
            return str(bool(e.value)) if dtype == "bool" else str(e.value)
        if kind == "float":
            return repr(e.value) if abs(e.value) < float("inf") else self.refuse("an infinite number")
        if kind in ("pload", "load"):
            return self.element(_key(e.producer) if kind == "pload" else e.buffer, e.operands)
        args = [self.value(x) for x in e.operands]
        if kind in _INFIX:
            return f"({args[0]} {_INFIX[kind]} {args[1]})"
        if kind in ("div", "mod"):
            if not dtype.startswith("float"):
                self.refuse("a quotient rounded towards zero")
            return f"({args[0]} / {args[1]})"
        if kind in ("min", "max"):
            return f"{kind}({args[0]}, {args[1]})"
        if kind == "not":
            return f"(not {args[0]})"
        if kind == "select":
            return f"({args[1]} if {args[0]} else {args[2]})"
        if kind == "cast":
            return f"{dtype}({args[0]})" if dtype != "bool" else f"({args[0]} != 0)"
        return self.call(e, args) if kind == "call" else self.refuse(f"an expression of kind {kind}")

    def element(self, name, indices):
        if name not in self.names:
            self.refuse(f"an element of {name[0] if isinstance(name, tuple) else name}")
        begins = self.origins.get(name) or [None] * len(indices)
        at = [self.value(i) if begin in (None, "0") else f"{self.value(i)} - {begin}" for i, begin in zip(indices, begins)]
        return f"{self.names[name]}[{', '.join(at) or '()'}]"

    # ---- Statements

    def statement(self, s):
        """Writes a statement and what is inside of it."""
        one = getattr(self, f"write_{s.node}", None)
        if one is None:
            self.refuse(f"a statement of kind {s.node}")
        one(s)

    def write_seq(self, s):
        for one in s.items:
            self.statement(one)

    def write_for(self, s):
        if s.kind not in _LOOPS:
            self.refuse(f"a loop of kind {s.kind}")
        begin, extent = self.value(s.min), self.value(s.extent)
        ends = extent if begin == "0" else f"{begin}, {begin} + {extent}"
        keep = dict(self.names)
        name = self.new_name(s.loop_var.name)
        self.line(f"for {name} in {_LOOPS[s.kind]}({ends}):")
        self.block(s.body)
        self.names = keep

    def write_if(self, s):
        self.line(f"if {self.value(s.condition)}:")
        self.block(s.then_case)
        if s.else_case is not None:
            self.line("else:")
            self.block(s.else_case)

    def write_store(self, s):
        self.line(f"{self.element(s.buffer, s.indices)} = {self.value(s.value)}")

    def write_pstore(self, s):
        self.line(f"{self.element(_key(s.producer), s.indices)} = {self.value(s.value)}")

    def write_assert(self, s):
        self.line(f"assert {self.value(s.condition)}, {s.message.value!r}")
        if s.body is not None:
            self.statement(s.body)

    def write_let(self, s):
        value = self.value(s.value)
        self.line(f"{self.new_name(s.var.name)} = {value}")
        self.statement(s.body)

    def write_evaluate(self, s):
        if s.value.kind != "int":
            self.refuse(f"the call {s.value}")

    def write_attr(self, s):
        if s.key == "buffer_bind_scope":
            self.names[s.buffer_name] = self.names[_key(s.fields["node"])]
            if any(begin != "0" for begin in self.origins.get(_key(s.fields["node"]), ())):
                self.refuse("a part of a tensor that statements compute")
        self.statement(s.body)

    def memory(self, name, shape, dtype, key=None):
        self.line(f"{self.new_name(name, key)} = allocate(({''.join(self.value(d) + ', ' for d in shape)}), {dtype!r})")

    def write_realize(self, s):
        bounds = s.bounds
        if _key(s.producer) not in self.given:
            self.memory(s.producer.name, bounds[1::2], s.producer.dtype, _key(s.producer))
            self.origins[_key(s.producer)] = [self.value(begin) for begin in bounds[::2]]
        self.statement(s.body)

    def write_allocate(self, s):
        stores = _stores(s.body, s.buffer_var.name)
        if not stores:
            self.refuse(f"memory that nothing is stored to, {s.buffer_var.name},")
        self.memory(s.buffer_var.name, stores[0].buffer_shape, stores[0].value.dtype)
        self.statement(s.body)


def _stores(body, name):
    """The stores to a buffer."""
    from vta.stmt import Stmt, post_order_visit

    found: list[Stmt] = []
    post_order_visit(body, lambda n: found.append(n) if isinstance(n, Stmt) and n.node == "store" and n.buffer == name else None)
    return found


class HybridModule:
    """A schedule as a script, made by :func:`build` or read from a file. Called with tensors it gives tensors, called with numpy
    arrays arrays, as the functions of :func:`script` do.

    Parameters
    ----------
    src : str, optional
        The script: one function. Without it :meth:`load` gives it.
    name : str, optional
        Of the function.
    """

    # Makes a function of a script, says what scripts may call, and lowers a schedule: vta.te.hybrid and vta.build, which are
    # made of this module, fill them in.
    _functions: ClassVar[Callable[[], dict]]
    _script_of: ClassVar[Callable[[str], Callable]]

    def __init__(self, src: str | None = None, name: str | None = None) -> None:
        self.src_, self.name = src, name
        self._function: Callable | None = None
        if src is not None:
            self._read(src)

    def _read(self, src):
        self.src_ = src
        self._function = type(self)._script_of(src)
        self.name = self._function.__name__

    def __call__(self, *args: Any) -> Any:
        if self._function is None:
            raise ValueError("this HybridModule has no script yet: load one")
        return self._function(*args)

    def get_source(self) -> str:
        """The script."""
        return self.src_ or ""

    def save(self, path: str | os.PathLike) -> None:
        """Writes the script to a file.

        Parameters
        ----------
        path : str
            Gets ``.py`` behind it where it has no suffix.
        """
        if self._function is None:
            raise ValueError("this HybridModule has no script to be saved")
        path = os.fspath(path)
        with open(path if path.endswith(".py") else path + ".py", "w", encoding="utf-8") as out:
            out.write(self.get_source())

    def load(self, path: str | os.PathLike) -> None:
        """Reads a script from a file.

        Parameters
        ----------
        path : str
        """
        with open(path, encoding="utf-8") as src:
            self._read(src.read())


def build(sch: Schedule, inputs: Sequence[Tensor | Expr], outputs: Sequence[Tensor], name: str = "hybrid_func") -> HybridModule:
    """A schedule's loops as a script.

    Parameters
    ----------
    sch : Schedule
    inputs : list of Tensor or Expr
        What the function takes: placeholders, and scalars.
    outputs : list of Tensor
        What it returns.
    name : str, optional
    """
    ins, outs = items(inputs), items(outputs)
    keys = [_key(t) for t in (*ins, *outs)]
    if len(set(keys)) != len(keys):
        raise ValueError(f"te.hybrid.build: inputs and outputs need names of their own, not {', '.join(t.name for t in (*ins, *outs))}")
    body: Stmt = _lowered(sch, [*ins, *outs], "main", only=()).body
    src = _Source(ins, outs)
    src.line(f"def {name}({', '.join(src.names[_key(t)] for t in ins)}):")
    src.depth = 1
    for t in outs:
        shape = "".join(src.value(convert(d)) + ", " for d in t.shape)
        src.line(f"{src.names[_key(t)]} = output_tensor(({shape}), {t.dtype!r})")
    src.statement(body)
    src.line(f"return {', '.join(src.names[_key(t)] for t in outs)}")
    text = "\n".join(src.lines) + "\n"
    ast.parse(text)
    return HybridModule(text, name)

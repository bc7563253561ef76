"""Tensor expressions and schedules.

A computation is described with tensors and Python lambdas, and a schedule says how it is carried out. Nothing is
computed here; :func:`vta.lower` shows the loops that result, and :func:`vta.build` compiles them.

Examples
--------
>>> import vta
>>> from vta import te
>>> A = te.placeholder((4, 16), name="A", dtype="int32")
>>> B = te.compute(A.shape, lambda i, j: A[i, j] + 1, name="B")
>>> s = te.create_schedule(B.op)
>>> outer, inner = s[B].split(B.op.axis[1], factor=4)
"""

from __future__ import annotations

import contextlib
import ctypes
import inspect
from typing import TYPE_CHECKING

from . import _bindings as b
from . import _context
from ._context import array_of
from ._lib import lib, text
from .environment import get_env
from .expr import Expr, ExprOp, _operands, apply, const, convert
from .intrin import TensorIntrin, decl_buffer, decl_tensor_intrin

if TYPE_CHECKING:
    from typing import Any, Callable, Iterator, NoReturn, Sequence

    import numpy as np

    from ._context import Context
    from .environment import Environment
    from .expr import Operand

__all__ = [
    "Tensor", "TensorSlice", "Operation", "IterVar", "Schedule", "Stage", "GemmIntrin", "TensorIntrin", "PrimFunc",
    "placeholder", "var", "size_var", "compute", "reduce_axis", "thread_axis", "create_schedule", "create_prim_func",
    "sum", "min", "max", "all", "any", "if_then_else", "select", "const", "convert", "abs", "floordiv", "floormod",
    "truncdiv", "truncmod", "indexdiv", "indexmod", "div", "likely", "exp", "log", "sqrt", "tanh", "floor", "ceil",
    "round", "power", "tag_scope", "evaluate", "decl_tensor_intrin", "comm_reducer", "scan", "extern", "gradient",
]

_DATA, _THREAD, _REDUCE = b.TE_AXIS_DATA, b.TE_AXIS_THREAD, b.TE_AXIS_REDUCE
_python_sum, _python_min, _python_max, _python_all = sum, min, max, all


# ---- Axes, tensors, operations ----------------------------------------------------------------------------------


class Range:
    """A half-open range ``[min, min + extent)``.

    Parameters
    ----------
    begin : int | Expr

    Attributes
    ----------
    min, extent : int or Expr
    """

    def __init__(self, begin: int | Expr, extent: int | Expr) -> None:
        self.min, self.extent = begin, extent

    def __repr__(self):
        return f"range(min={self.min}, ext={self.extent})"


class IterVar(ExprOp):
    """One dimension of iteration; inside an expression it stands for its value.

    Parameters
    ----------
    context : Context
    handle : int

    Attributes
    ----------
    name : str
    dtype : str
        ``"int32"``.
    dom : Range or None
        What it runs over, where that is known already.
    """

    __slots__ = ("context", "handle")

    def __init__(self, context: Context, handle: int) -> None:
        self.context, self.handle = context, handle

    def _as_expr(self):
        return self.context, self.context.value_of_axis(ctypes.c_void_p(self.handle))

    @property
    def name(self) -> str:
        """Name of the axis."""
        return text(lib.te_axis_name(self.handle))

    @property
    def dtype(self) -> str:
        """Type of its value."""
        return "int32"

    @property
    def var(self) -> Expr:
        """Its value as an expression."""
        return Expr(*self._as_expr())

    @property
    def dom(self) -> Range | None:
        """What it runs over; None where only bound inference will know."""
        extent = lib.te_axis_extent(self.handle)
        return None if extent < 0 else Range(0, extent)

    def __eq__(self, other):
        if isinstance(other, IterVar):
            return self.handle == other.handle
        return ExprOp.__eq__(self, other)

    def __ne__(self, other):
        if isinstance(other, IterVar):
            return self.handle != other.handle
        return ExprOp.__ne__(self, other)

    def __hash__(self):
        return hash(self.handle)

    def __repr__(self):
        return text(lib.te_axis_text(self.context.handle, self.handle))


class TensorSlice(ExprOp):
    """A tensor with all or some of its indices: ``A[i, j]``, or ``A[i]`` to be indexed further."""

    __slots__ = ("tensor", "indices")

    def __init__(self, tensor: Tensor, indices: Any) -> None:
        self.tensor = tensor
        self.indices = indices if isinstance(indices, tuple) else (indices,)

    def __getitem__(self, indices: Any) -> TensorSlice:
        more = indices if isinstance(indices, tuple) else (indices,)
        return TensorSlice(self.tensor, self.indices + more)

    def _as_expr(self):
        element = self.tensor(*self.indices)
        return element.context, element.handle

    @property
    def dtype(self) -> str:
        """Type of the element."""
        return self.tensor.dtype

    def asobject(self) -> Expr:
        """The element as an :class:`Expr`."""
        return self.tensor(*self.indices)

    def __repr__(self):
        return repr(self.asobject())


class _Computation:
    """Arithmetic on whole tensors: one computation element by element."""

    __slots__ = ()

    def _broadcast(self, name, other, swap=False):
        from . import topi  # topi is made of te, so it is imported where it is used

        return getattr(topi, name)(*((other, self) if swap else (self, other)))

    def __add__(self, other):
        return self._broadcast("add", other)

    def __radd__(self, other):
        return self._broadcast("add", other, swap=True)

    def __sub__(self, other):
        return self._broadcast("subtract", other)

    def __rsub__(self, other):
        return self._broadcast("subtract", other, swap=True)

    def __mul__(self, other):
        return self._broadcast("multiply", other)

    def __rmul__(self, other):
        return self._broadcast("multiply", other, swap=True)

    def __rshift__(self, other):
        return self._broadcast("right_shift", other)

    def __lshift__(self, other):
        return self._broadcast("left_shift", other)


class Tensor(_Computation):
    """A placeholder, or an output of a computation.

    ``A[i, j]`` and ``A(i, j)`` are its elements.

    Parameters
    ----------
    context : Context
    handle : int

    Attributes
    ----------
    shape : list of int
        An :class:`Expr` where an extent is not constant.
    dtype : str
    op : Operation
        What computes it.
    value_index : int
        Which of the outputs of `op` it is.
    """

    def __init__(self, context: Context, handle: int) -> None:
        self.context, self.handle = context, handle

    @property
    def shape(self) -> list[int | Expr]:
        """Extents, outermost first."""
        out = []
        for i in range(lib.te_tensor_ndim(self.handle)):
            extent = lib.te_tensor_dim(self.handle, i)
            out.append(extent if extent >= 0 else Expr(self.context, lib.te_tensor_dim_expr(self.handle, i)))
        return out

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return lib.te_tensor_ndim(self.handle)

    @property
    def dtype(self) -> str:
        """Type of an element."""
        return text(lib.te_tensor_dtype(self.context.handle, self.handle))

    @property
    def name(self) -> str:
        """Name of the tensor."""
        return text(lib.te_tensor_name(self.handle))

    @property
    def op(self) -> Operation:
        """The operation that computes it."""
        return Operation(self.context, self.handle)

    @property
    def value_index(self) -> int:
        """Which of the operation's outputs it is."""
        return lib.te_tensor_index(self.handle)

    @property
    def axis(self) -> list[IterVar]:
        """The operation's data axes."""
        return self.op.axis

    def __call__(self, *indices: Any) -> Expr:
        if len(indices) == 1 and isinstance(indices[0], tuple):
            indices = indices[0]
        if len(indices) != self.ndim:
            raise ValueError(f"{self.name} has {self.ndim} dimensions, but {len(indices)} indices were given")
        context, handles = _operands(indices) if indices else (self.context, [])
        if any_expression(indices):
            self.context.owner_check(context)
        context = self.context
        handles = [lib.te_cast(context.handle, b"int32", h) if _is_bool(context, h) else h for h in handles]
        return Expr(context, context.made(lib.te_load(context.handle, self.handle, len(handles), array_of(handles))))

    def __getitem__(self, indices: Any) -> TensorSlice:
        return TensorSlice(self, indices)

    def __eq__(self, other):
        return isinstance(other, Tensor) and self.handle == other.handle

    def __hash__(self):
        return hash(self.handle)

    def __repr__(self):
        return text(lib.te_tensor_text(self.context.handle, self.handle))


def any_expression(values: Operand) -> bool:
    """Whether one of the values belongs to a context already."""
    return bool([v for v in values if not isinstance(v, (int, float))])


def _is_bool(context, handle):
    return lib.te_expr_dtype(context.handle, handle) == b"bool"


class Operation:
    """What computes a tensor: a placeholder or a computation.

    Parameters
    ----------
    context : Context
    handle : int

    Attributes
    ----------
    name, tag : str
    axis, reduce_axis : list of IterVar
    num_outputs : int
    input_tensors : list of Tensor
    body : list of Expr
    """

    def __init__(self, context: Context, handle: int) -> None:
        self.context = context
        self._tensor = handle

    @property
    def name(self) -> str:
        """Name of the operation."""
        return text(lib.te_tensor_name(self._tensor))

    @property
    def tag(self) -> str:
        """Tag given when it was made."""
        return text(lib.te_tensor_tag(self._tensor)) or ""

    @property
    def axis(self) -> list[IterVar]:
        """Data axes, outermost first."""
        count = lib.te_tensor_axes(self._tensor)
        return [IterVar(self.context, lib.te_tensor_axis(self._tensor, i)) for i in range(count)]

    @property
    def reduce_axis(self) -> list[IterVar]:
        """Reduce axes in their order."""
        count = lib.te_tensor_reduce_axes(self._tensor)
        return [IterVar(self.context, lib.te_tensor_reduce_axis(self._tensor, i)) for i in range(count)]

    @property
    def num_outputs(self) -> int:
        """How many tensors it computes."""
        return lib.te_tensor_outputs(self._tensor)

    @property
    def input_tensors(self) -> list[Tensor]:
        """Tensors that its body reads, by first use."""
        count = lib.te_tensor_inputs(self.context.handle, self._tensor)
        return [Tensor(self.context, lib.te_tensor_input(self.context.handle, self._tensor, i)) for i in range(count)]

    @property
    def body(self) -> list[Expr]:
        """The expressions of its outputs; empty for a placeholder."""
        if lib.te_tensor_is_placeholder(self._tensor):
            return []
        outputs = [lib.te_tensor_output(self._tensor, i) for i in range(self.num_outputs)]
        return [Expr(self.context, lib.te_tensor_body(t)) for t in outputs]

    def output(self, index: int) -> Tensor:
        """Output `index` as a tensor."""
        if not 0 <= index < self.num_outputs:
            raise IndexError(f"{self.name} has {self.num_outputs} outputs, not {index + 1}")
        return Tensor(self.context, lib.te_tensor_output(self._tensor, index))

    def _key(self):
        return lib.te_tensor_output(self._tensor, 0)

    def __eq__(self, other):
        return isinstance(other, Operation) and self._key() == other._key()

    def __hash__(self):
        return hash(self._key())

    def __repr__(self):
        return text(lib.te_op_of_tensor_text(self.context.handle, self._tensor))


# ---- Describing computations ------------------------------------------------------------------------------------


def _shape(shape):
    """A shape as a tuple; a single number is one dimension."""
    return tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)


def placeholder(shape: Sequence[int | Expr] | int, dtype: str = "float32", name: str = "placeholder") -> Tensor:
    """An input.

    Parameters
    ----------
    shape : tuple of int or Expr
    dtype : str, optional
    name : str, optional

    Returns
    -------
    tensor : Tensor
    """
    context = _context.current()
    context.here()
    shape = _shape(shape)
    if _python_all([isinstance(d, int) for d in shape]):
        handle = lib.te_placeholder(context.handle, name.encode(), str(dtype).encode(), len(shape),
                                    (ctypes.c_int64 * _python_max(1, len(shape)))(*shape))
    else:
        handle = lib.te_placeholder_expr(context.handle, name.encode(), str(dtype).encode(), len(shape),
                                         array_of([convert(d).handle for d in shape]))
    return Tensor(context, context.made(handle))


def var(name: str = "tindex", dtype: str = "int32") -> Expr:
    """A scalar parameter of the kernel.

    Parameters
    ----------
    name, dtype : str, optional

    Returns
    -------
    expr : Expr
    """
    context = _context.current()
    return Expr(context, context.made(lib.te_scalar(context.handle, name.encode(), str(dtype).encode())))


size_var = var


def reduce_axis(dom: tuple[int | Expr, int | Expr] | Range, name: str = "rv") -> IterVar:
    """An axis to reduce over.

    Parameters
    ----------
    dom : (begin, end) or Range
        Its half-open range.
    name : str, optional

    Returns
    -------
    axis : IterVar
    """
    context = _context.current()
    context.here()
    begin, end = (dom.min, dom.min + dom.extent) if isinstance(dom, Range) else dom
    if isinstance(begin, int) and isinstance(end, int):
        handle = lib.te_reduce_axis(context.handle, name.encode(), begin, end - begin)
    else:
        handle = lib.te_reduce_axis_expr(context.handle, name.encode(), convert(begin).handle,
                                         convert(end - begin).handle)
    return IterVar(context, context.made(handle))


def thread_axis(dom: str | Range | None = None, tag: str = "", name: str = "", span: None = None) -> IterVar:
    """A thread axis to bind to: ``"cthread"`` (virtual threads) or ``"vta"``.

    Parameters
    ----------
    dom : str
        The tag. A range may stand here, and then the tag comes second; the range is taken from what is bound to it.
    tag, name : str, optional
    span : None, optional
        Accepted, without effect.

    Returns
    -------
    axis : IterVar
    """
    context = _context.current()
    context.here()
    tag = dom if isinstance(dom, str) else tag
    if not tag:
        raise ValueError("a thread axis needs a tag, such as \"cthread\"")
    return IterVar(context, context.made(lib.te_thread_axis(context.handle, tag.encode())))


_tags = []


@contextlib.contextmanager
def tag_scope(tag: str) -> Iterator[None]:
    """Gives a tag to all computations made inside the block.

    Parameters
    ----------
    tag : str
    """
    if _tags:
        raise ValueError(f"tag scopes do not nest: {_tags[-1]!r} is open")
    _tags.append(tag)
    try:
        yield
    finally:
        _tags.pop()


def _axis_names(fcompute, ndim):
    """Names of a computation's axes: the lambda's parameters, i0, i1, … for ``*i``."""
    try:
        parameters = inspect.signature(fcompute).parameters.values()
    except (TypeError, ValueError):
        parameters = ()
    named = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    star = [p for p in parameters if p.kind == p.VAR_POSITIONAL]
    if parameters and not star and len(named) != ndim:
        raise ValueError(f"the function takes {len(named)} indices, but the shape has {ndim} dimensions")
    if star:
        return named + [f"i{i}" for i in range(len(named), ndim)]
    return named or [f"i{i}" for i in range(ndim)]


def compute(shape: Sequence[int | Expr] | int, fcompute: Callable, name: str = "compute", tag: str = "",
            attrs: dict | None = None, varargs_names: Sequence[str] | None = None) -> Any:
    """A tensor from the value of each of its elements.

    Parameters
    ----------
    shape : tuple of int or Expr
    fcompute : callable
        From one index for each dimension to an expression, or to a tuple of expressions for several outputs.
    name, tag : str, optional
    varargs_names : list of str, optional
        Names of the axes where `fcompute` takes ``*indices``.
    attrs : dict, optional
        Accepted, without effect.

    Returns
    -------
    tensor : Tensor, or tuple of Tensor
    """
    context = _context.current()
    if _tags:
        if tag:
            raise ValueError("nested tag is not allowed: a tag scope is open")
        tag = _tags[-1]
    shape = _shape(shape)
    context.here()
    names = varargs_names or _axis_names(fcompute, len(shape))
    axes = []
    for axis_name, extent in zip(names, shape):
        if isinstance(extent, int):
            handle = lib.te_axis_create(context.handle, axis_name.encode(), extent)
        else:
            handle = lib.te_axis_create_expr(context.handle, axis_name.encode(), convert(extent).handle)
        axes.append(IterVar(context, context.made(handle)))
    body = fcompute(*[a.var for a in axes])
    bodies = list(body) if isinstance(body, (tuple, list)) else [body]
    found = _operands(tuple(bodies))
    if any_expression(bodies):
        context.owner_check(found[0])
    context.here()
    out = (ctypes.c_void_p * len(bodies))()
    context.done(lib.te_compute_axes(context.handle, name.encode(), tag.encode(), len(axes),
                                     array_of([a.handle for a in axes]), len(bodies), array_of(found[1]), out))
    tensors = tuple(Tensor(context, handle) for handle in out)
    return tensors if isinstance(body, (tuple, list)) else tensors[0]


def _reduce(kind, op, values, axis):
    """A reduction over axes, or the operator on two or more values."""
    if axis is None:
        if len(values) < 2:
            raise ValueError("give the axis to reduce over, or two values")
        first, *rest = values
        for value in rest:
            first = apply(op, first, value)
        return first
    (value,) = values
    axes = list(axis) if isinstance(axis, (tuple, list)) else [axis]
    context, (handle,) = _operands((value,))
    return Expr(context, context.made(lib.te_reduce(context.handle, kind, handle, len(axes),
                                                    array_of([a.handle for a in axes]))))


def _reducer(kind, op, values, axis, where):
    if where is not None:
        raise NotImplementedError("a reduction's `where` is not offered: put the condition into the value with select")
    if axis is None and len(values) == 2 and (isinstance(values[1], IterVar) or isinstance(values[1], (list, tuple))):
        values, axis = values[:1], values[1]
    return _reduce(kind, op, values, axis)


def sum(*values: Operand, axis: IterVar | Sequence[IterVar] | None = None, where: None = None) -> Expr:
    """Sum over reduce axes.

    Parameters
    ----------
    values : Expr
        What to add up (or two values, to add them).
    axis : IterVar or list of IterVar
    where : None, optional
        Only None: put the condition into the value with :func:`select`.

    Returns
    -------
    expr : Expr
        Only at the top of a computation's body.
    """
    return _reducer(b.TE_SUM, b.TE_ADD, values, axis, where)


def min(*values: Operand, axis: IterVar | Sequence[IterVar] | None = None, where: None = None) -> Expr:
    """The smallest over reduce axes, or the smaller of two values; see :func:`sum`.

    Parameters
    ----------
    axis : IterVar | Sequence[IterVar], optional
    where : None, optional
        Only None: put the condition into the value with :func:`select`.
    """
    return _reducer(b.TE_MIN_OF, b.TE_MIN, values, axis, where)


def max(*values: Operand, axis: IterVar | Sequence[IterVar] | None = None, where: None = None) -> Expr:
    """The largest over reduce axes, or the larger of two values; see :func:`sum`.

    Parameters
    ----------
    axis : IterVar | Sequence[IterVar], optional
    where : None, optional
        Only None: put the condition into the value with :func:`select`.
    """
    return _reducer(b.TE_MAX_OF, b.TE_MAX, values, axis, where)


def all(*conditions: Operand) -> Expr:  # pylint: disable=redefined-builtin
    """Whether all conditions hold."""
    return _fold(b.TE_AND, conditions)


def any(*conditions: Operand) -> Expr:  # pylint: disable=redefined-builtin
    """Whether one of the conditions holds."""
    return _fold(b.TE_OR, conditions)


def _fold(op, conditions):
    if not conditions:
        raise ValueError("no conditions were given")
    first, *rest = conditions
    first = convert(first)
    for condition in rest:
        first = apply(op, first, condition)
    return first


def _operator(op, name, meaning):
    """A function for the operator `op`."""

    def function(*values: Operand) -> Expr:
        return apply(op, *values)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""{meaning}

    Parameters
    ----------
    values : number or Expr
        The operands, in their order.

    Returns
    -------
    value : Expr
    """
    return function


if_then_else = _operator(b.TE_IF_THEN_ELSE, "if_then_else",
                         "Value 2 where condition 1 holds, else value 3; only the chosen one is computed.")
select = _operator(b.TE_SELECT, "select", "Value 2 where condition 1 holds, else value 3; both may be computed.")
abs = _operator(b.TE_ABS, "abs", "Absolute value.")  # pylint: disable=redefined-builtin
floordiv = _operator(b.TE_FLOORDIV, "floordiv", "Integer quotient, rounded towards minus infinity.")
floormod = _operator(b.TE_FLOORMOD, "floormod", "Remainder of floordiv.")
truncdiv = _operator(b.TE_TRUNCDIV, "truncdiv", "Integer quotient, rounded towards zero.")
truncmod = _operator(b.TE_TRUNCMOD, "truncmod", "Remainder of truncdiv.")
indexdiv, indexmod = floordiv, floormod
div = _operator(b.TE_DIV, "div", "Quotient of floats.")
likely = _operator(b.TE_LIKELY, "likely", "A condition that nearly always holds.")
exp = _operator(b.TE_EXP, "exp", "e to the power of x.")
log = _operator(b.TE_LOG, "log", "Natural logarithm.")
sqrt = _operator(b.TE_SQRT, "sqrt", "Square root.")
tanh = _operator(b.TE_TANH, "tanh", "Hyperbolic tangent.")
floor = _operator(b.TE_FLOOR, "floor", "Rounded down.")
ceil = _operator(b.TE_CEIL, "ceil", "Rounded up.")
round = _operator(b.TE_ROUND, "round", "Rounded to the nearest.")  # pylint: disable=redefined-builtin
power = _operator(b.TE_POW, "power", "x to the power of y.")


def evaluate(tensor: Tensor, inputs: dict[Tensor, np.ndarray]) -> np.ndarray:
    """The value of an unscheduled tensor, slowly and exactly: what compiled kernels are tested against.

    Parameters
    ----------
    tensor : Tensor
    inputs : dict of Tensor to numpy.ndarray
        An array for each placeholder it needs.

    Returns
    -------
    value : numpy.ndarray
    """
    import numpy as np

    context = tensor.context
    arrays = [np.ascontiguousarray(a, dtype=t.dtype) for t, a in inputs.items()]
    for t, a in zip(inputs, arrays):
        if list(a.shape) != t.shape:
            raise ValueError(f"{t.name} has shape {t.shape}, but its array has {list(a.shape)}")
    out = np.zeros(tensor.shape, dtype=tensor.dtype)
    context.done(lib.te_evaluate(context.handle, tensor.handle, len(arrays), array_of([t.handle for t in inputs]),
                                 array_of([a.ctypes.data for a in arrays]), out.ctypes.data))
    return out


def create_prim_func(args: Sequence[Tensor]) -> PrimFunc:
    """The unscheduled computation as a function, one block for each stage.

    Parameters
    ----------
    args : list of Tensor
        Inputs, then outputs.

    Returns
    -------
    func : PrimFunc
    """
    return PrimFunc(list(args))


class PrimFunc:
    """A function of tensors; ``print`` shows it as TVMScript.

    Parameters
    ----------
    args : list of Tensor
    name : str, optional
        The name it is exported under.
    """

    def __init__(self, args: list[Tensor], name: str = "main") -> None:
        self.args, self.name = args, name

    def with_attr(self, key: str | dict[str, Any], value: Any = None) -> PrimFunc:
        """A copy with an attribute set; ``global_symbol`` is the name.

        Parameters
        ----------
        key : str or dict
            Accepted, without effect.
        value : object, optional
        """
        attrs = key if isinstance(key, dict) else {key: value}
        unknown = set(attrs) - {"global_symbol", "tir.noalias"}
        if unknown:
            raise NotImplementedError(f"function attribute {sorted(unknown)[0]!r} is not offered")
        return PrimFunc(self.args, attrs.get("global_symbol", self.name))

    def script(self) -> str:
        """The function as TVMScript."""
        context = self.args[0].context
        handles = array_of([t.handle for t in self.args])
        found = lib.te_prim_func_text(context.handle, len(self.args), handles, self.name.encode())
        return text(context.made(found))

    def __repr__(self):
        return self.script()


# ---- Schedules --------------------------------------------------------------------------------------------------


def create_schedule(ops: Operation | Tensor | Sequence[Operation | Tensor]) -> Schedule:
    """The default schedule: every computation by itself, loops in the order of its axes.

    Parameters
    ----------
    ops : Operation, Tensor or list of them
        The outputs.

    Returns
    -------
    schedule : Schedule
    """
    ops = list(ops) if isinstance(ops, (tuple, list)) else [ops]
    tensors = [op.output(0) if isinstance(op, Operation) else op for op in ops]
    context = tensors[0].context
    context.here()
    handle = lib.te_schedule_create(context.handle, len(tensors), array_of([t.handle for t in tensors]))
    return Schedule(context, context.made(handle), [t.op for t in tensors])


class Schedule:
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
    """

    def __init__(self, context: Context, handle: int, outputs: list[Operation]) -> None:
        self.context, self.handle, self.outputs = context, handle, outputs

    def __getitem__(self, tensor: Tensor | Operation) -> Stage:
        if isinstance(tensor, Operation):
            tensor = tensor.output(0)
        if not isinstance(tensor, Tensor):
            raise TypeError(f"a schedule is indexed with a tensor or an operation, not {type(tensor).__name__}")
        self.context.owner_check(tensor.context)
        self.context.here()
        return Stage(self, self.context.made(lib.te_schedule_stage(self.handle, tensor.handle)))

    @property
    def stages(self) -> list[Stage]:
        """All stages."""
        count = lib.te_schedule_stages(self.handle)
        return [Stage(self, lib.te_schedule_stage_at(self.handle, i)) for i in range(count)]

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
        readers = list(readers) if isinstance(readers, (tuple, list)) else [readers]
        readers = [r.output(0) if isinstance(r, Operation) else r for r in readers]
        self.context.here()
        handle = lib.te_cache_read(self.handle, tensor.handle, scope.encode(), len(readers),
                                   array_of([r.handle for r in readers]))
        return Tensor(self.context, self.context.made(handle))

    def cache_write(self, tensor: Tensor | Sequence[Tensor], scope: str) -> Tensor | list[Tensor]:
        """Computes `tensor` in a memory scope and copies it out.

        Parameters
        ----------
        tensor : Tensor
        scope : str

        Returns
        -------
        cache : Tensor
        """
        if isinstance(tensor, (tuple, list)):
            if len(tensor) != 1:
                raise NotImplementedError("cache_write of several tensors at once is not offered")
            return [self.cache_write(tensor[0], scope)]
        self.context.here()
        return Tensor(self.context, self.context.made(lib.te_cache_write(self.handle, tensor.handle, scope.encode())))

    def normalize(self) -> Schedule:
        """The schedule itself: lowering brings schedules to normal form."""
        return self


class Stage:
    """One computation within a schedule; its methods are the schedule steps.

    A step that is not legal raises and changes nothing.

    Parameters
    ----------
    handle : int

    Attributes
    ----------
    op : Operation
        The computation.
    leaf_iter_vars, all_iter_vars : list of IterVar
        The loops as they stand, outermost first.
    scope : str
    """

    def __init__(self, schedule: Schedule, handle: int) -> None:
        self.schedule, self.handle = schedule, handle
        self.context = schedule.context

    def _step(self, function, *args):
        self.context.here()
        self.context.done(function(self.handle, *args))

    def _new(self, count, function, *args):
        """A step that makes axes: `function(stage, *args, out, out, …)`."""
        outs = [ctypes.c_void_p() for _ in range(count)]
        self._step(function, *args, *[ctypes.byref(o) for o in outs])
        return tuple(IterVar(self.context, o.value) for o in outs)

    @property
    def op(self) -> Operation:
        """The computation."""
        return Operation(self.context, lib.te_stage_tensor(self.handle))

    origin_op = op

    @property
    def leaf_iter_vars(self) -> list[IterVar]:
        """Loops, outermost first."""
        count = lib.te_stage_leaves(self.handle)
        return [IterVar(self.context, lib.te_stage_leaf(self.handle, i)) for i in range(count)]

    @property
    def scope(self) -> str:
        """Memory that its result is in."""
        return text(lib.te_stage_scope(self.handle)) or ""

    @property
    def is_output(self) -> bool:
        """Whether its result is an output of the schedule."""
        return bool(lib.te_stage_is_output(self.handle))

    def split(self, parent: IterVar, factor: int | None = None, nparts: int | None = None) -> tuple[IterVar, IterVar]:
        """Splits an axis into an outer and an inner one.

        Parameters
        ----------
        parent : IterVar
        factor : int
            Extent of the inner axis, or
        nparts : int
            extent of the outer axis.

        Returns
        -------
        outer, inner : IterVar
        """
        if (factor is None) == (nparts is None):
            raise ValueError("split takes one of factor and nparts")
        if nparts is not None:
            return self._new(2, lib.te_split_nparts, parent.handle, int(nparts))
        return self._new(2, lib.te_split, parent.handle, int(factor))

    def fuse(self, *axes: IterVar) -> IterVar:
        """One axis from adjacent ones, outermost first.

        Parameters
        ----------
        axes : IterVar
        """
        axes = axes[0] if len(axes) == 1 and isinstance(axes[0], (tuple, list)) else axes
        return self._new(1, lib.te_fuse, len(axes), array_of([a.handle for a in axes]))[0]

    def reorder(self, *axes: IterVar) -> None:
        """Puts the given axes into the given order, at the places they take now."""
        self._step(lib.te_reorder, len(axes), array_of([a.handle for a in axes]))

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
        out = (ctypes.c_void_p * 4)()
        self._step(lib.te_tile, x_parent.handle, y_parent.handle, int(x_factor), int(y_factor), out)
        return tuple(IterVar(self.context, handle) for handle in out)

    def compute_at(self, parent: Stage, scope: IterVar) -> None:
        """Computes this stage inside the loop `scope` of the stage `parent`, as much as that iteration needs."""
        self._step(lib.te_compute_at, parent.handle, scope.handle)

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
        self._step(lib.te_set_scope, scope.encode())
        return self

    def pragma(self, axis: IterVar, pragma_type: str, pragma_value: Operand | None = None) -> None:
        """Marks an axis for a later pass.

        Parameters
        ----------
        axis : IterVar
        pragma_type : str
            ``env.dma_copy``, ``env.alu``, ``"conv2d_transpose_gemm"``, ``"unroll"``, …
        pragma_value : Expr or int, optional
        """
        value = None if pragma_value is None else convert(pragma_value).handle
        self._step(lib.te_pragma, axis.handle, str(pragma_type).encode(), value)

    def bind(self, ivar: IterVar, thread_ivar: IterVar) -> None:
        """Runs the iterations of an axis as the threads of a thread axis.

        Parameters
        ----------
        ivar : IterVar
        thread_ivar : IterVar
        """
        self._step(lib.te_bind, ivar.handle, thread_ivar.handle)

    def vectorize(self, axis: IterVar) -> None:
        """Carries out the iterations of an axis as one vector operation."""
        self._step(lib.te_vectorize, axis.handle)

    def parallel(self, axis: IterVar) -> None:
        """Spreads the iterations of an axis over the threads of the processor."""
        self._step(lib.te_parallel, axis.handle)

    def unroll(self, axis: IterVar) -> None:
        """Writes the iterations of an axis one after another."""
        self._step(lib.te_unroll, axis.handle)

    def double_buffer(self) -> None:
        """Not offered: virtual threads (``bind`` to ``"cthread"``) overlap transfers with computation."""
        raise NotImplementedError("Stage.double_buffer is not offered: bind an axis to \"cthread\" instead")

    def storage_align(self, axis: IterVar, factor: int, offset: int) -> None:
        """Makes the stride of an axis equal `offset` modulo `factor`."""
        self._step(lib.te_storage_align, axis.handle, int(factor), int(offset))

    def tensorize(self, axis: IterVar, intrin: GemmIntrin | TensorIntrin) -> None:
        """Replaces the loops from `axis` inwards by an intrinsic, such as ``env.gemm``.

        Parameters
        ----------
        intrin : GemmIntrin
        """
        handle = intrin.handle_for(self.schedule)
        self._step(lib.te_tensorize, axis.handle, handle)

    def env_threads(self, threads: object) -> NoReturn:
        """Not offered: bind axes to threads with :meth:`bind`."""
        raise NotImplementedError("Stage.env_threads is not offered")

    def prefetch(self, tensor: object, var: object, offset: object) -> NoReturn:  # pylint: disable=redefined-outer-name
        """Not offered.

        Parameters
        ----------
        tensor : object
        var : object
        offset : object
        """
        raise NotImplementedError("Stage.prefetch is not offered")

    def __repr__(self):
        return text(lib.te_stage_text(self.context.handle, self.handle))


def _nothing(env):
    """An intrinsic that stands for the matrix multiplication of a configuration and emits nothing."""
    inp = placeholder((env.BATCH, env.BLOCK_IN), env.inp_dtype, "inp")
    wgt = placeholder((env.BLOCK_OUT, env.BLOCK_IN), env.wgt_dtype, "wgt")
    k = reduce_axis((0, env.BLOCK_IN), "k")
    out = compute((env.BATCH, env.BLOCK_OUT), lambda i, j: sum(
        inp[i, k].astype(env.acc_dtype) * wgt[j, k].astype(env.acc_dtype), axis=k), "out")
    binds = {tensor: decl_buffer(tensor.shape, tensor.dtype, scope=scope) for tensor, scope in (
        (inp, env.inp_scope), (wgt, env.wgt_scope), (out, env.acc_scope))}
    return decl_tensor_intrin(out.op, lambda ins, outs: (const(0),) * 3, "GEMM", binds)


class GemmIntrin:
    """The matrix multiplication of a configuration: ``acc[b, o] += sum_k inp[b, k] * wgt[o, k]``.

    Parameters
    ----------
    env : vta.Environment
    """

    def __init__(self, env: Environment | None = None) -> None:
        self.env = env or get_env()

    def handle_for(self, schedule: Schedule) -> int:
        """The intrinsic in a schedule's context. That of a mock environment does nothing."""
        context = schedule.context
        if self.env.config is not context.config:
            raise ValueError("the GEMM intrinsic of another environment than the schedule's was given")
        if self.env.mock_mode:
            return _nothing(self.env).handle_for(schedule)
        return context.made(lib.te_gemm(context.handle))

    def __repr__(self):
        return f"GemmIntrin({self.env.BITSTREAM})"


def _not_offered(name):
    def function(*args: Any, **kwargs: Any) -> NoReturn:
        raise NotImplementedError(f"te.{name} is not offered")

    function.__name__ = name
    function.__doc__ = "Not offered, whatever args and kwargs; raises NotImplementedError."
    return function


comm_reducer = _not_offered("comm_reducer")
scan = _not_offered("scan")
extern = _not_offered("extern")
gradient = _not_offered("gradient")

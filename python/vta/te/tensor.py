"""Axes, tensors and the operations that compute them."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from .._check import whole
from .._context import array_of
from .._lib import lib, text
from ..error import NotOfferedError, Refusing
from ..expr import _PARTS, Expr, ExprOp, Extent, _operands, number_or_expr
from .attributes import Attributes


if TYPE_CHECKING:
    from typing import Any, Callable, ClassVar, Sequence

    from .._context import Context
    from ..expr import Operand



class Range(Refusing):
    """A half-open range ``[min, min + extent)``.

    Parameters
    ----------
    begin : int | Expr
        Without `end`: the end, and 0 the begin.
    end : int | Expr, optional

    Attributes
    ----------
    min, extent : int or Expr
    """

    def __init__(self, begin: int | Expr, end: int | Expr | None = None) -> None:
        self._set(*((0, begin) if end is None else (begin, end - begin)))

    def _set(self, begin, extent):
        self.min: int | Expr = Extent(begin) if isinstance(begin, int) else begin
        self.extent: int | Expr = Extent(extent) if isinstance(extent, int) else extent

    @staticmethod
    def from_min_extent(min_value: int | Expr, extent: int | Expr) -> Range:
        """A range from its begin and its length.

        Parameters
        ----------
        min_value : int or Expr
        extent : int or Expr
        """
        made = Range(0)
        made._set(min_value, extent)
        return made

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

    DataPar, ThreadIndex, CommReduce, Ordered, Opaque, Unrolled, Vectorized, Parallelized, Tensorized = range(9)

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
        ends = ctypes.c_void_p(), ctypes.c_void_p()
        if lib.te_axis_range(self.handle, *(ctypes.byref(e) for e in ends)):
            return None
        return Range.from_min_extent(*(number_or_expr(self.context, e.value or 0) for e in ends))

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
        return text(self.context.made(lib.te_axis_text(self.context.handle, self.handle)))


class TensorSlice(ExprOp):
    """A tensor with all or some of its indices: ``A[i, j]``, or ``A[i]`` to be indexed further."""

    __slots__ = ("tensor", "indices")

    def __init__(self, tensor: Tensor, indices: Any) -> None:
        self.tensor = tensor
        self.indices = indices if isinstance(indices, tuple) else (indices,)

    __iter__ = None  # indexing never ends, so iteration would not either

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


class _Computation(Refusing):
    """Arithmetic on whole tensors: one computation element by element."""

    __slots__ = ()
    __array_ufunc__ = None  # see ExprOp

    #: The operators by name. vta.topi, which is made of this package, fills it in.
    operators: ClassVar[dict[str, Callable]] = {}

    def _apply_to_all(self, op: int, values: tuple) -> Any:
        """An operator on all elements of tensors (and numbers), as ``te.exp(A)``.

        Parameters
        ----------
        op : int
            A ``TE_...`` constant.
        values : tuple
            Its operands.
        """
        return self.operators["apply"](op, values)

    def _broadcast(self, name, other, swap=False):
        return self.operators[name](*((other, self) if swap else (self, other)))

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

    def __truediv__(self, other):
        return self._broadcast("divide", other)

    def __rtruediv__(self, other):
        return self._broadcast("divide", other, swap=True)

    def __floordiv__(self, other):
        return self._broadcast("floor_divide", other)

    def __rfloordiv__(self, other):
        return self._broadcast("floor_divide", other, swap=True)

    def __mod__(self, other):
        return self._broadcast("floor_mod", other)

    def __rmod__(self, other):
        return self._broadcast("floor_mod", other, swap=True)

    def __lt__(self, other):
        return self._broadcast("less", other)

    def __le__(self, other):
        return self._broadcast("less_equal", other)

    def __gt__(self, other):
        return self._broadcast("greater", other)

    def __ge__(self, other):
        return self._broadcast("greater_equal", other)

    def __neg__(self):
        return self.operators["negative"](self)

    def astype(self, dtype: str) -> Any:
        """The elements in another type.

        Parameters
        ----------
        dtype : str
        """
        return self.operators["cast"](self, dtype)

    def __and__(self, other):
        return self._broadcast("bitwise_and", other)

    def __or__(self, other):
        return self._broadcast("bitwise_or", other)

    def __xor__(self, other):
        return self._broadcast("bitwise_xor", other)

    def __invert__(self):
        return self.operators["bitwise_not"](self)

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
        out: list[int | Expr] = []
        for i in range(lib.te_tensor_ndim(self.handle)):
            extent = lib.te_tensor_dim(self.handle, i)
            out.append(Extent(extent) if extent >= 0 else Expr(self.context, lib.te_tensor_dim_expr(self.handle, i)))
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
        return operation(self.context, self.handle)

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
        if any(isinstance(i, slice) for i in indices):
            raise TypeError(f"a part of {self.name}, with slices in its indices, can only be given to an intrinsic")
        if len(indices) != self.ndim:
            raise ValueError(f"{self.name} has {self.ndim} dimensions, but {len(indices)} indices were given")
        context = self.context.newest()
        context.owner_check(self.context)
        found, handles = _operands(indices) if indices else (context, [])
        if any_expression(indices):
            context.owner_check(found)
        handles = [lib.te_cast(context.handle, b"int32", h) if _is_bool(context, h) else h for h in handles]
        return Expr(context, context.made(lib.te_load(context.handle, self.handle, len(handles), array_of(handles))))

    def same_as(self, other: object) -> bool:
        """Whether both are the same tensor.

        Parameters
        ----------
        other : object
        """
        return self == other

    __iter__ = None  # see TensorSlice

    def __getitem__(self, indices: Any) -> TensorSlice:
        return TensorSlice(self, indices)

    def __eq__(self, other):
        return isinstance(other, Tensor) and self.handle == other.handle

    def __hash__(self):
        return hash(self.handle)

    def __repr__(self):
        return text(self.context.made(lib.te_tensor_text(self.context.handle, self.handle)))


def any_expression(values: Sequence[Any]) -> bool:
    """Whether one of the values belongs to a context already."""
    return bool([v for v in values if not isinstance(v, (int, float))])


def _is_bool(context, handle):
    return lib.te_expr_dtype(context.handle, handle) == b"bool"


class Operation(Refusing):
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
    def attrs(self) -> dict:
        """The attributes that :func:`vta.te.compute` was given."""
        return self.context.attrs.get(self._key(), Attributes())

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
        if not 0 <= whole(index, "the index of an output") < self.num_outputs:
            raise IndexError(f"{self.name} has {self.num_outputs} outputs, not {index + 1}")
        return Tensor(self.context, lib.te_tensor_output(self._tensor, index))

    def same_as(self, other: object) -> bool:
        """Whether both are the same operation.

        Parameters
        ----------
        other : object
        """
        return self == other

    def _key(self):
        return lib.te_tensor_output(self._tensor, 0)

    def __eq__(self, other):
        return isinstance(other, Operation) and self._key() == other._key()

    def __hash__(self):
        return hash(self._key())

    def __repr__(self):
        return text(self.context.made(lib.te_op_of_tensor_text(self.context.handle, self._tensor)))


class PlaceholderOp(Operation):
    """An input.

    Parameters
    ----------
    context : Context
    handle : int
    """

    @property
    def shape(self) -> list[int | Expr]:
        """Extents, outermost first."""
        return self.output(0).shape

    @property
    def dtype(self) -> str:
        """Type of an element."""
        return self.output(0).dtype


class ComputeOp(Operation):
    """A computation.

    Parameters
    ----------
    context : Context
    handle : int
    """


class ScanOp(Operation):
    """A scan: rows that follow from the rows before.

    Parameters
    ----------
    context : Context
    handle : int

    Attributes
    ----------
    scan_axis : IterVar
        The rows.
    spatial_axis_ : list of IterVar
        The other dimensions, of one result after the other.
    """

    @property
    def scan_axis(self) -> IterVar:
        """The rows."""
        return self.axis[0]

    @property
    def spatial_axis_(self) -> list[IterVar]:
        """The dimensions besides the rows, of one result after the other."""
        return [IterVar(self.context, lib.te_scan_column(self._tensor, i)) for i in range(lib.te_scan_columns(self._tensor))]

    @property
    def scan_body(self) -> list[Operation]:
        """What a row is computed with, producers first: what depends on a state, and the updates."""
        tensors = [lib.te_scan_body_tensor(self._tensor, i) for i in range(lib.te_scan_body(self._tensor))]
        return [operation(self.context, t) for t in tensors]

    def columns_apart(self) -> dict[IterVar, bool]:
        """For each of ``spatial_axis_`` whether its places can be computed apart from each other: a row needs of earlier rows what
        is at the same place of the axis, of the same result, and nothing else."""
        found, apart = {}, ctypes.c_bool()
        for i, axis in enumerate(self.spatial_axis_):
            self.context.done(lib.te_scan_column_apart(self.context.handle, self._tensor, i, ctypes.byref(apart)))
            found[axis] = apart.value
        return found


class ExternOp(Operation):
    """What a statement computes (:func:`vta.te.extern`).

    Parameters
    ----------
    context : Context
    handle : int
    """

    #: Makes a statement of its handle. vta.stmt, which is made of this module, fills it in.
    statement: ClassVar[Callable[..., Any]]

    @property
    def body(self) -> Any:
        """The statement."""
        return self.statement(self.context, self.context, lib.te_tensor_stmt(self._tensor))

    @property
    def inputs(self) -> list[Tensor]:
        """What the statement may read."""
        return self.input_tensors

    @property
    def axis(self) -> list[IterVar]:
        """Refused: loops of statements are not scheduled."""
        raise NotOfferedError("ExternOp.axis is not offered: the loops of te.extern and te.hybrid.script stay as they are written; "
                              "te.compute makes loops that are scheduled")


class TensorComputeOp(Operation):
    """A computation whose body is a call of an intrinsic on parts of tensors.

    Parameters
    ----------
    context : Context
    handle : int
    """


def operation(context: Context, handle: int) -> Operation:
    """The operation of a tensor, of the class that it is.

    Parameters
    ----------
    context : Context
    handle : int
    """
    if lib.te_tensor_is_scan(handle):
        return ScanOp(context, handle)
    if lib.te_tensor_is_extern(handle):
        return (TensorComputeOp if lib.te_tensor_axes(handle) else ExternOp)(context, handle)
    return (PlaceholderOp if lib.te_tensor_is_placeholder(handle) else ComputeOp)(context, handle)


_PARTS["producer"] = (("pload",), lambda e: Tensor(e.context, lib.te_expr_tensor(e.handle)))
_PARTS["axis"] = (("reduce",), lambda e: [IterVar(e.context, lib.te_expr_axis(e.handle, i)) for i in range(lib.te_expr_axes(e.handle))])

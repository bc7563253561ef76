"""Memory as statements see it: a shape, a type, and where the elements lie."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from . import _bindings as b
from . import _context
from ._check import items, kind_error, name_of, need, type_of, whole
from ._context import array_of
from ._lib import lib, text
from .error import Refusing
from .expr import Expr, ExprOp, _operands, number_or_expr

if TYPE_CHECKING:
    from typing import Any, Callable, ClassVar, Sequence

    from ._context import Context
    from .expr import Operand

__all__ = ["Buffer", "decl_buffer"]


class _Scope(str):
    """A storage scope, which may be called as well: a method of other stacks."""

    def __call__(self):
        return str(self)


class Buffer(Refusing):
    """Memory that statements read and write: made by :func:`decl_buffer`, or given to the functions of ``te.extern`` and
    ``te.decl_tensor_intrin``. ``A[i, j]`` is an element.

    Parameters
    ----------
    context : Context
    handle : int
        A ``te_buffer *``.
    scope : str, optional
        Its memory, such as ``env.inp_scope``; "" is ordinary memory.
    offset_factor : int, optional
        What its element offset is a multiple of.

    Attributes
    ----------
    shape : list of int or Expr
    strides : list of int or Expr
        Distances of elements; empty where it is dense.
    dtype, name, scope : str
    data, elem_offset : Expr
        The variables of its address and of the offset of its first element from there.
    """

    READ, WRITE = 1, 2
    #: Makes the statement of a store. vta.statements, which is made of this module, fills it in.
    store: ClassVar[Callable[..., Any]]
    __iter__ = None  # indexing never ends, so iteration would not either

    def __init__(self, context: Context, handle: int, scope: str = "", offset_factor: int = 1) -> None:
        self.context, self.handle, self.offset_factor = context, handle, offset_factor
        self.scope = _Scope(scope)

    @property
    def name(self) -> str:
        """Its name."""
        return text(lib.te_buffer_name(self.handle))

    @property
    def dtype(self) -> str:
        """Type of an element."""
        return text(lib.te_buffer_dtype(self.context.handle, self.handle))

    @property
    def shape(self) -> list[int | Expr]:
        """Extents, outermost first."""
        return [number_or_expr(self.context, lib.te_buffer_dim(self.handle, i)) for i in range(lib.te_buffer_ndim(self.handle))]

    @property
    def strides(self) -> list[int | Expr]:
        """Distances of elements, one for each dimension; empty where it is dense."""
        given = [lib.te_buffer_stride(self.handle, i) for i in range(lib.te_buffer_ndim(self.handle))]
        return [number_or_expr(self.context, s) for s in given if s]

    @property
    def data(self) -> Expr:
        """The variable of the address."""
        return Expr(self.context, lib.te_buffer_data(self.handle))

    @property
    def elem_offset(self) -> Expr:
        """Where its first element is, counted from the address."""
        return Expr(self.context, lib.te_buffer_offset(self.handle))

    def __getitem__(self, indices: Any) -> Expr:
        given = indices if isinstance(indices, tuple) else (indices,)
        context, handles = _operands((self.data, *given))
        return Expr(context, context.made(lib.te_buffer_load(context.handle, self.handle, len(given), array_of(handles[1:]))))

    def _lanes(self, begin, dtype):
        """Indices that begin at `begin`, the last for as many elements as the type of a vector has."""
        begin = items(begin)
        lanes = int((dtype or "").partition("x")[2] or 1)
        return begin if lanes == 1 else [*begin[:-1], ramp(begin[-1], 1, lanes)]

    def vload(self, begin: Operand | Sequence[Operand], dtype: str | None = None) -> Expr:
        """An element, or several that follow one another.

        Parameters
        ----------
        begin : list of Expr
        dtype : str, optional
            ``"float32x4"`` for a vector of four; without it one element.
        """
        kind = type_of(dtype).decode() if dtype else self.dtype
        if kind.partition("x")[0] != self.dtype:
            raise ValueError(f"{self.name} has elements of type {self.dtype}, which cannot be read as {kind}")
        return self[tuple(self._lanes(begin, kind))]

    def vstore(self, begin: Operand | Sequence[Operand], value: Operand) -> Any:
        """The statement that stores an element, or, of a vector, several that follow one another.

        Parameters
        ----------
        begin : list of Expr
        value : Expr
        """
        return self.store(self, value, self._lanes(begin, getattr(value, "dtype", None)))

    def access_ptr(self, access_mask: str | int, ptr_type: object = None, content_lanes: int = 1,
                   offset: Operand | None = None) -> Expr:
        """The address of an element, for calls.

        Parameters
        ----------
        access_mask : str or int
            ``"r"``, ``"w"`` or ``"rw"``, or a sum of READ and WRITE.
        ptr_type : object, optional
            Accepted; addresses have no types.
        content_lanes : int, optional
            Only 1.
        offset : Expr, optional
            Which element; without it the first.
        """
        if content_lanes != 1:
            raise NotImplementedError("access_ptr(content_lanes=...) is not offered: addresses have no types")
        if isinstance(access_mask, int):
            access_mask = ("r" if access_mask & Buffer.READ else "") + ("w" if access_mask & Buffer.WRITE else "")
        context, handles = _operands((self.data, 0 if offset is None else offset))
        at = None if offset is None or isinstance(offset, int) and not offset else handles[1]
        return Expr(context, context.made(lib.te_buffer_access(context.handle, self.handle,
                                                               name_of(access_mask, "an access"), at)))

    def __repr__(self):
        return f"buffer({self.name}, {self.shape}, {self.dtype})"


def ramp(base: Operand, stride: Operand, lanes: int) -> Expr:
    """The vector base, base + stride, ...

    Parameters
    ----------
    base, stride : Expr or int
    lanes : int
    """
    context, handles = _operands((base, stride))
    return Expr(context, context.made(lib.te_ramp(context.handle, *handles, whole(lanes, "the lanes of a vector"))))


def broadcast(value: Operand, lanes: int) -> Expr:
    """The vector that has one value in all places.

    Parameters
    ----------
    value : Expr or number
    lanes : int
    """
    context, handles = _operands((value,))
    return Expr(context, context.made(lib.te_broadcast(context.handle, *handles, whole(lanes, "the lanes of a vector"))))


def variable(name: str, dtype: str = "int32") -> Expr:
    """A variable for loops and names of values; of type "handle", a pointer.

    Parameters
    ----------
    name : str
    dtype : str, optional
    """
    context = _context.current()
    return Expr(context, context.made(lib.te_variable(context.handle, name_of(name, "a variable"), type_of(dtype))))


def make_buffer(context: Context, shape: Sequence[Any], dtype: str, name: str, scope: str = "", data: Expr | None = None,
                elem_offset: Operand | None = None, strides: Sequence[Any] = (), offset_factor: int = 0) -> Buffer:
    """A buffer in a context; ``None`` where the library chooses.

    Parameters
    ----------
    context : Context
    shape : list of int or Expr
    dtype, name : str
    scope : str, optional
    data : Expr, optional
    elem_offset : Expr, optional
    strides : list of int or Expr, optional
    offset_factor : int, optional
    """
    def handles_of(values):
        return array_of([context.made(h) for h in _in(context, values)])

    options = b.te_buffer_options(size=ctypes.sizeof(b.te_buffer_options), scope=scope.encode(), offset_factor=offset_factor)
    distances = handles_of(strides)
    options.stride_count, options.strides = len(strides), ctypes.addressof(distances)
    if data is not None:
        options.data = _in(context, [data])[0]
    if elem_offset is not None:
        options.elem_offset = _in(context, [elem_offset])[0]
    made = lib.te_buffer_create(context.handle, name_of(name, "a buffer"), type_of(dtype), len(shape), handles_of(shape),
                                ctypes.byref(options))
    return Buffer(context, context.made(made), scope, max(1, offset_factor))


def _in(context, values):
    """Handles of values, for a call in this context."""
    handles = []
    for value in values:
        found, (handle,) = _operands((value,))
        if isinstance(value, ExprOp):
            context.owner_check(found)
        handles.append(handle)
    return handles


def decl_buffer(shape: Sequence[int | Expr] | int | Expr, dtype: str = "float32", name: str = "buffer",
                data: Expr | None = None, strides: Sequence[int | Expr] | None = None, elem_offset: Operand | None = None,
                scope: str = "", data_alignment: int = -1, offset_factor: int = 0, buffer_type: str = "") -> Buffer:
    """Memory that stands for a tensor, or for a part of one: of ``te.extern``, of an intrinsic, of a function made by hand.

    Parameters
    ----------
    shape : list of int or Expr
    dtype, name, scope : str, optional
    data : Expr, optional
        The variable of its address (``te.var("p", "handle")``); without it a new one.
    elem_offset : Expr, optional
        Where its first element is, counted from the address: a number that it must be, or a variable, which gets it; without
        it a new one.
    offset_factor : int, optional
        What `elem_offset` is a multiple of.
    strides : list of int or Expr, optional
        Distances of elements, one for each dimension: numbers that they must be, or variables (``te.var``), which get them.
        Without it rows must follow one another.
    data_alignment : int, optional
        Accepted; that of `offset_factor` counts.
    buffer_type : str, optional
        Only "".

    Returns
    -------
    buffer : Buffer
    """
    for what in (name, scope):
        name_of(what, "the name or scope of decl_buffer")
    if need(buffer_type, str, "the buffer_type of decl_buffer"):
        raise NotImplementedError("decl_buffer(buffer_type=...) is not offered: extents of 1 are not widened")
    extents, steps = ([d if isinstance(d, Expr) else whole(d, what) for d in items(given)]
                      for given, what in ((shape, "an extent"), ([] if strides is None else strides, "a stride")))
    if data is not None and not isinstance(data, Expr):
        raise kind_error(data, "the data of decl_buffer", "a variable of type handle")
    factor = whole(offset_factor, "the offset_factor of decl_buffer")
    if factor < 0:
        raise ValueError(f"the offset_factor of decl_buffer is at least 1, not {factor}")
    if elem_offset is None:
        elem_offset = variable(f"{name}_elem_offset")
    return make_buffer(_context.current(), extents, type_of(dtype).decode(), name, scope, data, elem_offset, steps, factor)

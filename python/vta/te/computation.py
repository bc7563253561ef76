"""Describing computations: inputs, axes, and the value of each element."""

from __future__ import annotations

import contextlib
import ctypes
import inspect
from typing import TYPE_CHECKING

from .. import _context
from .._check import kind_error, name_of, need, type_of, whole
from .._context import array_of
from .._lib import lib
from ..expr import Expr, ExprOp, _operands, convert
from .attributes import kept
from .calls import TensorIntrinCall, compute_call
from .tensor import IterVar, Range, Tensor, any_expression


if TYPE_CHECKING:
    from typing import Any, Callable, ContextManager, Sequence

    import numpy as np



def _extent(value, what):
    """An extent: an int (whole floats and numpy's integers count as such), or an expression."""
    return value if isinstance(value, ExprOp) else whole(value, what)


def _shape(shape):
    """A shape as a tuple; a single number is one dimension."""
    return tuple(_extent(d, "an extent") for d in (shape if isinstance(shape, (tuple, list)) else (shape,)))


def _extents(context, shape):
    """A C array of expressions."""
    return context.handles_of([convert(d) for d in shape], Expr, "an extent")


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
    extents = _shape(shape)
    if all([isinstance(d, int) for d in extents]):
        handle = lib.te_placeholder(context.handle, name_of(name, "a tensor's name"), type_of(dtype), len(extents),
                                    (ctypes.c_int64 * max(1, len(extents)))(*extents))
    else:
        handle = lib.te_placeholder_expr(context.handle, name_of(name, "a tensor's name"), type_of(dtype),
                                         len(extents), _extents(context, extents))
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
    return Expr(context, context.made(lib.te_scalar(context.handle, name_of(name, "a scalar's name"),
                                                           type_of(dtype))))


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
    if isinstance(dom, Range):
        dom = (dom.min, dom.min + dom.extent)
    if not isinstance(dom, (tuple, list)) or len(dom) != 2:
        raise kind_error(dom, "the range of a reduce axis", "(begin, end)")
    begin, end = [_extent(d, "an end of a reduce axis") for d in dom]
    word = name_of(name, "an axis's name")
    if isinstance(begin, int) and isinstance(end, int):
        handle = lib.te_reduce_axis(context.handle, word, begin, end - begin)
    else:
        both = _extents(context, (begin, end - begin))
        handle = lib.te_reduce_axis_expr(context.handle, word, both[0], both[1])
    return IterVar(context, context.made(handle))


def thread_axis(dom: str | Range | None = None, tag: str = "", name: str = "", span: None = None) -> IterVar:
    """A thread axis to bind to: ``"cthread"`` (virtual threads) or ``"vta"``; loops bound to ``"blockIdx.x"`` to ``"threadIdx.z"``
    are lowered and can be looked at, but are compiled for no target.

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
    return IterVar(context, context.made(lib.te_thread_axis(context.handle, name_of(tag, "a thread's tag"))))


_tags: list[str] = []


def tag_scope(tag: str) -> ContextManager[None]:
    """Gives a tag to all computations made inside the block.

    Parameters
    ----------
    tag : str

    Returns
    -------
    scope : context manager
    """
    name_of(tag, "a tag")
    return _tag_scope(tag)


@contextlib.contextmanager
def _tag_scope(tag):
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
        From one index for each dimension to an expression, or to a tuple of expressions for several outputs. Or from the first
        indices to a call of an intrinsic on parts of tensors, ``lambda i: intrin(A[i, 0:n])``, which writes the other dimensions.
    name, tag : str, optional
    varargs_names : list of str, optional
        Names of the axes where `fcompute` takes ``*indices``.
    attrs : dict, optional
        What ``Operation.attrs`` gives back.

    Returns
    -------
    tensor : Tensor, or tuple of Tensor
    """
    context = _context.current()
    if _tags:
        if tag:
            raise ValueError("nested tag is not allowed: a tag scope is open")
        tag = _tags[-1]
    extents = _shape(shape)
    if not callable(fcompute):
        raise kind_error(fcompute, "the body of a computation", "a function of its indices")
    checked = name_of(name, "a tensor's name"), name_of(tag, "a tag")
    context.here()
    names = varargs_names or _axis_names(fcompute, len(extents))
    axes = []
    for axis_name, extent in zip(names, extents):
        if isinstance(extent, int):
            handle = lib.te_axis_create(context.handle, name_of(axis_name, "an axis's name"), extent)
        else:
            handle = lib.te_axis_create_expr(context.handle, name_of(axis_name, "an axis's name"),
                                             _extents(context, (extent,))[0])
        axes.append(IterVar(context, context.made(handle)))
    body = fcompute(*[a.var for a in axes])
    if isinstance(body, TensorIntrinCall):
        context.here()
        results = compute_call(context, checked, axes, extents[len(axes):], body)
        return tuple(results) if results[1:] else results[0]
    if len(axes) != len(extents):
        raise ValueError(f"the function takes {len(axes)} indices, but the shape has {len(extents)} dimensions")
    bodies = list(body) if isinstance(body, (tuple, list)) else [body]
    found = _operands(tuple(bodies))
    if any_expression(bodies):
        context.owner_check(found[0])
    context.here()
    out = (ctypes.c_void_p * len(bodies))()
    context.done(lib.te_compute_axes(context.handle, *checked, len(axes),
                                     array_of([a.handle for a in axes]), len(bodies), array_of(found[1]), out))
    tensors = tuple(Tensor(context, handle or 0) for handle in out)
    if attrs:
        context.attrs[out[0]] = kept(need(attrs, dict, "the attributes of a computation"))
    return tensors if isinstance(body, (tuple, list)) else tensors[0]


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

    context = need(tensor, Tensor, "what is evaluated").context
    if not isinstance(inputs, dict):
        raise kind_error(inputs, "the inputs of an evaluation", "a dictionary from tensors to arrays")
    handles = context.handles_of(inputs, Tensor, "an input of an evaluation")
    arrays = [np.asarray(a, dtype=t.dtype, order="C") for t, a in inputs.items()]
    for t, a in zip(inputs, arrays):
        if list(a.shape) != t.shape:
            raise ValueError(f"{t.name} has shape {t.shape}, but its array has {list(a.shape)}")
    out = np.zeros(tensor.shape, dtype=tensor.dtype)
    try:
        context.done(lib.te_evaluate(context.handle, tensor.handle, len(arrays), handles,
                                     array_of([a.ctypes.data for a in arrays]), out.ctypes.data))
    finally:
        _context.close(context)
    return out

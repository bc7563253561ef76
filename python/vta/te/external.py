"""Tensors that statements compute, written as loops and calls."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from .. import _context
from .._check import items, kind_error, name_of, need, type_of
from .._context import array_of
from .._lib import lib
from ..buffer import Buffer, make_buffer
from ..expr import ExprOp
from ..statements import statement
from .tensor import Tensor

if TYPE_CHECKING:
    from typing import Any, Callable, Sequence


def _shapes(shape):
    """A list of shapes of what may be one shape, or one extent."""
    if isinstance(shape, (int, ExprOp)):
        return [[shape]]
    shape = list(need(shape, (tuple, list), "the shape of extern"))
    return [shape] if not shape or isinstance(shape[0], (int, float, ExprOp)) else [list(one) for one in shape]


def _types(dtype, inputs, count):
    """The types of the results; without one given that of the inputs."""
    if dtype is None:
        found = {t.dtype for t in inputs}
        if len(found) != 1:
            raise ValueError("extern cannot tell the type of its results: its inputs have "
                             f"{'several types' if found else 'none'}; give dtype")
        dtype = found.pop()
    types = [type_of(t).decode() for t in (dtype if isinstance(dtype, (list, tuple)) else [dtype] * count)]
    if len(types) != count:
        raise ValueError(f"extern has {count} results, but {len(types)} types are given")
    return types


def _given(buffers, count, what):
    found = items(buffers)
    if len(found) != count:
        raise ValueError(f"extern has {count} {what}, but {len(found)} buffers are given for them")
    return [need(one, Buffer, f"a buffer of {what}") for one in found]


def _whole_shape(shape):
    return [int(d) if isinstance(d, float) and d.is_integer() else d for d in shape]


def extern(shape: Any, inputs: Tensor | Sequence[Tensor], fcompute: Callable, name: str = "extern", dtype: Any = None,
           in_buffers: Any = None, out_buffers: Any = None, tag: str = "", attrs: dict | None = None) -> Any:
    """Tensors that a statement computes: loops written with ``tir.ir_builder``, or a call, such as ``tir.call_packed`` of a
    function in Python, or ``tir.call_extern`` of one in C.

    Parameters
    ----------
    shape : tuple of int or Expr, or list of such tuples
        Of the result; of each where there are several.
    inputs : list of Tensor
    fcompute : callable
        From the buffers of the inputs and of the results to a statement or a call. It must write all of the results.
    name, tag : str, optional
    dtype : str or list of str, optional
        Type of the results; without it that of the inputs.
    in_buffers, out_buffers : Buffer or list of Buffer, optional
        See :func:`vta.tir.decl_buffer`; without them dense ones.
    attrs : dict, optional
        What ``Operation.attrs`` gives back.

    Returns
    -------
    tensor : Tensor, or list of Tensor
        A list where there are several. A schedule treats them as a stage without loops.

    Examples
    --------
    >>> @vta.register_func("my.reverse")
    ... def reverse(x, y):
    ...     y[:] = x.numpy()[::-1]
    >>> B = te.extern(A.shape, [A], lambda ins, outs: tir.call_packed("my.reverse", ins[0], outs[0]), name="B")
    """
    tensors = [need(t, Tensor, "an input of extern") for t in items(inputs)]
    shapes = [_whole_shape(s) for s in _shapes(shape)]
    if not callable(fcompute):
        raise kind_error(fcompute, "the body of extern", "a function of its buffers")
    checked = name_of(name, "a tensor's name"), name_of(tag, "a tag")
    context = tensors[0].context.newest() if tensors else _context.current()
    handles = context.handles_of(tensors, Tensor, "an input of extern")
    if in_buffers is None:
        ins = [make_buffer(context, t.shape, t.dtype, t.name) for t in tensors]
    else:
        ins = _given(in_buffers, len(tensors), "inputs")
    if out_buffers is None:
        types = _types(dtype, tensors, len(shapes))
        outs = [make_buffer(context, s, t, f"{name}_v{i}" if shapes[1:] else name) for i, (s, t) in enumerate(zip(shapes, types))]
    else:
        outs = _given(out_buffers, len(shapes), "results")
    body = statement(fcompute(ins, outs))
    for owner in [body.context, *(buffer.context for buffer in (*ins, *outs))]:
        context.owner_check(owner)
    context.here()
    out = (ctypes.c_void_p * len(outs))()
    context.done(lib.te_extern(context.handle, *checked, len(tensors), handles, array_of([x.handle for x in ins]), len(outs),
                               array_of([x.handle for x in outs]), body.handle, out))
    results = [Tensor(context, out[i] or 0) for i in range(len(outs))]
    if attrs:
        context.attrs[out[0]] = dict(need(attrs, dict, "the attributes of a computation"))
    return results if len(results) > 1 else results[0]

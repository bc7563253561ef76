"""Computations by calls of an intrinsic on parts of tensors: ``te.compute((m,), lambda i: intrin(A[i, 0:n]))``."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from .. import _bindings as b
from .._check import items, kind_error
from .._context import array_of
from .._lib import lib
from ..error import Refusing
from ..expr import ExprOp, _operands
from .tensor import IterVar, Range, Tensor, TensorSlice

if TYPE_CHECKING:
    from typing import Any

    from .._context import Context


class TensorIntrinCall(Refusing):
    """A call of an intrinsic in the body of a computation.

    Parameters
    ----------
    intrin : TensorIntrin
    args : tuple
        Parts of tensors, in the order of its inputs, and values of its scalars.
    reduce_axis : IterVar or list of IterVar, optional

    Attributes
    ----------
    tensors : list of Tensor
    regions : list of list of Range
        What is given of each.
    reduce_axis : list of IterVar
    scalar_inputs : list of Expr
    """

    def __init__(self, intrin: Any, args: tuple, reduce_axis: Any = None) -> None:
        self.intrin = intrin
        parts = [TensorSlice(a, tuple(slice(None) for _ in a.shape)) if isinstance(a, Tensor) else a for a in args]
        self.tensors = [p.tensor for p in parts if isinstance(p, TensorSlice)]
        self.regions = [_region(p) for p in parts if isinstance(p, TensorSlice)]
        self.scalar_inputs = [p for p in parts if not isinstance(p, TensorSlice)]
        self.reduce_axis = [] if reduce_axis is None else items(reduce_axis)
        for axis in self.reduce_axis:
            if not isinstance(axis, IterVar):
                raise kind_error(axis, f"the reduce_axis of {intrin.name}", "of type IterVar")
        if len(self.scalar_inputs) != len(intrin.scalar_params):
            raise ValueError(f"{intrin.name} takes {len(intrin.scalar_params)} scalars, not {len(self.scalar_inputs)}")


def _region(part):
    """The ranges of ``A[i, 0:n]``, of all dimensions."""
    shape, indices = part.tensor.shape, part.indices
    if len(indices) > len(shape):
        raise ValueError(f"{part.tensor.name} has {len(shape)} dimensions, but {len(indices)} indices were given")
    ranges = []
    for index, extent in zip((*indices, *[slice(None)] * (len(shape) - len(indices))), shape):
        if not isinstance(index, slice):
            ranges.append(Range.from_min_extent(index, 1))
        elif index.step not in (None, 1):
            raise ValueError(f"a part of {part.tensor.name} takes every element: a step of {index.step} is not offered")
        else:
            ranges.append(Range(0 if index.start is None else index.start, extent if index.stop is None else index.stop))
    return ranges


def compute_call(context: Context, names: tuple[bytes, bytes], axes: list[IterVar], inner: list, call: TensorIntrinCall) -> list[Tensor]:
    """The results of a computation whose body is a call of an intrinsic.

    Parameters
    ----------
    context : Context
    names : tuple of bytes
        Name and tag.
    axes : list of IterVar
    inner : list of int or Expr
        Extents of the dimensions behind the axes.
    call : TensorIntrinCall
    """
    keep = []

    def handles(values):
        made = []
        for value in values:
            found, (handle,) = _operands((value,))
            if isinstance(value, ExprOp):
                context.owner_check(found)
            made.append(handle)
        keep.append(array_of(made))
        return ctypes.addressof(keep[-1])

    def axes_of(given):
        keep.append(context.handles_of(given, IterVar, "an axis"))
        return ctypes.addressof(keep[-1])

    intrin = call.intrin
    regions = (b.te_region * max(1, len(call.regions)))()
    for slot, tensor, ranges in zip(regions, call.tensors, call.regions):
        slot.tensor = context.handle_of(tensor, Tensor, "an operand")
        slot.mins, slot.extents = handles([r.min for r in ranges]), handles([r.extent for r in ranges])
    options = b.te_intrin_call(size=ctypes.sizeof(b.te_intrin_call), intrin=intrin._handle_of_call(context), tag=names[1])
    options.axis_count, options.axes = len(axes), axes_of(axes)
    options.inner_count, options.inner = len(inner), handles(inner)
    options.reduce_axis_count, options.reduce_axes = len(call.reduce_axis), axes_of(call.reduce_axis)
    options.region_count, options.regions = len(call.regions), ctypes.addressof(regions)
    options.scalar_count = len(call.scalar_inputs)
    options.scalars, options.values = handles(intrin.scalar_params), handles(call.scalar_inputs)
    out = (ctypes.c_void_p * max(1, intrin.op.num_outputs))()
    context.done(lib.te_compute_intrin(context.handle, names[0], ctypes.byref(options), out))
    return [Tensor(context, out[i] or 0) for i in range(intrin.op.num_outputs)]

"""Gradients of tensor expressions."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from .._check import items, need
from .._lib import lib
from .tensor import Tensor

if TYPE_CHECKING:
    from typing import Sequence


def gradient(output: Tensor, inputs: Tensor | Sequence[Tensor], head: Tensor | None = None) -> list[Tensor]:
    """The gradients of a tensor by others, as new computations: reverse accumulation over the graph of computations.

    Parameters
    ----------
    output : Tensor
        What is differentiated, of floats.
    inputs : Tensor or list of Tensor
        By what: placeholders, or computations on the way.
    head : Tensor, optional
        What each element of the output counts for: its shape is any dimensions, then those of `output`. Without it
        every element of the output counts by itself.

    Returns
    -------
    gradients : list of Tensor
        One for each input. Its shape is the first dimensions of `head` (without it: those of `output`), then those of
        the input; of zeros where the output does not depend on the input. What has no derivative here, such as scans,
        tensors made of statements and reductions to several results, is refused.

    Examples
    --------
    >>> A = te.placeholder((4, 5), name="A")
    >>> B = te.compute((4,), lambda i: te.sum(te.exp(A[i, k]), axis=k), name="B")
    >>> (by_a,) = te.gradient(B, [A], head=te.placeholder((4,), name="head"))
    """
    context = need(output, Tensor, "what is differentiated").context.newest()
    context.here()
    given = items(inputs)
    handles = context.handles_of(given, Tensor, "an input of a gradient")
    top = None if head is None else context.handle_of(head, Tensor, "the head of a gradient")
    out = (ctypes.c_void_p * max(1, len(given)))()
    context.done(lib.te_gradient(context.handle, context.handle_of(output, Tensor, "what is differentiated"), len(given),
                                 handles, top, out))
    return [Tensor(context, out[i] or 0) for i in range(len(given))]

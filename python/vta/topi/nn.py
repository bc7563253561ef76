"""Operators of neural networks."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from .. import te
from .._check import name_of, need, whole
from .._lib import lib
from ..te import Tensor
from . import tag

if TYPE_CHECKING:
    from typing import Sequence

__all__ = ["pad", "relu"]


def pad(data: Tensor, pad_before: Sequence[int], pad_after: Sequence[int] | None = None, pad_value: int | float = 0.0,
        name: str = "PadInput") -> Tensor:
    """A tensor with a frame of constant elements around it.

    Parameters
    ----------
    data : Tensor
    pad_before : list of int
        Elements added before each dimension.
    pad_after : list of int, optional
        Elements added after each dimension; default as before.
    pad_value : number, optional
    name : str, optional

    Returns
    -------
    padded : Tensor
    """
    need(data, Tensor, "what is padded")
    pad_after = pad_before if pad_after is None else pad_after
    if len(pad_before) != data.ndim or len(pad_after) != data.ndim:
        raise ValueError(f"{data.name} has {data.ndim} dimensions, but {len(pad_before)} and {len(pad_after)} pads "
                         "were given")
    context = data.context.newest()
    context.here()
    amounts = [(ctypes.c_int64 * max(1, data.ndim))(*[whole(p, "a padding") for p in pads]) for pads in (pad_before, pad_after)]
    handle = lib.te_pad(context.handle, context.handle_of(data, Tensor, "what is padded"), name_of(name, "a tensor's name"), amounts[0], amounts[1], float(pad_value))
    return Tensor(context, context.made(handle))


def relu(x: Tensor) -> Tensor:
    """max(x, 0), element by element.

    Parameters
    ----------
    x : Tensor

    Returns
    -------
    result : Tensor
    """
    need(x, Tensor, "the operand of relu")
    return te.compute(x.shape, lambda *i: te.max(x(*i), te.const(0, x.dtype)), tag=tag.ELEMWISE)

"""Frames around tensors and elements between theirs."""

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

__all__ = ["dilate", "get_pad_tuple", "pad"]


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


def get_pad_tuple(padding: int | str | Sequence[int], kernel: Sequence[int]) -> tuple[int, int, int, int]:
    """What a padding adds above, on the left, below and on the right.

    Parameters
    ----------
    padding : int, str or sequence of int
        One number for all sides, two for rows and columns, four as they are; ``"VALID"``: none, ``"SAME"``: as many as leave the
        size of a picture at steps of 1, the odd one below and on the right.
    kernel : sequence of int
        Rows and columns of the kernel.

    Returns
    -------
    pads : tuple of int
    """
    sizes = [whole(k, "an extent of the kernel") for k in need(kernel, (list, tuple), "the extents of the kernel")]
    if padding == "VALID":
        return 0, 0, 0, 0
    if padding == "SAME":
        rows, columns = sizes[0] - 1, sizes[1] - 1
        return rows // 2, columns // 2, rows - rows // 2, columns - columns // 2
    sides = (padding, padding) if isinstance(padding, int) else padding
    if isinstance(sides, str) or len(sides) not in (2, 4):
        raise ValueError(f"a padding is 1, 2 or 4 numbers, SAME or VALID, not {padding!r}")
    top, left, below, right = (*sides, *sides) if len(sides) == 2 else sides
    return top, left, below, right


def dilate(data: Tensor, strides: Sequence[int], dilation_value: int | float = 0.0, name: str = "DilatedInput") -> Tensor:
    """A tensor with constant elements between its own.

    Parameters
    ----------
    data : Tensor
    strides : sequence of int
        For each dimension, how far neighbours are apart then.
    dilation_value : number, optional
        What is put between them.
    name : str, optional

    Returns
    -------
    dilated : Tensor
    """
    need(data, Tensor, "what is dilated")
    steps = [whole(s, "a stride") for s in strides]
    if len(steps) != data.ndim or min(steps, default=1) < 1:
        raise ValueError(f"{data.name} has {data.ndim} dimensions: expected as many strides, each at least 1, got {steps}")
    value = te.const(dilation_value, data.dtype)

    def element(*at):
        stepped = [(i, s) for i, s in zip(at, steps) if s > 1]
        inside = data(*[i // s if s > 1 else i for i, s in zip(at, steps)])
        for i, s in stepped:
            inside = te.if_then_else(i % s == 0, inside, value)
        return inside

    return te.compute([(n - 1) * s + 1 for n, s in zip(data.shape, steps)], element, name=name, tag=tag.INJECTIVE + ",dilate")

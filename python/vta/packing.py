"""Tensors to the tiles of the accelerator and back."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from . import _bindings as b
from ._lib import DIAG, call, lib

if TYPE_CHECKING:
    import numpy as np

__all__ = ["pack", "unpack"]

_LAYOUTS = {"NCHW": b.VTA_NCHW, "NHWC": b.VTA_NHWC}


def _shape(extents, rows, lanes, item_bytes, layout):
    """A ``vta_pack_shape`` of a matrix or of images."""
    if layout not in _LAYOUTS:
        raise ValueError(f"layout {layout!r}: there are {', '.join(_LAYOUTS)}")
    if len(extents) not in (2, 4):
        raise ValueError(f"a tensor of {len(extents)} dimensions: there are matrices (2) and images or weights (4)")
    n, *rest = extents
    if len(extents) == 2:
        c, h, w = rest[0], 1, 1
    else:
        c, h, w = rest if layout == "NCHW" else (rest[2], rest[0], rest[1])
    return b.vta_pack_shape(ctypes.sizeof(b.vta_pack_shape), n, c, h, w, rows, lanes, item_bytes, _LAYOUTS[layout])


def pack(array: np.ndarray, rows: int, lanes: int, layout: str = "NCHW") -> np.ndarray:
    """Images or weights as tiles ``[N / rows, C / lanes, H, W, rows, lanes]``, matrices as
    ``[N / rows, C / lanes, rows, lanes]``. Rows and lanes past the last are zeros.

    Parameters
    ----------
    array : numpy.ndarray
        Of 2 or 4 dimensions, elements of 1, 2 or 4 bytes.
    rows, lanes : int
        Of a tile: BATCH and BLOCK_IN of inputs, BLOCK_OUT and BLOCK_IN of weights.
    layout : str
        ``"NCHW"`` or ``"NHWC"``, of what has 4 dimensions.

    Returns
    -------
    tiles : numpy.ndarray
    """
    import numpy as np

    array = np.ascontiguousarray(array)
    s = _shape(array.shape, rows, lanes, array.itemsize, layout)
    size = ctypes.c_size_t()
    call(lib.vta_pack_bytes, ctypes.byref(s), DIAG, ctypes.byref(size))
    image = () if array.ndim == 2 else (s.h, s.w)
    out = np.empty((-(-s.n // rows), -(-s.c // lanes), *image, rows, lanes), array.dtype)
    assert out.nbytes == size.value
    call(lib.vta_pack, ctypes.byref(s), array.ctypes.data, DIAG, out.ctypes.data)
    return out


def unpack(tiles: np.ndarray, shape: tuple[int, ...], layout: str = "NCHW") -> np.ndarray:
    """What :func:`pack` made tiles of.

    Parameters
    ----------
    tiles : numpy.ndarray
        Of 4 or 6 dimensions; the last two are those of a tile.
    shape : tuple of int
        Of the result, of 2 or 4 extents in the order of `layout`.
    layout : str
        ``"NCHW"`` or ``"NHWC"``.

    Returns
    -------
    array : numpy.ndarray
    """
    import numpy as np

    tiles = np.ascontiguousarray(tiles)
    rows, lanes = tiles.shape[-2:]
    s = _shape(shape, rows, lanes, tiles.itemsize, layout)
    size = ctypes.c_size_t()
    call(lib.vta_pack_bytes, ctypes.byref(s), DIAG, ctypes.byref(size))
    if size.value != tiles.nbytes:
        raise ValueError(f"tiles of {tiles.nbytes} bytes: a tensor of {tuple(shape)} in tiles of {rows} x {lanes} has "
                         f"{size.value}")
    out = np.empty(shape, tiles.dtype)
    call(lib.vta_unpack, ctypes.byref(s), tiles.ctypes.data, DIAG, out.ctypes.data)
    return out

"""What operators take and give: plain arrays to the tiles of their arguments, and results from tiles (docs/operators.md
has the layouts)."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .. import _bindings as b
from .._lib import DIAG, call, lib
from ..packing import pack, unpack

if TYPE_CHECKING:
    from typing import Any, Mapping

    from numpy.typing import ArrayLike, NDArray

    from .._settings import Config


class Argument(NamedTuple):
    """An argument of an operator.

    Attributes
    ----------
    name : str
    shape : tuple of int
        Of the plain array.
    dtype : str
        Of the plain array; that in tiles has the same, but for the digits of a bias.
    tiles : tuple of int
        Of the array in tiles, as the compiled function takes it.
    beside : bool
        Of matrices: in tiles they stand side by side.
    columns : bool
        Of weights: their tiles lie by columns.
    """

    name: str
    shape: tuple[int, ...]
    dtype: str
    tiles: tuple[int, ...]
    beside: bool = False
    columns: bool = False


NORMS = ("row_moments", "layer_norm")  # of rows of 16 bits, in two halves


def plain_shape(operator: str, name: str, values: Mapping[str, int], tiles: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of an argument as a plain array.

    Parameters
    ----------
    operator, name : str
    values : mapping of str to int
        All attributes of the operator.
    tiles : tuple of int
    """
    kind = name.rstrip("0123456789")
    channels = _channels(operator, values)
    if kind in ("bias", "factor", "amount", "digits"):
        return (channels,)
    batch = values.get("batch", 1)
    if operator == "dense":
        return {"data": (batch, values["in_features"]), "weight": (channels, values["in_features"])}.get(
            kind, (batch, channels))
    if operator == "batch_matmul":
        shapes = {"data": (values["rows"], values["in_features"]), "weight": (channels, values["in_features"])}
        return (batch, *shapes.get(kind, (values["rows"], channels)))
    if operator in NORMS and kind == "data":
        return (2, batch, channels)
    if kind == "moments" or operator == "row_moments":
        return (batch, *tiles[1:2], tiles[-1])
    if operator == "layer_norm":
        return (batch, channels)
    if kind == "weight":
        return _weight(operator, values)
    image = (values["height"], values["width"])
    if kind == "data" and "in_channels" in values:
        return (batch, values["in_channels"], *image)
    if kind == "x":
        return (batch, values[f"channels{name[1:]}"], *image)
    return (batch, channels, *(image if kind in ("data", "a") else tiles[-4:-2]))


def _channels(operator, values):
    """Of the result."""
    if operator == "concat":
        return sum(v for k, v in values.items() if k.startswith("channels"))
    return values.get("out_channels") or values.get("out_features") or values.get("features") or values["channels"]


def _weight(operator, values):
    kernel = tuple(values[f"kernel_{d}"] or values["kernel"] for d in "hw")
    first, second = values["out_channels"], values["in_channels"] // values.get("groups", 1)
    return (second, first, *kernel) if operator == "conv2d_transpose" else (first, second, *kernel)


def checked(array: ArrayLike, argument: Argument) -> NDArray[Any]:
    """The array compact and of the argument's type, which must hold its values.

    Parameters
    ----------
    array : array_like
    argument : Argument
    """
    x, name = np.asarray(array), argument.name
    if x.shape != argument.shape:
        raise ValueError(f"{name} has the shape {argument.shape}, not {x.shape}")
    if x.dtype.kind not in "iub":
        raise TypeError(f"{name} holds integers ({argument.dtype}), not {x.dtype}: quantize it first")
    bits = int(argument.dtype[3:])
    if bits < 8:
        raise NotImplementedError(f"{name} is of {argument.dtype}, which no array of numpy is: several elements share a "
                                  "byte; call the compiled function (.module) with arrays made so")
    least, most = -(1 << (bits - 1)), (1 << (bits - 1)) - 1
    if x.dtype != argument.dtype and x.size and (x.min() < least or x.max() > most):
        raise ValueError(f"{name} has values from {x.min()} to {x.max()}: {argument.dtype} holds {least} to {most}")
    return np.ascontiguousarray(x, argument.dtype)


def _images(x, tiles):
    """N C H W in as many blocks of channels as the tiles have."""
    rows, lanes = tiles[-2:]
    channels = int(np.prod(tiles[1:-4])) * lanes
    if channels - lanes >= x.shape[1]:  # whole blocks of zeros
        x = np.pad(x, ((0, 0), (0, channels - x.shape[1]), (0, 0), (0, 0)))
    return pack(x, rows, lanes).reshape(tiles)


def _matrix(x, tiles):
    channels = tiles[1] * tiles[-1]
    return pack(np.pad(x, ((0, 0), (0, channels - x.shape[1]))), *tiles[-2:])


def _moments(x, tiles):
    """Rows of several vectors."""
    x = np.pad(x, ((0, tiles[0] * tiles[-2] - x.shape[0]), (0, 0), (0, 0)))
    return np.ascontiguousarray(x.reshape(tiles[0], tiles[-2], *x.shape[1:]).swapaxes(1, 2))


def _vector(x, tiles):
    """The same for each image of a batch."""
    padded = np.zeros(int(np.prod(tiles)) // tiles[-2], x.dtype)
    padded[:x.size] = x
    return np.ascontiguousarray(np.broadcast_to(padded.reshape(*tiles[:-2], 1, tiles[-1]), tiles))


def _by_library(function, *args, tiles):
    """Tiles that a function of vta/conv.h makes."""
    out = np.empty(tiles, "int8")
    call(function, *args, DIAG, out.ctypes.data, out.nbytes)
    return out


def to_tiles(operator: str, argument: Argument, x: NDArray[Any], config: Config,
             conv: b.vta_conv | None) -> NDArray[Any]:
    """An array that :func:`checked` gave, in tiles.

    Parameters
    ----------
    operator : str
    argument : Argument
    x : numpy.ndarray
    config : Config
    conv : vta_conv, optional
        Of a convolution: how its operands lie.
    """
    kind, tiles = argument.name.rstrip("0123456789"), argument.tiles
    if kind == "digits":
        return _by_library(lib.vta_conv_pack_bias, config.handle, x.ctypes.data, x.size, tiles[1], tiles=tiles)
    if kind in ("bias", "factor", "amount"):
        return _vector(x, tiles)
    if conv is not None and kind in ("data", "weight"):
        function = lib.vta_conv_pack_data if kind == "data" else lib.vta_conv_pack_weight
        return _by_library(function, config.handle, ctypes.byref(conv), x.ctypes.data, tiles=tiles)
    if operator == "conv2d_transpose" and kind == "weight":
        sizes = [*x.shape]
        return _by_library(lib.vta_conv_pack_weight_transposed, config.handle, *sizes, x.ctypes.data, tiles=tiles)
    if operator == "batch_matmul" and argument.beside:
        wide = np.ascontiguousarray(x.swapaxes(0, 1)).reshape(x.shape[1], -1)
        return _matrix(wide, (tiles[0], tiles[1] * tiles[2], *tiles[3:])).reshape(tiles)
    if operator == "batch_matmul" and argument.columns:
        by_rows = (tiles[2], tiles[1], *tiles[3:])
        return np.ascontiguousarray(np.stack([_matrix(m, by_rows).swapaxes(0, 1) for m in x]))
    if kind == "moments":
        return _moments(x, tiles)
    if operator == "batch_matmul" or (operator in NORMS and kind == "data"):
        return np.stack([_matrix(m, tiles[1:]) for m in x])
    return _matrix(x, tiles) if operator in ("dense", "layer_norm") else _images(x, tiles)


def from_tiles(operator: str, argument: Argument, tiles: NDArray[Any]) -> NDArray[Any]:
    """A result as a plain array.

    Parameters
    ----------
    operator : str
    argument : Argument
    tiles : numpy.ndarray
    """
    rows, lanes = tiles.shape[-2:]
    if operator == "batch_matmul" and argument.beside:
        batch, matrix_rows, columns = argument.shape
        wide = unpack(tiles.reshape(tiles.shape[0], -1, rows, lanes), (matrix_rows, batch * columns))
        return np.ascontiguousarray(wide.reshape(matrix_rows, batch, columns).swapaxes(0, 1))
    if operator == "batch_matmul":
        return np.stack([unpack(m, argument.shape[1:]) for m in tiles])
    if operator in ("dense", "layer_norm"):
        return unpack(tiles, argument.shape)
    if operator == "row_moments":
        return np.ascontiguousarray(tiles.swapaxes(1, 2).reshape(-1, *argument.shape[1:])[:argument.shape[0]])
    flat = tiles.reshape(tiles.shape[0], -1, *tiles.shape[-4:])
    used = -(-argument.shape[1] // lanes)
    return unpack(np.ascontiguousarray(flat[:, :used]), argument.shape)

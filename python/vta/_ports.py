"""Inputs and outputs of networks: their names, shapes and types, and arrays that fit them."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _bindings as b
from ._lib import call, text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

_KINDS = {0: "int", 1: "uint", 2: "float"}


def _dtype(t: Any) -> np.dtype:
    return np.dtype("bool" if (t.code, t.bits) == (1, 1) else f"{_KINDS[t.code]}{t.bits}")


class Port:
    """An input or an output of a model.

    Parameters
    ----------
    get : callable
        The C function that describes it.
    model : int
        The handle that `get` takes.
    index : int
    kind : type, optional
        The C struct that `get` fills in.

    Attributes
    ----------
    name : str
    shape : tuple of int
    dtype : numpy.dtype
    """

    def __init__(self, get: Any, model: Any, index: int, kind: Any = b.vta_model_tensor) -> None:
        t = kind(size=ctypes.sizeof(kind))
        call(get, model, index, ctypes.byref(t))
        self.name: str = text(t.name)
        shape = ctypes.cast(t.shape, ctypes.POINTER(ctypes.c_int64))
        self.shape: tuple[int, ...] = tuple(shape[i] for i in range(t.ndim))
        self.dtype: np.dtype = _dtype(t.type)

    def __repr__(self) -> str:
        return f"{self.name}: {self.dtype}{list(self.shape)}"


_EXTENTS = ":extents"  # of an output whose rows are counted when the network runs: another one, with its extents


def shown(ports: Sequence[Port]) -> list[Port]:
    """Outputs without those that only say how many rows another one has; these are the last ones."""
    names = {p.name for p in ports}
    return [p for p in ports if not (p.name.endswith(_EXTENTS) and p.name[:-len(_EXTENTS)] in names)]


def cut(ports: Sequence[Port], arrays: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
    """The values of the outputs that are shown, of all outputs: with as many rows as were found."""
    values = {p.name: a for p, a in zip(ports, arrays)}

    def one(port: Port, array: NDArray[Any]) -> NDArray[Any]:
        extents = values.get(port.name + _EXTENTS)
        if extents is None or extents.shape != (array.ndim,) or (extents < 0).any() or (extents > array.shape).any():
            return array
        return np.ascontiguousarray(array[tuple(slice(n) for n in extents)])

    return [one(p, a) for p, a in zip(shown(ports), arrays)]


def whole(port: Port, array: NDArray[Any]) -> NDArray[Any]:
    """An output with all the rows that it can have: those that were not found are 0."""
    return np.pad(array, [(0, full - n) for full, n in zip(port.shape, array.shape)])


def input_of(name: str, ports: Sequence[Port], which: int | str) -> Port:
    """An input by its number or its name."""
    names = [p.name for p in ports]
    if which not in names and not (isinstance(which, int) and 0 <= which < len(names)):
        raise KeyError(f"{name} has no input {which!r}; there are {ports}")
    return ports[which if isinstance(which, int) else names.index(which)]


def arrays_of(name: str, ports: list[Port], inputs: Sequence[ArrayLike], named: Mapping[str, ArrayLike],
              batches: bool = False) -> list[NDArray[Any]]:
    """Inputs of a network, in order: compact, of the types and shapes of its ports.

    Parameters
    ----------
    name : str
        The network's.
    ports : list of Port
    inputs : sequence of array_like
        In the order of `ports`.
    named : mapping of str to array_like
        The others, by name.
    batches : bool, optional
        Whether the first extent of all may be a multiple of the port's, the same one for all.
    """
    given = dict(zip([p.name for p in ports], inputs))
    if len(inputs) > len(ports) or given.keys() & named.keys():
        raise TypeError(f"{name} takes {len(ports)} inputs, each once: {ports}")
    given.update(named)
    if given.keys() != {p.name for p in ports}:
        raise TypeError(f"{name} takes the inputs {ports}, not {sorted(given)}")
    arrays = [_compact(p, given[p.name]) for p in ports]
    times = times_of(ports[0], arrays[0]) if batches and ports else None
    for port, array in zip(ports, arrays):
        if array.shape != port.shape and (times is None or times_of(port, array) != times):
            raise ValueError(f"input {port.name} has the shape {port.shape}, not {array.shape}")
    return arrays


def _compact(port: Port, value: ArrayLike) -> NDArray[Any]:
    """The value as a compact array of the port's type. A scalar keeps its shape; no number may be lost on the way."""
    array = np.asarray(value)
    if port.dtype.kind in "iu" and array.dtype != port.dtype:
        limits = np.iinfo(port.dtype)
        if array.dtype.kind not in "iub":
            raise TypeError(f"input {port.name} is {port.dtype}, not {array.dtype}: round it, and convert it with astype")
        if array.size and (int(array.min()) < limits.min or int(array.max()) > limits.max):
            raise ValueError(f"input {port.name} is {port.dtype}, {limits.min} to {limits.max}; "
                             f"the array has {array.min()} to {array.max()}")
    return np.asarray(array, port.dtype, order="C")


def times_of(port: Port, array: NDArray[Any]) -> int | None:
    """How many inputs of the port an array holds, one behind the other; None: it is of another shape."""
    if not port.shape or array.ndim != len(port.shape) or array.shape[1:] != port.shape[1:]:
        return None
    return array.shape[0] // port.shape[0] if array.shape[0] % port.shape[0] == 0 else None


def single(ports: list[Port], arrays: list[NDArray[Any]]) -> Iterator[list[NDArray[Any]]]:
    """Inputs of a network, one behind the other in `arrays` (as :func:`arrays_of` gives them), one at a time."""
    if all(a.shape == p.shape for a, p in zip(arrays, ports)):
        yield arrays
        return
    for i in range(times_of(ports[0], arrays[0]) or 0):
        yield [a[i * p.shape[0]:(i + 1) * p.shape[0]] for a, p in zip(arrays, ports)]

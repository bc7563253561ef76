"""Compiled networks: load an artifact and call it."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _bindings as b
from ._lib import DIAG, call, lib, release

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

__all__ = ["Model", "load_model"]

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
        self.name: str = t.name.decode()
        shape = ctypes.cast(t.shape, ctypes.POINTER(ctypes.c_int64))
        self.shape: tuple[int, ...] = tuple(shape[i] for i in range(t.ndim))
        self.dtype: np.dtype = _dtype(t.type)

    def __repr__(self) -> str:
        return f"{self.name}: {self.dtype}{list(self.shape)}"


def arrays_of(name: str, ports: list[Port], inputs: Sequence[ArrayLike],
              named: Mapping[str, ArrayLike]) -> list[NDArray[Any]]:
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
    """
    given = dict(zip([p.name for p in ports], inputs))
    if len(inputs) > len(ports) or given.keys() & named.keys():
        raise TypeError(f"{name} takes {len(ports)} inputs, each once: {ports}")
    given.update(named)
    if given.keys() != {p.name for p in ports}:
        raise TypeError(f"{name} takes the inputs {ports}, not {sorted(given)}")
    arrays = [np.ascontiguousarray(given[p.name], p.dtype) for p in ports]
    for port, array in zip(ports, arrays):
        if array.shape != port.shape:
            raise ValueError(f"input {port.name} has the shape {port.shape}, not {array.shape}")
    return arrays


class Model:
    """A compiled network on a device. Call it with arrays; it gives an array, or a tuple where it has several outputs.

    One thread at a time may call it; :func:`load_model` gives as many as are needed.

    Parameters
    ----------
    path, driver : str, optional
        As for :func:`load_model`.
    artifact : bytes, optional
        The artifact, where it is in memory; `path` stands for it in messages then.

    Attributes
    ----------
    name : str
    inputs, outputs : list of Port
    """

    def __init__(self, path: str | os.PathLike[str], driver: str | None = None, artifact: bytes | None = None) -> None:
        self._path, self._artifact = path, artifact
        handle = ctypes.c_void_p()
        if artifact is None:
            call(lib.vta_model_load, os.fsencode(path), None, DIAG, ctypes.byref(handle))
        else:
            call(lib.vta_model_parse, artifact, len(artifact), os.fsencode(path), None, DIAG, ctypes.byref(handle))
        release(self, lib.vta_model_release, handle)
        options = b.vta_instance_options(driver=driver.encode() if driver else None)
        instance = ctypes.c_void_p()
        call(lib.vta_instance_create, handle, ctypes.byref(options), DIAG, ctypes.byref(instance))
        release(self, lib.vta_instance_destroy, instance)
        self._instance = instance
        self.name: str = lib.vta_model_name(handle).decode()
        self.inputs = [Port(lib.vta_model_input, handle, i) for i in range(lib.vta_model_input_count(handle))]
        self.outputs = [Port(lib.vta_model_output, handle, i) for i in range(lib.vta_model_output_count(handle))]

    def __repr__(self) -> str:
        return f"<vta.Model {self.name}: {self.inputs} -> {self.outputs}>"

    def __call__(self, *inputs: ArrayLike, **named: ArrayLike) -> NDArray[Any] | tuple[NDArray[Any], ...]:
        """Runs the network.

        Parameters
        ----------
        *inputs : array_like
            In the order of ``inputs``.
        **named : array_like
            By name.

        Returns
        -------
        output : numpy.ndarray or tuple of numpy.ndarray
        """
        for i, array in enumerate(arrays_of(self.name, self.inputs, inputs, named)):
            call(lib.vta_instance_set_input, self._instance, i, array.ctypes.data, array.nbytes, DIAG)
        call(lib.vta_instance_run, self._instance, DIAG)
        results = tuple(self._output(i, port) for i, port in enumerate(self.outputs))
        return results[0] if len(results) == 1 else results

    def _output(self, index: int, port: Port) -> NDArray[Any]:
        array = np.empty(port.shape, port.dtype)
        call(lib.vta_instance_get_output, self._instance, index, array.ctypes.data, array.nbytes, DIAG)
        return array

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the artifact to a file, for :func:`load_model` and the tool.

        Parameters
        ----------
        path : str
        """
        if self._artifact is None:
            shutil.copyfile(self._path, path)
            return
        with open(path, "wb") as file:
            file.write(self._artifact)

    def profile(self) -> dict[str, Any]:
        """What each step took in the last call: cycles by the timing model, bytes, seconds of the host."""
        text = ctypes.c_void_p()
        call(lib.vta_instance_profile_json, self._instance, DIAG, ctypes.byref(text))
        try:
            return json.loads(ctypes.string_at(text))
        finally:
            lib.vta_string_free(text)


def load_model(path: str | os.PathLike[str], driver: str | None = None) -> Model:
    """Loads a compiled network (docs/models.md).

    An artifact may hold native code, which is executed: load only those whose maker you trust.

    Parameters
    ----------
    path : str
        The artifact.
    driver : str, optional
        ``"sim"``, ``"tsim"`` or a board; else the target of its configuration.

    Returns
    -------
    model : Model

    Examples
    --------
    >>> model = vta.load_model("resnet18.vta-model")
    >>> scores = model(picture)
    """
    return Model(path, driver)

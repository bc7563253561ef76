"""Compiled networks: load an artifact and call it."""

from __future__ import annotations

import ctypes
import json
import os
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _bindings as b
from ._lib import DIAG, call, lib

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Model", "load_model"]

_KINDS = {0: "int", 1: "uint", 2: "float"}


def _dtype(t: Any) -> np.dtype:
    return np.dtype("bool" if (t.code, t.bits) == (1, 1) else f"{_KINDS[t.code]}{t.bits}")


class Port:
    """An input or an output of a model.

    Attributes
    ----------
    name : str
    shape : tuple of int
    dtype : numpy.dtype
    """

    def __init__(self, get: Any, model: Any, index: int) -> None:
        t = b.vta_model_tensor()
        call(get, model, index, ctypes.byref(t))
        self.name: str = t.name.decode()
        shape = ctypes.cast(t.shape, ctypes.POINTER(ctypes.c_int64))
        self.shape: tuple[int, ...] = tuple(shape[i] for i in range(t.ndim))
        self.dtype: np.dtype = _dtype(t.type)

    def __repr__(self) -> str:
        return f"{self.name}: {self.dtype}{list(self.shape)}"


class Model:
    """A compiled network on a device. Call it with arrays; it gives an array, or a tuple where it has several outputs.

    One thread at a time may call it; :func:`load_model` gives as many as are needed.

    Parameters
    ----------
    path, driver : str, optional
        As for :func:`load_model`.

    Attributes
    ----------
    name : str
    inputs, outputs : list of Port
    """

    def __init__(self, path: str | os.PathLike[str], driver: str | None = None) -> None:
        self._model = self._instance = None
        handle = ctypes.c_void_p()
        call(lib.vta_model_load, os.fsencode(path), None, DIAG, ctypes.byref(handle))
        self._model = handle
        options = b.vta_instance_options(driver=driver.encode() if driver else None)
        instance = ctypes.c_void_p()
        call(lib.vta_instance_create, handle, ctypes.byref(options), DIAG, ctypes.byref(instance))
        self._instance = instance
        self.name: str = lib.vta_model_name(handle).decode()
        self.inputs = [Port(lib.vta_model_input, handle, i) for i in range(lib.vta_model_input_count(handle))]
        self.outputs = [Port(lib.vta_model_output, handle, i) for i in range(lib.vta_model_output_count(handle))]

    def __del__(self) -> None:
        if getattr(self, "_instance", None):
            lib.vta_instance_destroy(self._instance)
        if getattr(self, "_model", None):
            lib.vta_model_release(self._model)

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
        given = dict(zip([p.name for p in self.inputs], inputs))
        if len(inputs) > len(self.inputs) or given.keys() & named.keys():
            raise TypeError(f"{self.name} takes {len(self.inputs)} inputs, each once: {self.inputs}")
        given.update(named)
        if given.keys() != {p.name for p in self.inputs}:
            raise TypeError(f"{self.name} takes the inputs {self.inputs}, not {sorted(given)}")
        for i, port in enumerate(self.inputs):
            array = np.ascontiguousarray(given[port.name], port.dtype)
            if array.shape != port.shape:
                raise ValueError(f"input {port.name} has the shape {port.shape}, not {array.shape}")
            call(lib.vta_instance_set_input, self._instance, i, array.ctypes.data, array.nbytes, DIAG)
        call(lib.vta_instance_run, self._instance, DIAG)
        results = tuple(self._output(i, port) for i, port in enumerate(self.outputs))
        return results[0] if len(results) == 1 else results

    def _output(self, index: int, port: Port) -> NDArray[Any]:
        array = np.empty(port.shape, port.dtype)
        call(lib.vta_instance_get_output, self._instance, index, array.ctypes.data, array.nbytes, DIAG)
        return array

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

"""Compiled networks on a server."""

from __future__ import annotations

import ctypes
import json
import weakref
from typing import TYPE_CHECKING, Any

import numpy as np

from ._lib import DIAG, lib, take_text, utf8
from ._ports import Port, arrays_of, cut, shown
from .model import ModelProfile

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["RemoteModel"]


class RemotePort(Port):
    """An input or an output of a network on a server.

    Parameters
    ----------
    described : dict
        What the server says of it.
    """

    def __init__(self, described: dict[str, Any]) -> None:
        self.name: str = described["name"]
        self.shape: tuple[int, ...] = tuple(described["shape"])
        self.dtype: np.dtype = np.dtype(described["type"])


class RemoteModel:
    """A compiled network on a server. Call it with arrays, as a :class:`vta.Model`.

    Parameters
    ----------
    session : RemoteSession
    path : str
        The name it was uploaded as.

    Attributes
    ----------
    name, driver : str
        What it was compiled from, and what it runs on there.
    inputs, outputs : list of Port
    seconds : float
        Of the last run, measured by the server.
    counters : dict
        Of the device, in the last run.
    """

    def __init__(self, session: Any, path: str) -> None:
        self.session = session
        number, text = ctypes.c_uint64(), ctypes.c_void_p()
        session._call(lib.vta_rpc_load_model, utf8(path), DIAG, ctypes.byref(number), ctypes.byref(text))
        described = json.loads(take_text(text.value))
        self._number = number.value
        weakref.finalize(self, session.discard, self._number).atexit = False
        self.name: str = described["name"]
        self.driver: str = described["driver"]
        self.inputs = [RemotePort(p) for p in described["inputs"]]
        self._ports = [RemotePort(p) for p in described["outputs"]]
        self.outputs = shown(self._ports)
        self.seconds = 0.0
        self.counters: dict[str, int] = {}
        cpu = session.cpu(0)
        self._arrays = [cpu.empty(p.shape, str(p.dtype)) for p in self.inputs + self._ports]

    def __repr__(self) -> str:
        return f"<vta.RemoteModel {self.name} on {self.session.place}: {self.inputs} -> {self.outputs}>"

    def __call__(self, *inputs: ArrayLike, **named: ArrayLike) -> NDArray[Any] | tuple[NDArray[Any], ...]:
        """Runs the network there.

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
        for array, values in zip(self._arrays, arrays_of(self.name, list(self.inputs), inputs, named)):
            array.copyfrom(values)
        numbers = (ctypes.c_uint64 * max(1, len(self._arrays)))(*(a.number for a in self._arrays))
        seconds, text = ctypes.c_double(), ctypes.c_void_p()
        self.session._call(lib.vta_rpc_run_model, self._number, numbers, len(self._arrays), DIAG,
                           ctypes.byref(seconds), ctypes.byref(text))
        self.seconds, self.counters = seconds.value, json.loads(take_text(text.value))
        results = tuple(cut(self._ports, [a.numpy() for a in self._arrays[len(self.inputs):]]))
        return results[0] if len(results) == 1 else results

    def profile(self) -> ModelProfile:
        """What each step took in the last call: cycles by the timing model, bytes, seconds of the server."""
        return ModelProfile(json.loads(self.session._text(lib.vta_rpc_profile_model, self._number)))

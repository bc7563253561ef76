"""Streams: networks whose state goes on from call to call, as recurrent ones."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _bindings as b
from ._lib import DIAG, call, lib, release
from ._ports import arrays_of, cut, input_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

__all__ = ["Stream"]


class Stream:
    """A network with its state (:meth:`vta.Model.stream`). Call it with what comes next.

    One thread at a time may call it.

    Parameters
    ----------
    model : vta.Model
    state : mapping of str to str
        By the name of an input the output whose value it has in the next call.

    Attributes
    ----------
    inputs, outputs : list of Port
        Those that are not state: what a call takes and returns.
    """

    def __init__(self, model: Any, state: Mapping[str, str]) -> None:
        outputs = {p.name: i for i, p in enumerate(model.outputs)}
        for name in state.values():
            if name not in outputs:
                raise KeyError(f"{model.name} has no output {name}; there are {model.outputs}")
        self._model, self._state = model, dict(state)
        options = b.vta_instance_options(driver=model._driver.encode() if model._driver else None)
        instance = ctypes.c_void_p()
        call(lib.vta_instance_create, model._handle, ctypes.byref(options), DIAG, ctypes.byref(instance))
        release(self, lib.vta_instance_destroy, instance)
        self._instance = instance
        for to, of in self._state.items():
            call(lib.vta_instance_carry, instance, outputs[of], self._index(to), DIAG)
        self.inputs = [p for p in model.inputs if p.name not in self._state]
        self.outputs = [p for p in model.outputs if p.name not in self._state.values()]

    def __repr__(self) -> str:
        return f"<vta.Stream {self._model.name}: {self.inputs} -> {self.outputs}, state {self._state}>"

    def _index(self, name: str) -> int:
        return self._model.inputs.index(input_of(self._model.name, self._model.inputs, name))

    def _set(self, name: str, array: NDArray[Any]) -> None:
        call(lib.vta_instance_set_input, self._instance, self._index(name), array.ctypes.data, array.nbytes, DIAG)

    def __call__(self, *inputs: ArrayLike, **named: ArrayLike) -> NDArray[Any] | tuple[NDArray[Any], ...]:
        """Runs the network from the state that the last call left.

        Parameters
        ----------
        *inputs : array_like
            In the order of ``inputs``.
        **named : array_like
            By name.

        Returns
        -------
        output : numpy.ndarray or tuple of numpy.ndarray
            Those of ``outputs``.
        """
        for port, array in zip(self.inputs, arrays_of(self._model.name, self.inputs, inputs, named)):
            self._set(port.name, array)
        call(lib.vta_instance_run, self._instance, DIAG)
        ports = self._model._ports  # pylint: disable=protected-access
        arrays = [np.empty(port.shape, port.dtype) for port in ports]
        for i, array in enumerate(arrays):
            call(lib.vta_instance_get_output, self._instance, i, array.ctypes.data, array.nbytes, DIAG)
        results = [a for port, a in zip(self._model.outputs, cut(ports, arrays)) if port in self.outputs]
        return results[0] if len(results) == 1 else tuple(results)

    @property
    def state(self) -> dict[str, NDArray[Any]]:
        """What the next call begins with, by input. What is assigned, all of it or a part, it begins with instead."""
        result = {}
        for name in self._state:
            port = self._model.inputs[self._index(name)]
            result[name] = np.empty(port.shape, port.dtype)
            ctypes.memmove(result[name].ctypes.data, lib.vta_instance_input_data(self._instance, self._index(name)),
                           result[name].nbytes)
        return result

    @state.setter
    def state(self, values: Mapping[str, ArrayLike]) -> None:
        for name, value in values.items():
            if name not in self._state:
                raise KeyError(f"{name} is not a state; the states are {sorted(self._state)}")
            port = self._model.inputs[self._index(name)]
            array, = arrays_of(self._model.name, [port], (value,), {})
            self._set(name, array)

    def restart(self) -> None:
        """The next call begins a new stream: its state is zeros."""
        lib.vta_instance_restart(self._instance)

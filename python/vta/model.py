"""Compiled networks: load an artifact and call it."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import time
import weakref
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Dict

import numpy as np

from . import _bindings as b
from ._lib import DIAG, call, lib, release, take_text, text
from ._ports import Port, arrays_of, cut, input_of, shown, times_of
from ._progress import Progress
from ._views import show, table
from .module import Timing

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from .stream import Stream

__all__ = ["Model", "ModelProfile", "load_model"]

_ITEM = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_void_p)
_DONE = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t)

#: How files begin: compiled networks, and those of floats of vta-tvm.
COMPILED, FLOATS = b"\x8dVTM\r\n\x1a\n", b"\x8dVTF\r\n\x1a\n"

#: Models that are in use, for the counters of their devices.
ALIVE: weakref.WeakSet[Model] = weakref.WeakSet()


def is_artifact(path: str | os.PathLike[str]) -> bool:
    """Whether a file begins as one of a network does: compiled, or in floats.

    Parameters
    ----------
    path : str
    """
    with open(path, "rb") as file:
        return file.read(len(COMPILED)) in (COMPILED, FLOATS)


class ModelProfile(Dict[str, Any]):
    """What each step and layer of a network took: a dictionary, as of ``vta profile MODEL --json``, that a notebook shows
    as a table.

    Examples
    --------
    >>> model.profile().show()
    """

    def _rows(self) -> list[tuple[Any, ...]]:
        out: list[tuple[Any, ...]] = []
        for step in self.get("steps", []):
            layer = step.get("kind") == "layer"
            out.append((("\u2003" if layer else "") + str(step.get("name", "")), str(step.get("kind", "")),
                        int(step.get("cycles", 0)), int(step.get("bound", 0)),
                        float(step.get("seconds", 0)) * 1e3))
        return out

    def show(self) -> None:
        """Shows the table: in a notebook as one, elsewhere as text."""
        show(self)

    def __str__(self) -> str:
        lines = [f"{'step':40} {'kind':8} {'cycles':>12} {'at least':>12} {'ms':>9}"]
        for name, kind, cycles, bound, ms in self._rows():
            short = name if len(name) <= 40 else ".." + name[-38:]
            lines.append(f"{short:40} {kind:8} {cycles or '':>12} {bound or '':>12} {ms:9.3f}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return table(f"Profile of {self.get('model', '')}", ("step", "kind", "cycles", "at least", "ms of this machine"),
                     self._rows())


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
    on_accelerator : bool
        Whether any of it runs there.
    """

    def __init__(self, path: str | os.PathLike[str], driver: str | None = None, artifact: bytes | None = None) -> None:
        self._path, self._artifact = path, artifact
        handle = ctypes.c_void_p()
        if artifact is None:
            call(lib.vta_model_load, os.fsencode(path), None, DIAG, ctypes.byref(handle))
        else:
            call(lib.vta_model_parse, artifact, len(artifact), os.fsencode(path), None, DIAG, ctypes.byref(handle))
        release(self, lib.vta_model_release, handle)
        self._open(handle, driver)
        self._others: list[Model] = [self._shape(i) for i in range(1, lib.vta_model_shape_count(handle))]

    @property
    def shapes(self) -> list[Model]:
        """The network for each of the shapes that it was compiled for; the first one is this model. A call takes the one whose
        inputs have the shapes of the arrays."""
        return [self, *self._others]

    def _shape(self, index: int) -> Model:
        """The model of another shape. Its instance keeps the artifact alive."""
        other = Model.__new__(Model)
        other._path, other._artifact = self._path, self._artifact
        other._open(ctypes.c_void_p(lib.vta_model_shape(self._handle, index)), self._driver)
        other._others = []
        return other

    @classmethod
    def _lent(cls, handle: int) -> Model:
        """Of a model that somebody else releases. Its instance keeps the artifact alive."""
        model = cls.__new__(cls)
        model._path, model._artifact, model._others = "", None, []
        model._open(ctypes.c_void_p(handle), None)
        return model

    def _open(self, handle: ctypes.c_void_p, driver: str | None) -> None:
        self._handle, self._driver = handle, driver
        options = b.vta_instance_options(driver=driver.encode() if driver else None)
        instance = ctypes.c_void_p()
        call(lib.vta_instance_create, handle, ctypes.byref(options), DIAG, ctypes.byref(instance))
        release(self, lib.vta_instance_destroy, instance)
        self._instance = instance
        self.on_accelerator = "run" in self._kinds()
        ALIVE.add(self)
        self.name: str = text(lib.vta_model_name(handle))
        self.inputs = [Port(lib.vta_model_input, handle, i) for i in range(lib.vta_model_input_count(handle))]
        self._ports = [Port(lib.vta_model_output, handle, i) for i in range(lib.vta_model_output_count(handle))]
        self.outputs = shown(self._ports)

    def __repr__(self) -> str:
        return f"<vta.Model {self.name}: {self.inputs} -> {self.outputs}>"

    def _repr_html_(self) -> str:
        rows = [(what, p.name, p.dtype, " x ".join(map(str, p.shape)))
                for what, ports in (("input", self.inputs), ("output", self.outputs)) for p in ports]
        where = "on the accelerator and the host" if self.on_accelerator else "on the host"
        return table(f"vta.Model {self.name}", ("", "name", "type", "shape"), rows, f"It runs {where}.")

    def __call__(self, *inputs: ArrayLike, **named: ArrayLike) -> NDArray[Any] | tuple[NDArray[Any], ...]:
        """Runs the network.

        Parameters
        ----------
        *inputs : array_like
            In the order of ``inputs``. Their first extent may be a multiple of what the network takes at once: then all are
            computed, on all processors, and a bar shows how far it is.
        **named : array_like
            By name.

        Returns
        -------
        output : numpy.ndarray or tuple of numpy.ndarray
        """
        fits = self._for(inputs, named)
        if fits is not self:
            return fits(*inputs, **named)
        arrays = arrays_of(self.name, self.inputs, inputs, named, batches=True)
        if any(a.shape != p.shape for a, p in zip(arrays, self.inputs)):
            results = self._many(arrays)
            return results[0] if len(results) == 1 else results
        for i, array in enumerate(arrays):
            call(lib.vta_instance_set_input, self._instance, i, array.ctypes.data, array.nbytes, DIAG)
        self.run()
        results = tuple(cut(self._ports, [self._get(i) for i in range(len(self._ports))]))
        return results[0] if len(results) == 1 else results

    def _for(self, inputs: Sequence[ArrayLike], named: Mapping[str, ArrayLike]) -> Model:
        """Which of the shapes takes these inputs."""
        if not self._others:
            return self
        given = {**dict(zip([p.name for p in self.inputs], map(np.shape, inputs))),
                 **{name: np.shape(value) for name, value in named.items()}}
        for model in self.shapes:
            if all(given.get(p.name, p.shape) == p.shape for p in model.inputs):
                return model
        for model in self.shapes:  # a batch: more along the first axis
            if all(given.get(p.name, p.shape)[1:] == p.shape[1:] for p in model.inputs):
                return model
        raise ValueError(f"{self.name} was compiled for {'; or '.join(str(m.inputs) for m in self.shapes)}; the arrays "
                         f"have the shapes {given}")

    def _kinds(self) -> set[str]:
        step, kinds = b.vta_model_step(size=ctypes.sizeof(b.vta_model_step)), set()
        for i in range(lib.vta_model_step_count(self._handle)):
            call(lib.vta_model_get_step, self._handle, i, ctypes.byref(step))
            kinds.add(step.kind.decode())
        return kinds

    def _many(self, arrays: list[NDArray[Any]]) -> tuple[NDArray[Any], ...]:
        """Inputs one behind the other, each on an instance of its own."""
        count = times_of(self.inputs[0], arrays[0]) or 0
        for port in self.outputs:
            if not port.shape:
                raise ValueError(f"output {port.name} has no first extent: give the inputs one by one")
        if len(self.outputs) != len(self._ports):
            raise ValueError(f"{self.name} finds another number of rows for each input: give the inputs one by one")
        results = tuple(np.empty((count * p.shape[0], *p.shape[1:]), p.dtype) for p in self.outputs)

        def move(function: Any, held: Sequence[NDArray[Any]], item: int, instance: int, diag: int) -> int:
            for i, array in enumerate(held):
                size = array.nbytes // count  # there is an item, so the count is not 0
                status = function(instance, i, array.ctypes.data + item * size, size, diag)
                if status:
                    return status
            return 0

        stopped: list[bool] = []
        with Progress(self.name, count) as bar, ThreadPoolExecutor(1, "vta-batch") as pool:
            feed = _ITEM(lambda user, item, at, diag: move(lib.vta_instance_set_input, arrays, item or 0, at, diag))
            take = _ITEM(lambda user, item, at, diag: move(lib.vta_instance_get_output, results, item or 0, at, diag))

            def tell(user: Any, done: int, total: int) -> bool:
                bar.advance()
                return bool(stopped)

            done = _DONE(tell)
            options = b.vta_batch_options(size=ctypes.sizeof(b.vta_batch_options),
                                          progress=ctypes.cast(done, ctypes.c_void_p).value)
            options.instance.driver = self._driver.encode() if self._driver else None

            def work() -> None:
                call(lib.vta_model_run_batch, self._handle, count, ctypes.cast(feed, ctypes.c_void_p),
                     ctypes.cast(take, ctypes.c_void_p), None, ctypes.byref(options), DIAG)

            try:  # in another thread, so that Ctrl-C raises here and not in a callback
                pool.submit(work).result()
            finally:
                stopped.append(True)
        return results

    def stream(self, state: Mapping[str, str]) -> Stream:
        """A stream that goes on from call to call: outputs that are inputs of the next call.

        Parameters
        ----------
        state : mapping of str to str
            By the name of an input the output whose value it has in the next call. In the first one they are zeros.

        Returns
        -------
        stream : Stream
            With memory of its own: any number of streams of one model can run side by side.

        Examples
        --------
        >>> voice = model.stream({"h": "hn", "c": "cn"})
        >>> shares = [voice(chunk) for chunk in chunks]
        """
        from .stream import Stream

        return Stream(self, state)

    def set_input(self, which: int | str, value: ArrayLike) -> None:
        """Sets one input; it stays until it is set anew.

        Parameters
        ----------
        which : int or str
            Its number, or its name.
        value : array_like
        """
        port = input_of(self.name, self.inputs, which)
        array, = arrays_of(self.name, [port], (value,), {})
        call(lib.vta_instance_set_input, self._instance, self.inputs.index(port), array.ctypes.data, array.nbytes, DIAG)

    def run(self) -> None:
        """Computes the outputs from the inputs that are set."""
        call(lib.vta_instance_run, self._instance, DIAG)

    def time_evaluator(self, number: int = 10, repeat: int = 1) -> Callable[[], Timing]:
        """A function that times runs, after one that is not counted.

        Parameters
        ----------
        number, repeat : int, optional
            Runs a round, of which the mean is kept; rounds.

        Returns
        -------
        evaluator : callable
            Gives a :class:`vta.module.Timing`.
        """
        def measure() -> Timing:
            self.run()
            rounds = []
            for _ in range(repeat):
                begin = time.perf_counter()
                for _ in range(number):
                    self.run()
                rounds.append((time.perf_counter() - begin) / number)
            return Timing(rounds)

        return measure

    def get_output(self, index: int = 0) -> NDArray[Any]:
        """An output of the last run.

        Parameters
        ----------
        index : int, optional

        Returns
        -------
        output : numpy.ndarray
        """
        if not 0 <= index < len(self.outputs):
            raise IndexError(f"{self.name} has no output {index}; there are {self.outputs}")
        if len(self.outputs) == len(self._ports):
            return self._get(index)
        return cut(self._ports, [self._get(i) for i in range(len(self._ports))])[index]

    def _get(self, index: int) -> NDArray[Any]:
        port = self._ports[index]
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
            if not self._path:
                raise ValueError("a network that a search tried cannot be saved: quantize again with its options")
            shutil.copyfile(self._path, path)
            return
        with open(path, "wb") as file:
            file.write(self._artifact)

    def stats(self) -> dict[str, int]:
        """The counters of its device since it was made, or since :meth:`clear_stats`."""
        counters = lib.vta_device_counters(lib.vta_instance_device(self._instance))
        return json.loads(take_text(lib.vta_counters_to_json(ctypes.byref(counters))))

    def clear_stats(self) -> None:
        """Sets the counters of its device to 0."""
        lib.vta_device_clear_counters(lib.vta_instance_device(self._instance))

    def profile(self) -> ModelProfile:
        """What each step took in the last call: cycles by the timing model, bytes, seconds of the host.

        Examples
        --------
        >>> model.profile().show()
        """
        out = ctypes.c_void_p()
        call(lib.vta_instance_profile_json, self._instance, DIAG, ctypes.byref(out))
        return ModelProfile(json.loads(take_text(out)))


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

"""Compiled networks as TVM's programs run them: set inputs, run, get outputs. :class:`vta.Model` does the work."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import ndarray
from ..error import NotOfferedError
from ..model import Model

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Union

    from numpy.typing import ArrayLike

    from ..module import Timing
    from ..ndarray import Device, NDArray

    Devices = Union[Device, Sequence[Device]]

__all__ = ["GraphModule", "Library", "create"]


def is_artifact(path: str | os.PathLike[str]) -> bool:
    """Whether a file begins as a compiled network does.

    Parameters
    ----------
    path : str
    """
    with open(path, "rb") as file:
        return file.read(8) == b"\x8dVTM\r\n\x1a\n"


class Library:
    """A compiled network: what programs built, or loaded.

    ``library["default"](device)`` is a :class:`GraphModule`.

    Parameters
    ----------
    name : str
        The network's, or its file's.
    artifact : bytes
    graph_json : str, optional
        The network in floats, as :func:`create` is given it.

    Attributes
    ----------
    name : str
    graph_json : str
    params : dict
        Empty: parameters are part of the artifact.
    """

    def __init__(self, name: str, artifact: bytes, graph_json: str = "") -> None:
        self.name, self.graph_json = name, graph_json
        self.params: dict[str, NDArray] = {}
        self._artifact = artifact

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Library:
        """The one of a file, whatever its ending.

        Parameters
        ----------
        path : str
        """
        with open(path, "rb") as file:
            return Library(os.path.basename(path), file.read())

    def __iter__(self) -> Any:
        return iter((self.graph_json, self, self.params))

    def __getitem__(self, name: str) -> Callable[..., GraphModule]:
        if name != "default":
            raise NotOfferedError(f"the function {name!r} is not offered: a compiled network has \"default\"")
        return lambda *devices: GraphModule(self.model(list(devices)))

    def model(self, devices: Devices) -> Model:
        """An instance of its own, on those devices.

        Parameters
        ----------
        devices : Device or list of Device
        """
        several = [devices] if isinstance(devices, ndarray.Device) else list(devices)
        for device in several:
            if not isinstance(device, ndarray.Device):
                raise TypeError(f"a device is wanted, such as tvm.cpu(0) or tvm.ext_dev(0), not {device!r}")
            if hasattr(device, "session"):
                raise NotImplementedError(f"{device}: graph_executor runs networks in this process; on a server "
                                          "session.load_model(FILE) does")
        model = Model(self.name, None, self._artifact)
        if model.on_accelerator and all(d.device_type == ndarray.cpu().device_type for d in several):
            raise ValueError(f"{model.name} was built for the accelerator, and there is none among the devices "
                             f"{several}: add tvm.ext_dev(0)")
        return model

    def get_graph_json(self) -> str:
        """The network in floats, as JSON."""
        return self.graph_json

    def get_lib(self) -> Library:
        """Itself: code and parameters are one file."""
        return self

    def get_params(self) -> dict[str, NDArray]:
        """Nothing: parameters are part of the artifact."""
        return self.params

    def export_library(self, file_name: str | os.PathLike[str]) -> None:
        """Writes the artifact, whatever the ending; :meth:`load`, :func:`vta.load_model` and the tool read it.

        Parameters
        ----------
        file_name : str
        """
        with open(file_name, "wb") as file:
            file.write(self._artifact)

    save = export_library


class GraphModule:
    """A network on its devices.

    Parameters
    ----------
    module : Model or GraphModule

    Attributes
    ----------
    model : Model
    module : GraphModule
        Itself: ``m.module.time_evaluator`` is ``m.time_evaluator``.
    """

    def __init__(self, module: Model | GraphModule) -> None:
        self.model: Model = module.model if isinstance(module, GraphModule) else module
        self._inputs: dict[int, NDArray] = {}

    @property
    def module(self) -> GraphModule:
        """Itself."""
        return self

    def __getitem__(self, name: str) -> Callable[..., Any]:
        if name not in ("run", "set_input", "get_output", "get_input", "get_num_inputs", "get_num_outputs"):
            raise NotOfferedError(f"the function {name!r} is not offered by graph_executor")
        return getattr(self, name)

    def __getattr__(self, name: str) -> Any:
        raise NotOfferedError(f"graph_executor.GraphModule.{name} is not offered")

    def set_input(self, key: str | int | None = None, value: ArrayLike | NDArray | None = None,
                  **params: ArrayLike | NDArray) -> None:
        """Sets inputs, by name or number.

        Parameters
        ----------
        key : str or int, optional
        value : array_like, optional
            Of that input; numbers are converted to its type.
        **params : array_like
            More inputs, by name.
        """
        pairs: list[tuple[Any, Any]] = [] if key is None else [(key, value)]
        for which, array in pairs + list(params.items()):
            held = np.asarray(array.numpy() if isinstance(array, ndarray.NDArray) else array)
            self.model.set_input(which, held)
            index = which if isinstance(which, int) else self.get_input_index(which)
            self._inputs[index] = ndarray.array(held.astype(self.model.inputs[index].dtype))

    def run(self, **inputs: ArrayLike | NDArray) -> None:
        """Runs the network.

        Parameters
        ----------
        **inputs : array_like
            Inputs to set before, by name.
        """
        for name, value in inputs.items():
            self.set_input(name, value)
        self.model.run()

    def get_output(self, index: int, out: NDArray | None = None) -> NDArray:
        """An output.

        Parameters
        ----------
        index : int
        out : NDArray, optional
            Where it goes, and what is given back.
        """
        result = self.model.get_output(index)
        if out is None:
            return ndarray.array(result)
        out.copyfrom(result)
        return out

    def get_input(self, index: int | str, out: NDArray | None = None) -> NDArray:
        """An input as it was set.

        Parameters
        ----------
        index : int or str
        out : NDArray, optional
        """
        number = index if isinstance(index, int) else self.get_input_index(index)
        if number not in self._inputs:
            raise LookupError(f"{self.model.name}: input {index!r} was not set")
        if out is None:
            return self._inputs[number]
        out.copyfrom(self._inputs[number].numpy())
        return out

    def get_input_index(self, name: str) -> int:
        """The number of an input; -1 when no input has that name.

        Parameters
        ----------
        name : str
        """
        names = [p.name for p in self.model.inputs]
        return names.index(name) if name in names else -1

    def get_num_inputs(self) -> int:
        """How many inputs there are."""
        return len(self.model.inputs)

    def get_num_outputs(self) -> int:
        """How many outputs there are."""
        return len(self.model.outputs)

    def get_input_info(self) -> tuple[dict[str, tuple[int, ...]], dict[str, str]]:
        """Shapes and types of the inputs by name."""
        ports = self.model.inputs
        return {p.name: p.shape for p in ports}, {p.name: str(p.dtype) for p in ports}

    def time_evaluator(self, func_name: str, dev: Device, number: int = 10, repeat: int = 1,
                       min_repeat_ms: int = 0) -> Callable[[], Timing]:
        """A function that times runs, after one that is not counted.

        Parameters
        ----------
        func_name : str
            ``"run"``.
        dev : Device
            Accepted, without effect.
        number, repeat : int, optional
            Runs a round, rounds.
        min_repeat_ms : int, optional
            Accepted, without effect.

        Returns
        -------
        evaluator : callable
            Gives a :class:`vta.module.Timing`.
        """
        if func_name != "run":
            raise NotOfferedError(f"timing of {func_name!r} is not offered: \"run\" can be timed")
        return self.model.time_evaluator(number, repeat)

    def benchmark(self, device: Device, func_name: str = "run", repeat: int = 5, number: int = 5) -> Timing:
        """Times the network.

        Parameters
        ----------
        device : Device
        func_name : str, optional
        repeat, number : int, optional
            All as for :meth:`time_evaluator`.
        """
        return self.time_evaluator(func_name, device, number, repeat)()


def create(graph_json_str: str, libmod: Library, device: Devices) -> GraphModule:
    """A network on its devices.

    Parameters
    ----------
    graph_json_str : str
        Accepted, without effect: the library holds the whole network.
    libmod : Library
    device : Device or list of Device

    Returns
    -------
    module : GraphModule
    """
    if not isinstance(libmod, Library):
        raise TypeError(f"a compiled network is wanted, as relay.build gives it, not {libmod!r}")
    return GraphModule(libmod.model(device))

"""Compiled networks as TVM's programs run them: set inputs, run, get outputs. :class:`vta.Model` does the work."""

from __future__ import annotations

import json
import os
import struct
from typing import TYPE_CHECKING, Any

import numpy as np

from vta import ndarray
from vta.error import NotOfferedError
from vta.graph import Graph
from vta.model import FLOATS, Model, is_artifact
from ._stepwise import Stepwise

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Union

    from numpy.typing import ArrayLike

    from vta.module import Timing
    from vta.ndarray import Device, NDArray

    Devices = Union[Device, Sequence[Device]]

__all__ = ["FloatLibrary", "GraphModule", "Library", "RemoteLibrary", "create"]



def _list_of(devices: Devices) -> list[Device]:
    several = [devices] if isinstance(devices, ndarray.Device) else list(devices)
    for device in several:
        if not isinstance(device, ndarray.Device):
            raise TypeError(f"expected a device, such as tvm.cpu(0) or tvm.ext_dev(0), got {device!r}")
    return several


def _session_of(devices: list[Device]) -> Any:
    """The session of devices on a server; None: they are here."""
    sessions = {id(getattr(d, "session", None)): getattr(d, "session", None) for d in devices}
    if len(sessions) > 1:
        raise ValueError(f"the devices {devices} are of several machines; a network runs on one")
    return next(iter(sessions.values()), None)


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
            contents = file.read()
        name = os.path.basename(path)
        return FloatLibrary.parse(name, contents) if contents.startswith(FLOATS) else Library(name, contents)

    def __iter__(self) -> Any:
        return iter((self.graph_json, self, self.params))

    def __getitem__(self, name: str) -> Callable[..., GraphModule]:
        if name != "default":
            raise NotOfferedError(f"the function {name!r} is not offered: a compiled network has \"default\"")
        return lambda *devices: GraphModule(self.model(list(devices)))

    def model(self, devices: Devices) -> Model | Stepwise:
        """An instance of its own, on those devices; on those of a server the library is sent there.

        Parameters
        ----------
        devices : Device or list of Device
        """
        several = _list_of(devices)
        session = _session_of(several)
        if session is not None:
            session.upload(self._artifact, self.name)
            return RemoteLibrary(session, self.name).model(several)
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


class RemoteLibrary(Library):
    """A compiled network on a server.

    Parameters
    ----------
    session : RemoteSession
    path : str
        The name it was uploaded as.
    """

    def __init__(self, session: Any, path: str) -> None:
        super().__init__(path, b"")
        self.session = session

    def model(self, devices: Devices) -> Stepwise:
        """An instance of its own, on devices of that server.

        Parameters
        ----------
        devices : Device or list of Device
        """
        several = _list_of(devices)
        if _session_of(several) is not self.session:
            raise ValueError(f"{self.name} is on {self.session.place}; the devices {several} are not")
        return Stepwise(self.session.load_model(self.name))

    def export_library(self, file_name: str | os.PathLike[str]) -> None:
        """Writes the artifact to a file of this machine.

        Parameters
        ----------
        file_name : str
        """
        with open(file_name, "wb") as file:
            file.write(self.session.download(self.name))

    save = export_library


class FloatLibrary(Library):
    """A network in floats: the ONNX model, evaluated by plain C on the host.

    Parameters
    ----------
    graph : Graph
    onnx : bytes
        The model's file.
    shapes : dict, optional
        Extents of inputs that the model leaves open.
    graph_json : str, optional
    """

    def __init__(self, graph: Graph, onnx: bytes, shapes: dict[str, Any] | None = None, graph_json: str = "") -> None:
        head = json.dumps({"name": graph.name, "shapes": {k: list(v) for k, v in (shapes or {}).items()}}).encode()
        super().__init__(graph.name, FLOATS + struct.pack("<I", len(head)) + head + onnx, graph_json)
        self._graph = graph

    @staticmethod
    def parse(name: str, contents: bytes) -> FloatLibrary:
        """The one of a file's contents.

        Parameters
        ----------
        name : str
            The file's, for messages.
        contents : bytes
        """
        try:
            size, = struct.unpack_from("<I", contents, len(FLOATS))
            begin = len(FLOATS) + 4
            head, onnx = json.loads(contents[begin:begin + size]), contents[begin + size:]
            shapes = head["shapes"]
        except (struct.error, ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{name}: the library is damaged ({error})") from None
        return FloatLibrary(Graph(onnx, shapes), onnx, shapes)

    def model(self, devices: Devices) -> Stepwise:
        """An instance of its own, on the host.

        Parameters
        ----------
        devices : Device or list of Device
        """
        several = _list_of(devices)
        if _session_of(several) is not None:
            raise NotImplementedError(f"{self.name} is in floats: those run in this process, not on a server; quantize it, and "
                                      "build it for the accelerator or for llvm")
        return Stepwise(self._graph)


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

    def __init__(self, module: Model | Stepwise | GraphModule) -> None:
        self.model: Model | Stepwise = module.model if isinstance(module, GraphModule) else module
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
        raise TypeError(f"expected a compiled network, as relay.build makes it, got {libmod!r}")
    return GraphModule(libmod.model(device))

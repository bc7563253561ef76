"""ONNX models as graphs: what is in them, and what they compute, in floats (docs/graph.md)."""

from __future__ import annotations

import ctypes
import os
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _bindings as b
from ._lib import DIAG, call, lib, release, take_text, text
from ._ports import Port, arrays_of, cut, shown
from ._views import table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Union

    from numpy.typing import ArrayLike, NDArray

    #: A file's path, its bytes, or a model of the package `onnx`.
    Source = Union[str, os.PathLike[str], bytes, Any]

__all__ = ["Graph"]


class Handle:
    """A handle of the C library, freed with this object; keeps what it is made of.

    Parameters
    ----------
    create, destroy : callable
        C functions.
    *args : object
        Arguments of `create`, without the list of diagnostics and the result.
    of : object, optional
        What has to live as long.
    """

    def __init__(self, create: Any, destroy: Any, *args: Any, of: Any = None) -> None:
        out = ctypes.c_void_p()
        call(create, *args, DIAG, ctypes.byref(out))
        self.handle = out
        release(self, destroy, out, of)


class Graph:
    """An ONNX model.

    Call it with arrays to compute it in floats, with plain C on the host: the reference of what is compiled.

    Parameters
    ----------
    model : str, bytes or onnx.ModelProto
        The file, its contents, or the model as the package `onnx` has it.
    shapes : mapping of str to sequence of int, optional
        Extents of inputs, where the model leaves them open.
    batch : int, optional
        The first extent of inputs, where the model leaves it open.
    folder : str, optional
        Where files of tensors lie, for a model that is no file.

    Attributes
    ----------
    name : str
    inputs, outputs : list of Port
    shapes : dict
        As given.
    macs, parameters : int
        Multiplications of one run; elements of all constants.

    Raises
    ------
    VTAError
        The file is missing or no model, or has nodes that are not supported: all are named.

    Examples
    --------
    >>> graph = vta.Graph("resnet18.onnx")
    >>> graph.inputs
    [input: float32[1, 3, 224, 224]]
    >>> scores = graph(picture)
    """

    def __init__(self, model: Source, shapes: Mapping[str, Sequence[int]] | None = None, batch: int = 0,
                 folder: str | os.PathLike[str] | None = None) -> None:
        texts = [f"{name}={','.join(str(int(n)) for n in shape)}".encode() for name, shape in (shapes or {}).items()]
        wanted = (ctypes.c_char_p * max(1, len(texts)))(*texts)
        options = b.vtac_graph_options(size=ctypes.sizeof(b.vtac_graph_options), batch=batch, shape_count=len(texts))
        options.shapes = ctypes.cast(wanted, ctypes.c_void_p)
        if hasattr(model, "SerializeToString"):
            model = model.SerializeToString()
        if isinstance(model, (bytes, bytearray)):
            own = Handle(lib.vtac_graph_parse, lib.vtac_graph_destroy, bytes(model), len(model), b"the model",
                         os.fsencode(folder) if folder is not None else None, ctypes.byref(options), None)
        else:
            own = Handle(lib.vtac_graph_load, lib.vtac_graph_destroy, os.fsencode(model), ctypes.byref(options), None)
        self._own = own
        self.shapes = dict(shapes or {})
        self._source = model
        self.handle = own.handle
        self._evaluator: Handle | None = None
        self.name: str = text(lib.vtac_graph_name(self.handle))
        self.inputs = [Port(lib.vtac_graph_input, self.handle, i, b.vtac_graph_tensor)
                       for i in range(lib.vtac_graph_input_count(self.handle))]
        self._ports = [Port(lib.vtac_graph_output, self.handle, i, b.vtac_graph_tensor)
                       for i in range(lib.vtac_graph_output_count(self.handle))]
        self.outputs = shown(self._ports)
        self.macs: int = lib.vtac_graph_macs(self.handle)
        self.parameters: int = lib.vtac_graph_parameters(self.handle)

    def __call__(self, *inputs: ArrayLike, **named: ArrayLike) -> NDArray[Any] | tuple[NDArray[Any], ...]:
        """Computes the network in floats.

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
        arrays = arrays_of(self.name, self.inputs, inputs, named)
        if self._evaluator is None:
            self._evaluator = Handle(lib.vtac_evaluator_create, lib.vtac_evaluator_destroy, self.handle, None, None,
                                     of=self._own)
        data = (ctypes.c_void_p * max(1, len(arrays)))(*[a.ctypes.data for a in arrays])
        call(lib.vtac_evaluator_run, self._evaluator.handle, data, DIAG)
        results = tuple(cut(self._ports, [self._output(i, port) for i, port in enumerate(self._ports)]))
        return results[0] if len(results) == 1 else results

    def _output(self, index: int, port: Port) -> NDArray[Any]:
        array = np.empty(port.shape, port.dtype)
        found = lib.vtac_evaluator_output(self._evaluator.handle, index)  # type: ignore[union-attr]
        ctypes.memmove(array.ctypes.data, found, array.nbytes)
        return array

    def onnx(self) -> bytes:
        """The model's file, as it was read."""
        if isinstance(self._source, (bytes, bytearray)):
            return bytes(self._source)
        with open(self._source, "rb") as file:
            return file.read()

    def __str__(self) -> str:
        return take_text(lib.vtac_graph_print(self.handle))

    def _repr_html_(self) -> str:
        rows = [(what, p.name, p.dtype, " x ".join(map(str, p.shape)))
                for what, ports in (("input", self.inputs), ("output", self.outputs)) for p in ports]
        return table("vta.Graph", ("", "name", "type", "shape"), rows)

    def __repr__(self) -> str:
        return f"<vta.Graph {self.name}: {self.inputs} -> {self.outputs}>"

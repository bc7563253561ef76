"""Reads networks from files of other frameworks: ONNX."""

from __future__ import annotations

from typing import Any

import vta
from ._network import Network
from .._refuse import refuse

__all__ = ["from_onnx"]


def from_onnx(model: Any, shape: dict[str, tuple[int, ...]] | None = None, dtype: Any = "float32", opset: int | None = None,
              freeze_params: bool = False, convert_config: Any = None) -> tuple[Any, dict[str, Any]]:
    """Reads an ONNX model.

    Parameters
    ----------
    model : onnx.ModelProto, str or bytes
        The model, or its file, or the contents of its file.
    shape : dict of str to tuple of int, optional
        Extents of inputs, where the model leaves them open.
    dtype : str or dict of str to str, optional
        Types of the inputs: those of the model, or an error.
    opset, convert_config : None, optional
        The model says its operator set; only None.
    freeze_params : bool, optional
        Without effect: parameters are part of the network.

    Returns
    -------
    network, params : Network, dict
        The dictionary is empty.
    """
    if opset is not None or convert_config is not None:
        raise NotImplementedError("from_onnx takes the model's own operator set: opset and convert_config are not offered")
    graph = vta.Graph(model, shapes=shape)
    for port in graph.inputs:
        wanted = dtype.get(port.name, str(port.dtype)) if isinstance(dtype, dict) else dtype
        if wanted != str(port.dtype):
            raise ValueError(f"input {port.name} of {graph.name} is {port.dtype}, not {wanted}")
    return Network(graph), {}


__getattr__ = refuse("tvm.relay.frontend")

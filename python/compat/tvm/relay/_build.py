"""Builds networks: vta.Quantized.artifact under relay's name."""

from __future__ import annotations

from typing import Any

import vta
from vta._lib import lib, take_text
from vta_tvm.contrib.graph_executor import FloatLibrary, Library
from vta.target import Target


def _targets(target, target_host):
    """The accelerator or None, and the host's triple."""
    if isinstance(target, dict):
        several = [Target(t) for t in target.values()]
    else:
        several = [Target(target or "llvm", host=target_host)]
    accelerator = next((t for t in several if t.kind.name == "ext_dev"), None)
    triples = [t.triple for t in several if t.triple] + ([Target(target_host).triple] if target_host else [])
    return accelerator, next((t for t in triples if t), None)


def build(ir_mod: Any, target: Any = None, target_host: Any = None, params: dict[str, Any] | None = None,
          mod_name: str = "default") -> Any:
    """Compiles a quantized network.

    Parameters
    ----------
    ir_mod : Network
    target : Target, str or dict, optional
        With ``ext_dev`` for the accelerator; ``llvm`` alone: on the host, a quantized network as the same integers, another
        one in floats.
    target_host : Target or str, optional
    params : dict, optional
        Accepted, without effect: parameters are part of the network.
    mod_name : str, optional
        Accepted, without effect.

    Returns
    -------
    library : vta.contrib.graph_executor.Library
        Also as three: ``graph, lib, params = relay.build(...)``.
    """
    accelerator, triple = _targets(target, target_host)
    quantized = ir_mod.quantized
    if quantized is None and accelerator is None:
        text = take_text(lib.vtac_graph_to_json(ir_mod.graph.handle))
        return FloatLibrary(ir_mod.graph, ir_mod.graph.onnx(), ir_mod.graph.shapes, text)
    if quantized is None:
        try:
            quantized = vta.quantize(ir_mod.graph)  # a model that says its ranges itself
        except vta.VTAValueError as error:
            raise vta.VTAValueError(f"{ir_mod.graph.name} is in floats: make integers of it first, with "
                                    f"relay.quantize.quantize(mod, params=params, dataset=samples) ({error})") from None
    artifact = quantized.artifact(processor_only=accelerator is None, triple=triple)
    return Library(ir_mod.graph.name, artifact, take_text(lib.vtac_graph_to_json(ir_mod.graph.handle)))

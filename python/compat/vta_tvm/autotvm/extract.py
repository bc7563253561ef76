"""The tasks of a network: its convolutions and matrix products as templates."""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING

from vta import te
from vta._check import kind_error
from vta._lib import lib, take_text
from vta.environment import get_env
from vta.graph import Graph
from .task import Task, create

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from vta.target import Target

__all__ = ["TaskExtractEnv", "extract_from_program", "extract_from_multiple_program"]

_log = logging.getLogger("autotvm")


class TaskExtractEnv:
    """Accepted: templates are registered when they are defined, so that there is nothing to prepare.

    Parameters
    ----------
    allow_duplicate : bool, optional
        Without effect.
    """

    def __init__(self, allow_duplicate: bool = False) -> None:
        self.allow_duplicate = allow_duplicate

    @staticmethod
    def get(allow_duplicate: bool = False) -> TaskExtractEnv:
        """An environment.

        Parameters
        ----------
        allow_duplicate : bool, optional
        """
        return TaskExtractEnv(allow_duplicate)


def _tensor(shape: Sequence[int], rows: int, lanes: int, dtype: str) -> te.Tensor:
    """A tensor in tiles of a plain one; ValueError where they do not come out even."""
    if shape[0] % rows or shape[1] % lanes:
        raise ValueError(f"{list(shape)} does not fill tiles of {rows} x {lanes}")
    return te.placeholder((shape[0] // rows, shape[1] // lanes, *shape[2:], rows, lanes), dtype, "x")


def _convolution(data: Sequence[int], weight: Sequence[int], attributes: dict[str, Any]) -> tuple[str, list[Any]]:
    env, groups = get_env(), attributes.get("group", 1)
    if any(d != 1 for d in attributes.get("dilations", ())):
        raise ValueError(f"dilations {attributes['dilations']} have no template")
    if attributes.get("auto_pad", "NOTSET") != "NOTSET":
        raise ValueError(f"auto_pad {attributes['auto_pad']}")
    args = [_tensor(data, env.BATCH, env.BLOCK_IN, env.inp_dtype), _tensor(weight, env.BLOCK_OUT, env.BLOCK_IN, env.wgt_dtype),
            tuple(attributes["strides"]), tuple(attributes["pads"]), (1, 1)]
    if groups != 1:
        return "group_conv2d_packed.vta", [*args, groups, env.acc_dtype]
    return "conv2d_packed.vta", [*args, f"NCHW{env.BATCH}n{env.BLOCK_IN}c", env.acc_dtype]


def _transposed(data: Sequence[int], weight: Sequence[int], attributes: dict[str, Any]) -> tuple[str, list[Any]]:
    env = get_env()
    if attributes.get("group", 1) != 1 or any(d != 1 for d in attributes.get("dilations", ())):
        raise ValueError("groups and dilations have no template")
    turned = [weight[1], weight[0], *weight[2:]]
    return "conv2d_transpose_packed.vta", [
        _tensor(data, env.BATCH, env.BLOCK_IN, env.inp_dtype), _tensor(turned, env.BLOCK_OUT, env.BLOCK_IN, env.wgt_dtype),
        tuple(attributes["strides"]), tuple(attributes["pads"]), env.acc_dtype, tuple(attributes.get("output_padding", (0, 0)))]


def _product(data: Sequence[int], weight: Sequence[int], attributes: dict[str, Any]) -> tuple[str, list[Any]]:
    env = get_env()
    if len(data) != 2 or attributes.get("transA", 0):
        raise ValueError(f"data of shape {list(data)}")
    plain = weight if attributes.get("transB", 0) else [weight[1], weight[0]]
    return "dense_packed.vta", [_tensor(data, env.BATCH, env.BLOCK_IN, env.inp_dtype),
                                _tensor(plain, env.BLOCK_OUT, env.BLOCK_IN, env.wgt_dtype), None, env.acc_dtype]


_MAKERS = {"Conv": ("nn.conv2d", _convolution), "ConvTranspose": ("nn.conv2d_transpose", _transposed), "Gemm": ("nn.dense", _product)}


def _calls(graph: Graph, wanted: set[str]) -> Iterator[tuple[str, list[Any]]]:
    """Templates and arguments of a network's operators; those that have none are said in the log."""
    network = json.loads(take_text(lib.vtac_graph_to_json(graph.handle)))
    shapes = {v["name"]: v["shape"] for v in network["inputs"]}
    for node in network["nodes"]:
        shapes.update({v["name"]: v["shape"] for v in (*node["inputs"], *node["outputs"]) if "shape" in v})
        name, make = _MAKERS.get(node["op"], ("", None))
        if make is None or name not in wanted:
            continue
        try:
            data, weight = (shapes[v["name"]] for v in node["inputs"][:2])
            yield make(data, weight, node["attributes"])
        except (ValueError, KeyError) as error:
            _log.info("%s (%s) is no task: %s", node["name"], node["op"], error)


def extract_from_program(mod: Any = None, params: Any = None, target: Target | str | None = None, target_host: Target | str | None = None,
                         ops: Sequence[Any] | None = None, func: Any = None) -> list[Task]:
    """The tasks of a network, each once: convolutions and matrix products whose channels fill the tiles of the accelerator. Networks
    themselves are compiled with the library's operators, which ``vta tune MODEL.onnx`` tunes; what comes of these tasks is for
    templates.

    Parameters
    ----------
    mod : vta.Graph, or a network of the compatibility package
    params : dict, optional
        Without effect: they are part of the network.
    target : Target or str
    target_host : Target or str, optional
    ops : sequence, optional
        Of these operators only: ``relay.op.get("nn.conv2d")``, ``nn.conv2d_transpose``, ``nn.dense``, or their names.
    func : Graph or network, optional
        The older name of `mod`.

    Returns
    -------
    tasks : list of Task
    """
    given = mod if mod is not None else func
    graph = getattr(given, "graph", given)
    if not isinstance(graph, Graph):
        raise kind_error(given, "what tasks are extracted from", "a network: of relay.frontend.from_onnx, or a vta.Graph")
    if target is None:
        raise ValueError("extract_from_program needs a target: vta.get_env().target")
    names = {name for name, _ in _MAKERS.values()}
    wanted = names if ops is None else {str(getattr(o, "name", o)) for o in ops}
    tasks: dict[Any, Task] = {}
    for name, args in _calls(graph, wanted & names):
        task = create(name, args, target, target_host)
        tasks.setdefault(task.workload, task)
    return list(tasks.values())


def extract_from_multiple_program(mods: Sequence[Any], params: Any = None, target: Target | str | None = None,
                                  target_host: Target | str | None = None, ops: Sequence[Any] | None = None) -> list[Task]:
    """The tasks of several networks, each once; see :func:`extract_from_program`.

    Parameters
    ----------
    mods : sequence
    params : sequence, optional
    target, target_host : Target or str, optional
    ops : sequence, optional
    """
    tasks = [t for mod in mods for t in extract_from_program(mod, None, target, target_host, ops)]
    return list({t.workload: t for t in tasks}.values())

"""The executor of networks, with a profile by layer."""

from __future__ import annotations

from typing import Any

from vta_tvm.contrib.graph_executor import GraphModule, create as _create
from ..._refuse import refuse

__all__ = ["GraphModuleDebug", "create"]


class GraphModuleDebug(GraphModule):
    """A network on its devices, which tells what each layer took."""

    def profile(self, **inputs: Any) -> Any:
        """Runs the network, and gives what each step took (:meth:`vta.Model.profile`)."""
        self.run(**inputs)
        return self.model.profile()


def create(graph_json_str: Any, libmod: Any, device: Any, dump_root: str | None = None) -> GraphModuleDebug:
    """As that of graph_executor; `dump_root` is accepted, without effect."""
    return GraphModuleDebug(_create(graph_json_str, libmod, device))


__getattr__ = refuse("tvm.contrib.debugger.debug_executor")

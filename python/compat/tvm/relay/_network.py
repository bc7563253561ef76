"""What stands for a module of relay: a network in floats, and in integers once it is quantized."""

from __future__ import annotations

from vta.error import NotOfferedError


class Network:
    """A network.

    Parameters
    ----------
    graph : vta.Graph
    quantized : vta.Quantized, optional
    """

    def __init__(self, graph, quantized=None):
        self.graph, self.quantized = graph, quantized

    def __getitem__(self, name):
        if name != "main":
            raise KeyError(f"a network has the function main, not {name!r}")
        return self

    def _as_module(self):
        return self

    def __getattr__(self, name):
        raise NotOfferedError(f"{name} of a network is not offered by this compatibility package")

    def astext(self, show_meta_data: bool = True) -> str:
        """The network as text: of integers once it is quantized."""
        return str(self.quantized or self.graph)

    __str__ = astext

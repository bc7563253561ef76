"""Passes over networks that programs run before they build: the compiler does all of them itself, so that each gives the
network back as it is. Others are not offered (``vta graph --list-passes`` has those of networks)."""

from __future__ import annotations

from typing import Any

from vta._check import need
from vta.passes import Pass, Sequential

from ._network import Network
from .._refuse import refuse

#: Names, and what relay's passes of that name do.
_OURS = {
    "InferType": "the types of all values",
    "FoldConstant": "computes what depends on constants alone",
    "SimplifyInference": "normalizations as arithmetic",
    "SimplifyExpr": "shorter forms of the same",
    "CanonicalizeOps": "one form for operators that are the same",
    "EliminateCommonSubexpr": "computes the same only once",
    "DeadCodeElimination": "leaves out what nothing reads",
    "RemoveUnusedFunctions": "leaves out functions that nothing calls",
    "FoldScaleAxis": "scales of channels become part of the weights",
    "FuseOps": "joins operators to layers",
}

__all__ = ["Sequential", *_OURS]


class _Done(Pass):
    """A pass that the compiler does itself."""

    def __init__(self, name):  # the name is relay's, not one of lowering
        self.name, self.function = name, None

    def __call__(self, mod: Any) -> Any:
        return need(mod, Network, f"what {self.name} is run on")


def _maker(name, what):
    def make(*_settings: Any, **_named: Any) -> Pass:
        return _Done(name)

    make.__name__ = make.__qualname__ = name
    make.__doc__ = f"""A pass that gives a network back as it is: {what}, which the compiler does itself.

    Parameters
    ----------
    _settings, _named : Any
        Accepted, without effect.
    """
    return make


globals().update({name: _maker(name, what) for name, what in _OURS.items()})

__getattr__ = refuse("tvm.relay.transform")

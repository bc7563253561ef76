"""See :mod:`vta.contrib.graph_executor`."""

from vta_tvm.contrib.graph_executor import GraphModule, create
from .._refuse import refuse

__all__ = ["GraphModule", "create"]

__getattr__ = refuse("tvm.contrib.graph_executor")

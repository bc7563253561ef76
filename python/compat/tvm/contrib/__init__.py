"""Small helpers, and executors of networks, under TVM's names."""

from . import debugger, download, graph_executor, nvcc, utils
from .._refuse import refuse

__all__ = ["debugger", "download", "graph_executor", "nvcc", "utils"]

__getattr__ = refuse("tvm.contrib")

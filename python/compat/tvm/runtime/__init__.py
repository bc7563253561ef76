"""The runtime under TVM's names."""

from vta.contrib.graph_executor import Library, is_artifact
from vta.module import Module
from vta.module import load_module as _load_module
from vta.ndarray import NDArray, cpu, device, ext_dev
from vta.runtime import enabled
from .._refuse import refuse

__all__ = ["Module", "load_module", "NDArray", "cpu", "device", "ext_dev", "enabled", "const"]


def load_module(path, fmt=""):
    """Loads a kernel (:func:`vta.load_module`), or a compiled network (:class:`vta.contrib.graph_executor.Library`)."""
    return Library.load(path) if is_artifact(path) else _load_module(path)


def const(value, dtype=None):
    """A constant expression; see :func:`vta.te.const`."""
    from vta.expr import const as make

    return make(value, dtype)


__getattr__ = refuse("tvm.runtime")

"""The runtime under TVM's names."""

from vta.module import Module, load_module
from vta.ndarray import NDArray, cpu, device, ext_dev
from vta.runtime import enabled
from .._refuse import refuse

__all__ = ["Module", "load_module", "NDArray", "cpu", "device", "ext_dev", "enabled", "const"]


def const(value, dtype=None):
    """A constant expression; see :func:`vta.te.const`."""
    from vta.expr import const as make

    return make(value, dtype)


__getattr__ = refuse("tvm.runtime")

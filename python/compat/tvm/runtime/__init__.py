"""The runtime under TVM's names."""

from vta.module import Module, load_module
from vta.ndarray import NDArray, cpu, device, ext_dev
from vta.runtime import enabled

__all__ = ["Module", "load_module", "NDArray", "cpu", "device", "ext_dev", "enabled", "const"]


def const(value, dtype=None):
    """A constant expression; see :func:`vta.te.const`."""
    from vta.expr import const as make

    return make(value, dtype)


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    raise NotImplementedError(f"tvm.runtime.{name} is not offered by this compatibility package")

"""See :mod:`vta.ndarray`."""

from vta.ndarray import Device, NDArray, array, cpu, device, empty, ext_dev, from_dlpack

__all__ = ["Device", "NDArray", "array", "cpu", "device", "empty", "ext_dev", "from_dlpack"]
context = device


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    raise NotImplementedError(f"tvm.nd.{name} is not offered by this compatibility package")

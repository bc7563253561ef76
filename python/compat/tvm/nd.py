"""See :mod:`vta.ndarray`."""

from vta.ndarray import Device, NDArray, array, cpu, device, empty, ext_dev, from_dlpack
from ._refuse import refuse

__all__ = ["Device", "NDArray", "array", "cpu", "device", "empty", "ext_dev", "from_dlpack"]
context = device

__getattr__ = refuse("tvm.nd")

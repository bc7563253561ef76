"""See :mod:`vta.contrib.cblas`."""

from vta_tvm.contrib.cblas import batch_matmul, matmul
from .._refuse import refuse

__all__ = ["batch_matmul", "matmul"]

__getattr__ = refuse("tvm.contrib.cblas")

"""See :mod:`vta.te.tensor`."""

from vta.te.tensor import ComputeOp, ExternOp, Operation, PlaceholderOp, ScanOp, Tensor, TensorSlice
from .._refuse import refuse

__all__ = ["ComputeOp", "ExternOp", "Operation", "PlaceholderOp", "ScanOp", "Tensor", "TensorSlice"]

__getattr__ = refuse("tvm.te.tensor")

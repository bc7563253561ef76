"""See :mod:`vta.te.tensor`."""

from vta.te.tensor import ComputeOp, Operation, PlaceholderOp, Tensor, TensorSlice
from .._refuse import refuse

__all__ = ["ComputeOp", "Operation", "PlaceholderOp", "Tensor", "TensorSlice"]

__getattr__ = refuse("tvm.te.tensor")

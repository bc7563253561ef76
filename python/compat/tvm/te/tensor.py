"""See :mod:`vta.te.tensor`."""

from vta.te.tensor import TensorComputeOp, ComputeOp, ExternOp, Operation, PlaceholderOp, ScanOp, Tensor, TensorSlice
from vta.te import TensorIntrinCall
from .._refuse import refuse

__all__ = ["TensorComputeOp", "ComputeOp", "ExternOp", "Operation", "PlaceholderOp", "ScanOp", "Tensor", "TensorIntrinCall", "TensorSlice"]

__getattr__ = refuse("tvm.te.tensor")

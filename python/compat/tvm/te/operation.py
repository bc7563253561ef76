"""See :mod:`vta.te`."""

from vta import te as _module
from vta.te import TensorComputeOp, ComputeOp, ExternOp, Operation, PlaceholderOp, ScanOp, compute, create_prim_func, extern, placeholder, reduce_axis, scan, size_var, thread_axis, var
from .._refuse import refuse

__all__ = ["TensorComputeOp", "ComputeOp", "ExternOp", "Operation", "PlaceholderOp", "ScanOp", "compute", "create_prim_func", "extern", "placeholder", "reduce_axis", "scan", "size_var", "thread_axis", "var"]

__getattr__ = refuse("tvm.te.operation", _module)

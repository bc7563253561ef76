"""See :mod:`vta.autotvm.task`."""

from vta_tvm.autotvm.extract import TaskExtractEnv
from vta_tvm.autotvm.task import deserialize_args, get_workload, register_topi_compute, register_topi_schedule, serialize_args
from ..._refuse import refuse

__all__ = ["TaskExtractEnv", "deserialize_args", "get_workload", "register_topi_compute", "register_topi_schedule", "serialize_args"]

__getattr__ = refuse("tvm.autotvm.task.topi_integration")

"""See :mod:`tvm.relay.op`."""

from .._op import Op, OpPattern, OpStrategy, get, register_alter_op_layout, register_compute, register_pattern, register_schedule
from ..._refuse import refuse

__all__ = ["Op", "OpPattern", "OpStrategy", "get", "register_alter_op_layout", "register_compute", "register_pattern",
           "register_schedule"]

__getattr__ = refuse("tvm.relay.op.op")

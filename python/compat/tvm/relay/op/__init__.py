"""Operators of relay by name, for programs that register strategies of their own. They are called by whoever asks for them;
:func:`tvm.relay.build` does not, since networks are compiled with the library's operators."""

from importlib import import_module

from .._op import Op, OpPattern, OpStrategy, get, register_alter_op_layout, register_compute, register_pattern, register_schedule
from ..._refuse import refuse

__all__ = ["Op", "OpPattern", "OpStrategy", "get", "op", "register_alter_op_layout", "register_compute", "register_pattern",
           "register_schedule", "strategy"]

op, strategy = (import_module(f"{__name__}.{part}") for part in ("op", "strategy"))

__getattr__ = refuse("tvm.relay.op")

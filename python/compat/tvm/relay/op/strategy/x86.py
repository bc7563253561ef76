"""Strategies for the host."""

from __future__ import annotations

from typing import Any

from vta import topi
from . import wrap_compute_dense, wrap_topi_schedule
from ..._op import OpStrategy
from ...._refuse import refuse

__all__ = ["dense_strategy_cpu"]


def dense_strategy_cpu(attrs: Any, inputs: list[Any], out_type: Any, target: Any) -> OpStrategy:
    """A matrix product of plain tensors."""
    strategy = OpStrategy()
    strategy.add_implementation(wrap_compute_dense(topi.nn.dense), wrap_topi_schedule(topi.generic.default_schedule), name="dense")
    return strategy


__getattr__ = refuse("tvm.relay.op.strategy.x86")

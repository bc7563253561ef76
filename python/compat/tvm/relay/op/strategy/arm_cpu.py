"""Strategies for the host beside the accelerator."""

from __future__ import annotations

from typing import Any

from vta import topi
from . import wrap_compute_conv2d, wrap_compute_conv2d_transpose, wrap_topi_schedule
from ..._op import OpStrategy
from ...._refuse import refuse

__all__ = ["conv2d_strategy_arm_cpu", "conv2d_transpose_strategy_arm_cpu"]


def conv2d_strategy_arm_cpu(attrs: Any, inputs: list[Any], out_type: Any, target: Any) -> OpStrategy:
    """A convolution of plain tensors, in groups or not."""
    if attrs.data_layout != "NCHW":
        raise NotImplementedError(f"conv2d of layout {attrs.data_layout!r} is not offered for processors: NCHW")
    strategy, grouped = OpStrategy(), attrs.groups != 1
    compute = topi.nn.group_conv2d_nchw if grouped else topi.nn.conv2d_nchw
    strategy.add_implementation(wrap_compute_conv2d(compute, has_groups=grouped),
                                wrap_topi_schedule(topi.generic.default_schedule), name="conv2d_nchw")
    return strategy


def conv2d_transpose_strategy_arm_cpu(attrs: Any, inputs: list[Any], out_type: Any, target: Any) -> OpStrategy:
    """A transposed convolution of plain tensors."""
    strategy = OpStrategy()
    strategy.add_implementation(wrap_compute_conv2d_transpose(topi.nn.conv2d_transpose_nchw),
                                wrap_topi_schedule(topi.generic.default_schedule), name="conv2d_transpose_nchw")
    return strategy


__getattr__ = refuse("tvm.relay.op.strategy.arm_cpu")

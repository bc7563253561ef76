"""Strategies of operators, and what makes computations of topi's functions for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from importlib import import_module

from vta.target import Target
from vta_tvm.topi.utils import get_const_tuple
from ..._op import get
from ...._refuse import refuse

__all__ = ["arm_cpu", "clip_strategy", "conv2d_strategy", "conv2d_transpose_strategy", "dense_strategy", "wrap_compute_conv2d",
           "wrap_compute_conv2d_transpose", "wrap_compute_dense", "wrap_topi_compute", "wrap_topi_schedule", "x86"]

clip_strategy, conv2d_strategy, conv2d_transpose_strategy, dense_strategy = (
    get(name).get_attr("FTVMStrategy") for name in ("clip", "nn.conv2d", "nn.conv2d_transpose", "nn.dense"))


def wrap_topi_schedule(topi_schedule: Callable[..., Any]) -> Callable[..., Any]:
    """A strategy's schedule, of a function of outputs."""
    def schedule(attrs, outs, target):
        with Target(target):
            return topi_schedule(outs)

    return schedule


def wrap_topi_compute(topi_compute: Callable[..., Any]) -> Callable[..., Any]:
    """A strategy's computation, of a function of inputs."""
    return lambda attrs, inputs, out_type: [topi_compute(*inputs)]


def _dtype(attrs, inputs):
    return inputs[0].dtype if attrs.out_dtype in ("same", "") else attrs.out_dtype


def wrap_compute_conv2d(topi_compute: Callable[..., Any], need_data_layout: bool = False, need_out_layout: bool = False,
                        has_groups: bool = False) -> Callable[..., Any]:
    """A strategy's computation, of a function of a convolution's inputs and attributes."""
    if need_out_layout:
        raise NotImplementedError("wrap_compute_conv2d(need_out_layout=True) is not offered")

    def compute(attrs, inputs, out_type):
        args = [*inputs[:2], *(get_const_tuple(a) for a in (attrs.strides, attrs.padding, attrs.dilation))]
        args += [attrs.groups] if has_groups else []
        args += [attrs.data_layout] if need_data_layout else []
        return [topi_compute(*args, _dtype(attrs, inputs))]

    return compute


def wrap_compute_conv2d_transpose(topi_compute: Callable[..., Any]) -> Callable[..., Any]:
    """The same of a transposed convolution."""
    def compute(attrs, inputs, out_type):
        return [topi_compute(*inputs[:2], get_const_tuple(attrs.strides), get_const_tuple(attrs.padding), _dtype(attrs, inputs),
                             get_const_tuple(attrs.output_padding))]

    return compute


def wrap_compute_dense(topi_compute: Callable[..., Any]) -> Callable[..., Any]:
    """The same of a matrix product."""
    return lambda attrs, inputs, out_type: [topi_compute(*inputs[:2], None, _dtype(attrs, inputs))]


arm_cpu, x86 = (import_module(f"{__name__}.{part}") for part in ("arm_cpu", "x86"))

__getattr__ = refuse("tvm.relay.op.strategy")

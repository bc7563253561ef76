"""Operators of the host beside the accelerator."""

from __future__ import annotations

from .convolution import conv2d_nchw, conv2d_transpose_nchw
from .generic import default_schedule

__all__ = ["conv2d_nchw_spatial_pack", "schedule_conv2d_nchw_spatial_pack", "conv2d_transpose_nchw", "schedule_conv2d_transpose_nchw"]

conv2d_nchw_spatial_pack = conv2d_nchw
schedule_conv2d_nchw_spatial_pack = schedule_conv2d_transpose_nchw = default_schedule

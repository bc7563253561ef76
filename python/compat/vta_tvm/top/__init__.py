"""The accelerator's operators as templates (:mod:`vta.autotvm`): computations on tensors in tiles and schedules whose tiles and virtual
threads can be tuned. They have the names, arguments and knobs of TVM's VTA; the code is this project's.

Operators that schedule themselves, which are faster, are in :mod:`vta.topi` (docs/operators.md).

Examples
--------
>>> with env.target:
...     sums = vta.top.conv2d_packed(data, kernel, (1, 1), (1, 1), (1, 1), "NCHW1n16c", "int32")
...     res = topi.cast(topi.clip(topi.right_shift(sums, 8), 0, 127), "int8")
...     s = vta.top.schedule_conv2d_packed([res])
>>> kernel = vta.build(s, [data, kernel, res])
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from vta.error import NotOfferedError
from .graphpack import graph_pack, run_opt_pass
from .operators import (
    conv2d_packed, conv2d_transpose_packed, dense_packed, group_conv2d_packed, is_packed_layout, schedule_conv2d_packed,
    schedule_conv2d_transpose_packed, schedule_dense_packed, schedule_group_conv2d_packed,
)

if TYPE_CHECKING:
    from typing import Any

__all__ = ["conv2d_packed", "conv2d_transpose_packed", "dense_packed", "graph_pack", "group_conv2d_packed", "is_packed_layout", "run_opt_pass",
           "schedule_conv2d_packed", "schedule_conv2d_transpose_packed", "schedule_dense_packed", "schedule_group_conv2d_packed"]


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    raise NotOfferedError(f"vta.top.{name} is not offered: operators that schedule themselves are in vta.topi")

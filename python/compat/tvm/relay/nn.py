"""Of relay's operators this helper alone."""

from __future__ import annotations

from typing import Any

from vta_tvm.topi.nn import get_pad_tuple
from .._refuse import refuse

__all__ = ["get_pad_tuple2d"]


def get_pad_tuple2d(padding: Any) -> tuple[int, ...]:
    """What a padding of one, two or four numbers adds above, on the left, below and on the right."""
    return get_pad_tuple(padding, (1, 1))


__getattr__ = refuse("tvm.relay.nn")

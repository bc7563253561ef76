"""The runtime under TVM's names."""

from __future__ import annotations

from typing import Any

from vta.module import Module
from vta.ndarray import NDArray, cpu, device, ext_dev
from vta.runtime import enabled
from . import module, ndarray
from vta.registry import PackedFunc, convert
from ._load import load_module
from .._refuse import refuse

__all__ = ["Module", "load_module", "NDArray", "cpu", "device", "ext_dev", "enabled", "PackedFunc", "convert", "const", "module", "ndarray"]


def const(value: Any, dtype: str | None = None) -> Any:
    """A constant expression; see :func:`vta.te.const`."""
    from vta.expr import const as make

    return make(value, dtype)


__getattr__ = refuse("tvm.runtime")

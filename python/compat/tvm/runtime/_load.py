"""Modules from files."""

from __future__ import annotations

from typing import Any

from vta.model import is_artifact
from vta_tvm.contrib.graph_executor import Library
from vta.module import load_module as _load_module

__all__ = ["load_module"]


def load_module(path: str, fmt: str = "") -> Any:
    """Loads a kernel (:func:`vta.load_module`), or a compiled network (:class:`vta.contrib.graph_executor.Library`)."""
    return Library.load(path) if is_artifact(path) else _load_module(path)

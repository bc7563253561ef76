"""Helpers of tests and tutorials; those under TVM's names (``conditions``, ``check_numerical_grads``) are in the distribution vta-tvm."""

from __future__ import annotations

from typing import Any

from .._parts import attribute
from . import profiler, simulator
from .profiler import Profile, profile
from .utils import run

__all__ = ["profiler", "simulator", "Profile", "profile", "run"]


def __getattr__(name: str) -> Any:
    if name in ("check_numerical_grads", "conditions", "gradients"):
        return attribute("vta.testing", name)
    raise AttributeError(f"module 'vta.testing' has no attribute {name!r}")

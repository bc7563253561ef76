"""Logs of tuned configurations."""

from __future__ import annotations

from typing import Any

from vta_tvm.autotvm.history import ApplyHistoryBest
from vta_tvm.autotvm.record import load_from_file
from .._refuse import refuse

__all__ = ["context"]


def context(target: Any, extra_files: list[Any] | None = None) -> Any:
    """A ``with`` block in which templates get the best configurations of `extra_files`. Nothing is downloaded.

    Parameters
    ----------
    target : Target or list of Target
        Accepted: records say their target.
    extra_files : list of path, optional
    """
    return ApplyHistoryBest(record for path in extra_files or [] for record in load_from_file(path))


__getattr__ = refuse("tvm.autotvm.tophub")

"""Trials: what is tried, and what came of it."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Any

__all__ = ["MeasureErrorNo", "MeasureInput", "MeasureResult"]


class MeasureErrorNo(enum.IntEnum):
    """Why a trial has no time, by AutoTVM's numbers."""

    NO_ERROR = 0
    INSTANTIATION_ERROR = 1
    COMPILE_HOST = 2
    COMPILE_DEVICE = 3
    RUNTIME_DEVICE = 4
    WRONG_ANSWER = 5
    BUILD_TIMEOUT = 6
    RUN_TIMEOUT = 7
    UNKNOWN_ERROR = 8


class MeasureInput(NamedTuple):
    """What is tried.

    Attributes
    ----------
    target : Target
    task : Task
    config : ConfigEntity
    """

    target: Any
    task: Any
    config: Any


class MeasureResult(NamedTuple):
    """What came of it.

    Attributes
    ----------
    costs : tuple
        Seconds; of a failed trial, why it failed.
    error_no : int
        0: it worked; else a :class:`MeasureErrorNo`.
    all_cost : float
        Seconds that compiling and measuring took.
    timestamp : float
        Seconds since 1970.
    """

    costs: tuple[Any, ...]
    error_no: int
    all_cost: float
    timestamp: float

    @property
    def mean(self) -> float:
        """The mean of the costs; infinite where the trial failed."""
        return float("inf") if self.error_no else sum(self.costs) / len(self.costs)

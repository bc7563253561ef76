"""A model of the times of configurations: least squares on the logarithms of their numbers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["CostModel"]

_FAILED = 3.0  # a trial that failed counts as this many times (as a logarithm) the slowest


class CostModel:
    """Predicts the logarithm of a time from the knobs of a configuration: a quadratic form in their logarithms, by ridge
    regression. Trials that failed count as slower than all.

    Attributes
    ----------
    fitted : bool
    """

    def __init__(self) -> None:
        self.rows: list[list[float]] = []
        self.times: list[float | None] = []
        self._weights: object = None

    @property
    def fitted(self) -> bool:
        """Whether it can predict."""
        return self._weights is not None

    def add(self, features: Sequence[float], seconds: float | None) -> None:
        """A trial.

        Parameters
        ----------
        features : list of float
        seconds : float or None
            None: it failed.
        """
        self.rows.append(list(features))
        self.times.append(seconds)

    @staticmethod
    def _expanded(rows: Sequence[Sequence[float]]):
        import numpy as np

        x = np.log2(np.maximum(np.asarray(rows, "float64"), 0.5))
        n = x.shape[1]
        pairs = [x[:, i] * x[:, j] for i in range(n) for j in range(i, n)]
        return np.column_stack([np.ones(len(x)), x, *pairs])

    def fit(self) -> None:
        """Learns from the trials so far; as long as none worked, nothing."""
        import numpy as np

        worked = [math.log(t) for t in self.times if t]
        if not worked:
            return
        y = np.array([math.log(t) if t else max(worked) + _FAILED for t in self.times])
        x = self._expanded(self.rows)
        self._weights = np.linalg.solve(x.T @ x + 0.1 * np.eye(x.shape[1]), x.T @ y)

    def predict(self, rows: Sequence[Sequence[float]]) -> list[float]:
        """The logarithms of times.

        Parameters
        ----------
        rows : list of list of float
        """
        return [float(v) for v in self._expanded(rows) @ self._weights]

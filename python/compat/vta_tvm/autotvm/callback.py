"""What a tuner calls after each batch of trials."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING

from .record import encode

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from .trial import MeasureInput, MeasureResult

    Callback = Callable[[Any, Sequence[MeasureInput], Sequence[MeasureResult]], None]

__all__ = ["log_to_file", "progress_bar", "Monitor"]


def log_to_file(file_out: Any, protocol: str = "json") -> Callback:
    """Appends each trial to a log.

    Parameters
    ----------
    file_out : path or open file
    protocol : str, optional
        ``"json"`` only.
    """
    def callback(_: Any, inputs: Sequence[MeasureInput], results: Sequence[MeasureResult]) -> None:
        rows = "".join(encode(i, r, protocol) + "\n" for i, r in zip(inputs, results))
        if hasattr(file_out, "write"):
            file_out.write(rows)
            return
        with open(file_out, "a", encoding="utf-8") as file:
            file.write(rows)

    if not hasattr(file_out, "write"):
        folder = os.path.dirname(os.path.abspath(os.fspath(file_out)))
        if not os.path.isdir(folder):
            raise FileNotFoundError(f"the log {os.fspath(file_out)}: there is no folder {folder}")
    return callback


_UNITS = {"G": 1e9, "M": 1e6, "k": 1e3, "K": 1e3, "T": 1e12, "": 1.0}


def progress_bar(total: int, prefix: str = "", si_prefix: str = "G") -> Callback:
    """Shows how far a search is: operations a second of the last trial and of the best, trials, seconds.

    Parameters
    ----------
    total : int
    prefix : str, optional
    si_prefix : str, optional
        ``"G"``, ``"M"``, ``"k"``.
    """
    unit, begin = _UNITS[si_prefix], time.time()
    best, done, failed = 0.0, 0, 0

    def callback(tuner: Any, inputs: Sequence[MeasureInput], results: Sequence[MeasureResult]) -> None:
        nonlocal best, done, failed
        last = 0.0
        for i, r in zip(inputs, results):
            failed += bool(r.error_no)
            if not r.error_no:
                last = i.task.flop / r.mean / unit
                best = max(best, last)
        done += len(results)
        end = "\n" if done >= total else ""
        sys.stdout.write(f"\r{prefix} Current/Best: {last:7.2f}/{best:7.2f} {si_prefix}FLOPS | Progress: ({done}/{total}) | "
                         f"{failed} failed | {time.time() - begin:.2f} s{end}")
        sys.stdout.flush()

    return callback


class Monitor:
    """Keeps operations a second of all trials.

    Attributes
    ----------
    scores : list of float
    timestamps : list of float
    """

    def __init__(self) -> None:
        self.scores: list[float] = []
        self.timestamps: list[float] = []

    def __call__(self, tuner: Any, inputs: Sequence[MeasureInput], results: Sequence[MeasureResult]) -> None:
        for i, r in zip(inputs, results):
            self.scores.append(0.0 if r.error_no else i.task.flop / r.mean)
            self.timestamps.append(r.timestamp)

    def reset(self) -> None:
        """Forgets them."""
        self.scores.clear()
        self.timestamps.clear()

    def trial_scores(self) -> list[float]:
        """Operations a second of each trial; 0 of one that failed."""
        return self.scores

    def trial_timestamps(self) -> list[float]:
        """When each trial was."""
        return self.timestamps

"""The best configurations of logs."""

from __future__ import annotations

import logging
import os
from typing import TYPE_CHECKING

from vta.error import VTAValueError
from .dispatcher import DispatchContext
from .record import load_from_file

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, Union

    from vta.target import Target
    from .trial import MeasureInput, MeasureResult

    Record = tuple[MeasureInput, MeasureResult]
    Records = Union[str, os.PathLike[str], Iterable[Record]]

__all__ = ["ApplyHistoryBest", "apply_history_best"]

_log = logging.getLogger("autotvm")


class ApplyHistoryBest(DispatchContext):
    """For each workload the best configuration of a log.

    Parameters
    ----------
    records : path, or iterable of (MeasureInput, MeasureResult), or None

    Attributes
    ----------
    best_by_model, best_by_targetkey : dict
        From a target's model or key and the workload to input and result.
    """

    def __init__(self, records: Records | None = None) -> None:
        self.best_by_model: dict[Any, Record] = {}
        self.best_by_targetkey: dict[Any, Record] = {}
        self._given: dict[Any, Any] = {}
        if records is not None:
            self.load(records)

    def load(self, records: Records) -> None:
        """Adds records.

        Parameters
        ----------
        records : path, or iterable of (MeasureInput, MeasureResult)
        """
        count = 0
        for inp, res in load_from_file(records) if isinstance(records, (str, os.PathLike)) else records:
            count += 1
            if res.error_no:
                continue
            target, workload = inp.target, inp.task.workload
            for best, key in [(self.best_by_targetkey, (k, workload)) for k in target.keys] + [
                    (self.best_by_model, (target.model, workload))]:
                if key not in best or res.mean < best[key][1].mean:
                    best[key] = (inp, res)
        _log.debug("%d records", count)

    def _query(self, target: Target | None, workload: Any) -> Any:
        if target is None:
            raise VTAValueError("no target is set, which best configurations are chosen by: use `with tvm.target.Target(...):`")
        for best, key in [(self.best_by_model, (target.model, workload))] + [
                (self.best_by_targetkey, (k, workload)) for k in target.keys]:
            if key in best:
                return best[key][0].config
        return self._given.get((str(target), workload))

    def update(self, target: Target, workload: Any, cfg: Any) -> None:
        """Sets the configuration of a workload.

        Parameters
        ----------
        target : Target
        workload : tuple
        cfg : ConfigEntity
        """
        self._given[str(target), workload] = cfg


def apply_history_best(records: Records | None) -> ApplyHistoryBest:
    """A ``with`` block in which templates get the best configurations of a log.

    Parameters
    ----------
    records : path, or iterable of (MeasureInput, MeasureResult)

    Examples
    --------
    >>> with autotvm.apply_history_best("conv2d.log"), env.target:
    ...     s, args = conv2d(...)
    """
    return ApplyHistoryBest(records)

"""The tuner: schedules searched further than an operator chooses them by itself, and logs of searches (docs/tuning.md)."""

from __future__ import annotations

import ctypes
import math
import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, NamedTuple

from . import _bindings as b
from ._check import kind_error, whole
from ._lib import DIAG, call, lib, take_text, text
from ._progress import Progress
from .module import ScheduledModule

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Union

    from .topi.operator import Operator

    Path = Union[str, os.PathLike[str]]

__all__ = ["Record", "TuneLog", "Tuned", "tune"]

_PROGRESS = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_void_p)


class Record(NamedTuple):
    """A record of a log: one trial.

    Attributes
    ----------
    line : int
        In its file, from 1.
    target, task : str
        As AutoTVM has them.
    workload, machine : str or None
        The operator, and what cycles are those of; None in records of AutoTVM.
    cycles : int
        0 where the trial failed, or in records of AutoTVM.
    seconds : float
        Infinite where the trial failed.
    error : int
        AutoTVM's number; 0: none.
    message : str or None
        Why the trial failed.
    """

    line: int
    target: str
    task: str
    workload: str | None
    machine: str | None
    cycles: int
    seconds: float
    error: int
    message: str | None


class TuneLog:
    """A log of trials, lines of JSON: of :func:`tune`, of ``vta tune``, or of AutoTVM for VTA. Lines that are not records
    are left out.

    Parameters
    ----------
    path : str or path
        The file.

    Attributes
    ----------
    refused : int
        Lines that were left out.

    Examples
    --------
    >>> log = vta.TuneLog("conv.log")
    >>> len(log), min(r.seconds for r in log)
    >>> log.apply(conv)                   # conv has the best schedule of the log now
    """

    def __init__(self, path: Path) -> None:
        out = ctypes.c_void_p()
        call(lib.vtac_tune_log_load, os.fspath(path).encode(), None, DIAG, ctypes.byref(out))
        self._handle = out.value
        self.refused: int = lib.vtac_tune_log_refused(self._handle)

    def __len__(self) -> int:
        return lib.vtac_tune_log_count(self._handle)

    def __getitem__(self, index: int) -> Record:
        at = whole(index, "the number of a record")
        r = b.vtac_tune_record(size=ctypes.sizeof(b.vtac_tune_record))
        if not -len(self) <= at < len(self):
            raise IndexError(f"record {at} of a log of {len(self)}")
        call(lib.vtac_tune_log_get, self._handle, at % len(self), ctypes.byref(r))
        return Record(r.line, text(r.target) or "", text(r.task) or "", text(r.workload), text(r.machine), r.cycles,
                      r.seconds, r.error, text(r.message))

    def __iter__(self) -> Iterator[Record]:
        return (self[i] for i in range(len(self)))

    def why_not(self, index: int, operator: Operator) -> str | None:
        """What a record cannot be used for an operator for, in words.

        Parameters
        ----------
        index : int
        operator : vta.topi.Operator

        Returns
        -------
        words : str or None
            None: it can be used.
        """
        buffer = ctypes.create_string_buffer(512)
        return text(lib.vtac_tune_log_why_not(self._handle, whole(index, "the number of a record"),
                                              operator.module._op, buffer, len(buffer)))

    def apply(self, operator: Operator) -> ScheduledModule:
        """Gives an operator the best schedule that the log has for it.

        Parameters
        ----------
        operator : vta.topi.Operator

        Returns
        -------
        module : ScheduledModule
            ``operator.module`` from here on.
        """
        result = b.vtac_op_result(size=ctypes.sizeof(b.vtac_op_result))
        return _replace(operator, lambda op: call(lib.vtac_tune_log_apply, self._handle, op, None, DIAG,
                                                  ctypes.byref(result)), result)

    def best(self) -> str:
        """The best record of each workload on each machine, a line each."""
        out = ctypes.c_char_p()
        call(lib.vtac_tune_log_best, self._handle, DIAG, ctypes.byref(out))
        return take_text(out)

    def __del__(self):
        if getattr(self, "_handle", None):
            lib.vtac_tune_log_destroy(self._handle)


class Tuned(NamedTuple):
    """What came of a search.

    Attributes
    ----------
    module : ScheduledModule
        The best schedule, compiled: the operator's from here on.
    cycles, untuned, bound : int
        Of the best schedule, of the one that the operator chooses by itself, and what none can beat.
    trials, failed, reused : int
        Schedules that were tried, those of them that failed, and those that were known from the log.
    seconds : float
    """

    module: ScheduledModule
    cycles: int
    untuned: int
    bound: int
    trials: int
    failed: int
    reused: int
    seconds: float


def _replace(operator: Operator, work: Any, result: Any) -> ScheduledModule:
    """A new ``vtac_op`` of an operator, scheduled by `work`, in the place of the old one."""
    op = operator._create().take()
    try:
        work(op)
    except BaseException:
        lib.vtac_op_destroy(op)
        raise
    return operator._take(ScheduledModule(op.value or 0, getattr(result, "op", result), operator.env.config))


class _Search:
    """Told by the library after each trial: moves the bar on, and ends the search once it is `stopped`."""

    def __init__(self) -> None:
        self.stopped, self.done = False, 0
        self.bar: Progress | None = None
        self.callback = _PROGRESS(self._tell)

    def _tell(self, user: Any, address: int) -> bool:
        p = ctypes.cast(address, ctypes.POINTER(b.vtac_tune_progress)).contents
        if self.bar is None:
            self.bar = Progress("tuning", p.trials)
        for _ in range(p.trial - self.done):
            self.bar.advance()
        self.done = p.trial
        return self.stopped


def tune(operator: Operator, trials: int = 256, *, jobs: int = 1, early_stop: int = 0, seconds: float = 0.0, seed: int = 0,
         log: Path | None = None, resume: bool = False, start: TuneLog | None = None, database: bool = True) -> Tuned:
    """Searches the schedules of an operator further, and gives it the best. Ctrl-C ends the search; the log stays.

    Parameters
    ----------
    operator : vta.topi.Operator
    trials : int, optional
        Schedules that are compiled and timed at most.
    jobs : int, optional
        Processes that do so, up to 16; 0: none but this one.
    early_stop : int, optional
        Ends after so many trials without a better one; 0: never.
    seconds : float, optional
        Ends after that time; 0: never.
    seed : int, optional
        The same seed gives the same trials.
    log : path, optional
        A file that a record of each trial is appended to.
    resume : bool, optional
        Goes on where the search that wrote the log ended.
    start : TuneLog, optional
        Schedules that are tried first.
    database : bool, optional
        Begin with what the library's database has, too.

    Returns
    -------
    tuned : Tuned

    Examples
    --------
    >>> conv = vta.topi.Operator("conv2d", height=14, width=14, in_channels=256, out_channels=256, kernel=3, pad=1)
    >>> tuned = vta.tune(conv, trials=100, log="conv.log")
    >>> tuned.cycles, tuned.untuned
    """
    if not hasattr(operator, "_create"):
        raise kind_error(operator, "what is tuned", "a vta.topi.Operator")
    if not math.isfinite(seconds):
        raise ValueError(f"seconds is {seconds}: must be finite")
    search = _Search()
    options = b.vtac_tune_options(
        size=ctypes.sizeof(b.vtac_tune_options), trials=whole(trials, "trials"), jobs=whole(jobs, "jobs"),
        early_stop=whole(early_stop, "early_stop"), seconds=float(seconds), seed=whole(seed, "seed"),
        log=os.fspath(log).encode() if log is not None else None, resume=bool(resume),
        start=start._handle if start is not None else None, without_database=not database,
        progress=ctypes.cast(search.callback, ctypes.c_void_p).value)
    result = b.vtac_tune_result(size=ctypes.sizeof(b.vtac_tune_result))

    def work(op: Any) -> None:
        call(lib.vtac_tune, op, ctypes.byref(options), DIAG, ctypes.byref(result))

    # In a thread of its own, where Python's signal handlers do not run: Ctrl-C raises here, and not in the callback.
    with ThreadPoolExecutor(1, "vta-tune") as pool:
        try:
            module = pool.submit(_replace, operator, work, result).result()
        finally:
            search.stopped = True
            if search.bar is not None:
                search.bar.close()
    return Tuned(module, result.op.cycles, result.untuned, result.op.bound, result.trials, result.failed, result.reused,
                 result.seconds)

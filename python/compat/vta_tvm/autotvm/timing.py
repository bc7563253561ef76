"""What trials are timed with: the timing model, this processor, a board."""

from __future__ import annotations

import ctypes
import os
import tempfile
from typing import TYPE_CHECKING, cast

from vta import _bindings as b
from vta import ndarray as nd
from vta._lib import DIAG, call, lib
from vta.environment import Environment, get_env
from vta.error import VTAError
from vta.ndarray import cpu, ext_dev
from vta.testing import simulator

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from vta.module import BuiltModule
    from vta.remote import RemoteModule

    Timed = tuple[tuple[float, ...], list[np.ndarray]]

__all__ = ["WrongAnswer", "TimingModel", "Processor", "Board"]


class WrongAnswer(VTAError):
    """A kernel's result is not what the computation means."""


def hertz() -> int:
    """The clock of the current environment's timing profile."""
    profile = b.vta_timing_profile()
    call(lib.vta_timing_profile_for, get_env().config.handle, DIAG, ctypes.byref(profile))
    return int(profile.frequency_khz) * 1000


class TimingModel:
    """The timing model of the environment's accelerator: cycles of one run, at the clock of its profile."""

    def time(self, module: BuiltModule, values: Sequence[np.ndarray]) -> Timed:
        """Runs a kernel.

        Parameters
        ----------
        module : BuiltModule
        values : list of numpy.ndarray

        Returns
        -------
        costs, results : tuple of float, list of numpy.ndarray
            Seconds, and the arguments afterwards.
        """
        env = get_env()
        with env if env.TARGET == "tsim" else Environment({**env.cfg_dict, "TARGET": "tsim"}):
            arrays = [nd.array(v, ext_dev(0)) for v in values]
            simulator.clear_stats()
            module(*arrays)
            seconds = simulator.stats()["cycle_count"] / hertz()
            return (seconds,), [a.numpy() for a in arrays]


class Processor:
    """This processor, by the clock.

    Parameters
    ----------
    number, repeat, min_repeat_ms : int
        Calls a round, rounds, milliseconds of a round.
    """

    def __init__(self, number: int, repeat: int, min_repeat_ms: int) -> None:
        self.rounds = {"number": number, "repeat": repeat, "min_repeat_ms": min_repeat_ms}

    def time(self, module: BuiltModule, values: Sequence[np.ndarray]) -> Timed:
        """Runs a kernel; see :meth:`TimingModel.time`.

        Parameters
        ----------
        module : BuiltModule
        values : list of numpy.ndarray
        """
        arrays = [nd.array(v, cpu(0)) for v in values]
        costs = module.entry_func.time(*arrays, **self.rounds)
        return tuple(costs), [a.numpy() for a in arrays]


class Board:
    """A server that a tracker hands out.

    Parameters
    ----------
    key, host, port : str, str, int
    priority : int
    timeout : float
    accelerator : bool
        Or its processor.
    rounds : dict
        As of :class:`Processor`.
    """

    def __init__(self, key: str, host: str, port: int, priority: int, timeout: float, accelerator: bool, rounds: dict[str, int]) -> None:
        self.where, self.key, self.priority, self.timeout = (host, port), key, priority, timeout
        self.accelerator, self.rounds = accelerator, rounds

    def time(self, module: BuiltModule, values: Sequence[np.ndarray]) -> Timed:
        """Runs a kernel there; see :meth:`TimingModel.time`.

        Parameters
        ----------
        module : BuiltModule
        values : list of numpy.ndarray
        """
        from vta.rpc import connect_tracker

        session = connect_tracker(*self.where).request(self.key, priority=self.priority, session_timeout=int(self.timeout))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "trial.o")
            module.save(path)
            session.upload(path)
        device = session.ext_dev(0) if self.accelerator else session.cpu(0)
        remote = cast("RemoteModule", session.load_module("trial.o"))
        arrays = [nd.array(v, device) for v in values]
        costs = remote.time_evaluator("default_function", device, self.rounds["number"], self.rounds["repeat"],
                                      self.rounds["min_repeat_ms"])(*arrays).results
        return tuple(costs), [a.numpy() for a in arrays]

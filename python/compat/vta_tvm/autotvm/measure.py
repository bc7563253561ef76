"""Trials: a configuration is compiled and timed, by the timing model or on a board."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, NamedTuple

from vta import te
from vta.build import build as _build_for_vta
from vta.build import tvm_build
from vta.target import Target
from vta.te.tensor import PlaceholderOp
from .space import InstantiationError
from .timing import Board, Processor, TimingModel, WrongAnswer
from .trial import MeasureErrorNo, MeasureInput, MeasureResult

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, Union

    import numpy as np

    from vta.module import BuiltModule
    from vta.te import Tensor
    from .task import Task

    Runner = Union["LocalRunner", "RPCRunner"]

__all__ = ["MeasureErrorNo", "MeasureInput", "MeasureResult", "LocalBuilder", "LocalRunner", "RPCRunner", "measure_option",
           "create_measure_batch"]

_log = logging.getLogger("autotvm")


class LocalBuilder:
    """Compiles here, one kernel after another.

    Parameters
    ----------
    timeout : float, optional
    n_parallel : int, optional
        Accepted: what comes of trials does not depend on them.
    build_func : str or callable, optional
        ``"default"`` or ``vta.vta_autotvm_build_func``: both are :func:`vta.build`.
    kwargs : Any
        None.
    """

    def __init__(self, timeout: float = 10, n_parallel: int | None = None, build_func: Any = "default", **kwargs: Any) -> None:
        if build_func not in ("default", default_build):
            raise NotImplementedError(f"LocalBuilder(build_func={build_func!r}) is not offered: kernels are compiled by vta.build")
        if kwargs:
            raise TypeError(f"LocalBuilder takes timeout, n_parallel and build_func, not {', '.join(kwargs)}")
        self.timeout, self.n_parallel = timeout, n_parallel

    @staticmethod
    def build(inp: MeasureInput) -> tuple[BuiltModule, list[Tensor]]:
        """Compiles a configuration.

        Parameters
        ----------
        inp : MeasureInput
        """
        return default_build(inp)


def default_build(inp: MeasureInput) -> tuple[BuiltModule, list[Tensor]]:
    """What :class:`LocalBuilder` compiles with: :func:`vta.build`.

    Parameters
    ----------
    inp : MeasureInput
    """
    target = Target(inp.target)
    with target:
        schedule, args = inp.task.instantiate(inp.config)
    if target.kind.name == "ext_dev":
        return _build_for_vta(schedule, [*args], target, name="default_function"), args
    return tvm_build(schedule, [*args], target, name="default_function"), args


class LocalRunner:
    """Times here: kernels for the accelerator by the timing model (``tsim``), whatever the environment's TARGET is, since it says
    the same cycles each time; kernels for the host by the clock.

    Parameters
    ----------
    timeout : float, optional
        Accepted: the model's runs end by themselves.
    number, repeat, min_repeat_ms : int, optional
        Calls a round, rounds and the length of a round, for kernels of the host. The model runs a kernel once.
    cooldown_interval : float, optional
        Accepted: there is nothing to cool.
    enable_cpu_cache_flush : bool, optional
        Only False.
    check_correctness : bool, optional
        Compares with what the same computation without a schedule gives on the host.
    module_loader : object, optional
        What ``vta.module_loader()`` gives.
    """

    def __init__(self, timeout: float = 10, number: int = 4, repeat: int = 3, min_repeat_ms: int = 0, cooldown_interval: float = 0.1,
                 enable_cpu_cache_flush: bool = False, check_correctness: bool = False, module_loader: Any = None) -> None:
        if enable_cpu_cache_flush:
            raise NotImplementedError("enable_cpu_cache_flush is not offered")
        self.timeout, self.check_correctness, self.cooldown_interval = timeout, check_correctness, cooldown_interval
        self.rounds = {"number": number, "repeat": repeat, "min_repeat_ms": min_repeat_ms}
        self.module_loader = module_loader
        self._given: tuple[Any, list[np.ndarray], np.ndarray | None] | None = None

    def _clock(self, target: Target) -> Any:
        return TimingModel() if target.kind.name == "ext_dev" else Processor(**self.rounds)

    def run(self, inp: MeasureInput, module: BuiltModule, args: Sequence[Tensor]) -> tuple[float, ...]:
        """Times a compiled configuration.

        Parameters
        ----------
        inp : MeasureInput
        module : BuiltModule
        args : list of Tensor

        Returns
        -------
        costs : tuple of float
            Seconds.
        """
        if self._given is None or self._given[0] != inp.task.workload:
            self._given = (inp.task.workload, _values(args), None)
        values, expected = self._given[1:]
        if self.check_correctness and expected is None:
            expected = _reference(args, values)
            self._given = (inp.task.workload, values, expected)
        costs, results = self._clock(Target(inp.target)).time(module, values)
        outputs = [i for i, a in enumerate(args) if not isinstance(a.op, PlaceholderOp)]
        if expected is not None and not (results[outputs[-1]] == expected).all():
            raise WrongAnswer(f"{int((results[outputs[-1]] != expected).sum())} of {expected.size} elements are not those of the "
                              "computation without a schedule")
        return costs


class RPCRunner(LocalRunner):
    """Times on a server that a tracker hands out. For ``"sim"`` and ``"tsim"`` no server is asked: the timing model is here
    (:class:`LocalRunner`).

    Parameters
    ----------
    key : str
        Of the server.
    host, port : str, int
        Where the tracker is.
    priority : int, optional
    timeout : float, optional
        Seconds that the tracker gives a session for.
    n_parallel : int, optional
        Accepted: one trial after another.
    kwargs : Any
        Those of :class:`LocalRunner`.
    """

    def __init__(self, key: str, host: str | None = None, port: int | str | None = None, priority: int = 1, timeout: float = 10,
                 n_parallel: int | None = None, **kwargs: Any) -> None:
        super().__init__(timeout, **kwargs)
        self.key, self.host, self.port, self.priority, self.n_parallel = key, host, port, priority, n_parallel

    def _clock(self, target: Target) -> Any:
        if self.key in ("sim", "tsim"):
            return super()._clock(target)
        if self.host is None or self.port is None:
            raise ValueError(f"RPCRunner({self.key!r}): measuring on a server needs the tracker's host and port")
        return Board(self.key, self.host, int(self.port), self.priority, self.timeout, target.kind.name == "ext_dev", self.rounds)


def _values(args: Sequence[Tensor]) -> list[np.ndarray]:
    """Arrays for the arguments of a kernel, the same each time."""
    import numpy as np

    random = np.random.default_rng(1)
    out = []
    for a in args:
        kind = np.dtype(a.dtype)
        if kind.kind == "f":
            out.append(random.uniform(-1, 1, tuple(a.shape)).astype(kind))
        else:
            low = 0 if kind.kind in "ub" else -(1 << min(8 * kind.itemsize - 1, 15))
            out.append(random.integers(low, -low or 1 << min(8 * kind.itemsize, 15), tuple(a.shape)).astype(kind))
    return out


def _reference(args: Sequence[Tensor], values: Sequence[np.ndarray]) -> np.ndarray:
    """The last output, computed by the host without a schedule."""
    module = tvm_build(te.create_schedule(args[-1].op), list(args), "llvm", name="reference")
    return Processor(number=1, repeat=1, min_repeat_ms=0).time(module, values)[1][-1]


class _Option(NamedTuple):
    builder: LocalBuilder
    runner: Any


def measure_option(builder: Any, runner: Any) -> _Option:
    """How trials are compiled and timed.

    Parameters
    ----------
    builder : LocalBuilder or "local"
    runner : LocalRunner, RPCRunner or "local"

    Examples
    --------
    >>> autotvm.measure_option(autotvm.LocalBuilder(), autotvm.LocalRunner(check_correctness=True))
    """
    builder = LocalBuilder() if builder == "local" else builder
    runner = LocalRunner() if runner == "local" else runner
    if not isinstance(builder, LocalBuilder) or not isinstance(runner, LocalRunner):
        raise TypeError("measure_option takes a LocalBuilder (or \"local\") and a LocalRunner or RPCRunner (or \"local\"), not "
                        f"{type(builder).__name__} and {type(runner).__name__}")
    return _Option(builder, runner)


def _tried(option: _Option, inp: MeasureInput) -> MeasureResult:
    begin, stage = time.time(), MeasureErrorNo.COMPILE_HOST

    def result(costs: tuple[Any, ...], error: int) -> MeasureResult:
        now = time.time()
        return MeasureResult(costs, int(error), now - begin, now)

    try:
        module, args = option.builder.build(inp)
        stage = MeasureErrorNo.RUNTIME_DEVICE
        return result(option.runner.run(inp, module, args), MeasureErrorNo.NO_ERROR)
    except InstantiationError as error:
        return result((str(error),), MeasureErrorNo.INSTANTIATION_ERROR)
    except WrongAnswer as error:
        return result((str(error),), MeasureErrorNo.WRONG_ANSWER)
    except Exception as error:  # pylint: disable=broad-except
        _log.debug("trial %s failed", inp.config, exc_info=True)
        return result((f"{type(error).__name__}: {error}",), stage)


def create_measure_batch(task: Task, option: _Option) -> Callable[[Sequence[MeasureInput]], list[MeasureResult]]:
    """A function that tries configurations, one after another.

    Parameters
    ----------
    task : Task
    option : measure_option
    """
    if task.target is None:
        raise ValueError(f"the task {task.name} has no target: make it with autotvm.task.create")
    return lambda inputs: [_tried(option, i) for i in inputs]

"""Searches of a template's space: by chance, in order, by a genetic algorithm, by a model of what was seen."""

from __future__ import annotations

import contextlib
import logging
import random
from typing import TYPE_CHECKING

from vta._check import whole
from vta.error import VTAValueError
from .env import GLOBAL_SCOPE
from .measure import create_measure_batch
from .model import CostModel
from .trial import MeasureInput

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from .space import ConfigEntity
    from .task import Task
    from .trial import MeasureResult

__all__ = ["Tuner", "RandomTuner", "GridSearchTuner", "GATuner", "ModelTuner", "XGBTuner"]

_log = logging.getLogger("autotvm")
_BATCH = 8  # trials between two calls of the callbacks


class Tuner:
    """A search. Trials are the same for the same task and seed.

    Parameters
    ----------
    task : Task
    seed : int, optional

    Attributes
    ----------
    best_config : ConfigEntity or None
    best_flops : float
        Operations a second of it.
    best_measure_pair : (MeasureInput, MeasureResult) or None
    best_iter : int
        Which trial it was, from 0.
    """

    def __init__(self, task: Task, seed: int = 0) -> None:
        self.task, self.random = task, random.Random(seed)
        self.best_config: ConfigEntity | None = None
        self.best_flops, self.best_iter = 0.0, 0
        self.best_measure_pair: tuple[MeasureInput, MeasureResult] | None = None

    def has_next(self) -> bool:
        """Whether there is something left to try."""
        raise NotImplementedError

    def next_batch(self, batch_size: int) -> list[ConfigEntity]:
        """What to try next; fewer at the end.

        Parameters
        ----------
        batch_size : int
        """
        raise NotImplementedError

    def update(self, inputs: Sequence[MeasureInput], results: Sequence[MeasureResult]) -> None:
        """Learns what came of trials.

        Parameters
        ----------
        inputs : list of MeasureInput
        results : list of MeasureResult
        """

    def load_history(self, data_set: Iterable[tuple[MeasureInput, MeasureResult]]) -> None:
        """Learns from trials of a log. Searches without a model have no use for them.

        Parameters
        ----------
        data_set : iterable of (MeasureInput, MeasureResult)
        """

    def reset(self) -> None:
        """Forgets the best."""
        self.best_config, self.best_measure_pair, self.best_flops, self.best_iter = None, None, 0.0, 0

    def _best(self, number: int, inp: MeasureInput, result: MeasureResult) -> bool:
        if result.error_no or (self.best_measure_pair is not None and result.mean >= self.best_measure_pair[1].mean):
            return False
        self.best_config, self.best_measure_pair, self.best_iter = inp.config, (inp, result), number
        self.best_flops = inp.task.flop / result.mean
        return True

    def tune(self, n_trial: float, measure_option: Any, early_stopping: float | None = None, callbacks: Iterable[Any] = (),
             si_prefix: str = "G") -> None:
        """Searches.

        Parameters
        ----------
        n_trial : int
            Trials at most.
        measure_option : measure_option
        early_stopping : int, optional
            Ends after so many trials without a better one.
        callbacks : list of callable, optional
            Called with the tuner, inputs and results after each batch of trials.
        si_prefix : str, optional
            Of operations a second in what is logged.
        """
        measure = create_measure_batch(self.task, measure_option)
        target, done, words = self.task.target, 0, ""
        most, patience = whole(int(n_trial), "n_trial"), float("inf") if early_stopping is None else early_stopping
        with _in_tuning():
            while done < most and self.has_next() and done - self.best_iter < patience + (self.best_measure_pair is None):
                configs = self.next_batch(min(_BATCH, most - done))
                if not configs:
                    break
                inputs = [MeasureInput(target, self.task, c) for c in configs]
                results = measure(inputs)
                for i, (inp, result) in enumerate(zip(inputs, results)):
                    self._best(done + i, inp, result)
                    words = words or (str(result.costs[0]) if result.error_no else "")
                done += len(results)
                self.update(inputs, results)
                for callback in callbacks:
                    callback(self, inputs, results)
        if done and self.best_measure_pair is None:
            _log.warning("none of %d trials of %s worked; the first failed with: %s", done, self.task.name, words)


@contextlib.contextmanager
def _in_tuning() -> Iterator[None]:
    before, GLOBAL_SCOPE.in_tuning = GLOBAL_SCOPE.in_tuning, True
    try:
        yield
    finally:
        GLOBAL_SCOPE.in_tuning = before


class GridSearchTuner(Tuner):
    """One configuration after another.

    Parameters
    ----------
    task : Task
    range_idx : (int, int), optional
        The first and the last number that are tried.
    seed : int, optional
        Of :class:`RandomTuner`.
    """

    def __init__(self, task: Task, range_idx: tuple[int, int] | None = None, seed: int = 0) -> None:
        super().__init__(task, seed)
        first, last = range_idx if range_idx is not None else (0, len(task.config_space) - 1)
        if not 0 <= first <= last < len(task.config_space):
            raise VTAValueError(f"range_idx is {range_idx}: the space of {task.name} has configurations 0 to {len(task.config_space) - 1}")
        self._numbers = iter(self._order(range(first, last + 1)))
        self._left = last + 1 - first

    def _order(self, numbers: range) -> Iterable[int]:
        return numbers

    def has_next(self) -> bool:
        """Whether there is something left to try."""
        return self._left > 0

    def next_batch(self, batch_size: int) -> list[ConfigEntity]:
        """What to try next.

        Parameters
        ----------
        batch_size : int
        """
        count = min(batch_size, self._left)
        self._left -= count
        return [self.task.config_space.get(next(self._numbers)) for _ in range(count)]


class RandomTuner(GridSearchTuner):
    """By chance, each configuration once."""

    def _order(self, numbers: range) -> Iterable[int]:
        """Distinct numbers; a space may have more than fit into memory."""
        if len(numbers) <= 1 << 20:
            return iter(self.random.sample(numbers, len(numbers)))
        return self._many(numbers)

    def _many(self, numbers: range) -> Iterator[int]:
        seen: set[int] = set()
        while len(seen) < len(numbers):
            number = self.random.choice(numbers)
            if number not in seen:
                seen.add(number)
                yield number


class GATuner(Tuner):
    """A genetic algorithm: configurations that are fast have more offspring, which take knobs of both and mutate.

    Parameters
    ----------
    task : Task
    pop_size : int, optional
        Configurations of a generation.
    elite_num : int, optional
        The best, that stay.
    mutation_prob : float, optional
        Of each knob.
    seed : int, optional
    """

    def __init__(self, task: Task, pop_size: int = 100, elite_num: int = 3, mutation_prob: float = 0.1, seed: int = 0) -> None:
        super().__init__(task, seed)
        if not 1 <= elite_num <= pop_size:
            raise VTAValueError(f"GATuner: elite_num is {elite_num}: must be 1 to pop_size, {pop_size}")
        self.space = task.config_space
        self.pop_size, self.elite_num, self.mutation_prob = min(pop_size, len(self.space)), elite_num, mutation_prob
        self.visited: set[int] = set()
        self._todo = self.random.sample(range(len(self.space)), self.pop_size)
        self.visited.update(self._todo)
        self._generation: list[tuple[float, int]] = []
        self._elite: list[tuple[float, int]] = []

    def has_next(self) -> bool:
        """Whether there is something left to try."""
        return bool(self._todo)

    def next_batch(self, batch_size: int) -> list[ConfigEntity]:
        """What to try next.

        Parameters
        ----------
        batch_size : int
        """
        batch, self._todo = self._todo[:batch_size], self._todo[batch_size:]
        return [self.space.get(i) for i in batch]

    def update(self, inputs: Sequence[MeasureInput], results: Sequence[MeasureResult]) -> None:
        """Learns what came of trials.

        Parameters
        ----------
        inputs : list of MeasureInput
        results : list of MeasureResult
        """
        self._generation += [(0.0 if r.error_no else 1 / r.mean, i.config.index) for i, r in zip(inputs, results)]
        if not self._todo:
            self._breed()

    def _breed(self) -> None:
        """The next generation."""
        parents = sorted({*self._generation, *self._elite}, reverse=True)
        self._elite, self._generation = parents[:self.elite_num], []
        weights = [score for score, _ in parents]
        most = max(weights, default=0) or 1.0
        weights = [w / most + 1e-3 for w in weights]
        for _ in range(50 * self.pop_size):  # where offspring repeat what was tried, another one
            if len(self._todo) == self.pop_size or len(self.visited) == len(self.space):
                return
            (_, a), (_, c) = self.random.choices(parents, weights, k=2)
            child = [self.random.choice(pair) for pair in zip(self.space.knobs_of(a), self.space.knobs_of(c))]
            child = [self.random.randrange(n) if self.random.random() < self.mutation_prob else k
                     for n, k in zip(self.space.dims, child)]
            index = self.space.index_of(child)
            if index not in self.visited:
                self.visited.add(index)
                self._todo.append(index)


class ModelTuner(Tuner):
    """Learns a model of the time of the trials seen (:class:`CostModel`: least squares on the logarithms of sizes), and tries next what
    it expects to be fastest, and some by chance.

    Parameters
    ----------
    task : Task
    plan_size : int, optional
        Trials between two fits.
    pool : int, optional
        Configurations that the model looks at for a plan.
    seed : int, optional
    """

    def __init__(self, task: Task, plan_size: int = 32, pool: int = 2048, seed: int = 0) -> None:
        super().__init__(task, seed)
        self.space, self.plan_size, self.pool = task.config_space, plan_size, pool
        self.model, self.visited = CostModel(), set[int]()
        self._plan: list[int] = []
        self._known = 0

    def has_next(self) -> bool:
        """Whether there is something left to try."""
        return len(self.visited) < len(self.space)

    def next_batch(self, batch_size: int) -> list[ConfigEntity]:
        """What to try next.

        Parameters
        ----------
        batch_size : int
        """
        out: list[int] = []
        while len(out) < batch_size and self.has_next():
            if not self._plan:
                self._make_plan()
            index = self._plan.pop(0)
            if index not in self.visited:
                self.visited.add(index)
                out.append(index)
        return [self.space.get(i) for i in out]

    def _make_plan(self) -> None:
        """The best of a sample by the model, every fourth by chance."""
        count = len(self.space)
        sample = self.random.sample(range(count), min(self.pool, count))
        sample = [i for i in sample if i not in self.visited] or [i for i in range(count) if i not in self.visited][:self.pool]
        best = sample if not self.model.fitted else [
            i for _, i in sorted(zip(self.model.predict([self.space.get(i).get_flatten_feature() for i in sample]), sample))]
        guesses = iter(self.random.sample(sample, len(sample)))
        ranked = iter(best)
        self._plan = [next(guesses if n % 4 == 3 else ranked) for n in range(min(self.plan_size, len(sample)))]

    def update(self, inputs: Sequence[MeasureInput], results: Sequence[MeasureResult]) -> None:
        """Learns what came of trials.

        Parameters
        ----------
        inputs : list of MeasureInput
        results : list of MeasureResult
        """
        for inp, result in zip(inputs, results):
            self.model.add(inp.config.get_flatten_feature(), None if result.error_no else result.mean)
        self._known += len(inputs)
        if self._known >= self.plan_size:
            self._known, self._plan = 0, []
            self.model.fit()

    def load_history(self, data_set: Iterable[tuple[MeasureInput, MeasureResult]]) -> None:
        """Learns from those trials of a log that are of this template and have its knobs.

        Parameters
        ----------
        data_set : iterable of (MeasureInput, MeasureResult)
        """
        names = list(self.space.space_map)
        for inp, result in data_set:
            if inp.task.name == self.task.name and list(inp.config._entity_map) == names:
                self.model.add(inp.config.get_flatten_feature(), None if result.error_no else result.mean)
        self.model.fit()


class XGBTuner(ModelTuner):
    """:class:`ModelTuner` under the name of scripts. No boosted trees: XGBoost is not used, and the model is this project's own, on the
    configurations' knobs; it predicts times, so that there is one loss.

    Parameters
    ----------
    task : Task
    plan_size : int, optional
    feature_type : str, optional
        ``"knob"``, or ``"itervar"``, the default of scripts, which is taken as knobs with a message in the log.
    loss_type : str, optional
        ``"reg"``, or ``"rank"``, taken as ``"reg"`` with a message in the log.
    kwargs : Any
        Of others only None.
    """

    def __init__(self, task: Task, plan_size: int = 64, feature_type: str = "itervar", loss_type: str = "reg", **kwargs: Any) -> None:
        seed = kwargs.pop("seed", 0)
        for name, value in kwargs.items():
            if value is not None and name != "log_interval":
                raise NotImplementedError(f"XGBTuner({name}={value!r}) is not offered: the model is least squares on knobs (ModelTuner)")
        super().__init__(task, plan_size, seed=seed)
        _log.warning("XGBTuner is ModelTuner here: least squares on knobs (feature_type=%r, loss_type=%r have no part in it), not XGBoost",
                     feature_type, loss_type)

"""Where a template's choices come from: the configuration that is being tried, a log's best, or none."""

from __future__ import annotations

import functools
import logging
import threading
from typing import TYPE_CHECKING

from .space import ConfigEntity, ConfigSpace, FallbackConfigEntity

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from vta.target import Target

__all__ = ["DispatchContext", "ApplyConfig", "FallbackContext", "register_fallback"]

_log = logging.getLogger("autotvm")


_choosers: dict[str, Callable[[FallbackConfigEntity, Any], None]] = {}


def register_fallback(task_name: str, choose: Callable[[FallbackConfigEntity, Any], None]) -> None:
    """Has a function choose the knobs of a template where no configuration is known.

    Parameters
    ----------
    task_name : str
    choose : callable
        Called with the configuration, to be set, and the workload.
    """
    _choosers[task_name] = choose


def _choose(choose: Callable[[FallbackConfigEntity, Any], None], workload: Any, cfg: FallbackConfigEntity) -> None:
    choose(cfg, workload)


class _Stack(threading.local):
    def __init__(self) -> None:
        self.contexts: list[DispatchContext] = [FallbackContext()]


class _Current(type):
    """What ``DispatchContext.current`` is: the innermost block."""

    @property
    def current(cls) -> DispatchContext:
        """The innermost block."""
        return _stack.contexts[-1]


class DispatchContext(metaclass=_Current):
    """A ``with`` block in which templates get their choices from somewhere. The innermost block that knows a workload answers;
    ``DispatchContext.current`` is the innermost of all."""

    def _query(self, target: Target, workload: Any) -> Any:
        raise NotImplementedError

    def query(self, target: Target, workload: Any) -> Any:
        """The configuration of a workload.

        Parameters
        ----------
        target : Target
        workload : tuple

        Returns
        -------
        config : ConfigEntity, ConfigSpace or FallbackConfigEntity
        """
        contexts = _stack.contexts
        before = contexts[:contexts.index(self) + 1] if self in contexts else [*contexts, self]
        for context in reversed(before):
            found = context._query(target, workload)
            if found is not None:
                return found
        return None

    def update(self, target: Target, workload: Any, cfg: Any) -> None:
        """Sets the configuration of a workload.

        Parameters
        ----------
        target : Target
        workload : tuple
        cfg : ConfigEntity
        """
        raise NotImplementedError(f"a {type(self).__name__} has one configuration")

    def __enter__(self) -> DispatchContext:
        _stack.contexts.append(self)
        return self

    def __exit__(self, kind: object, value: object, trace: object) -> None:
        _stack.contexts.pop()


class ApplyConfig(DispatchContext):
    """This configuration for every template in the block.

    Parameters
    ----------
    config : ConfigEntity or ConfigSpace

    Attributes
    ----------
    workload : tuple or None
        What asked for it last.
    """

    def __init__(self, config: ConfigEntity | ConfigSpace) -> None:
        self.config, self.workload = config, None

    def _query(self, target: Target, workload: Any) -> Any:
        self.workload = workload
        return self.config


class FallbackContext(DispatchContext):
    """Where nothing else is known: the template's own choice, or the first candidates."""

    def __init__(self) -> None:
        self._memory: dict[Any, Any] = {}
        self._told: set[Any] = set()

    def _query(self, target: Target, workload: Any) -> Any:
        key = str(target), workload
        if key in self._memory:
            return self._memory[key]
        if key not in self._told:
            self._told.add(key)
            _log.info("no configuration for target=%s, workload=%s: the template's own choice is taken", target, workload)
        choose = _choosers.get(workload[0])
        return FallbackConfigEntity(None if choose is None else functools.partial(_choose, choose, workload))

    def update(self, target: Target, workload: Any, cfg: Any) -> None:
        """Sets the configuration of a workload.

        Parameters
        ----------
        target : Target
        workload : tuple
        cfg : ConfigEntity
        """
        self._memory[str(target), workload] = cfg


_stack = _Stack()

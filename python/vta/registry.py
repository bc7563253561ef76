"""Functions of the libraries by the names under which programs ask for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Callable

__all__ = ["get_global_func", "register_func"]


def _table():
    from .testing import simulator

    return {
        "vta.simulator.profiler_clear": simulator.clear_stats,
        "vta.simulator.profiler_status": _status,
        "vta.simulator.profiler_debug_mode": simulator.debug_mode,
        "vta.tsim.profiler_clear": simulator.clear_stats,
        "vta.tsim.profiler_status": _status,
        "tvm.contrib.vta.init": lambda *args: None,
        "device_api.ext_dev": lambda: 0,
        "runtime.enabled": _enabled,
    }


def _status():
    import json

    from .testing import simulator

    return json.dumps(simulator.stats())


def _enabled(target):
    from .runtime import enabled

    return enabled(target)


_registered: dict[str, Callable] = {}


def get_global_func(name: str, allow_missing: bool = False) -> Callable:
    """A function by name.

    Parameters
    ----------
    name : str
        ``"vta.simulator.profiler_status"`` (the counters as JSON), ``"vta.simulator.profiler_clear"``,
        ``"vta.simulator.profiler_debug_mode"``, or a name given to :func:`register_func`.
    allow_missing : bool, optional
        Return None instead of raising.

    Returns
    -------
    function : callable
    """
    found = _registered.get(name) or _table().get(name)
    if found is None and not allow_missing:
        raise ValueError(f"Cannot find global function {name}")
    return found


def register_func(name: str, function: Callable | None = None, override: bool = False) -> Callable:
    """Makes a Python function known by name to :func:`get_global_func`; also a decorator.

    Parameters
    ----------
    name : str
    function : callable, optional
    override : bool, optional
        Replace one of that name.
    """

    def register(f):
        if not override and (name in _registered or name in _table()):
            raise ValueError(f"Global function {name} is already registered")
        _registered[name] = f
        return f

    return register(function) if function is not None else register

"""Functions of the libraries by the names under which programs ask for them."""

from __future__ import annotations

from types import FunctionType
from typing import TYPE_CHECKING

from ._callbacks import known_to_kernels
from ._check import name_of
from .error import Refusing
from .expr import Extent, const

if TYPE_CHECKING:
    from typing import Any, Callable

__all__ = ["PackedFunc", "convert", "get_global_func", "register_func"]


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


class PackedFunc(Refusing):
    """A function that programs find by name, or that was made from a Python function; call it.

    Parameters
    ----------
    function : callable
    """

    def __init__(self, function: Callable) -> None:
        self.function = function

    is_global = False

    def __call__(self, *args: Any) -> Any:
        return self.function(*[PackedFunc(a) if isinstance(a, FunctionType) else a for a in args])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PackedFunc) and self.function == other.function or self.function == other

    def __hash__(self) -> int:
        return hash(self.function)

    def __repr__(self) -> str:
        return f"PackedFunc({getattr(self.function, '__name__', self.function)})"


def convert(value: Any) -> Any:
    """A Python value as what programs hand to functions: functions become :class:`PackedFunc`, numbers constants, and lists,
    tuples and dictionaries have their items converted. Everything else stays as it is.

    Parameters
    ----------
    value : object
    """
    if isinstance(value, (bool, int, float)) and not isinstance(value, Extent):
        return const(value)
    if isinstance(value, (list, tuple)):
        return [convert(v) for v in value]
    if isinstance(value, dict):
        return {k if isinstance(k, str) else convert(k): convert(v) for k, v in value.items()}
    return PackedFunc(value) if isinstance(value, FunctionType) else value


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
    return None if found is None else found if isinstance(found, PackedFunc) else PackedFunc(found)  # type: ignore[return-value]


def register_func(func_name: str | Callable, f: Callable | None = None, override: bool = False) -> Callable:
    """Makes a Python function known by name to :func:`get_global_func`, and to compiled code (:func:`vta.tir.call_packed`),
    which gives it numbers, texts and arrays that are good as long as the call lasts; also a decorator.

    Parameters
    ----------
    func_name : str
        Without it, as a plain decorator, the function's own name.
    f : callable, optional
    override : bool, optional
        Replace one of that name.
    """

    if callable(func_name):
        return register_func(func_name.__name__, func_name, override)
    name = name_of(func_name, "the name of a function").decode()

    def register(function):
        if not override and (name in _registered or name in _table()):
            raise ValueError(f"Global function {name} is already registered")
        known_to_kernels(name, function)
        _registered[name] = function
        return function

    return register(f) if f is not None else register

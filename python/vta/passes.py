"""The passes of lowering one by one, on modules of lowered functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._check import need
from .build import run_passes
from .ir import IRModule, LoweredFunc
from .transform import PassContext, Runnable, pass_names

if TYPE_CHECKING:
    from typing import Any, Callable, Sequence

__all__ = ["Pass", "Sequential", "prim_func_pass"]


class Pass(Runnable):
    """A pass of lowering by itself: called with a module, or a function, it gives a new one.

    Parameters
    ----------
    name : str
        Such as ``"tir.Simplify"``; see :func:`vta.transform.pass_names`.
    function : callable, optional
        A pass in Python, from (function, module, context) to a function; statements cannot be made, so it looks at them, runs
        other passes, or chooses.

    Examples
    --------
    >>> module = vta.build.schedule_to_module(s, [A, B])
    >>> module = vta.passes.Sequential([Pass("tir.StorageFlatten"), Pass("tir.Simplify")])(module)
    """

    def __init__(self, name: str, function: Callable | None = None) -> None:
        if function is None and name not in pass_names():
            raise LookupError(f"there is no pass {name!r}; there are {', '.join(sorted(set(pass_names())))}")
        self.name, self.function = name, function

    def __call__(self, mod: Any) -> Any:
        if isinstance(need(mod, (IRModule, LoweredFunc), "what a pass is run on"), LoweredFunc):
            return self(IRModule({mod.name: mod}))[mod.name]
        if self.function is None:
            return IRModule({name: run_passes(f, [self.name]) for name, f in mod.items()})
        return IRModule({name: self.function(f, mod, PassContext.current()) for name, f in mod.items()})

    def __repr__(self) -> str:
        return f"Pass({self.name})"


class Sequential(Runnable):
    """Passes one after another.

    Parameters
    ----------
    passes : list of Pass
    opt_level : int, optional
        Accepted; all run.
    name : str, optional
    """

    def __init__(self, passes: Sequence[Pass | Sequential], opt_level: int = 0, name: str = "sequential") -> None:
        self.passes = [need(p, (Pass, Sequential), "a pass of Sequential") for p in passes]
        self.opt_level, self.name = opt_level, name

    def __call__(self, mod: Any) -> Any:
        for one in self.passes:
            mod = one(mod)
        return mod


def prim_func_pass(pass_func: Callable | None = None, opt_level: int = 0, name: str | None = None,
                   required: Sequence[str] | None = None) -> Any:
    """A decorator that makes a pass of a Python function; see :class:`Pass`.

    Parameters
    ----------
    pass_func : callable, optional
    opt_level : int, optional
        Accepted.
    name : str, optional
    required : list of str, optional
        Accepted.
    """

    def make(function: Callable) -> Pass:
        return Pass(name or function.__name__, function)

    return make if pass_func is None else make(pass_func)

"""Lowered functions, as Python programs hold and show them."""

from __future__ import annotations

import contextlib
import contextvars
from typing import TYPE_CHECKING

from ._show import show_script
from .error import NotOfferedError, Refusing

if TYPE_CHECKING:
    from typing import Callable, ItemsView, Iterator

    from .te import PrimFunc

_HEADER = "# from tvm.script import tir as T\n@tvm.script.ir_module\nclass Module:\n"

_style = contextvars.ContextVar("print_style", default="primfn")


@contextlib.contextmanager
def print_style(style: str) -> Iterator[None]:
    """Chooses how ``print`` shows lowered functions inside the block.

    Parameters
    ----------
    style : str
        ``"primfn"``, the default, or ``"tvmscript"``, which later releases of TVM print.
    """
    if style not in ("primfn", "tvmscript"):
        raise ValueError(f"no style {style!r}; there are primfn and tvmscript")
    token = _style.set(style)
    try:
        yield
    finally:
        _style.reset(token)


class LoweredFunc(Refusing):
    """A lowered function; ``print`` shows it in the ``primfn`` style, or as :func:`print_style` says.

    Parameters
    ----------
    texts : Callable[[str], str]
    keep : object, optional

    Attributes
    ----------
    name : str
        The name it is exported under.
    """

    def __init__(self, name: str, texts: Callable[[str], str], keep: object | None = None) -> None:
        self.name = name
        self._texts = texts
        self._keep = keep

    def script(self) -> str:
        """The function as TVMScript."""
        return self._texts("tvmscript")

    def astext(self) -> str:
        """The function in the ``primfn`` style."""
        return self._texts("primfn")

    def show(self) -> None:
        """Shows the TVMScript, in colours where the output can."""
        show_script(self.script())

    def __repr__(self):
        return self._texts(_style.get())


class IRModule(Refusing):
    """Functions by name.

    Parameters
    ----------
    functions : dict of str to LoweredFunc or PrimFunc
    """

    def __init__(self, functions: dict[str, LoweredFunc | PrimFunc] | None = None) -> None:
        self.functions = dict(functions or {})

    def __getitem__(self, name: str) -> LoweredFunc | PrimFunc:
        return self.functions[name]

    def __setitem__(self, name, func):
        self.functions[name] = func

    def __iter__(self):
        return iter(self.functions)

    def __len__(self):
        return len(self.functions)

    def items(self) -> ItemsView:
        """Names and functions."""
        return self.functions.items()

    def get_global_vars(self) -> list[str]:
        """Names of the functions."""
        return list(self.functions)

    def script(self) -> str:
        """All functions as TVMScript."""
        parts = [f.script() for f in self.functions.values()]
        if len(parts) == 1 and parts[0].lstrip().startswith(("@", "#")) and "class Module" in parts[0]:
            return parts[0]
        body = "".join(_indent(p) for p in parts)
        return f"{_HEADER}{body}    \n"

    def show(self, style: str | None = None) -> None:
        """Shows the TVMScript, in colours where the output can.

        Parameters
        ----------
        style : str, optional
            Name of a Pygments style.
        """
        show_script(self.script(), style)

    def __repr__(self):
        return "\n".join(str(f) for f in self.functions.values())


def _indent(script):
    """A function's script, four columns to the right."""
    return "".join(f"    {line}\n" if line else "\n" for line in script.rstrip("\n").split("\n"))


class Schedule:
    """Holds a module to look at; schedules are made on tensor expressions, see :mod:`vta.te`.

    Parameters
    ----------
    mod : IRModule or PrimFunc

    Attributes
    ----------
    mod : IRModule
    """

    def __init__(self, mod: IRModule | PrimFunc) -> None:
        self.mod = mod if isinstance(mod, IRModule) else IRModule({mod.name: mod})

    def __getattr__(self, name):
        raise NotOfferedError(f"tir.Schedule.{name} is not offered: schedule tensor expressions with "
                                  "te.create_schedule")

    def show(self) -> None:
        """Shows the module's TVMScript."""
        self.mod.show()

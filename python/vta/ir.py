"""Lowered functions, as Python programs hold and show them."""

from __future__ import annotations

import contextlib
import contextvars
import ctypes
from typing import TYPE_CHECKING

from . import _bindings as b
from ._check import need
from ._lib import DIAG, call, lib, release
from ._show import show_script
from .error import NotOfferedError, Refusing
from .expr import Expr, ExprOp, equal
from .stmt import Stmt
from .te.prim_func import PrimFunc, _symbol_of

if TYPE_CHECKING:
    from typing import Any, ItemsView, Iterator, KeysView, ValuesView

    from ._context import Context

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


_STYLES = {"primfn": b.VTAC_STYLE_PRIMFN, "tvmscript": b.VTAC_STYLE_TVMSCRIPT}


class LoweredFunc(PrimFunc):
    """A lowered function; ``print`` shows it in the ``primfn`` style, or as :func:`print_style` says.

    Parameters
    ----------
    name : str
    context : Context
        What it was made in; kept as long as the function.
    handle : int
        A ``vtac_func *`` that this object takes over.
    of : LoweredFunc, optional
        The function that it was made from, whose memory it shares.

    Attributes
    ----------
    name : str
        The name it is exported under.
    """

    def __init__(self, name: str, context: Context, handle: int, of: LoweredFunc | None = None) -> None:
        self.name, self.context, self.handle = name, context, handle
        self._whole = of
        self._by_hand = False  # passes are still to run
        self._release = release(self, lib.vtac_func_release, handle, context, of)  # the context keeps the memory it is in

    def _leave_to_context(self):
        """Has the function live as long as its context: parts of it are given out, which know only that."""
        whole: LoweredFunc | None = self
        while whole is not None:
            whole._release.detach()
            whole = whole._whole

    def _texts(self, style):
        out = ctypes.c_void_p()
        call(lib.vtac_func_print, self.handle, _STYLES[style], DIAG, ctypes.byref(out))
        try:
            return ctypes.string_at(out.value or 0).decode("utf-8").removesuffix("\n")  # print adds it again
        finally:
            lib.vta_string_free(out.value)

    @property
    def params(self) -> list[Expr]:
        """The parameters, as variables."""
        self._leave_to_context()
        count = lib.vtac_func_param_count(self.handle)
        return [Expr(self.context, lib.vtac_func_param(self.handle, i)) for i in range(count)]

    @property
    def attrs(self) -> dict[str, Any]:
        """Attributes of the function: ``global_symbol`` is its name."""
        return {"global_symbol": self.name, "tir.noalias": True, "from_legacy_te_schedule": True}

    def with_attr(self, attr_key_or_dict: str | dict[str, Any], attr_value: Any = None) -> LoweredFunc:
        """A copy with an attribute set; ``global_symbol`` is the name under which it is exported.

        Parameters
        ----------
        attr_key_or_dict : str or dict
        attr_value : object, optional
        """
        copy = object.__new__(LoweredFunc)
        copy.__dict__.update(self.__dict__)
        copy._whole, copy.name = self, _symbol_of(attr_key_or_dict, attr_value, self.name)
        return copy

    @property
    def body(self) -> Stmt:
        """What it does, as a tree of statements (:mod:`vta.stmt`)."""
        self._leave_to_context()
        return Stmt(self.context, self, lib.vtac_func_body(self.handle))

    def script(self) -> str:
        """The function as TVMScript."""
        return self._texts("tvmscript")

    def astext(self) -> str:
        """The function in the ``primfn`` style."""
        return self._texts("primfn")

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

    def keys(self) -> KeysView:
        """Names of the functions."""
        return self.functions.keys()

    def values(self) -> ValuesView:
        """The functions."""
        return self.functions.values()

    def update(self, other: IRModule | dict) -> None:
        """Takes the functions of another module, too.

        Parameters
        ----------
        other : IRModule or dict
        """
        self.functions.update(other.items())

    def get_global_var(self, name: str) -> str:
        """The name itself, where there is a function of that name.

        Parameters
        ----------
        name : str
        """
        if name not in self.functions:
            raise ValueError(f"there is no function {name}; there are {', '.join(self.functions)}")
        return name

    def astext(self, show_meta_data: bool = True) -> str:
        """All functions in the ``primfn`` style.

        Parameters
        ----------
        show_meta_data : bool, optional
            Accepted; there is none.
        """
        return "\n".join(f.astext() for f in self.functions.values())

    @staticmethod
    def from_expr(expr: LoweredFunc | PrimFunc) -> IRModule:
        """The module of one function.

        Parameters
        ----------
        expr : LoweredFunc or PrimFunc
        """
        if hasattr(type(expr), "_as_module"):  # a network of the compatibility package, which is its own module
            return expr._as_module()  # type: ignore[union-attr]
        function = need(expr, (LoweredFunc, PrimFunc), "what a module is made of")
        return IRModule({function.name: function})

    def get_global_vars(self) -> list[str]:
        """Names of the functions."""
        return list(self.functions)

    def script(self, show_meta: bool = False) -> str:
        """All functions as TVMScript.

        Parameters
        ----------
        show_meta : bool, optional
            Accepted; there is no meta data.
        """
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


def structural_equal(lhs: Any, rhs: Any, map_free_vars: bool = False) -> bool:
    """Whether two functions, modules, expressions, or lists of them are the same but for the names of what they define.

    Parameters
    ----------
    lhs, rhs : LoweredFunc, IRModule, Expr, number or list
    map_free_vars : bool, optional
        Names of all variables of expressions may differ.
    """
    if isinstance(lhs, LoweredFunc) and isinstance(rhs, LoweredFunc):
        out = ctypes.c_bool()
        call(lib.vtac_func_equal, lhs.handle, rhs.handle, DIAG, ctypes.byref(out))
        return out.value
    if isinstance(lhs, IRModule) and isinstance(rhs, IRModule):
        lhs, rhs = lhs.functions, rhs.functions
    if isinstance(lhs, dict) and isinstance(rhs, dict):
        return set(lhs) == set(rhs) and all(structural_equal(lhs[k], rhs[k], map_free_vars) for k in lhs)
    if isinstance(lhs, (list, tuple)) and isinstance(rhs, (list, tuple)):
        return len(lhs) == len(rhs) and all(structural_equal(a, b_, map_free_vars) for a, b_ in zip(lhs, rhs))
    if isinstance(lhs, (ExprOp, int, float)) and isinstance(rhs, (ExprOp, int, float)):
        return equal(lhs, rhs, map_free_vars)
    return bool(type(lhs) is type(rhs) and lhs == rhs)


def assert_structural_equal(lhs: Any, rhs: Any, map_free_vars: bool = False) -> None:
    """Raises ValueError, which shows both, where :func:`structural_equal` is False.

    Parameters
    ----------
    lhs, rhs : LoweredFunc, IRModule, Expr, number or list
    map_free_vars : bool, optional
    """
    if not structural_equal(lhs, rhs, map_free_vars):
        raise ValueError(f"these differ:\n{lhs}\nand\n{rhs}")


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

"""The unscheduled computation as a function of blocks."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

from .._check import items, name_of, need
from .._lib import lib, text
from .._show import show_script
from ..error import NotOfferedError, Refusing
from ..stmt import Stmt
from .tensor import Tensor


if TYPE_CHECKING:
    from typing import Any, Callable, ClassVar, Sequence



def create_prim_func(ops: Sequence[Tensor], index_dtype_override: str | None = None) -> PrimFunc:
    """The unscheduled computation as a function, one block for each stage.

    Parameters
    ----------
    ops : list of Tensor
        Inputs, then outputs.
    index_dtype_override : str, optional
        The type of indices: that of the shapes, or an error.

    Returns
    -------
    func : PrimFunc
    """
    args = [need(t, Tensor, "an argument of create_prim_func") for t in items(ops)]
    wanted = index_dtype_override if index_dtype_override is None else need(index_dtype_override, str, "index_dtype_override")
    for found in (getattr(extent, "dtype", "int32") for t in args for extent in t.shape):
        if wanted not in (None, found):
            raise NotOfferedError(f"create_prim_func: indices are {found}, as the shapes are; index_dtype_override={wanted!r} is not offered")
    return PrimFunc(args)


def _symbol_of(key, value, name):
    """The name that attributes give a function; `name` where they give none."""
    attrs = key if isinstance(key, dict) else {key: value}
    unknown = set(attrs) - {"global_symbol", "tir.noalias"}
    if unknown:
        raise NotImplementedError(f"function attribute {sorted(unknown)[0]!r} is not offered")
    return name_of(attrs.get("global_symbol", name), "the name of a function").decode()


class _Function(type):
    """Functions of tensors, and, with a statement, functions made by hand."""

    #: Makes a function of a statement. vta.build, which is made of this module, fills it in.
    by_hand: ClassVar[Callable[..., Any]]

    @property
    def __signature__(cls) -> inspect.Signature:
        """What its constructor takes, which the call below hides."""
        whole = inspect.signature(cls.__init__)  # type: ignore[misc]
        return whole.replace(parameters=list(whole.parameters.values())[1:])

    def __call__(cls, *args, **kwargs):
        if isinstance(kwargs.get("body", args[1] if args[1:] else None), Stmt):
            return cls.by_hand(*args, **kwargs)
        return super().__call__(*args, **kwargs)


class PrimFunc(Refusing, metaclass=_Function):
    """A function of tensors; ``print`` shows it as TVMScript. ``PrimFunc([A, B], stmt)`` is a function made by hand; see
    :func:`vta.build.function`.

    Parameters
    ----------
    args : list of Tensor
    name : str, optional
        The name it is exported under.
    """

    def __init__(self, args: list[Tensor], name: str = "main") -> None:
        self.args, self.name = args, name

    def with_attr(self, attr_key_or_dict: str | dict[str, Any], attr_value: Any = None) -> PrimFunc:
        """A copy with an attribute set; ``global_symbol`` is the name.

        Parameters
        ----------
        attr_key_or_dict : str or dict
        attr_value : object, optional
        """
        return PrimFunc(self.args, _symbol_of(attr_key_or_dict, attr_value, self.name))

    def show(self, style: str | None = None) -> None:
        """Shows the TVMScript, in colours where the output can.

        Parameters
        ----------
        style : str, optional
            Name of a Pygments style.
        """
        show_script(self.script(), style if style is None else need(style, str, "the style of PrimFunc.show"))

    def astext(self) -> str:
        """The function as TVMScript, the only form of blocks."""
        return self.script()

    def script(self) -> str:
        """The function as TVMScript."""
        if not self.args:
            raise ValueError("a function needs arguments: its inputs, then its outputs")
        context = need(self.args[0], Tensor, "an argument of a function").context.newest()
        handles = context.handles_of(self.args, Tensor, "an argument of a function")
        name = name_of(self.name, "the name of a function")
        found = lib.te_prim_func_text(context.handle, len(self.args), handles, name)
        return text(context.made(found))

    def __repr__(self):
        return self.script()

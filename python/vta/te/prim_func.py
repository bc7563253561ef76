"""The unscheduled computation as a function of blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._context import array_of
from .._lib import lib, text
from .tensor import Tensor


if TYPE_CHECKING:
    from typing import Any, Sequence



def create_prim_func(args: Sequence[Tensor]) -> PrimFunc:
    """The unscheduled computation as a function, one block for each stage.

    Parameters
    ----------
    args : list of Tensor
        Inputs, then outputs.

    Returns
    -------
    func : PrimFunc
    """
    return PrimFunc(list(args))


class PrimFunc:
    """A function of tensors; ``print`` shows it as TVMScript.

    Parameters
    ----------
    args : list of Tensor
    name : str, optional
        The name it is exported under.
    """

    def __init__(self, args: list[Tensor], name: str = "main") -> None:
        self.args, self.name = args, name

    def with_attr(self, key: str | dict[str, Any], value: Any = None) -> PrimFunc:
        """A copy with an attribute set; ``global_symbol`` is the name.

        Parameters
        ----------
        key : str or dict
            Accepted, without effect.
        value : object, optional
        """
        attrs = key if isinstance(key, dict) else {key: value}
        unknown = set(attrs) - {"global_symbol", "tir.noalias"}
        if unknown:
            raise NotImplementedError(f"function attribute {sorted(unknown)[0]!r} is not offered")
        return PrimFunc(self.args, attrs.get("global_symbol", self.name))

    def script(self) -> str:
        """The function as TVMScript."""
        context = self.args[0].context
        handles = array_of([t.handle for t in self.args])
        found = lib.te_prim_func_text(context.handle, len(self.args), handles, self.name.encode())
        return text(context.made(found))

    def __repr__(self):
        return self.script()

"""TVMScript is shown by this package, not read: importing it works, using it says so."""

from __future__ import annotations

from typing import NoReturn


from vta.error import NotOfferedError


class _NotOffered:
    """Says of every attribute that it is not offered."""

    def __init__(self, name):
        self._name = name

    def __getattr__(self, attribute):
        raise NotOfferedError(f"{self._name}.{attribute} is not offered: TVMScript is printed by this package, "
                                  "but not parsed")


tir = _NotOffered("tvm.script.tir")


def ir_module(mod: object) -> NoReturn:
    """Not offered: TVMScript is printed, but not parsed."""
    raise NotImplementedError("tvm.script.ir_module is not offered: TVMScript is printed by this package, not parsed")

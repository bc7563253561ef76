"""What ``with`` blocks leave open, each thread's own."""

from __future__ import annotations

import threading
from typing import Generic, TypeVar

T = TypeVar("T")


class Blocks(threading.local, Generic[T]):
    """The open ``with`` blocks of one class in this thread, outermost first."""

    def __init__(self) -> None:
        super().__init__()
        self._open: list[T] = []

    def enter(self, block: T) -> T:
        self._open.append(block)
        return block

    def leave(self) -> None:
        self._open.pop()

    def innermost(self) -> T | None:
        return self._open[-1] if self._open else None

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
        """Opens a block inside those that are open."""
        self._open.append(block)
        return block

    def leave(self) -> None:
        """Closes the innermost block."""
        self._open.pop()

    def innermost(self) -> T | None:
        """The innermost open block; None outside any."""
        return self._open[-1] if self._open else None

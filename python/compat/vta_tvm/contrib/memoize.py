"""Results that are computed once."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any, Callable

__all__ = ["memoize"]


def memoize(key: str, save_at_exit: bool = False) -> Callable[[Callable], Callable]:
    """A decorator of functions that are computed once for each set of arguments, within the process.

    Parameters
    ----------
    key : str
        A name of the results.
    save_at_exit : bool, optional
        Only False: nothing is written to disk.
    """
    if save_at_exit:
        raise NotImplementedError(f"memoize({key!r}): results are kept within the process and not saved at its exit")

    def decorate(function: Callable) -> Callable:
        cache: dict[Any, Any] = {}

        @functools.wraps(function)
        def once(*args: Any) -> Any:
            if args not in cache:
                cache[args] = function(*args)
            return cache[args]

        return once

    return decorate

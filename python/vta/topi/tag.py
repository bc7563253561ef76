"""Tags that say what kind of operator a computation is."""

from __future__ import annotations

ELEMWISE = "elemwise"
BROADCAST = "broadcast"
INJECTIVE = "injective"
COMM_REDUCE = "comm_reduce"


def is_broadcast(tag: str) -> bool:
    """Whether a tag means element by element, broadcast included.

    Parameters
    ----------
    tag : str
    """
    return tag in (ELEMWISE, BROADCAST) or tag.startswith((ELEMWISE, BROADCAST))


def is_injective(tag: str) -> bool:
    """Whether a tag means one element of each input at most for one of the output.

    Parameters
    ----------
    tag : str
    """
    return is_broadcast(tag) or tag.startswith(INJECTIVE)

"""What is going on."""

from __future__ import annotations

__all__ = ["GLOBAL_SCOPE"]


class _Scope:
    """The state of the process.

    Attributes
    ----------
    in_tuning : bool
        Whether a tuner is at work.
    """

    in_tuning = False


GLOBAL_SCOPE = _Scope()

"""What programs attach to computations and axes, as they get it back: numbers and texts that have a value."""

from __future__ import annotations

import json
from typing import Any

from ..expr import Extent


class Text(str):
    """A text that has what constants have."""

    __slots__ = ()

    @property
    def value(self) -> str:
        """The text."""
        return str(self)


class Attributes(dict):
    """Attributes of a computation by name; as text they are JSON."""

    def __str__(self) -> str:
        return json.dumps(self, default=str)


def kept(value: Any) -> Any:
    """A value as it is given back.

    Parameters
    ----------
    value : object
    """
    if isinstance(value, dict):
        return Attributes({key: kept(part) for key, part in value.items()})
    if isinstance(value, (list, tuple)):
        return [kept(part) for part in value]
    if isinstance(value, int) and not isinstance(value, bool):
        return Extent(value)
    return Text(value) if isinstance(value, str) else value

"""What public calls say when an argument is of another kind than they take: always a TypeError that names both."""

from __future__ import annotations

from typing import Any


def kind_error(value: object, what: str, expected: str) -> TypeError:
    """The TypeError for an argument.

    Parameters
    ----------
    value : object
        What was given.
    what : str
        Which argument it is, such as ``"the axis of vectorize"``.
    expected : str
        Such as ``"an axis (IterVar)"``.
    """
    given = f"the text {value!r}" if isinstance(value, str) else f"{value!r}" if value is None else \
        f"a value of type {type(value).__name__}"
    return TypeError(f"{what} is {expected}, not {given}")


def need(value: Any, kind: type | tuple[type, ...], what: str) -> Any:
    """The value itself, which must be of a class (or one of a tuple of classes)."""
    if not isinstance(value, kind):
        kinds = kind if isinstance(kind, tuple) else (kind,)
        raise kind_error(value, what, "of type " + " or ".join(k.__name__ for k in kinds))
    return value


def name_of(value: object, what: str) -> bytes:
    """Bytes of a name; must be a string."""
    if not isinstance(value, str):
        raise kind_error(value, what, "a string")
    return value.encode()


#: Types without their width.
_SHORT = {"float": "float32", "int": "int32", "uint": "uint32"}


def type_of(value: object) -> bytes:
    """Bytes of a type's name: a string, or a type of numpy (``numpy.int8``, ``numpy.dtype("int8")``)."""
    if isinstance(value, str):
        return _SHORT.get(value, value).encode()
    kind = value if isinstance(value, type) else type(value)
    name = getattr(value, "name", None) or getattr(value, "__name__", None)
    if kind.__module__.partition(".")[0] != "numpy" or not isinstance(name, str):
        raise kind_error(value, "a type", "a name such as \"int32\"")
    return name.encode()


def whole(value: Any, what: str) -> int:
    """An integer of 64 bits: also numpy's, a constant expression, or a float without a fraction (``N / 4``)."""
    index = int(value) if isinstance(value, float) and value.is_integer() else getattr(value, "__index__", None)
    if index is None:
        raise kind_error(value, what, "an integer")
    number = index if isinstance(index, int) else index()
    if not -(2**63) <= number < 2**63:
        raise ValueError(f"{what} is {number}, beyond the integers of 64 bits")
    return number


def items(value: Any) -> Any:
    """A list from one object or several."""
    return list(value) if isinstance(value, (tuple, list)) else [value]

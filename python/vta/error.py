"""Errors of the C libraries as Python exceptions."""

from __future__ import annotations

import difflib
import functools
import inspect
from types import FunctionType
from typing import TYPE_CHECKING

from . import _bindings
from ._instead import instead

if TYPE_CHECKING:
    from typing import Callable


class VTAError(RuntimeError):
    """A call into the C libraries failed.

    Attributes
    ----------
    status : int
        The ``vta_status`` code, see ``include/vta/status.def``.
    details : str
        The loops that the message is about, as text, where it is about loops; else empty.
    """

    status = _bindings.VTA_INTERNAL
    details = ""

    @staticmethod
    def make(status: int, message: str, details: str = "") -> BaseException:
        """The exception for a status code: the class that Python users expect for its kind of failure.

        Parameters
        ----------
        message : str
        details : str
        """
        if status == _bindings.VTA_INTERRUPTED:
            return KeyboardInterrupt(message)
        error = _CLASSES.get(status, VTAError)(message)
        error.status = status
        error.details = details
        return error


class VTAValueError(VTAError, ValueError):
    """An argument is wrong by itself, leaves its bounds, or does not match what it is used with."""


class VTALookupError(VTAError, LookupError):
    """A name, key or file does not exist."""


class VTAMemoryError(VTAError, MemoryError):
    """An allocation failed."""


class VTAIOError(VTAError, OSError):
    """The operating system refused to read or write."""


class VTASyntaxError(VTAError):
    """Text or bytes do not follow their format."""


class VTAUnsupportedError(VTAError, NotImplementedError):
    """This build, device or configuration cannot do it."""


class VTATimeoutError(VTAError, TimeoutError):
    """The device did not finish in time."""


class NotOfferedError(NotImplementedError, AttributeError):
    """A name that another stack has and this one does not: an AttributeError too, so that ``hasattr`` is False and
    ``getattr`` gives its default."""


class NotOfferedArgumentError(NotImplementedError, TypeError):
    """Arguments that a function does not take: a TypeError too."""


def _misfit(function, name, args, kwargs):
    """What is wrong with a call whose arguments do not fit the function's parameters."""
    parameters = inspect.signature(function).parameters
    takes = ", ".join(p for p in parameters if p != "self")
    unknown = [k for k in kwargs if k not in parameters]
    if unknown:
        return f"{name}: the parameter {unknown[0]!r} is not offered{instead(f'{name}.{unknown[0]}')}; it takes ({takes})"
    try:
        inspect.signature(function).bind(*args, **kwargs)
    except TypeError as error:
        return f"{name}: {error}; it takes ({takes})"
    return f"{name} takes ({takes})"


def explained(function: Callable, name: str) -> Callable:
    """The function itself, but arguments that do not fit its parameters are refused with its name and what it takes.

    Parameters
    ----------
    function : callable
    name : str
        Its full name, for messages.
    """

    @functools.wraps(function)
    def call(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except TypeError as error:
            if error.__traceback__ is None or error.__traceback__.tb_next is not None:
                raise  # from inside the function
        raise NotOfferedArgumentError(_misfit(function, name, args, kwargs))

    return call


class Refusing:
    """Says of attributes that a class does not have that they are not offered, in an error that is an AttributeError, and
    of arguments that a method does not take the same, in one that is a TypeError."""

    __slots__ = ()

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        for name, member in list(vars(cls).items()):
            public = not name.startswith("_") or name == "__init__"
            if isinstance(member, FunctionType) and public:
                full = cls.__name__ if name == "__init__" else f"{cls.__name__}.{name}"
                setattr(cls, name, explained(member, full))

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            found = getattr(type(self), name, None)
            if isinstance(found, property):  # which raised an AttributeError: once more, for its words
                return found.__get__(self)
            if name.startswith("_"):
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            near = difflib.get_close_matches(name, [n for n in dir(type(self)) if not n.startswith("_")], 1)
            full = f"{type(self).__name__}.{name}"
            raise NotOfferedError(f"{full} is not offered" + (f"; there is {near[0]}" if near else instead(full)))


class NotOfferedTargetError(NotImplementedError, ValueError):
    """A target that another stack has and this one does not: a ValueError too."""


class NotOfferedModuleError(ImportError, NotImplementedError):
    """A module that another stack has and this one does not: an ImportError too, for ``try: import ... except``."""


_CLASSES = {
    _bindings.VTA_INVALID_ARGUMENT: VTAValueError,
    _bindings.VTA_OUT_OF_RANGE: VTAValueError,
    _bindings.VTA_MISMATCH: VTAValueError,
    _bindings.VTA_CONFIG: VTAValueError,
    _bindings.VTA_NOT_FOUND: VTALookupError,
    _bindings.VTA_NO_MEMORY: VTAMemoryError,
    _bindings.VTA_IO: VTAIOError,
    _bindings.VTA_PARSE: VTASyntaxError,
    _bindings.VTA_UNSUPPORTED: VTAUnsupportedError,
    _bindings.VTA_TIMEOUT: VTATimeoutError,
}

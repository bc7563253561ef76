"""Errors of the C libraries as Python exceptions."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from . import _bindings


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


class Refusing:
    """Says of attributes that a class does not have that they are not offered, in an error that is an AttributeError."""

    __slots__ = ()

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            found = getattr(type(self), name, None)
            if isinstance(found, property):  # which raised an AttributeError: once more, for its words
                return found.__get__(self)
            if name.startswith("_"):
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            near = difflib.get_close_matches(name, [n for n in dir(type(self)) if not n.startswith("_")], 1)
            raise NotOfferedError(f"{type(self).__name__}.{name} is not offered"
                                  + (f"; there is {near[0]}" if near else ""))


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

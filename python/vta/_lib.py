"""Finds and loads libvta and libvtac, and calls them.

``lib.NAME(...)`` is a C function of the public headers, resolved at its first use. ``call(lib.NAME, ...)`` calls one
that returns a ``vta_status`` and raises :class:`vta.VTAError` with the library's words when it is not ``VTA_OK``; it
passes the thread's list of diagnostics where the marker ``DIAG`` stands.
"""

from __future__ import annotations

import _thread
import ctypes
import os
import threading
import weakref
from collections.abc import Callable
from typing import Any, NoReturn

from . import _bindings
from .error import VTAError

#: Seconds until Ctrl-C that came while an object was given back comes again.
_SOON = 0.01

_HERE = os.path.dirname(os.path.abspath(__file__))


def _candidates(name):
    """Where a library may be, in the order in which it is looked for."""
    file = f"lib{name}.so"
    versioned = f"{file}.{_bindings.SOVERSION}"  # the name that packages have, where nothing is linked with it
    chosen = os.environ.get("VTA_LIBRARY_PATH")
    if chosen:
        yield os.path.join(chosen, file)
        return
    yield os.path.join(_HERE, versioned)
    yield os.path.join(_HERE, "..", "..", "build", file)
    yield versioned


def _load(name):
    tried = []
    for path in _candidates(name):
        try:
            # Compiled kernels look the runtime up among the process's global symbols.
            return ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL), path
        except OSError as error:
            tried.append(f"  {path}: {error}")
    raise ImportError(
        f"lib{name}.so was not found. Build it with `make`, or name its folder in VTA_LIBRARY_PATH. Tried:\n"
        + "\n".join(tried)
    )


#: What fits into an integer of the C API. ctypes itself cuts what does not.
_RANGES = {
    ctypes.c_int64: (-(2**63), 2**63 - 1),
    ctypes.c_int32: (-(2**31), 2**31 - 1),
    ctypes.c_uint32: (0, 2**32 - 1),
}
#: Their numbers are checked before, or are the front end's own; every expression takes them.
_UNCHECKED = ("te_int", "te_apply")


def _checked(function, arguments):
    """A function that refuses integers which its parameters cannot hold.

    Python code run by ctypes (``from_param``) is no place for this: an interrupt that comes in it is turned into an
    ``ArgumentError``.
    """
    ranges = [_RANGES.get(a) for a in arguments]

    def checked(*args):
        for value, limits in zip(args, ranges):
            if limits and isinstance(value, int) and not limits[0] <= value <= limits[1]:
                raise ValueError(f"the number {value} does not fit: it can be {limits[0]} to {limits[1]}")
        return function(*args)

    checked.__name__ = function.__name__  # of the C function, as without the check: schedules record it
    return checked


class _Library:
    """The functions of both libraries as attributes."""

    def __init__(self):
        self._handles = {}

    def path(self, name):
        """The file a library ("vta" or "vtac") was loaded from."""
        self._handle(name)
        return self._handles[name][1]

    def _handle(self, name):
        if name not in self._handles:
            self._handles[name] = _load(name)
        return self._handles[name][0]

    def __getattr__(self, function):
        try:
            library, result, arguments = _bindings.FUNCTIONS[function]
        except KeyError:
            raise AttributeError(f"the C API has no function {function}") from None
        if library == "vtac":
            self._handle("vta")
        # An object of this thread's: as an attribute of the handle it would be shared with a thread that calls it already.
        found = self._handle(library)[function]
        found.restype = result
        found.argtypes = arguments
        if function not in _UNCHECKED and any(a in _RANGES for a in arguments):
            found = _checked(found, arguments)
        setattr(self, function, found)
        return found


lib = _Library()


def release(owner: object, free: Callable[..., Any], *handle: Any) -> weakref.finalize:
    """Calls ``free(*handle)`` when `owner` is gone, and not at the interpreter's end: modules and what they hold go in
    any order then, and the system takes the memory anyway. `handle` may carry what must live as long.

    Parameters
    ----------
    owner : object
    free : callable
        A C function; called with the first of `handle`.

    Returns
    -------
    finalizer : weakref.finalize
    """
    finalizer = weakref.finalize(owner, _free, free, *handle)
    finalizer.atexit = False
    return finalizer


def _free(free, handle, *_keep):
    try:
        free(handle)
    except KeyboardInterrupt:  # Python prints and forgets what is raised where an object goes: it comes again, outside
        threading.Timer(_SOON, _thread.interrupt_main).start()

#: Stands for the thread's list of diagnostics among the arguments of :func:`call`.
DIAG = object()


class _List:
    """A C list of diagnostics."""

    def __init__(self):
        self.handle = lib.vta_diag_create(None)
        if not self.handle:
            raise MemoryError("out of memory")
        release(self, lib.vta_diag_destroy, self.handle)


class _Diagnostics(threading.local):
    """One list for each thread, made when the thread needs it first; it goes with the thread."""

    list: _List | None = None


_diagnostics = _Diagnostics()


def diagnostics() -> Any:
    """The thread's list of diagnostics, a ``vta_diag *``."""
    mine = _diagnostics.list
    if mine is None:
        mine = _diagnostics.list = _List()
    return mine.handle


def call(function: Callable[..., int], *args: Any) -> None:
    """Calls a C function that returns a ``vta_status``; raises :class:`vta.VTAError` when it fails."""
    diag = diagnostics()
    lib.vta_diag_clear(diag)  # what a call that went well noted
    status = function(*[diag if a is DIAG else a for a in args])
    if status:
        raise_status(status, diag)


def raise_status(status: int, diag: Any = None, without: str | None = None) -> NoReturn:
    """Raises the :class:`vta.VTAError` for a status, with the text of a list of diagnostics, which is cleared. Lines that begin with
    `without`, a position that does not belong to the call, lose it."""
    text = details = ""
    if diag:
        text = lib.vta_diag_text(diag).decode("utf-8", "replace")
        details = lib.vta_diag_details(diag).decode("utf-8", "replace")
        lib.vta_diag_clear(diag)
    if without:
        text = "".join(line.removeprefix(without) for line in text.splitlines(True))
    raise VTAError.make(status, text or lib.vta_status_text(status).decode(), details)


def text(value: bytes | None) -> Any:
    """A Python string from a C string that belongs to the library, or None."""
    return None if value is None else value.decode("utf-8", "replace")


def take_text(pointer: Any) -> str:
    """A Python string from a C string that the caller has to free."""
    if not pointer:
        raise MemoryError("out of memory")
    try:
        return ctypes.string_at(pointer).decode("utf-8", "replace")
    finally:
        lib.vta_string_free(pointer)


def utf8(value: object) -> bytes | None:
    """Bytes for a ``const char *`` argument; None stays NULL."""
    return None if value is None else str(value).encode("utf-8")

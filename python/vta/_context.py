"""The C library's compile context of tensors, expressions and schedules.

Programs never see it: what is made under one environment shares a context until something is lowered, and a context is
freed with the last Python object that belongs to it. So a loop that builds kernel after kernel gives each kernel's memory
back, whichever variables of the last round are still bound. Contexts of one environment and thread mix: one that uses
another's objects keeps it."""

from __future__ import annotations

import ctypes
import itertools
import os
import sys
import threading
import weakref
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from . import _lib
from ._check import need
from ._interrupt import watch
from ._lib import lib
from .error import NotOfferedError
from ._settings import current as current_settings

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep


_numbers = itertools.count()
_living: "weakref.WeakValueDictionary[int, Context]" = weakref.WeakValueDictionary()  # contexts by number, for what is unpickled


def living_context(process: int, number: int) -> Context:
    """The context of what was pickled: tensors and schedules are read again by the process that has them, while it does."""
    context = _living.get(number) if process == os.getpid() else None
    if context is None:
        raise NotOfferedError("tensors and schedules are unpickled only in the process that made them, while it has them: keep compiled "
                              "kernels with Module.save, lowered functions as text with PrimFunc.script()")
    return context


def _user_line():
    """The file and line of the user's program that is running; None where there is none."""
    frame = sys._getframe(1)
    while frame and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    return (frame.f_code.co_filename, frame.f_lineno) if frame else None


class Context:
    """A ``te_context``.

    Parameters
    ----------
    config : Config
        The hardware configuration whose constants and types it knows.
    """

    def __init__(self, config):
        self.config = config
        self.handle = lib.te_context_create(config.handle, None)
        if not self.handle:
            raise MemoryError("out of memory")
        self._values, self._used = {}, set()
        self._at = None  # the file and line that the library was told last
        self.attrs = {}  # of computations, by their first tensor: what programs gave them
        self.intrins = {}  # that tensorize was given, by their handles
        self._thread = threading.get_ident()
        self._number = next(_numbers)
        _living[self._number] = self
        _lib.release(self, lib.te_context_destroy, self.handle)

    def __reduce__(self):
        return living_context, (os.getpid(), self._number)

    def _raise(self, status):
        stale = self._at if self._at and self._at != _user_line() else None  # of a call before this one
        _lib.raise_status(status, lib.te_context_diag(self.handle), stale and f"{stale[0]}:{stale[1]}:0: ")

    def fail(self) -> None:
        """Raises what the context's list of diagnostics says, and clears it."""
        self._raise(lib.te_context_status(self.handle) or 15)

    def made(self, handle: Any) -> Any:
        """The handle that a C function returned; raises when it is NULL."""
        if not handle:
            self.fail()
        return handle

    def done(self, status: int) -> None:
        """Raises when a status is not ``VTA_OK``."""
        if status:
            self._raise(status)

    def here(self) -> Any:
        """Begins a call: tells the library which line of the user's program is running, for its messages, and forgets what it said
        before."""
        lib.vta_diag_clear(lib.te_context_diag(self.handle))
        self._at = _user_line()
        if self._at:
            lib.te_context_at(self.handle, self._at[0].encode(), self._at[1], 0)

    def value_of_axis(self, axis: Any) -> Any:
        """The expression of an axis, made once."""
        key = axis.value or 0
        if key not in self._values:
            self._values[key] = self.made(lib.te_axis_value(self.handle, axis))
        return self._values[key]

    def owner_check(self, other: Context) -> None:
        """Refuses what was made under another environment; keeps the context of what this one uses."""
        if other is self or other in self._used:
            return
        if other.config is not self.config or other._thread != self._thread:
            raise ValueError(
                "this mixes tensors, axes or schedules that were made under different environments or in different "
                "threads; make all of one computation under one `with vta.Environment(...)`"
            )
        self.done(lib.te_context_use(self.handle, other.handle))
        self._used.add(other)

    def newest(self) -> Context:
        """The context for what is made of this one's objects now."""
        return current(self.config) if self._thread == threading.get_ident() else self

    def handle_of(self, value: Any, kind: type | tuple[type, ...], what: str) -> Any:
        """The C handle of an object of this context; TypeError when it is of another class than `kind`."""
        self.owner_check(need(value, kind, what).context)
        return value.handle

    def handles_of(self, values: Iterable[Any], kind: type | tuple[type, ...], what: str) -> Any:
        """A C array of the handles of several objects."""
        return array_of([self.handle_of(v, kind, what) for v in values])

    def run(self, work: Callable[[], Any]) -> Any:
        """Runs `work()`, which is long and inside the library, so that Ctrl-C stops it."""
        mine = False
        lib.vta_diag_clear(lib.te_context_diag(self.handle))
        try:
            mine = watch.begin(self._stop, object())
            lib.te_context_interrupt(self.handle, False)
            return work()
        except KeyboardInterrupt:
            lib.vta_diag_clear(lib.te_context_diag(self.handle))  # what the stopped work left there
            raise
        finally:
            if mine:
                watch.work = None

    def _stop(self):
        lib.te_context_interrupt(self.handle, True)


class _Current(threading.local):
    """Each thread's living contexts, by configuration."""

    def __init__(self):
        super().__init__()
        self.contexts = weakref.WeakValueDictionary()


_current = _Current()


def current(config: Any = None) -> Context:
    """The context that new objects belong to in this thread; made when there is none alive.

    Parameters
    ----------
    config : Config, optional
        The configuration of their environment; without it the current environment's.

    Returns
    -------
    context : Context
        Kept alive by whoever holds it, that is, by every object made with it.
    """
    config = config or current_settings().config
    context = _current.contexts.get(id(config))
    if context is None or context.config is not config:
        context = Context(config)
        _current.contexts[id(config)] = context
    return context


def close(context: Context) -> None:
    """Has what is made from now on belong to another context: a kernel is complete."""
    if _current.contexts.get(id(context.config)) is context:
        del _current.contexts[id(context.config)]


def array_of(handles: Sequence[Any]) -> Any:
    """A C array of pointers from a sequence of addresses."""
    return (ctypes.c_void_p * max(1, len(handles)))(*handles)

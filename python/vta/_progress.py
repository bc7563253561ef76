"""A progress bar for long work, on terminals and in notebooks."""

from __future__ import annotations

import ctypes
import sys
import time
import warnings

_AFTER = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
_PATIENCE = 1.0  # seconds before a bar appears


class Progress:
    """Shows a bar once work has taken a second; :mod:`tqdm` draws it where it is installed.

    Parameters
    ----------
    title : str
    total : int
        Steps in all; 0 where nobody knows.
    """

    def __init__(self, title, total):
        self._title, self._total, self._done = title, total, 0
        self._bar = None
        self._begin = time.monotonic()
        self._watched = sys.stderr.isatty() or "ipykernel" in sys.modules
        self._step = _AFTER(lambda user, event: self.step())

    @property
    def callback(self) -> int | None:
        """Address of a C function that makes a step; None where nobody watches."""
        return ctypes.cast(self._step, ctypes.c_void_p).value if self._watched else None

    def advance(self) -> None:
        """One step is done; shown where somebody watches."""
        if self._watched:
            self.step()

    def step(self) -> None:
        """One step is done."""
        self._done += 1
        if self._bar is None and time.monotonic() - self._begin > _PATIENCE:
            self._bar = self._open()
        if self._bar is not None:
            self._bar.update(self._done - self._bar.n)

    def _open(self):
        try:
            with warnings.catch_warnings():  # of notebooks without ipywidgets, where the bar is text
                warnings.simplefilter("ignore")
                from tqdm.auto import tqdm
        except ImportError:
            return _Line(self._title, self._total)
        return tqdm(total=self._total or None, desc=self._title, leave=False)

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.close()

    def close(self) -> None:
        """Takes the bar away."""
        if self._bar is not None:
            self._bar.close()


class _Line:
    """The same without tqdm: one line that is written over."""

    def __init__(self, title, total):
        self._title, self._total, self.n = title, total, 0

    def update(self, steps):
        self.n += steps
        of = f" of {self._total}" if self._total else ""
        sys.stderr.write(f"\r{self._title}: {self.n}{of}")
        sys.stderr.flush()

    def close(self) -> None:
        sys.stderr.write("\r\033[K")
        sys.stderr.flush()

"""Ctrl-C during long work inside the libraries.

Python runs its signal handlers between bytecodes, so never while a C function runs. But its C-level handler writes the
signal's number into a pipe at once (`signal.set_wakeup_fd`), where a thread of this module waits: it tells the library
to stop what it does, the C function returns, and Python's own handler raises KeyboardInterrupt as everywhere else.

A call costs about a microsecond. The pipe is put in place at most ten times a second, as other packages set it
too; what they wait for is passed on."""

import functools
import os
import select
import signal
import threading
import time

_SIGINT = int(signal.SIGINT)
_AGAIN = 0.005  # seconds after which work that goes on is told again: a run may just have begun
_ARM = 0.1  # seconds for which the pipe is taken to be in place

_main = threading.main_thread().ident
_ident, _clock = threading.get_ident, time.monotonic
_set_wakeup_fd = functools.partial(signal.set_wakeup_fd, warn_on_full_buffer=False)


class _Watch:
    """What the main thread is doing inside the library."""

    __slots__ = ("work", "undo", "armed", "read", "write", "replaced", "other", "owner", "poll", "lock")

    def __init__(self):
        self.work = None  # (function that stops it, any object that is this piece of work's own, undo)
        self.undo = None  # what takes the last stop back
        self.armed = -1.0
        self.read = self.write = self.other = -1
        self.replaced = []  # descriptors whose place the pipe has taken
        self.owner, self.poll = 0, None
        self.lock = threading.Lock()  # what is stopped is the work at hand, not what began meanwhile

    def arm(self):
        """Puts the pipe in place; in the main thread."""
        self.armed = _clock()
        if not self.owner:  # the first time, also in a forked child
            self.read, self.write = os.pipe()
            os.set_blocking(self.read, False)
            os.set_blocking(self.write, False)
            poll = select.poll()
            poll.register(self.read, select.POLLIN)
            self.poll = poll.poll
            self.owner, self.other = os.getpid(), -1
            threading.Thread(target=self._wait, name="vta-interrupt", daemon=True).start()
        # In one call of C: an interrupt between two bytecodes would lose the descriptor that was there.
        self.replaced.extend(map(_set_wakeup_fd, (self.write,)))
        with self.lock:
            self._find_other()

    def _find_other(self):
        """Who else waits for signals: the last descriptor that the pipe has replaced. With the lock."""
        while self.replaced:
            before = self.replaced[0]
            if before != self.write:
                self.other = before
            del self.replaced[0]

    def forked(self):
        """In a forked child there is no waiting thread, nobody holds the lock, and the pipe is the parent's."""
        mine, other = (self.read, self.write) if self.owner else (), self.other
        self.__init__()
        if not mine:
            return
        try:
            signal.set_wakeup_fd(other)
        except (OSError, ValueError):  # gone meanwhile
            signal.set_wakeup_fd(-1)
        for end in mine:
            os.close(end)

    def begin(self, stop, token, undo=None):
        """Work begins that `stop()`, called in another thread, ends early.

        Parameters
        ----------
        stop : callable
        token : object
            Of this piece of work and no other, so that an interrupt never meets the next one.
        undo : callable, optional
            Takes `stop` back, where that is not the work's own; called when the work has ended.

        Returns
        -------
        mine : bool
            Whether the caller has to set `work` to None at the end; by a plain assignment in a ``finally``, as any
            call might be where KeyboardInterrupt is raised.
        """
        if _ident() != _main:
            return False
        if _clock() - self.armed > _ARM:
            self.arm()
        with self.lock:
            if self.poll(0):
                self._take()  # signals from before are not meant for this work: Python's handler sees to them
            self._take_back()
            self.work = (stop, token, undo)
        return True

    def _take_back(self):
        if self.undo is not None:
            self.undo()
            self.undo = None

    def _take(self):
        """The signals in the pipe, passed on to who else waits for them."""
        try:
            signals = os.read(self.read, 64)
        except BlockingIOError:
            return b""
        self._find_other()
        if self.other >= 0:
            try:
                os.write(self.other, signals)
            except OSError:
                self.other = -1
        return signals

    def _wait(self):
        poll = select.poll()
        poll.register(self.read, select.POLLIN)
        while True:
            poll.poll()
            with self.lock:
                work = self.work if _SIGINT in self._take() else None
            while work is not None and self.work is work:
                with self.lock:
                    if self.work is work:
                        self.undo = work[2]
                        work[0]()
                time.sleep(_AGAIN)
            with self.lock:
                self._take_back()


watch = _Watch()
os.register_at_fork(after_in_child=watch.forked)

"""The runtimes of environments: a device, its memory and its counters for each hardware configuration."""

from __future__ import annotations

import ctypes
import os
import threading

from ._lib import DIAG, call, lib
from ._settings import Config, current as current_settings

__all__ = ["Runtime", "ensure_runtime", "enabled"]


class Runtime:
    """A device and the buffers on it.

    Parameters
    ----------
    config : vta.environment.Config
        Its hardware configuration.
    default : bool
        Whether it is the process's default runtime, which also programs outside Python use.
    """

    def __init__(self, config: Config, default: bool) -> None:
        self.config, self.default = config, default
        if default:
            self.handle = None
            call(lib.vta_runtime_reconfigure, config.handle, None, None, DIAG)
            self._stopped = lib.vta_runtime_current()
            return
        out = ctypes.c_void_p()
        call(lib.vta_runtime_create, config.handle, None, None, None, DIAG, ctypes.byref(out))
        self.handle = self._stopped = out.value

    def stop(self) -> None:
        """Ends the run that is going on early; from any thread."""
        lib.vta_runtime_interrupt(self._stopped)

    def use(self) -> None:
        """Makes it the calling thread's runtime."""
        if _thread.used is not self:
            lib.vta_runtime_use(self.handle)
            _thread.used = self


class _Thread(threading.local):
    used: Runtime | None = None


_thread = _Thread()
_runtimes: dict[str, Runtime] = {}  # by the configuration's JSON text: arrays made on a runtime stay valid for the process's life
_lock = threading.Lock()


def _forked():
    """In a forked child nobody holds the lock."""
    global _lock  # pylint: disable=global-statement
    _lock = threading.Lock()


os.register_at_fork(after_in_child=_forked)


def ensure_runtime() -> Runtime:
    """The runtime of the current environment, made at its first use, as the calling thread's.

    Returns
    -------
    runtime : Runtime
    """
    env = current_settings()
    runtime = getattr(env, "_runtime", None)
    if runtime is None:
        key = repr(sorted(env.cfg_dict.items()))
        with _lock:
            if key not in _runtimes:
                _runtimes[key] = Runtime(env.config, default=not _runtimes)
            runtime = env._runtime = _runtimes[key]
    runtime.use()
    return runtime


def enabled(target: str) -> bool:
    """Whether a target or device can be used in this process.

    Parameters
    ----------
    target : str
        ``"llvm"``, ``"cpu"``, ``"ext_dev"``, ``"rpc"``, …
    """
    return target.split()[0] in ("llvm", "cpu", "ext_dev", "c", "rpc")

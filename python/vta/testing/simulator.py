"""The simulators' counters and switches."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
from typing import TYPE_CHECKING

from .. import _bindings as b
from .._lib import DIAG, call, lib, take_text, utf8
from ..model import ALIVE
from ..runtime import ensure_runtime

if TYPE_CHECKING:
    from typing import Any, Iterator

_ORIGINAL = ("inp_load_nbytes", "wgt_load_nbytes", "acc_load_nbytes", "uop_load_nbytes", "out_store_nbytes",
             "gemm_counter", "alu_counter")


def enabled() -> bool:
    """Whether kernels run on a simulator."""
    return driver() in ("sim", "tsim")


def driver() -> str:
    """Name of the device of the runtime: ``"sim"``, ``"tsim"``, …"""
    ensure_runtime()
    return lib.vta_runtime_driver(None).decode()


def clear_stats() -> None:
    """Sets all counters to 0, those of compiled networks too."""
    ensure_runtime()
    lib.vta_runtime_clear_counters(None)
    for model in list(ALIVE):
        model.clear_stats()


def all_stats() -> dict[str, int]:
    """Every counter of the runtime and its device, and of the devices of compiled networks that are in use: sums.

    Returns
    -------
    stats : dict of str to int
        See ``include/vta/counters.def``.
    """
    ensure_runtime()
    counters = lib.vta_runtime_counters(None)
    every = json.loads(take_text(lib.vta_counters_to_json(ctypes.byref(counters))))
    for model in list(ALIVE):
        for name, value in model.stats().items():
            every[name] += value
    return every


def stats() -> dict[str, int]:
    """The counters that TVM's VTA shows: bytes moved and micro-ops executed.

    Returns
    -------
    stats : dict of str to int
        On ``tsim``, ``cycle_count`` besides.
    """
    every = all_stats()
    out = {name: every[name] for name in _ORIGINAL}
    if driver() == "tsim":
        out["cycle_count"] = every["cycles"]
    return out


@contextlib.contextmanager
def capture(path: str | os.PathLike) -> Iterator[None]:
    """Records the device runs inside the block as a program file, for ``vta profile``, ``vta debug`` and ``vta sim``.

    Parameters
    ----------
    path : str
        The file to write, at the end of the block; none is written when nothing ran.

    Examples
    --------
    >>> with simulator.capture("vadd.vta"):
    ...     kernel(a, b, c)
    """
    ensure_runtime()
    call(lib.vta_runtime_capture, None, utf8(os.fspath(path)), DIAG)
    try:
        yield
    finally:
        call(lib.vta_runtime_capture, None, None, DIAG)


@contextlib.contextmanager
def checking() -> Iterator[dict]:
    """Has the device check every run inside the block.

    Races, reads of on-chip elements that nothing in the run has written, and stores that the end does not wait for
    raise an error where the kernel is called.

    Yields
    ------
    findings : dict
        Filled at the end of the block: ``"races"`` and ``"unwritten"``, which are errors, and ``"warnings"`` of what
        boards do differently; each a list of dicts with ``"kind"``, instruction numbers and ``"text"``. See
        ``vta_device_findings_to_json`` in ``include/vta/device.h``.

    Examples
    --------
    >>> with simulator.checking() as found:
    ...     kernel(a, b, c)
    >>> found["warnings"]
    []
    """
    ensure_runtime()
    options = b.vta_device_options()
    options.check = True
    call(lib.vta_runtime_set_device_options, None, ctypes.byref(options), DIAG)
    findings: dict[str, Any] = {}
    try:
        yield findings
    finally:
        findings.update(json.loads(take_text(lib.vta_runtime_findings_to_json(None))))
        call(lib.vta_runtime_set_device_options, None, ctypes.byref(b.vta_device_options()), DIAG)


def debug_mode(flag: int) -> None:
    """Flag 1: runs count, and load micro-ops, but compute nothing; 0: back to normal.

    Parameters
    ----------
    flag : int
    """
    ensure_runtime()
    options = b.vta_device_options()
    options.skip_execution = bool(flag & 1)
    call(lib.vta_runtime_set_device_options, None, ctypes.byref(options), DIAG)

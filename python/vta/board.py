"""Boards: what a machine has of what their drivers need."""

from __future__ import annotations

import ctypes
import json
from typing import Any

from ._lib import DIAG, call, lib, take_text
from .environment import get_env

__all__ = ["board_check"]


def board_check(board: str | None = None) -> dict[str, Any]:
    """Looks at what this machine has of what a board's driver needs, before anything is run.

    Parameters
    ----------
    board : str, optional
        ``"pynq"``, ``"ultra96"``, ``"zcu104"`` or ``"de10nano"``; default: the environment's ``TARGET``. Where its registers
        and its memory are, ``$VTA_BOARD`` says.

    Returns
    -------
    answer : dict
        ``parts``, in the order in which they are put in place, each with ``name``, ``state`` (``"ok"``, ``"missing"`` or
        ``"unknown"``), ``found`` and ``advice``; ``missing``, how many are.
    """
    out = ctypes.c_void_p()
    name = None if board is None else board.encode()
    call(lib.vta_device_check, name, get_env().config.handle, None, DIAG, ctypes.byref(out))
    return json.loads(take_text(out))

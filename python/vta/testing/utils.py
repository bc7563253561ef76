"""Runs a test where the configuration says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import rpc
from ..environment import get_env

if TYPE_CHECKING:
    from typing import Any, Callable

    from ..environment import Environment
    from ..rpc import LocalSession


def run(run_func: Callable[[Environment, LocalSession], Any]) -> None:
    """Calls ``run_func(env, remote)`` with the current environment and a session for its target.

    Parameters
    ----------
    run_func : callable
    """
    env = get_env()
    if env.TARGET in ("sim", "tsim", "null"):
        run_func(env, rpc.LocalSession())
        return
    raise NotImplementedError(f"the target {env.TARGET} is a board: connect to its server with rpc.connect, and call the "
                              "function with that session")

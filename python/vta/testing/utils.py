"""Runs a test where the configuration says."""

from .. import rpc
from ..environment import get_env


def run(run_func):
    """Calls ``run_func(env, remote)`` with the current environment and a session for its target.

    Parameters
    ----------
    run_func : callable
    """
    env = get_env()
    if env.TARGET in ("sim", "tsim", "null"):
        run_func(env, rpc.LocalSession())
        return
    raise NotImplementedError(f"the target {env.TARGET} is a board: connections to boards come with the remote part")

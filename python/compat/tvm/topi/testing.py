"""See :mod:`vta.topi.testing` and :mod:`vta.topi.generic`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vta.target import Target
from vta_tvm.topi.generic import default_schedule
from vta_tvm.topi.nn import conv2d_nchw
from vta_tvm.topi.references import *  # noqa: F401,F403
from vta_tvm.topi.testing import *  # noqa: F401,F403
from .._refuse import refuse


def _scheduler_for(target):
    """The function that schedules operators for a target."""
    Target(target)  # raises where no target has this name
    return default_schedule


get_elemwise_schedule = get_broadcast_schedule = get_injective_schedule = get_reduce_schedule = _scheduler_for


def get_conv2d_nchw_implement(target: Any) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """The convolution of N C H W pictures and the function that schedules it."""
    return conv2d_nchw, _scheduler_for(target)


def dispatch(target: Any, dispatch_map: dict[str, Any]) -> Any:
    """What a dictionary has for the first of a target's keys that it knows, else for ``"generic"``.

    Parameters
    ----------
    target : Target or str
    dispatch_map : dict
    """
    for key in Target(target).keys:
        if key in dispatch_map:
            return dispatch_map[key]
    return dispatch_map["generic"]


__getattr__ = refuse("tvm.topi.testing")

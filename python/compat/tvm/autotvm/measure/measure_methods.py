"""Servers to measure on."""

from __future__ import annotations

import os
from typing import Any

from vta_tvm.autotvm.measure import LocalBuilder, LocalRunner, RPCRunner
from vta.rpc import connect_tracker
from ..._refuse import refuse

__all__ = ["LocalBuilder", "LocalRunner", "RPCRunner", "request_remote"]


def request_remote(device_key: str, host: str | None = None, port: int | str | None = None, priority: int = 1,
                   timeout: int = 60) -> Any:
    """A session on a server that a tracker hands out; host and port default to ``$TVM_TRACKER_HOST`` and ``_PORT``."""
    tracker = connect_tracker(host or os.environ["TVM_TRACKER_HOST"], int(port or os.environ["TVM_TRACKER_PORT"]))
    return tracker.request(device_key, priority=priority, session_timeout=timeout)


__getattr__ = refuse("tvm.autotvm.measure.measure_methods")

"""Servers to measure on."""

import os

from vta_tvm.autotvm.measure import LocalBuilder, LocalRunner, RPCRunner
from vta.rpc import connect_tracker
from ..._refuse import refuse

__all__ = ["LocalBuilder", "LocalRunner", "RPCRunner", "request_remote"]


def request_remote(device_key, host=None, port=None, priority=1, timeout=60):
    """A session on a server that a tracker hands out; host and port default to ``$TVM_TRACKER_HOST`` and ``_PORT``."""
    tracker = connect_tracker(host or os.environ["TVM_TRACKER_HOST"], int(port or os.environ["TVM_TRACKER_PORT"]))
    return tracker.request(device_key, priority=priority, session_timeout=timeout)


__getattr__ = refuse("tvm.autotvm.measure.measure_methods")

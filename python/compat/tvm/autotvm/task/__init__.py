"""See :mod:`vta.autotvm.task`."""

from importlib import import_module

from vta_tvm.autotvm.dispatcher import ApplyConfig, DispatchContext, FallbackContext
from vta_tvm.autotvm.extract import *  # noqa: F401,F403
from vta_tvm.autotvm.history import ApplyHistoryBest
from vta_tvm.autotvm.space import ConfigEntity, ConfigSpace, FallbackConfigEntity
from vta_tvm.autotvm.task import *  # noqa: F401,F403
from ..._refuse import refuse

dispatcher, space, task, topi_integration, relay_integration = (
    import_module(f"{__name__}.{part}") for part in ("dispatcher", "space", "task", "topi_integration", "relay_integration"))

__getattr__ = refuse("tvm.autotvm.task")

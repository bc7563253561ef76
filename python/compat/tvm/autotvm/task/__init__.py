"""See :mod:`vta.autotvm.task`."""

from importlib import import_module

from vta.autotvm.dispatcher import ApplyConfig, DispatchContext, FallbackContext
from vta.autotvm.extract import *  # noqa: F401,F403
from vta.autotvm.history import ApplyHistoryBest
from vta.autotvm.space import ConfigEntity, ConfigSpace, FallbackConfigEntity
from vta.autotvm.task import *  # noqa: F401,F403
from ..._refuse import refuse

dispatcher, space, task, topi_integration, relay_integration = (
    import_module(f"{__name__}.{part}") for part in ("dispatcher", "space", "task", "topi_integration", "relay_integration"))

__getattr__ = refuse("tvm.autotvm.task")

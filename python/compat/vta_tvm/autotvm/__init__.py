"""Templates and their tuning, as AutoTVM's users write them (docs/tuning.md): a function makes a schedule of choices (knobs), tuners try
choices on the timing model, logs keep what came of them.

The library's own operators have a tuner of their own, :func:`vta.tune`, which knows more about them.

Examples
--------
>>> from vta import autotvm
>>> task = autotvm.task.create("conv2d_packed.vta", args=(data, kernel, (1, 1), (1, 1), (1, 1), "NCHW1n16c", "int32"), target="ext_dev")
>>> tuner = autotvm.tuner.GATuner(task)
>>> tuner.tune(200, autotvm.measure_option("local", "local"), callbacks=[autotvm.callback.log_to_file("conv.log")])
>>> with autotvm.apply_history_best("conv.log"), vta.get_env().target:
...     s, args = ...
"""

from __future__ import annotations

from . import callback, dispatcher, entity, env, extract, history, measure, model, record, space, task, timing, tuner
from .dispatcher import DispatchContext, FallbackContext
from .env import GLOBAL_SCOPE
from .extract import TaskExtractEnv
from .history import ApplyHistoryBest, apply_history_best
from .measure import (
    LocalBuilder, LocalRunner, MeasureErrorNo, MeasureInput, MeasureResult, RPCRunner, create_measure_batch, measure_option,
)
from .space import ConfigEntity, ConfigSpace, FallbackConfigEntity
from .task import get_config, register_topi_compute, register_topi_schedule, template

__all__ = ["callback", "dispatcher", "entity", "env", "extract", "history", "measure", "model", "record", "space", "task", "timing", "tuner",
           "ApplyHistoryBest", "DispatchContext", "FallbackContext", "apply_history_best", "GLOBAL_SCOPE", "TaskExtractEnv",
           "LocalBuilder", "LocalRunner", "MeasureErrorNo", "MeasureInput", "MeasureResult", "RPCRunner", "create_measure_batch",
           "measure_option", "ConfigEntity", "ConfigSpace", "FallbackConfigEntity", "get_config", "register_topi_compute",
           "register_topi_schedule", "template", "module_loader", "vta_autotvm_build_func"]


def module_loader(bitstream: str | None = None) -> None:
    """For ``RPCRunner(module_loader=...)``: servers here have the runtime of their configuration already.

    Parameters
    ----------
    bitstream : None, optional
        Only None: load bitstreams with :func:`vta.program_fpga`.
    """
    if bitstream is not None:
        raise NotImplementedError("module_loader(bitstream=...) is not offered: load the bitstream first, with vta.program_fpga")



vta_autotvm_build_func = measure.default_build

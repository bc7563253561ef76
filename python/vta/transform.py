"""Options of a lowering, as a context."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from . import _bindings as b
from ._blocks import Blocks
from ._check import items
from ._lib import call, lib, text
from .error import Refusing

if TYPE_CHECKING:
    from typing import Any, Sequence

#: Options that may stand in a context's `config`.
_KNOWN = {
    "tir.add_lower_pass": "the accelerator's passes; any true value stands for them",
    "tir.disable_cse_tir": "leaves out common subexpression elimination",
    "tir.disable_vectorize": "leaves vectorized loops as they are",
    "tir.UnrollLoop": "a dictionary with auto_max_step",
    "tir.noalias": "accepted where true: arguments do not overlap",
    "tir.LoopPartition": "a dictionary with partition_const_loop",
    "tir.debug_keep_trivial_loop": "accepted; loops of one iteration are kept only by the printers",
    "te.keep_schedule_record": "schedules keep what each step made of them (Schedule.schedule_record)",
    "tir.instrument_bound_checkers": "accepted; the simulator checks every access",
}


def pass_names() -> list[str]:
    """Names of all passes of lowering, in their order; a name may occur more than once."""
    info, names = b.vtac_pass_info(), []
    for i in range(lib.vtac_pass_count()):
        call(lib.vtac_pass_get, i, ctypes.byref(info))
        names.append(text(info.name) or "")
    return names


class Runnable(Refusing):
    """What :mod:`vta.passes` runs on functions."""


class PassContext(Refusing):
    """Options for the lowerings inside its ``with`` block.

    Parameters
    ----------
    opt_level : int, optional
    required_pass, disabled_pass : list of str, optional
        Names of passes, such as ``"tir.CommonSubexprElimTIR"``.
    config : dict, optional
        ``tir.add_lower_pass`` (true: lower for the accelerator), ``tir.disable_cse_tir``, ``tir.disable_vectorize``,
        ``tir.UnrollLoop``, ``tir.LoopPartition``.
    instruments : None, optional
        Only None.

    Attributes
    ----------
    debug_flag : int
        Debug mode that the compiled function sets first; see :func:`vta.build_config`.
    """

    _blocks: Blocks[PassContext] = Blocks()

    def __init__(self, opt_level: int = 2, required_pass: Sequence[str] | None = None,
                 disabled_pass: Sequence[str] | None = None, instruments: None = None,
                 config: dict[str, Any] | None = None, debug_flag: int = 0) -> None:
        if instruments:
            raise NotImplementedError("pass instruments are not offered: `vta lower --after PASS` shows the IR")
        self.opt_level = opt_level
        self.required_pass = list(required_pass or [])
        self.disabled_pass = list(disabled_pass or [])
        self.config = dict(config or {})
        self.debug_flag = debug_flag
        unknown = sorted(set(self.config) - set(_KNOWN))
        if unknown:
            raise NotImplementedError(f"the option {unknown[0]!r} is not offered; there are "
                                      f"{', '.join(sorted(_KNOWN))}")
        if not self.config.get("tir.noalias", True):
            raise NotImplementedError("tir.noalias = False is not offered: arguments must not overlap")
        phases = self.config.get("tir.add_lower_pass")
        if isinstance(phases, (list, tuple)) and any(isinstance(part, Runnable) for item in phases for part in items(item)):
            raise NotImplementedError("passes of your own inside lower are not offered: run them on what lower, or "
                                      "schedule_to_module, gives")

    def __enter__(self):
        return PassContext._blocks.enter(self)

    def __exit__(self, kind, value, trace):
        PassContext._blocks.leave()

    @staticmethod
    def current() -> PassContext:
        """The innermost context; one with all defaults outside any."""
        return PassContext._blocks.innermost() or PassContext()

    @property
    def for_vta(self) -> bool:
        """Whether the accelerator's passes are asked for."""
        return bool(self.config.get("tir.add_lower_pass"))

    def disabled(self) -> list[str]:
        """Names of the passes left out."""
        names = list(self.disabled_pass)
        if self.config.get("tir.disable_cse_tir"):
            names.append("tir.CommonSubexprElimTIR")
        if self.config.get("tir.disable_vectorize"):
            names.append("tir.VectorizeLoop")
        return names

    @property
    def partition_const_loops(self) -> bool:
        """Whether loops with constant bounds are cut at their boundary checks, too."""
        return bool((self.config.get("tir.LoopPartition") or {}).get("partition_const_loop"))

    @property
    def unroll_max_step(self) -> int:
        """Loops of at most this many steps are unrolled; 0: only what asks for it."""
        return int((self.config.get("tir.UnrollLoop") or {}).get("auto_max_step", 0))

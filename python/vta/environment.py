"""The hardware configuration as Python programs see it."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from . import _bindings as b
from ._opcodes import AluOpcodes
from ._settings import Config, Settings, current
from .target import Target
from .te.computation import thread_axis
from .te.gemm import GemmIntrin

if TYPE_CHECKING:
    from .te.tensor import IterVar

__all__ = ["Config", "Environment", "DevContext", "get_env"]

_LOCAL_TARGETS = ("sim", "tsim", "rtl", "null", "intelfocl")
_HOST_TRIPLES = {
    "pynq": "llvm -mtriple=armv7-none-linux-gnueabihf",
    "de10nano": "llvm -mtriple=armv7-none-linux-gnueabihf",
    "ultra96": "llvm -mtriple=aarch64-linux-gnu",
    "zcu104": "llvm -mtriple=aarch64-linux-gnu",
}


class Environment(Settings):
    """A hardware configuration, with every size derived.

    Used as a context manager it becomes what :func:`get_env` returns inside the block.

    Parameters
    ----------
    cfg : dict of str to value, str, path or Config
        The keys of ``vta_config.json``, a file of them, or a board's name: ``"pynq"``.
    profile : str, path or dict, optional
        A timing profile by name, a file of its settings, or the settings, as ``--profile`` of the tool; else that of `cfg`.
    bus : int, optional
        Width of the memory bus in bits, as ``--bus``.

    Attributes
    ----------
    TARGET, HW_VER : str
        The device and the version of the hardware.
    LOG_INP_WIDTH, LOG_WGT_WIDTH, LOG_ACC_WIDTH, LOG_OUT_WIDTH : int
        log2 of the bits of a scalar, and the same without ``LOG_`` in bits.
    LOG_BATCH, LOG_BLOCK, LOG_BLOCK_IN, LOG_BLOCK_OUT : int
        log2 of the tile's sides, and the same without ``LOG_``. ``LOG_BLOCK`` and ``BLOCK`` exist where both are equal.
    LOG_UOP_BUFF_SIZE, LOG_INP_BUFF_SIZE, LOG_WGT_BUFF_SIZE, LOG_ACC_BUFF_SIZE, LOG_OUT_BUFF_SIZE : int
        log2 of the buffers' bytes, and the same without ``LOG_``.
    INP_ELEM_BITS, WGT_ELEM_BITS, ACC_ELEM_BITS, OUT_ELEM_BITS : int
        Bits of one element, and ``..._ELEM_BYTES`` in bytes.
    inp_dtype, wgt_dtype, acc_dtype, out_dtype : str
        Types of the scalars, such as ``"int8"``.
    inp_scope, wgt_scope, acc_scope : str
        Names of the on-chip memories for ``set_scope``.
    BITSTREAM, MODEL : str
        ``"1x16_i8w8a32_15_15_18_17"``, and the same after ``TARGET_``.

    Examples
    --------
    >>> import vta
    >>> with vta.Environment({"LOG_BATCH": 1, "LOG_ACC_BUFF_SIZE": 18}):
    ...     vta.get_env().BATCH
    2
    """

    @property
    def gemm(self) -> GemmIntrin:
        """The GEMM intrinsic of this configuration, for ``tensorize``."""
        return GemmIntrin(self)

    @property
    def dev(self) -> DevContext:
        """Constants that lowering works with; see :class:`DevContext`."""
        return DevContext(self)

    @property
    def target(self) -> Target:
        """The compilation target, with the model of this configuration."""
        return Target(f"ext_dev -keys=vta,cpu -model={self.MODEL}")

    @property
    def target_host(self) -> str:
        """The target of the host code: this machine for simulators, the board's processor else."""
        if self.TARGET in _LOCAL_TARGETS:
            return "llvm"
        return _HOST_TRIPLES.get(self.TARGET, "llvm")

    @property
    def target_vta_cpu(self) -> Target:
        """The target of operators that run on the host beside the accelerator."""
        return Target(f"{self.target_host} -keys=arm_cpu,cpu -device=arm_cpu -model={self.TARGET}")


class DevContext(AluOpcodes):
    """Constants of the runtime's interface: memory and queue numbers, ALU opcodes (docs/spec.md, sections 3 to 5).

    Parameters
    ----------
    env : Environment
        The environment it belongs to.
    """

    MEM_ID_UOP = b.VTA_MEM_UOP
    MEM_ID_WGT = b.VTA_MEM_WGT
    MEM_ID_INP = b.VTA_MEM_INP
    MEM_ID_ACC = b.VTA_MEM_ACC
    MEM_ID_OUT = b.VTA_MEM_OUT
    MEM_ID_ACC_8BIT = b.VTA_MEM_ACC_8BIT
    QID_LOAD_INP = b.VTA_STAGE_LOAD
    QID_LOAD_WGT = b.VTA_STAGE_LOAD
    QID_LOAD_OUT = b.VTA_STAGE_COMPUTE
    QID_STORE_OUT = b.VTA_STAGE_STORE
    QID_COMPUTE = b.VTA_STAGE_COMPUTE

    vta_push_uop = "VTAPushGEMMOp"

    def __init__(self, env: Environment) -> None:
        self.env = env

    @property
    def vta_axis(self) -> IterVar:
        """The thread axis that attributes of the accelerator's code stand on."""
        return thread_axis("vta")

    def get_task_qid(self, qid: int) -> int:
        """The queue number as it stands in the code: `qid` itself.

        Parameters
        ----------
        qid : int
        """
        return qid

    @property
    def gemm(self) -> GemmIntrin:
        """The GEMM intrinsic of the configuration."""
        return self.env.gemm


def get_env() -> Environment:
    """The current environment.

    Returns
    -------
    env : Environment
        The innermost ``with Environment(...)`` of this thread, else of the main thread, else the one from
        ``$VTA_CONFIG``, ``./vta_config.json`` or the built-in default, looked up once.
    """
    return cast(Environment, current())

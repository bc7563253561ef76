"""The hardware configuration as Python programs see it."""

from __future__ import annotations

import copy
import ctypes
import json
import threading
from typing import TYPE_CHECKING

from . import _bindings as b
from ._lib import DIAG, call, lib, release, take_text, text

if TYPE_CHECKING:
    from typing import Any

    from .target import Target
    from .te import GemmIntrin, IterVar

_LOCAL_TARGETS = ("sim", "tsim", "null", "intelfocl")
_HOST_TRIPLES = {
    "pynq": "llvm -mtriple=armv7-none-linux-gnueabihf",
    "de10nano": "llvm -mtriple=armv7-none-linux-gnueabihf",
    "ultra96": "llvm -mtriple=aarch64-linux-gnu",
    "zcu104": "llvm -mtriple=aarch64-linux-gnu",
}


class Config:
    """A configuration of the C library (``vta_config``); immutable.

    Parameters
    ----------
    handle : int
        A ``vta_config *`` whose reference this object takes over.
    """

    def __init__(self, handle: int) -> None:
        self.handle = handle
        release(self, lib.vta_config_release, handle)

    @staticmethod
    def find(path: str | None = None) -> Config:
        """From `path`, else ``$VTA_CONFIG``, else ``./vta_config.json``, else the built-in default."""
        out = ctypes.c_void_p()
        call(lib.vta_config_find, path.encode() if path else None, DIAG, ctypes.byref(out), None)
        return Config(out.value)

    @staticmethod
    def from_dict(cfg: dict[str, Any], name: str = "the given dictionary") -> Config:
        """From a dictionary with the keys of ``vta_config.json``.

        Parameters
        ----------
        cfg : dict[str, Any]
        name : str, optional
        """
        data = json.dumps(cfg).encode()
        out = ctypes.c_void_p()
        call(lib.vta_config_parse, data, len(data), name.encode(), DIAG, ctypes.byref(out))
        return Config(out.value)

    def to_dict(self) -> dict[str, Any]:
        """The keys of ``vta_config.json`` and their values."""
        return json.loads(take_text(lib.vta_config_to_json(self.handle)))


class Environment:
    """A hardware configuration, with every size derived.

    Used as a context manager it becomes what :func:`get_env` returns inside the block.

    Parameters
    ----------
    cfg : dict of str to value, or Config
        The keys of ``vta_config.json``.

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

    current = None

    MAX_XFER = 1 << 25
    DEBUG_DUMP_INSN = 1 << 1
    DEBUG_DUMP_UOP = 1 << 2
    DEBUG_SKIP_READ_BARRIER = 1 << 3
    DEBUG_SKIP_WRITE_BARRIER = 1 << 4
    inp_scope = "local.inp_buffer"
    wgt_scope = "local.wgt_buffer"
    acc_scope = "local.acc_buffer"

    def __init__(self, cfg: dict[str, Any] | Config) -> None:
        self.config = cfg if isinstance(cfg, Config) else Config.from_dict(cfg)
        handle = self.config.handle
        self.TARGET = text(lib.vta_config_target(handle))
        self.HW_VER = text(lib.vta_config_hw_version(handle))
        self.BITSTREAM = text(lib.vta_config_bitstream(handle))
        self.MODEL = text(lib.vta_config_model(handle))
        for field in range(b.VTA_CONFIG_FIELD_COUNT):
            key = text(lib.vta_config_field_name(field))
            value = lib.vta_config_get(handle, field)
            setattr(self, key, value)
            setattr(self, key[len("LOG_"):], 1 << value)
        self.LOG_OUT_WIDTH = self.LOG_INP_WIDTH
        self.OUT_WIDTH = self.INP_WIDTH
        self.LOG_OUT_BUFF_SIZE = self.LOG_ACC_BUFF_SIZE + self.LOG_OUT_WIDTH - self.LOG_ACC_WIDTH
        self.OUT_BUFF_SIZE = 1 << self.LOG_OUT_BUFF_SIZE
        if self.LOG_BLOCK_IN == self.LOG_BLOCK_OUT:
            self.LOG_BLOCK, self.BLOCK = self.LOG_BLOCK_IN, self.BLOCK_IN
        for name, rows, columns in (
            ("INP", self.BATCH, self.BLOCK_IN),
            ("WGT", self.BLOCK_OUT, self.BLOCK_IN),
            ("ACC", self.BATCH, self.BLOCK_OUT),
            ("OUT", self.BATCH, self.BLOCK_OUT),
        ):
            width = getattr(self, f"{name}_WIDTH")
            setattr(self, f"{name}_ELEM_BITS", rows * columns * width)
            setattr(self, f"{name}_ELEM_BYTES", rows * columns * width // 8)
            setattr(self, f"{name.lower()}_dtype", f"int{width}")
        self.mock_mode = False
        self._mock = None

    def __enter__(self):
        _mine.outer.append(_mine.current if _threaded() else Environment.current)
        _choose(self)
        return self

    def __exit__(self, kind, value, trace):
        _choose(_mine.outer.pop())

    def __repr__(self):
        return f"Environment({self.MODEL})"

    @property
    def cfg_dict(self) -> dict[str, Any]:
        """The keys of ``vta_config.json`` and their values."""
        return self.config.to_dict()

    @property
    def mock(self) -> Environment:
        """The same environment whose pragmas and intrinsics do nothing, to look at a schedule's structure."""
        if self.mock_mode:
            return self
        if self._mock is None:
            self._mock = copy.copy(self)
            self._mock.mock_mode = True
        return self._mock

    @property
    def dma_copy(self) -> str:
        """Name of the pragma that makes a copy one DMA transfer."""
        return "skip_dma_copy" if self.mock_mode else "dma_copy"

    @property
    def alu(self) -> str:
        """Name of the pragma that maps a computation to the tensor ALU."""
        return "skip_alu" if self.mock_mode else "alu"

    @property
    def gemm(self) -> GemmIntrin:
        """The GEMM intrinsic of this configuration, for ``tensorize``."""
        from .te import GemmIntrin  # te needs the environment, so it is imported where it is used

        return GemmIntrin(self)

    @property
    def dev(self) -> DevContext:
        """Constants that lowering works with; see :class:`DevContext`."""
        return DevContext(self)

    @property
    def target(self) -> Target:
        """The compilation target, with the model of this configuration."""
        from .target import Target

        return Target(f"ext_dev -keys=vta,cpu -model={self.MODEL}")

    @property
    def target_host(self) -> str:
        """The target of the host code: this machine for simulators, the board's processor else."""
        if self.TARGET in _LOCAL_TARGETS:
            return "llvm"
        return _HOST_TRIPLES.get(self.TARGET, "llvm")

    @property
    def target_vta_cpu(self) -> Target:
        """The target of operators that run on the processor beside the accelerator."""
        from .target import Target

        return Target(f"{self.target_host} -model={self.TARGET}")


class _Mine(threading.local):
    """What a thread's own ``with Environment(...)`` blocks chose; the main thread's hold for all that have none."""

    def __init__(self):
        super().__init__()
        self.current, self.outer = None, []


_mine = _Mine()


def _threaded():
    return threading.current_thread() is not threading.main_thread()


def _choose(env):
    if _threaded():
        _mine.current = env
    else:
        Environment.current = env


class DevContext:
    """Constants of the runtime's interface: memory and queue numbers, ALU opcodes (spec, sections 3 and 5).

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
    ALU_OPCODE_MIN = b.VTA_ALU_MIN
    ALU_OPCODE_MAX = b.VTA_ALU_MAX
    ALU_OPCODE_ADD = b.VTA_ALU_ADD
    ALU_OPCODE_SHR = b.VTA_ALU_SHR
    ALU_OPCODE_MUL = b.VTA_ALU_MUL
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
        from .te import thread_axis

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
    if _mine.current is not None:
        return _mine.current
    if Environment.current is None:
        Environment.current = Environment(Config.find())
    return Environment.current

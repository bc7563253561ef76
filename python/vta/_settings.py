"""Hardware configurations, and which one a thread works under: what :mod:`vta.environment` and the tensor expressions
are both made of."""

from __future__ import annotations

import copy
import ctypes
import json
import os
import threading
from typing import TYPE_CHECKING

from . import _bindings as b
from ._check import whole
from ._lib import DIAG, call, lib, release, take_text, text

if TYPE_CHECKING:
    from typing import Any, TypeVar, Union

    S = TypeVar("S", bound="Settings")
    Timing = Union[str, os.PathLike[str], dict[str, Any], None]


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
        """From `path`, or the board of that name, else ``$VTA_CONFIG``, else ``./vta_config.json``, else the built-in default."""
        out = ctypes.c_void_p()
        call(lib.vta_config_find, path.encode() if path else None, DIAG, ctypes.byref(out), None)
        return Config(out.value or 0)

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
        return Config(out.value or 0)

    def to_dict(self) -> dict[str, Any]:
        """The keys of ``vta_config.json`` and their values."""
        return json.loads(take_text(lib.vta_config_to_json(self.handle)))


    def with_timing(self, profile: Timing = None, bus: int | None = None) -> Config:
        """The same with another timing profile, as by ``--profile`` and ``--bus`` of the tool: its ``TIMING``. Schedules are
        chosen by it, and ``tsim`` counts by it.

        Parameters
        ----------
        profile : str, path or dict, optional
            A profile's name, such as ``"hls"``, a file of its settings, or the settings; else the configuration's own.
        bus : int, optional
            Width of the memory bus in bits.
        """
        settings = self.to_dict().get("TIMING", {}) if profile is None else _timing(profile)
        if bus is not None:
            settings = {**settings, "bus_bits": whole(bus, "bus")}
        out = ctypes.c_void_p()
        call(lib.vta_config_with_timing, self.handle, json.dumps(settings).encode(), DIAG, ctypes.byref(out))
        config = Config(out.value or 0)
        call(lib.vta_timing_profile_for, config.handle, DIAG, ctypes.byref(b.vta_timing_profile()))
        return config


def _timing(profile: str | os.PathLike[str] | dict[str, Any]) -> dict[str, Any]:
    """The settings of a profile; those of a vta_config.json, whose keys are capitals, are not among them."""
    if isinstance(profile, dict):
        return profile
    path = os.fspath(profile)
    if isinstance(profile, str) and "/" not in path and ".json" not in path:
        return {"profile": path}
    with open(path, encoding="utf-8") as file:
        settings = json.load(file)
    if not isinstance(settings, dict):
        raise ValueError(f"{path}: a timing profile is a JSON object")
    return {key: value for key, value in settings.items() if not key[:1].isupper()}


class Settings:
    """A hardware configuration with every size derived: all of :class:`vta.environment.Environment` that needs no tensor
    expressions.

    Parameters
    ----------
    cfg : dict of str to value, str, path or Config
        The keys of ``vta_config.json``, a file of them, or a board's name: ``"pynq"``.
    profile : str, path or dict, optional
    bus : int, optional
        Another timing profile, and the width of the memory bus: :meth:`Config.with_timing`.
    """

    current: Settings | None = None
    # Fields of the configuration's table, and what is derived from them.
    LOG_BATCH: int
    LOG_BLOCK: int
    LOG_BLOCK_IN: int
    LOG_BLOCK_OUT: int
    LOG_INP_WIDTH: int
    LOG_WGT_WIDTH: int
    LOG_ACC_WIDTH: int
    LOG_OUT_WIDTH: int
    LOG_UOP_BUFF_SIZE: int
    LOG_INP_BUFF_SIZE: int
    LOG_WGT_BUFF_SIZE: int
    LOG_ACC_BUFF_SIZE: int
    LOG_OUT_BUFF_SIZE: int
    BATCH: int
    BLOCK: int
    BLOCK_IN: int
    BLOCK_OUT: int
    INP_WIDTH: int
    WGT_WIDTH: int
    ACC_WIDTH: int
    OUT_WIDTH: int
    UOP_BUFF_SIZE: int
    INP_BUFF_SIZE: int
    WGT_BUFF_SIZE: int
    ACC_BUFF_SIZE: int
    OUT_BUFF_SIZE: int
    INP_ELEM_BITS: int
    WGT_ELEM_BITS: int
    ACC_ELEM_BITS: int
    OUT_ELEM_BITS: int
    INP_ELEM_BYTES: int
    WGT_ELEM_BYTES: int
    ACC_ELEM_BYTES: int
    OUT_ELEM_BYTES: int
    inp_dtype: str
    wgt_dtype: str
    acc_dtype: str
    out_dtype: str
    _mock: Any
    _runtime: Any

    #: The class that programs see, whose `current` is that of the main thread; the first that is derived.
    kind: type[Settings]

    MAX_XFER = 1 << 25
    DEBUG_DUMP_INSN = 1 << 1
    DEBUG_DUMP_UOP = 1 << 2
    DEBUG_SKIP_READ_BARRIER = 1 << 3
    DEBUG_SKIP_WRITE_BARRIER = 1 << 4
    inp_scope = "local.inp_buffer"
    wgt_scope = "local.wgt_buffer"
    acc_scope = "local.acc_buffer"

    def __init_subclass__(cls) -> None:
        if not hasattr(Settings, "kind"):
            Settings.kind = cls

    def __init__(self, cfg: dict[str, Any] | str | os.PathLike[str] | Config, *, profile: Timing = None,
                 bus: int | None = None) -> None:
        if isinstance(cfg, (str, os.PathLike)):
            self.config = Config.find(os.fspath(cfg))
        else:
            self.config = cfg if isinstance(cfg, Config) else Config.from_dict(cfg)
        if profile is not None or bus is not None:
            self.config = self.config.with_timing(profile, bus)
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
        _mine.outer.append(_mine.current if _threaded() else Settings.kind.current)
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
    def mock(self: S) -> S:
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
        Settings.kind.current = env


def current() -> Settings:
    """See :func:`vta.environment.get_env`."""
    if _mine.current is not None:
        return _mine.current
    if Settings.kind.current is None:
        Settings.kind.current = Settings.kind(Config.find())
    return Settings.kind.current

"""Compiled kernels: load, look up, call."""

from __future__ import annotations

import ctypes
import os
import statistics
import time
from typing import TYPE_CHECKING

from . import _bindings as b
from ._callbacks import Value as _Value, raised_in
from ._check import name_of
from ._interrupt import watch
from ._lib import DIAG, call, diagnostics, lib, raise_status, release, text, utf8
from .error import NotOfferedError, Refusing
from .ndarray import NDArray

if TYPE_CHECKING:
    from typing import Callable

    from ._context import Context
    from ._settings import Config
    from .ndarray import Device

__all__ = ["Function", "Module", "BuiltModule", "ScheduledModule", "load_module"]


def _stop_host():
    lib.vta_host_interrupt(True)


def _go_on():
    lib.vta_host_interrupt(False)


def _watched(arrays, token, function, *args):
    """``function(*args)``, a call with these arrays: it runs where they are, and Ctrl-C stops it."""
    mine = False
    try:
        for a in arrays:
            if a.runtime is not None:
                a.runtime.use()
                mine = watch.begin(a.runtime.stop, token)
                break
        else:
            mine = watch.begin(_stop_host, token, _go_on)
        return function(*args)
    except KeyboardInterrupt:
        lib.vta_diag_clear(diagnostics())  # what the stopped run left there
        raise
    finally:
        if mine:
            watch.work = None


def _raise(status, diag):
    """Raises for a failed call: the error of a Python function that compiled code called, else what the library says."""
    error = raised_in(text(lib.vta_diag_text(diag)) or "")
    if error is None:
        raise_status(status, diag)
    lib.vta_diag_clear(diag)
    raise error


class Function(Refusing):
    """A compiled function; call it with arrays and numbers.

    Parameters
    ----------
    address : int
        Where its code is.
    name : str
    module : object
        Kept alive as long as the function is.
    """

    def __init__(self, address: int, name: str, module: object) -> None:
        self.name = name
        self._address, self._module = address, module
        self._call = lib.vta_function_call_tensors
        self._call_any = lib.vta_function_call

    def __call__(self, *args: NDArray | int | float) -> int | float | None:
        try:
            tensors = (ctypes.c_void_p * len(args))(*[a.tensor for a in args])  # type: ignore[union-attr]
        except AttributeError:
            return self._call_mixed(args)
        diag = diagnostics()
        status = _watched(args, tensors, self._call, self._address, tensors, len(args), diag)
        if status:
            _raise(status, diag)
        return None

    def _call_mixed(self, args):
        """The general case: numbers, strings and numpy arrays among the arguments."""
        values, codes, keep = (_Value * max(1, len(args)))(), (ctypes.c_int * max(1, len(args)))(), []
        for i, a in enumerate(args):
            codes[i] = self._set(values[i], a, keep)
        out, out_code = _Value(), ctypes.c_int()
        diag = diagnostics()
        arrays = [a for a in args if isinstance(a, NDArray)]
        status = _watched(arrays, values, self._call_any, self._address, ctypes.byref(values), ctypes.byref(codes),
                          len(args), diag, ctypes.byref(out), ctypes.byref(out_code))
        if status:
            _raise(status, diag)
        return {b.VTA_ARG_INT: out.v_int64, b.VTA_ARG_FLOAT: out.v_float64}.get(out_code.value)

    @staticmethod
    def _set(value, arg, keep):
        """Stores an argument; returns its type code."""
        if isinstance(arg, NDArray):
            value.v_handle = arg.tensor
            return b.VTA_ARG_TENSOR
        if isinstance(arg, (bool, int)):
            value.v_int64 = int(arg)
            return b.VTA_ARG_INT
        if isinstance(arg, float):
            value.v_float64 = arg
            return b.VTA_ARG_FLOAT
        if isinstance(arg, str):
            keep.append(arg.encode())
            value.v_str = keep[-1]
            return b.VTA_ARG_STRING
        if arg is None:
            return b.VTA_ARG_NULL
        raise TypeError(f"a kernel takes arrays (vta.nd.array) and numbers, not {type(arg).__name__}")

    def time(self, *args: NDArray, number: int = 10, repeat: int = 3,
             min_repeat_ms: int = 0) -> list[float]:
        """Seconds of a call.

        Parameters
        ----------
        args : NDArray
        number : int, optional
            Calls a round.
        repeat : int, optional
            Rounds.
        min_repeat_ms : int, optional
            Rounds that are shorter get more calls.

        Returns
        -------
        seconds : list of float
            The mean of each round.
        """
        tensors = (ctypes.c_void_p * max(1, len(args)))(*[a.tensor for a in args])
        out = (ctypes.c_double * repeat)()
        _watched(args, tensors, call, lib.vta_function_time, self._address, tensors, len(args), number, repeat,
                 min_repeat_ms, DIAG, out)
        return list(out)

    def __repr__(self):
        return f"<vta.Function {self.name}>"


class Module(Refusing):
    """Compiled functions, loaded from a file.

    Calling the module calls its only (or first) function.

    Parameters
    ----------
    handle : int
        A ``vta_module *`` that this object takes over.
    """

    _destroy, _find = "vta_module_destroy", "vta_module_function"

    def __init__(self, handle: int) -> None:
        self.handle = handle
        self._entry_name: str | None = None
        self._functions: dict[str, Function] = {}
        release(self, getattr(lib, self._destroy), handle)

    def get_function(self, name: str, query_imports: bool = False) -> Function:
        """A function by name.

        Parameters
        ----------
        name : str
        query_imports : bool, optional
            Accepted; modules have no imports.

        Returns
        -------
        function : Function
        """
        if name not in self._functions:
            out = ctypes.c_void_p()
            call(getattr(lib, self._find), self.handle, name_of(name, "a function's name"), DIAG, ctypes.byref(out))
            self._functions[name] = Function(out.value or 0, name, self)
        return self._functions[name]

    def __getitem__(self, name: str) -> Function:
        return self.get_function(name)

    def implements_function(self, func_name: str, query_imports: bool = False) -> bool:
        """Whether it has a function of that name.

        Parameters
        ----------
        func_name : str
        query_imports : bool, optional
            Accepted; modules have no imports.
        """
        try:
            self.get_function(func_name)
        except LookupError:
            return False
        return True

    @property
    def imported_modules(self) -> list[Module]:
        """Modules that it imports: none, a module is one object."""
        return []

    @property
    def type_key(self) -> str:
        """What it is: ``"library"``, a file of machine code."""
        return "library"

    @property
    def function_names(self) -> list[str]:
        """Names of the functions, where the module can list them."""
        return lib.vta_module_function_names(self.handle).decode().split()

    @property
    def entry_func(self) -> Function:
        """The function that calling the module calls."""
        if self._entry_name is None:
            names = [n for n in self.function_names if not n.startswith("__")]
            if not names:
                raise LookupError("the module lists no functions: name one with get_function")
            self._entry_name = names[0]
        return self.get_function(self._entry_name)

    entry_name = property(lambda self: self.entry_func.name, doc="Name of :attr:`entry_func`.")

    def __call__(self, *args: NDArray | int | float) -> int | float | None:
        return self.entry_func(*args)

    def time_evaluator(self, func_name: str, dev: Device, number: int = 10, repeat: int = 1, min_repeat_ms: int = 0,
                       limit_zero_time_iterations: int = 100, cooldown_interval_ms: int = 0, repeats_to_cooldown: int = 1,
                       f_preproc: str = "") -> Callable[..., Timing]:
        """A function that times calls of `func_name`.

        Parameters
        ----------
        func_name : str
        dev : Device
        number, repeat, min_repeat_ms : int, optional
            As for :meth:`Function.time`.
        limit_zero_time_iterations : int, optional
            Accepted; no round takes no time.
        cooldown_interval_ms, repeats_to_cooldown : int, optional
            A pause after so many rounds.
        f_preproc : str, optional
            Accepted, without effect.

        Returns
        -------
        evaluator : callable
            From the kernel's arguments to a :class:`Timing`.
        """
        function = self.entry_func if func_name == self.entry_name else self.get_function(func_name)
        group = max(1, repeats_to_cooldown) if cooldown_interval_ms else repeat

        def evaluate(*args: NDArray) -> Timing:
            rounds: list[float] = []
            while len(rounds) < repeat:
                if rounds:
                    time.sleep(cooldown_interval_ms / 1000)
                rounds += function.time(*args, number=number, repeat=min(group, repeat - len(rounds)),
                                        min_repeat_ms=min_repeat_ms)
            return Timing(rounds)

        return evaluate


class Timing(Refusing):
    """Seconds of a kernel's rounds.

    Attributes
    ----------
    results : list of float
    mean, median, min, max, std : float
    """

    def __init__(self, results: list[float]) -> None:
        self.results = results
        self.mean = statistics.fmean(results)
        self.median = statistics.median(results)
        self.min, self.max = min(results), max(results)
        self.std = statistics.pstdev(results)

    def __repr__(self):
        return f"Timing(mean={self.mean:.6g} s, rounds={len(self.results)})"


class BuiltModule(Module):
    """A compiled function, from :func:`vta.build`.

    Parameters
    ----------
    handle : int
        A ``vtac_module *`` that this object takes over.
    names : list of str
        Names of the functions.
    context : object
        Kept alive as long as the module.
    kind : str, optional
        That of the target.
    """

    _destroy, _find = "vtac_module_destroy", "vtac_module_function"

    def __init__(self, handle: int, names: list[str], context: Context | Config, kind: str = "ext_dev") -> None:
        super().__init__(handle)
        self._entry_name, self._context, self._names = names[0], context, list(names)
        self._kind = kind
        self._emit: Callable[[int], str] | None = None

    @property
    def function_names(self) -> list[str]:
        """Names of the functions."""
        return list(self._names)

    @property
    def type_key(self) -> str:
        """What made it: ``"llvm"``, or ``"c"`` for the target of that name."""
        return "c" if self._kind == "c" else "llvm"

    def get_source(self, fmt: str = "") -> str:
        """The code as text.

        Parameters
        ----------
        fmt : str, optional
            ``"ll"`` (LLVM's IR, the default), ``"asm"`` or ``"s"``, ``"c"`` (the default for the target ``"c"``).

        Returns
        -------
        text : str
        """
        kinds = {"ll": b.VTAC_EMIT_LLVM, "asm": b.VTAC_EMIT_ASM, "s": b.VTAC_EMIT_ASM, "c": b.VTAC_EMIT_C}
        fmt = fmt or ("c" if self._kind == "c" else "ll")
        if fmt not in kinds:
            raise ValueError(f"no source as {fmt!r}; there are {', '.join(kinds)}")
        if self._emit is None:
            raise NotOfferedError("Module.get_source is not offered for modules whose schedule was chosen: kernel_file says "
                                  "what they are")
        return self._emit(kinds[fmt])

    @property
    def triple(self) -> str:
        """LLVM's triple of the host it is for."""
        return lib.vtac_module_triple(self.handle).decode()

    def save(self, file_name: str | os.PathLike, fmt: str = "") -> None:
        """Writes an object (``.o``) or, linked by the system's linker, a shared object (``.so``).

        Parameters
        ----------
        file_name : str
        fmt : str, optional
            Accepted; the ending of the name decides.
        """
        call(lib.vtac_module_save, self.handle, utf8(os.fspath(file_name)), DIAG)

    def export_library(self, file_name: str | os.PathLike, fcompile: None = None, addons: None = None,
                       workspace_dir: None = None) -> None:
        """Writes a shared object; see :meth:`save`.

        Parameters
        ----------
        file_name : str | os.PathLike
        fcompile, addons, workspace_dir : None, optional
            Only None: the system's linker links the one object.
        """
        if fcompile or addons or workspace_dir:
            raise NotOfferedError("export_library(fcompile=..., addons=..., workspace_dir=...) is not offered: save the object with "
                                  ".save(\"NAME.o\") and link it")
        self.save(file_name)


class ScheduledModule(BuiltModule):
    """A compiled function whose schedule the library chose: from ``vta.build(..., auto=True)`` or
    :meth:`vta.topi.Operator.module`.

    Parameters
    ----------
    op : int
        A ``vtac_op *`` that is scheduled; this object takes it over.
    result : vtac_op_result
        What came of scheduling.
    context : Config
        Kept alive as long as the module.

    Attributes
    ----------
    operator : str
        The operator that it is, such as ``"conv2d"``.
    schedule : str
        The schedule in words, and what limits it.
    kernel_file : str
        The kernel file with that schedule (docs/kernel-files.md).
    cycles : int
        What it takes by the timing model.
    bound : int
        Cycles that no schedule of this kind can beat.
    macs : int
        Multiplications that the operator means.
    considered, timed : int
        Schedules that fit the buffers, and those of them that were compiled and timed.
    schedule_ms, compile_ms : float
    """

    _destroy = "vtac_op_destroy"

    def __init__(self, op: int, result: b.vtac_op_result, context: Config) -> None:
        super().__init__(op, [text(lib.vtac_kernel_name(lib.vtac_op_kernel(op))) or ""], context)
        self._op, self.handle = op, lib.vtac_op_module(op)  # which belongs to the operator
        self.operator: str = text(lib.vtac_op_name(op)) or ""
        self.schedule: str = text(lib.vtac_op_report(op)) or ""
        self.kernel_file: str = text(lib.vtac_op_text(op)) or ""
        self.cycles, self.bound, self.macs = int(result.cycles), int(result.bound), int(result.macs)
        self.considered, self.timed = int(result.considered), int(result.timed)
        self.schedule_ms, self.compile_ms = float(result.schedule_ms), float(result.compile_ms)

    def __repr__(self):
        return f"<vta.ScheduledModule {self._entry_name}: {self.operator}, {self.cycles} cycles, bound {self.bound}>"


def load_module(path: str | os.PathLike) -> Module:
    """Loads a kernel from an object file (``.o``) or a shared object (``.so``).

    Parameters
    ----------
    path : str

    Returns
    -------
    module : Module
    """
    out = ctypes.c_void_p()
    call(lib.vta_module_load, utf8(os.fspath(path)), None, DIAG, ctypes.byref(out))
    return Module(out.value or 0)

"""From a schedule to lowered text and to compiled code."""

from __future__ import annotations

import contextlib
import ctypes
from typing import TYPE_CHECKING, cast

from . import _bindings as b
from . import _context
from ._check import name_of, need, whole
from ._lib import DIAG, call, lib, release, utf8
from ._progress import Progress
from .expr import Expr
from .ir import IRModule, LoweredFunc
from .module import BuiltModule, ScheduledModule
from .target import Target
from .te import Schedule, Tensor
from .transform import PassContext

if TYPE_CHECKING:
    from typing import Any

    from ._settings import Config

__all__ = ["build_config", "lower", "build"]

_STYLES = {"primfn": b.VTAC_STYLE_PRIMFN, "tvmscript": b.VTAC_STYLE_TVMSCRIPT}


def build_config(debug_flag: int = 0, **kwargs: Any) -> PassContext:
    """Options under which :func:`lower` and :func:`build` compile for the accelerator.

    Parameters
    ----------
    debug_flag : int, optional
        Debug mode that compiled functions set first (docs/spec.md, section 6): 2 dumps instructions, 4 micro-ops,
        32 forces serial execution.
    disabled_pass : list of str, optional
        Passes to leave out, such as ``"tir.CommonSubexprElimTIR"``.
    opt_level : int, optional
    config : dict, optional
        See :class:`vta.PassContext`.
    kwargs : Any
        Further options of TVM's function.

    Returns
    -------
    context : PassContext
        For a ``with`` statement.

    Examples
    --------
    >>> with vta.build_config(disabled_pass={"tir.CommonSubexprElimTIR"}):
    ...     print(vta.lower(s, [A, B, C]))
    """
    config = dict(kwargs.pop("config", None) or {})
    config["tir.add_lower_pass"] = True
    return PassContext(config=config, debug_flag=debug_flag, **kwargs)


def _options(context, simple_mode, config, progress):
    """A ``vtac_lower_options``, and what must stay alive as long as it is used."""
    names = [n.encode() for n in context.disabled()]
    disabled = (ctypes.c_char_p * max(1, len(names)))(*names)
    options = b.vtac_lower_options()
    options.config = config.handle if context.for_vta else None
    options.disabled, options.disabled_count = ctypes.addressof(disabled), len(names)
    options.simple = int(simple_mode)
    options.debug_flag = context.debug_flag if context.for_vta else 0
    options.unroll_max_step = context.unroll_max_step
    options.after = progress.callback
    return options, disabled


def _arguments(context, args):
    """A C array of ``vtac_arg``."""
    out = (b.vtac_arg * max(1, len(args)))()
    for slot, arg in zip(out, args):
        context.owner_check(need(arg, (Tensor, Expr), "an argument of a kernel").context)
        if isinstance(arg, Tensor):
            slot.tensor = arg.handle
        else:
            slot.scalar = arg.handle
    return out


def _list(args):
    return list(need(args if args is not None else [], (list, tuple), "the arguments of a kernel"))


def _lower(schedule, args, name, simple_mode):
    """(Context, ``vtac_func *``) of a schedule."""
    context = need(schedule, Schedule, "what is lowered").context
    symbol = name_of(name, "a function's name")
    context.here()
    passes = PassContext.current()
    out = ctypes.c_void_p()
    with Progress(f"lowering {name}", total=lib.vtac_pass_count()) as progress:
        options, _disabled = _options(passes, simple_mode, context.config, progress)
        arguments = _arguments(context, args)
        try:
            context.done(context.run(lambda: lib.vtac_lower(schedule.handle, len(args), arguments, symbol,
                                                            ctypes.byref(options), ctypes.byref(out))))
        finally:
            _context.close(context)
    return context, out.value


def _printer(context, func):
    """A function from a style's name to the text of a lowered function."""

    def text(style):
        out = ctypes.c_void_p()
        call(lib.vtac_func_print, func, _STYLES[style], DIAG, ctypes.byref(out))
        try:
            return ctypes.string_at(out.value).decode("utf-8").removesuffix("\n")  # print adds it again
        finally:
            lib.vta_string_free(out.value)

    release(text, lib.vtac_func_release, func, context)  # the context keeps the memory it is in
    return text


def tvm_lower(inputs: Schedule, args: list[Tensor | Expr] | None = None, name: str = "main", binds: None = None,
              simple_mode: bool = False) -> IRModule:
    """Lowers a schedule under the current :class:`vta.PassContext`, without the accelerator's passes outside one.

    The parameters are those of :func:`lower`.

    Parameters
    ----------
    inputs : Schedule
    args : list[Tensor | Expr], optional
    name : str, optional
    binds : None, optional
        Only None: buffers are laid out densely.
    simple_mode : bool, optional
    """
    if binds:
        raise NotImplementedError("lower(binds=...) is not offered: buffers are laid out densely")
    context, func = _lower(inputs, _list(args), name, simple_mode)
    return IRModule({name: LoweredFunc(name, _printer(context, func), (inputs, args))})


def _with_vta_passes():
    """The current context where it asks for the accelerator's passes, else one that does."""
    return contextlib.nullcontext() if PassContext.current().for_vta else build_config()


def lower(inputs: Schedule, args: list[Tensor | Expr] | None = None, name: str = "main", binds: None = None,
          simple_mode: bool = False) -> IRModule:
    """Lowers a schedule for the accelerator.

    Parameters
    ----------
    inputs : Schedule
    args : list of Tensor or Expr
        Parameters of the function, inputs and outputs.
    name : str, optional
    simple_mode : bool, optional
        For reading: leaves out loop partition.
    binds : None, optional
        Only None: buffers are laid out densely.

    Returns
    -------
    module : IRModule
        ``print`` shows it; ``.show()`` in the other style.
    """
    with _with_vta_passes():
        return tvm_lower(inputs, args, name, binds, simple_mode)


def tvm_build(inputs: Schedule, args: list[Tensor | Expr] | None = None, target: str | Target | None = None,
              target_host: str | Target | None = None, name: str = "default_function",
              binds: None = None) -> BuiltModule:
    """Compiles a schedule under the current :class:`vta.PassContext`; with the target ``ext_dev``, for the accelerator.

    The parameters are those of :func:`build`.

    Parameters
    ----------
    inputs : Schedule
    args : list[Tensor | Expr], optional
    target_host : str | Target, optional
    name : str, optional
    binds : None, optional
        Only None: buffers are laid out densely.
    """
    target = Target(target or "llvm", host=target_host)
    if binds:
        raise NotImplementedError("build(binds=...) is not offered: buffers are laid out densely")
    if isinstance(inputs, IRModule):
        raise NotImplementedError("build takes a schedule: lowered modules are for looking at")
    context, func = _lower(inputs, _list(args), name, simple_mode=False)
    one = b.vtac_build_func()
    one.func = func
    options = b.vtac_build_options()
    options.target = b"ext_dev" if target.kind.name == "ext_dev" else b"llvm"
    options.triple = utf8(target.triple)
    options.opt_level = PassContext.current().opt_level or -1
    options.interruptible = True
    out = ctypes.c_void_p()
    try:
        call(lib.vtac_build, 1, ctypes.byref(one), ctypes.byref(options), DIAG, ctypes.byref(out))
    finally:
        lib.vtac_func_release(func)
    return BuiltModule(out.value or 0, name, context)


def build(inputs: Schedule | list[Tensor], args: list[Tensor | Expr] | None = None, target: str | Target = "ext_dev",
          target_host: str | Target | None = None, name: str = "default_function", binds: None = None,
          auto: bool = False, tries: int = 0) -> BuiltModule:
    """Compiles a schedule for the accelerator, or for the processor.

    Parameters
    ----------
    inputs : Schedule or list of Tensor
        With `auto` also the arguments themselves, or a schedule that plays no part.
    args : list of Tensor or Expr
        Parameters of the function, inputs and outputs.
    target : str or Target, optional
        ``"ext_dev"`` (the accelerator) or ``"llvm"``, with ``-mtriple=`` for another processor.
    target_host : str or Target, optional
        Target of the host code.
    name : str, optional
        Name of the function.
    binds : None, optional
        Only None: buffers are laid out densely.
    auto : bool, optional
        Chooses the schedule: the computation is matched with the operators of :mod:`vta.topi` (docs/operators.md), and
        refused with the reason where no operator matches.
    tries : int, optional
        With `auto`: schedules that are compiled and timed, the best by estimate; 0: three.

    Returns
    -------
    module : Module
        Call it, or save it as an object with ``.save("NAME.o")``. With `auto` a :class:`ScheduledModule`, which says what
        was chosen, why, and what it takes.

    Raises
    ------
    VTAUnsupportedError
        With `auto`: the computation is no operator that schedules itself; the message names the tensor, the expression
        and what is accepted there.

    Examples
    --------
    >>> module = vta.build([data, weight, res], auto=True)
    >>> module.cycles, module.bound
    >>> print(module.schedule)
    """
    if auto:
        return _build_auto(inputs, args, Target(target, host=target_host), name, tries)
    if tries:
        raise ValueError("tries=... is for auto=True: a schedule that is given is compiled as it is")
    with _with_vta_passes():
        return tvm_build(cast("Schedule", inputs), args, target, target_host, name, binds)


def _build_auto(inputs, args, target, name, tries):
    if target.kind.name != "ext_dev":
        raise ValueError(f"auto=True chooses schedules for the accelerator (target \"ext_dev\"), not for {target.kind.name}")
    if args is None and not isinstance(inputs, Schedule):
        args = inputs
    args = [need(a, Tensor, "an argument of a kernel that is scheduled") for a in _list(args)]
    if not args:
        raise ValueError("auto=True needs the function's arguments, inputs and the output: vta.build([A, B, C], auto=True)")
    context = args[0].context
    handles = context.handles_of(args, Tensor, "an argument of a kernel")
    op = ctypes.c_void_p()
    call(lib.vtac_op_match, context.handle, len(args), handles, name_of(name, "a function's name"), None, DIAG,
         ctypes.byref(op))
    return scheduled(op, context.config, tries)


def scheduled(op: ctypes.c_void_p, config: Config, tries: int = 0) -> ScheduledModule:
    """Chooses the schedule of an operator and compiles it.

    Parameters
    ----------
    op : ctypes.c_void_p
        A ``vtac_op *``, which is taken over.
    config : Config
    tries : int, optional

    Returns
    -------
    module : ScheduledModule
    """
    options = b.vtac_op_options(size=ctypes.sizeof(b.vtac_op_options), tries=whole(tries, "tries"))
    result = b.vtac_op_result(size=ctypes.sizeof(b.vtac_op_result))
    try:
        call(lib.vtac_op_schedule, op, ctypes.byref(options), DIAG, ctypes.byref(result))
    except BaseException:
        lib.vtac_op_destroy(op)
        raise
    return ScheduledModule(op.value or 0, result, config)

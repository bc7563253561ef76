"""From a schedule to lowered text and to compiled code."""

from __future__ import annotations

import contextlib
import ctypes
from typing import TYPE_CHECKING, cast

from . import _bindings as b
from . import _context
from ._check import kind_error, name_of, need, whole
from ._lib import DIAG, call, lib, utf8
from ._progress import Progress
from .buffer import Buffer
from .builder import BufferVar
from .expr import Expr
from .ir import IRModule, LoweredFunc
from .stmt import Stmt
from .module import BuiltModule, ScheduledModule
from .target import Target
from .te import PlaceholderOp, PrimFunc, Schedule, Tensor, create_schedule
from .te.prim_func import _symbol_of
from .transform import PassContext, pass_names

if TYPE_CHECKING:
    from typing import Any, Sequence

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


def _options(context, simple_mode, config, progress, only=None):
    """A ``vtac_lower_options``, and what must stay alive as long as it is used."""
    left_out = context.disabled() if only is None else [n for n in pass_names() if n not in only]
    names = [n.encode() for n in left_out]
    disabled = (ctypes.c_char_p * max(1, len(names)))(*names)
    options = b.vtac_lower_options()
    options.config = config.handle if context.for_vta else None
    options.disabled, options.disabled_count = ctypes.addressof(disabled), len(names)
    options.simple = int(simple_mode)
    options.debug_flag = context.debug_flag if context.for_vta else 0
    options.unroll_max_step = context.unroll_max_step
    options.partition_const_loops = context.partition_const_loops
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


def _lower(schedule, args, name, simple_mode, some_outputs=False, only=None):
    """(Context, ``vtac_func *``) of a schedule. With `only`, no pass runs but those named."""
    context = need(schedule, Schedule, "what is lowered").context
    symbol = name_of(name, "a function's name")
    context.here()
    passes = PassContext.current()
    out = ctypes.c_void_p()
    with Progress(f"lowering {name}", total=lib.vtac_pass_count()) as progress:
        options, _disabled = _options(passes, simple_mode, context.config, progress, only)
        options.some_outputs = some_outputs
        arguments = _arguments(context, args)
        try:
            context.done(context.run(lambda: lib.vtac_lower(schedule.handle, len(args), arguments, symbol,
                                                            ctypes.byref(options), ctypes.byref(out))))
        finally:
            _context.close(context)
    return context, out.value


def _lowered(schedule, args, name, simple_mode=False, some_outputs=False, only=None):
    """A schedule's :class:`LoweredFunc`."""
    context, func = _lower(schedule, _list(args), name, simple_mode, some_outputs, only)
    return LoweredFunc(name, context, func)


def run_passes(func: LoweredFunc, names: Sequence[str] | None = None, simple_mode: bool = False) -> LoweredFunc:
    """A lowered function after some passes, in the order of lowering.

    Parameters
    ----------
    func : LoweredFunc
    names : list of str, optional
        Without it, all that lowering runs under the current PassContext.
    simple_mode : bool, optional
        See :func:`lower`.
    """
    out = ctypes.c_void_p()
    with Progress(f"lowering {func.name}", total=lib.vtac_pass_count()) as progress:
        options, _disabled = _options(PassContext.current(), simple_mode, func.context.config, progress, names)
        call(lib.vtac_func_lower, func.handle, ctypes.byref(options), DIAG, ctypes.byref(out))
    return LoweredFunc(func.name, func.context, out.value or 0, func)


def _parameter(context, slot, given, buffers):
    """Fills in a ``vtac_param``."""
    given = buffers.get(given, given)
    given = given.buffer if isinstance(given, BufferVar) else given
    context.owner_check(need(given, (Buffer, Expr), "a parameter of a function").context)
    if isinstance(given, Buffer):
        slot.buffer = given.handle
    else:
        slot.scalar = given.handle


def function(params: Sequence[Buffer | Expr], body: Stmt, ret_type: None = None, buffer_map: dict | None = None,
             attrs: dict | None = None, name: str = "main") -> LoweredFunc:
    """A function that does what a statement says, for :func:`build`; no pass has run over it.

    Parameters
    ----------
    params : list of Buffer or Expr
        Buffers, which stand for the arrays given, and scalars (``te.var``).
    body : Stmt
    ret_type : None, optional
        Only None: functions return nothing.
    buffer_map : dict of Expr to Buffer, optional
        Buffers of parameters that are variables.
    attrs : dict, optional
        ``global_symbol`` is its name.
    name : str, optional
    """
    if ret_type is not None:
        raise NotImplementedError("PrimFunc(ret_type=...) is not offered: functions return nothing")
    symbol = _symbol_of(attrs or {}, None, name)
    context = need(body, Stmt, "the body of a function").context.newest()
    context.owner_check(body.context)
    context.here()
    given = (b.vtac_param * max(1, len(params)))()
    buffers = {key: value for key, value in (buffer_map or {}).items()}
    for slot, one in zip(given, params):
        _parameter(context, slot, one, buffers)
    out = ctypes.c_void_p()
    with Progress(f"making {symbol}", total=lib.vtac_pass_count()) as progress:
        options, _disabled = _options(PassContext.current(), False, context.config, progress, ())
        try:
            context.done(lib.vtac_func_create(context.handle, len(params), given, body.handle, symbol.encode(),
                                              ctypes.byref(options), ctypes.byref(out)))
        finally:
            _context.close(context)
    made = LoweredFunc(symbol, context, out.value or 0)
    made._by_hand = True
    return made


setattr(type(PrimFunc), "by_hand", staticmethod(function))


def schedule_to_module(sch: Schedule, args: list[Tensor | Expr] | None = None, name: str = "main",
                       binds: dict[Tensor, Buffer] | None = None) -> IRModule:
    """The loops that a schedule gives, before any pass.

    Parameters
    ----------
    sch : Schedule
    args : list of Tensor or Expr
        Parameters of the function; outputs may be missing.
    name : str, optional
    binds : dict of Tensor to Buffer, optional
        Buffers that stand for tensors, also in `args`: dense ones, as tensors lie in memory anyway.
    """
    args = _unbound(args, binds, "schedule_to_module")
    return IRModule({name: _lowered(sch, args, name, some_outputs=True, only=())})


def schedule_ops(s: Schedule) -> Stmt:
    """The statement that a schedule gives, before any pass.

    Parameters
    ----------
    s : Schedule
    """
    inputs = [stage.op.output(0) for stage in s.stages if isinstance(stage.op, PlaceholderOp)]
    return _lowered(s, inputs, "main", some_outputs=True, only=()).body


def _unbound(args, binds, what):
    """The arguments with tensors in the place of buffers that `binds` says they are in. These must be as the tensors lie in memory
    anyway, so that nothing else changes."""
    tensors = {}
    for tensor, buffer in need(binds or {}, dict, f"the binds of {what}").items():
        need(tensor, Tensor, f"a key of the binds of {what}")
        need(buffer, Buffer, f"a buffer of the binds of {what}")
        if buffer.dtype != tensor.dtype or list(map(str, buffer.shape)) != list(map(str, tensor.shape)):
            raise ValueError(f"{what}: buffer {buffer.name} has not the shape and type of {tensor.name}, which is bound to it")
        if buffer.strides or buffer.scope not in ("", "global") or not (buffer.elem_offset.kind == "var" or str(buffer.elem_offset) == "0"):
            raise NotImplementedError(f"{what}(binds=...) of a buffer with strides, an offset or a memory of its own ({buffer.name}) is "
                                      "not offered: the arrays of a kernel are laid out densely")
        tensors[buffer.handle] = tensor
    unbound = []
    for arg in _list(args):
        if isinstance(arg, Buffer) and arg.handle not in tensors:
            raise ValueError(f"{what}: no tensor is bound to the buffer {arg.name}; binds={{tensor: {arg.name}}} says one")
        unbound.append(tensors[arg.handle] if isinstance(arg, Buffer) else arg)
    return unbound


def _functions(inp, args, name, simple_mode, some_outputs):
    """The lowered functions of what lower and build are given, by name."""
    if isinstance(inp, Schedule):
        return {name: _lowered(inp, args, name, simple_mode, some_outputs)}
    if args:
        raise ValueError("arguments belong to a schedule; a function or module has its own")
    if isinstance(inp, IRModule):
        return {key: f for key, one in inp.items() for f in _functions(one, None, key, simple_mode, False).values()}
    if isinstance(inp, LoweredFunc):
        return {inp.name: run_passes(inp, None, simple_mode) if inp._by_hand else inp}
    if isinstance(inp, PrimFunc):
        outputs = [t for t in inp.args if not isinstance(t.op, PlaceholderOp)]
        name = inp.name if name in ("main", "default_function") else name
        return {name: _lowered(create_schedule(outputs), inp.args, name, simple_mode)}
    if not isinstance(inp, (list, tuple)) or not inp:
        raise kind_error(inp, "what is compiled", "a schedule, a function, a module, or a list of functions and modules")
    found = {}
    for one in inp:
        for key, function in _functions(one, None, name, simple_mode, False).items():
            if key in found:
                raise ValueError(f"two functions are called {key}: give lower(..., name=...) each its own")
            found[key] = function
    return found


def tvm_lower(inp: Schedule | IRModule | PrimFunc, args: list[Tensor | Expr] | None = None, name: str = "main",
              binds: dict[Tensor, Buffer] | None = None, simple_mode: bool = False) -> IRModule:
    """Lowers a schedule under the current :class:`vta.PassContext`, without the accelerator's passes outside one.

    The parameters are those of :func:`lower`. Without the accelerator's passes outputs may be missing in `args`.

    Parameters
    ----------
    inp : Schedule
    args : list[Tensor | Expr], optional
    name : str, optional
    binds : dict of Tensor to Buffer, optional
        Buffers that stand for tensors, also in `args`: dense ones, as tensors lie in memory anyway.
    simple_mode : bool, optional
    """
    args = _unbound(args, binds, "lower")
    return IRModule(_functions(inp, args, name, simple_mode, not PassContext.current().for_vta))


def _with_vta_passes():
    """The current context where it asks for the accelerator's passes, else one that does, with its settings."""
    now = PassContext.current()
    if now.for_vta:
        return contextlib.nullcontext()
    return build_config(now.debug_flag, opt_level=now.opt_level, required_pass=now.required_pass,
                        disabled_pass=now.disabled_pass, config=now.config)


def lower(inp: Schedule | IRModule | PrimFunc, args: list[Tensor | Expr] | None = None, name: str = "main",
          binds: dict[Tensor, Buffer] | None = None, simple_mode: bool = False) -> IRModule:
    """Lowers a schedule for the accelerator.

    Parameters
    ----------
    inp : Schedule
        Also a :class:`vta.te.PrimFunc`, which is scheduled by default, or a module of such.
    args : list of Tensor or Expr
        Parameters of the function, inputs and outputs.
    name : str, optional
    simple_mode : bool, optional
        For reading: leaves out loop partition.
    binds : dict of Tensor to Buffer, optional
        Buffers that stand for tensors, also in `args`: dense ones, as tensors lie in memory anyway.

    Returns
    -------
    module : IRModule
        ``print`` shows it; ``.show()`` in the other style.
    """
    with _with_vta_passes():
        return tvm_lower(inp, args, name, binds, simple_mode)


def _target_of(inputs, target, host):
    """(what is compiled, its target): a dictionary says both."""
    if isinstance(inputs, dict):
        if len(inputs) != 1:
            raise NotImplementedError("build takes one target: one entry of a dictionary from targets to modules")
        ((target, inputs),) = inputs.items()
    return inputs, Target(target or Target.current() or "llvm", host=host)


def _build_options(target):
    options = b.vtac_build_options()
    options.target = b"ext_dev" if target.kind.name == "ext_dev" else b"llvm"
    options.triple = utf8(target.triple)
    processor = target.host or target
    options.cpu, options.features = utf8(processor.mcpu or None), utf8(",".join(processor.mattr) or None)
    options.opt_level = PassContext.current().opt_level or -1
    options.interruptible = True
    return options


def _build_funcs(functions):
    """A C array of ``vtac_build_func``."""
    out = (b.vtac_build_func * len(functions))()
    for slot, (name, function) in zip(out, functions.items()):
        slot.func, slot.name = function.handle, name.encode()
    return out


def _source(functions, target):
    """A function from an ``VTAC_EMIT_...`` to text."""
    options = _build_options(target)

    def emit(kind):
        out, size = ctypes.c_void_p(), ctypes.c_size_t()
        call(lib.vtac_emit, len(functions), _build_funcs(functions), ctypes.byref(options), kind, DIAG, ctypes.byref(out),
             ctypes.byref(size))
        try:
            return ctypes.string_at(out.value or 0, size.value).decode("utf-8")
        finally:
            lib.vta_string_free(out.value)

    return emit


def tvm_build(inputs: Schedule | IRModule | PrimFunc | list, args: list[Tensor | Expr] | None = None,
              target: str | Target | None = None, target_host: str | Target | None = None, name: str = "default_function",
              binds: dict[Tensor, Buffer] | None = None) -> BuiltModule:
    """Compiles a schedule under the current :class:`vta.PassContext`; with the target ``ext_dev``, for the accelerator.

    The parameters are those of :func:`build`.

    Parameters
    ----------
    inputs : Schedule, LoweredFunc, PrimFunc, IRModule, or a list of such
    args : list[Tensor | Expr], optional
    target_host : str | Target, optional
    name : str, optional
    binds : dict of Tensor to Buffer, optional
        Buffers that stand for tensors, also in `args`: dense ones, as tensors lie in memory anyway.
    """
    args = _unbound(args, binds, "build")
    inputs, to = _target_of(inputs, target, target_host)
    functions = _functions(inputs, args, name, False, not PassContext.current().for_vta)
    out = ctypes.c_void_p()
    options, funcs = _build_options(to), _build_funcs(functions)
    call(lib.vtac_build, len(functions), funcs, ctypes.byref(options), DIAG, ctypes.byref(out))
    first = next(iter(functions.values()))
    module = BuiltModule(out.value or 0, list(functions), first.context, to.kind.name)
    if isinstance(inputs, Schedule):  # its IR goes now, and is made once more where the source is asked for
        again, passes = inputs.copy(), PassContext.current()

        def functions_again():
            with passes:
                return _functions(again, args, name, False, not passes.for_vta)
    else:
        def functions_again():
            return functions
    module._emit = lambda kind: _source(functions_again(), to)(kind)
    return module


def build(inputs: Schedule | IRModule | PrimFunc | list, args: list[Tensor | Expr] | None = None, target: str | Target = "ext_dev",
          target_host: str | Target | None = None, name: str = "default_function", binds: dict[Tensor, Buffer] | None = None,
          auto: bool = False, tries: int = 0) -> BuiltModule:
    """Compiles a schedule for the accelerator, or for the host.

    Parameters
    ----------
    inputs : Schedule, LoweredFunc, PrimFunc, IRModule, or a list of such
        What :func:`lower` gave is compiled as it is, several functions into one module. With `auto` also a list of the
        arguments themselves, or a schedule that plays no part.
    args : list of Tensor or Expr
        Parameters of the function, inputs and outputs.
    target : str or Target, optional
        ``"ext_dev"`` (the accelerator) or ``"llvm"``, with ``-mtriple=`` for another processor.
    target_host : str or Target, optional
        Target of the host code.
    name : str, optional
        Name of the function.
    binds : dict of Tensor to Buffer, optional
        Buffers that stand for tensors, also in `args`: dense ones, as tensors lie in memory anyway.
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
        return tvm_build(inputs, args, target, target_host, name, binds)


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

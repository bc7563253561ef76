"""Templates and tasks: functions that make a schedule of choices, by name, and one of them with arguments."""

from __future__ import annotations

import functools
import weakref
from typing import TYPE_CHECKING

import numpy as np

from vta import te
from vta._check import kind_error, name_of
from vta.error import VTALookupError, VTAValueError
from vta.expr import Expr
from vta.target import Target
from vta.te import Schedule, Tensor
from ..topi.utils import get_const_int
from .dispatcher import ApplyConfig, DispatchContext
from .space import ConfigEntity, ConfigSpace

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

__all__ = ["Task", "create", "register", "template", "register_topi_compute", "register_topi_schedule", "get_config",
           "args_to_workload", "serialize_args", "deserialize_args", "get_workload", "scheduled_by", "computed_by"]


class _Template:
    """What is registered under a name: a computation and a schedule, or a function that makes both."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.compute: Callable[..., Any] | None = None
        self.schedule: Callable[..., Schedule] | None = None
        self.whole: Callable[..., Any] | None = None

    def __call__(self, *args: Any) -> tuple[Schedule, list[Tensor]]:
        """The schedule and its arguments, of arguments as a task has them."""
        if self.whole is not None:
            return self.whole(*deserialize_args(args))
        if self.compute is None or self.schedule is None:
            missing = "register_topi_compute" if self.compute is None else "register_topi_schedule"
            raise VTALookupError(f"the template {self.name} is not complete: {missing}({self.name!r}) is missing")
        given = deserialize_args(args)
        out = self.compute(*given)
        return self.schedule([out]), [a for a in given if isinstance(a, Tensor)] + [out]


TASK_TABLE: dict[str, _Template] = {}


def _named(name: str) -> _Template:
    return TASK_TABLE.setdefault(name, _Template(name))


# ---- Arguments --------------------------------------------------------------------------------------------------------


def _serialize(value: Any) -> Any:
    if isinstance(value, Tensor):
        return ("TENSOR", tuple(get_const_int(d) for d in value.shape), value.dtype)
    if isinstance(value, (list, tuple)):
        return tuple(_serialize(v) for v in value)
    if isinstance(value, Expr):
        return get_const_int(value)
    if isinstance(value, np.generic):
        return value.item()
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise kind_error(value, "an argument of a template", "a tensor, a number, a text, None, or a list of them")


def serialize_args(args: Sequence[Any]) -> tuple[Any, ...]:
    """Arguments as records have them: tensors as ``("TENSOR", shape, dtype)``.

    Parameters
    ----------
    args : sequence
    """
    return tuple(_serialize(a) for a in args)


def deserialize_args(args: Sequence[Any]) -> list[Any]:
    """The reverse of :func:`serialize_args`: tensors become placeholders.

    Parameters
    ----------
    args : sequence
    """
    return [te.placeholder(a[1], a[2], f"arg{i}") if isinstance(a, tuple) and a and a[0] == "TENSOR" else a
            for i, a in enumerate(args)]


def args_to_workload(args: Sequence[Any], task_name: str | None = None) -> tuple[Any, ...]:
    """What identifies a call of a template: its name and its arguments.

    Parameters
    ----------
    args : sequence
    task_name : str, optional

    Returns
    -------
    workload : tuple
    """
    return (task_name, *serialize_args(args)) if task_name is not None else serialize_args(args)


# ---- Registering ------------------------------------------------------------------------------------------------------

# The workload of each tensor that a registered computation made; a schedule asks for it.
_WORKLOADS: weakref.WeakKeyDictionary[Any, dict[int, Any]] = weakref.WeakKeyDictionary()


def _remember(node: Any, workload: Any) -> None:
    for tensor in node if isinstance(node, (list, tuple)) else [node]:
        if not isinstance(tensor, Tensor):
            raise kind_error(tensor, f"the result of the computation {workload[0]}", "a tensor, or a list of them")
        _WORKLOADS.setdefault(tensor.context, {})[tensor.op._key()] = workload


def get_workload(outs: Any, task_name: str | None = None) -> tuple[Any, ...] | None:
    """The workload of the registered computation that outputs come from.

    Parameters
    ----------
    outs : Tensor or list of Tensor
    task_name : str, optional
        Only a computation of this template.

    Returns
    -------
    workload : tuple or None
    """
    known = {key: w for table in list(_WORKLOADS.values()) for key, w in table.items()}
    todo, seen = list(outs if isinstance(outs, (list, tuple)) else [outs]), set()
    while todo:
        op = todo.pop().op
        if op in seen:
            continue
        seen.add(op)
        workload = known.get(op._key())
        if workload is not None and task_name in (None, workload[0]):
            return workload
        todo += op.input_tensors
    return None


def register_topi_compute(task_name: str, func: Callable[..., Any] | None = None) -> Any:
    """Registers the computation of a template: ``func(cfg, *args)`` becomes ``func(*args)``, which gets its configuration from the
    dispatch context.

    Parameters
    ----------
    task_name : str
        Such as ``"conv2d_packed.vta"``.
    func : callable, optional
        Without it: a decorator.
    """
    name = name_of(task_name, "the name of a template").decode()

    def decorate(compute: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(compute)
        def computed(*args: Any, **kwargs: Any) -> Any:
            if kwargs:
                raise TypeError(f"the computation {name} takes its arguments by position: they are its workload "
                                f"({', '.join(kwargs)} given by name)")
            workload = args_to_workload(args, name)
            node = compute(DispatchContext.current.query(_target(), workload), *args)
            _remember(node, workload)
            return node

        _named(name).compute = computed
        return computed

    return decorate if func is None else decorate(func)


def register_topi_schedule(task_name: str, func: Callable[..., Schedule] | None = None) -> Any:
    """Registers the schedule of a template: ``func(cfg, outs, *args)`` becomes ``func(outs, *args)``, for outputs that come from the
    computation of the same name.

    Parameters
    ----------
    task_name : str
    func : callable, optional
        Without it: a decorator.
    """
    name = name_of(task_name, "the name of a template").decode()

    def decorate(schedule: Callable[..., Schedule]) -> Callable[..., Schedule]:
        @functools.wraps(schedule)
        def scheduled(outs: Any, *args: Any, **kwargs: Any) -> Schedule:
            workload = get_workload(outs, name)
            if workload is None:
                raise VTALookupError(f"the schedule {name} is for outputs of the computation {name}: these do not come from one")
            return schedule(DispatchContext.current.query(_target(), workload), outs, *args, **kwargs)

        _named(name).schedule = scheduled
        return scheduled

    return decorate if func is None else decorate(func)


def computed_by(name: str, *args: Any) -> Any:
    """Calls the computation that is registered under a name.

    Parameters
    ----------
    name : str
    args : Any
    """
    compute = _found(name).compute
    if compute is None:
        raise VTALookupError(f"the template {name} has no computation: register_topi_compute({name!r})")
    return compute(*args)


def scheduled_by(outs: Any) -> Schedule | None:
    """The schedule of the registered template that outputs come from; None where they come from none.

    Parameters
    ----------
    outs : Tensor or list of Tensor
    """
    workload = get_workload(outs)
    schedule = None if workload is None else TASK_TABLE[workload[0]].schedule
    return None if schedule is None else schedule(outs)


def _target() -> Target:
    found = Target.current()
    if found is None:
        raise VTAValueError("no target is set: call templates inside `with tvm.target.vta():` or `with env.target:`")
    return found


def template(task_name: Any, func: Callable[..., Any] | None = None) -> Any:
    """Registers a function of arguments to (schedule, arguments) as a template, in the place of what computation and schedule of
    that name make together.

    Parameters
    ----------
    task_name : str
    func : callable, optional
        Without it: a decorator.

    Examples
    --------
    >>> @autotvm.template("matmul")
    ... def matmul(n):
    ...     ...
    ...     cfg = autotvm.get_config()
    ...     cfg.define_split("tile", s[C].op.axis[0], num_outputs=2)
    ...     return s, [A, B, C]
    """
    if callable(task_name):
        return template(task_name.__name__, task_name)
    name = name_of(task_name, "the name of a template").decode()

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def instance(*args: Any, **kwargs: Any) -> Any:
            if kwargs:
                raise TypeError(f"the template {name} takes its arguments by position ({', '.join(kwargs)} given by name)")
            workload = args_to_workload(args, name)
            with ApplyConfig(DispatchContext.current.query(_target(), workload)):
                return function(*args)

        _named(name).whole = function
        return instance

    return decorate if func is None else decorate(func)


def register(name: str, func: Callable[..., Any] | None = None, override: bool = False) -> Any:
    """The older name of :func:`template`.

    Parameters
    ----------
    name : str
    func : callable, optional
    override : bool, optional
        Replace what has the name already; else that is an error.
    """
    if name in TASK_TABLE and TASK_TABLE[name].whole is not None and not override:
        raise VTAValueError(f"a template {name} is registered already: pass override=True to replace it")
    return template(name, func)


def get_config() -> Any:
    """The configuration that a template is called with; inside one."""
    context = DispatchContext.current
    if not isinstance(context, ApplyConfig):
        raise VTAValueError("get_config() is for templates: functions that @autotvm.template registers")
    return context.config


# ---- Tasks ------------------------------------------------------------------------------------------------------------


def _found(name: str) -> _Template:
    if name not in TASK_TABLE:
        known = ", ".join(sorted(TASK_TABLE)) or "none"
        raise VTALookupError(f"there is no template {name!r}; there are {known}")
    return TASK_TABLE[name]


class Task:
    """A template with arguments, and what can be chosen for it.

    Parameters
    ----------
    name : str
    args : sequence
        Tensors, or what :func:`serialize_args` makes of them.

    Attributes
    ----------
    name : str
    args : tuple
    config_space : ConfigSpace
    target, target_host : Target or None
    flop : float
        Operations, where the template counts them.
    """

    def __init__(self, name: str, args: Sequence[Any]) -> None:
        self.name, self.args = name, serialize_args(args)
        self.kwargs: dict[str, Any] = {}
        self.config_space = ConfigSpace()
        self.target: Target | None = None
        self.target_host: Target | None = None
        self.flop = 0.0

    @property
    def func(self) -> Callable[..., Any]:
        """The template."""
        return _found(self.name)

    @property
    def workload(self) -> tuple[Any, ...]:
        """Name and arguments."""
        return (self.name, *self.args)

    def instantiate(self, config: ConfigEntity) -> tuple[Schedule, list[Tensor]]:
        """The schedule with these choices, and its arguments. Call it inside ``with task.target:``.

        Parameters
        ----------
        config : ConfigEntity

        Returns
        -------
        schedule, args : Schedule, list of Tensor
        """
        config.errors.clear()
        config.flop = 0.0
        with ApplyConfig(config):
            schedule, args = self.func(*self.args)
        config._check()
        self.flop = self.flop or config.flop
        return schedule, args

    def __repr__(self) -> str:
        return f"Task(func_name={self.name}, args={self.args}, kwargs={self.kwargs}, workload={self.workload})"


def create(task_name: Any, args: Sequence[Any], target: Target | str, target_host: Target | str | None = None,
           template_key: str | None = None) -> Task:
    """A task: calls the template once to see what there is to choose.

    Parameters
    ----------
    task_name : str or callable
        A registered template; a function that is none is registered under its name.
    args : sequence
    target : Target or str
    target_host : Target or str, optional
    template_key : str, optional
        Of older scripts: ``"direct"``.

    Returns
    -------
    task : Task
    """
    if template_key not in (None, "direct"):
        raise VTAValueError(f"template_key is {template_key!r}: there is \"direct\" only")
    if callable(task_name):
        function, task_name = task_name, task_name.__name__
        function = getattr(function, "__wrapped__", function)
        if task_name not in TASK_TABLE or TASK_TABLE[task_name].whole is not function:
            template(task_name, function)
    task = Task(task_name, args)
    task.target = Target(target, host=target_host)
    task.target_host = task.target.host
    with task.target, ApplyConfig(task.config_space):
        task.func(*task.args)
    task.flop = task.config_space.flop
    return task

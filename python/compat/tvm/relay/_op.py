"""Operators, their attributes, and strategies: which computation and schedule an operator gets for a target."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vta.error import VTALookupError
from vta.target import Target

NAMES = ("abs", "add", "annotation.stop_fusion", "bitpack", "cast", "clip", "concatenate", "copy", "left_shift", "maximum", "minimum",
         "multiply", "nn.avg_pool2d", "nn.batch_flatten", "nn.batch_matmul", "nn.bias_add", "nn.conv2d", "nn.conv2d_transpose",
         "nn.dense", "nn.global_avg_pool2d", "nn.max_pool2d", "nn.pad", "nn.relu", "nn.softmax", "nn.upsampling", "reshape",
         "right_shift", "subtract", "transpose")


class OpPattern:
    """How an operator reads its inputs."""

    ELEMWISE, BROADCAST, INJECTIVE, COMM_REDUCE, OUT_ELEMWISE_FUSABLE, TUPLE, OPAQUE = 0, 1, 2, 3, 4, 7, 8


class GenericFunction:
    """A function that is another one for each key of a target.

    Parameters
    ----------
    name : str
    """

    def __init__(self, name):
        self.name, self.functions = name, {}

    def register(self, func: Any, key: Any = None, allow_override: bool = True) -> Any:
        """Registers a function for keys of targets; with the keys alone, a decorator.

        Parameters
        ----------
        func : callable, or str or list of str
        key : str or list of str, optional
        """
        if not callable(func):
            return lambda function: self.register(function, func, allow_override)
        for k in [key] if isinstance(key, str) else key:
            if k in self.functions and not allow_override:
                raise ValueError(f"{self.name} has a function for {k} already")
            self.functions[k] = func
        return func

    def __call__(self, attrs, inputs, out_type, target):
        for key in Target(target).keys:
            if key in self.functions:
                return self.functions[key](attrs, inputs, out_type, target)
        raise VTALookupError(f"{self.name} has nothing for the target {target}; it has for {', '.join(self.functions) or 'none'}")


class Op:
    """An operator.

    Parameters
    ----------
    name : str
    """

    def __init__(self, name):
        self.name, self.attributes = name, {}

    def get_attr(self, attr_name: str) -> Any:
        """An attribute; ``"FTVMStrategy"`` is a function that strategies are registered with. None: it was not set."""
        if attr_name == "FTVMStrategy":
            return self.attributes.setdefault(attr_name, GenericFunction(f"{self.name}'s strategy"))
        return self.attributes.get(attr_name)

    def has_attr(self, attr_name: str) -> bool:
        """Whether an attribute was set."""
        return attr_name in self.attributes

    def set_attr(self, attr_name: str, value: Any, plevel: int = 10) -> None:
        """Sets an attribute."""
        self.attributes[attr_name] = value

    def __repr__(self):
        return f"Op({self.name})"


_OPS = {name: Op(name) for name in NAMES}


def get(op_name: str) -> Any:
    """An operator by name."""
    if op_name not in _OPS:
        raise VTALookupError(f"there is no operator {op_name!r}; there are {', '.join(sorted(_OPS))}")
    return _OPS[op_name]


def _setter(attribute):
    def register(op_name, value=None, level=10):
        if value is None:
            return lambda function: register(op_name, function, level)
        get(op_name).set_attr(attribute, value)
        return value

    register.__doc__ = f"Sets the attribute {attribute} of an operator; without the value, a decorator."
    return register


register_compute = _setter("FTVMCompute")
register_schedule = _setter("FTVMSchedule")
register_pattern = _setter("TOpPattern")
register_alter_op_layout = _setter("FTVMAlterOpLayout")


class Implementation:
    """A computation with its schedule.

    Parameters
    ----------
    fcompute, fschedule : callable
    name : str
    plevel : int
    """

    def __init__(self, fcompute, fschedule, name, plevel):
        self.fcompute, self.fschedule, self.name, self.plevel = fcompute, fschedule, name, plevel

    def compute(self, attrs: Any, inputs: list[Any], out_type: Any) -> list[Any]:
        """The outputs."""
        return self.fcompute(attrs, inputs, out_type)

    def schedule(self, attrs: Any, outs: list[Any], target: Any) -> Any:
        """Their schedule."""
        return self.fschedule(attrs, outs, target)


class OpStrategy:
    """Ways to carry out an operator."""

    def __init__(self):
        self.implementations = []

    def add_implementation(self, compute: Callable[..., Any], schedule: Callable[..., Any], name: str = "default",
                           plevel: int = 10) -> None:
        """Adds one.

        Parameters
        ----------
        compute, schedule : callable
        name : str, optional
        plevel : int, optional
            The highest is the one to take.
        """
        self.implementations.append(Implementation(compute, schedule, name, plevel))

    def best(self) -> Any:
        """The implementation of the highest level."""
        if not self.implementations:
            raise VTALookupError("a strategy without implementations")
        return max(self.implementations, key=lambda i: i.plevel)

"""Operators that schedule themselves: an operator and its shape, and a kernel for the configuration at hand."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, NamedTuple

from .. import _bindings as b
from .. import ndarray as nd
from .._check import kind_error, name_of, whole
from .._lib import DIAG, call, lib, text
from .._settings import current
from .._views import table
from ..proof import prove_operator
from ._tiles import NORMS, Argument, checked, from_tiles, plain_shape, to_tiles

if TYPE_CHECKING:
    from typing import Any, Sequence

    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from ..module import ScheduledModule
    from ..proof import Proof

__all__ = ["Attribute", "Description", "Operator", "Argument", "operators", "bias_max", "run"]


class Attribute(NamedTuple):
    """An attribute of an operator: an integer from `least` to `most`.

    Attributes
    ----------
    name, text : str
    default : int or None
        None: it must be given.
    least, most : int
    """

    name: str
    text: str
    default: int | None
    least: int
    most: int


class Description(NamedTuple):
    """An operator that there is.

    Attributes
    ----------
    name, text : str
    attributes : dict of str to Attribute
    """

    name: str
    text: str
    attributes: dict[str, Attribute]


def _attributes(index):
    out, at = {}, 0
    while address := lib.vtac_operator_attribute(index, at):
        a = ctypes.cast(address, ctypes.POINTER(b.vtac_op_attribute)).contents
        name = text(a.name) or ""
        out[name] = Attribute(name, text(a.help) or "", None if a.value < a.least else a.value, a.least, a.most)
        at += 1
    return out


def operators() -> dict[str, Description]:
    """The operators that there are, by name.

    Examples
    --------
    >>> for op in vta.topi.operators().values():
    ...     print(op.name, op.text, list(op.attributes))
    """
    out, index = {}, 0
    while name := text(lib.vtac_operator_name(index)):
        out[name] = Description(name, text(lib.vtac_operator_text(index)) or "", _attributes(index))
        index += 1
    return out


def _written(epilogue, narrow, attributes):
    """Attributes as the library reads them."""
    name_of(narrow, "how a result is narrowed")
    if not isinstance(epilogue, (str, list, tuple)):
        raise kind_error(epilogue, "an epilogue", "a string such as \"bias,shift:8,relu\", or a list of its steps")
    steps = epilogue if isinstance(epilogue, str) else ",".join(epilogue)
    words = [f"{k}={whole(v, f'the attribute {k}')}" for k, v in attributes.items()]
    words += [f"narrow={narrow}"] if narrow != "saturate" else []
    return " ".join(words + ([f"epilogue={steps}"] if steps else []))


class Operator:
    """An operator of a shape. Its schedule is chosen when it is first needed: call it with plain arrays, or take the
    compiled function, :attr:`module`, which takes tiles.

    Parameters
    ----------
    name : str
        One of :func:`operators`.
    epilogue : str or list of str, optional
        What follows element by element: ``"bias,shift:8,residual,relu,clip"`` (docs/operators.md).
    narrow : str, optional
        ``"saturate"``: a result past the output type becomes its least or largest value; ``"wrap"``: it keeps its low bits.
    attributes : int
        Sizes and options by name, as of ``vta op``.

    Attributes
    ----------
    name : str
    attributes : dict of str to int
        All of them, also those that were not given.
    env : Environment
        The configuration that it is for: that at the time it is made.
    inputs : list of Argument
        What it takes, in order: name, shape and type of the plain array, and the shape in tiles.
    output : Argument
    module : ScheduledModule
        The compiled function.
    may_wrap : str or None
        What may wrap in the accumulators' 32 bits for the widest inputs, in a sentence.
    cycles, bound, macs : int
        What it takes by the timing model, what no schedule of this kind can beat, and the multiplications that it means.
    report : str
        The schedule in words, and what limits it.
    kernel_file : str
        The kernel file with that schedule, for people to read and change.

    Examples
    --------
    >>> conv = vta.topi.Operator("conv2d", height=56, width=56, in_channels=64, out_channels=64, kernel=3, pad=1,
    ...                          epilogue="bias,shift:8,relu,clip")
    >>> conv.cycles, conv.bound
    >>> print(conv.report)
    >>> y = conv(data, weight, bias)      # N C H W, O I H W and a vector; the result is N C H W
    """

    def __init__(self, name: str, epilogue: str | Sequence[str] = "", *, narrow: str = "saturate",
                 **attributes: int) -> None:
        name_of(name, "an operator's name")
        given = dict(attributes)
        if name == "conv2d":  # how operands lie is nothing to the caller
            given.setdefault("fold", -1)
        self.name, self.env = name, current()
        self._text = _written(epilogue, narrow, given)
        self._op = self._create()
        self.may_wrap: str | None = text(lib.vtac_op_may_wrap(self._op.handle))
        self.attributes: dict[str, int] = {
            a.name: whole(given[a.name] if a.name in given else a.default, a.name)
            for a in operators()[name].attributes.values()}
        self._module: ScheduledModule | None = None
        self._arguments: list[Argument] = []

    def _create(self):
        """A ``vtac_op`` in a module that frees it."""
        out = ctypes.c_void_p()
        call(lib.vtac_op_create, self.name.encode(), self._text.encode(), self.env.config.handle, None, DIAG,
             ctypes.byref(out))
        return _Held(out)

    def schedule(self, tries: int = 0) -> ScheduledModule:
        """Chooses the schedule, anew where it had been.

        Parameters
        ----------
        tries : int, optional
            Schedules that are compiled and timed, the best by estimate; 0: three.

        Returns
        -------
        module : ScheduledModule
        """
        from ..build import scheduled

        held = self._op if self._op.handle else self._create()
        return self._take(scheduled(held.take(), self.env.config, tries))

    def _take(self, module: ScheduledModule) -> ScheduledModule:
        """The operator has this compiled function from here on."""
        self._module, self._arguments = module, self._find_arguments(module._op)
        return module

    def _find_arguments(self, op):
        kernel = lib.vtac_op_kernel(op)
        context, out = lib.vtac_kernel_context(kernel), []
        for i in range(lib.vtac_kernel_arg_count(kernel)):
            tensor = lib.vtac_kernel_arg(kernel, i)
            name = text(lib.te_tensor_name(tensor)) or ""
            tiles = tuple(lib.te_tensor_dim(tensor, d) for d in range(lib.te_tensor_ndim(tensor)))
            dtype = "int32" if name.startswith("digits") else text(lib.te_tensor_dtype(context, tensor)) or ""
            beside = bool(self.attributes.get({"data": "in_beside", "res": "out_beside"}.get(name, ""), 0))
            columns = name == "weight" and bool(self.attributes.get("weight_columns", 0))
            shape = plain_shape(self.name, name, self.attributes, tiles)
            out.append(Argument(name, shape, dtype, tiles, beside, columns))
        return out

    def _repr_html_(self) -> str:
        rows = [(k, v) for k, v in self.attributes.items()]
        rows += [("cycles", self.cycles), ("cycles, at least", self.bound), ("multiply-accumulates", self.macs)]
        return table(f"vta.topi.Operator {self.name}", ("", ""), rows, self.may_wrap or "")

    @property
    def module(self) -> ScheduledModule:
        """The compiled function."""
        return self._module or self.schedule()

    @property
    def inputs(self) -> list[Argument]:
        """What it takes."""
        self.module  # pylint: disable=pointless-statement
        return self._arguments[:-1]

    @property
    def output(self) -> Argument:
        """What it gives."""
        self.module  # pylint: disable=pointless-statement
        return self._arguments[-1]

    cycles = property(lambda self: self.module.cycles, doc="What it takes by the timing model.")
    bound = property(lambda self: self.module.bound, doc="Cycles that no schedule of this kind can beat.")
    macs = property(lambda self: self.module.macs, doc="Multiplications that it means.")
    report = property(lambda self: self.module.schedule, doc="The schedule in words, and what limits it.")
    kernel_file = property(lambda self: self.module.kernel_file, doc="The kernel file with that schedule.")

    def prove(self, seed: int = 0, draws: int = 2) -> Proof:
        """Shows that the chosen kernel computes the operator's definition, for all inputs: see :func:`vta.prove`.

        Parameters
        ----------
        seed : int, optional
            Of the random values that stand for all inputs.
        draws : int, optional
            How often they are drawn.

        Returns
        -------
        proof : Proof
        """
        module = self.module
        return prove_operator(module._op, [a._replace(shape=a.tiles) for a in self._arguments], seed, draws)

    def _conv(self):
        """How operands of a convolution lie; None of other operators."""
        if self.name != "conv2d":
            return None
        out = b.vta_conv(size=ctypes.sizeof(b.vta_conv))
        call(lib.vtac_op_conv, self.module._op, DIAG, ctypes.byref(out))
        return out

    def arrays(self, *inputs: ArrayLike, **named: ArrayLike) -> list[nd.NDArray]:
        """Arrays on the accelerator as :attr:`module` takes them, that of the result last.

        Parameters
        ----------
        inputs : array_like
            Plain arrays of integers, in the order of :attr:`inputs`.
        named : array_like
            The others, by name.

        Returns
        -------
        arrays : list of NDArray
        """
        ports = self.inputs
        given = dict(zip([p.name for p in ports], inputs))
        if len(inputs) > len(ports) or given.keys() & named.keys() or {*given, *named} != {p.name for p in ports}:
            raise TypeError(f"{self.name} takes {', '.join(f'{p.name} {p.shape}' for p in ports)}, each once; given are "
                            f"{len(inputs)} by position" + (f" and {', '.join(named)}" if named else ""))
        given.update(named)
        conv, out = self._conv(), []
        plain = [checked(given[p.name], p) for p in ports]
        with self.env:
            for port, x in zip(ports, plain):
                out.append(nd.array(to_tiles(self.name, port, x, self.env.config, conv), nd.ext_dev(0)))
            out.append(nd.empty(self.output.tiles, self.output.dtype, nd.ext_dev(0)))
        return out

    def __call__(self, *inputs: ArrayLike, **named: ArrayLike) -> NDArray[Any]:
        """Packs plain arrays, runs, and unpacks the result.

        Parameters
        ----------
        inputs, named : array_like
            As of :meth:`arrays`.

        Returns
        -------
        result : numpy.ndarray
            Of the shape of :attr:`output`.
        """
        arrays = self.arrays(*inputs, **named)
        self.module(*arrays)
        return from_tiles(self.name, self.output, arrays[-1].numpy())

    def __repr__(self):
        return f"<vta.topi.Operator {self.name} {self._text}>"


class _Held:
    """A ``vtac_op`` until it is scheduled."""

    def __init__(self, handle: ctypes.c_void_p) -> None:
        self.handle: ctypes.c_void_p | None = handle

    def take(self) -> ctypes.c_void_p:
        """The handle, which is the caller's from here on."""
        handle, self.handle = self.handle, None
        assert handle is not None
        return handle

    def __del__(self):
        if self.handle:
            lib.vtac_op_destroy(self.handle)


# ---- Sizes from arrays --------------------------------------------------------------------------------------------


def _image(x):
    return dict(zip(("batch", "channels", "height", "width"), x.shape))


def _conv(arrays, transposed):
    data, weight = arrays[:2]
    batch, channels, height, width = data.shape
    return {"batch": batch, "in_channels": channels, "height": height, "width": width,
            "out_channels": weight.shape[1 if transposed else 0], "kernel_h": weight.shape[2],
            "kernel_w": weight.shape[3]}


def _sizes(name, arrays):
    """Attributes that arrays say."""
    ranks = {"dense": (2, 2), "batch_matmul": (3, 3), "row_moments": (3,), "layer_norm": (3, 3), "conv2d": (4, 4), "conv2d_transpose": (4, 4)}.get(name, (4,))
    if len(arrays) < len(ranks) or any(a.ndim != r for a, r in zip(arrays, ranks)):
        wanted = " and ".join(f"{r} dimensions" for r in ranks)
        raise ValueError(f"{name} takes arrays of {wanted} first, not of "
                         f"{', '.join(str(a.ndim) for a in arrays[:len(ranks)]) or 'none'}")
    first = arrays[0].shape
    if name == "dense":
        return {"batch": first[0], "in_features": first[1], "out_features": arrays[1].shape[0]}
    if name == "batch_matmul":
        return {"batch": first[0], "rows": first[1], "in_features": first[2], "out_features": arrays[1].shape[1]}
    if name in NORMS:
        return {"batch": first[1], "features": first[2]}
    if name.startswith("conv2d"):
        return _conv(arrays, name == "conv2d_transpose")
    out = _image(arrays[0])
    if name == "concat":
        del out["channels"]
        out.update({f"channels{i}": a.shape[1] for i, a in enumerate(arrays)})
    return out


def bias_max(tiles: int = 1) -> int:
    """The largest bias, in magnitude, that the step ``bias_int8:TILES`` of an epilogue reaches.

    Parameters
    ----------
    tiles : int, optional
    """
    return lib.vta_conv_bias_max(current().config.handle, whole(tiles, "the number of tiles"))


def run(name: str, *inputs: np.ndarray, epilogue: str | Sequence[str] = "", narrow: str = "saturate",
        **attributes: int | np.ndarray) -> NDArray[Any]:
    """Runs an operator once: sizes come from the arrays. To run it several times, keep an :class:`Operator`.

    Parameters
    ----------
    name : str
        One of :func:`operators`.
    inputs : numpy.ndarray
        Integers: images N C H W, weights O I H W (of conv2d_transpose I O H W), matrices, then what the epilogue takes.
    epilogue : str or list of str, optional
    narrow : str, optional
        ``"saturate"`` or ``"wrap"``, as of :class:`Operator`.
    attributes : int or numpy.ndarray
        What the arrays do not say: ``stride``, ``pad``, ``groups``, …; and inputs by name, such as ``bias0``.

    Returns
    -------
    result : numpy.ndarray

    Examples
    --------
    >>> y = vta.topi.run("conv2d", data, weight, pad=1, epilogue="shift:8,relu,clip")
    """
    import numpy as np

    name_of(name, "an operator's name")
    if name not in operators():
        Operator(name)  # which says so
    arrays = [np.asarray(a) for a in inputs]
    named = {k: v for k, v in attributes.items() if isinstance(v, np.ndarray)}
    numbers = {k: v for k, v in attributes.items() if k not in named}
    return Operator(name, epilogue, narrow=narrow, **{**_sizes(name, arrays), **numbers})(*arrays, **named)

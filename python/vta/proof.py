"""Proofs: a compiled kernel is right for all inputs, or where it is not."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from collections.abc import Sequence
from typing import Any
from typing import TYPE_CHECKING

from . import _bindings as b
from ._lib import DIAG, call, lib
from .module import Function, Module

if TYPE_CHECKING:
    from .te import Tensor

__all__ = ["Proof", "prove"]


@dataclass(frozen=True)
class Proof:
    """What :func:`prove` found. True in a condition when the kernel is proven.

    Attributes
    ----------
    result : str
        ``"proven"``, ``"wrong"`` or ``"unproven"``.
    reason : str
        Why it is not proven, in words; empty when it is.
    elements : int
        Of all outputs.
    draws : int
        How often random values were drawn.
    covered : int
        How many of the elements were shown to be right: all of them, or those that do not depend on what the host computes.
    log2_error : float
        The chance that a proof is wrong is below two to the power of this.
    seconds : float
    tensor : str or None
        The output with the first element that differs.
    index : tuple of int or None
        That element.
    different : int
        How many elements differ.
    stored_by, computed_by : str or None
        The instruction that stored it, and the one that last computed what was stored.
    example : str or None
        An input for which the results differ, with both.
    """

    result: str
    reason: str
    elements: int
    draws: int
    covered: int
    log2_error: float
    seconds: float
    tensor: str | None = None
    index: tuple[int, ...] | None = None
    different: int = 0
    stored_by: str | None = None
    computed_by: str | None = None
    example: str | None = None

    def __bool__(self) -> bool:
        return self.result == "proven"


def _place(tensor, index):
    """The indices of an element of a tensor."""
    out = []
    for extent in reversed([int(e) for e in tensor.shape]):
        index, rest = divmod(index, extent)
        out.append(rest)
    return tuple(reversed(out))


def _difference(r, args):
    """What a result says about the first difference."""
    if not r.different:
        return {}
    w = r.writer
    out = {"tensor": args[r.arg].name, "index": _place(args[r.arg], r.index), "different": r.different}
    if w.known:
        out["stored_by"] = f"instruction {w.store} ({r.store_text.decode()}) of run {w.run}"
    if w.has_alu:
        out["computed_by"] = f"instruction {w.insn} ({r.insn_text.decode()}) of run {w.run}"
    if r.has_example:
        place = ", ".join(map(str, _place(args[r.example_arg], r.example_index)))
        size = f", integers of at most {r.magnitude}" if r.magnitude else ""
        out["example"] = (f"{args[r.example_arg].name}[{place}] is {r.got.decode()} and should be "
                          f"{r.expected.decode()} (inputs of seed {r.example_seed}{size})")
    return out


def prove(kernel: Module | Function, args: list[Tensor], seed: int = 0, draws: int = 2) -> Proof:
    """Shows that a compiled kernel computes what its tensors say, for all inputs.

    What the kernel runs on the accelerator is run on random values that stand for all inputs and compared with the
    meaning of the expressions; in every order that its tokens allow it computes the same (docs/prove.md).

    Parameters
    ----------
    kernel : Module or Function
        Compiled for the accelerator: by :func:`vta.build` or loaded.
    args : list of Tensor
        Its arguments, as they were given to :func:`vta.build`.
    seed : int, optional
        Of the random values.
    draws : int, optional
        How often they are drawn.

    Returns
    -------
    proof : Proof

    Examples
    --------
    >>> kernel = vta.build(s, [A, B, C], "ext_dev")
    >>> assert vta.prove(kernel, [A, B, C])
    """
    function = kernel.entry_func if isinstance(kernel, Module) else kernel
    if not isinstance(function, Function):
        raise TypeError(f"what is proven is a compiled kernel (vta.build), not {type(kernel).__name__}")
    if not args:
        raise ValueError("prove needs the kernel's arguments, the tensors that vta.build was given")
    for a in args:
        if not hasattr(a, "shape") or not hasattr(a, "context"):
            raise TypeError(f"an argument of a kernel is a tensor, not {type(a).__name__}")
    context = args[0].context
    return context.run(lambda: prove_tensors(context.handle, [a.handle for a in args], args, function, seed, draws))


def prove_tensors(context: Any, handles: Sequence[Any], args: Sequence[Any], function: Function, seed: int,
                  draws: int) -> Proof:
    """The same with the tensors' handles; ``args`` have their names and shapes."""
    tensors = (ctypes.c_void_p * len(handles))(*handles)
    options, r = b.vtac_prove_options(seed=seed, draws=draws), b.vtac_prove_result()
    call(lib.vtac_prove, context, len(handles), tensors, function._address, ctypes.byref(options), DIAG, ctypes.byref(r))
    return _proof(r, args)


def prove_operator(op: Any, args: Sequence[Any], seed: int, draws: int) -> Proof:
    """The same of an operator, down to its definition."""
    options, r = b.vtac_prove_options(seed=seed, draws=draws), b.vtac_prove_result()
    call(lib.vtac_op_prove, op, ctypes.byref(options), DIAG, ctypes.byref(r))
    return _proof(r, args)


def _proof(r, args):
    return Proof(result=lib.vtac_verdict_name(r.verdict).decode(), reason=r.reason.decode(), elements=r.elements,
                 draws=r.draws, covered=r.covered, log2_error=r.log2_error, seconds=r.seconds, **_difference(r, args))

"""Matrix products by numpy, which has a BLAS of its own, as stages that call a function of Python.

Importing it registers ``tvm.contrib.cblas.matmul`` and ``tvm.contrib.cblas.batch_matmul``, the names that TVM has for them, for
:func:`vta.tir.call_packed`: ``(lhs, rhs, out, transa, transb)``, each array of two or three dimensions, written to ``out``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vta import te, tir
from vta.registry import register_func

if TYPE_CHECKING:
    from typing import Any

    from vta.ndarray import NDArray
    from vta.te import Tensor

__all__ = ["batch_matmul", "matmul"]

MATMUL, BATCH_MATMUL = "tvm.contrib.cblas.matmul", "tvm.contrib.cblas.batch_matmul"


def _product(lhs: NDArray, rhs: NDArray, out: NDArray, transa: bool, transb: bool) -> None:
    x, y = lhs.numpy(), rhs.numpy()
    x = np.swapaxes(x, -1, -2) if transa else x
    y = np.swapaxes(y, -1, -2) if transb else y
    out.copyfrom(np.matmul(x, y).astype(out.dtype))


for _name in (MATMUL, BATCH_MATMUL):
    register_func(_name, _product, override=True)


def _shape(lhs: Tensor, rhs: Tensor, transa: bool, transb: bool, ndim: int, what: str) -> tuple:
    for t in (lhs, rhs):
        if len(t.shape) != ndim:
            raise ValueError(f"{what}: {t.name} has {len(t.shape)} dimensions and must have {ndim}")
    inner = lhs.shape[-2 if transa else -1], rhs.shape[-1 if transb else -2]
    for x, y in (inner, *zip(lhs.shape[:-2], rhs.shape[:-2])):
        if isinstance(x, int) and isinstance(y, int) and x != y:
            raise ValueError(f"{what}: {lhs.name} has {x} where {rhs.name} has {y}: shapes {lhs.shape} and {rhs.shape}")
    return tuple(lhs.shape[:-2]) + (lhs.shape[-1 if transa else -2], rhs.shape[-2 if transb else -1])


def _stage(function: str, lhs: Tensor, rhs: Tensor, transposed: tuple[bool, bool], shape: tuple, name: str,
           options: dict[str, Any]) -> Tensor:
    return te.extern(shape, [lhs, rhs],
                     lambda ins, outs: tir.call_packed(function, ins[0], ins[1], outs[0], *map(bool, transposed)),
                     name, **options)


def matmul(lhs: Tensor, rhs: Tensor, transa: bool = False, transb: bool = False, name: str = "C", **options: Any) -> Tensor:
    """The product of the matrices `lhs` (m, k) and `rhs` (k, n), a stage of the host.

    `transa`, `transb`: `lhs`, `rhs` are given transposed. `name` and `options` (dtype, tag) are those of :func:`vta.te.extern`."""
    return _stage(MATMUL, lhs, rhs, (transa, transb), _shape(lhs, rhs, transa, transb, 2, "matmul"), name, options)


def batch_matmul(lhs: Tensor, rhs: Tensor, transa: bool = False, transb: bool = False, name: str = "C",
                 **options: Any) -> Tensor:
    """Products of as many pairs of matrices as the first dimension of `lhs` and `rhs` says.

    `transa`, `transb`, `name` and `options` as for :func:`matmul`."""
    shape = _shape(lhs, rhs, transa, transb, 3, "batch_matmul")
    return _stage(BATCH_MATMUL, lhs, rhs, (transa, transb), shape, name, options)

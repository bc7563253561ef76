"""A program whose types are checked (test_types.py): what the annotations of the package promise to its users."""

from __future__ import annotations

import numpy as np
import vta
from vta import te, topi
from vta.te import IterVar, Schedule, Stage, Tensor


def describe(env: vta.Environment, m: int, n: int) -> tuple[list[Tensor], Tensor]:
    """A matrix multiplication on tiles."""
    a: Tensor = te.placeholder((m, n, env.BATCH, env.BLOCK_IN), env.inp_dtype, "A")
    w: Tensor = te.placeholder((m, n, env.BLOCK_OUT, env.BLOCK_IN), env.wgt_dtype, "W")
    ko, ki = te.reduce_axis((0, n), "ko"), te.reduce_axis((0, env.BLOCK_IN), "ki")
    out: Tensor = te.compute((m, m, env.BATCH, env.BLOCK_OUT), lambda i, j, b, o: te.sum(
        a[i, ko, b, ki].astype(env.acc_dtype) * w[j, ko, o, ki].astype(env.acc_dtype), axis=[ko, ki]), "out")
    return [a, w], out


def plan(out: Tensor) -> Schedule:
    """Loops."""
    s = te.create_schedule(out.op)
    stage: Stage = s[out]
    axis: IterVar = out.op.axis[0]
    outer, inner = stage.split(axis, factor=2)
    stage.reorder(outer, inner)
    stage.unroll(inner)
    return s


def run() -> float:
    """On the host."""
    env = vta.get_env()
    inputs, out = describe(env, 2, 2)
    kernel: vta.Module = vta.build(plan(out), [*inputs, out], "llvm", name="tiles")
    arrays: list[vta.NDArray] = [vta.nd.array(np.ones(t.shape, t.dtype)) for t in inputs]
    result = vta.nd.empty(tuple(int(d) for d in out.shape if isinstance(d, int)), out.dtype)
    kernel(*arrays, result)
    return float(result.numpy().max())


def functions(x: te.Tensor) -> object:
    """Generated ones have types too."""
    y: vta.expr.Expr = te.atan2(te.var("y", "float32"), 1.0) + te.erf(te.const(0.5))
    return topi.tanh(x), y

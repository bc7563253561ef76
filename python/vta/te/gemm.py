"""The GEMM intrinsic of a configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._lib import lib
from .._settings import current
from ..error import Refusing
from ..expr import const
from ..intrin import decl_buffer, decl_tensor_intrin
from .computation import compute, placeholder, reduce_axis
from .operators import sum  # pylint: disable=redefined-builtin


if TYPE_CHECKING:
    from .._context import Context
    from .._settings import Settings



def _nothing(env):
    """An intrinsic that stands for the matrix multiplication of a configuration and emits nothing."""
    inp = placeholder((env.BATCH, env.BLOCK_IN), env.inp_dtype, "inp")
    wgt = placeholder((env.BLOCK_OUT, env.BLOCK_IN), env.wgt_dtype, "wgt")
    k = reduce_axis((0, env.BLOCK_IN), "k")
    out = compute((env.BATCH, env.BLOCK_OUT), lambda i, j: sum(
        inp[i, k].astype(env.acc_dtype) * wgt[j, k].astype(env.acc_dtype), axis=k), "out")
    binds = {tensor: decl_buffer(tensor.shape, tensor.dtype, scope=scope) for tensor, scope in (
        (inp, env.inp_scope), (wgt, env.wgt_scope), (out, env.acc_scope))}
    return decl_tensor_intrin(out.op, lambda ins, outs: (const(0),) * 3, "GEMM", binds)


class GemmIntrin(Refusing):
    """The matrix multiplication of a configuration: ``acc[b, o] += sum_k inp[b, k] * wgt[o, k]``.

    Parameters
    ----------
    env : vta.Environment
    """

    def __init__(self, env: Settings | None = None) -> None:
        self.env = env or current()

    def _handle_in(self, context: Context) -> int:
        """The intrinsic in a schedule's context. That of a mock environment does nothing."""
        if self.env.config is not context.config:
            raise ValueError("the GEMM intrinsic of another environment than the schedule's was given")
        if self.env.mock_mode:
            return _nothing(self.env)._handle_in(context)
        return context.made(lib.te_gemm(context.handle))

    def __repr__(self):
        return f"GemmIntrin({self.env.BITSTREAM})"

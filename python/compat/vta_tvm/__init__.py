"""What programs written for TVM use besides :mod:`vta`: templates and their tuner, TVM's operators (topi), its helpers.

Programs know the modules as ``vta.autotvm``, ``vta.top``, ``vta.topi.nn`` and so on; the package ``tvm`` has them under TVM's names.
All of it uses :mod:`vta`, which never needs it."""

from . import autotvm, contrib, te, testing, top, topi
from .autotvm import module_loader, vta_autotvm_build_func

__all__ = ["autotvm", "contrib", "module_loader", "te", "testing", "top", "topi", "vta_autotvm_build_func"]

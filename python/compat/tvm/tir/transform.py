"""The passes of lowering one by one: ``tir.transform.Simplify()(module)``; see :class:`vta.transform.Pass`."""

from vta.passes import Pass, Sequential, prim_func_pass
from vta.transform import pass_names
from .._refuse import refuse

__all__ = ["Sequential", "prim_func_pass"]


def _maker(name):
    def make(*args):
        return Pass(name) if all(args) else Sequential([])  # VectorizeLoop(False) does nothing

    make.__name__ = name.partition(".")[2]
    make.__doc__ = f"The pass {name}; arguments other than False are accepted, without effect."
    return make


for _name in dict.fromkeys(pass_names()):
    if _name.startswith("tir."):
        globals()[_name.partition(".")[2]] = _maker(_name)

__getattr__ = refuse("tvm.tir.transform")

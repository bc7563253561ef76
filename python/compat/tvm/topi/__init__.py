"""See :mod:`vta.topi`."""

from __future__ import annotations

from typing import Any

from importlib import import_module

from vta.topi import *  # noqa: F401,F403
from vta_tvm.topi import *  # noqa: F401,F403
from vta_tvm import topi as _topi
from vta_tvm.topi.transform import in_order as _in_order
from .._refuse import refuse

# The star above brought vta's own modules of these names, which `from . import` would find already there.
arm_cpu, generic, nn, tag, testing, utils = (
    import_module(f"{__name__}.{part}") for part in ("arm_cpu", "generic", "nn", "tag", "testing", "utils"))

def reshape(a: Any, newshape: Any) -> Any:
    """:func:`vta.topi.reshape`; as in TVM a shape of fewer elements takes the first ones.

    Parameters
    ----------
    a : Tensor
    newshape : tuple of int
    """
    count, fewer = 1, 1
    for e in utils.get_const_tuple(a.shape):
        count *= e
    for e in utils.get_const_tuple(newshape):
        fewer *= e
    return _in_order(a, list(utils.get_const_tuple(newshape))) if 0 < fewer < count else _topi.reshape(a, newshape)


__getattr__ = refuse("tvm.topi")

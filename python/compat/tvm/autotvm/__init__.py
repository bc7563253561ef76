"""What deployment programs use of autotvm: a context that is not needed here, and servers from a tracker."""

from . import measure, tophub
from .._refuse import refuse

__all__ = ["measure", "tophub"]

__getattr__ = refuse("tvm.autotvm")

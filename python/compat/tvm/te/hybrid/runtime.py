"""What scripts know by name when they run on numpy arrays."""

from vta_tvm.te.hybrid import _plain_names
from ..._refuse import refuse

__all__ = ["HYBRID_GLOBALS"]

#: Name -> what it is.
HYBRID_GLOBALS = _plain_names()

__getattr__ = refuse("tvm.te.hybrid.runtime")

"""See :mod:`vta.te`."""

from vta.te import *  # noqa: F401,F403
from vta import te as _module
from ._refuse import refuse

__getattr__ = refuse("tvm.te", _module)

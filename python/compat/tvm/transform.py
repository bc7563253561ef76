"""See :mod:`vta.transform`."""

from vta.passes import *  # noqa: F401,F403
from vta.transform import *  # noqa: F401,F403
from vta import transform as _module
from ._refuse import refuse

__getattr__ = refuse("tvm.transform", _module)

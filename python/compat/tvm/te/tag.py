"""See :func:`vta.te.tag_scope`."""

from vta.te import tag_scope
from .._refuse import refuse

__all__ = ["tag_scope"]

__getattr__ = refuse("tvm.te.tag")

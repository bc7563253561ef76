"""See :mod:`vta.transform`."""

from vta.transform import PassContext

__all__ = ["PassContext"]

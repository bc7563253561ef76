"""See :mod:`vta.ir`."""

from vta.ir import IRModule

__all__ = ["IRModule"]

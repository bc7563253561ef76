"""Small helpers under TVM's names."""

from . import utils

__all__ = ["utils"]

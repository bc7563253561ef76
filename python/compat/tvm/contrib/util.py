"""The older name of :mod:`tvm.contrib.utils`."""

from .utils import TempDirectory, tempdir

__all__ = ["TempDirectory", "tempdir"]

"""The older name of :mod:`tvm.contrib.utils`."""

from .utils import TempDirectory, tempdir
from .._refuse import refuse

__all__ = ["TempDirectory", "tempdir"]

__getattr__ = refuse("tvm.contrib.util")

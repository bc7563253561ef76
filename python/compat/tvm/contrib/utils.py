"""See :mod:`vta.contrib.utils`."""

from vta_tvm.contrib.utils import TempDirectory, tempdir
from .._refuse import refuse

__all__ = ["TempDirectory", "tempdir"]

__getattr__ = refuse("tvm.contrib.utils")

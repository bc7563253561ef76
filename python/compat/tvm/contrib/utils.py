"""See :mod:`vta.contrib.utils`."""

from vta.contrib.utils import TempDirectory, tempdir

__all__ = ["TempDirectory", "tempdir"]

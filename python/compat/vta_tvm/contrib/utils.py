"""Folders that are removed at the end: see :mod:`vta._temporary`."""

from vta._temporary import TempDirectory, tempdir

__all__ = ["TempDirectory", "tempdir"]

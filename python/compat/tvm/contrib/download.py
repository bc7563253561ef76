"""See :mod:`vta.contrib.download`."""

from vta_tvm.contrib.download import download
from .._refuse import refuse

__all__ = ["download"]

__getattr__ = refuse("tvm.contrib.download")

"""See :mod:`vta.contrib.download`."""

from vta_tvm.contrib.download import download, download_testdata
from .._refuse import refuse

__all__ = ["download", "download_testdata"]

__getattr__ = refuse("tvm.contrib.download")

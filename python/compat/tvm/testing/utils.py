"""What programs of TVM's gallery ask of its tests."""

from __future__ import annotations

from .._refuse import refuse

__all__ = ["install_request_hook"]


def install_request_hook(depth: int = 0) -> None:
    """Does nothing: in TVM downloads of its own builds are taken from a mirror after it, and elsewhere from where they say.

    Parameters
    ----------
    depth : int, optional
    """


__getattr__ = refuse("tvm.testing.utils")

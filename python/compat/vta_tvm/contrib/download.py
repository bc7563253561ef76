"""Files from the network."""

from __future__ import annotations

import os

__all__ = ["download"]


def download(url: str, path: str | os.PathLike[str], overwrite: bool = False, size_compare: bool = False,
             retries: int = 3) -> None:
    """Fetches a file, unless it is there.

    Parameters
    ----------
    url : str
    path : str
        Where it goes; the file appears once it is complete.
    overwrite : bool, optional
        Fetch it even if it is there.
    size_compare : bool, optional
        Accepted, without effect.
    retries : int, optional
        How often a failure is tried again.
    """
    from urllib.request import urlretrieve  # slow to import

    if os.path.exists(path) and not overwrite:
        return
    part = os.fspath(path) + ".part"
    for left in range(retries, -1, -1):
        try:
            urlretrieve(url, part)
            os.replace(part, path)
            return
        except OSError:
            if not left:
                raise

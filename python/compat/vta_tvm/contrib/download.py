"""Files from the network."""

from __future__ import annotations

import os

__all__ = ["download", "download_testdata"]


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


def download_testdata(url: str, relpath: str | os.PathLike[str], module: str | list[str] | None = None,
                      overwrite: bool = False) -> str:
    """A file of test data: the one that is there, else fetched from where the program says.

    Files lie in ``$TEST_DATA_ROOT_PATH``, else in ``~/.tvm_test_data``, below the name of `module`. Put a file there, and
    nothing is fetched: programs with data run on machines without a network.

    Parameters
    ----------
    url : str
        Also ``file:///…``.
    relpath : str
        Its name there.
    module : str or list of str, optional
        A folder, or several within each other.
    overwrite : bool, optional
        Fetch it even if it is there.

    Returns
    -------
    path : str
    """
    root = os.environ.get("TEST_DATA_ROOT_PATH") or os.path.join(os.path.expanduser("~"), ".tvm_test_data")
    parts = [module] if isinstance(module, str) else list(module or [])
    relative = os.path.normpath(os.path.join(*parts, os.fspath(relpath)))
    if os.path.isabs(relative) or relative.split(os.sep)[0] == "..":
        raise ValueError(f"download_testdata: {relative} is not below {root}")
    path = os.path.join(os.path.abspath(root), relative)
    if overwrite or not os.path.exists(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        try:
            download(url, path, overwrite)
        except OSError as error:
            raise type(error)(f"{url} cannot be fetched ({error}): put the file at {path}") from error
    return path

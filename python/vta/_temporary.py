"""Temporary folders."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref


def _remove(folder, owner):
    """Removes a folder and everything in it, in the process that made it and not in its forked children."""
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)


class TempDirectory:
    """A folder that goes away with this object.

    Parameters
    ----------
    custom_path : str, optional
        An existing parent to make it in.
    """

    def __init__(self, custom_path: str | None = None) -> None:
        self.temp_dir = tempfile.mkdtemp(dir=custom_path)
        # Also at the interpreter's end, whatever outlives what.
        self._finalize = weakref.finalize(self, _remove, self.temp_dir, os.getpid())

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.remove()

    def remove(self) -> None:
        """Removes the folder and everything in it."""
        self._finalize()
        self.temp_dir = None  # type: ignore[assignment]

    @property
    def path(self) -> str:
        """Path of the folder."""
        return self.temp_dir

    def relpath(self, name: str | os.PathLike) -> str:
        """Path of `name` inside the folder.

        Parameters
        ----------
        name : str or path
            A file name.

        Returns
        -------
        path : str
            The full path.
        """
        return os.path.join(self.temp_dir, name)

    def listdir(self) -> list[str]:
        """Names of the files in the folder."""
        return os.listdir(self.temp_dir)


def tempdir(custom_path: str | None = None) -> TempDirectory:
    """Makes a temporary folder; see :class:`TempDirectory`.

    Parameters
    ----------
    custom_path : str, optional
    """
    return TempDirectory(custom_path)

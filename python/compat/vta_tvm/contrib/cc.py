"""The system's compiler as a linker."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Sequence

__all__ = ["get_cc", "create_shared"]


def get_cc() -> str | None:
    """The compiler: ``$CXX``, else the first of ``g++``, ``clang++``, ``cc``; None where there is none."""
    for name in (os.environ.get("CXX"), "g++", "clang++", "cc"):
        path = shutil.which(name) if name else None
        if path:
            return path
    return None


def create_shared(output: str, objects: str | Sequence[str], options: Sequence[str] | None = None, cc: str | None = None) -> None:
    """Links objects to a shared object.

    Parameters
    ----------
    output : str
    objects : str or list of str
    options : list of str, optional
        Of the compiler.
    cc : str, optional
        The compiler.
    """
    compiler = cc or get_cc()
    if compiler is None:
        raise FileNotFoundError("no compiler to link with: install g++ or clang, or name one in CXX")
    files = [objects] if isinstance(objects, str) else list(objects)
    done = subprocess.run([compiler, "-shared", "-fPIC", "-o", output, *files, *(options or [])], capture_output=True,
                          text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{compiler} could not link {output}:\n{done.stderr or done.stdout}")

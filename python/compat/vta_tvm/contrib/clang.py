"""Clang as a maker of LLVM's IR."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Sequence

__all__ = ["find_clang", "create_llvm"]

_NAMES = ("clang-19", "clang")  # the library's LLVM is 19, which does not read what every older one wrote


def find_clang(required: bool = True) -> list[str]:
    """Clangs that are installed, the best first.

    Parameters
    ----------
    required : bool, optional
        FileNotFoundError where there is none.
    """
    found = [path for path in (shutil.which(name) for name in _NAMES) if path]
    if required and not found:
        raise FileNotFoundError("no clang: install clang-19 (Debian's package of that name)")
    return found


def create_llvm(inputs: str | Sequence[str], output: str | None = None, options: Sequence[str] | None = None,
                cc: str | None = None) -> str:
    """C++ as LLVM's IR, for the pragma ``import_llvm``.

    Parameters
    ----------
    inputs : str or list of str
        A file's path, or the text of a program.
    output : str, optional
        Where the IR is written, too.
    options : list of str, optional
        Of clang.
    cc : str, optional
        The compiler.

    Returns
    -------
    code : str
    """
    texts = [inputs] if isinstance(inputs, str) else list(inputs)
    if len(texts) != 1:
        raise NotImplementedError("create_llvm of several inputs is not offered: put them into one file")
    with tempfile.TemporaryDirectory() as folder:
        path, ll = texts[0], output or os.path.join(folder, "out.ll")
        if "\n" in path or not os.path.exists(path):
            path = os.path.join(folder, "input.cc")
            with open(path, "w", encoding="utf-8") as file:
                file.write(texts[0])
        command = [cc or find_clang()[0], "-O3", "-emit-llvm", "-S", *(options or []), "-o", ll, path]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{command[0]} could not compile:\n{done.stderr or done.stdout}")
        with open(ll, encoding="utf-8") as file:
            return file.read()

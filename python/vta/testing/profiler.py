"""Where a kernel's time goes, from the timed simulator: ``vta profile`` for a call."""

from __future__ import annotations

import base64
import html
import json
import os
import shutil
import subprocess
from typing import TYPE_CHECKING

from .._lib import lib
from .._temporary import tempdir
from .._views import show, table
from . import simulator
from .motion import STEPS, Motion, frames_of, script_of

if TYPE_CHECKING:
    from typing import Any

    from ..module import Function, Module
    from ..ndarray import NDArray

__all__ = ["Comparison", "Picture", "Profile", "profile"]


def _tool():
    """Path of the command-line tool: beside the library, else the one on the path."""
    beside = os.path.join(os.path.dirname(os.path.abspath(lib.path("vta"))), "vta")
    found = beside if os.path.isfile(beside) else shutil.which("vta")
    if not found:
        raise FileNotFoundError("the command-line tool `vta` was not found beside the library nor on the path: build "
                                "it with `make`")
    return found


class Picture(str):
    """The text of an SVG file, which a notebook shows as a picture."""

    def __repr__(self):  # stored in notebooks as the text beside the picture
        return f"<a picture: {len(self)} characters of SVG>"

    def _repr_mimebundle_(self, include=None, exclude=None):
        # As an image of its own besides: its styles stay inside, and converters leave it whole.
        data = base64.b64encode(self.encode()).decode()
        return {"image/svg+xml": str(self), "text/html": f'<img src="data:image/svg+xml;base64,{data}"/>',
                "text/plain": repr(self)}


class Profile:
    """A recorded call, timed; a notebook shows it as its timeline.

    Attributes
    ----------
    program : bytes
        The program file, for the tool's other commands.
    """

    def __init__(self, program: bytes) -> None:
        self.program = program

    def _run(self, *options):
        with tempdir() as folder:
            path = folder.relpath("kernel.vta")
            with open(path, "wb") as file:
                file.write(self.program)
            made = subprocess.run([_tool(), "profile", path, *options], capture_output=True, text=True, cwd=folder.path)
            if made.returncode:
                raise RuntimeError(made.stderr.strip())
            for name in ("timeline.svg", "page.html"):
                if os.path.exists(folder.relpath(name)):
                    with open(folder.relpath(name), encoding="utf-8") as file:
                        return file.read()
            return made.stdout

    def report(self, *options: str) -> str:
        """What limits the kernel, in words and numbers.

        Parameters
        ----------
        options : str
            Those of ``vta profile``, such as ``"--bus", "128"``.

        Returns
        -------
        text : str
        """
        return self._run(*options)

    @property
    def data(self) -> dict[str, Any]:
        """The same as a dictionary."""
        return json.loads(self._run("--json"))

    @property
    def summary(self) -> str:
        """The words alone, and the number of cycles."""
        words, _, numbers = self.report().partition("\n\n")
        return words + "\n" + numbers.split("\n", 1)[0]

    def svg(self, title: str = "", first: int = 0, last: int = 0) -> Picture:
        """The timeline as a picture.

        Parameters
        ----------
        title : str, optional
            Heading of the picture.
        first, last : int, optional
            The cycles that it shows; 0 and 0: all.

        Returns
        -------
        picture : Picture
            The text of an SVG file, shown as a picture in a notebook.
        """
        options = ["--svg", "timeline.svg", "--title", title or "timeline"]
        return Picture(self._run(*options, *(["--from", str(first), "--to", str(last)] if last else [])))

    def html(self) -> str:
        """The page of ``vta profile --html``: timeline, roofline, buffers and traffic, with everything it needs in it."""
        return self._run("--html", "page.html")

    def show(self) -> None:
        """Shows the page in a notebook's cell, to be panned, zoomed and asked; elsewhere prints the summary."""
        show(_Page(self))

    def motion(self, acc: int = 0, inp: int = 0, wgt: int = 0) -> Motion:
        """The call step by step, as the debugger goes through it.

        Parameters
        ----------
        acc, inp, wgt : int, optional
            How many elements of these buffers are looked at, from the first on.

        Returns
        -------
        motion : Motion
            What a notebook shows with a slider.

        Examples
        --------
        >>> vta.testing.profile(kernel, a, b, c).motion(acc=2)
        """
        asked = {name: n for name, n in (("acc", acc), ("inp", inp), ("wgt", wgt)) if n}
        count = sum(row.get("count", 0) for row in self.data["kinds"]) if "kinds" in self.data else STEPS
        with tempdir() as folder:
            path = folder.relpath("kernel.vta")
            with open(path, "wb") as file:
                file.write(self.program)
            made = subprocess.run([_tool(), "debug", path], input=script_of(min(count, STEPS), asked), capture_output=True,
                                  text=True, cwd=folder.path)
            if made.returncode:
                raise RuntimeError(made.stderr.strip())
        frames = frames_of(made.stdout)
        last = max((i for i, f in enumerate(frames) if f.instruction), default=0)
        return Motion(frames[:last + 2])

    def against(self, other: Profile) -> Comparison:
        """The two calls side by side.

        Parameters
        ----------
        other : Profile

        Returns
        -------
        comparison : Comparison
        """
        return Comparison(self, other)

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.summary)}</pre>" + self.svg()._repr_mimebundle_()["text/html"]

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {**self.svg()._repr_mimebundle_(), "text/plain": repr(self)}

    def __repr__(self):
        return self.summary


class _Page:
    """The page of a profile, as a notebook shows it: within a frame, where its scripts run by themselves."""

    def __init__(self, of: Profile) -> None:
        self._of = of

    def _repr_html_(self) -> str:
        page = html.escape(self._of.html(), quote=True)
        return (f'<iframe srcdoc="{page}" sandbox="allow-scripts" title="Profile" '
                'style="width:100%;height:640px;border:1px solid #8888;border-radius:8px"></iframe>')

    def __str__(self) -> str:
        return self._of.summary

    __repr__ = __str__


class Comparison:
    """Two calls side by side: cycles, what the units did, bytes. A notebook shows it as a table.

    Parameters
    ----------
    first, second : Profile
    """

    def __init__(self, first: Profile, second: Profile) -> None:
        self.first, self.second = first, second

    @property
    def rows(self) -> list[tuple[str, float, float]]:
        """What is compared: its name, and both numbers."""
        one, other = (p.data["timing"] for p in (self.first, self.second))
        return [(key.replace("_", " "), one[key], other[key]) for key in one
                if isinstance(one[key], (int, float)) and isinstance(other.get(key), (int, float))]

    def show(self) -> None:
        """Shows the table: in a notebook as one, elsewhere as text."""
        show(self)

    def __str__(self) -> str:
        lines = [f"{'':32} {'A':>14} {'B':>14} {'B/A':>8}"]
        lines += [f"{n:32} {a:14,.6g} {b:14,.6g} {b / a if a else float('nan'):8.3f}" for n, a, b in self.rows]
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows = [(n, a, b, f"{b / a:.3f}" if a else "") for n, a, b in self.rows]
        return table("Two calls", ("", "A", "B", "B/A"), rows)


def profile(function: Function | Module, *args: NDArray) -> Profile:
    """Calls a kernel once and times what it did on the accelerator.

    Parameters
    ----------
    function : Function or Module
        The kernel.
    args : NDArray
        Its arguments.

    Returns
    -------
    profile : Profile
        ``print`` it for words and numbers; a notebook shows the timeline.
    """
    with tempdir() as folder:
        path = folder.relpath("kernel.vta")
        with simulator.capture(path):
            function(*args)
        if not os.path.exists(path):
            raise ValueError("the call ran nothing on the accelerator")
        with open(path, "rb") as file:
            return Profile(file.read())

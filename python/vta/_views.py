"""Tables of HTML, which notebooks show of objects: plain, without styles of their own but for alignment, so that they
follow the notebook's theme."""

from __future__ import annotations

import html
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

__all__ = ["number", "show", "table"]


def number(value: Any) -> str:
    """A number as people read it: 12,345 or 1.23."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    return f"{value:,}" if isinstance(value, int) else f"{value:,.4g}"


def table(title: str, heads: Sequence[str], rows: Iterable[Sequence[Any]], after: str = "") -> str:
    """A table with a heading; numbers stand at the right, texts at the left. Everything is escaped."""
    def cell(tag: str, value: Any) -> str:
        side = "right" if isinstance(value, (int, float)) and not isinstance(value, bool) else "left"
        return f'<{tag} style="text-align:{side}">{html.escape(number(value))}</{tag}>'

    body = "".join("<tr>" + "".join(cell("td", v) for v in row) + "</tr>" for row in rows)
    head = "<thead><tr>" + "".join(cell("th", h) for h in heads) + "</tr></thead>" if heads else ""
    note = f"<p>{html.escape(after)}</p>" if after else ""
    return f"<div><p><b>{html.escape(title)}</b></p><table>{head}<tbody>{body}</tbody></table>{note}</div>"


def show(what: Any) -> None:
    """Shows an object: in a notebook as its view, elsewhere as its text."""
    shell = sys.modules.get("IPython")
    if shell is not None and shell.get_ipython() is not None:
        from IPython.display import display

        display(what)
    else:
        print(what)

"""Shows program text: highlighted in a notebook and on a terminal, plain elsewhere."""

from __future__ import annotations

import sys


def _in_notebook():
    try:
        from IPython import get_ipython
    except ImportError:
        return False
    shell = get_ipython()
    return shell is not None and shell.__class__.__name__ == "ZMQInteractiveShell"


def _notebook_style():
    """The colours of a notebook's own code cells."""
    from pygments.style import Style
    from pygments.token import Comment, Keyword, Name, Number, Operator, String

    class NotebookStyle(Style):
        """Dark text on the page's background."""

        background_color = ""
        styles = {
            Keyword: "bold #008000",
            Keyword.Type: "nobold #008000",
            Name.Function: "#0000FF",
            Name.Class: "bold #0000FF",
            Name.Decorator: "#AA22FF",
            String: "#BA2121",
            Number: "#008000",
            Operator: "bold #AA22FF",
            Operator.Word: "bold #008000",
            Comment: "italic #007979",
        }

    return NotebookStyle


def show_script(script: str, style: str | None = None) -> None:
    """Shows TVMScript.

    Parameters
    ----------
    script : str
    style : str, optional
        Name of a Pygments style; the default fits the place.
    """
    try:
        from pygments import highlight
        from pygments.formatters import HtmlFormatter, Terminal256Formatter
        from pygments.lexers import Python3Lexer
    except ImportError:
        print(script)
        return
    if _in_notebook():
        from IPython import display

        formatter = HtmlFormatter(style=style or _notebook_style(), noclasses=True)
        display.display(display.HTML(highlight(script, Python3Lexer(), formatter)))
    elif sys.stdout.isatty():
        print(highlight(script, Python3Lexer(), Terminal256Formatter(style=style or "default")))
    else:
        print(script)

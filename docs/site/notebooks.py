"""Notebooks as pages: their text, their code, and the outputs that are stored in them."""

import json
import os
import re


def _text(value):
    return "".join(value) if isinstance(value, list) else value


def _output(out, stem, number, folder):
    """One stored output as Markdown: HTML as it is, pictures as files, the rest as text."""
    data = out.get("data", {})
    if "image/svg+xml" in data:
        name = f"{stem}-{number}.svg"
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(_text(data["image/svg+xml"]))
        return f"![output]({name})\n"
    if "text/html" in data:
        return "```{raw} html\n" + re.sub(r"\n\s*\n", "\n", _text(data["text/html"])) + "\n```\n"
    text = _text(out["text"] if "text" in out else data.get("text/plain", ""))
    text = re.sub(r"\x1b\[[0-9;]*m", "", text)
    return f"````text\n{text.rstrip()}\n````\n" if text.strip() else ""


def page(path, folder):
    """A notebook as Markdown; its pictures are written to `folder`."""
    with open(path, encoding="utf-8") as file:
        cells = json.load(file)["cells"]
    stem, parts = os.path.basename(path)[:-len(".ipynb")], []
    for number, cell in enumerate(cells):
        source = _text(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(re.sub(r"\.ipynb(?=[)#])", ".md", source) + "\n")
        elif cell["cell_type"] == "code":
            parts.append(f"````python\n{source}\n````\n")
            parts += [_output(o, stem, f"{number}-{i}", folder) for i, o in enumerate(cell["outputs"])]
    return "\n".join(parts)

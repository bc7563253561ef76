"""Pages of the C API from the public headers: a page a header, with its declarations and what the comments say of them."""

import os
import re

#: A line that begins a section: the words between two runs of dashes.
_SECTION = re.compile(r"/\* -{2,} (.+?) -{2,} \*/")


def _comment(text):
    """The words of a comment, without its marks."""
    lines = [re.sub(r"^ ?\* ?", "", line) for line in text[2:-2].split("\n")]
    return "\n".join([lines[0].lstrip(), *lines[1:]]).strip()


def _prose(words):
    """A comment as Markdown: indented lines are code, the others text that means nothing else."""
    out, code = [], False
    for line in words.split("\n"):
        if line.startswith("    ") != code and line.strip():
            out.append("```c" if not code else "```")
            code = not code
        out.append(line[4:] if code else re.sub(r"([\\`*_\[\]<>#|])", r"\\\1", line))
    return "\n".join(out + ["```"] * code)


def _pieces(text):
    """("comment", words), ("section", title) and ("code", declarations) of a header, in order."""
    at, code = 0, ""
    while at < len(text):
        end = text.find("\n", at) + 1 or len(text)
        if text.startswith("/*", at):
            yield "code", code
            code, end = "", text.index("*/", at) + 2
            section = _SECTION.match(text[at:end])
            yield ("section", section.group(1)) if section else ("comment", _comment(text[at:end]))
        elif not text[at:end].strip():
            yield "code", code
            code = ""
        elif text.startswith("#", at):
            while text[at:end].endswith("\\\n"):
                end = text.find("\n", end) + 1 or len(text)
            if re.match(r"#define VTA_\w+ ", text[at:end]) and "_H " not in text[at:end]:
                code += text[at:end]
        elif not re.match(r"VTA_(BEGIN|END)\b", text[at:end]):
            depth = text[at:end].count("{") - text[at:end].count("}")
            while depth > 0:  # a struct or an enum is one declaration, with its comments
                more = text.find("\n", end) + 1 or len(text)
                depth += text[end:more].count("{") - text[end:more].count("}")
                end = more
            code += text[at:end]
        at = end
    yield "code", code


def names(code):
    """The names that declarations introduce: of functions, types and macros."""
    found = re.findall(r"^#define (VTA_\w+)", code, re.M)
    plain = re.sub(r"/\*.*?\*/", "", code, flags=re.S)
    found += re.findall(r"\b((?:vta|vtac|te|VTA|TVM)\w*)\([^()]*(?:\([^()]*\)[^()]*)*\)\s*(?:VTA_\w+(?:\([^)]*\))?)?;", plain)
    found += re.findall(r"^\}? ?(?:typedef .*?\b)?(\w+);$", re.sub(r"^(?!typedef|\}).*$", "", plain, flags=re.M), re.M)
    return list(dict.fromkeys(found))


def page(name, text):
    """A header as Markdown."""
    out, first, words = [f"# vta/{name}", ""], True, ""
    for kind, piece in _pieces(text):
        if kind == "section":
            out += [f"## {piece}", ""]
        elif kind == "comment":
            if first:
                out += [_prose(piece), ""]
            else:
                out += [_prose(words), ""] if words else []
                words = piece
            first = False
        elif piece.strip():
            declared = names(piece)
            if declared:
                out += [f"### {', '.join(declared)}", ""]
            out += ["```c", piece.rstrip(), "```", ""] + ([_prose(words), ""] if words else [])
            words = ""
    return "\n".join(out) + "\n"


def write(headers, folder):
    """Writes the pages of a folder of headers, and their index."""
    os.makedirs(folder, exist_ok=True)
    listed = sorted(n for n in os.listdir(headers) if n.endswith(".h"))
    for name in listed:
        with open(os.path.join(headers, name), encoding="utf-8") as file:
            text = file.read()
        with open(os.path.join(folder, name[:-2] + ".md"), "w", encoding="utf-8") as file:
            file.write(page(name, text))
    with open(os.path.join(folder, "index.md"), "w", encoding="utf-8") as file:
        file.write("# C API\n\nA page a header of `include/vta`, made of the headers themselves.\n\n```{toctree}\n:maxdepth: 1\n\n"
                   + "\n".join(n[:-2] for n in listed) + "\n```\n")

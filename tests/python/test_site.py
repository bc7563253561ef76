"""What `make site` makes of headers and notebooks, without Sphinx: every function of the C API has a heading, with its comment."""

import ast
import glob
import json
import os
import sys
import tempfile
import unittest

import common

sys.path.append(os.path.join(common.ROOT, "docs", "site"))
import headers  # noqa: E402
import notebooks  # noqa: E402

from vta import _bindings  # noqa: E402


class Sidebar(unittest.TestCase):
    def test_every_document_has_a_place(self):
        """What scripts/make_site would end with, known without Sphinx."""
        with open(os.path.join(common.ROOT, "scripts", "make_site"), encoding="utf-8") as file:
            tree = ast.parse(file.read())
        parts = next(ast.literal_eval(node.value) for node in tree.body
                     if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", None) == "PARTS")
        placed = [name for _, names in parts for name in names]
        documents = [os.path.basename(p)[:-len(".md")] for p in glob.glob(os.path.join(common.ROOT, "docs", "*.md"))]
        self.assertEqual(sorted(placed), sorted(name for name in documents if not name.endswith(".zh-CN")))


class Headers(unittest.TestCase):
    def test_every_function(self):
        """Against the names that the Python front end has from the C preprocessor."""
        with tempfile.TemporaryDirectory() as folder:
            headers.write(os.path.join(common.ROOT, "include", "vta"), folder)
            lines = []
            for path in glob.glob(os.path.join(folder, "*.md")):
                with open(path, encoding="utf-8") as file:
                    lines += file.read().split("\n")
        heads = {name for line in lines if line.startswith("### ") for name in line[4:].split(", ")}
        missing = {n for n in _bindings.FUNCTIONS if n not in heads}
        rows = {n for n in missing if not any(n + "(" in line for line in lines)}  # of tables (.def): written nowhere
        self.assertLess(len(rows), len(_bindings.FUNCTIONS) // 10, sorted(rows))
        self.assertEqual(sorted(missing - rows), [])

    def test_a_header(self):
        text = ('/* Of things.\n *\n *     f(1);   // code\n */\n#ifndef VTA_T_H\n#define VTA_T_H\nVTA_BEGIN\n'
                '/* ---- Some ---------- */\n\n/* Makes <one>. */\nVTA_API int vta_make(int a,\n                     int b);\n'
                '/* Its kind. */\ntypedef struct vta_thing {\n    int a; /* one */\n\n    int b;\n} vta_thing;\nVTA_END\n#endif\n')
        page = headers.page("t.h", text)
        self.assertEqual([line for line in page.split("\n") if line.startswith("#")],
                         ["# vta/t.h", "## Some", "### vta_make", "### vta_thing"])
        self.assertIn("```c\nf(1);   // code\n```", page)
        self.assertIn("```c\nVTA_API int vta_make(int a,\n                     int b);\n```\n\nMakes \\<one\\>.\n", page)
        self.assertIn("    int a; /* one */\n\n    int b;\n} vta_thing;\n```\n\nIts kind.\n", page)


class Notebooks(unittest.TestCase):
    def test_cells(self):
        cells = [{"cell_type": "markdown", "source": ["See [two](2-b.ipynb)."]},
                 {"cell_type": "code", "source": "f()", "outputs": [
                     {"output_type": "stream", "name": "stdout", "text": ["\x1b[31mone\x1b[0m\n"]},
                     {"output_type": "display_data", "data": {"image/svg+xml": "<svg/>", "text/plain": "x"}},
                     {"output_type": "display_data", "data": {"text/html": "<b>\n\nx</b>", "text/plain": "x"}}]}]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "1-a.ipynb")
            with open(path, "w", encoding="utf-8") as file:
                json.dump({"cells": cells}, file)
            page = notebooks.page(path, folder)
            with open(os.path.join(folder, "1-a-1-1.svg"), encoding="utf-8") as file:
                self.assertEqual(file.read(), "<svg/>")
        for part in ("[two](2-b.md)", "````python\nf()\n````", "````text\none\n````", "![output](1-a-1-1.svg)", "<b>\nx</b>"):
            self.assertIn(part, page)


if __name__ == "__main__":
    unittest.main()

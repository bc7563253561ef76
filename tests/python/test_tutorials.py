"""The tutorials run as they stand, without an error, and are stored with their output."""

import glob
import json
import os
import tempfile
import unittest

import common

FOLDER = os.path.join(common.ROOT, "docs", "tutorials")


def _load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def _code(notebook):
    return [c for c in notebook["cells"] if c["cell_type"] == "code"]


class Tutorials(unittest.TestCase):
    def test_they_run(self):
        try:
            import nbformat
            from nbclient import NotebookClient
        except ImportError as error:
            self.skipTest(f"notebooks cannot be executed here: {error}")
        names = sorted(n for n in glob.glob(os.path.join(FOLDER, "*.ipynb")) if ".zh-CN." not in n)
        self.assertEqual(len(names), 6)
        saved = dict(os.environ)
        os.environ.update(common.environment())
        try:
            for name in names:
                with self.subTest(os.path.basename(name)), tempfile.TemporaryDirectory() as folder:
                    notebook = nbformat.read(name, as_version=4)
                    NotebookClient(notebook, timeout=120, kernel_name="python3", allow_errors=True,
                                   resources={"metadata": {"path": folder}}).execute()
                    for cell in _code(notebook):
                        for output in cell["outputs"]:
                            self.assertNotEqual(output["output_type"], "error", "\n".join(output.get("traceback", [])))
        finally:
            os.environ.clear()
            os.environ.update(saved)

    def test_what_is_stored(self):
        for name in glob.glob(os.path.join(FOLDER, "*.ipynb")):
            with self.subTest(os.path.basename(name)):
                self.assertLess(os.path.getsize(name), 500 * 1024)
                cells = _code(_load(name))
                self.assertTrue([c for c in cells for o in c["outputs"] if "image/svg+xml" in o.get("data", {})])
                self.assertFalse([o for c in cells for o in c["outputs"] if o["output_type"] == "error"])

    def test_translations_have_the_same_code(self):
        for name in glob.glob(os.path.join(FOLDER, "*.zh-CN.ipynb")):
            with self.subTest(os.path.basename(name)):
                one, other = _load(name), _load(name.replace(".zh-CN", ""))
                self.assertEqual([c["cell_type"] for c in one["cells"]], [c["cell_type"] for c in other["cells"]])
                self.assertEqual(_code(one), _code(other))

    def test_pictures_and_links_exist(self):
        import re

        for name in glob.glob(os.path.join(FOLDER, "*.ipynb")):
            text = "".join("".join(c["source"]) for c in _load(name)["cells"] if c["cell_type"] == "markdown")
            for link in re.findall(r"\]\(([^)]+)\)", text):
                self.assertTrue(os.path.exists(os.path.join(FOLDER, link)), f"{name}: {link}")


if __name__ == "__main__":
    unittest.main()

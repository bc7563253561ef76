"""The tutorials run as they stand, without an error, and are stored with their output."""

import glob
import importlib.machinery
import json
import os
import re
import subprocess
import sys
import unittest
import unittest.mock

import common

FOLDER = os.path.join(common.ROOT, "docs", "tutorials")


def _load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def _code(notebook):
    return [c for c in notebook["cells"] if c["cell_type"] == "code"]


class Tutorials(unittest.TestCase):
    def test_they_run_and_print_what_is_stored(self):
        names = [n for n in glob.glob(os.path.join(FOLDER, "*.ipynb")) if ".zh-CN." not in n]
        self.assertEqual(len(names), 9)
        run = subprocess.run([sys.executable, os.path.join(common.ROOT, "scripts", "run_notebooks"), "--check"],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=common.environment())
        if run.returncode == 77:
            self.skipTest(run.stdout.strip())
        self.assertEqual(run.returncode, 0, "stale, scripts/run_notebooks stores them anew:\n" + run.stdout + run.stderr[-2000:])

    def test_stale_numbers_are_found(self):
        """A digit that is changed, a line that is taken away, times that are other ones."""
        loader = importlib.machinery.SourceFileLoader("run_notebooks", os.path.join(common.ROOT, "scripts", "run_notebooks"))
        with unittest.mock.patch.object(sys, "exit"), unittest.mock.patch.object(sys, "argv", ["", "--check", "none of them"]):
            module = loader.load_module()
        for path in glob.glob(os.path.join(FOLDER, "*.ipynb")):
            made = [c["outputs"] for c in _code(_load(path))]
            self.assertEqual(module.stale(path, made), [])
            changed = 0
            for cell in made:
                for o in cell:
                    if o["output_type"] != "stream" or not re.search(r"\d{3}", module.TIME.sub("", o["text"])):
                        continue
                    kept = o["text"]
                    place = [m.start() for m in re.finditer(r"\d{3}", kept) if not any(
                        t.start() <= m.start() < t.end() for t in module.TIME.finditer(kept))]
                    if not place:
                        continue
                    at = place[0]
                    o["text"] = kept[:at] + str((int(kept[at]) + 1) % 10) + kept[at + 1:]
                    self.assertTrue(module.stale(path, made), kept[at:at + 20])
                    o["text"] = kept
                    changed += 1
            self.assertGreater(changed, 0, path)
        self.assertEqual(module.TIME.sub("T", "12.5 ms and 3,000 images a second"), "T and T")

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

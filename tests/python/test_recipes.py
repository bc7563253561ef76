"""The recipes of docs/extending.md, followed on a copy of the tree: their code blocks name the file that they belong to
and are put there as they stand."""

import concurrent.futures
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import common

#: What te's evaluation is made of.
LOWER_FOLDERS = ("common/base", "common/config", "common/isa", "vtac/ir", "vtac/arith", "vtac/te")
PROGRAM = r"""
#include <stdio.h>
#include "vta/te.h"
int main(void) {
    te_context *c = te_context_create(NULL, NULL);
    te_tensor *x = te_placeholder(c, "x", "float64", 1, (int64_t[]){4});
    te_tensor *r = te_define(c, "r[i: 4] = cbrt(x[i])");
    const double in[] = {8.0, -27.0, 0.001, 2.0};
    double out[4];
    if (!r || te_evaluate(c, r, 1, &x, (const void *[]){in}, out) != VTA_OK) {
        fputs(vta_diag_text(te_context_diag(c)), stdout);
        return 1;
    }
    for (int i = 0; i < 4; i++) printf("%.17g\n", out[i]);
    printf("%s\n", te_expr_text(c, te_tensor_body(r)));
    te_context_destroy(c);
    return 0;
}
"""


def blocks():
    """File -> code of the blocks that name one."""
    with open(os.path.join(common.ROOT, "docs", "extending.md"), encoding="utf-8") as file:
        return dict(re.findall(r"^```c (\S+)\n(.*?)^```$", file.read(), re.M | re.S))


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class Recipes(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.addCleanup(folder.cleanup)
        self.tree = folder.name
        for folder in ("include", "src", "cli", "python"):
            shutil.copytree(os.path.join(common.ROOT, folder), os.path.join(self.tree, folder))

    def follow(self, *names):
        """Puts blocks of the recipe into the copy."""
        code = blocks()
        for name in names:
            with open(os.path.join(self.tree, name), "a", encoding="utf-8") as file:
                file.write(code[name])

    def run_command(self, *command):
        run = subprocess.run(command, capture_output=True, text=True, check=False, cwd=self.tree)
        self.assertEqual(run.returncode, 0, " ".join(command) + "\n" + run.stdout + run.stderr)
        return run.stdout

    def compile(self, files, *options):
        """Objects of files, without a warning."""
        def one(path):
            out = os.path.join(self.tree, path.replace("/", "_") + ".o")
            self.run_command("cc", "-std=gnu11", "-O0", "-Wall", "-Wextra", "-Werror", "-Wno-missing-field-initializers",
                             "-D_GNU_SOURCE", '-DVT_VERSION="0"', "-Iinclude", *options, "-c", path, "-o", out)
            return out

        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            return list(pool.map(one, files))

    def link(self, objects, name):
        self.run_command("cc", *objects, "-o", name, "-L" + common.BUILD, "-Wl,-rpath," + common.BUILD, "-lvta", "-ljansson",
                         "-lm", "-lpthread")

    def sources(self, folder):
        return sorted(os.path.relpath(p, self.tree) for p in glob.glob(os.path.join(self.tree, folder, "*.c")))

    def test_a_mathematical_function(self):
        bindings = os.path.join(common.ROOT, "scripts", "gen_python_bindings")
        made = os.path.join(self.tree, "made")
        self.run_command(sys.executable, bindings, made, self.tree)
        before = {name: read(os.path.join(made, name)) for name in os.listdir(made)}
        self.assertEqual(before, {name: read(os.path.join(common.BUILD, "python", "vta", name)) for name in before})
        self.follow("include/vta/math.def")
        self.run_command(sys.executable, bindings, made, self.tree)
        for name, line in (("_math.py", "    return apply(b.TE_CBRT, x)\n"), ("_bindings.py", "TE_CBRT = "),
                           ("_elementwise.py", '    return broadcast("cbrt", b.TE_CBRT, x)\n')):
            self.assertNotIn(line, before[name])
            self.assertIn(line, read(os.path.join(made, name)))
        with open(os.path.join(self.tree, "program.c"), "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        files = [f for folder in LOWER_FOLDERS for f in self.sources(os.path.join("src", folder))]
        # te asks whether libvta is of the same build; a configuration may be one of configs/
        built = [os.path.join(common.BUILD, "src", name) for name in ("build_id.c", "config_files.c")]
        objects = self.compile(files + ["program.c", *built], "-Isrc/common", "-Isrc/vtac")
        self.link(objects, "program")
        *values, text = self.run_command(os.path.join(self.tree, "program")).split("\n")[:-1]
        for value, expected in zip(map(float, values), (2.0, -3.0, 0.1, 2.0 ** (1 / 3))):
            self.assertAlmostEqual(value, expected, places=14)
        self.assertEqual(text, "tir.cbrt(x[i])")

    def test_a_command(self):
        self.follow("cli/commands.def", "cli/peak.c")
        files = [f for folder in ("cli", "cli/sweep") for f in self.sources(folder) if not os.path.basename(f).startswith("c_")]
        page = os.path.join(common.BUILD, "cli", "results_page.c")
        objects = self.compile([*files, page], "-Icli")
        self.link(objects, "vta")
        tool = os.path.join(self.tree, "vta")
        self.assertEqual(self.run_command(tool, "peak"), "256 multiply-accumulates in a cycle\n")
        self.assertEqual(json.loads(self.run_command(tool, "peak", "--set", "LOG_BATCH=1", "--json")), {"macs_per_cycle": 512})
        self.assertIn("vta peak --set LOG_BATCH=1", self.run_command(tool, "peak", "--help"))
        self.assertIn("print the multiply-accumulates", self.run_command(tool, "--help"))
        self.assertIn("vta peak", self.run_command(tool, "man"))
        wrong = subprocess.run([tool, "peak", "more"], capture_output=True, text=True, check=False)
        self.assertEqual((wrong.returncode, wrong.stdout), (2, ""))
        self.assertIn("vta peak: more: takes no argument", wrong.stderr)


if __name__ == "__main__":
    unittest.main()

"""The annotations of the package, checked by mypy: the package itself, a program that uses it, and that wrong programs
are found by them."""

import os
import re
import subprocess
import sys
import tempfile
import unittest

import common
import typed_program

#: A line that a program may not contain, and the word of mypy's answer.
WRONG = (
    ("te.placeholder((4,), 8)", "arg-type"),
    ("te.erf()", "call-arg"),
    ("te.erf('x')", "arg-type"),
    ("te.create_schedule(te.placeholder((4,)).op)[0]", "index"),
    ("te.create_schedule(te.placeholder((4,)).op)[te.placeholder((4,))].split(3, factor=4)", "arg-type"),
    ("vta.get_env().BATCHES", "attr-defined"),
    ("vta.get_env().BATCH.append(1)", "attr-defined"),
    ("vta.nd.array([1]).numpi()", "attr-defined"),
    ("axis: te.IterVar = te.placeholder((4,))", "assignment"),
    ("vta.build(3, [])", "arg-type"),
    ("vta.load(3)", "arg-type"),
    ("vta.load_model('x').profile().shown()", "attr-defined"),
    ("vta.testing.profile(3)", "arg-type"),
)


def check(*files):
    """Status and words of the check of the package and of files."""
    command = [sys.executable, os.path.join(common.ROOT, "scripts", "check_types"), *files]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode == 77:
        raise unittest.SkipTest(run.stdout.strip())
    return run.returncode, run.stdout + run.stderr


class Types(unittest.TestCase):
    maxDiff = None

    def test_right_and_wrong_programs(self):
        """Errors in the lines that are wrong, each of its kind, and nowhere else."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "wrong.py")
            with open(path, "w", encoding="utf-8") as file:
                file.write("import vta\nfrom vta import te\n" + "".join(f"{line}\n" for line, _ in WRONG))
            status, words = check(typed_program.__file__, path)
        self.assertEqual(status, 1, words)
        found = re.findall(r"^(.*?):(\d+): error: .*\[([a-z-]+)\]$", words, re.M)
        expected = [(number, word) for number, (_, word) in enumerate(WRONG, 3)]
        self.assertEqual([(int(number), word) for _, number, word in found], expected, words)
        self.assertEqual({os.path.basename(file) for file, _, _ in found}, {"wrong.py"}, words)

    def test_the_program_runs(self):
        self.assertEqual(typed_program.run(), 32.0)


if __name__ == "__main__":
    unittest.main()

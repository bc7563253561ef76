"""The recorded programs from Python: the same runtime calls in the same order, and the right results."""

import os
import subprocess
import sys
import tempfile
import unittest

import common
import programs


class Calls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        source = common.golden("trace_shim.c")
        cls.folder = tempfile.TemporaryDirectory()
        cls.shim = os.path.join(cls.folder.name, "trace_shim.so")
        subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-o", cls.shim, source, "-ldl"], check=True)
        preload = f"{os.environ.get('LD_PRELOAD', '')} {cls.shim}"  # a sanitizer's runtime comes first
        program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs.py")
        cls.runs = subprocess.Popen([sys.executable, program, "--each"], env={**common.environment(), "LD_PRELOAD": preload},
                                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    @classmethod
    def tearDownClass(cls):
        cls.runs.communicate()
        cls.folder.cleanup()

    def check(self, name):
        trace = os.path.join(self.folder.name, f"{name}.calls")
        self.runs.stdin.write(f"{name} {trace}\n")
        self.runs.stdin.flush()
        state = self.runs.stdout.readline()
        with open(f"{trace}.errors", encoding="utf-8") as errors:
            self.assertEqual(state, "0\n", errors.read())
        with open(trace, encoding="utf-8") as got:
            common.check_recorded(self, f"calls/{name}.calls", got.read())


def _names():
    for prefix in programs.CONFIGS:
        for name in programs.PROGRAMS:
            yield prefix + name


def _add(name):
    setattr(Calls, f"test_{name}", lambda self: self.check(name))


for _name in _names():
    if common.is_recorded(f"calls/{_name}.calls"):
        _add(_name)


class Results(unittest.TestCase):
    def test_programs_compute_what_they_say(self):
        for name in ("vadd", "matmul", "2x16_relu", "4x8_gemm_smt", "1x32_pad_all"):
            with self.subTest(name):
                self.assertTrue(programs.run(name))


if __name__ == "__main__":
    unittest.main()

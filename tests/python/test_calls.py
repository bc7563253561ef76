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

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def check(self, name):
        trace = os.path.join(self.folder.name, f"{name}.calls")
        preload = f"{os.environ.get('LD_PRELOAD', '')} {self.shim}"  # a sanitizer's runtime comes first
        variables = {**common.environment(), "LD_PRELOAD": preload, "VTA_TRACE": trace}
        program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs.py")
        run = subprocess.run([sys.executable, program, name], env=variables, capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stderr)
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

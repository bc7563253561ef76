"""`pip install ./python ./python/compat` without a network: the wheels carry the libraries, the modules that the build makes
and the packages for TVM's programs, and work away from the checkout. So do wheels of their source archives."""

import os
import subprocess
import sys
import tempfile
import unittest

import common

_PROGRAM = """
import numpy as np, vta, os
assert os.path.dirname(vta.__file__).startswith({folder!r}), vta.__file__
from vta import te
a = te.placeholder((4,), name="A", dtype="int32")
b = te.compute((4,), lambda i: a[i] * 2, name="B")
kernel = vta.build(te.create_schedule(b.op), [a, b], "llvm")
x, y = vta.nd.array(np.arange(4, dtype="int32")), vta.nd.empty((4,), "int32")
kernel(x, y)
assert y.numpy().tolist() == [0, 2, 4, 6]
vta.use_tvm_names()
import tvm
assert "vta" in tvm.__version__
from importlib.metadata import requires, version
from tvm import autotvm
from vta.topi import nn
assert autotvm.__file__.startswith({folder!r}) and nn.__file__.startswith({folder!r}), (autotvm, nn)
assert vta.autotvm.task.__name__ == "vta_tvm.autotvm.task"
assert version("vta") == version("vta-tvm") == vta.__version__ and requires("vta-tvm") == ["vta==" + vta.__version__]
print("works", vta.__version__)
"""


class Install(unittest.TestCase):
    def test_of_the_checkout(self):
        self.check([os.path.join(common.ROOT, "python"), os.path.join(common.ROOT, "python", "compat")])

    def test_of_source_archives(self):
        with tempfile.TemporaryDirectory() as folder:
            archives = []
            for at in (("python",), ("python", "compat")):
                code = f"import wheel_backend; print(wheel_backend.build_sdist({folder!r}))"
                made = subprocess.run([sys.executable, "-c", code], cwd=os.path.join(common.ROOT, *at), capture_output=True, text=True,
                                      env={**os.environ, "VTA_LIBRARY_PATH": common.BUILD}, check=False)
                self.assertEqual(made.returncode, 0, made.stderr)
                archives.append(os.path.join(folder, made.stdout.strip()))
            self.check(archives)

    def check(self, what):
        """Installs two distributions and uses them."""
        with tempfile.TemporaryDirectory() as folder:
            folder = os.path.realpath(folder)
            variables = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONPYCACHEPREFIX")}
            made = subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", folder],
                                  capture_output=True, text=True, env=variables)
            if made.returncode:
                self.skipTest(f"no virtual environment here: {made.stdout}{made.stderr}")
            python = os.path.join(folder, "bin", "python")
            install = subprocess.run(
                [python, "-m", "pip", "install", "--no-index", "--no-deps", "--disable-pip-version-check",
                 *what],
                env={**variables, "VTA_LIBRARY_PATH": common.BUILD}, capture_output=True, text=True)
            self.assertEqual(install.returncode, 0, install.stdout + install.stderr)
            variables.pop("VTA_LIBRARY_PATH", None)
            run = subprocess.run([python, "-c", _PROGRAM.format(folder=folder)], env=variables, cwd=folder,
                                 capture_output=True, text=True)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertIn("works", run.stdout)
            tool = subprocess.run([os.path.join(folder, "bin", "vta"), "--version"], env=variables, cwd=folder, capture_output=True,
                                  text=True, check=False)
            self.assertEqual((tool.returncode, tool.stderr), (0, ""))
            self.assertEqual(run.stdout.split()[-1], tool.stdout.split()[1])


if __name__ == "__main__":
    unittest.main()

"""The end of the interpreter, whatever outlives what: no messages, no files left behind."""

import os
import subprocess
import sys
import tempfile
import unittest

import common

PROGRAM = """
import os, threading
import numpy as np
import vta
from vta import te
from vta.contrib import utils
a = te.placeholder((4,), "int32", "a")
b = te.compute((4,), lambda i: a[i] + 1, "b")
s = te.create_schedule(b.op)
made = [
    vta.lower(s, [a, b]), vta.build(s, [a, b], "llvm"),
    vta.build(s, [a, b], "llvm", name="f")["f"], b, s,
    vta.nd.array(np.arange(4)), vta.nd.empty((4,), "int8", vta.ext_dev()),
    vta.nd.from_dlpack(np.arange(4)), np.from_dlpack(vta.nd.empty((4,))), vta.nd.empty((4,)).__dlpack__(),
    vta.Environment({"LOG_BATCH": 1, "LOG_ACC_BUFF_SIZE": 18}), utils.tempdir(),
]
print(made[-1].path)
KEEP
"""
KEEPERS = {
    "in a module that goes late": "os.keep = made",
    "in a cycle": "class Cycle: pass\nc = Cycle(); c.me, c.made = c, made; os.c = c",
    "by a daemon thread": "threading.Thread(target=lambda m: threading.Event().wait(), args=(made,), daemon=True).start()",
    "by the program": "",
}


def run(program, folder=None):
    variables = {**common.environment(), **({"TMPDIR": folder} if folder else {})}
    return subprocess.run([sys.executable, "-c", program], env=variables, capture_output=True, text=True,
                          timeout=120)


class Exit(unittest.TestCase):
    def test_nothing_is_said_whatever_is_kept(self):
        for how, keep in KEEPERS.items():
            done = run(PROGRAM.replace("KEEP", keep))
            self.assertEqual((done.returncode, done.stderr), (0, ""), how)
            self.assertFalse(os.path.exists(done.stdout.strip()), how)

    def test_a_folder_that_cannot_be_made(self):
        program = "from vta.contrib import utils\ntry:\n    utils.tempdir('/no/such/folder')\nexcept OSError:\n    pass"
        self.assertEqual(run(program).stderr, "")

    def test_a_folder_belongs_to_the_process_that_made_it(self):
        with tempfile.TemporaryDirectory() as folder:
            program = ("import os, sys\nfrom vta.contrib import utils\nt = utils.tempdir()\npid = os.fork()\n"
                       "if not pid: sys.exit(0)\nos.waitpid(pid, 0)\nprint(os.path.isdir(t.path))\nt.remove()\n"
                       "print(t.path, os.listdir(os.environ['TMPDIR']))")
            self.assertEqual(run(program, folder=folder).stdout, "True\nNone []\n")


if __name__ == "__main__":
    unittest.main()

"""What the front end logs: the loggers, the levels and the words, and that a program's own logging is left alone."""

import logging
import os
import subprocess
import sys
import tempfile
import types
import unittest

import common

import vta
from vta import autotvm, rpc, te

PROGRAM = """
import logging, sys
{setup}
from vta import rpc
session = rpc.LocalSession()
session.upload({path!r})
for _ in range(2):
    session.load_module("kernel.o")
"""


def kernel(folder):
    """The path of a compiled kernel."""
    a = te.placeholder((4,), "int32", name="a")
    b = te.compute((4,), lambda i: a[i] + 1, "b")
    path = os.path.join(folder, "kernel.o")
    vta.build(te.create_schedule(b.op), [a, b], "llvm", name="kernel").save(path)
    return path


class Logs(unittest.TestCase):
    def lines_of(self, setup):
        with tempfile.TemporaryDirectory() as folder:
            program = PROGRAM.format(setup=setup, path=kernel(folder))
            run = subprocess.run([sys.executable, "-c", program], env=common.environment(), capture_output=True, text=True,
                                 check=False)
        self.assertEqual(run.returncode, 0, run.stderr)
        return run.stderr.splitlines()

    def test_loading_is_said_once_each_with_the_time(self):
        lines = self.lines_of("")
        self.assertEqual(len(lines), 2, lines)
        for line in lines:
            self.assertRegex(line, r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} INFO load_module /.*/kernel\.o$")

    def test_a_program_that_logs_itself_decides(self):
        self.assertEqual(self.lines_of("logging.basicConfig(level=logging.WARNING, format='mine %(message)s')"), [])
        lines = self.lines_of("logging.basicConfig(level=logging.INFO, format='mine %(message)s')")
        self.assertEqual(len(lines), 2, lines)
        for line in lines:
            self.assertRegex(line, r"^mine load_module /.*/kernel\.o$")
        lines = self.lines_of("logging.getLogger('vta.rpc').addHandler(logging.NullHandler())")
        self.assertEqual(lines, [])

    def test_a_missing_file_is_not_said_to_be_loaded(self):
        session = rpc.LocalSession()
        with self.assertNoLogs("vta.rpc"), self.assertRaisesRegex(FileNotFoundError, "'kernel.o' was not uploaded"):
            session.load_module("kernel.o")

    def test_records_are_counted(self):
        with self.assertLogs("autotvm", "DEBUG") as said:
            autotvm.apply_history_best([])
        self.assertEqual([(r.levelno, r.getMessage()) for r in said.records], [(logging.DEBUG, "0 records")])

    def test_records_of_failed_trials_are_counted_and_not_chosen(self):
        target = vta.target.Target("ext_dev -model=mine")
        task = types.SimpleNamespace(workload=("name", 1))

        def record(seconds, error, config):
            return (types.SimpleNamespace(target=target, task=task, config=config),
                    types.SimpleNamespace(error_no=error, mean=seconds))

        with self.assertLogs("autotvm", "DEBUG") as said:
            best = autotvm.apply_history_best([record(3.0, 0, "slow"), record(1.0, 0, "fast"), record(0.1, 4, "failed"),
                                               record(2.0, 0, "later")])
        self.assertEqual([r.getMessage() for r in said.records], ["4 records"])
        self.assertEqual(best._query(target, ("name", 1)), "fast")  # pylint: disable=protected-access
        self.assertIsNone(best._query(target, ("name", 2)))  # pylint: disable=protected-access


if __name__ == "__main__":
    unittest.main()

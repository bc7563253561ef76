"""vta.tune: what it finds and logs, logs of others, what is refused."""

import os
import tempfile
import unittest

import common
import numpy as np

import vta
from vta import topi

#: As AutoTVM writes it.
OLD = ('{"input": ["ext_dev -keys=vta,cpu -device=vta", "conv2d_packed.vta", [["TENSOR", [1, 2, 8, 8, 1, 16], "int8"], '
       '["TENSOR", [4, 2, 3, 3, 16, 16], "int8"], [1, 1], [1, 1, 1, 1], [1, 1], "NCHW1n16c", "int32"], {}], "config": '
       '{"index": 1, "code_hash": null, "entity": [["tile_b", "sp", [-1, 1]], ["tile_h", "sp", [-1, %d]], ["tile_w", '
       '"sp", [-1, 8]], ["tile_ci", "sp", [-1, 1]], ["tile_co", "sp", [-1, 1]], ["oc_nthread", "ot", 2], ["h_nthread", '
       '"ot", 1]]}, "result": [[0.1], 0, 1, 1], "version": 0.2, "tvm_version": "0.8.dev0"}\n')


def conv():
    return topi.Operator("conv2d", height=8, width=8, in_channels=32, out_channels=64, kernel=3, pad=1,
                         epilogue="shift:6,relu,clip")


class Tune(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = os.path.join(self.folder.name, "conv.log")

    @unittest.skipIf(common.THREAD_SANITIZER, "trials are processes with threads")
    def test_search(self):
        op, random = conv(), np.random.default_rng(1)
        data = random.integers(-128, 128, (1, 32, 8, 8)).astype("int8")
        weight = random.integers(-128, 128, (64, 32, 3, 3)).astype("int8")
        before, cycles = op(data, weight), op.cycles
        tuned = vta.tune(op, 40, log=self.path, jobs=2)
        self.assertEqual(tuned.trials, 40)
        self.assertLessEqual(tuned.bound, tuned.cycles)
        self.assertLessEqual(tuned.cycles, cycles)
        self.assertIs(op.module, tuned.module)
        self.assertEqual(op.cycles, tuned.cycles)
        np.testing.assert_array_equal(op(data, weight), before)
        log = vta.TuneLog(self.path)
        self.assertEqual((len(log), log.refused, len(list(log))), (40, 0, 40))
        self.assertEqual(min(r.cycles for r in log), tuned.cycles)
        self.assertEqual(log[0], log[-40])
        self.assertEqual(log[0].task, "conv2d_packed.vta")
        self.assertIsNone(log.why_not(0, op))
        other = conv()
        self.assertEqual(log.apply(other).cycles, tuned.cycles)
        np.testing.assert_array_equal(other(data, weight), before)
        self.assertEqual(log.best().count("\n"), 1)
        again = vta.tune(conv(), 40, log=self.path, resume=True, jobs=0)
        self.assertEqual((again.reused, again.cycles), (40, tuned.cycles))
        warm = vta.tune(conv(), 3, start=log, database=False)
        self.assertEqual(warm.trials, 3)

    def test_records_of_autotvm(self):
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(OLD % 4 + "nonsense\n" + OLD % 9)
        log, op = vta.TuneLog(self.path), conv()
        self.assertEqual((len(log), log.refused), (2, 1))
        self.assertEqual([(r.line, r.workload, r.cycles, r.seconds) for r in log],
                         [(1, None, 0, 0.1), (3, None, 0, 0.1)])
        self.assertIsNone(log.why_not(0, op))
        self.assertEqual(log.why_not(1, op), "a tile is larger than the result, or empty")
        self.assertIn("split 2 by 4 -> y_out, y_in", log.apply(op).kernel_file)

    def test_refusals(self):
        with self.assertRaisesRegex(vta.VTAError, "jobs is 99: at most 16"):
            vta.tune(conv(), jobs=99)
        with self.assertRaisesRegex(TypeError, "vta.topi.Operator"):
            vta.tune("conv2d")
        with self.assertRaisesRegex(ValueError, "must be finite"):
            vta.tune(conv(), seconds=float("nan"))
        with self.assertRaisesRegex(vta.VTAError, "no.log"):
            vta.TuneLog(os.path.join(self.folder.name, "no.log"))
        with self.assertRaisesRegex(vta.VTAError, "is a schedule for this dense"):
            with open(self.path, "w", encoding="utf-8") as file:
                file.write(OLD % 4)
            vta.TuneLog(self.path).apply(topi.Operator("dense", in_features=16, out_features=16))
        with self.assertRaises(IndexError):
            vta.TuneLog(self.path)[1]  # pylint: disable=expression-not-assigned


if __name__ == "__main__":
    unittest.main()

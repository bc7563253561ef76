"""Compiled networks from Python: y = x + 8 on the accelerator (tests/exec/small.h)."""
import collections
import os
import unittest

import numpy as np

from common import ROOT
import vta
from vta.model import arrays_of

PATH = os.path.join(ROOT, "fuzz", "corpus", "fuzz_model", "small.vta-model")
X = np.arange(64, dtype="int8").reshape(1, 16, 2, 2)


class Models(unittest.TestCase):
    def test_call(self):
        for driver in (None, "sim", "tsim"):
            model = vta.load_model(PATH, driver)
            np.testing.assert_array_equal(model(X), X + 8)
            np.testing.assert_array_equal(model(x=X + 1), X + 9)
            np.testing.assert_array_equal(model((X + 2).tolist()), X + 10)

    def test_many_at_once(self):
        """A multiple of the first extent: each part as by itself, whatever the threads do."""
        model = vta.load_model(PATH)
        many = np.random.RandomState(1).randint(-128, 119, (37, 16, 2, 2)).astype("int8")
        np.testing.assert_array_equal(model(many), np.concatenate([model(x[None]) for x in many]))
        self.assertEqual(model(many[:0]).shape, (0, 16, 2, 2))
        for wrong in (many[:, :8], many[0], many[None]):
            with self.assertRaisesRegex(ValueError, "input x has the shape"):
                model(wrong)

    def test_step_by_step(self):
        model = vta.load_model(PATH)
        for which in (0, "x"):
            model.set_input(which, X + 1)
            model.run()
            np.testing.assert_array_equal(model.get_output(0), X + 9)
        for which in (1, -1, "y"):
            with self.assertRaisesRegex(KeyError, "small has no input .*; there are .x: int8"):
                model.set_input(which, X)
        with self.assertRaisesRegex(IndexError, "small has no output 1"):
            model.get_output(1)
        timing = model.time_evaluator(number=2, repeat=3)()
        self.assertEqual(len(timing.results), 3)
        self.assertGreater(min(timing.results), 0)

    def test_counters(self):
        """Of this model, and among those that the simulator tells: one run, then 1 + 2 * 3 of them."""
        from vta.testing import simulator

        model = vta.load_model(PATH)
        simulator.clear_stats()
        model(X)
        once = model.stats()
        self.assertGreater(once["alu_counter"], 0)
        self.assertEqual({k: once[k] for k in simulator.stats()}, simulator.stats())
        simulator.clear_stats()
        model.time_evaluator(number=2, repeat=3)()
        self.assertEqual(simulator.stats()["alu_counter"], 7 * once["alu_counter"])
        model.clear_stats()
        self.assertEqual(sum(model.stats().values()), 0)

    def test_what_it_is(self):
        model = vta.load_model(PATH)
        self.assertEqual(model.name, "small")
        self.assertEqual([(p.name, p.shape, p.dtype) for p in model.inputs], [("x", (1, 16, 2, 2), np.dtype("int8"))])
        self.assertEqual(repr(model), "<vta.Model small: [x: int8[1, 16, 2, 2]] -> [y: int8[1, 16, 2, 2]]>")

    def test_profile(self):
        model = vta.load_model(PATH, "tsim")
        model(X)
        profile = model.profile()
        self.assertEqual([s["name"] for s in profile["steps"]], ["pack", "adds", "add 3", "add 5", "copy", "unpack"])
        self.assertGreater(profile["cycles"], 0)

    def test_errors(self):
        model = vta.load_model(PATH)
        with self.assertRaisesRegex(ValueError, r"input x has the shape \(1, 16, 2, 2\), not \(64,\)"):
            model(X.ravel())
        with self.assertRaises(TypeError):
            model()
        with self.assertRaises(TypeError):
            model(X, X)
        with self.assertRaises(TypeError):
            model(X, x=X)
        with self.assertRaises(TypeError):
            model(z=X)
        with self.assertRaisesRegex(vta.VTAError, "not a compiled network"):
            vta.load_model(__file__)
        with self.assertRaises(vta.VTAError):
            vta.load_model("/nowhere/x.vta-model")


class Inputs(unittest.TestCase):
    """What arrays become on their way into a network (vta.model.arrays_of)."""

    Port = collections.namedtuple("Port", "name shape dtype")

    def given(self, value, shape, dtype):
        return arrays_of("net", [self.Port("x", shape, np.dtype(dtype))], [value], {})[0]

    def test_a_scalar_keeps_its_shape(self):
        for value in (3, np.float64(3), np.array(3, "float32")):
            array = self.given(value, (), "float32")
            self.assertEqual((array.shape, array.dtype, float(array)), ((), np.dtype("float32"), 3.0))

    def test_it_is_compact(self):
        array = self.given(np.arange(6.0).reshape(3, 2).T, (2, 3), "float32")
        self.assertTrue(array.flags.c_contiguous)
        self.assertEqual(array.tolist(), [[0, 2, 4], [1, 3, 5]])

    def test_integers_that_fit_are_taken(self):
        self.assertEqual(self.given([-128, 127], (2,), "int8").tolist(), [-128, 127])
        self.assertEqual(self.given(np.array([0, 255], "uint64"), (2,), "uint8").tolist(), [0, 255])
        self.assertEqual(self.given(np.array([True, False]), (2,), "int32").tolist(), [1, 0])
        self.assertEqual(self.given(np.zeros((0, 2), "int64"), (0, 2), "int8").shape, (0, 2))

    def test_no_number_is_lost(self):
        for value in ([-129, 0], [0, 128], np.array([2**63, 0], "uint64")):
            with self.assertRaisesRegex(ValueError, "input x is int8, -128 to 127; the array has"):
                self.given(value, (2,), "int8")
        with self.assertRaisesRegex(TypeError, "input x is int8, not float64: round it"):
            self.given([0.5, 1.0], (2,), "int8")


if __name__ == "__main__":
    unittest.main()

"""Compiled networks from Python: y = x + 8 on the accelerator (tests/exec/small.h)."""
import os
import unittest

import numpy as np

from common import ROOT
import vta

PATH = os.path.join(ROOT, "fuzz", "corpus", "fuzz_model", "small.vta-model")
X = np.arange(64, dtype="int8").reshape(1, 16, 2, 2)


class Models(unittest.TestCase):
    def test_call(self):
        for driver in (None, "sim", "tsim"):
            model = vta.load_model(PATH, driver)
            np.testing.assert_array_equal(model(X), X + 8)
            np.testing.assert_array_equal(model(x=X + 1), X + 9)
            np.testing.assert_array_equal(model((X + 2).tolist()), X + 10)

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


if __name__ == "__main__":
    unittest.main()

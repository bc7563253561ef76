"""TFLite models, judged by Arm NN, which reads the same files and computes them in plain C++ (oracle_tflite)."""

import unittest

import numpy as np

import common
import oracle_tflite
import vta

#: Models, and between which numbers their inputs are.
FLOATS = [("tflite/resnet8_float", 0, 255), ("audio/embedding_model", -2, 12)]
INTEGERS = [("tflite/kws_int8", -30, 120), ("tflite/ad01_int8", -60, 20), ("tflite/resnet8_int8", 0, 255)]
#: A sum between floats, where TFLite's kernels have integers, may end in the next one: a step of an output of 8 bits.
STEPS = {"tflite/resnet8_int8": 1 / 256}


class Judged(unittest.TestCase):
    def pairs(self, name, low, high):
        """What we give and what Arm NN gives, for a few random inputs."""
        path = common.shared("models", *f"{name}.tflite".split("/"))
        graph, random = vta.Graph(path), np.random.default_rng(4)
        for _ in range(3):
            inputs = [random.uniform(low, high, p.shape).astype(p.dtype) for p in graph.inputs]
            mine = graph(*inputs)
            for a, b in zip(mine if isinstance(mine, tuple) else (mine,), oracle_tflite.judge(path, inputs)):
                self.assertGreater(np.abs(b).max(), 0)
                yield a, b.reshape(a.shape)

    def setUp(self):
        oracle_tflite.needed()

    def test_floats(self):
        for name, low, high in FLOATS:
            for mine, theirs in self.pairs(name, low, high):
                np.testing.assert_allclose(mine, theirs, rtol=0, atol=1e-6 * np.abs(theirs).max(), err_msg=name)

    def test_integers(self):
        """To the bit where it is not said otherwise."""
        for name, low, high in INTEGERS:
            for mine, theirs in self.pairs(name, low, high):
                np.testing.assert_allclose(mine, theirs, rtol=0, atol=1.01 * STEPS.get(name, 0), err_msg=name)


if __name__ == "__main__":
    unittest.main()

"""Real TFLite models, which are not in the repository: skipped without them."""

import unittest

import numpy as np

import common
import vta


class RealModels(unittest.TestCase):
    def test_compile(self):
        """Integers stay the file's own, and need no samples."""
        path = common.shared("models", "tflite", "resnet8_int8.tflite")
        graph, model = vta.Graph(path), vta.compile(path)
        self.assertEqual(model.inputs[0].shape, (1, 32, 32, 3))
        random = np.random.default_rng(1)
        x = random.integers(0, 256, model.inputs[0].shape).astype("float32")
        self.assertLess(np.abs(model(x) - graph(x)).max(), 0.05)


if __name__ == "__main__":
    unittest.main()

"""Folders that are tests without code: network.onnx (or .tflite), inputs.npz, outputs.npz. Those of tests/models, which
scripts/make_test_models makes with ONNX Runtime's outputs, and of ../shared/models, where it is. Another folder of folders:
VTA_MODELS=FOLDER."""
import glob
import os
import unittest

import numpy as np

import common  # noqa: F401 - finds the library
from common import ROOT
import vta

OWN = os.path.join(ROOT, "tests", "models")
#: What 8 bits make of a network has at least so many decibels to the floats.
DECIBELS = 25


def folders(root):
    """By folder its model."""
    found = {}
    for end in "onnx", "tflite":
        for path in sorted(glob.glob(os.path.join(root, "**", f"*.{end}"), recursive=True)):
            folder = os.path.dirname(path)
            files = [path, *(os.path.join(folder, f"{what}puts.npz") for what in ("in", "out"))]
            if all(os.path.exists(f) and os.path.getsize(f) for f in files):  # a collection has a folder of empty files
                found.setdefault(folder, path)
    return found


def ordered(ports, arrays):
    """By name; files that have other names are in order. Integers may be stored as floats."""
    values = [arrays[p.name] for p in ports] if all(p.name in arrays for p in ports) else [arrays[k] for k in arrays]
    return [np.asarray(v).astype(p.dtype).reshape(p.shape) for p, v in zip(ports, values)]


class Folders(unittest.TestCase):
    def read(self, folder, path):
        """The graph, its inputs and outputs."""
        graph = vta.Graph(path)
        stored = [np.load(os.path.join(folder, f"{what}puts.npz")) for what in ("in", "out")]
        for ports, arrays in zip((graph.inputs, graph.outputs), stored):
            self.assertEqual(len(ports), len(arrays.files))
        return graph, ordered(graph.inputs, stored[0]), ordered(graph.outputs, stored[1])

    def check(self, root):
        found = folders(root)
        for folder, path in found.items():
            with self.subTest(folder=os.path.relpath(folder, root)):
                graph, inputs, outputs = self.read(folder, path)
                got = graph(*inputs)
                for port, a, b in zip(graph.outputs, got if isinstance(got, tuple) else (got,), outputs):
                    if port.dtype.kind == "f":
                        np.testing.assert_allclose(a, b, rtol=0, atol=1e-4 * np.abs(b).max(initial=1), err_msg=port.name)
                    else:
                        np.testing.assert_array_equal(a, b, err_msg=port.name)
        return len(found)

    def test_own(self):
        self.assertEqual(self.check(OWN), len(os.listdir(OWN)))

    def test_own_compiled(self):
        for folder, path in folders(OWN).items():
            with self.subTest(folder=os.path.basename(folder)):
                graph, inputs, outputs = self.read(folder, path)
                model = vta.compile(path, samples=[dict(zip([p.name for p in graph.inputs], inputs))])
                self.assertTrue(model.on_accelerator)
                got = model(*inputs)
                for port, a, b in zip(graph.outputs, got if isinstance(got, tuple) else (got,), outputs):
                    error = np.mean((a.astype("float64") - b) ** 2)
                    self.assertGreater(10 * np.log10(np.mean(b.astype("float64") ** 2) / error), DECIBELS, port.name)

    def test_shared(self):
        root = os.environ.get("VTA_MODELS") or common.shared("models")
        if not os.path.isdir(root):
            self.skipTest(f"no {root}")
        self.assertGreater(self.check(root), 0)


if __name__ == "__main__":
    unittest.main()

"""Random networks of ONNX operators (onnx_networks, onnx_patterns): the evaluator judged by ONNX Runtime, and compiled
networks equal to the networks of integers, to the bit. `random_networks.py FIRST COUNT --compile` runs more."""

import collections
import os
import unittest

import numpy as np

import common  # noqa: F401 - finds the library
import oracle
import vta

try:
    import onnx_cases
    import random_networks
except ImportError:  # no python3-onnx, which writes the models
    onnx_cases = None

COUNT = int(os.environ.get("VTA_RANDOM_NETWORKS", "8"))
#: What is refused, and why: a sample that is not a number has no range.
REFUSED = ["is not a number (nan)"]


class Judged(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        oracle.needed()
        if onnx_cases is None:
            raise unittest.SkipTest("no python3-onnx here: scripts/install_oracle")
        cls.judge = oracle.Oracle()
        cls.addClassCleanup(cls.judge.__exit__)

    def test_networks(self):
        counts, wrong, sets, nodes = collections.Counter(), [], set(), 0
        for seed in range(COUNT):
            result = random_networks.judged(self.judge, seed, compiled=True)
            right = result.kind in ("right", "ill", "infinite") or any(words in result.text for words in REFUSED)
            counts[result.kind] += 1
            if result.net:
                sets.add(result.net.opset)
                nodes += len(result.net.nodes)
            if not right:
                wrong.append(f"seed {seed}, set {result.net and result.net.opset}: {result.kind}: {result.text}")
        self.assertFalse(wrong, "\n".join(wrong))
        self.assertGreaterEqual(counts["right"], COUNT * 9 // 10)
        self.assertGreaterEqual(len(sets), min(4, COUNT // 2))
        self.assertGreater(nodes, 5 * COUNT)
        print(dict(counts), end=" ")

    def test_doubles(self):
        """Single operators of float64: as exact as float64 where ONNX Runtime computes so, or as float32."""
        counts, wrong = collections.Counter(), []
        for name in onnx_cases.CASES:
            draw = onnx_cases.Draw(name, COUNT)
            arrays = {**draw.inputs, **draw.constants}
            if name in ("Resize", "Upsample") or not any(a.dtype == np.float32 for a in arrays.values()):
                continue
            for held in (draw.inputs, draw.constants):
                held.update({k: a.astype("float64") for k, a in held.items() if a.dtype == np.float32})
            model = draw.model()
            try:
                theirs = self.judge(model, draw.inputs)
            except oracle.Refused:
                counts["not judged"] += 1
                continue
            try:
                graph = vta.Graph(model)
                mine = graph(**draw.inputs)
            except vta.VTAError as error:
                wrong.append(f"{draw}\n    {error}")
                continue
            mine = mine if isinstance(mine, tuple) else (mine,)
            off = max(random_networks.distance(a, b) for a, b in zip(mine, theirs.values()))
            counts["exact" if off < 1e-12 else "near"] += 1
            if off > 3e-5:
                wrong.append(f"{draw}\n    off by {off}")
        self.assertFalse(wrong, "\n".join(wrong))
        self.assertGreater(counts["exact"], 55)
        self.assertLess(counts["near"], 25)

    def test_compiled_doubles(self):
        """A chain of float64 operators, compiled: every bit as the evaluator has it."""
        net = random_networks.Network(self.judge, 3, 13)
        x = net.input(np.random.default_rng(1).uniform(-2, 2, (3, 8)))
        w = net.const(np.random.default_rng(2).uniform(-1, 1, (8, 4)))
        y = net.node("MatMul", [x, w])
        y = net.node("Add", [y, net.const(np.full(4, 1e-12))])
        for kind in ("Softmax", "Log", "Tanh", "Sigmoid"):
            y = net.node(kind, [y])
        y = net.node("ReduceMean", [net.node("Relu", [y])], axes=[1])
        model, inputs, shapes = net.model()
        graph = vta.Graph(model, shapes=shapes)
        expected = graph(**inputs)
        theirs, = self.judge(model, inputs).values()
        self.assertEqual(expected.dtype, np.float64)
        self.assertLess(random_networks.distance(expected, theirs), 1e-14)
        np.testing.assert_array_equal(vta.compile(graph, [inputs])(**inputs), expected)


if __name__ == "__main__":
    unittest.main()

"""The integers beside those of a model that was quantized elsewhere (vta compare --against-model). The judge is numpy over
the definitions of QuantizeLinear, Conv of 1x1 and DequantizeLinear; it shares no code with the evaluators."""
import json
import os
import subprocess
import tempfile
import unittest

import numpy as np

import common  # noqa: F401 - finds the library
import vta

try:
    from onnx import TensorProto, helper
except ImportError:
    helper = None

VTA = os.path.join(os.environ["VTA_LIBRARY_PATH"], "vta")
C = 16


def constant(name, array, kind):
    return helper.make_tensor(name, kind, array.shape, array.ravel().tolist())


def quantized(x, step, zero, kind):
    low, high = {TensorProto.INT8: (-128, 127), TensorProto.UINT8: (0, 255)}[kind]
    return np.clip(np.rint(x.astype(np.float32) / np.float32(step)) + zero, low, high)


class Pair:
    """x -> Q, DQ -> two convolutions of 1x1 with Q, DQ behind each; Relu in between."""

    def __init__(self, rng, kind, zero, steps):
        self.kind, self.zero, self.steps = kind, zero, steps
        self.w = [rng.integers(-127, 128, (C, C, 1, 1)) for _ in range(2)]
        nodes, before = [], "x"
        tensors = [constant("ws", np.array(1 / 1024), TensorProto.FLOAT), constant("wz", np.array(0), TensorProto.INT8)]

        def pair(value, i, z):
            tensors.append(constant(f"s{i}", np.array(self.steps[i]), TensorProto.FLOAT))
            tensors.append(constant(f"z{i}", np.array(z), kind))
            nodes.append(helper.make_node("QuantizeLinear", [value, f"s{i}", f"z{i}"], [f"q{i}"]))
            nodes.append(helper.make_node("DequantizeLinear", [f"q{i}", f"s{i}", f"z{i}"], [f"d{i}"]))
            return f"d{i}"

        before = pair("x", 0, zero[0])
        for i, w in enumerate(self.w, 1):
            tensors.append(constant(f"w{i}", w, TensorProto.INT8))
            nodes.append(helper.make_node("DequantizeLinear", [f"w{i}", "ws", "wz"], [f"f{i}"]))
            nodes.append(helper.make_node("Conv", [before, f"f{i}"], [f"c{i}"]))
            if i == 1:
                nodes.append(helper.make_node("Relu", ["c1"], ["r1"]))
            before = pair("r1" if i == 1 else f"c{i}", i, zero[i])
        graph = helper.make_graph(nodes, "pair", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, C, 4, 4])],
                                  [helper.make_tensor_value_info(before, TensorProto.FLOAT, [1, C, 4, 4])], tensors)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
        model.ir_version = 8
        self.bytes = model.SerializeToString()

    def integers(self, x):
        """The model's own, of the second convolution."""
        v = (quantized(x, self.steps[0], self.zero[0], self.kind) - self.zero[0]) * self.steps[0]
        for i in (1, 2):
            v = np.einsum("oi,nihw->nohw", self.w[i - 1][:, :, 0, 0] / 1024, v)
            v = np.maximum(v, 0) if i == 1 else v
            q = quantized(v, self.steps[i], self.zero[i], self.kind)
            v = (q - self.zero[i]) * self.steps[i]
        return q


@unittest.skipUnless(helper, "no python3-onnx here: scripts/install_oracle")
class AgainstModel(unittest.TestCase):
    def setUp(self):
        self.rng = np.random.default_rng(20261128)
        self.x = self.rng.uniform(-1, 1, (1, C, 4, 4)).astype(np.float32)

    def check(self, model, **options):
        """What is said of the last layer is what numpy counts."""
        net = vta.quantize(model.bytes, **options)
        rows = net.against_model(self.x)
        last = next(row for row in reversed(rows) if row["kind"] == "conv")
        away = abs(net(self.x) / model.steps[2] - (model.integers(self.x) - model.zero[2]))
        self.assertEqual(last["count"], away.size)
        self.assertEqual(last["differ"], int((away > 0.5).sum()))
        self.assertAlmostEqual(last["largest"], away.max(), 3)
        self.assertEqual((last["step"], last["zero"]), (np.float32(model.steps[2]), model.zero[2]))
        return rows

    def test_symmetric(self):
        """Powers of two and no zero points: the model's steps are kept, and hardly an integer differs."""
        model = Pair(self.rng, TensorProto.INT8, (0, 0, 0), (1 / 64, 1 / 32, 1 / 32))
        rows = self.check(model, requantize="multiply")
        self.assertTrue(all(abs(row["own_step"] / row["step"] - 1) < 0.01 for row in rows))
        self.assertLess(sum(row["differ"] for row in rows), 0.1 * sum(row["count"] for row in rows))
        self.assertLess(max(row["largest"] for row in rows), 2.1)

    def test_zero_points(self):
        """A Relu's integers from 0 on: steps here are twice as large."""
        model = Pair(self.rng, TensorProto.UINT8, (128, 0, 128), (1 / 64, 1 / 64, 1 / 32))
        rows = self.check(model)
        inner = next(row for row in rows if row["kind"] == "conv")
        self.assertGreater(inner["own_step"] / inner["step"], 1.9)
        self.assertGreater(inner["differ"], 0.1 * inner["count"])

    def test_floats(self):
        """A model of floats has nothing to compare with."""
        node = helper.make_node("Relu", ["x"], ["y"])
        info = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [1, C, 4, 4]) for n in "xy"]
        graph = helper.make_graph([node], "relu", info[:1], info[1:])
        floats = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
        net = vta.quantize(floats.SerializeToString(), samples=[self.x])
        with self.assertRaisesRegex(vta.VTAError, "the model has no integers to compare with"):
            net.against_model(self.x)

    def test_tool(self):
        model = Pair(self.rng, TensorProto.UINT8, (128, 0, 128), (1 / 64, 1 / 64, 1 / 32))
        with tempfile.TemporaryDirectory() as folder:
            net, one = (os.path.join(folder, name) for name in ("net.onnx", "one.npy"))
            with open(net, "wb") as file:
                file.write(model.bytes)
            np.save(one, self.x)
            command = [VTA, "compare", net, one, "--against-model"]
            text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            found = json.loads(subprocess.run([*command, "--json"], capture_output=True, text=True, check=True).stdout)
        rows = vta.quantize(model.bytes).against_model(self.x)
        for a, b in zip(found["against_model"]["layers"], rows, strict=True):
            self.assertEqual({k: float(f"{v:.9g}") if isinstance(v, float) else v for k, v in a.items()},
                             {k: float(f"{v:.9g}") if isinstance(v, float) else v for k, v in b.items()})
        self.assertEqual(found["against_model"]["differ"], sum(row["differ"] for row in rows))
        self.assertIn("which has a zero point in 2: integers here are symmetric about zero.", text)


if __name__ == "__main__":
    unittest.main()

"""Integer networks of a public collection (Deeploy's): to the bit what their folders hold. Their operators, one by one,
against their definitions in NumPy integers."""

import os
import unittest

import numpy as np

import common
import vta

try:
    from onnx import helper
except ImportError:
    helper = None

NETWORKS = ["CCT_Int_ICCT", "Integer_Attention", "MLPerf_AnomalyDetection", "MLPerf_ImageClassification",
            "MLPerf_KeywordSpotting", "microLlama_INT8_microLlama1"]
FLOATS = ["CCT_FP32_CCT_2_32_32_128", "microLlama_FP32_microLlama1"]


def one(name, inputs, constants=(), **attributes):
    """What a node of float32 tensors gives."""
    names = [f"x{i}" for i in range(len(inputs) + len(constants))]
    value = [helper.make_tensor_value_info(n, 1, x.shape) for n, x in zip(names, inputs)]
    held = [helper.make_tensor(n, 1, x.shape, np.ravel(x).astype(float)) for n, x in zip(names[len(inputs):], constants)]
    node = helper.make_node(name, names, ["y"], **attributes)
    graph = helper.make_graph([node], name, value, [helper.make_tensor_value_info("y", 1, None)], held)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    made.ir_version = 8
    return vta.Graph(made.SerializeToString())(**{n: x.astype("float32") for n, x in zip(names, inputs)})


def number(x):
    return helper.make_tensor("t", 1, [], [x])


def towards_zero(a, b):
    return np.trunc(a / b).astype(np.int64)


def runs(name):
    """The graph of a network, its inputs in the graph's order, and what its folder says of the outputs."""
    folder = common.shared("models", "deeploy", name)
    graph = vta.Graph(os.path.join(folder, "network.onnx"))
    with np.load(os.path.join(folder, "inputs.npz")) as given, np.load(os.path.join(folder, "outputs.npz")) as expected:
        return graph, [given[k].astype(p.dtype) for p, k in zip(graph.inputs, given)], [expected[k] for k in expected]


def several(outputs):
    return outputs if isinstance(outputs, tuple) else (outputs,)


class Networks(unittest.TestCase):
    def test_networks(self):
        for name in NETWORKS:
            graph, inputs, expected = runs(name)
            for got, want in zip(several(graph(*inputs)), expected, strict=True):
                np.testing.assert_array_equal(got, want, name)

    def test_floats(self):
        for name in FLOATS:
            graph, inputs, expected = runs(name)
            np.testing.assert_allclose(graph(*inputs), expected[0], atol=1e-5 * np.abs(expected[0]).max(), err_msg=name)


@unittest.skipUnless(helper, "no python3-onnx here: scripts/install_oracle")
class Operators(unittest.TestCase):
    def setUp(self):
        self.random = np.random.default_rng(1)

    def integers(self, low, high, *shape):
        return self.random.integers(low, high + 1, shape)

    def test_requant_shift(self):
        for signed, levels, div in ((1, 256, 16384), (0, 256, 65536), (1, 16, 4), (0, 4, 1)):
            x, mul, add = (self.integers(-1 << 20, 1 << 20, 1, 3, 4, 5), self.integers(1, 300, 3, 1, 1),
                           self.integers(-1 << 16, 1 << 16, 3, 1, 1))
            low = -levels // 2 if signed else 0
            expected = np.clip((x * mul + add + div // 2) // div, low, low + levels - 1)
            got = one("RequantShift", [x], [mul, add], div=number(div), n_levels_out=number(levels),
                      signed=number(signed))
            np.testing.assert_array_equal(got, expected)

    def test_gelu(self):
        x, b, unit = self.integers(-128, 127, 300), -40, 1743
        d = np.minimum(np.abs(x), -b) + b
        expected = x * ((unit + np.sign(x) * (unit - d * d)) // 2)
        np.testing.assert_array_equal(one("iGELU", [x], b=b, one=unit), expected)

    def test_normalization(self):
        x, w, bias = (self.integers(-128, 127, 2, 5, 16), self.integers(200000, 300000, 16),
                      self.integers(-30000, 30000, 16))
        for name in ("iLayerNorm", "iRMSNorm"):
            mean = towards_zero(x.sum(-1, keepdims=True), 16) if name == "iLayerNorm" else 0
            apart = x - mean
            root = np.floor(np.sqrt((apart * apart).sum(-1, keepdims=True) // 16 + 1)).astype(np.int64)
            y = towards_zero(apart * w, root) + (bias if name == "iLayerNorm" else 0)
            expected = np.clip(y // 16384, -128, 127)
            if name == "iLayerNorm":
                got = one(name, [x], [w, bias], D=number(16384), n_levels=number(256))
            else:
                got = one(name, [x], [w], D=16384, n_levels=256)
            np.testing.assert_array_equal(got, expected)

    def test_softmax(self):
        x = self.integers(-128, 127, 3, 4, 9)
        below = x - x.max(-1, keepdims=True)
        z = np.clip(-below // 20, 0, 31)
        y = ((below + z * 20 + 173) ** 2 + 15599) >> z
        got = one("iSoftmax", [x], coeffA=number(1), coeffB=number(173), coeffC=number(15599), log2=number(20),
                  n_levels=number(256))
        np.testing.assert_array_equal(got, y * 255 // y.sum(-1, keepdims=True))

    def test_division(self):
        """Towards minus infinity: of Delta * eta * x, by y * eta + eps."""
        x = self.integers(-128, 127, 300)
        for delta, eta, eps, y in ((16384, 200000, 1, 2), (7, 3, 0, 5), (1, 1, 1, 1)):
            np.testing.assert_array_equal(one("TrueIntegerDiv", [x], Delta=delta, eta=eta, eps=eps, y=y),
                                          (delta * eta * x) // (y * eta + eps))

    def test_powers_of_two(self):
        x = self.integers(-128, 127, 3, 4, 9)
        shift = (x.max(-1, keepdims=True) - x + 16) >> 5
        share = 255 * 256 // (256 >> shift).sum(-1, keepdims=True)
        np.testing.assert_array_equal(one("ITAMax", [x], n_levels=number(256)), share >> shift)

    def test_hard_swish_and_mean(self):
        x = self.integers(-128, 127, 3, 7, 4)
        np.testing.assert_array_equal(one("iHardswish", [x], one_over_six=42, three=122, six=244),
                                      x * (np.clip(x + 122, 0, 244) * 42))
        np.testing.assert_array_equal(one("IntegerMean", [x], axes=[1], keepdims=0), (x.sum(1) + 3) // 7)

    def test_refusals(self):
        x = self.integers(0, 9, 2, 2)
        levels = {"n_levels_out": number(256), "signed": number(1)}
        for div, words in ((0, "div is 0, by which is divided"), (0.5, "attribute div is not one integer")):
            with self.assertRaisesRegex(vta.VTAError, words):
                one("RequantShift", [x], [x, x], div=number(div), **levels)
        with self.assertRaisesRegex(vta.VTAError, "does not fit into 64 bits"):
            one("TrueIntegerDiv", [x], Delta=1 << 24, eta=1 << 24, y=1)
        with self.assertRaisesRegex(vta.VTAError, "attribute y is 0, by which is divided"):
            one("TrueIntegerDiv", [x], Delta=1, eta=1, y=0)
        with self.assertRaisesRegex(vta.VTAError, "axis 5 of a tensor of 2 axes"):
            one("IntegerMean", [x], axes=[5])


if __name__ == "__main__":
    unittest.main()

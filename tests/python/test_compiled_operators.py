"""Operators of ONNX through the whole chain: a model of one operator is read, calibrated, compiled, run on the simulator.

The evaluator of floats, which ONNX Runtime judges (test_oracle.py), says what is right: what is computed on floats and
on integers of the model has to be equal to the bit, products on the accelerator as near as 8 bits are."""

import collections
import os
import unittest

import numpy as np

import common  # noqa: F401 - finds the library
import vta

try:
    import onnx_cases
    import onnx_cases_new  # noqa: F401 - it adds to onnx_cases.CASES
except ImportError:  # no python3-onnx, which writes the models
    onnx_cases = None

#: What is not compiled: the words that say so.
BYTES = ["it is compiled for float32 alone", "no code is generated for it yet", "an operator of several results"]
CONSTANT = ["is a constant: there is nothing to compile"]
REFUSED = {
    **dict.fromkeys(["MatMulInteger", "ConvInteger", "DynamicQuantizeLinear", "QuantizeLinear", "DequantizeLinear",
                     "QLinearMatMul", "QLinearConv", "QLinearAdd", "QLinearMul", "QLinearLeakyRelu", "QLinearSigmoid",
                     "QLinearGlobalAveragePool"], BYTES),
    **dict.fromkeys(["Shape", "Size", "EyeLike"], CONSTANT),
    **dict.fromkeys(["ScatterElements", "ScatterND"], ["with a reduction, or more than 2^22 pairs"]),
    "ReduceProd": ["no code is generated for it yet"],
    **dict.fromkeys(["IsNaN", "IsInf"], ["is not a number (nan)"]),  # a sample
}
#: So many times as many cases: operators of many forms.
TIMES = dict.fromkeys(["TopK", "CumSum", "ScatterElements", "ScatterND", "Mod", "Conv", "ReduceMax", "Clip"], 5)
CASES_EACH = int(os.environ.get("VTA_COMPILED_CASES", "1"))


def verdict(draw):
    """"equal", "near", "refused", or what is wrong."""
    model = draw.model()
    want = vta.Graph(model)(**draw.inputs)
    try:
        compiled = vta.compile(model, samples=[draw.inputs])
    except vta.VTAError as error:
        if any(words in str(error) for words in REFUSED.get(draw.name, [])):
            return "refused"
        return f"refused: {error}"
    got = compiled(**draw.inputs)
    pairs = zip(got, want) if isinstance(want, tuple) else [(got, want)]
    result = "equal"
    for a, b in pairs:
        if a.shape != b.shape or a.dtype != b.dtype:
            return f"{a.dtype}{a.shape}, should be {b.dtype}{b.shape}"
        if np.array_equal(a, b, equal_nan=a.dtype.kind == "f"):
            continue
        if a.dtype.kind != "f" or np.abs(a - b).max() > 0.05 * np.abs(b).max():
            return f"{a.ravel()[:8]}, should be {b.ravel()[:8]}"
        result = "near"
    return result


@unittest.skipIf(onnx_cases is None, "no python3-onnx here: scripts/install_oracle")
class Compiled(unittest.TestCase):
    def test_single_operators(self):
        counts, wrong = collections.Counter(), []
        for name in onnx_cases.CASES:
            draws = (onnx_cases.Draw(name, seed) for seed in range(2000, 2000 + CASES_EACH * TIMES.get(name, 1)))
            for draw in draws:
                if not draw.inputs:
                    continue  # all is known: there is nothing to compile
                result = verdict(draw)
                counts[result if result in ("equal", "near", "refused") else "wrong"] += 1
                if result not in ("equal", "near", "refused"):
                    wrong.append(f"{draw}\n    {result}")
        self.assertFalse(wrong, "\n".join(wrong))
        print(dict(counts), end=" ")
        self.assertGreater(counts["equal"], 120 * CASES_EACH)
        self.assertLess(counts["near"], 30 * CASES_EACH, "more is rounded to 8 bits than the products")

    def test_indices_outside(self):
        """Of indices that are computed, compiled code takes the nearest inside, where the evaluator refuses."""
        draw = onnx_cases.Draw("Identity", 0, 13)
        draw.name, draw.order, draw.inputs, draw.attributes = "Gather", [], {}, {"axis": 0}
        table = np.arange(12, dtype="float32").reshape(4, 3)
        draw.constant(table)
        draw.input(np.array([0, 3, -4, 1], "int64"))
        model = vta.compile(draw.model(), samples=[draw.inputs])
        np.testing.assert_array_equal(model(np.array([0, 3, -4, 1])), table[[0, 3, -4, 1]])
        np.testing.assert_array_equal(model(np.array([4, 2**40, -5, -2**63])), table[[3, 3, 0, 0]])
        with self.assertRaisesRegex(vta.VTAError, "4"):
            vta.Graph(draw.model())(np.array([4, 0, 0, 0]))


if __name__ == "__main__":
    unittest.main()

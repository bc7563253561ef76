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
    import onnx_cases_new  # noqa: F401 - they add to onnx_cases.CASES
    import onnx_runtime_cases  # noqa: F401
    import onnx_sequence_cases  # noqa: F401
except ImportError:  # no python3-onnx, which writes the models
    onnx_cases = None

#: What is not compiled: the words that say so.
REFUSED = dict.fromkeys(["IsNaN", "IsInf"], ["is not a number (nan)"])  # a sample
#: Products whose results are rounded to few integers, or go around through others: what says that they are right are the
#: integers of the network.
ROUNDED = ["QLinearMatMul", "QLinearConv", "QGemm", "QAttention", "LSTM", "GRU", "RNN"]
#: So many times as many cases: operators of many forms.
TIMES = dict.fromkeys(["TopK", "CumSum", "ScatterElements", "ScatterND", "Mod", "Conv", "ReduceMax", "Clip"], 5)
CASES_EACH = int(os.environ.get("VTA_COMPILED_CASES", "1"))


def verdict(draw):
    """"equal", "near", "refused", or what is wrong."""
    model = draw.model()
    want = vta.Graph(model)(**draw.inputs)
    try:
        integers = vta.quantize(model, samples=[draw.inputs])
        compiled = integers.compile()
    except vta.VTAError as error:
        if any(words in str(error) for words in REFUSED.get(draw.name, [])):
            return "refused"
        return f"refused: {error}"
    got, exact, want = (x if isinstance(x, tuple) else (x,) for x in (compiled(**draw.inputs), integers(**draw.inputs), want))
    result = "equal"
    for a, b, c in zip(got, want, exact):
        if a.shape != b.shape or a.dtype != b.dtype:
            return f"{a.dtype}{a.shape}, should be {b.dtype}{b.shape}"
        if not np.array_equal(a, c, equal_nan=a.dtype.kind == "f"):
            return f"{a.ravel()[:8]}, should be {c.ravel()[:8]}, to the bit"
        if np.array_equal(a, b, equal_nan=a.dtype.kind == "f"):
            continue
        if draw.name not in ROUNDED and (a.dtype.kind != "f" or np.abs(a - b).max() > 0.05 * np.abs(b).max()):
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

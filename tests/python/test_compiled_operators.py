"""Operators of ONNX through the whole chain: a model of one operator is read, calibrated, compiled, run on the simulator.

The evaluator of floats, which ONNX Runtime judges (test_oracle.py), says what is right: what is computed on floats and
on integers of the model has to be equal to the bit, products on the accelerator as near as 8 bits are. Where ONNX
Runtime is here, it judges what is compiled itself as well: 2,000 cases are

    VTA_COMPILED_CASES=10 python3 tests/python/test_compiled_operators.py
"""

import collections
import os
import unittest

import numpy as np

import common  # noqa: F401 - finds the library
import oracle
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
#: How near products have to be, as a share of the largest result.
NEAR = 0.05
#: So many times as many cases: operators of many forms.
TIMES = dict.fromkeys(["TopK", "CumSum", "ScatterElements", "ScatterND", "Mod", "Conv", "ReduceMax", "Clip"], 5)
NOT_THERE = "not taken by ONNX Runtime"
CASES_EACH = int(os.environ.get("VTA_COMPILED_CASES", "1"))


def near(draw):
    """A Clip fused behind sums cuts off what is largest of them, and the sums are what is rounded."""
    return 2 * NEAR if draw.attributes.get("activation") == "Clip" else NEAR


def against(judge, draw, model, got, exact):
    """What is wrong with compiled results by ONNX Runtime's; None: nothing, or it does not take the model."""
    try:
        theirs = judge(model, draw.inputs)
    except oracle.Refused:
        return NOT_THERE
    for a, (name, b) in zip(got, theirs.items()):
        if a.shape != b.shape or a.dtype != b.dtype:
            return f"{name}: {a.dtype}{a.shape}, by ONNX Runtime {b.dtype}{b.shape}"
        if a.dtype.kind != "f" and (exact or draw.name not in ROUNDED) and not np.array_equal(a, b):
            return f"{name}: {a.ravel()[:8]}, by ONNX Runtime {b.ravel()[:8]}"
        largest = np.abs(b[np.isfinite(b)]).max(initial=1) if b.dtype.kind == "f" else 0
        tolerance = largest * (draw.tolerance if exact else near(draw))
        if a.dtype.kind == "f" and draw.name not in ROUNDED and not np.allclose(a, b, 0, tolerance, equal_nan=True):
            return f"{name}: {a.ravel()[:8]}, by ONNX Runtime {b.ravel()[:8]}"
    return None


def verdict(draw, judge=None):
    """"equal", "near", "refused", or what is wrong. With a judge " judged" after the former two, where it was."""
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
        if draw.name not in ROUNDED and (a.dtype.kind != "f" or np.abs(a - b).max() > near(draw) * np.abs(b).max()):
            return f"{a.ravel()[:8]}, should be {b.ravel()[:8]}"
        result = "near"
    wrong = against(judge, draw, model, got, result == "equal") if judge else NOT_THERE
    return f"{result} judged" if not wrong else result if wrong == NOT_THERE else wrong


@unittest.skipIf(onnx_cases is None, "no python3-onnx here: scripts/install_oracle")
class Compiled(unittest.TestCase):
    def test_single_operators(self):
        judge = None if oracle.missing() else oracle.Oracle()
        if judge:
            self.addCleanup(judge.__exit__)
        counts, wrong, refused = collections.Counter(), [], collections.Counter()
        for name in onnx_cases.CASES:
            draws = (onnx_cases.Draw(name, seed) for seed in range(2000, 2000 + CASES_EACH * TIMES.get(name, 1)))
            for draw in draws:
                if not draw.inputs:
                    continue  # all is known: there is nothing to compile
                result = verdict(draw, judge)
                kind, _, judged = result.partition(" ")
                known = kind in ("equal", "near", "refused") and judged in ("", "judged")
                counts.update([kind if known else "wrong"] + ["judged"] * (known and judged == "judged"))
                refused.update([draw.name] * (result == "refused"))
                if not known:
                    wrong.append(f"{draw}\n    {result}")
        self.assertFalse(wrong, "\n".join(wrong))
        print(dict(counts), f"refused {dict(refused)}" if refused else "", end=" ")
        self.assertGreater(counts["equal"], 120 * CASES_EACH)
        self.assertLess(counts["near"], 30 * CASES_EACH, "more is rounded to 8 bits than the products")
        if judge:
            self.assertGreater(counts["judged"], 0.95 * (counts["equal"] + counts["near"]))

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

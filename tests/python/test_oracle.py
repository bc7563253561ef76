"""The evaluator of floats, judged by ONNX Runtime: random cases of single operators, and real networks.

What the two share: ONNX's document of operators, and nothing of this project. Skipped where ONNX Runtime is absent
(scripts/install_oracle)."""

import collections
import glob
import os
import unittest

import numpy as np

import common
import oracle
import vta

try:
    import onnx_cases
except ImportError:  # no python3-onnx, which writes the models
    onnx_cases = None

#: Operators that are not read yet, and what of the others is refused: the words that say so. All else has to be right.
UNSUPPORTED = ["Softsign", "Sin", "Cos", "Tan", "Asin", "Acos", "Atan", "Selu", "Celu", "ThresholdedRelu", "Mod", "Mean",
               "LpPool", "ReduceLogSum", "ReduceLogSumExp", "Hardmax", "ArgMax", "ArgMin"]
REFUSED = {
    "Conv": ["windows over 3 axes"],
    "MaxPool": ["windows over 3 axes"],
    "AveragePool": ["windows over 3 axes", "ceil_mode together with count_include_pad"],
    "GlobalAveragePool": ["of 3 axes"],
    "GlobalMaxPool": ["of 3 axes"],
    "Range": ["of other numbers than int64"],
    **{name: ["this operator is not supported"] for name in UNSUPPORTED},
}
CASES_EACH = int(os.environ.get("VTA_ORACLE_CASES", "25"))


def difference(mine, theirs, tolerance):
    """What is wrong with `mine`, or None."""
    if mine.shape != theirs.shape or mine.dtype != theirs.dtype:
        return f"{mine.dtype}{mine.shape}, should be {theirs.dtype}{theirs.shape}"
    if mine.dtype.kind != "f":
        return None if np.array_equal(mine, theirs) else f"{np.sum(mine != theirs)} of {mine.size} differ"
    largest = np.abs(theirs[np.isfinite(theirs)]).max(initial=1)
    if np.allclose(mine, theirs, rtol=0, atol=tolerance * largest, equal_nan=True):
        return None
    return f"{np.nanmax(np.abs(mine - theirs))} off, of {largest}"


class Judged(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        oracle.needed()
        if onnx_cases is None:
            raise unittest.SkipTest("no python3-onnx here: scripts/install_oracle")
        cls.judge = oracle.Oracle()
        cls.addClassCleanup(cls.judge.__exit__)

    def judged(self, draw):
        """"right", "refused" (by us), "invalid" (ONNX Runtime does not take it), or what is wrong."""
        model = draw.model()
        try:
            theirs = self.judge(model, draw.inputs)
        except oracle.Refused:
            return "invalid"
        try:
            mine = vta.Graph(model)(**draw.inputs)
        except vta.VTAError as error:
            allowed = any(words in str(error) for words in REFUSED.get(draw.name, []))
            return "refused" if allowed else f"refused: {error}"
        mine = mine if isinstance(mine, tuple) else (mine,)
        for array, name in zip(mine, theirs):
            wrong = difference(array, theirs[name], draw.tolerance)
            if wrong:
                return f"{name}: {wrong}"
        return "right"

    def test_single_operators(self):
        counts, wrong = collections.Counter(), []
        for name in onnx_cases.CASES:
            of = collections.Counter()
            for seed in range(CASES_EACH):
                draw = onnx_cases.Draw(name, seed)
                verdict = self.judged(draw)
                if verdict not in ("right", "refused", "invalid"):
                    wrong.append(f"seed {seed}: {draw}\n    {verdict}")
                of[verdict] += 1
            counts += of
            self.assertLess(of["invalid"], CASES_EACH / 4, f"{name}: what is drawn is no model")
            if name in UNSUPPORTED:
                self.assertEqual(of["right"], 0, f"{name} is read now: take it from the list")
            else:
                self.assertGreater(of["right"], CASES_EACH / 5, f"{name}: nearly all are refused")
        self.assertFalse(wrong, "\n".join(wrong))
        print(f"{counts['right']} right, {counts['refused']} refused, {counts['invalid']} no models", end=" ")

    def test_real_networks(self):
        models = sorted(glob.glob(os.path.join(common.shared("models"), "*", "*.onnx")))
        compared = 0
        for path in models:
            try:
                graph = vta.Graph(path, batch=1)
            except vta.VTAError:
                continue  # operators that are not read yet: docs/graph.md
            random = np.random.default_rng(1)
            inputs = {p.name: random.uniform(-1, 1, p.shape).astype(p.dtype) for p in graph.inputs}
            theirs = list(self.judge(path, inputs).values())
            mine = graph(**inputs)
            # Between floats that are quantized, a sum that is added up in another order may end in the next integer.
            tolerance = 0.03 if "quantize" in str(graph) else 1e-4
            for a, b in zip(mine if isinstance(mine, tuple) else (mine,), theirs):
                with self.subTest(model=os.path.basename(os.path.dirname(path)), file=os.path.basename(path)):
                    self.assertIsNone(difference(a, b, tolerance))
            compared += 1
        self.assertGreaterEqual(compared, 6)

    def test_classes_of_a_quantized_network(self):
        """On photographs the classes are ONNX Runtime's, whatever single integers are."""
        path = common.shared("models", "mobilenetv2-int8", "model.onnx")
        graph, same = vta.Graph(path), 0
        images = sorted(glob.glob(os.path.join(common.shared("models", "imagenet-sample"), "*.[jJ]*")))
        self.assertEqual(len(images), 50)
        for image in images:
            x = vta.picture(image, graph.inputs[0].shape, resize=256, crop=224, scale=1 / 127.5, mean=1.0)
            theirs, = self.judge(path, {graph.inputs[0].name: x}).values()
            same += int(graph(x).argmax() == theirs.argmax())
        self.assertGreaterEqual(same, 49)

    def test_tflite_models(self):
        """The same networks as TFLite and as ONNX files, of which ONNX Runtime computes the latter."""
        random = np.random.default_rng(1)
        pairs = [("tflite/resnet8_float.tflite", "resnet8-cifar10/model.onnx", 255, True),
                 ("audio/embedding_model.tflite", "audio/embedding_model.onnx", 8, False)]
        for mine, theirs, largest, turned in pairs:
            graph = vta.Graph(common.shared("models", *mine.split("/")))
            path = common.shared("models", *theirs.split("/"))
            x = random.uniform(0, largest, graph.inputs[0].shape).astype("float32")
            y = x.transpose(0, 3, 1, 2) if turned else x
            expected, = self.judge(path, {vta.Graph(path).inputs[0].name: np.ascontiguousarray(y)}).values()
            self.assertIsNone(difference(graph(x), expected, 1e-4))


if __name__ == "__main__":
    unittest.main()

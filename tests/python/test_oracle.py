"""The evaluator of floats, judged by ONNX Runtime: random cases of single operators, and real networks.

What the two share: ONNX's document of operators, and nothing of this project. Skipped where ONNX Runtime is absent
(scripts/install_oracle)."""

import collections
import glob
import os
import re
import unittest

import numpy as np

import common
import oracle
import vta

try:
    import onnx
    import onnx_cases
    import onnx_cases_new  # noqa: F401 - it adds to onnx_cases.CASES
    import onnx_runtime_cases  # noqa: F401 - so do these
    import onnx_sequence_cases  # noqa: F401
except ImportError:  # no python3-onnx, which writes the models
    onnx = onnx_cases = None

#: What is refused: the words that say so. All else has to be right.
REFUSED = {"STFT": ["inverse together with onesided"]}
CASES_EACH = int(os.environ.get("VTA_ORACLE_CASES", "14"))
#: So many times as many cases: operators of many forms.
TIMES = dict.fromkeys(["Conv", "ConvTranspose", "MaxPool", "AveragePool", "Resize", "GridSample", "Attention", "Einsum"], 4)
#: Operators of the table that have no random cases: nothing is computed by them, or ONNX Runtime 1.24 has them not. Those of
#: sequences need several nodes: test_onnx_sequences.py.
WITHOUT_CASES = ["Constant", "TensorScatter", "SequenceConstruct", "SequenceEmpty", "SequenceInsert", "SequenceErase",
                 "SequenceAt", "SequenceLength", "SplitToSequence", "ConcatFromSequence"]
NEWEST_SET = 24
#: Versions that ONNX Runtime 1.24 has not: the numbers are those of the version before.
NOT_JUDGED = {("GlobalLpPool", 22), ("LpNormalization", 22)}


def table():
    """The operators that are read, with the operator sets since which they mean what they do (operators.def)."""
    with open(os.path.join(oracle.ROOT, "src", "vtac", "frontend", "onnx", "operators.def"), encoding="utf-8") as file:
        rows = re.findall(r'^VT_ONNX\("(\w+)", "([0-9 ]+)"', file.read(), re.M)
    return {name: [int(v) for v in versions.split()] for name, versions in rows}


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
            cases = CASES_EACH * TIMES.get(name, 1)
            for seed in range(cases):
                draw = onnx_cases.Draw(name, seed)
                verdict = self.judged(draw)
                if verdict not in ("right", "refused", "invalid"):
                    wrong.append(f"seed {seed}: {draw}\n    {verdict}")
                of[verdict] += 1
            counts += of
            self.assertLess(of["invalid"], cases / 3, f"{name}: what is drawn is no model")
            self.assertGreater(of["right"], cases / 5, f"{name}: nearly all are refused")
        self.assertFalse(wrong, "\n".join(wrong))
        print(f"{counts['right']} right, {counts['refused']} refused, {counts['invalid']} no models", end=" ")
        self.assertGreaterEqual(counts["right"], 144 * CASES_EACH)

    def test_every_version(self):
        """Each operator of the table, in the first and the last operator set of each of its versions."""
        rows, missing, judged = table(), [], 0
        self.assertGreater(len(rows), 150)
        for name, versions in rows.items():
            if name in WITHOUT_CASES:
                continue
            self.assertIn(name, onnx_cases.CASES, "an operator without random cases")
            first, last = onnx_cases.CASES[name][1]
            for version, after in zip(versions, [*versions[1:], NEWEST_SET + 1]):
                for opset in {max(version, first), min(after - 1, last)}:
                    if not version <= opset < after or opset < 7 or (name, version) in NOT_JUDGED:
                        continue
                    draws = (onnx_cases.Draw(name, seed, opset) for seed in range(1000, 1012))
                    if not any(d.opset == opset and self.judged(d) == "right" for d in draws):
                        missing.append(f"{name} of set {opset}")
                    judged += 1
        self.assertFalse(missing)
        self.assertGreater(judged, 400)

    def test_newer_than_the_model(self):
        """What is newer than the model's operator set is refused, as by ONNX Runtime, which has a few of its own."""
        early, wrong = [], []
        for name, versions in table().items():
            if name in WITHOUT_CASES or versions[0] < 8:
                continue
            draw = onnx_cases.Draw(name, 1, versions[0])
            made = onnx.load_from_string(draw.model())
            for of in made.opset_import:
                of.version = versions[0] - 1 if not of.domain else of.version
            try:
                vta.Graph(made)
                wrong.append(f"{name} before {versions[0]}")
            except vta.VTAError as error:
                early += [name] * ("operator sets from" in str(error))
            with self.assertRaises(oracle.Refused):
                self.judge(made.SerializeToString(), draw.inputs)
        self.assertFalse(wrong)
        self.assertGreater(len(early), 60)

    def test_tensor_scatter(self):
        """ONNX Runtime 1.24 has it not: against its definition."""
        random = np.random.default_rng(1)
        for mode, start in (("linear", [1, 0]), ("circular", [3, 1]), ("linear", None)):
            draw = onnx_cases.Draw("Identity", 0, 24)
            draw.name, draw.order, draw.inputs, draw.attributes = "TensorScatter", [], {}, {"mode": mode}
            cache, update = random.random((2, 3, 4, 5), "float32"), random.random((2, 3, 2, 5), "float32")
            draw.input(cache)
            draw.input(update)
            if start:
                draw.input(np.array(start, "int64"))
            expected = cache.copy()
            for image in range(2):
                for row in range(2):
                    expected[image, :, ((start or [0, 0])[image] + row) % 4] = update[image, :, row]
            np.testing.assert_array_equal(vta.Graph(draw.model())(**draw.inputs), expected)

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

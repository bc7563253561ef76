"""The first answer is right: models that do not say how pictures become their input are refused, metadata of ONNX and of
TFLite are used, and the names of classes are those of ImageNet.

The network is the mean of each channel, so what it answers is what the preprocessing made of a picture of one colour."""

import ast
import json
import os
import random
import shutil
import subprocess
import tempfile
import unittest

import common
import numpy as np
from tflite_make import Model, metadata

try:
    import onnx
    from onnx import TensorProto, helper, numpy_helper
except ImportError:
    raise unittest.SkipTest("no python3-onnx here: scripts/install_oracle") from None

VTA = os.path.join(common.BUILD, "vta")


def png(path, colour, size=8):
    """A picture of one colour."""
    common.write_png(path, np.full((size, size, 3), colour, "uint8"))


def onnx_model(path, properties, shape=(1, 3, 8, 8), classes=None):
    nodes = [helper.make_node("GlobalAveragePool", ["x"], ["means"]), helper.make_node("Flatten", ["means"], ["flat"])]
    weights = []
    if classes:
        w = np.zeros((shape[1], classes), np.float32)
        w[0, classes - 1] = 1
        weights = [numpy_helper.from_array(w, "w")]
        nodes.append(helper.make_node("MatMul", ["flat", "w"], ["y"]))
    else:
        nodes[-1].output[0] = "y"
    graph = helper.make_graph(nodes, "means", [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, classes or shape[1]])], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    helper.set_model_props(model, properties)
    onnx.save(model, path)


def tflite_model(path, of_file, quantized=None):
    """MEAN over height and width: operator 40, its options' field 0 keeps the axes."""
    m = Model()
    m.metadata = of_file
    dtype, scale, zero = quantized or ("float32", None, None)
    x = m.tensor([1, 8, 8, 3], dtype, scale=scale, zero=zero, name="x")
    axes = m.constant(np.array([1, 2], np.int32))
    y = m.tensor([1, 3], dtype, scale=scale, zero=zero, name="y")
    m.node(40, [x, axes], [y])
    m.inputs, m.outputs = [x], [y]
    with open(path, "wb") as f:
        f.write(m.bytes())


class FirstAnswer(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.colour = (200, 100, 30)
        os.mkdir(self.at("pictures"))
        png(self.at("pictures", "p.png"), self.colour)

    def at(self, *names):
        return os.path.join(self.folder.name, *names)

    def run_tool(self, *args, code=0):
        done = subprocess.run([VTA, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.folder.name, text=True)
        self.assertEqual(done.returncode, code, f"{args}: {done.stdout}{done.stderr}")
        return done.stdout if code == 0 else done.stderr

    def scores(self, model, *options):
        top = json.loads(self.run_tool("classify", model, "pictures/p.png", "--float", "--json", *options))["pictures"][0]["top"]
        return [t["score"] for t in sorted(top, key=lambda t: t["class"])]

    def near(self, got, want):
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-4)

    def test_unknown_is_refused_everywhere(self):
        onnx_model(self.at("m.onnx"), {})
        with open(self.at("labels.csv"), "w") as f:
            f.write("p.png,0\n")
        runs = [("classify", "m.onnx", "pictures"), ("classify", "m.onnx", "pictures/p.png", "--float"),
                ("compile", "m.onnx", "--calibrate", "pictures"),
                ("eval", "m.onnx", "--images", "pictures", "--labels", "labels.csv"),
                ("run", "m.onnx", "--input", "pictures/p.png", "--float"),
                ("compare", "m.onnx", "pictures/p.png", "--calibrate", "pictures")]
        for args in runs:
            said = self.run_tool(*args, code=1)
            self.assertIn("m.onnx: it is not known how pictures become its input 1x3x8x8: give --preset unit", said)
            self.assertNotIn("Traceback", said)
            self.run_tool(*args, "--preset", "raw")
        self.assertFalse(os.path.exists(self.at("m.picture.json")))

    def test_an_artifact_without_settings_is_refused(self):
        onnx_model(self.at("m.onnx"), {})
        np.save(self.at("s.npy"), np.random.default_rng(1).uniform(0, 255, (4, 3, 8, 8)).astype(np.float32))
        self.run_tool("compile", "m.onnx", "--calibrate", "s.npy")
        self.assertIn("give --preset unit", self.run_tool("classify", "m.vta-model", "pictures", code=1))
        self.run_tool("compile", "m.onnx", "--calibrate", "s.npy", "--scale", "1")
        self.run_tool("classify", "m.vta-model", "pictures")

    def test_the_likely_preset(self):
        rows = [((1, 3, 224, 224), 1000, "imagenet"), ((1, 3, 224, 224), 1001, "signed"), ((1, 3, 32, 32), 10, "cifar10"),
                ((1, 1, 28, 28), 10, "unit"), ((1, 3, 256, 256), 7, "imagenet")]
        for shape, classes, preset in rows:
            onnx_model(self.at("m.onnx"), {}, shape, classes)
            self.assertIn(f"--preset {preset}, which is likely", self.run_tool("classify", "m.onnx", "pictures", "--float", code=1))

    def test_metadata_of_onnx(self):
        c = np.array(self.colour, np.float64)
        ranges = {"NominalRange_0_255": c, "Normalized_0_1": c / 255, "Normalized_1_1": c / 127.5 - 1}
        for word, want in ranges.items():
            onnx_model(self.at("m.onnx"), {"Image.NominalPixelRange": word, "Image.BitmapPixelFormat": "Rgb8"})
            self.near(self.scores("m.onnx"), want)
            onnx_model(self.at("m.onnx"), {"Image.NominalPixelRange": word, "Image.BitmapPixelFormat": "Bgr8"})
            self.near(self.scores("m.onnx"), want[::-1])
            self.near(self.scores("m.onnx", "--preset", "raw"), c)
        onnx_model(self.at("m.onnx"), {"Image.NominalPixelRange": "NominalRange_16_235"})
        self.run_tool("classify", "m.onnx", "pictures", code=1)
        onnx_model(self.at("m.onnx"), {"task": "classify", "imgsz": "[8, 8]", "stride": "1", "names": "{0: 'a'}"})
        self.near(self.scores("m.onnx"), c / 255)
        onnx_model(self.at("m.onnx"), {"vta.picture": '{"scale": 0.5, "mean": [1, 2, 3]}'})
        self.near(self.scores("m.onnx"), c / 2 - [1, 2, 3])
        self.near(self.scores("m.onnx", "--mean", "0"), c / 2)
        with open(self.at("m.picture.json"), "w") as f:
            f.write('{"preset": "unit"}')
        self.near(self.scores("m.onnx"), c / 255)
        os.remove(self.at("m.picture.json"))
        onnx_model(self.at("m.onnx"), {"vta.picture": '{"scal": 0.5}'})
        self.assertIn("key scal", self.run_tool("classify", "m.onnx", "pictures", code=1))
        onnx_model(self.at("m.onnx"), {"Image.NominalPixelRange": "Normalized_0_1"})
        self.run_tool("compile", "m.onnx", "--calibrate", "pictures")
        top = json.loads(self.run_tool("classify", "m.vta-model", "pictures", "--json"))["pictures"][0]["top"]
        self.assertAlmostEqual(top[0]["score"], 200 / 255, delta=0.02)

    def test_metadata_of_tflite(self):
        rng = random.Random(5)
        c = np.array(self.colour, np.float64)
        for _ in range(20):
            many = rng.choice([1, 3])
            mean = [round(rng.uniform(-5, 130), 3) for _ in range(many)]
            std = [round(rng.uniform(0.5, 130), 3) for _ in range(many)]
            tflite_model(self.at("m.tflite"), metadata(mean, std, rng.choice([None, 1, 2])))
            self.near(self.scores("m.tflite"), (c - mean) / std)
        tflite_model(self.at("m.tflite"), None)
        self.run_tool("classify", "m.tflite", "pictures", "--float", code=1)

    def test_damaged_metadata_are_none(self):
        whole = metadata([1.0], [2.0], 1)
        rng = random.Random(9)
        refused = 0
        for i in range(40):
            broken = bytearray(whole)
            for _ in range(rng.randrange(1, 5)):
                broken[rng.randrange(len(broken))] = rng.randrange(256)
            tflite_model(self.at("m.tflite"), bytes(broken[:rng.randrange(len(broken))] if i % 2 else broken))
            done = subprocess.run([VTA, "graph", "m.tflite"], cwd=self.folder.name, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            done = subprocess.run([VTA, "classify", "m.tflite", "pictures", "--float"], cwd=self.folder.name,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.assertIn(done.returncode, (0, 1))
            refused += done.returncode
        self.assertGreater(refused, 10)

    def test_a_quantized_input_proposes(self):
        rows = [("int8", 1.0, -128, "raw"), ("uint8", 1 / 255, 0, "unit"), ("int8", 1 / 127.5, 0, "signed"),
                ("int8", 0.3, 0, "unit")]
        for dtype, scale, zero, preset in rows:
            tflite_model(self.at("m.tflite"), None, (dtype, scale, zero))
            self.assertIn(f"--preset {preset}, which", self.run_tool("classify", "m.tflite", "pictures", "--float", code=1))

    def test_names_of_imagenet(self):
        for classes, name in ((1000, "toilet tissue"), (1001, "toilet tissue"), (999, None)):
            onnx_model(self.at("m.onnx"), {}, classes=classes)
            top = json.loads(self.run_tool("classify", "m.onnx", "pictures", "--float", "--json", "--preset", "raw"))
            best = top["pictures"][0]["top"][0]
            self.assertEqual((best["class"], best["label"]), (classes - 1, name))
        for word, count, name in (("imagenet", 1000, "tench"), ("coco", 80, "person")):
            onnx_model(self.at("m.onnx"), {}, classes=count)
            top = json.loads(self.run_tool("classify", "m.onnx", "pictures", "--float", "--json", "--preset", "raw", "--labels",
                                           word))["pictures"][0]["top"]
            self.assertEqual({t["class"]: t["label"] for t in top}[0], name)

    def test_lists_are_complete(self):
        """Each name is one of those that the public list gives the class."""
        def names(word, count):
            onnx_model(self.at("m.onnx"), {}, classes=count)
            self.run_tool("compile", "m.onnx", "--calibrate", "pictures", "--preset", "raw", "--labels", word)
            with open(self.at("m.vta-model"), "rb") as f:
                data = f.read()
            at = data.index(b'["person"' if word == "coco" else b'["tench"')
            return json.JSONDecoder().raw_decode(data[at:].decode("latin1"))[0]
        synset = common.shared("models", "images", "synset.txt")
        if not os.path.exists(synset):
            self.skipTest("no list of names")
        with open(synset) as f:
            table = ast.literal_eval(f.read())
        own = names("imagenet", 1000)
        self.assertEqual((len(own), len(set(own))), (1000, 1000))
        for i, name in enumerate(own):
            known = [n.strip().lower() for n in table[i].split(",")]
            self.assertIn(name.split(" (")[0].lower(), known, i)
        with open(common.shared("models", "detect", "coco.names")) as f:
            old = [line.strip() for line in f if line.strip()]
        renamed = {"motorbike": "motorcycle", "aeroplane": "airplane", "sofa": "couch", "pottedplant": "potted plant",
                   "diningtable": "dining table", "tvmonitor": "tv"}
        self.assertEqual(names("coco", 80), [renamed.get(n, n) for n in old])

    def test_folders_by_class(self):
        """The class of the strongest colour: folders called by numbers, by names, in alphabetical order."""
        onnx_model(self.at("m.onnx"), {})
        colours = {"red": (250, 9, 9), "green": (9, 250, 9), "blue": (9, 9, 250)}
        with open(self.at("names.txt"), "w") as f:
            f.write("red\ngreen\nblue\n")
        rng = random.Random(3)
        for kind in ("numbers", "names", "order"):
            right = total = 0
            for i, name in enumerate(colours):
                folder = self.at(kind, str(i) if kind == "numbers" else name)
                os.makedirs(folder)
                for k in range(rng.randrange(1, 4)):
                    shown = rng.choice(list(colours))
                    png(os.path.join(folder, f"{k}.png"), colours[shown])
                    classes = sorted(colours) if kind == "order" else list(colours)
                    right += classes.index(name) == list(colours).index(shown)
                    total += 1
            settings = {"preset": "raw", **({"labels": "names.txt"} if kind == "names" else {})}
            with open(self.at("m.picture.json"), "w") as f:
                json.dump(settings, f)
            got = json.loads(self.run_tool("eval", "m.onnx", kind, "--json"))
            self.assertEqual((got["top1"], got["count"]), (right, total), kind)
        shutil.rmtree(self.at("order", "red"))
        self.assertIn("order has 2 folders, the network 3 classes", self.run_tool("eval", "m.onnx", "order", code=1))
        self.assertIn("no folder with a folder for each class", self.run_tool("eval", "m.onnx", "pictures", code=1))

    def test_names_of_layers_are_kept_by_their_end(self):
        net, long = self.at("net.onnx"), "features.0.block.expand.conv.normalization.output"
        nodes = [helper.make_node("Conv", ["x", "w"], [long]), helper.make_node("Relu", [long], ["y"])]
        w = numpy_helper.from_array(np.ones((16, 3, 1, 1), np.float32), "w")
        onnx.save(helper.make_model(helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, (1, 3, 8, 8))],
                  [helper.make_tensor_value_info("y", TensorProto.FLOAT, (1, 16, 8, 8))], [w]),
                  opset_imports=[helper.make_opsetid("", 13)], ir_version=8), net)
        rows = [line.split()[0] for line in self.run_tool("profile", "net.onnx").splitlines() if ".." in line]
        for row in rows:
            self.assertTrue(long.endswith(row[2:]) or row == "..", row)
        self.assertTrue(rows)

    def test_samples_are_numbers(self):
        onnx_model(self.at("m.onnx"), {})
        for bad, word in ((np.nan, "NaN"), (np.inf, "infinity"), (-np.inf, "-infinity")):
            x = np.ones((3, 3, 8, 8), np.float32)
            x[2, 1, 0, 4] = bad
            np.save(self.at("s.npy"), x)
            self.assertIn(f"s.npy: sample 2 holds {word}, at element 68 of its 192",
                          self.run_tool("compile", "m.onnx", "--calibrate", "s.npy", code=1))


if __name__ == "__main__":
    unittest.main()

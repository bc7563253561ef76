"""One artifact for several shapes of the inputs: each gives what an artifact for it gives by itself, to the bit."""

import json
import os
import subprocess
import tempfile
import unittest

import numpy as np

import common
import vta

try:
    from onnx import helper, numpy_helper
except ImportError:  # no python3-onnx, which writes the model
    helper = None

VTA = os.path.join(common.BUILD, "vta")


def network(channels=16):
    """Convolution, Relu, mean over the image, product: extents of the image are open."""
    random = np.random.default_rng(7)

    def constant(name, *shape):
        return numpy_helper.from_array(random.normal(size=shape).astype("float32") / np.sqrt(np.prod(shape[1:])), name)

    nodes = [helper.make_node("Conv", ["x", "w", "b"], ["c"], kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
             helper.make_node("Relu", ["c"], ["r"]), helper.make_node("GlobalAveragePool", ["r"], ["m"]),
             helper.make_node("Flatten", ["m"], ["f"]), helper.make_node("Gemm", ["f", "g"], ["y"])]
    graph = helper.make_graph(
        nodes, "net", [helper.make_tensor_value_info("x", 1, [1, 16, "h", "w"])],
        [helper.make_tensor_value_info("y", 1, None)],
        [constant("w", channels, 16, 3, 3), constant("b", channels), constant("g", channels, 5)])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    made.ir_version = 8
    return made.SerializeToString()


@unittest.skipUnless(helper, "no python3-onnx here: scripts/install_oracle")
class SeveralShapes(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name
        random = np.random.default_rng(3)
        self.shapes = [(1, 16, 8, 8), (1, 16, 8, 12), (1, 16, 5, 7)]
        self.samples = [random.normal(size=s).astype("float32") for s in self.shapes for _ in range(3)]

    def path(self, name):
        return os.path.join(self.folder, name)

    def single(self, shape):
        graph = vta.Graph(network(), shapes={"x": shape})
        return vta.quantize(graph, [s for s in self.samples if s.shape == shape]).compile()

    def test_each_is_what_it_is_by_itself(self):
        model = vta.compile(network(), self.samples, shapes=[{"x": s} for s in self.shapes])
        self.assertEqual([m.inputs[0].shape for m in model.shapes], self.shapes)
        model.save(self.path("net.vta-model"))
        loaded = vta.load_model(self.path("net.vta-model"))
        for shape in self.shapes:
            alone = self.single(shape)
            for x in (s for s in self.samples if s.shape == shape):
                np.testing.assert_array_equal(model(x), alone(x))
                np.testing.assert_array_equal(loaded(x=x), alone(x))
        two = np.concatenate([self.samples[3], self.samples[4]])  # of the second shape
        np.testing.assert_array_equal(model(two), np.concatenate([model(two[:1]), model(two[1:])]))
        with self.assertRaisesRegex(ValueError, r"8, 12.*9, 9"):
            model(np.zeros((1, 16, 9, 9), "float32"))

    def test_a_shape_outlives_the_model(self):
        model = vta.compile(network(), self.samples, shapes=[{"x": s} for s in self.shapes])
        want, last = model(self.samples[-1]), model.shapes[-1]
        del model
        np.testing.assert_array_equal(last(self.samples[-1]), want)

    def saved(self, model, shapes):
        path = self.path(f"{len(shapes)}.vta-model")
        vta.compile(model, self.samples, shapes=[{"x": s} for s in shapes], output=path)
        return path

    def test_the_tool(self):
        with open(self.path("net.onnx"), "wb") as file:
            file.write(network())
        options = []
        for i, shape in enumerate(self.shapes):
            np.save(self.path(f"{i}.npy"), np.concatenate([s for s in self.samples if s.shape == shape]))
            np.save(self.path(f"x{i}.npy"), self.samples[3 * i])
            options += ["--shape", "x=" + ",".join(map(str, shape)), "--calibrate", "x=" + self.path(f"{i}.npy")]
        subprocess.run([VTA, "compile", "net.onnx", *options], cwd=os.path.dirname(self.path("net.onnx")), check=True,
                       stdout=subprocess.PIPE)
        for i, shape in enumerate(self.shapes):
            subprocess.run([VTA, "run", self.path("net.vta-model"), "--input", self.path(f"x{i}.npy"), "--output",
                            self.path("y.npy")], check=True, stdout=subprocess.PIPE)
            np.testing.assert_array_equal(np.load(self.path("y.npy")), self.single(shape)(self.samples[3 * i]))
        np.save(self.path("other.npy"), np.zeros((1, 16, 9, 9), "float32"))
        failed = subprocess.run([VTA, "run", self.path("net.vta-model"), "--input", self.path("other.npy")],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(failed.returncode, 1)
        self.assertIn("x=1,16,8,12", failed.stderr)
        wrong = subprocess.run([VTA, "run", self.path("net.vta-model"), "--shape", "x=1,16,5,7", "--json", "--input",
                                self.path("x0.npy")], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(wrong.returncode, 1)
        self.assertIn("[1, 16, 5, 7]", json.dumps(wrong.stderr))

    def test_refusals(self):
        once = {"x": self.shapes[0]}
        with self.assertRaisesRegex(vta.VTAError, "for the same shapes"):
            vta.compile(network(), self.samples, shapes=[once, once])
        with self.assertRaisesRegex(ValueError, "empty"):
            vta.compile(network(), self.samples, shapes=[])
        with self.assertRaisesRegex(TypeError, "settled"):
            vta.compile(vta.Graph(network(), shapes=once), self.samples, shapes=once)

    def test_damaged(self):
        """Any byte of the file that is another one: refused, by the checksum or what it guards."""
        path = self.saved(network(), self.shapes[:2])
        with open(path, "rb") as file:
            good = file.read()
        for at in np.random.default_rng(5).integers(0, len(good), 40):
            bad = bytearray(good)
            bad[at] ^= 0x20
            with self.assertRaises(vta.VTAError):
                vta.Model("damaged", None, bytes(bad))


class Functions(unittest.TestCase):
    @unittest.skipUnless(helper, "no python3-onnx here: scripts/install_oracle")
    def test_samples_of_functions(self):
        graph = vta.Graph(network(), shapes={"x": (1, 16, 6, 6)})
        arrays = [np.random.default_rng(i).standard_normal((1, 16, 6, 6)).astype("float32") for i in range(16)]
        calls = iter(arrays)
        one = vta.quantize(graph, lambda shape: next(calls).reshape(shape))
        self.assertRaises(StopIteration, next, calls)
        calls = iter(arrays)
        named = vta.quantize(graph, {"x": lambda shape: next(calls)})
        batch = vta.quantize(graph, {"x": np.concatenate(arrays)})
        for other in (named, batch, vta.quantize(graph, arrays)):
            self.assertEqual(str(other), str(one))
        with self.assertRaisesRegex(TypeError, "y"):
            vta.quantize(graph, {"y": lambda shape: arrays[0]})


if __name__ == "__main__":
    unittest.main()

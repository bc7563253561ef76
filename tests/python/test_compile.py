"""Networks compiled from Python: small ONNX models, written here byte by byte, against numpy within what 8 bits give."""

import os
import signal
import tempfile
import threading
import time
import unittest
from unittest import mock

import numpy as np

import common  # noqa: F401
import vta


def varint(n):
    """A number of protobuf."""
    return bytes([n]) if n < 128 else bytes([n & 127 | 128]) + varint(n >> 7)


def field(number, value):
    """A field of a message: a number, text, or bytes (another message)."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def tensor(name, array):
    """A TensorProto of floats."""
    return b"".join(field(1, d) for d in array.shape) + field(2, 1) + field(8, name) + field(9, array.tobytes())


def port(name, shape):
    """A ValueInfoProto."""
    dims = b"".join(field(1, field(2 if isinstance(d, str) else 1, d)) for d in shape)
    return field(1, name) + field(2, field(1, field(1, 1) + field(2, dims)))


def node(op, inputs, output, **ints):
    """A NodeProto; attributes are lists of integers."""
    attributes = (field(1, k) + b"".join(field(8, i) for i in v) + field(20, 7) for k, v in ints.items())
    return (b"".join(field(1, i) for i in inputs) + field(2, output) + field(4, op)
            + b"".join(field(5, a) for a in attributes))


def onnx(nodes, inputs, output, constants=(), opset=13):
    """A ModelProto; what inputs, the output and constants are is given as pairs with their names."""
    graph = b"".join(field(1, n) for n in nodes) + field(2, "small") + b"".join(field(5, tensor(*c)) for c in constants)
    graph += b"".join(field(11, port(*i)) for i in inputs) + field(12, port(*output))
    return field(1, 8) + field(7, graph) + field(8, field(2, opset))


SHAPE = (1, 16, 6, 6)
RANDOM = np.random.RandomState(1)
WEIGHTS = RANDOM.uniform(-1, 1, (32, 16, 3, 3)).astype("float32")
BIAS = RANDOM.uniform(-1, 1, 32).astype("float32")
CONV = onnx([node("Conv", ["x", "w", "b"], "c", kernel_shape=[3, 3], pads=[1, 1, 1, 1]), node("Relu", ["c"], "y")],
            [("x", SHAPE)], ("y", (1, 32, 6, 6)), [("w", WEIGHTS), ("b", BIAS)])
SUM = onnx([node("Conv", ["x", "w", "b"], "c", kernel_shape=[3, 3], pads=[1, 1, 1, 1]), node("Add", ["c", "z"], "y")],
           [("x", SHAPE), ("z", (1, 32, 6, 6))], ("y", (1, 32, 6, 6)), [("w", WEIGHTS), ("b", BIAS)])


def conv(x):
    """The convolution by numpy."""
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = np.stack([padded[:, :, i:i + 6, j:j + 6] for i in range(3) for j in range(3)], 2)
    return np.einsum("nckhw,ock->nohw", windows, WEIGHTS.reshape(32, 16, 9)) + BIAS.reshape(1, 32, 1, 1)


def samples(count=4, shape=SHAPE):
    """Inputs."""
    return [np.random.RandomState(i).uniform(-1, 1, shape).astype("float32") for i in range(count)]


class Compile(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def file(self, data, name="small.onnx"):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as f:
            f.write(data)
        return path

    def close(self, got, want, most=0.03):
        """Within a share of the range."""
        self.assertEqual((got.shape, got.dtype), (want.shape, np.dtype("float32")))
        self.assertLess(np.abs(got - want).max(), most * np.abs(want).max())
        self.assertGreater(got.std(), 0.5 * want.std())

    def test_against_numpy(self):
        path = self.file(CONV)
        for method in ("percentile", "max", "kl", "squares"):
            model = vta.compile(path, iter(samples()), range=method)
            self.assertEqual([(p.name, p.shape) for p in model.inputs], [("x", SHAPE)])
            for x in samples():
                self.close(model(x), np.maximum(conv(x), 0))

    def test_requantization(self):
        """As it is asked for: in the text of the integers, which give what numpy does either way."""
        for how, keep in (("shift", True), ("multiply", False)):
            q = vta.quantize(CONV, samples(), requantize=how, result_bits=8, keep_bias=keep)
            self.assertEqual("multiply" in str(q), how == "multiply")
            self.close(q(samples()[0]), np.maximum(conv(samples()[0]), 0))

    def test_precise(self):
        """More bits are nearer to what numpy gives; the accelerator gives them too; a value that is not there is named."""
        x, floats = samples()[0], np.maximum(conv(samples()[0]), 0)
        usual = vta.quantize(CONV, samples(), range="max", result_bits=8)
        adaptive = vta.quantize(CONV, samples(), range="max", rounding="adaptive")
        self.assertNotEqual([array.tolist() for array in map(adaptive, samples())],
                            [array.tolist() for array in map(vta.quantize(CONV, samples(), range="max"), samples())])
        np.testing.assert_array_equal(adaptive.compile()(samples()[0]), adaptive(samples()[0]))
        with self.assertRaisesRegex(ValueError, "rounding is one of nearest, adaptive, not 'up'"):
            vta.quantize(CONV, samples(), rounding="up")
        precise = vta.quantize(CONV, samples(), range="max", equalize=True, precise="all")
        self.assertIn("with fine parts with coarse parts", str(precise))
        self.assertLess(8 * np.abs(precise(x) - floats).max(), np.abs(usual(x) - floats).max())
        np.testing.assert_array_equal(precise.compile()(x), precise(x))
        with self.assertRaisesRegex(vta.VTAError, "the network has no value none such"):
            vta.quantize(CONV, samples(), precise=["x", "none such"])

    def test_step_by_step(self):
        """Floats, integers and the accelerator: the first as numpy, the last two equal; from files, bytes, and what gives bytes."""
        class Proto:
            SerializeToString = staticmethod(lambda: CONV)

        for source in (self.file(CONV), CONV, Proto()):
            graph = vta.Graph(source)
            self.assertEqual([p.name for p in graph.inputs + graph.outputs], ["x", "y"])
            self.assertEqual((graph.macs, graph.parameters), (36 * 16 * 9 * 32, WEIGHTS.size + BIAS.size))
            self.assertIn("Conv(x,", str(graph))
            integers = vta.quantize(graph, samples(), range="max")
            self.assertIn("conv", str(integers))
            model, alone = integers.compile(), integers.compile(processor_only=True)
            for x in samples():
                np.testing.assert_allclose(graph(x), np.maximum(conv(x), 0), atol=1e-4)
                np.testing.assert_allclose(graph(x=x), graph(x), atol=0)
                self.close(integers(x), graph(x))
                np.testing.assert_array_equal(model(x), integers(x))
                np.testing.assert_array_equal(alone(x), integers(x))
            many = np.concatenate(samples(9))
            np.testing.assert_array_equal(model(many), np.concatenate([integers(x) for x in samples(9)]))
            alone.clear_stats()
            alone(samples(1)[0])
            self.assertEqual((alone.stats()["gemm_counter"], model.stats()["gemm_counter"] > 0), (0, True))
            with self.assertRaisesRegex(ValueError, r"input x has the shape \(1, 16, 6, 6\), not \(9, 16"):
                graph(many)

    def test_shapes(self):
        """An extent that is left open: 1, a batch, or as it is given."""
        open_batch = onnx([node("Relu", ["x"], "y")], [("x", ("n", 8))], ("y", ("n", 8)))
        self.assertEqual(vta.Graph(open_batch).inputs[0].shape, (1, 8))
        self.assertEqual(vta.Graph(open_batch, batch=5).outputs[0].shape, (5, 8))
        self.assertEqual(vta.Graph(open_batch, shapes={"x": (3, 8)}).outputs[0].shape, (3, 8))
        with self.assertRaisesRegex(vta.VTAError, "z"):
            vta.Graph(open_batch, shapes={"z": (3, 8)})

    def test_range_is_passed_on(self):
        path, x = self.file(CONV), samples(1)[0]
        results = [vta.compile(path, samples(), range=method, percentile=60, result_bits=8)(x)
                   for method in ("percentile", "max", "kl", "squares")]
        self.assertLess(results[0].max(), 0.8 * conv(x).max())
        self.close(results[1], np.maximum(conv(x), 0))
        self.assertEqual(len({r.tobytes() for r in results}), 4)

    def test_several_inputs(self):
        path = self.file(SUM)
        pairs = list(zip(samples(), samples(shape=(1, 32, 6, 6))))
        for given in (pairs, [{"z": z, "x": x} for x, z in pairs]):
            model = vta.compile(path, given, range="max")
            for x, z in pairs:
                self.close(model(x, z), conv(x) + z)

    def test_configuration(self):
        wide = {"LOG_BATCH": 0, "LOG_BLOCK": 5, "LOG_UOP_BUFF_SIZE": 15, "LOG_INP_BUFF_SIZE": 16, "LOG_WGT_BUFF_SIZE": 18,
                "LOG_ACC_BUFF_SIZE": 18}
        path, x = self.file(CONV), samples(1)[0]
        with vta.Environment(wide) as env:
            inside = vta.compile(path, samples())
        given = [vta.compile(path, samples(), c) for c in (wide, env, env.config)]
        usual = vta.compile(path, samples())
        for model in [inside, *given]:
            np.testing.assert_array_equal(model(x), usual(x))
        texts = []
        for i, model in enumerate([inside, *given, usual]):
            model.save(os.path.join(self.folder, str(i)))
            with open(os.path.join(self.folder, str(i)), "rb") as f:
                texts.append(f.read())
        self.assertEqual([t == texts[0] for t in texts], [True, True, True, True, False])

    def test_save(self):
        first, second = (os.path.join(self.folder, n) for n in ("first.vta-model", "second.vta-model"))
        model = vta.compile(self.file(CONV), samples(), output=first)
        x = samples(1)[0]
        loaded = vta.load_model(first)
        np.testing.assert_array_equal(loaded(x), model(x))
        loaded.save(second)
        np.testing.assert_array_equal(vta.load_model(second)(x), model(x))

    def test_wrong_models(self):
        with self.assertRaises(vta.VTALookupError):
            vta.compile(os.path.join(self.folder, "none.onnx"), samples())
        with self.assertRaises(vta.VTASyntaxError):
            vta.compile(self.file(b"no model at all"), samples())
        with self.assertRaises(vta.VTAError):
            vta.compile(self.file(CONV[:-200]), samples())
        wrong = onnx([node("Strange", ["x"], "y")], [("x", SHAPE)], ("y", SHAPE))
        with self.assertRaisesRegex(vta.VTAUnsupportedError, "Strange"):
            vta.compile(self.file(wrong), samples())

    def test_samples_of_one_array(self):
        """One behind the other, stacked, and one by one are the same samples."""
        path, x = self.file(CONV), samples(1)[0]
        given = (samples(), np.concatenate(samples()), np.stack(samples()), [np.concatenate(samples()[:3]), samples()[3]])
        want = vta.compile(path, given[0])(x)
        for each in given[1:]:
            np.testing.assert_array_equal(vta.compile(path, each)(x), want)

    def test_wrong_arguments(self):
        path = self.file(CONV)
        for nothing in (None, [], iter(())):
            with self.assertRaisesRegex(vta.VTAValueError, "range"):
                vta.compile(path, nothing)
        for wrong in (samples()[0][0], [samples()[0][0]], samples()[0].transpose(0, 2, 3, 1), np.ones((0, 1, 16, 6, 5), "f")):
            with self.assertRaisesRegex((ValueError, vta.VTAValueError), r"input x has the shape \(1, 16, 6, 6\), not|range"):
                vta.compile(path, wrong)
        for sample in ((samples()[0],) * 2, (), {"z": samples()[0]}):
            with self.assertRaisesRegex(TypeError, "small takes"):
                vta.compile(path, [sample])
        with self.assertRaisesRegex(ValueError, "range is one of percentile, max, kl, squares, output, not 'all'"):
            vta.compile(path, samples(), range="all")
        for percentile in (0, -1, 100.5, float("nan")):
            with self.assertRaisesRegex(ValueError, "percentile is more than 0"):
                vta.compile(path, samples(), percentile=percentile)
        with self.assertRaisesRegex(ValueError, "requantize is one of auto, shift, multiply, not 'divide'"):
            vta.compile(path, samples(), requantize="divide")
        with self.assertRaisesRegex(ValueError, "result_bits is 8, 16 or 0, not 9"):
            vta.compile(path, samples(), result_bits=9)
        with self.assertRaises(vta.VTAError):
            vta.compile(path, samples(), {"LOG_BLOCK": 99})

    def test_report(self):
        """What runs where; timed, and not; as the tool has it."""
        model = onnx([node("Conv", ["x", "w", "b"], "c", kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
                      node("Relu", ["c"], "y"), node("Softmax", ["y"], "s")], [("x", SHAPE)], ("s", (1, 32, 6, 6)),
                     [("w", WEIGHTS), ("b", BIAS)])
        integers = vta.quantize(model, samples())
        report = integers.report()
        products = 32 * 16 * 9 * 36
        self.assertEqual((report["runs"], report["cuts"], report["products"]), (1, [], products))
        conv = next(layer for layer in report["layers"] if layer["kind"] == "conv")
        self.assertEqual((conv["place"], conv["run"], conv["products"]), ("accelerator", 0, products))
        self.assertEqual(conv["cycles"], report["cycles"])
        self.assertGreater(report["ms"], report["host_ms"])
        self.assertAlmostEqual(report["host_share"], report["host_ms"] / report["ms"])
        softmax = next(layer for layer in report["layers"] if layer["kind"] == "Softmax")
        self.assertEqual((softmax["place"], softmax["run"], softmax["why"]), ("host", None, "it is on floats"))
        plain = integers.report(processor_only=True, measure=False)
        self.assertEqual((plain["runs"], plain["accelerator_products"]), (0, 0))
        self.assertNotIn("cycles", plain)
        self.assertNotIn("ms", plain["layers"][0])

    def test_without_mul(self):
        """A board whose ALU cannot multiply: scales are shifts, and a layer that must multiply is the host's."""
        path = self.file(onnx(
            [node("QuantizeLinear", ["x", "s"], "q"), node("DequantizeLinear", ["q", "s"], "d"),
             node("Conv", ["d", "w", "b"], "c", kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
             node("QuantizeLinear", ["c", "s2"], "r"), node("DequantizeLinear", ["r", "s2"], "y")],
            [("x", SHAPE)], ("y", (1, 32, 6, 6)),
            [("w", WEIGHTS), ("b", BIAS), ("s", np.float32([1 / 127])[0]), ("s2", np.float32([0.05])[0])]))
        board, saved = {"TARGET": "pynq"}, {}
        with open(os.path.join(self.folder, "registers"), "wb") as file:  # a board that is two files
            file.write(bytes(4 * 4096))
        with open(os.path.join(self.folder, "memory"), "wb") as file:
            file.write(bytes(2 << 20))
        self.enterContext(mock.patch.dict(os.environ, VTA_BOARD=f"model={self.folder}"))
        for name, requantize, config in (("auto", "auto", board), ("shift", "shift", board),
                                         ("multiply", "multiply", board), ("simulator", "auto", None)):
            saved[name] = os.path.join(self.folder, name)
            vta.compile(path, None, config, requantize=requantize).save(saved[name])
        with open(saved["auto"], "rb") as auto, open(saved["shift"], "rb") as shift:
            self.assertEqual(auto.read(), shift.read())
        for name, place in (("shift", "accelerator"), ("multiply", "host")):
            report = vta.quantize(path, requantize=name, config=board).report(board, measure=False)
            self.assertEqual([layer["place"] for layer in report["layers"] if layer["kind"] == "conv"], [place])
        x = np.abs(samples()[0])
        multiplied, simulated = (vta.load_model(saved[name], driver="sim")(x) for name in ("multiply", "simulator"))
        self.assertTrue(np.any(simulated))
        np.testing.assert_array_equal(multiplied, simulated)

    def test_interrupt(self):
        """Ctrl-C ends the compile inside the library, and the next one works."""
        inside, ends = vta.Quantized._bytes, []

        def interrupted(quantized, config, layers, *more):
            os.kill(os.getpid(), signal.SIGINT)
            while not layers.stopped:
                time.sleep(0.001)
            try:
                return inside(quantized, config, layers, *more)
            except BaseException as error:
                ends.append(type(error))
                raise

        path = self.file(CONV)
        with mock.patch.object(vta.Quantized, "_bytes", interrupted), self.assertRaises(KeyboardInterrupt):
            vta.compile(path, samples())
        for thread in threading.enumerate():  # the interrupt may come before anybody waits for the thread
            if thread.name.startswith("vta-compile"):
                thread.join()
        self.assertEqual(ends, [KeyboardInterrupt])
        vta.compile(path, samples())


if __name__ == "__main__":
    unittest.main()

"""Streams: networks whose state goes on from call to call (vta.Model.stream). What is right: the same calls with the state
handed over by hand."""
import os
import subprocess
import tempfile
import unittest

import numpy as np

import common
from common import ROOT
import test_rpc
import vta

try:
    from onnx import TensorProto, helper, numpy_helper
except ImportError:
    helper = None

SMALL = os.path.join(ROOT, "fuzz", "corpus", "fuzz_model", "small.vta-model")  # y = x + 8 (tests/exec/small.h)
WIDTH, HIDDEN, STEPS = 16, 32, 2


def port(name, *shape):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


def made(nodes, inputs, outputs, **constants):
    constants = [numpy_helper.from_array(a, name) for name, a in constants.items()]
    graph = helper.make_graph(nodes, "stream", inputs, outputs, constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    return model


def recurrent():
    """An LSTM of two steps a call, with its state in and out."""
    random = np.random.default_rng(1)
    weights = [random.uniform(-0.5, 0.5, (1, 4 * HIDDEN, n)).astype("float32") for n in (WIDTH, HIDDEN)]
    node = helper.make_node("LSTM", ["x", "w", "r", "", "", "h", "c"], ["y", "hn", "cn"], hidden_size=HIDDEN)
    state = (1, 1, HIDDEN)
    return made([node], [port("x", STEPS, 1, WIDTH), port("h", *state), port("c", *state)],
                [port("y", STEPS, 1, 1, HIDDEN), port("hn", *state), port("cn", *state)], w=weights[0], r=weights[1])


class Streams(unittest.TestCase):
    def test_goes_on(self):
        model = vta.load_model(SMALL)
        stream, other = model.stream({"x": "y"}), model.stream({"x": "y"})
        self.assertEqual((stream.inputs, stream.outputs, stream()), ([], [], ()))
        x = np.arange(64, dtype="int8").reshape(1, 16, 2, 2)
        np.testing.assert_array_equal(model(x), x + 8)  # it has memory of its own
        stream()
        other()
        np.testing.assert_array_equal(stream.state["x"], np.full_like(x, 16))
        np.testing.assert_array_equal(other.state["x"], np.full_like(x, 8))
        stream.state = {"x": x}
        stream()
        np.testing.assert_array_equal(stream.state["x"], x + 8)
        stream.restart()
        np.testing.assert_array_equal(stream.state["x"], np.zeros_like(x))

    def test_mistakes(self):
        model = vta.load_model(SMALL)
        with self.assertRaisesRegex(KeyError, "small has no output z; there are .y: int8"):
            model.stream({"x": "z"})
        with self.assertRaisesRegex(KeyError, "small has no input 'z'; there are .x: int8"):
            model.stream({"z": "y"})
        stream = model.stream({"x": "y"})
        with self.assertRaisesRegex(KeyError, "z is not a state; the states are .'x'."):
            stream.state = {"z": 1}
        with self.assertRaisesRegex(TypeError, "small takes 0 inputs"):
            stream(np.zeros((1, 16, 2, 2), "int8"))

    @unittest.skipUnless(helper, "no python3-onnx here: scripts/install_oracle")
    def test_recurrent(self):
        random, state = np.random.default_rng(2), np.zeros((1, 1, HIDDEN), "float32")
        chunks = random.uniform(-1, 1, (9, STEPS, 1, WIDTH)).astype("float32")
        samples = [{"x": x, "h": state + 0.3, "c": state - 0.3} for x in chunks]
        model = vta.compile(recurrent(), samples=samples)
        self.assertTrue(model.on_accelerator)
        stream, h, c = model.stream({"h": "hn", "c": "cn"}), state, state
        self.assertEqual([[p.name for p in ports] for ports in (stream.inputs, stream.outputs)], [["x"], ["y"]])
        for turn in range(2):
            for x in chunks:
                y, h, c = model(x, h, c)
                np.testing.assert_array_equal(stream(x) if turn else stream(x=x), y)
                np.testing.assert_array_equal(stream.state["h"], h)
                np.testing.assert_array_equal(stream.state["c"], c)
            self.assertGreater(np.abs(h).max(), 0.01)
            stream.restart()
            h = c = state

    @unittest.skipUnless(helper, "no python3-onnx here: scripts/install_oracle")
    def test_inputs_that_are_outputs(self):
        """They share memory: what is read after a run would be what the next one begins with."""
        nodes = [helper.make_node("Identity", ["b"], ["p"]), helper.make_node("Identity", ["a"], ["q"])]
        model = vta.compile(made(nodes, [port("a", 3), port("b", 3)], [port("p", 3), port("q", 3)]),
                            samples=[{"a": np.ones(3, "float32"), "b": np.ones(3, "float32")}])
        with self.assertRaisesRegex(vta.VTAError, "input a cannot be the state of a stream: output q is the input itself"):
            model.stream({"a": "p", "b": "q"})
        stream = model.stream({"a": "q"})  # it stays what it is
        stream.state = {"a": np.full(3, 5)}
        for x in 1, 2:
            np.testing.assert_array_equal(stream(b=np.full(3, x)), np.full(3, x))
            np.testing.assert_array_equal(stream.state["a"], np.full(3, 5))
        with self.assertRaisesRegex(vta.VTAError, "output q cannot be input a of the next run"):
            nodes[1] = helper.make_node("Concat", ["a", "b"], ["q"], axis=0)
            vta.compile(made(nodes, [port("a", 3), port("b", 3)], [port("p", 3), port("q", 6)]),
                        samples=[{"a": np.ones(3, "float32"), "b": np.ones(3, "float32")}]).stream({"a": "q"})

    def test_voice_activity(self):
        """Silero's network, whose state is that of its LSTM, chunk by chunk."""
        path = os.path.join(common.shared("models"), "audio", "silero_vad_v4.onnx")
        if not os.path.exists(path):
            self.skipTest(f"no {path}")
        random = np.random.default_rng(3)
        chunks = random.uniform(-0.5, 0.5, (5, 1, 512)).astype("float32")
        state, rate = np.zeros((2, 1, 64), "float32"), np.int64(16000)
        samples = [{"input": x, "sr": rate, "h": state, "c": state} for x in chunks]
        model = vta.compile(path, samples=samples, shapes={"input": (1, 512)})
        stream, h, c = model.stream({"h": "hn", "c": "cn"}), state, state
        for x in chunks:
            share, h, c = model(input=x, h=h, c=c, **({"sr": rate} if any(p.name == "sr" for p in model.inputs) else {}))
            got = stream(input=x, **({"sr": rate} if any(p.name == "sr" for p in stream.inputs) else {}))
            np.testing.assert_array_equal(got, share)
        np.testing.assert_array_equal(stream.state["h"], h)

    @unittest.skipUnless(helper, "no python3-onnx here: scripts/install_oracle")
    def test_tool(self):
        """vta run and vta rpc run --carry: what the stream in Python computes."""
        random = np.random.default_rng(4)
        chunks = random.uniform(-1, 1, (7, STEPS, 1, WIDTH)).astype("float32")
        first = random.uniform(-0.3, 0.3, (2, 1, 1, HIDDEN)).astype("float32")
        graph = vta.Graph(recurrent())
        model = vta.compile(graph, samples=[{"x": x, "h": first[0], "c": first[1]} for x in chunks])
        stream, state, floats = model.stream({"h": "hn", "c": "cn"}), first, []
        stream.state = {"h": first[0], "c": first[1]}
        integers = [stream(x) for x in chunks]
        for x in chunks:
            y, *state = graph(x, *state)
            floats.append(y)
        with tempfile.TemporaryDirectory() as folder:
            def run(*args, code=0):
                done = subprocess.run([os.path.join(common.BUILD, "vta"), *args], cwd=folder, capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, code, done.stdout + done.stderr)
                return np.load(os.path.join(folder, "y.npy")) if code == 0 else done.stderr

            model.save(os.path.join(folder, "net.vta-model"))
            with open(os.path.join(folder, "net.onnx"), "wb") as file:
                file.write(recurrent().SerializeToString())
            for name, array in {"x": chunks, "along": chunks.reshape(-1, 1, WIDTH), "h": first[0], "c": first[1],
                                "hs": np.concatenate([first[0]] * 7), "few": chunks[:3]}.items():
                np.save(os.path.join(folder, f"{name}.npy"), array)
            given = ["--input", "h=h.npy", "--input", "c=c.npy", "--output", "y=y.npy"]
            state = ["--carry", "h=hn", "--carry", "c=cn"]
            for x in "x", "along":
                y = run("run", "net.vta-model", "--input", f"x={x}.npy", *given, *state)
                np.testing.assert_array_equal(y, np.concatenate(integers))
            y = run("run", "net.onnx", "--float", "--input", "x=x.npy", *given, *state)
            np.testing.assert_array_equal(y, np.concatenate(floats))
            server = test_rpc.Server()
            self.addCleanup(server.stop)
            y = run("rpc", "run", f"127.0.0.1:{server.port}", "net.vta-model", "--input", "x=x.npy", *given, *state)
            np.testing.assert_array_equal(y, np.concatenate(integers))
            # without one of the two states the other is the same in each run
            run("run", "net.vta-model", "--input", "x=x.npy", *given, "--carry", "c=cn")
            self.assertIn("few.npy has 3 chunks, hs.npy 7",
                          run("run", "net.vta-model", "--input", "x=few.npy", "--input", "h=hs.npy", "--carry", "c=cn",
                              code=1))
            self.assertIn("input h of net.vta-model is not given",
                          run("run", "net.vta-model", "--input", "x=x.npy", "--carry", "c=cn", code=1))
            self.assertIn("--carry h=y: output y is float32[2, 1, 1, 32], input h float32[1, 1, 32]",
                          run("run", "net.vta-model", "--carry", "h=y", code=1))
            self.assertIn("its samples are missing, --calibrate",
                          run("run", "net.onnx", "--input", "x=x.npy", *state, code=2))


if __name__ == "__main__":
    unittest.main()

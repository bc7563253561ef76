"""Corners of ONNX models: what is not a number, numbers far outside, damaged files. What is right is said by NumPy."""

import re
import resource
import unittest

import numpy as np

import common  # noqa: F401 - finds the library
import vta

try:
    from onnx import TensorProto, helper, numpy_helper
except ImportError:
    helper = None

UINT4, INT4 = 21, 22
NAN, INF = float("nan"), float("inf")


def value(name, shape, kind=1):
    return helper.make_tensor_value_info(name, kind, shape)


def constant(name, array):
    return numpy_helper.from_array(np.asarray(array), name)


def model(nodes, inputs, outputs, constants=(), opset=18, name="edges"):
    graph = helper.make_graph(nodes, name, inputs, [value(o, None) for o in outputs], list(constants))
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    made.ir_version = 8
    return made


@unittest.skipUnless(helper, "no python3-onnx here: scripts/install_oracle")
class Edges(unittest.TestCase):
    def refused(self, made, words):
        with self.assertRaisesRegex(vta.VTAError, words):
            vta.Graph(made)

    def both(self, made, sample, inputs):
        """What the evaluator and compiled code give for each input: the same."""
        graph, compiled = vta.Graph(made), vta.compile(made, samples=[sample])
        for x in inputs:
            want, got = graph(x), compiled(x)
            for a, b in zip(*[v if isinstance(v, tuple) else (v,) for v in (got, want)]):
                np.testing.assert_array_equal(a, b, err_msg=str(x))
            yield x, want

    # ---- More digits than a float has ----

    def test_bounds_of_eight_bytes(self):
        """Clip, Relu, Min and Max of int64, uint64 and float64: to the last digit, bounds known or computed."""
        for dtype, kind in ("int64", 7), ("uint64", 13), ("float64", 11):
            if dtype == "float64":
                low, high, x = 0.1, 1 + 2**-40, np.array([0.1 - 1e-16, 0.1 + 2e-17, 1, 1 + 2**-41, 1 + 2**-39, -7])
            else:
                low, high = 2**60 + 1, np.iinfo(dtype).max - 1
                x = np.array([low - 1, low, low + 1, high - 1, high, high + 1, 0, 3], dtype)
            if dtype == "int64":
                x = np.append(x, [-1, -2**63, -2**53 - 1])
            x, low, high = x.astype(dtype), np.array(low, dtype), np.array(high, dtype)
            bounds, ports = [constant("low", low), constant("high", high)], [value("x", x.shape, kind)]
            for names, known in ("low high", True), ("low high", False), ("low", True), ("high low", True), ("", True):
                order = [f"{'' if known else 'c'}{n}" for n in names.split()]
                nodes = [helper.make_node("Clip", ["x", *order], ["y"])]
                inputs = [x, *([] if known else [low, high])]
                given = ports + ([] if known else [value("clow", [], kind), value("chigh", [], kind)])
                want = np.maximum(x, low if names.startswith("low") else high) if names else x
                want = np.minimum(want, high if names == "low high" else low) if " " in names else want
                self.exact(model(nodes, given, ["y"], bounds), inputs, want)
            self.exact(model([helper.make_node("Relu", ["x"], ["y"])], ports, ["y"]), [x], np.maximum(x, x.dtype.type(0)))
            for op, f in ("Min", np.minimum), ("Max", np.maximum):
                nodes = [helper.make_node(op, ["x", "low", "high"], ["y"])]
                self.exact(model(nodes, ports, ["y"], bounds), [x], f(f(x, low), high))

    def exact(self, made, inputs, want):
        inputs = dict(zip([i.name for i in made.graph.input], inputs))
        for run in vta.Graph(made), vta.compile(made, samples=[inputs]):
            got = run(**inputs)
            self.assertEqual(got.dtype, want.dtype)
            np.testing.assert_array_equal(got, want, err_msg=str(made.graph.node))

    # ---- What is not a number ----

    def numbers(self, count):
        random = np.random.default_rng(count)
        for _ in range(40):
            yield random.choice(np.float32([NAN, -NAN, INF, -INF, 0, -0.0, 1, 2, 3]), count)

    def test_place_of_the_largest(self):
        sample = np.arange(5, dtype="float32")
        for op, find in ("ArgMax", np.argmax), ("ArgMin", np.argmin):
            for last in 0, 1:
                node = helper.make_node(op, ["x"], ["y"], axis=0, keepdims=0, select_last_index=last)
                for x, got in self.both(model([node], [value("x", [5])], ["y"]), sample, self.numbers(5)):
                    self.assertEqual(got, 4 - find(x[::-1]) if last else find(x), f"{op} {last} of {x}")

    def test_largest(self):
        """What is not a number counts as infinity."""
        sample = np.arange(6, dtype="float32")
        for largest in 0, 1:
            for k in 1, 3, 6:
                node = helper.make_node("TopK", ["x", "k"], ["v", "i"], largest=largest)
                made = model([node], [value("x", [6])], ["v", "i"], [constant("k", [k])])
                for x, (numbers, places) in self.both(made, sample, self.numbers(6)):
                    key = np.where(np.isnan(x), np.float32(INF), x)
                    want = np.argsort(-key if largest else key, kind="stable")[:k]
                    np.testing.assert_array_equal(places, want, err_msg=str(x))
                    np.testing.assert_array_equal(numbers, x[want], err_msg=str(x))

    # ---- Constants of a file ----

    def test_far_diagonals(self):
        x = np.ones((3, 4), "float32")
        for k in -2**63, -2**62, -4, -3, -2, 0, 3, 4, 5, 2**62, 2**63 - 1:
            for upper in 0, 1:
                node = helper.make_node("Trilu", ["x", "k"], ["y"], upper=upper)
                got = vta.Graph(model([node], [value("x", [3, 4])], ["y"], [constant("k", np.int64(k))]))(x)
                want = np.triu(x, max(-9, min(k, 9))) if upper else np.tril(x, max(-9, min(k, 9)))
                np.testing.assert_array_equal(got, want, err_msg=f"k={k} upper={upper}")

    def test_large_unit_matrix(self):
        """One that is too large to be computed when the model is read."""
        nodes = [helper.make_node("EyeLike", ["x"], ["e"], k=1), helper.make_node("Add", ["x", "e"], ["y"])]
        got = vta.Graph(model(nodes, [value("x", [2100, 2100])], ["y"]))(np.zeros((2100, 2100), "float32"))
        np.testing.assert_array_equal(got, np.eye(2100, k=1, dtype="float32"))

    def test_integers_of_four_bits(self):
        """A quantization to them is refused, wherever its zero point is from."""
        for kind in UINT4, INT4:
            zero = TensorProto(name="z", data_type=kind, dims=[], int32_data=[3])
            node = helper.make_node("QuantizeLinear", ["x", "s", "z"], ["y"])
            scale, words = constant("s", np.float32(1)), "QuantizeLinear.*to integers of 4 bits is not supported"
            given = helper.make_node("Constant", [], ["z"], value=zero)
            self.refused(model([given, node], [value("x", [4])], ["y"], [scale], 21), words)
            self.refused(model([node], [value("x", [4])], ["y"], [scale, zero], 21), words)
            other = TensorProto(name="w", data_type=kind, dims=[], int32_data=[3])
            same = helper.make_node("Identity", ["w"], ["z"])
            self.refused(model([same, node], [value("x", [4])], ["y"], [scale, other], 21), words)
            branch = helper.make_graph([node], "branch", [], [value("y", None)])
            choice = helper.make_node("If", ["c"], ["y"], then_branch=branch, else_branch=branch)
            self.refused(model([choice], [value("x", [4])], ["y"], [scale, zero, constant("c", True)], 21), words)
        bytes_of = constant("z", np.uint8(3))
        got = vta.Graph(model([node], [value("x", [4])], ["y"], [scale, bytes_of], 21))(np.float32([-9, 0, 9, 999]))
        np.testing.assert_array_equal(got, np.uint8([0, 3, 12, 255]))

    def test_windows_past_the_end(self):
        """Means whose last windows end behind the input; those of a kernel of a million are read at once."""
        random = np.random.default_rng(3)
        for kernel, stride, dilation, pad, size in ((3, 2, 1, 0, 6), (3, 2, 2, 1, 9), (2, 3, 3, 1, 9), (4, 3, 1, 2, 9)):
            node = helper.make_node("AveragePool", ["x"], ["y"], kernel_shape=[kernel], strides=[stride], ceil_mode=1,
                                    dilations=[dilation], pads=[pad, pad], count_include_pad=1)
            x = random.normal(size=(1, 1, size)).astype("float32")
            got = vta.Graph(model([node], [value("x", list(x.shape))], ["y"], opset=19))(x)
            line = np.pad(x[0, 0], pad)
            for o, y in enumerate(got[0, 0]):
                taps = [t for t in range(o * stride, o * stride + kernel * dilation, dilation) if t < len(line)]
                self.assertAlmostEqual(y, line[taps].mean(), 5, f"{kernel} {stride} {dilation}: {o}")
        node = helper.make_node("AveragePool", ["x"], ["y"], kernel_shape=[1 << 20], strides=[2], ceil_mode=1,
                                count_include_pad=1)
        graph = vta.Graph(model([node], [value("x", [1, 1, (1 << 21) + 1])], ["y"], opset=19))
        self.assertEqual(graph.outputs[0].shape, (1, 1, (1 << 19) + 2))

    # ---- Loops ----

    def loop(self, nodes, turns, constants=()):
        body = helper.make_graph([helper.make_node("Identity", ["c"], ["d"]), *nodes], "body",
                                 [value("i", [], 7), value("c", [], 9), value("s", [1, 1, 2])],
                                 [value("d", [], 9), value("t", [1, 1, 2])], list(constants))
        node = helper.make_node("Loop", ["m", "", "x"], ["y"], body=body)
        return model([node], [value("x", [1, 1, 2])], ["y"], [constant("m", turns)])

    def test_turns(self):
        double = helper.make_node("Add", ["s", "s"], ["t"])
        x = np.float32([[[1, 2]]])
        for turns in np.int64(3), np.int64([3]):
            np.testing.assert_array_equal(vta.Graph(self.loop([double], turns))(x), 8 * x)
        for turns in np.zeros(0, "int64"), np.int64([3, 4]):
            self.refused(self.loop([double], turns), r"Loop\): the number of turns \(m\) is not one number")

    def test_unrolled_in_unrolled(self):
        """Steps of an RNN and constants count too: a small file would take all memory."""
        weights = [constant("w", np.ones((1, 2, 2), "float32")), constant("r", np.ones((1, 2, 2), "float32")),
                   constant("e", np.int64([4096, 1, 2]))]
        nodes = [helper.make_node("Expand", ["s", "e"], ["l"]),
                 helper.make_node("RNN", ["l", "w", "r"], ["", "t"], hidden_size=2)]
        vta.Graph(self.loop(nodes, np.int64(1), weights))
        words = "are more than 262144 nodes when they are unrolled"
        self.refused(self.loop(nodes, np.int64(10000), weights), words)
        many = [constant(f"w{i}", np.float32(i)) for i in range(1000)]
        self.refused(self.loop([helper.make_node("Relu", ["s"], ["t"])], np.int64(10000), many), words)

    def test_tensors_of_bodies(self):
        """Those of a body are read once, not at every turn: here they would be 20 GB."""
        halves = np.full((1, 50000, 2), 0.5, "float16")
        node = helper.make_node("Constant", [], ["h"], value=constant("", halves))
        for nodes, constants in ([], [constant("h", halves)]), ([node], []):
            nodes = nodes + [helper.make_node("Shape", ["h"], ["k"]), helper.make_node("Cast", ["k"], ["f"], to=1),
                             helper.make_node("ReduceMax", ["f"], ["g"], keepdims=0),
                             helper.make_node("Max", ["s", "g"], ["t"])]
            limit = resource.getrlimit(resource.RLIMIT_AS)
            resource.setrlimit(resource.RLIMIT_AS, (16 << 30, limit[1]))
            try:
                got = vta.Graph(self.loop(nodes, np.int64(20000), constants))(np.zeros((1, 1, 2), "float32"))
            finally:
                resource.setrlimit(resource.RLIMIT_AS, limit)
            np.testing.assert_array_equal(got, np.full((1, 1, 2), 50000))

    # ---- Messages and names ----

    def test_why_not(self):
        self.refused(model([helper.make_node("Unique", ["x"], ["y"])], [value("x", [4])], ["y"]),
                     r"node y \(Unique\): this operator is not supported: how many elements it gives depends on their values")

    def test_output_shape(self):
        for extent in -2**63, -1, 0:
            node = helper.make_node("ConvTranspose", ["x", "w"], ["y"], output_shape=[extent])
            made = model([node], [value("x", [1, 1, 4])], ["y"], [constant("w", np.ones((1, 1, 3), "float32"))])
            self.refused(made, f"an output of {extent} needs negative padding")

    def test_name_that_is_no_text(self):
        made = model([helper.make_node("Relu", ["xxxx"], ["yyyy"])], [value("xxxx", [2])], ["yyyy"], name="NAME")
        damaged = made.SerializeToString()
        for name in b"NAME", b"xxxx", b"yyyy":
            damaged = re.sub(name, b"\xff\xfe\x80a", damaged) if name == b"NAME" else \
                damaged.replace(name, name[:3] + b"\xff")
        graph = vta.Graph(damaged)
        self.assertEqual((graph.name, graph.inputs[0].name), ("\ufffd\ufffd\ufffda", "xxx\ufffd"))
        np.testing.assert_array_equal(graph(np.float32([-1, 1])), [0, 1])
        compiled = vta.compile(damaged, samples=[np.float32([-1, 1])])
        np.testing.assert_array_equal(compiled(np.float32([-1, 1])), [0, 1])


if __name__ == "__main__":
    unittest.main()

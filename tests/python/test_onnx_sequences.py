"""Sequences of tensors in ONNX models, judged by ONNX Runtime: lists of parts that are taken apart and put together; and
second outputs that nothing reads."""

import unittest

import numpy as np

import common  # noqa: F401 - finds the library
import oracle
import vta

try:
    from onnx import helper, numpy_helper
except ImportError:  # no python3-onnx, which writes the models
    helper = None

FLOAT, INT64 = 1, 7


def node(kind, inputs, outputs, **attributes):
    return helper.make_node(kind, inputs.split(), outputs.split(), **attributes)


def model(nodes, shape=(6, 4), outputs=("y",), opset=17, **constants):
    graph = helper.make_graph(nodes, "main", [helper.make_tensor_value_info("x", FLOAT, shape)],
                              [helper.ValueInfoProto(name=n) for n in outputs],
                              [numpy_helper.from_array(np.asarray(a), n) for n, a in constants.items()])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    made.ir_version = 8
    return made.SerializeToString()


@unittest.skipIf(helper is None, "no python3-onnx here: scripts/install_oracle")
class Sequences(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        oracle.needed()
        cls.judge = oracle.Oracle()
        cls.addClassCleanup(cls.judge.__exit__)

    def check(self, data, shape=(6, 4)):
        """Equal to ONNX Runtime, and compiled equal to the evaluator: floats are only moved."""
        x = np.random.default_rng(3).uniform(-2, 2, shape).astype("float32")
        theirs = list(self.judge(data, {"x": x}).values())
        mine = vta.Graph(data)(x)
        compiled = vta.compile(data, [x])(x)
        for a, c, b in zip(*(r if isinstance(r, tuple) else (r,) for r in (mine, compiled)), theirs):
            np.testing.assert_array_equal(a, b)
            np.testing.assert_array_equal(c, b)
        return mine

    def test_parts(self):
        """Each way to split, of both signs of the axis, put together in another order."""
        ways = [({}, {}), ({"keepdims": 0}, {}), ({"axis": -1}, {}), ({"axis": 1, "keepdims": 0}, {}),
                ({}, {"s": np.int64(4)}), ({"axis": 1}, {"s": np.array([1, 3])}), ({"keepdims": 0}, {"s": np.array([2, 2, 2])}),
                ({"axis": -2}, {"s": np.int32(5)})]
        for attributes, sizes in ways:
            with self.subTest(attributes=attributes, sizes=sizes):
                split = node("SplitToSequence", "x s" if sizes else "x", "p", **attributes)
                nodes = [split, node("SequenceAt", "p last", "y"), node("SequenceAt", "p one", "z"), node("SequenceLength", "p", "n")]
                self.check(model(nodes, outputs=("y", "z", "n"), last=np.int64(-1), one=np.int64(1), **sizes))

    def test_lists(self):
        nodes = [node("Neg", "x", "a"), node("Abs", "x", "b"), node("SequenceConstruct", "x a", "s"),
                 node("SequenceInsert", "s b", "s1"), node("SequenceInsert", "s1 b first", "s2"),
                 node("SequenceInsert", "s2 a last", "s3"), node("SequenceErase", "s3 first", "s4"), node("SequenceErase", "s4", "s5"),
                 node("ConcatFromSequence", "s5", "y", axis=1), node("ConcatFromSequence", "s3", "z", axis=-1, new_axis=1)]
        y, z = self.check(model(nodes, outputs=("y", "z"), first=np.int64(0), last=np.int64(-1)))
        self.assertEqual((y.shape, z.shape), ((6, 12), (6, 4, 5)))

    def test_an_empty_one_that_grows(self):
        nodes = [node("SequenceEmpty", "", "s"), node("SequenceInsert", "s x", "s1"), node("Neg", "x", "a"),
                 node("SequenceInsert", "s1 a", "s2"), node("ConcatFromSequence", "s2", "y", axis=0)]
        self.check(model(nodes))

    def test_seen_in_a_branch(self):
        """A body sees the sequences around it."""
        inner = helper.make_graph([node("SequenceAt", "p one", "r")], "b", [], [helper.ValueInfoProto(name="r")])
        other = helper.make_graph([node("SequenceAt", "p zero", "r")], "b", [], [helper.ValueInfoProto(name="r")])
        nodes = [node("SplitToSequence", "x", "p"), node("If", "c", "y", then_branch=inner, else_branch=other)]
        self.check(model(nodes, c=np.array(True), one=np.int64(1), zero=np.int64(0)))

    def test_refusals(self):
        def refused(words, *nodes, **constants):
            with self.assertRaisesRegex(vta.VTAError, words):
                vta.Graph(model(nodes, **constants))

        split = node("SplitToSequence", "x", "p")
        refused("place 6 of a sequence of 6", split, node("SequenceAt", "p i", "y"), i=np.int64(6))
        refused("place -1 of a sequence of 6", split, node("SequenceAt", "p i", "y"), i=np.int64(-7))
        refused("output y is a sequence", split, node("SequenceInsert", "p x", "y"))
        refused("input 0 is no sequence", node("SequenceAt", "x i", "y"), i=np.int64(0))
        refused("input 0 is missing", split, node("Relu", "p", "y"))
        refused("the sequence is empty", node("SequenceEmpty", "", "p"), node("ConcatFromSequence", "p", "y", axis=0))
        refused("smaller than the whole", node("SplitToSequence", "x s", "p"), node("SequenceAt", "p i", "y"), i=np.int64(0), s=np.array([2, 3]))
        refused("larger than the whole", node("SplitToSequence", "x s", "p"), node("SequenceAt", "p i", "y"), i=np.int64(0), s=np.array([2, 7]))
        refused("computed when the model runs", split, node("ReduceSum", "x", "r"), node("Cast", "r", "t", to=INT64),
                node("SequenceAt", "p t", "y"))

    def test_largest_of_floats(self):
        """A MaxPool between floats that are computed is compiled as one of floats: exact, not made of 8 bits."""
        nodes = [node("Reshape", "x to", "i"), node("Exp", "i", "e"), node("MaxPool", "e", "m", kernel_shape=[2, 2]),
                 node("Softmax", "m", "y", axis=3)]
        data = model(nodes, to=np.array([1, 2, 3, 4]))
        x = np.random.default_rng(3).uniform(-9, 9, (6, 4)).astype("float32")
        np.testing.assert_array_equal(vta.compile(data, [x])(x), vta.Graph(data)(x))

    def test_second_outputs(self):
        """Exporters name masks and places that nothing reads; a mask that is read is true everywhere."""
        x = node("Reshape", "x to", "i")
        self.check(model([x, node("MaxPool", "i", "y places", kernel_shape=[2, 2])], to=np.array([1, 2, 3, 4])))
        for opset in (7, 10, 12):
            drop = node("Dropout", "x", "y mask", **({"ratio": 0.4} if opset < 12 else {}))
            self.check(model([drop], opset=opset))
        self.check(model([node("Dropout", "x", "d mask"), node("Where", "mask d zero", "y")], zero=np.float32(0)))
        with self.assertRaisesRegex(vta.VTAError, "the indices, is used"):
            vta.Graph(model([x, node("MaxPool", "i", "y z", kernel_shape=[2, 2])], outputs=("y", "z"), to=np.array([1, 2, 3, 4])))


if __name__ == "__main__":
    unittest.main()

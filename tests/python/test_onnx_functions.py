"""Functions that an ONNX model brings along, judged by ONNX Runtime: attributes that refer to the call's, defaults, inputs
that are left out, bodies, functions of functions, functions that PyTorch writes."""

import tempfile
import unittest
import warnings

import numpy as np

import common  # noqa: F401 - finds the library
import oracle
import vta

try:
    import onnx
    from onnx import helper, numpy_helper
except ImportError:  # no python3-onnx, which writes the models
    onnx = None

FLOAT, OWN = 1, "own.domain"


def refer(node, name, to, kind):
    """The node, with an attribute that is the call's attribute `to`."""
    node.attribute.append(onnx.AttributeProto(name=name, ref_attr_name=to, type=kind))
    return node


def function(name, inputs, outputs, nodes, attributes=(), defaults=(), opset=17):
    made = helper.make_function(OWN, name, inputs, outputs, nodes, [helper.make_opsetid("", opset), helper.make_opsetid(OWN, 1)],
                                list(attributes))
    for attribute in defaults:  # FunctionProto.attribute_proto, field 11, is newer than the package
        held = attribute.SerializeToString()
        made.MergeFromString(bytes([11 << 3 | 2, len(held)]) + held)
    return made


def model(nodes, functions, inputs, outputs=("y",), constants=(), opset=17):
    graph = helper.make_graph(nodes, "main", [helper.make_tensor_value_info(n, FLOAT, s) for n, s in inputs.items()],
                              [helper.make_tensor_value_info(n, FLOAT, None) for n in outputs],
                              [numpy_helper.from_array(np.asarray(a, "float32"), n) for n, a in constants])
    made = helper.make_model(graph, functions=functions, opset_imports=[helper.make_opsetid("", opset), helper.make_opsetid(OWN, 1)])
    made.ir_version = 8
    return made


@unittest.skipIf(onnx is None, "no python3-onnx here: scripts/install_oracle")
class Functions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        oracle.needed()
        cls.judge = oracle.Oracle()
        cls.addClassCleanup(cls.judge.__exit__)

    def check(self, made, **inputs):
        """The evaluator is near ONNX Runtime; compiled it is the network of integers. Gives the outputs."""
        data = made.SerializeToString()
        theirs = list(self.judge(data, inputs).values())
        mine = vta.Graph(data)(**inputs)
        for a, b in zip(mine if isinstance(mine, tuple) else (mine,), theirs):
            np.testing.assert_allclose(a, b, rtol=0, atol=1e-5 * np.abs(b).max())
        integers = vta.quantize(data, [inputs])
        got, want = integers.compile()(**inputs), integers(**inputs)
        for a, b in zip(*(x if isinstance(x, tuple) else (x,) for x in (got, want))):
            np.testing.assert_array_equal(a, b)
        return mine

    def x(self, *shape):
        return np.random.default_rng(5).uniform(-2, 2, shape).astype("float32")

    def test_attributes(self):
        leaky = function("Leaky", ["x"], ["y"], [refer(helper.make_node("LeakyRelu", ["x"], ["y"]), "alpha", "slope", 1)],
                         ["slope"])
        first = helper.make_node("Leaky", ["x"], ["a"], domain=OWN, slope=0.3)
        second = helper.make_node("Leaky", ["a"], ["y"], domain=OWN, slope=0.5)
        y = self.check(model([first, second], [leaky], {"x": [2, 3]}), x=self.x(2, 3))
        x = self.x(2, 3)
        np.testing.assert_allclose(y, np.where(x < 0, x * np.float32(0.15), x), rtol=1e-6)

    def test_an_attribute_that_is_left_out(self):
        """Where the call does not give it, the operator's own default holds."""
        leaky = function("Leaky", ["x"], ["y"], [refer(helper.make_node("LeakyRelu", ["x"], ["y"]), "alpha", "slope", 1)],
                         ["slope"])
        made = model([helper.make_node("Leaky", ["x"], ["y"], domain=OWN)], [leaky], {"x": [2, 3]})
        x = self.x(2, 3)
        np.testing.assert_allclose(vta.Graph(made)(x), np.where(x < 0, x * np.float32(0.01), x), rtol=1e-6)

    def test_defaults(self):
        """Of the function: field 11, which ONNX Runtime reads too."""
        leaky = function("Leaky", ["x"], ["y"], [refer(helper.make_node("LeakyRelu", ["x"], ["y"]), "alpha", "slope", 1)],
                         defaults=[helper.make_attribute("slope", 0.25)])
        nodes = [helper.make_node("Leaky", ["x"], ["a"], domain=OWN), helper.make_node("Leaky", ["a"], ["y"], domain=OWN, slope=2.0)]
        y = self.check(model(nodes, [leaky], {"x": [2, 3]}), x=self.x(2, 3))
        x = self.x(2, 3)
        np.testing.assert_allclose(y, np.where(x < 0, x * np.float32(0.5), x), rtol=1e-6)

    def test_functions_of_functions(self):
        """Names within are no names outside; a product with a bias that one call leaves out."""
        linear = function("Linear", ["x", "w"], ["y"], [helper.make_node("MatMul", ["x", "w"], ["y"])])
        block = function("Block", ["x", "w", "v"], ["y"], [
            helper.make_node("Linear", ["x", "w"], ["t"], domain=OWN), helper.make_node("Relu", ["t"], ["x2"]),
            helper.make_node("Linear", ["x2", "v"], ["t2"], domain=OWN), helper.make_node("Add", ["t2", "x"], ["y"])])
        nodes = [helper.make_node("Block", ["x", "w", "v"], ["t"], domain=OWN),
                 helper.make_node("Block", ["t", "w", "v"], ["y"], domain=OWN)]
        random = np.random.default_rng(2)
        weights = [("w", random.normal(size=(16, 32)) / 4), ("v", random.normal(size=(32, 16)) / 4)]
        self.check(model(nodes, [block, linear], {"x": [8, 16]}, constants=weights), x=self.x(8, 16))

    def test_an_input_that_is_left_out(self):
        clip = function("Limit", ["x", "low", "high"], ["y"], [helper.make_node("Clip", ["x", "low", "high"], ["y"])])
        nodes = [helper.make_node("Limit", ["x", "", "one"], ["a"], domain=OWN), helper.make_node("Limit", ["a", "zero"], ["y"], domain=OWN)]
        x = self.x(3, 4)
        y = vta.Graph(model(nodes, [clip], {"x": [3, 4]}, constants=[("one", 1.0), ("zero", 0.0)]))(x)
        np.testing.assert_array_equal(y, np.clip(x, 0, 1))

    def test_bodies_refer_to_attributes(self):
        """The branches of an If in a function."""
        inner = [refer(helper.make_node("LeakyRelu", ["x"], ["r"]), "alpha", "slope", 1)]
        branches = [helper.make_graph(nodes, "b", [], [helper.make_tensor_value_info("r", FLOAT, None)])
                    for nodes in (inner, [helper.make_node("Neg", ["x"], ["r"])])]
        some = function("Some", ["x", "c"], ["y"], [helper.make_node("If", ["c"], ["y"], then_branch=branches[0], else_branch=branches[1])],
                        ["slope"])
        nodes = [helper.make_node("Constant", [], ["c"], value=numpy_helper.from_array(np.array(True))),
                 helper.make_node("Some", ["x", "c"], ["y"], domain=OWN, slope=0.4)]
        x = self.x(3, 4)
        np.testing.assert_allclose(self.check(model(nodes, [some], {"x": [3, 4]}), x=x), np.where(x < 0, x * np.float32(0.4), x), rtol=1e-6)

    def test_another_operator_set(self):
        """A function of set 11 in a model of set 17: axes are an attribute there."""
        of = function("Flat", ["x"], ["y"], [helper.make_node("Unsqueeze", ["x"], ["u"], axes=[0]),
                                            helper.make_node("Squeeze", ["u"], ["y"], axes=[0])], opset=11)
        x = self.x(3, 4)
        np.testing.assert_array_equal(vta.Graph(model([helper.make_node("Flat", ["x"], ["y"], domain=OWN)], [of], {"x": [3, 4]}))(x), x)

    def test_refusals(self):
        def refused(functions, words, nodes=None):
            nodes = nodes or [helper.make_node("F", ["x"], ["y"], domain=OWN)]
            with self.assertRaisesRegex(vta.VTAError, words):
                vta.Graph(model(nodes, functions, {"x": [2]}))

        endless = function("F", ["x"], ["y"], [helper.make_node("F", ["x"], ["y"], domain=OWN)])
        refused([endless], "more than 32 deep")
        strange = function("F", ["x"], ["y"], [helper.make_node("Strange", ["x"], ["t"]), helper.make_node("Relu", ["t"], ["y"])])
        refused([strange], r"node t \(Strange\): this operator is not supported")
        refused([function("F", ["x"], ["y"], [helper.make_node("Relu", ["x"], ["z"])])], "nothing computes output y")
        relu = function("F", ["x"], ["y"], [helper.make_node("Relu", ["x"], ["y"])])
        refused([relu, relu], "two functions F")
        refused([relu], "it has 2 inputs", [helper.make_node("F", ["x", "x"], ["y"], domain=OWN)])
        refused([function("F", ["x"], ["y"], [helper.make_node("Relu", ["q"], ["y"])])], "nothing computes its input q")
        twice = function("F", ["x"], ["y"], [helper.make_node("F2", ["x"], ["t"], domain=OWN), helper.make_node("F2", ["t"], ["y"], domain=OWN)])
        many = [twice]
        for i in range(2, 24):  # 2^23 nodes
            many.append(function(f"F{i}", ["x"], ["y"], [helper.make_node(f"F{i + 1}", ["x"], ["t"], domain=OWN),
                                                         helper.make_node(f"F{i + 1}", ["t"], ["y"], domain=OWN)]))
        many.append(function("F24", ["x"], ["y"], [helper.make_node("Relu", ["x"], ["y"])]))
        refused(many, "more than 262144 nodes")

    def test_modules_of_pytorch(self):
        """Its exporter writes a function for each module."""
        try:
            import torch
        except ImportError:
            raise unittest.SkipTest("no PyTorch here") from None
        torch.manual_seed(1)

        class Block(torch.nn.Module):
            def __init__(self, a, b, slope):
                super().__init__()
                self.conv, self.norm, self.slope = torch.nn.Conv2d(a, b, 3, padding=1), torch.nn.GroupNorm(2, b), slope

            def forward(self, x):
                return torch.nn.functional.leaky_relu(torch.nn.functional.gelu(self.norm(self.conv(x))) - 0.1, self.slope)

        net = torch.nn.Sequential(Block(3, 8, 0.1), Block(8, 8, 0.3), torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(),
                                  torch.nn.Linear(8, 5)).eval()
        x = torch.randn(1, 3, 8, 8)
        with tempfile.NamedTemporaryFile(suffix=".onnx") as file, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.onnx.export(net, x, file.name, opset_version=16, export_modules_as_functions=True)
            made = onnx.load(file.name)
        self.assertGreater(len(made.functions), 3)
        got = self.check(made, **{made.graph.input[0].name: x.numpy()})
        np.testing.assert_allclose(got, net(x).detach().numpy(), atol=1e-6)


if __name__ == "__main__":
    unittest.main()

"""Functions of one integer, to the bit what Python's math says: the function of the number that the integer means,
divided by the scale of the results and rounded once, halves to even."""

import math
import random
import struct
import unittest

import numpy as np

import common  # noqa: F401
import vta
from test_compile import field, node, onnx


def unit(x):
    return min(max(x, 0.0), 1.0)


def f32(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def with_floats(op, inputs, output, **floats):
    """A NodeProto whose attributes are floats."""
    attributes = (field(1, k) + b"\x15" + struct.pack("<f", v) + field(20, 1) for k, v in floats.items())
    return node(op, inputs, output) + b"".join(field(5, a) for a in attributes)


SLOPE = f32(0.3)
# The operator, its attributes, and what it is of one number.
ONE = [
    ("Sigmoid", {}, lambda x: 1 / (1 + math.exp(-x))),
    ("HardSigmoid", {"alpha": SLOPE, "beta": 0.5}, lambda x: unit(SLOPE * x + 0.5)),
    ("HardSwish", {}, lambda x: x * unit(x / 6 + 0.5)),
    ("Tanh", {}, math.tanh),
    ("Erf", {}, math.erf),
    ("Elu", {"alpha": SLOPE}, lambda x: SLOPE * (math.exp(x) - 1) if x < 0 else x),
    ("LeakyRelu", {"alpha": SLOPE}, lambda x: SLOPE * x if x < 0 else x),
    ("Exp", {}, math.exp),
    ("Softplus", {}, lambda x: max(x, 0) + math.log1p(math.exp(-abs(x)))),
    ("Abs", {}, abs),
    ("Floor", {}, math.floor),
    ("Sin", {}, math.sin),
]
TWO = [("Add", lambda a, b: a + b), ("Sub", lambda a, b: a - b), ("Mul", lambda a, b: a * b), ("Max", max), ("Min", min)]
LANES = 255


class Drawn:
    """Nodes from "c" to `self.name`, and the same as a function."""

    def __init__(self, draw):
        self.draw, self.nodes, self.constants = draw, [], []
        first = self.one("c", lambda x: x, draw.randrange(len(ONE)))  # arithmetic would go into the convolution
        self.name, self.of = self.grown(*first, draw.randint(0, 4))

    def new(self):
        return f"f{len(self.nodes)}"

    def one(self, name, of, which):
        op, attributes, function = ONE[which]
        result = self.new()
        self.nodes.append(with_floats(op, [name], result, **attributes))
        return result, lambda x: function(of(x))

    def number(self):
        value = f32(self.draw.uniform(-2, 2))
        name = f"n{len(self.constants)}"
        self.constants.append((name, np.array([value], "float32")))
        return name, lambda x: value

    def two(self, name, of):
        op, function = self.draw.choice(TWO)
        other, second = self.draw.choice([self.number, lambda: ("c", lambda x: x)])()
        result = self.new()
        self.nodes.append(node(op, [name, other], result))
        return result, lambda x: function(of(x), second(x))

    def grown(self, name, of, left):
        if not left:
            return name, of
        return self.grown(*(self.two(name, of) if self.draw.random() < .4
                            else self.one(name, of, self.draw.randrange(len(ONE)))), left - 1)

    def model(self, output):
        """c is x; y is the function, by convolutions with 1."""
        one = ("w", np.ones((1, 1, 1, 1), "float32"))
        kernel = {"kernel_shape": [1, 1]}
        shape = (1, 1, 1, LANES)
        nodes = [node("Conv", ["x", "w"], "c", **kernel), *self.nodes, node("Conv", [self.name, "w"], "y", **kernel)]
        return onnx(nodes, [("x", shape)], (output, shape), [one, *self.constants], opset=14)


class Functions(unittest.TestCase):
    def check(self, seed):
        """True where the function was a table: not one that is the same for all integers, or beyond them."""
        drawn = Drawn(random.Random(seed))
        x = (np.arange(LANES, dtype="float32") - 127).reshape(1, 1, 1, LANES) * np.float32(0.03125)
        floats = vta.Graph(drawn.model("y"))(x)
        most = float(np.abs(floats).max())
        if not 1e-3 < most < 1e6:
            return False
        made = vta.quantize(vta.Graph(drawn.model("y")), [x], range="max")
        if "= table(" not in str(made):
            self.assertRegex(str(made), r"= map\(|y: float32\S* = dequantize", seed)
            return False
        step, scale = float(np.abs(x).max()) / 127, most / 127
        want = [min(max(round(drawn.of(q * step) / scale), -128), 127) for q in range(-127, 128)]
        got = np.ravel(made(x)) / np.float32(scale)
        np.testing.assert_array_equal(np.rint(got), want, f"function {seed}:\n{made}")
        compiled = vta.compile(vta.Graph(drawn.model("y")), [x], range="max")
        np.testing.assert_array_equal(compiled(x), made(x), f"function {seed}")
        return True

    def test_random_functions(self):
        self.assertGreater(sum(self.check(seed) for seed in range(60)), 40)


if __name__ == "__main__":
    unittest.main()

"""Element types of ONNX files: floats of 16 bits, integers of 4 bits, scales in blocks. The files are made here, byte by
byte as ONNX's document says; what they mean is computed with NumPy."""

import unittest

import numpy as np

import common  # noqa: F401 - finds the library
import vta

try:
    from onnx import TensorProto, helper
except ImportError:
    helper = None

BFLOAT16, UINT4, INT4 = 16, 21, 22


def tensor(name, kind, shape, raw=None, ints=None):
    made = TensorProto(name=name, data_type=kind, dims=shape)
    if raw is not None:
        made.raw_data = raw
    else:
        made.int32_data.extend(int(x) for x in ints)
    return made


def nibbles(numbers):
    numbers = [int(x) & 15 for x in numbers] + [0]
    return bytes(numbers[i] | numbers[i + 1] << 4 for i in range(0, len(numbers) - 1, 2))


def model(nodes, constants, shape, opset=21, kind=1):
    graph = helper.make_graph(nodes, "types", [helper.make_tensor_value_info("x", kind, shape)],
                              [helper.make_tensor_value_info("y", kind, None)], constants)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    made.ir_version = 10
    return made.SerializeToString()


@unittest.skipUnless(helper, "no python3-onnx here: scripts/install_oracle")
class Types(unittest.TestCase):
    def setUp(self):
        self.random = np.random.default_rng(1)

    def added(self, constant, shape, kind=1):
        graph = vta.Graph(model([helper.make_node("Add", ["x", "w"], ["y"])], [constant], shape, 17, kind))
        return graph(np.zeros(shape, "float32"))

    def test_half(self):
        bits = np.concatenate([self.random.integers(0, 1 << 16, 500), [0, 1, 0x3ff, 0x400, 0x7bff, 0x8001, 0x7c00]])
        bits = bits.astype("<u2")
        bits = bits[np.isfinite(bits.view("<f2")) | (bits == 0x7c00)]
        for given in ({"raw": bits.tobytes()}, {"ints": bits}):
            got = self.added(tensor("w", TensorProto.FLOAT16, [len(bits)], **given), [len(bits)], TensorProto.FLOAT16)
            np.testing.assert_array_equal(got, bits.view("<f2").astype("float32"))

    def test_bfloat(self):
        floats = self.random.normal(size=300).astype("float32")
        bits = (floats.view("u4") >> 16).astype("<u2")
        got = self.added(tensor("w", BFLOAT16, [300], bits.tobytes()), [300])
        np.testing.assert_array_equal(got, (bits.astype("u4") << 16).view("f4"))

    def test_four_bits(self):
        for kind, low in ((UINT4, 0), (INT4, -8)):
            for count in (1, 4, 7):
                numbers = self.random.integers(low, low + 16, count)
                cast = [helper.make_node("Cast", ["w"], ["f"], to=1), helper.make_node("Add", ["x", "f"], ["y"])]
                for given in ({"raw": nibbles(numbers)}, {"ints": nibbles(numbers)}):
                    graph = vta.Graph(model(cast, [tensor("w", kind, [count], **given)], [count]))
                    np.testing.assert_array_equal(graph(np.zeros(count, "float32")), numbers)

    def test_blocks(self):
        for kind, low in ((UINT4, 0), (INT4, -8)):
            for axis in (0, 1):
                for zeros in (False, True):
                    numbers = self.random.integers(low, low + 16, (6, 8))
                    shape = [3, 8] if axis == 0 else [6, 4]
                    scale = self.random.uniform(0.1, 1, shape).astype("float32")
                    zero = self.random.integers(low, low + 16, shape) if zeros else np.zeros(shape, int)
                    constants = [tensor("w", kind, [6, 8], nibbles(numbers.ravel())),
                                 helper.make_tensor("s", 1, shape, scale.ravel()),
                                 tensor("z", kind, shape, nibbles(zero.ravel()))][:3 if zeros else 2]
                    names = ["w", "s", "z"][:len(constants)]
                    nodes = [helper.make_node("DequantizeLinear", names, ["f"], axis=axis, block_size=2),
                             helper.make_node("MatMul", ["x", "f"], ["y"])]
                    x = self.random.normal(size=(2, 6)).astype("float32")
                    w = (numbers - zero.repeat(2, axis)) * scale.repeat(2, axis)
                    got = vta.Graph(model(nodes, constants, [2, 6]))(x)
                    np.testing.assert_allclose(got, x @ w.astype("float32"), rtol=1e-4, atol=1e-4)

    def test_refusals(self):
        add = [helper.make_node("Add", ["x", "w"], ["y"])]
        for constant, words in ((tensor("w", TensorProto.FLOAT16, [3], b"12345"), "data of 5 bytes"),
                                (tensor("w", TensorProto.FLOAT16, [3], ints=[1, 2]), "data of 4 bytes"),
                                (tensor("w", INT4, [3], b"1"), "data of 1 bytes"),
                                (tensor("w", 17, [3], b"123"), "element type 17")):
            with self.assertRaisesRegex(vta.VTAError, words):
                vta.Graph(model(add, [constant], [3]))
        scale = helper.make_tensor("s", 1, [], [0.5])
        quantize = [helper.make_node("QuantizeLinear", ["x", "s", "z"], ["q"]),
                    helper.make_node("DequantizeLinear", ["q", "s", "z"], ["y"])]
        with self.assertRaisesRegex(vta.VTAError, "to integers of 4 bits"):
            vta.Graph(model(quantize, [scale, tensor("z", INT4, [], b"\x01")], [3]))
        blocks = [helper.make_node("DequantizeLinear", ["w", "s"], ["f"], block_size=4, axis=0),
                  helper.make_node("Add", ["x", "f"], ["y"])]
        with self.assertRaisesRegex(vta.VTAError, "6 elements in blocks of 4"):
            vta.Graph(model(blocks, [tensor("w", INT4, [6], b"123"), helper.make_tensor("s", 1, [2], [1, 1])], [6]))


if __name__ == "__main__":
    unittest.main()

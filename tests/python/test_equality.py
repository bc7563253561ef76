"""Which objects of the front end are equal, so that they can be keys, and operators of whole tensors against numpy."""

import unittest

import common  # noqa: F401

import numpy as np
import vta
from vta import registry, te, tir


def add_one():
    a = te.placeholder((4, 6), "int32", name="a")
    b = te.compute((4, 6), lambda i, j: a[i, j] + 1, "b")
    return a, b


class Equality(unittest.TestCase):
    def test_devices_are_keys(self):
        table = {vta.cpu(0): "host", vta.ext_dev(0): "accelerator"}
        self.assertEqual(table[vta.cpu(0)], "host")
        self.assertEqual(table[vta.ext_dev(0)], "accelerator")
        self.assertNotIn(vta.cpu(1), table)
        self.assertEqual(len({vta.cpu(0), vta.cpu(0), vta.cpu(1), vta.ext_dev(0)}), 3)

    def test_packed_functions_are_their_functions(self):
        def one():
            return 1

        def other():
            return 2

        a, b, c = registry.convert(one), registry.convert(one), registry.convert(other)
        self.assertEqual(a, b)
        self.assertEqual(a, one)
        self.assertNotEqual(a, c)
        self.assertNotEqual(a, other)
        self.assertEqual(hash(a), hash(b))
        self.assertEqual(len({a, b, c}), 2)
        self.assertEqual(repr(a), "PackedFunc(one)")
        self.assertEqual(a(), 1)

    def test_what_is_converted(self):
        converted = registry.convert({"k": [1, 2.5, "word"], "f": (len, add_one)})
        self.assertEqual(sorted(converted), ["f", "k"])
        self.assertEqual([str(v) for v in converted["k"]], [str(tir.const(1)), str(tir.const(2.5)), "word"])
        self.assertEqual(converted["k"][0].dtype, "int32")
        self.assertIs(converted["f"][0], len)  # no function of Python's
        self.assertIsInstance(converted["f"][1], registry.PackedFunc)

    def test_tensors_of_one_computation(self):
        a, b = add_one()
        self.assertTrue(b != a)
        self.assertFalse(b != b)  # pylint: disable=comparison-with-itself
        again = b.op.output(0)
        self.assertFalse(b != again)
        self.assertEqual(b, again)
        with self.assertRaisesRegex(IndexError, "b has 1 outputs, not 2"):
            b.op.output(1)


class Operators(unittest.TestCase):
    def test_of_whole_tensors_compute_what_numpy_does(self):
        a, _ = add_one()
        n = np.arange(24, dtype="int32").reshape(4, 6) - 7
        rows = [
            (lambda: 3 + a, 3 + n), (lambda: 30 % (a + 100), 30 % (n + 100)), (lambda: a << 2, n << 2),
            (lambda: a >> 1, n >> 1), (lambda: 5 - a, 5 - n), (lambda: 2 * a, 2 * n),
            (lambda: (a <= 3).astype("int32"), (n <= 3).astype("int32")),
            (lambda: (a > 3).astype("int32"), (n > 3).astype("int32")),
            (lambda: (a < 3).astype("int32"), (n < 3).astype("int32")),
            (lambda: (a >= 3).astype("int32"), (n >= 3).astype("int32")),
        ]
        for i, (make, expected) in enumerate(rows):
            out = make()
            kernel = vta.build(te.create_schedule(out.op), [a, out], "llvm")
            result = vta.nd.array(np.zeros((4, 6), "int32"))
            kernel(vta.nd.array(n), result)
            np.testing.assert_array_equal(result.numpy(), expected, f"row {i}")


if __name__ == "__main__":
    unittest.main()

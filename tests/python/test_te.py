"""Tensor expressions and schedules from Python: what they say, and what they refuse."""

import unittest

import common  # noqa: F401
import numpy as np
import vta
from vta import te, topi


class Expressions(unittest.TestCase):
    def test_texts(self):
        a = te.placeholder((1, 64, 1, 16), name="A", dtype="int32")
        self.assertEqual(repr(a), "Tensor(shape=[1, 64, 1, 16], op.name=A)")
        c = te.compute(a.shape, lambda *i: a[i].astype("int8"), name="C")
        self.assertEqual((c.shape, c.dtype, c.op.name), ([1, 64, 1, 16], "int8", "C"))
        self.assertEqual([x.name for x in c.op.axis], ["i0", "i1", "i2", "i3"])

    def test_stage_text(self):
        a = te.placeholder((4, 4), name="A", dtype="int32")
        b = te.compute(a.shape, lambda i, j: a[i, j] + 1, name="B")
        s = te.create_schedule(b.op)
        self.assertEqual(
            repr(s[b]),
            "stage(B, compute(B, body=[(A[i, j] + 1)], axis=[iter_var(i, range(min=0, ext=4)), "
            "iter_var(j, range(min=0, ext=4))], reduce_axis=[], tag=, attrs={}))")

    def test_evaluation_is_numpys(self):
        rng = np.random.default_rng(0)
        a = te.placeholder((3, 5), name="A", dtype="int32")
        b = te.placeholder((3, 5), name="B", dtype="int32")
        x = rng.integers(-1000, 1000, (3, 5)).astype("int32")
        y = rng.integers(1, 9, (3, 5)).astype("int32")
        for function, expected in (
            (lambda p, q: p + q * 3 - 1, x + y * 3 - 1),
            (lambda p, q: p // q, x // y),
            (lambda p, q: p % q, x % y),
            (lambda p, q: p >> q, x >> y),
            (lambda p, q: (p & q) | (p ^ q), (x & y) | (x ^ y)),
            (lambda p, q: te.max(te.min(p, 100), -q), np.maximum(np.minimum(x, 100), -y)),
            (lambda p, q: te.if_then_else(te.all(p > 0, q < 5), p, -q), np.where((x > 0) & (y < 5), x, -y)),
        ):
            c = te.compute((3, 5), lambda i, j, f=function: f(a[i, j], b[i, j]), name="C", varargs_names=["i", "j"])
            np.testing.assert_array_equal(te.evaluate(c, {a: x, b: y}), expected)

    def test_reductions(self):
        a = te.placeholder((4, 6), name="A", dtype="int32")
        k = te.reduce_axis((0, 6), name="k")
        x = np.arange(24, dtype="int32").reshape(4, 6) - 7
        for reduce, expected in ((te.sum, x.sum(1)), (te.max, x.max(1)), (te.min, x.min(1))):
            b = te.compute((4,), lambda i, r=reduce: r(a[i, k], axis=k), name="B", varargs_names=["i"])
            np.testing.assert_array_equal(te.evaluate(b, {a: x}), expected)

    def test_topi(self):
        a = te.placeholder((2, 3), name="A", dtype="int32")
        b = te.placeholder((3,), name="B", dtype="int32")
        x, y = np.arange(6, dtype="int32").reshape(2, 3) - 3, np.array([5, -1, 2], dtype="int32")
        np.testing.assert_array_equal(te.evaluate(topi.add(a, b), {a: x, b: y}), x + y)
        np.testing.assert_array_equal(te.evaluate(a * b, {a: x, b: y}), x * y)
        np.testing.assert_array_equal(te.evaluate(topi.clip(a, -1, 1), {a: x}), np.clip(x, -1, 1))
        np.testing.assert_array_equal(te.evaluate(topi.nn.relu(a), {a: x}), np.maximum(x, 0))
        np.testing.assert_array_equal(te.evaluate(topi.nn.pad(a, [1, 0], [0, 2]), {a: x}),
                                      np.pad(x, ((1, 0), (0, 2))))

    def test_a_lambdas_own_exception_passes_through(self):
        class Mine(Exception):
            pass

        def body(i):
            raise Mine("from the lambda")

        with self.assertRaisesRegex(Mine, "from the lambda"):
            te.compute((4,), body)

    def test_refusals(self):
        a = te.placeholder((4, 4), name="A", dtype="int32")
        with self.assertRaisesRegex(ValueError, "2 dimensions, but 1"):
            te.compute((4,), lambda i: a(i))
        with self.assertRaisesRegex(TypeError, "//"):
            te.compute((4, 4), lambda i, j: a[i, j] / 2)
        with self.assertRaisesRegex(ValueError, "truth value"):
            te.compute((4, 4), lambda i, j: a[i, j] if a[i, j] > 0 else 0)
        b = te.compute((4, 4), lambda i, j: a[i, j] + 1, name="B")
        s = te.create_schedule(b.op)
        with self.assertRaisesRegex(ValueError, "factor and nparts"):
            s[b].split(b.op.axis[0])
        with self.assertRaises(vta.VTAError) as caught:
            s[b].split(b.op.axis[0], factor=0)
        self.assertIn("B", str(caught.exception))

    def test_errors_name_the_python_line(self):
        a = te.placeholder((4, 4), name="A", dtype="int32")
        b = te.compute((4, 4), lambda i, j: a[i, j] + 1, name="B")
        s = te.create_schedule(b.op)
        s[b].split(b.op.axis[0], factor=2)
        with self.assertRaisesRegex(vta.VTAError, "test_te.py"):
            s[b].split(b.op.axis[0], factor=2)

    def test_environments_do_not_mix(self):
        a = te.placeholder((4, 4), name="A", dtype="int32")
        with vta.Environment({"LOG_BATCH": 1, "LOG_ACC_BUFF_SIZE": 18}):
            with self.assertRaisesRegex(ValueError, "different environments"):
                te.compute((4, 4), lambda i, j: a[i, j] + 1)


class Environments(unittest.TestCase):
    def test_attributes(self):
        with vta.Environment({"LOG_BATCH": 1, "LOG_ACC_BUFF_SIZE": 18}) as env:
            self.assertIs(vta.get_env(), env)
            self.assertEqual((env.BATCH, env.BLOCK_IN, env.ACC_ELEM_BYTES), (2, 16, 128))
            self.assertEqual(env.BITSTREAM, "2x16_i8w8a32_15_15_18_18")
            self.assertEqual(env.mock.dma_copy, "skip_dma_copy")
        self.assertEqual(vta.get_env().BATCH, 1)

    def test_a_wrong_key_is_named(self):
        with self.assertRaisesRegex(ValueError, "LOG_BATCH"):
            vta.Environment({"LOG_BATCH": 99})


if __name__ == "__main__":
    unittest.main()

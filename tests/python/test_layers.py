"""Layers, and elements laid out anew, of random shapes against numpy."""

import itertools
import unittest

import common  # noqa: F401  # pylint: disable=unused-import
import numpy as np
from tvm import te, topi

import vta

RANDOM = np.random.default_rng(3)


def given(*shape, dtype="float32", low=-3, high=3, name="x"):
    values = RANDOM.uniform(low, high, shape) if dtype.startswith("float") else RANDOM.integers(low, high, shape)
    return te.placeholder(shape, dtype, name), values.astype(dtype)


def value(result, *inputs):
    return te.evaluate(result, dict(inputs))


class Layers(unittest.TestCase):
    def check(self, result, want, *inputs, rtol=1e-4):
        found = value(result, *inputs)
        self.assertEqual(found.shape, want.shape)
        np.testing.assert_allclose(found, want, rtol=rtol, atol=1e-5)

    def test_products(self):
        for batches, ta, tb in itertools.product(((3, 3), (1, 3), (3, 1)), (False, True), (False, True)):
            n, m, d = RANDOM.integers(1, 6, 3).tolist()
            a = given(batches[0], *((d, n) if ta else (n, d)))
            b = given(batches[1], *((m, d) if tb else (d, m)))
            x, y = (v.transpose(0, 2, 1) if swapped else v for (_, v), swapped in ((a, ta), (b, tb)))
            self.check(topi.nn.batch_matmul(a[0], b[0], transpose_a=ta, transpose_b=tb), x @ y, a, b)
        a, b = given(2, 3, 4), given(4, 3, 5)
        self.check(topi.tensordot(a[0], b[0], [[1, 2], [1, 0]]), np.tensordot(a[1], b[1], ((1, 2), (1, 0))), a, b)
        b = given(4, 5)
        self.check(topi.tensordot(a[0], b[0], 1), np.tensordot(a[1], b[1], 1), a, b)
        self.check(topi.tensordot(a[0], b[0], 0), np.tensordot(a[1], b[1], 0), a, b)
        for wrong in (lambda: topi.nn.batch_matmul(a[0], given(2, 3, 5)[0]), lambda: topi.tensordot(a[0], given(5, 2)[0], 1)):
            self.assertRaisesRegex(ValueError, "differ|of x has 5", wrong)

    def test_depthwise(self):
        for each, stride, padding, dilation in ((1, 1, 0, 1), (2, 2, 1, 1), (1, (2, 1), "SAME", 1), (1, 1, (1, 0), 2)):
            a, w = given(2, 3, 8, 7), given(3, each, 3, 3)
            spread = np.zeros((3 * each, 1, 2 * (1 if dilation == 1 else 2) + 1, 2 * (1 if dilation == 1 else 2) + 1), "float32")
            spread[:, :, ::dilation, ::dilation] = w[1].reshape(3 * each, 1, 3, 3)
            want = topi.testing.conv2d_nchw_python(a[1], spread, stride, padding, 3)
            self.check(topi.nn.depthwise_conv2d_nchw(a[0], w[0], stride, padding, dilation), want, a, w)

    def test_norms(self):
        for axis in (1, 3, -1):
            x = given(2, 4, 3, 4)
            gamma, beta, mean = (given(4) for _ in range(3))
            variance = given(4, low=0.1)
            shape = [4 if d == axis % 4 else 1 for d in range(4)]
            g, b, m, v = (t[1].reshape(shape) for t in (gamma, beta, mean, variance))
            inputs = (x, gamma, beta, mean, variance)
            out = topi.nn.batch_norm(*[t for t, _ in inputs], axis=axis, epsilon=1e-3)
            self.check(out[0], (x[1] - m) / np.sqrt(v + 1e-3) * g + b, *inputs)
            self.assertEqual(out[1:], [mean[0], variance[0]])
            out = topi.nn.batch_norm(*[t for t, _ in inputs], axis=axis, center=False, scale=False)
            self.check(out[0], (x[1] - m) / np.sqrt(v + 1e-5), x, mean, variance)
            self.check(topi.nn.prelu(x[0], gamma[0], axis), np.where(x[1] > 0, x[1], x[1] * g), x, gamma)
        x, gamma, beta = given(2, 4, 3, 5), given(4), given(4)
        self.check(topi.nn.scale_shift_nchw(x[0], gamma[0], beta[0]), x[1] * gamma[1].reshape(4, 1, 1) + beta[1].reshape(4, 1, 1), x, gamma, beta)
        for axes in ((3,), (2, 3), (1, 2, 3), (0, 1, 2, 3)):
            gamma, beta = (given(*[x[1].shape[a] for a in axes]) for _ in range(2))
            spread = ((x[1] - x[1].mean(axes, keepdims=True)) ** 2).mean(axes, keepdims=True)
            want = (x[1] - x[1].mean(axes, keepdims=True)) / np.sqrt(spread + 1e-5) * gamma[1] + beta[1]
            self.check(topi.nn.layer_norm(x[0], gamma[0], beta[0], axes), want, x, gamma, beta, rtol=1e-3)

    def test_pictures(self):
        for layout in ("NCHW", "NHWC"):
            def moved(x):
                return x if layout == "NCHW" else x.transpose(0, 2, 3, 1)

            x = RANDOM.uniform(-1, 1, (2, 8, 4, 6)).astype("float32")
            data = te.placeholder(moved(x).shape, "float32", "data")
            pair = data, moved(x)
            self.check(topi.nn.upsampling(data, 2, 3, layout), moved(x.repeat(2, 2).repeat(3, 3)), pair)
            deep = x.reshape(2, 8, 2, 2, 3, 2).transpose(0, 3, 5, 1, 2, 4).reshape(2, 32, 2, 3)
            self.check(topi.nn.space_to_depth(data, 2, layout), moved(deep), pair)
            for mode, order in (("DCR", (0, 3, 4, 1, 5, 2)), ("CRD", (0, 1, 4, 2, 5, 3))):
                parts = x.reshape((2, 2, 2, 2, 4, 6) if mode == "DCR" else (2, 2, 2, 2, 4, 6))
                flat = parts.transpose(order).reshape(2, 2, 8, 12)
                self.check(topi.nn.depth_to_space(data, 2, layout, mode), moved(flat), pair)
        with self.assertRaisesRegex(NotImplementedError, "upsampling in the layout 'NCHW4c' is not offered"):
            topi.nn.upsampling(data, 2, 2, "NCHW4c")

    def test_running(self):
        x = given(3, 4, 2)
        for axis in (0, 1, -1, None):
            self.check(topi.cumsum(x[0], axis), np.cumsum(x[1], axis), x)
            self.check(topi.cumprod(x[0], axis), np.cumprod(x[1], axis), x)
        without = np.concatenate([np.zeros((3, 1, 2)), np.cumsum(x[1], 1)[:, :-1]], 1)
        self.check(topi.cumsum(x[0], 1, exclusive=True), without, x)
        self.assertEqual(topi.cumsum(given(3, dtype="int8")[0], 0, "int32").dtype, "int32")

    def test_indices(self):
        for axis in (0, 1, -1):
            i = given(3, 2, dtype="int32", low=0, high=5)
            want = np.moveaxis(np.eye(5, dtype="float32")[i[1]] * 2 + 1, -1, axis)
            self.check(topi.one_hot(i[0], 3, 1, 5, axis, "float32"), want, i)
        x = given(4, 5, 3)
        for axis in (0, 1, 2, -1):
            shape = list(x[1].shape)
            shape[axis] = 2
            i = given(*shape, dtype="int32", low=0, high=3)
            self.check(topi.gather(x[0], axis, i[0]), np.take_along_axis(x[1], i[1].astype("int64"), axis), x, i)
        for count in (1, 2, 3):
            i = given(count, 2, 2, dtype="int32", low=0, high=3)
            self.check(topi.gather_nd(x[0], i[0]), x[1][tuple(i[1])], x, i)
        for indexing in ("ij", "xy"):
            vectors = [given(n) for n in (2, 3, 4)]
            for found, want in zip(topi.meshgrid([t for t, _ in vectors], indexing), np.meshgrid(*[v for _, v in vectors], indexing=indexing)):
                self.check(found, want, *[pair for pair in vectors if pair[0] in found.op.input_tensors])

    def test_layouts(self):
        """Each way there and back, and against numpy where a name says it."""
        x = given(2, 8, 3, 6)
        self.check(topi.layout_transform(x[0], "NCHW", "NHWC"), x[1].transpose(0, 2, 3, 1), x)
        tiles = x[1].reshape(2, 2, 4, 3, 6).transpose(0, 1, 3, 4, 2)
        self.check(topi.layout_transform(x[0], "NCHW", "NCHW4c"), tiles, x)
        for layout in ("NCHW4c", "NHWC", "CNHW2w", "NCHW8c", "HNWC2n", "NC4cHW3w", "WHCN"):
            there = topi.layout_transform(x[0], "NCHW", layout)
            self.check(topi.layout_transform(there, layout, "NCHW"), x[1], x)
            middle = topi.layout_transform(there, layout, "NHWC2c")
            self.check(topi.layout_transform(middle, "NHWC2c", "NCHW"), x[1], x)
        for source, goal, words in (("NCHW", "NCHW3c", "which 3 does not divide"), ("NCHW", "NCDH", "do not have the same axes"),
                                    ("NCH", "NHC", "has 4 dimensions")):
            self.assertRaisesRegex(ValueError, words, topi.layout_transform, x[0], source, goal)
        for layout in ("NCHW4c2c", "nchw", "NC-HW", "NNHW"):
            self.assertRaisesRegex(NotImplementedError, "is not offered: capital letters", topi.layout_transform, x[0], "NCHW", layout)

    def test_compiled(self):
        """By compiled code, scheduled for the host."""
        x, w = given(1, 4, 6, 6), given(4, 1, 3, 3)
        result = topi.nn.depthwise_conv2d_nchw(x[0], w[0], 1, 1, 1)
        kernel = vta.build(topi.generic.default_schedule(result), [x[0], w[0], result], "llvm")
        out = vta.nd.array(np.zeros((1, 4, 6, 6), "float32"))
        kernel(vta.nd.array(x[1]), vta.nd.array(w[1]), out)
        np.testing.assert_allclose(out.numpy(), topi.testing.conv2d_nchw_python(x[1], w[1], 1, 1, 4), rtol=1e-4, atol=1e-5)


if __name__ == "__main__":
    unittest.main()

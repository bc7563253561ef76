"""Pooling of random pictures against a window-by-window loop in numpy."""

import itertools
import unittest

import common  # noqa: F401  # pylint: disable=unused-import
import numpy as np
import tvm
from tvm import te, topi

RANDOM = np.random.default_rng(11)


def picked(n, size, kernel, stride, dilation, before, after, ceil):
    """(places inside of the picture) of each window along one dimension."""
    reach = (kernel - 1) * dilation + 1
    count = (n + before + after + (stride - 1 if ceil else 0) - reach) // stride + 1
    size.append(count)
    return [[p for p in range(i * stride - before, i * stride - before + reach, dilation) if 0 <= p < n] for i in range(count)]


def pooled(x, kernel, stride, dilation, padding, kind, ceil, count_include_pad):
    dims, size = len(kernel), []
    places = [picked(n, size, k, s, d, b, a, ceil) for n, k, s, d, b, a in
              zip(x.shape[2:], kernel, stride, dilation, padding[:dims], padding[dims:])]
    out = np.empty((*x.shape[:2], *size))
    for at in itertools.product(*[range(n) for n in size]):
        inside = [p[i] for p, i in zip(places, at)]
        window = x[np.ix_(range(x.shape[0]), range(x.shape[1]), *inside)].reshape(*x.shape[:2], -1)
        if kind == "max":
            value = window.max(-1) if window.size else np.full(x.shape[:2], np.finfo("float32").min)
        else:
            value = window.sum(-1) / (np.prod(kernel) if count_include_pad else max(window.shape[-1], 1))
        out[(..., *at)] = value
    return out


def compiled(result, data, x):
    kernel = tvm.build(topi.testing.get_reduce_schedule("llvm")(result), [data, result], "llvm")
    out = tvm.nd.array(np.zeros(tuple(result.shape), result.dtype))
    kernel(tvm.nd.array(x), out)
    return out.numpy()


class Pooling(unittest.TestCase):
    def test_windows(self):
        functions = {1: (topi.nn.pool1d, "NCW", "NWC"), 2: (topi.nn.pool2d, "NCHW", "NHWC"), 3: (topi.nn.pool3d, "NCDHW", "NDHWC")}
        for case in range(60):
            dims = 1 + case % 3
            function, plain, last = functions[dims]
            n = RANDOM.integers(5, 9, dims)
            kernel, stride, dilation = (RANDOM.integers(1, 4, dims).tolist() for _ in range(3))
            stride = [s if d else 1 for s, d in zip(stride, range(dims))] if case % 5 == 0 else stride
            dilation = [min(d, 2) for d in dilation]
            padding = RANDOM.integers(0, 2, 2 * dims).tolist()
            kind, ceil, include = ("max", "avg")[case // 3 % 2], bool(case // 6 % 2), bool(case // 12 % 2)
            x = RANDOM.uniform(-4, 4, (2, 3, *n)).astype("float32")
            want = pooled(x, kernel, stride, dilation, padding, kind, ceil, include)
            moved = case % 4 == 3
            given = np.moveaxis(x, 1, -1) if moved else x
            data = te.placeholder(given.shape, "float32", "data")
            result = function(data, kernel, stride, dilation, padding, kind, ceil, last if moved else plain, include)
            value = te.evaluate(result, {data: given})
            with self.subTest(kernel=kernel, stride=stride, dilation=dilation, padding=padding, kind=kind, ceil=ceil, include=include):
                np.testing.assert_allclose(np.moveaxis(value, -1, 1) if moved else value, want, rtol=1e-5, atol=1e-6)

    def test_adaptive(self):
        for n, size, kind in itertools.product(((7, 8), (6, 4)), ((1, 1), (2, 4), (3, 3)), ("max", "avg")):
            x = RANDOM.uniform(-4, 4, (1, 2, *n)).astype("float32")
            data = te.placeholder(x.shape, "float32", "data")
            want = np.empty((1, 2, *size))
            for i, j in itertools.product(*map(range, size)):
                rows, columns = (slice(k * m // s, -(-(k + 1) * m // s)) for k, m, s in zip((i, j), n, size))
                window = x[:, :, rows, columns]
                want[:, :, i, j] = window.max((2, 3)) if kind == "max" else window.mean((2, 3))
            np.testing.assert_allclose(compiled(topi.nn.adaptive_pool(data, size, kind), data, x), want, rtol=1e-5)
            if size == (1, 1):
                np.testing.assert_allclose(compiled(topi.nn.global_pool(data, kind), data, x), want, rtol=1e-5)

    def test_compiled(self):
        """With integers and symbolic rows, as compiled code; means of integers are rounded towards zero."""
        n = te.var("n")
        data = te.placeholder((1, n, n), "int32", "data")
        result = topi.nn.pool1d(data, 2, 2, 1, (0, 0), "avg")
        kernel = tvm.build(topi.testing.get_reduce_schedule("llvm")(result), [data, result], "llvm")
        x = RANDOM.integers(-99, 99, (1, 6, 6)).astype("int32")
        out = tvm.nd.array(np.zeros((1, 6, 3), "int32"))
        kernel(tvm.nd.array(x), out)
        np.testing.assert_array_equal(out.numpy(), np.trunc((x[:, :, ::2] + x[:, :, 1::2]) / 2))

    def test_refusals(self):
        data = te.placeholder((1, 16, 8, 8), "float32", "data")
        with self.assertRaisesRegex(NotImplementedError, "layout 'NCHW4c' is not offered"):
            topi.nn.global_pool(data, "max", "NCHW4c")
        with self.assertRaisesRegex(ValueError, "no pooling 'min'"):
            topi.nn.pooling.pool2d(data, (2, 2), (2, 2), (1, 1), (0, 0, 0, 0), "min")
        with self.assertRaisesRegex(ValueError, "window of 9 does not fit into dimension 2"):
            topi.nn.pool(data, (9, 9), (1, 1), (0, 0, 0, 0), "max")
        with self.assertRaisesRegex(ValueError, "the padding of a pooling: 4 numbers"):
            topi.nn.pool2d(data, (2, 2), (2, 2), (1, 1), (0, 0), "max")
        with self.assertRaisesRegex(ValueError, "has 3 dimensions, but the layout NCHW has 4"):
            topi.nn.global_pool(te.placeholder((1, 2, 3), "float32", "data"), "max")


if __name__ == "__main__":
    unittest.main()

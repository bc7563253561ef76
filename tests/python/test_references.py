"""References in numpy (tvm.topi.testing) against the operators of the same name, compiled for the host, and the schedules that
programs ask for by name."""

import unittest

import common  # noqa: F401  # pylint: disable=unused-import
import numpy as np
import tvm
from tvm import te, topi
from tvm.topi import testing as ref

RANDOM = np.random.default_rng(5)


def made(schedule, function, *arrays):
    """What an operator gives for arrays, with a schedule."""
    inputs = [te.placeholder(a.shape, str(a.dtype), f"in{i}") for i, a in enumerate(arrays)]
    result = function(*inputs)
    outputs = result if isinstance(result, list) else [result]
    kernel = tvm.build(schedule(outputs), [*inputs, *outputs], "llvm")
    out = [tvm.nd.empty(tuple(t.shape), t.dtype) for t in outputs]
    kernel(*(tvm.nd.array(a) for a in arrays), *out)
    return out[0].numpy() if len(out) == 1 else [o.numpy() for o in out]


def floats(*shape):
    return RANDOM.uniform(-3, 3, shape).astype("float32")


def close(got, want):
    np.testing.assert_equal(np.shape(got), np.shape(want))
    np.testing.assert_allclose(got, want, rtol=2e-5, atol=2e-5)


class References(unittest.TestCase):
    def test_convolutions(self):
        a, w = floats(2, 3, 8, 7), floats(5, 3, 3, 2)
        want = ref.conv2d_nchw_python(a, w, (2, 1), (1, 2))
        close(ref.conv2d_nhwc_python(a.transpose(0, 2, 3, 1), w.transpose(2, 3, 1, 0), (2, 1), (1, 2)), want.transpose(0, 2, 3, 1))
        close(ref.conv2d_hwcn_python(a.transpose(2, 3, 1, 0), w.transpose(2, 3, 1, 0), (2, 1), (1, 2)), want.transpose(2, 3, 1, 0))
        w = floats(3, 2, 3, 3)
        for stride, padding in ((1, 0), (2, 1), ((1, 2), (2, 1))):
            got = made(topi.generic.schedule_depthwise_conv2d_nchw,
                       lambda x, y: topi.nn.depthwise_conv2d_nchw(x, y, stride, padding, 1), a, w)
            close(got, ref.depthwise_conv2d_python_nchw(a, w, stride, padding))
            close(ref.depthwise_conv2d_python_nhwc(a.transpose(0, 2, 3, 1), w.transpose(2, 3, 0, 1), stride, padding).transpose(0, 3, 1, 2), got)
        for stride, size in ((1, (8, 7)), (2, (4, 4)), (3, (3, 3))):  # ceil(n / stride)
            self.assertEqual(ref.depthwise_conv2d_python_nchw(a, w, stride, "SAME").shape, (2, 6, *size))
        close(ref.depthwise_conv2d_python_nchw(a, w, 2, "SAME"), ref.depthwise_conv2d_python_nchw(a, w, 2, (0, 1, 1, 1)))

    def test_products(self):
        x, y, bias = floats(4, 6), floats(5, 6), floats(5)
        close(made(topi.generic.schedule_dense, topi.nn.dense, x, y, bias), ref.dense(x, y, bias, True))
        self.assertTrue((ref.dense(x, y, None, use_relu=True) == np.maximum(ref.dense(x, y, None), 0)).all())
        self.assertEqual(ref.dense(x.astype("int8"), y.astype("int8"), None, out_dtype="int32").dtype, "int32")
        x, y = floats(3, 4, 6), floats(3, 5, 6)
        close(made(topi.generic.schedule_batch_matmul, topi.nn.batch_matmul, x, y), ref.batch_matmul(x, y))
        close(ref.batch_matmul(x.transpose(0, 2, 1), y.transpose(0, 2, 1), "float64", True, False), ref.batch_matmul(x, y))

    def test_normalizations(self):
        x = floats(4, 6)
        close(made(topi.generic.schedule_softmax, topi.nn.softmax, x), ref.softmax_python(x))
        close(made(topi.generic.schedule_softmax, topi.nn.log_softmax, x), ref.log_softmax_python(x))
        close(ref.softmax_python(x, 0).sum(0), np.ones(6))
        close(np.square(ref.l2_normalize_python(x, 1e-9, (0, 1))).sum(), 1)
        close(ref.l2_normalize_python(np.array([3.0, 4.0]), 100.0), [0.3, 0.4])
        close(ref.lrn_python(np.array([[1.0, 2.0, 3.0]]), 3, 1, 2.0, 3.0, 1.0), [[1 / 7, 2 / 16, 3 / 15]])  # (1+4, 1+4+9, 4+9) + 2

    def test_pooling(self):
        x = floats(2, 3, 9, 8)
        for kind in ("max", "avg"):
            for kernel, strides, dilation, padding, up, include in (
                    ((2, 2), (2, 2), (1, 1), (0, 0, 0, 0), False, True), ((3, 2), (2, 3), (1, 1), (1, 0, 2, 1), True, False),
                    ((3, 3), (1, 2), (2, 1), (1, 1, 1, 1), False, True), ((3, 3), (2, 2), (1, 1), (1, 1, 0, 0), True, True)):
                got = made(topi.generic.schedule_pool, lambda t: topi.nn.pool2d(
                    t, kernel, strides, dilation, padding, kind, ceil_mode=up, count_include_pad=include), x)
                close(ref.poolnd_python(x, kernel, strides, dilation, padding[:2], padding[2:], kind, include, up), got)
            got = made(topi.generic.schedule_adaptive_pool, lambda t: topi.nn.adaptive_pool(t, (4, 3), kind), x)
            close(ref.adaptive_pool(x, (4, 3), kind, "NCHW"), got)
            last = x.transpose(0, 2, 3, 1)
            close(ref.poolnd_python(last, (2, 2), (2, 2), (1, 1), (0, 0), (0, 0), kind, layout="NHWC").transpose(0, 3, 1, 2),
                  ref.poolnd_python(x, (2, 2), (2, 2), (1, 1), (0, 0), (0, 0), kind))

    def test_gradient_of_pooling(self):
        """By numbers: the sum of the output changes by the gradient."""
        x, step = RANDOM.permutation(2 * 5 * 6).reshape(1, 2, 5, 6).astype("float64"), 1e-3
        for kind, padding, include in (("max", (1, 0, 0, 1), True), ("avg", (1, 1, 1, 0), True), ("avg", (1, 1, 0, 1), False)):
            def pooled(a):
                return ref.poolnd_python(a, (3, 2), (2, 2), (1, 1), padding[:2], padding[2:], kind, include, dtype="float64")
            weights = RANDOM.uniform(-1, 1, pooled(x).shape)
            got, want = ref.pool_grad_nchw(x, weights, (3, 2), (2, 2), padding, kind, False, include), np.zeros_like(x)
            for i in np.ndindex(x.shape):
                moved = x.copy()
                moved[i] += step
                want[i] = ((pooled(moved) - pooled(x)) * weights).sum() / step
            np.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-6)

    def test_what_moves(self):
        x = floats(4, 6, 5)
        close(made(topi.generic.schedule_injective, lambda t: topi.strided_slice(t, [1, 4], [4, 0], [2, -1], axes=[0, 1]), x),
              ref.strided_slice_python(x, [1, 4], [4, 0], [2, -1], axes=[0, 1]))
        close(ref.strided_slice_python(x, [1, 2, 0], [2, -1, 3], None, "size"), x[1:3, 2:, :3])
        close(ref.strided_slice_python(x, [1], [3], 1), x[1:3])
        at = RANDOM.integers(0, 6, (4, 3, 5)).astype("int32")
        close(made(topi.generic.schedule_injective, lambda t, i: topi.gather(t, 1, i), x, at), ref.gather_python(x, 1, at))
        at = np.array([[0, 3, 1], [5, 2, 4]], "int32")
        close(made(topi.generic.schedule_injective, topi.gather_nd, x, at), ref.gather_nd_python(x, at))
        picture = floats(1, 8, 4, 6)
        for mode in ("DCR", "CRD"):
            close(made(topi.generic.schedule_injective, lambda t: topi.nn.depth_to_space(t, 2, mode=mode), picture),
                  ref.depth_to_space_python(picture, 2, mode))
        close(made(topi.generic.schedule_injective, lambda t: topi.nn.space_to_depth(t, 2), picture), ref.space_to_depth_python(picture, 2))
        close(ref.space_to_depth_python(ref.depth_to_space_python(picture, 2), 2), picture)
        self.assertEqual(ref.one_hot(np.array([1, 0]), 5, 2, 3, -1, "int32").tolist(), [[2, 5, 2], [5, 2, 2]])
        self.assertEqual(ref.one_hot(np.array([1, 0]), 5, 2, 3, 0, "int32").tolist(), [[2, 5], [5, 2], [2, 2]])
        self.assertEqual(ref.sequence_mask(np.ones((3, 2)), np.array([1, 3]), 0, 0).tolist(), [[1, 1], [0, 1], [0, 1]])
        self.assertEqual(ref.sequence_mask(np.ones((2, 3, 1)), np.array([1, 3]), 0, 1)[:, :, 0].tolist(), [[1, 0, 0], [1, 1, 1]])
        self.assertEqual(ref.upsampling_python(np.array([[[[1, 2]]]]), (2, 3))[0, 0].tolist(), [[1, 1, 1, 2, 2, 2]] * 2)

    def test_dispatch(self):
        self.assertEqual(ref.dispatch("llvm", {"cpu": 1, "generic": 2}), 1)
        self.assertEqual(ref.dispatch("llvm", {"cuda": 1, "generic": 2}), 2)


class Schedules(unittest.TestCase):
    def test_by_name(self):
        x = floats(5, 6)
        close(made(topi.generic.schedule_reduce, lambda t: topi.sum(t, axis=1), x), x.sum(1))
        close(made(topi.generic.schedule_concatenate, lambda t: topi.concatenate([t, t], axis=0), x), np.concatenate([x, x]))
        y = floats(6, 4)
        close(made(topi.generic.schedule_matmul, topi.matmul, x, y), x @ y)

        def doubled(t):
            def body(ins, outs):
                ib = tvm.tir.ir_builder.create()
                given, out = ib.buffer_ptr(ins[0]), ib.buffer_ptr(outs[0])
                with ib.for_range(0, 30) as i:
                    out[i] = given[i] * 2.0
                return ib.get()
            return te.extern(t.shape, [t], body, dtype="float32")
        close(made(topi.generic.schedule_extern, doubled, x), 2 * x)

    def test_of_a_schedule_that_is_there(self):
        x = floats(5, 6)

        def schedule(outs):
            s = topi.generic.schedule_injective_from_existing(te.create_schedule(outs[0].op), outs[0])
            self.assertEqual(len(s[outs[0]].leaf_iter_vars), 1)
            return s
        close(made(schedule, lambda t: t + 1.0, x), x + 1)

    def test_not_without_a_template(self):
        with tvm.target.vta():
            for name in ("schedule_pool", "schedule_reduce", "schedule_extern"):
                with self.assertRaisesRegex(LookupError, f"{name}: these outputs come from no registered template"):
                    a = te.placeholder((4, 4))
                    getattr(topi.generic, name)([te.compute((4, 4), lambda i, j: a[i, j] + 1.0)])


if __name__ == "__main__":
    unittest.main()

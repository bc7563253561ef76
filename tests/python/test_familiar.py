"""What programs written for TVM meet first: decorators of tests, classes of nodes, operators on tensors, small modules; and
what is not there says so."""

import gc
import importlib.machinery
import json
import os
import pickle
import subprocess
import sys
import tempfile
import types
import unittest

import common
import numpy as np
import tvm
import tvm_names
import tvm.testing
from tvm import te, tir, topi

import vta

RANDOM = np.random.default_rng(2)


def value(tensor, *inputs):
    """The value of a tensor, by compiled code for the host."""
    s = te.create_schedule(tensor.op)
    kernel = tvm.build(s, [*(t for t, _ in inputs), tensor], "llvm")
    out = tvm.nd.array(np.zeros(tuple(tensor.shape), tensor.dtype), tvm.cpu(0))
    kernel(*(tvm.nd.array(x, tvm.cpu(0)) for _, x in inputs), out)
    return out.numpy()


def given(*shape, dtype="float32"):
    x = RANDOM.uniform(-4, 4, shape).astype(dtype)
    return te.placeholder(shape, dtype, "x"), x


class Decorators(unittest.TestCase):
    def test_conditions(self):
        calls = []

        @tvm.testing.requires_llvm
        @tvm.testing.uses_gpu
        def here():
            calls.append("here")

        @tvm.testing.requires_gpu()
        def elsewhere():
            calls.append("elsewhere")

        here()
        self.assertEqual(calls, ["here"])
        with self.assertRaisesRegex(unittest.SkipTest, "needs a GPU"):
            elsewhere()
        self.assertTrue(tvm.testing.device_enabled("llvm") and tvm.testing.device_enabled("ext_dev"))
        self.assertFalse(tvm.testing.device_enabled("cuda"))
        self.assertEqual([t for t, _ in tvm.testing.enabled_targets()], ["llvm"])

    def test_targets(self):
        seen = []

        @tvm.testing.parametrize_targets("llvm", "cuda")
        def some(target, dev):
            seen.append((target, dev))

        @tvm.testing.parametrize_targets
        def all_of_them(target, dev):
            seen.append((target, dev))

        @tvm.testing.parametrize_targets("cuda")
        def none(target, dev):
            seen.append((target, dev))

        some()
        all_of_them()
        self.assertEqual(seen, [("llvm", tvm.cpu(0))] * 2)
        with self.assertRaisesRegex(unittest.SkipTest, "one of the targets cuda"):
            none()

    def test_fixtures(self):
        try:
            import pytest
        except ImportError:
            with self.assertRaisesRegex(ImportError, "pytest, which is not installed"):
                tvm.testing.parameter(1, 2)
            return
        program = ("import tvm.testing\nsize = tvm.testing.parameter(1, 2)\nx, y = tvm.testing.parameters((3, 4), (5, 6))\n"
                   "def test_pairs(size, x, y):\n    assert y == x + 1 and size in (1, 2)\n"
                   "class TestInside:\n    size = tvm.testing.parameter(3, 4)\n    x, y = tvm.testing.parameters((7, 8), (9, 10))\n"
                   "    @tvm.testing.fixture(cache_return_value=True)\n    def known(self, size):\n        return size\n"
                   "    def test_pairs(self, size, x, y):\n        assert y == x + 1 > 7 and size in (3, 4)\n"
                   "if __name__ == '__main__':\n    tvm.testing.main()\n")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "test_pairs.py")
            with open(path, "w", encoding="utf-8") as file:
                file.write(program)
            self.assertEqual(pytest.main(["-q", path]), 0)


class Nodes(unittest.TestCase):
    def test_operations(self):
        a = te.placeholder((4,))
        c = te.compute((4,), lambda i: a[i] + 1.0)
        self.assertIsInstance(a.op, te.PlaceholderOp)
        self.assertIsInstance(c.op, te.ComputeOp)
        self.assertNotIsInstance(c.op, te.PlaceholderOp)
        self.assertEqual((a.op.shape[0].value, a.op.dtype, a.op.attrs, c.same_as(c), c.same_as(a)), (4, "float32", {}, True, False))
        d = te.compute((4,), lambda i: a[i] + 2.0, attrs={"note": "x", "steps": 3})
        self.assertEqual((d.op.attrs, c.op.attrs), ({"note": "x", "steps": 3}, {}))
        self.assertTrue(c.op.same_as(te.create_schedule(c.op)[c].op) and not c.op.same_as(a.op))

    def test_expressions(self):
        x = tir.Var("x", "int32")
        k = te.reduce_axis((0, 3))
        a = te.placeholder((4,))
        for kind, e in ((tir.Var, x), (tir.IntImm, tir.IntImm("int32", 3)), (tir.FloatImm, tir.FloatImm("float32", 3.5)),
                        (tir.Add, x + 1), (tir.Mul, x * 2), (tir.Min, te.min(x, 3)), (tir.Select, tir.Select(x > 1, x, 2)),
                        (tir.Cast, tir.Cast("int8", x)), (tir.FloorDiv, x // 3), (tir.Reduce, te.sum(a[k].asobject(), axis=k)),
                        (tir.ProducerLoad, a(x))):
            self.assertIsInstance(e, kind)
            self.assertIsInstance(e, tir.PrimExpr)
            self.assertEqual([n for n in (tir.Var, tir.IntImm, tir.FloatImm, tir.Add, tir.Mul, tir.Min, tir.Select, tir.Cast,
                                          tir.FloorDiv, tir.Reduce, tir.ProducerLoad) if isinstance(e, n)], [kind])
        self.assertEqual(x.name, "x")
        self.assertTrue(x.same_as(x) and not x.same_as(x + 1))
        with self.assertRaisesRegex(AttributeError, "kind add has none"):
            (x + 1).name  # pylint: disable=expression-not-assigned

    def test_keywords(self):
        x = te.var("x")
        self.assertEqual(repr(tir.if_then_else(cond=x > 1, t=1, f=2)), repr(tir.if_then_else(x > 1, 1, 2)))
        self.assertEqual(repr(te.floordiv(a=x, b=2)), repr(x // 2))
        self.assertEqual(repr(tir.Select(x > 1, true_value=3, false_value=4)), repr(tir.Select(x > 1, 3, 4)))
        with self.assertRaisesRegex(TypeError, r"floordiv: the parameter 'c' is not offered, or given twice; it takes \(a, b\)"):
            te.floordiv(x, c=2)


class Operators(unittest.TestCase):
    def close(self, tensor, want, *inputs):
        np.testing.assert_allclose(value(tensor, *inputs), want, rtol=1e-5, atol=1e-6)

    def test_on_tensors(self):
        a, x = given(3, 4)
        b, y = given(3, 4)
        i, n = given(3, 4, dtype="int32")
        self.close(-a, -x, (a, x))
        self.close(a / b, x / y, (a, x), (b, y))
        self.close(2.0 / a, 2 / x, (a, x))
        self.close(i // 3, n // 3, (i, n))
        self.close(i % 3, n % 3, (i, n))
        self.close((a < b).astype("int32"), x < y, (a, x), (b, y))
        self.close((a >= 0.5).astype("int32"), x >= 0.5, (a, x))
        self.close(a.astype("int32"), x.astype("int32"), (a, x))

    def test_along_axes(self):
        a, x = given(3, 4, 5)
        for name in ("sum", "max", "min"):
            for axis in (None, 0, 1, -1, (0, 2)):
                for keep in (False, True):
                    want = getattr(np, name)(x, axis=axis, keepdims=keep)
                    self.close(getattr(topi, name)(a, axis, keep), want.reshape(want.shape or (1,)), (a, x))
        self.close(topi.nn.softmax(a, axis=1), np.exp(x) / np.exp(x).sum(axis=1, keepdims=True), (a, x))

    def test_moved(self):
        a, x = given(3, 4, 5)
        self.close(topi.transpose(a), x.transpose(), (a, x))
        self.close(topi.transpose(a, (1, 0, -1)), x.transpose(1, 0, 2), (a, x))
        self.close(topi.reshape(a, (5, -1)), x.reshape(5, 12), (a, x))
        self.close(topi.expand_dims(a, 1, 2), x.reshape(3, 1, 1, 4, 5), (a, x))
        self.close(topi.squeeze(topi.expand_dims(a, 0)), x, (a, x))
        self.close(topi.full((2, 3), "float32", 7), np.full((2, 3), 7.0))
        dilated = np.zeros((5, 4, 13), "float32")
        dilated[::2, :, ::3] = x
        self.close(topi.nn.dilate(a, (2, 1, 3)), dilated, (a, x))

    def test_more_elementwise(self):
        a, x = given(3, 4)
        b, y = given(4)
        i, n = given(3, 4, dtype="int32")
        j = te.placeholder((3, 4), "int32", "j")
        m = RANDOM.integers(1, 4, (3, 4)).astype("int32")
        for tensor, want, inputs in (
                (te.exp(a), np.exp(x), [(a, x)]), (te.max(a, b), np.maximum(x, y), [(a, x), (b, y)]), (te.power(te.abs(a), 2.0), x * x, [(a, x)]),
                (topi.sign(i), np.sign(n), [(i, n)]), (topi.rsqrt(topi.abs(a)), 1 / np.sqrt(abs(x)), [(a, x)]),
                (topi.sigmoid(a), 1 / (1 + np.exp(-x)), [(a, x)]), (~i, ~n, [(i, n)]), (i & j, n & m, [(i, n), (j, m)]),
                (i | j, n | m, [(i, n), (j, m)]), (i ^ 3, n ^ 3, [(i, n)]), (topi.power(a, 2.0), x * x, [(a, x)]),
                (topi.trunc_divide(i, j), np.trunc(n / m), [(i, n), (j, m)]), (topi.mod(i, j), np.fmod(n, m), [(i, n), (j, m)])):
            self.close(tensor, want, *inputs)
        for name, want in (("equal", n == m), ("not_equal", n != m), ("logical_and", (n != 0) & (m > 1)), ("logical_or", (n != 0) | (m > 1)),
                           ("logical_xor", (n != 0) ^ (m > 1))):
            right = j if "equal" in name else j - 1
            self.close(getattr(topi, name)(i, right).astype("int32"), want, (i, n), (j, m))
        self.close(topi.logical_not(i).astype("int32"), n == 0, (i, n))
        x[0] = np.inf, -np.inf, np.nan, 0
        for name in ("isnan", "isinf", "isfinite"):
            self.close(getattr(topi, name)(a).astype("int32"), getattr(np, name)(x), (a, x))

    def test_more_along_axes(self):
        a, x = given(3, 4, 5)
        for axis in (None, 0, 1, -1):
            for keep in (False, True):
                for name in ("argmax", "argmin"):
                    want = getattr(np, name)(x, axis=axis, keepdims=keep)
                    self.close(getattr(topi, name)(a, axis, keep), np.reshape(want, np.shape(want) or (1,)), (a, x))
                want = np.prod(x, axis=axis, keepdims=keep)
                self.close(topi.prod(a, axis, keep), want.reshape(want.shape or (1,)), (a, x))
        b, y = given(3, 4, dtype="int32")
        y = np.maximum(y, 0)
        y[0] = 0
        y[1] = -1
        self.close(topi.all(b, 1).astype("int32"), y.all(1), (b, y))
        self.close(topi.any(b, 1, True).astype("int32"), y.any(1, keepdims=True), (b, y))
        c, ties = te.placeholder((2, 4), "int32", "c"), np.array([[1, 3, 3, 0], [2, 2, 2, 2]], "int32")
        self.close(topi.argmax(c, 1), [1, 0], (c, ties))

    def test_joined(self):
        a, x = given(2, 3)
        b, y = given(2, 4)
        i, n = te.placeholder((5,), "int32", "i"), np.array([1, 0, 2, 9, -3], "int32")
        for tensor, want, inputs in (
                (topi.concatenate((a, b), 1), np.concatenate((x, y), 1), [(a, x), (b, y)]), (topi.stack([a, a], -1), np.stack([x, x], -1), [(a, x)]),
                (topi.elemwise_sum([a, a, a]), 3 * x, [(a, x)]), (topi.broadcast_to(a, (4, 2, 3)), np.broadcast_to(x, (4, 2, 3)), [(a, x)]),
                (topi.where(topi.greater(a, 0.0), a, -a), abs(x), [(a, x)]), (topi.take(a, i, 1), x[:, np.clip(n, 0, 2)], [(a, x), (i, n)]),
                (topi.take(a, i), x.reshape(-1)[np.clip(n, 0, 5)], [(a, x), (i, n)]), (topi.flip(a, 1), x[:, ::-1], [(a, x)]),
                (topi.strided_slice(b, [0, 3], [2, 0], [1, -2]), y[0:2, 3:0:-2], [(b, y)]), (topi.strided_slice(b, [3], [0], [-2], axes=[1]), y[:, 3:0:-2], [(b, y)]),
                (topi.strided_slice(b, [3, 0], [0, 2], [-2, 1], axes=[-1, 0]), y[0:2, 3:0:-2], [(b, y)]), (topi.repeat(a, 3, 1), np.repeat(x, 3, 1), [(a, x)]),
                (topi.tile(a, (2, 1, 2)), np.tile(x, (2, 1, 2)), [(a, x)]), (topi.arange(1, 8, 3), np.arange(1, 8, 3), []),
                (topi.nn.flatten(topi.expand_dims(b, 1)), y.reshape(2, 4), [(b, y)]), (topi.nn.leaky_relu(a, 0.5), np.where(x > 0, x, x / 2), [(a, x)])):
            self.close(tensor, want, *inputs)
        for part, want in zip(topi.split(b, [1, 3], 1), np.split(y, [1, 3], 1)):
            self.close(part, want, (b, y))
        self.assertEqual([tuple(p.shape) for p in topi.split(b, 2, 1)], [(2, 2), (2, 2)])
        e = np.exp(y - y.max(1, keepdims=True))
        self.close(topi.nn.log_softmax(b), np.log(e / e.sum(1, keepdims=True)), (b, y))
        for make, words in ((lambda: topi.split(b, 3, 1), "4 elements are not 3 equal parts"), (lambda: topi.flip(a, 2), "axis 2 of 2 dim"),
                            (lambda: topi.broadcast_to(a, (3, 3)), "does not broadcast"), (lambda: topi.strided_slice(a, [2], [2]), "nothing is left"),
                            (lambda: topi.strided_slice(a, [0, 0], [1, 1], axes=[0, 0]), "each once"),
                            (lambda: topi.strided_slice(a, [0], [1], axes=[0, 1]), "as many as axes")):
            with self.assertRaisesRegex(ValueError, words):
                make()

    def test_convolution(self):
        a, x = given(2, 3, 7, 6)
        w, k = given(4, 3, 3, 2)
        for stride, pads, dilation in ((1, 0, 1), ((2, 1), (1, 2), 1), (1, (1, 0, 2, 3), 1), (1, 0, (2, 3))):
            down, right = (stride, stride) if isinstance(stride, int) else stride
            dy, dx = (dilation, dilation) if isinstance(dilation, int) else dilation
            top, left, bottom, end = topi.nn.get_pad_tuple(pads, (3, 2))
            framed = np.pad(x, ((0, 0), (0, 0), (top, bottom), (left, end)))
            rows, columns = (framed.shape[2] - 2 * dy - 1) // down + 1, (framed.shape[3] - dx - 1) // right + 1
            want = sum(np.einsum("nchw,oc->nohw", framed[:, :, i * dy:i * dy + rows * down:down, j * dx:j * dx + columns * right:right][
                :, :, :rows, :columns], k[:, :, i, j]) for i in range(3) for j in range(2))
            out = value(topi.nn.conv2d_nchw(a, w, stride, pads, dilation), (a, x), (w, k))
            np.testing.assert_allclose(out, want, rtol=1e-4, atol=1e-4)

    def test_bits(self):
        for dtype in ("int8", "uint8", "int16", "int32", "uint32", "int64"):
            info = np.iinfo(dtype)
            x = np.array([0, 1, info.max, info.min, 5, 64], dtype)
            a = te.placeholder(x.shape, dtype, "a")
            ones = [bin(int(v) & (2 ** info.bits - 1)).count("1") for v in x]
            zeros = [info.bits - (int(v) & (2 ** info.bits - 1)).bit_length() for v in x]
            self.close(te.compute(x.shape, lambda i: te.popcount(a[i])), ones, (a, x))  # pylint: disable=cell-var-from-loop
            self.close(te.compute(x.shape, lambda i: tir.clz(a[i])), zeros, (a, x))  # pylint: disable=cell-var-from-loop
        i, n = given(9, dtype="int32")
        self.close(te.compute((9,), lambda k: tir.ceildiv(i[k], 3)), np.ceil(n / 3), (i, n))
        b, y = given(5)
        self.close(te.compute((5,), lambda k: tir.ldexp(b[k], 3) + tir.exp10(b[k])), y * 8 + 10.0 ** y, (b, y))
        self.close(te.compute((9,), lambda k: tir.shift_left(i[k], 2) + tir.bitwise_not(i[k])), n * 4 + ~n, (i, n))
        with self.assertRaisesRegex(TypeError, "bits are counted of integers"):
            te.popcount(te.var("x", "float32"))
        self.assertEqual([te.var("x", t).dtype for t in ("float", "int")], ["float32", "int32"])

    def test_products(self):
        a, x = given(3, 4)
        b, y = given(5, 4)
        c, z = given(5)
        self.close(topi.nn.dense(a, b, c), x @ y.T + z, (a, x), (b, y), (c, z))
        self.close(topi.matmul(a, b, transp_b=True), x @ y.T, (a, x), (b, y))
        self.close(topi.matmul(b, a, False, True), y @ x.T, (b, y), (a, x))

    def test_mathematics(self):
        a, x = given(6)
        self.close(te.compute((6,), lambda i: te.sigmoid(a[i])), 1 / (1 + np.exp(-x)), (a, x))
        self.close(te.compute((6,), lambda i: te.rsqrt(te.abs(a[i]) + 1.0)), 1 / np.sqrt(abs(x) + 1), (a, x))
        x[2] = np.nan
        self.close(te.compute((6,), lambda i: te.isnan(a[i]).astype("int32")), np.isnan(x), (a, x))
        for dtype in ("int8", "int32", "uint8"):
            self.assertEqual((te.min_value(dtype).value, te.max_value(dtype).value), (np.iinfo(dtype).min, np.iinfo(dtype).max))

    def test_where(self):
        a, x = given(4, 6)
        for reduction, function in ((te.sum, np.sum), (te.max, np.max), (te.min, np.min)):
            k = te.reduce_axis((0, 6), "k")
            part = te.compute((4,), lambda i: reduction(a[i, k], axis=k, where=k < 3))  # pylint: disable=cell-var-from-loop
            self.close(part, function(x[:, :3], axis=1), (a, x))

    def test_references(self):
        data, weight = (RANDOM.integers(-9, 9, s).astype("int32") for s in ((2, 3, 4, 5), (3, 6, 4, 3)))
        out = topi.testing.conv2d_transpose_nchw_python(data, weight, (2, 3), (1, 0, 2, 1), (1, 0))
        at = np.zeros((2, 6, 3 * 2 + 4 + 1, 4 * 3 + 3), "int64")
        for y in range(4):
            for x in range(5):
                at[:, :, y * 2:y * 2 + 4, x * 3:x * 3 + 3] += np.einsum("nc,coyx->noyx", data[:, :, y, x], weight)
        np.testing.assert_array_equal(out, at[:, :, 1:at.shape[2] - 2, 0:at.shape[3] - 1])

    def test_helpers(self):
        from tvm.topi.utils import get_const_int, get_const_tuple, prod

        self.assertEqual(get_const_tuple((tir.const(3, "int32"), 4)), (3, 4))
        self.assertEqual((get_const_int(tir.const(5, "int32")), prod((2, 3, 4))), (5, 24))


def tiled(extent=66, factor=8):
    """A computation of two stages, the first computed at the outer loop of the second."""
    a = te.placeholder((extent,), "float32", "a")
    b = te.compute((extent,), lambda i: a[i] * 2.0, "b")
    c = te.compute((extent - 2,), lambda i: b[i] + b[i + 2], "c")
    s = te.create_schedule(c.op)
    outer, inner = s[c].split(c.op.axis[0], factor)
    s[b].compute_at(s[c], outer)
    return s, a, b, c, outer, inner


class Lowered(unittest.TestCase):
    def test_bounds(self):
        s, _, b, c, outer, inner = tiled()
        bounds = tvm.te.schedule.InferBound(s.normalize())
        self.assertIsInstance(bounds, tvm.container.Map)
        self.assertEqual([bounds[x].extent.value for x in (b.op.axis[0], c.op.axis[0], outer, inner)], [10, 64, 8, 8])
        tvm.testing.assert_prim_expr_equal(bounds[b.op.axis[0]].min, outer * 8)
        self.assertEqual(te.substitute(bounds[b.op.axis[0]].min, {outer.var: 3}).value, 24)
        m = te.var("m")
        x = te.placeholder((m * 8,))
        y = te.compute(x.shape, lambda i: x[i] + 1.0)
        s = te.create_schedule(y.op)
        xo, xi = s[y].split(y.op.axis[0], 8)
        bounds = s.bounds()
        self.assertTrue(bounds[xo].extent == m and bounds[xi].extent.value == 8 and bounds[xi].extent == 8)

    def test_domains(self):
        n = te.var("n")
        a = te.placeholder((n,))
        b = te.compute((n,), lambda i: a[i] + 1.0)
        self.assertTrue(b.op.axis[0].dom.extent == n and b.op.axis[0].dom.min.value == 0)
        k = te.reduce_axis((3, 8))
        self.assertEqual((k.dom.min.value, k.dom.extent.value), (3, 5))
        for made, want in ((tvm.ir.Range(10), (0, 10)), (tvm.ir.Range(3, 10), (3, 7)), (tvm.ir.Range.from_min_extent(3, 10), (3, 10))):
            axis = te.reduce_axis(made)
            self.assertEqual((axis.dom.min.value, axis.dom.extent.value), want)
        self.assertIsNone(te.create_schedule(b.op)[b].split(b.op.axis[0], 4)[0].dom)

    def test_processors(self):
        s, a, _, c, *_ = tiled()
        target = tvm.target.Target("llvm -mcpu=x86-64 -mattr=-avx2,+sse4.2 -mtriple=x86_64-linux-gnu")
        self.assertEqual((target.mcpu, target.mattr), ("x86-64", ["-avx2", "+sse4.2"]))
        self.assertNotIn("ymm", tvm.build(s, [a, c], target).get_source("asm"))
        with self.assertRaisesRegex(NotImplementedError, "export_library.fcompile="):
            tvm.build(s, [a, c], "llvm").export_library("x.so", fcompile=print)

    def test_inline_all(self):
        m, n = te.var("m"), te.var("n")
        row, a, b = te.placeholder((m,)), te.placeholder((m, n)), te.placeholder((m, n))
        makers = {"AutoInlineElemWise": lambda i, j: a[i, j] * b[i, j], "AutoInlineBroadcast": lambda i, j: row[i] * b[i, j],
                  "AutoInlineInjective": lambda i, j: a[j, i] * b[i, j]}
        for most, maker in enumerate(makers.values()):
            for least, name in enumerate(makers):
                first = te.compute((m, n), maker, "first")
                second = te.compute((m, n), lambda i, j: first[i, j] + 1.0, "second")  # pylint: disable=cell-var-from-loop
                s = te.create_schedule(second.op)
                getattr(tvm.te.schedule, name)(s)
                inlined = "first" not in str(tvm.lower(s, [row, a, b, second]))
                self.assertEqual(inlined, least >= most, (name, most))

    def test_tree(self):
        s, a, b, c, *_ = tiled()
        function = tvm.lower(s, [a, c])["main"]
        self.assertIsInstance(function, tir.PrimFunc)
        self.assertEqual([p.name for p in function.params], ["a", "c"])
        self.assertEqual(function.attrs["global_symbol"], "main")
        seen = []
        tir.stmt_functor.post_order_visit(function.body, seen.append)
        loops = [n for n in seen if isinstance(n, tir.For)]
        self.assertEqual(sorted((n.loop_var.name, n.extent.value, n.kind) for n in loops),
                         [("i", 10, "serial"), ("i.inner", 8, "serial"), ("i.outer", 8, "serial")])
        self.assertTrue(loops[-1] in loops and isinstance(loops[-1].body, (tir.SeqStmt, tir.Allocate, tir.AttrStmt)))
        stores = [n for n in seen if isinstance(n, tir.BufferStore)]
        self.assertEqual([n.buffer for n in stores], ["b", "c"])
        self.assertIsInstance(stores[1].value, tir.Add)
        self.assertIsInstance(stores[1].value.a, tir.BufferLoad)
        self.assertEqual(stores[0].value.b.value, 2.0)
        raw = tvm.te.schedule.ScheduleOps(s, s.bounds())
        kinds = []
        tir.stmt_functor.pre_order_visit(raw, lambda n: kinds.append(type(n).__name__ if isinstance(n, tir.PrimExpr) else n.node))
        self.assertEqual((kinds[0], kinds.count("pstore"), kinds.count("realize")), ("realize", 2, 2))
        with self.assertRaisesRegex(AttributeError, "kind add has none; those of kind"):
            stores[1].value.producer  # pylint: disable=expression-not-assigned,pointless-statement
        with self.assertRaisesRegex(NotImplementedError, "tir.ProducerStore.*comes from lowering"):
            tir.ProducerStore(a, 0, [0])

    def test_passes(self):
        s, a, _, c, *_ = tiled()
        names = tvm.ir.transform.Pass
        raw = tvm.driver.build_module.schedule_to_module(s, [a, c])
        whole = tvm.transform.Sequential([names(n) for n in vta.transform.pass_names() if n.startswith("tir.")])
        self.assertFalse(tvm.ir.structural_equal(raw, tvm.lower(s, [a, c])))
        flat = tvm.tir.transform.StorageFlatten(64)(raw)
        self.assertNotEqual(str(flat), str(raw))
        self.assertEqual(str(tvm.tir.transform.VectorizeLoop(False)(flat)), str(flat))
        self.assertTrue(whole.passes)
        tvm.ir.assert_structural_equal(tvm.lower(s, [a, c], "one")["one"], tvm.lower(s, [a, c], "two")["two"])
        with self.assertRaisesRegex(ValueError, "these differ"):
            tvm.ir.assert_structural_equal(raw, flat)
        looked = []

        @tvm.tir.transform.prim_func_pass(opt_level=0)
        def look(function, module, context):
            looked.append((function.name, list(module), context.opt_level))
            return function

        self.assertEqual(str(look(flat)), str(flat))
        self.assertEqual(looked, [("main", ["main"], 2)])
        with self.assertRaisesRegex(LookupError, "there is no pass 'tir.Nosuch'"):
            names("tir.Nosuch")
        n = te.var("n")
        self.assertEqual(repr(tvm.arith.Analyzer().simplify(n * 2 - n - n)), "0")

    def test_partition(self):
        """Constant loops are cut where that is asked for, and compute the same."""
        x = np.arange(30, dtype="float32")
        for cut in (False, True):
            a = te.placeholder((30,), "float32", "a")
            b = te.compute((30,), lambda i: a[i] + 1.0, "b")  # pylint: disable=cell-var-from-loop
            s = te.create_schedule(b.op)
            s[b].split(b.op.axis[0], 8)
            with tvm.transform.PassContext(config={"tir.LoopPartition": {"partition_const_loop": cut}}):
                self.assertEqual("(i.outer: int32, 0, 3)" in str(tvm.lower(s, [a, b])), cut)
                out = tvm.nd.array(np.zeros(30, "float32"))
                tvm.build(s, [a, b], "llvm")(tvm.nd.array(x), out)
            np.testing.assert_array_equal(out.numpy(), x + 1)
        m = te.var("m")  # the check depends on a virtual thread inside of the loop
        a = te.placeholder((m,), "float32", "a")
        b = te.compute((m,), lambda i: a[i] + 1.0, "b")
        s = te.create_schedule(b.op)
        s[b].bind(s[b].split(b.op.axis[0], 8)[1], te.thread_axis("cthread"))
        out = tvm.nd.array(np.zeros(30, "float32"))
        tvm.build(s, [a, b], "llvm")(tvm.nd.array(x), out)
        np.testing.assert_array_equal(out.numpy(), x + 1)

    def test_build_of_functions(self):
        s, a, _, c, *_ = tiled()
        x = RANDOM.uniform(-4, 4, 66).astype("float32")
        want = 2 * (x[:-2] + x[2:])
        one, two = tvm.lower(s, [a, c], name="one"), tvm.lower(s, [a, c], name="two")
        both = tvm.ir.IRModule({"one": one["one"]})
        both.update(two)
        for made, names in ((tvm.build([one, two["two"]], target="llvm"), ["one", "two"]), (tvm.build(both, target="llvm"), ["one", "two"]),
                            (tvm.build({"llvm": one}), ["one"]), (tvm.build(te.create_prim_func([a, c]), target="llvm"), ["main"]),
                            (tvm.build(one["one"].with_attr("global_symbol", "three"), target="llvm"), ["three"]),
                            (tvm.build(tvm.lower(te.create_prim_func([a, c])), target="llvm"), ["main"])):
            self.assertEqual(made.function_names, names)
            for name in names:
                out = tvm.nd.array(np.zeros(64, "float32"))
                made[name](tvm.nd.array(x), out)
                np.testing.assert_allclose(out.numpy(), want, rtol=1e-6)
        with self.assertRaisesRegex(ValueError, "two functions are called one"):
            tvm.build([one, one], target="llvm")
        with self.assertRaisesRegex(TypeError, "what is compiled is a schedule, a function"):
            tvm.build(3)

    def test_binds(self):
        """Buffers in the place of tensors: dense ones change nothing, others are refused in words."""
        a = te.placeholder((4, 6), name="a")
        b = te.compute((4, 6), lambda i, j: a[i, j] + 1.0, name="b")
        s, values = te.create_schedule(b.op), np.arange(24, dtype="float32").reshape(4, 6)
        in_a, in_b = tvm.tir.decl_buffer((4, 6), "float32", name="in_a", offset_factor=1), tvm.tir.decl_buffer((4, 6), name="in_b")
        plain = str(tvm.lower(s, [a, b]))
        for args, binds in (([a, b], {a: in_a}), ([in_a, in_b], {a: in_a, b: in_b}), ([in_a, b], {a: in_a}), ([a, b], {})):
            self.assertEqual(str(tvm.lower(s, args, binds=binds)), plain)
            x, y = tvm.nd.array(values), tvm.nd.empty((4, 6))
            tvm.build(s, args, "llvm", binds=binds)(x, y)
            np.testing.assert_array_equal(y.numpy(), values + 1)
        strided, shared = tvm.tir.decl_buffer((4, 6), strides=[8, 1]), tvm.tir.decl_buffer((4, 6), scope="shared")
        for args, binds, kind, words in (
                ([a, in_b], {a: in_a}, ValueError, "no tensor is bound to the buffer in_b"),
                ([a, b], {a: tvm.tir.decl_buffer((4, 7))}, ValueError, "has not the shape and type of a"),
                ([a, b], {a: tvm.tir.decl_buffer((4, 6), "int32")}, ValueError, "has not the shape and type of a"),
                ([a, b], {a: strided}, NotImplementedError, "laid out densely"),
                ([a, b], {a: shared}, NotImplementedError, "laid out densely"),
                ([a, b], {a: 5}, TypeError, "a buffer of the binds of build"), ([a, b], [1], TypeError, "the binds of build")):
            with self.assertRaisesRegex(kind, words):
                tvm.build(s, args, "llvm", binds=binds)

    def test_targets_elsewhere(self):
        for name in ("cuda", "xyz", "", "opencl -device=adreno"):
            for kind in (NotImplementedError, ValueError):
                with self.assertRaisesRegex(kind, f"no target {name!r}; there are ext_dev, llvm"):
                    tvm.target.Target(name)

    def test_missing_outputs(self):
        s, a, *_ = tiled()
        self.assertIn("allocate(c", str(tvm.lower(s, [a], simple_mode=True)))
        with self.assertRaisesRegex(vta.VTAError, "c, an output of the schedule, is not among the arguments"):
            vta.lower(s, [a])
        with self.assertRaisesRegex(vta.VTAError, "a, an input of the schedule, is not among the arguments"):
            tvm.lower(s, [])

    def test_modules(self):
        s, a, _, c, *_ = tiled()
        m = tvm.build(s, [a, c], "llvm", name="f")
        s[c].unroll(s[c].leaf_iter_vars[0])  # the module is what it was
        self.assertIn("define", m.get_source())
        self.assertIn(".text", m.get_source("asm"))
        self.assertIn("float", tvm.build(s, [a, c], "c").get_source())
        self.assertEqual((m.type_key, m.imported_modules, m.implements_function("f"), m.implements_function("g")),
                         ("llvm", [], True, False))
        with self.assertRaisesRegex(ValueError, "no source as 'ptx'"):
            m.get_source("ptx")
        arrays = [tvm.nd.array(np.zeros(n, "float32")) for n in (66, 64)]
        timed = m.time_evaluator("f", tvm.cpu(0), number=1, repeat=3, limit_zero_time_iterations=10, cooldown_interval_ms=1,
                                 repeats_to_cooldown=2)(*arrays)
        self.assertEqual(len(timed.results), 3)

    def test_functions(self):
        add = tvm.runtime.convert(lambda x, y: x + y)
        self.assertIsInstance(add, tvm.runtime.PackedFunc)
        self.assertEqual(add(3, 4), 7)
        self.assertEqual([str(v) for v in tvm.runtime.convert([1, (2.5, "x")])[0:1]], ["1"])
        self.assertEqual(tvm.runtime.convert(12).value, 12)

        @tvm.register_func
        def test_familiar_plus_one(x):
            return x + 1

        @tvm.register_func("test_familiar.apply")
        def apply(f, x):
            return f(x)

        self.assertIsInstance(tvm.get_global_func("test_familiar_plus_one"), tvm.runtime.PackedFunc)
        self.assertEqual(tvm.get_global_func("test_familiar.apply")(lambda x: 3 * x, 5), 15)
        with self.assertRaisesRegex(ValueError, "already registered"):
            tvm.register_func("test_familiar.apply", apply)
        tvm.register_func("test_familiar.apply", lambda f, x: 0, override=True)
        self.assertEqual((tvm.get_global_func("test_familiar.apply")(apply, 5), test_familiar_plus_one(1)), (0, 2))


def matrix_vector(rows, columns, strides):
    """An intrinsic that multiplies a matrix by a vector with functions of C, and their LLVM IR."""
    a, b = te.placeholder((columns,), name="a"), te.placeholder((rows, columns), name="b")
    k = te.reduce_axis((0, columns), name="k")
    c = te.compute((rows,), lambda i: te.sum(a[k] * b[i, k], axis=k), name="c")
    stride = te.var("stride")
    binds = {b: tir.decl_buffer(b.shape, b.dtype, "B", offset_factor=1, strides=[stride, 1] if strides else None)}

    def instructions(ins, outs):
        x, y = ins
        add = tir.call_extern("int32", "test_add", outs[0].access_ptr("w"), x.access_ptr("r"), y.access_ptr(tvm.tir.Buffer.READ),
                              rows, columns, y.strides[0] if strides else columns)
        reset = tir.call_extern("int32", "test_reset", outs[0].access_ptr("w"), rows)
        return None, reset, add

    return te.decl_tensor_intrin(c.op, instructions, binds=binds, default_buffer_params={"offset_factor": 1})


CODE = """
extern "C" int test_add(float *c, float *a, float *b, int m, int n, int stride) {
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) c[i] += a[j] * b[i * stride + j];
    return 0;
}
extern "C" int test_reset(float *c, int m) {
    for (int i = 0; i < m; i++) c[i] = 0;
    return 0;
}
"""


class Intrinsics(unittest.TestCase):
    def tensorized(self, strides, source, inner_source=None):
        a, x = given(6, 24)
        b, y = given(10, 24)
        k = te.reduce_axis((0, 24), name="k")
        c = te.compute((6, 10), lambda i, j: te.sum(a[i, k] * b[j, k], axis=k), name="c")
        s = te.create_schedule(c.op)
        outer, inner = s[c].split(c.op.axis[1], 5)
        part, rest = s[c].split(k, 8)
        s[c].reorder(c.op.axis[0], outer, part, inner, rest)
        s[c].tensorize(inner, matrix_vector(5, 8, strides))
        s[c].pragma(outer, "import_llvm", source)
        if inner_source:
            s[c].pragma(part, "import_llvm", inner_source)
        kernel = tvm.build(s, [a, b, c], "llvm")
        out = tvm.nd.array(np.zeros((6, 10), "float32"))
        kernel(tvm.nd.array(x), tvm.nd.array(y), out)
        np.testing.assert_allclose(out.numpy(), x @ y.T, rtol=1e-4, atol=1e-4)

    def test_strides(self):
        from tvm.contrib import clang

        if not clang.find_clang(required=False):
            self.skipTest("clang is absent")
        try:
            source = clang.create_llvm(CODE)
            self.tensorized(True, source)
        except vta.VTAError as error:  # an older clang's
            self.assertIn("is no LLVM IR of this LLVM", str(error))
            self.skipTest("clang is of another LLVM")
        with self.assertRaisesRegex(vta.VTAError, "operand B must be compact"):
            self.tensorized(False, source)
        again = clang.create_llvm(CODE.replace("c[i] = 0", "c[i] = 7"))  # of two texts the later counts
        with self.assertRaisesRegex(AssertionError, "Not equal to tolerance"):
            self.tensorized(True, source, again)
        with self.assertRaisesRegex(RuntimeError, "could not compile"):
            clang.create_llvm("nonsense\n")
        with self.assertRaisesRegex(vta.VTAError, "is no LLVM IR of this LLVM"):
            self.tensorized(True, "nonsense")

    def test_declarations(self):
        with self.assertRaisesRegex(vta.VTAError, "has 2 dimensions, but 1 strides are given"):
            a = te.placeholder((4, 4), name="a")
            te.decl_tensor_intrin(te.compute((4, 4), lambda i, j: a[i, j] + 1.0).op, lambda ins, outs: None,
                                  binds={a: tir.decl_buffer((4, 4), strides=[1])})
        for make, words in ((lambda: tir.decl_buffer((4,), data=te.var()), "must be a variable of type handle"),
                            (lambda: tir.decl_buffer((4,), buffer_type="auto_broadcast"), "decl_buffer.buffer_type="),
                            (lambda: matrix_vector(2, 2, False)(1, 2), "takes 0 scalars, not 2")):
            with self.assertRaisesRegex((NotImplementedError, ValueError), words):
                make()


class Modules(unittest.TestCase):
    def test_small_ones(self):
        from tvm.contrib import cc, util
        from tvm.contrib.pickle_memoize import memoize
        from tvm.testing.utils import install_request_hook

        install_request_hook(depth=3)
        calls = []

        @memoize("squares")
        def square(x):
            calls.append(x)
            return x * x

        self.assertEqual((square(3), square(3), square(4), calls), (9, 9, 16, [3, 4]))
        a = te.placeholder((4,), "float32", "a")
        b = te.compute((4,), lambda i: a[i] * 2.0, "b")
        folder = util.tempdir()
        tvm.build(te.create_schedule(b.op), [a, b], "llvm", name="twice").save(folder.relpath("twice.o"))
        cc.create_shared(folder.relpath("twice.so"), [folder.relpath("twice.o")])
        out = tvm.nd.array(np.zeros(4, "float32"))
        vta.load_module(folder.relpath("twice.so"))["twice"](tvm.nd.array(np.arange(4, dtype="float32")), out)
        np.testing.assert_array_equal(out.numpy(), [0, 2, 4, 6])
        with self.assertRaisesRegex(RuntimeError, "could not link"):
            cc.create_shared(folder.relpath("none.so"), [folder.relpath("absent.o")])

    def test_attributes(self):
        """What is attached comes back as constants that have a value; as text it is JSON."""
        a = te.placeholder((8,), "float32", "a")
        b = te.compute((8,), lambda i: a[i] + 1.0, "b", attrs={"size": 3, "kind": "plain", "list": [1, {"deep": 2}]})
        self.assertEqual((b.op.attrs["size"].value, b.op.attrs["kind"].value, b.op.attrs["list"][1]["deep"].value), (3, "plain", 2))
        self.assertEqual(json.loads(str(b.op.attrs)), {"size": 3, "kind": "plain", "list": [1, {"deep": 2}]})
        self.assertEqual(str(a.op.attrs), "{}")
        s = te.create_schedule(b.op)
        outer, _ = s[b].split(b.op.axis[0], 2)
        s[b].pragma(outer, "mark")
        self.assertEqual(s[b].iter_var_attrs[outer].pragma_keys[0].value, "mark")
        s[b].set_scope("global")
        with self.assertRaisesRegex(tvm.TVMError, "cannot set_scope of b: it is an output"):
            s[b].set_scope("local")

    def test_graph(self):
        a = te.placeholder((8,), "float32", "a")
        b = te.compute((8,), lambda i: a[i] + 1.0, "b")
        c = te.compute((8,), lambda i: b[i] * a[i], "c")
        graph = te.schedule.CreateReadGraph([c.op])
        self.assertEqual(graph, {c.op: [b, a], b.op: [a], a.op: []})
        self.assertEqual(te.schedule.PostDFSOrder([c.op], graph), [a.op, b.op, c.op])

    def test_pickled(self):
        """A schedule is read again by the process that has it, and by no other."""
        a = te.placeholder((8,), "float32", "a")
        b = te.compute((8,), lambda i: a[i] + 1.0, "b")
        s = te.create_schedule(b.op)
        s[b].split(b.op.axis[0], 2)
        data = pickle.dumps(s)
        again = pickle.loads(data)
        self.assertEqual(str(tvm.lower(again, [a, b])), str(tvm.lower(s, [a, b])))
        self.assertEqual(pickle.loads(pickle.dumps(b)), b)
        del a, b, s, again
        gc.collect()
        with self.assertRaisesRegex(NotImplementedError, "only in the process that made them, while it has them"):
            pickle.loads(data)
        c = te.placeholder((8,), "float32", "c")
        child = ("import pickle, sys; import common, tvm\ntry:\n    pickle.loads(sys.stdin.buffer.read())\n"
                 "except NotImplementedError as error:\n    print(error)")
        said = subprocess.run([sys.executable, "-c", child], input=pickle.dumps(c), capture_output=True, check=True).stdout.decode()
        self.assertIn("only in the process that made them", said)

    def test_record(self):
        """What each step made of a schedule is kept, where it is asked for."""
        a = te.placeholder((8, 8), "float32", "a")
        k = te.reduce_axis((0, 8), "k")
        b = te.compute((8,), lambda i: te.sum(a[i, k], axis=k), "b")
        self.assertEqual(te.create_schedule(b.op).schedule_record, [])
        self.assertEqual((te.create_schedule([]).stages, te.create_schedule([]).schedule_record), ([], []))
        self.assertIn("main", str(tvm.lower(te.create_schedule([]), [])))
        with tvm.transform.PassContext(config={"te.keep_schedule_record": True}):
            s = te.create_schedule(b.op)
        first = str(tvm.lower(s, [a, b]))
        s[b].tile(b.op.axis[0], k, 4, 2)
        c = s.cache_read(a, "local", [b])
        s[c].compute_at(s[b], s[b].leaf_iter_vars[0])
        self.assertRaises(tvm.TVMError, s[b].vectorize, k)  # what raises is no step
        self.assertEqual(s.primitive_record, ["vanilla", "split", "split", "reorder", "cache_read", "compute_at"])
        texts = [str(tvm.lower(one, [a, b])) for one in s.schedule_record]
        self.assertEqual((texts[0], texts[-1]), (first, str(tvm.lower(s, [a, b]))))
        self.assertEqual(len(set(texts)), len(texts))

    def test_statement_of_a_schedule(self):
        """The statement has the memory of all that is computed."""
        a = te.placeholder((8,), "float32", "a")
        b = te.compute((8,), lambda i: a[i] + 1.0, "b")
        c = te.compute((8,), lambda i: b[i] * 2.0, "c")
        s = te.create_schedule(c.op)
        stmt, found = te.schedule.ScheduleOps(s, te.schedule.InferBound(s)), []
        tir.stmt_functor.post_order_visit(stmt, lambda x: found.append(x.producer) if isinstance(x, tir.ProducerRealize) else None)
        self.assertEqual((set(found), stmt.producer), ({b, c}, b))

    def test_devices_elsewhere(self):
        """Programs ask for them; they do not exist."""
        names = {name: name for name in ("cuda", "opencl", "aocl", "vulkan", "metal", "vpi", "rocm", "hexagon", "webgpu")}
        names.update(gpu="cuda", nvptx="cuda", cl="opencl", sdaccel="opencl", aocl_sw_emu="aocl", mtl="metal")
        for name, shown in names.items():
            device = tvm.device(name, 0)
            self.assertFalse(device.exist)
            self.assertEqual(tvm.nd.Device.STR2MASK[name], device.device_type)
            with self.assertRaisesRegex(ValueError, rf"there is no {shown}\(0\): arrays are on cpu"):
                tvm.nd.array(np.zeros(2, "float32"), device)
        for name in ("llvm", "c", "stackvm", "test", "hybrid", "composite"):  # code generators for the host
            self.assertEqual(tvm.device(name), tvm.cpu(0))
        with self.assertRaisesRegex(ValueError, "no device 'abacus'"):
            tvm.device("abacus")

    def test_quotients_of_floats(self):
        """// rounds down, % has the sign of the divisor, as in Python."""
        (a, x), (b, y) = given(6, 7), given(6, 7)
        for made, want in ((topi.floor_divide(a, b), x // y), (topi.floor_mod(a, b), x % y), (a // b, x // y), (a % 0.75, x % 0.75),
                           (te.compute((6, 7), lambda i, j: te.floordiv(a[i, j], 2.0)), x // 2),
                           (te.compute((6, 7), lambda i, j: (i - 3) % b[i, j]), (np.arange(6)[:, None] - 3) % y)):
            inputs = [(t, v) for t, v in ((a, x), (b, y)) if t in made.op.input_tensors]
            np.testing.assert_allclose(value(made, *inputs), want, rtol=1e-5, atol=1e-5)

    def test_operators_of_tensors(self):
        """One tensor: element by element; two: broadcast; their schedules by target."""
        a, n = te.placeholder((4, 3), "float32", "a"), te.var("n")
        for one in (a + 1, 2 * a, n + a, a - n):
            self.assertEqual(one.op.tag, topi.tag.ELEMWISE)
        for two in (a + a, a * te.placeholder((3,), "float32", "b")):
            self.assertEqual(two.op.tag, topi.tag.BROADCAST)
        x = RANDOM.uniform(-4, 4, (4, 3)).astype("float32")
        result = (a + 1) * 2
        for schedule in (topi.testing.get_elemwise_schedule, topi.testing.get_broadcast_schedule, topi.testing.get_injective_schedule):
            kernel = tvm.build(schedule("llvm")(result), [a, result], "llvm")
            out = tvm.nd.array(np.zeros((4, 3), "float32"))
            kernel(tvm.nd.array(x), out)
            np.testing.assert_array_equal(out.numpy(), (x + 1) * 2)
        self.assertRaisesRegex(ValueError, "abacus", topi.testing.get_elemwise_schedule, "abacus")
        self.assertIs(tvm._ffi.base.TVMError, tvm.TVMError)
        self.assertTrue(tvm.tir.stmt.IfThenElse is tir.IfThenElse and tvm.tir.expr.IntImm is tir.IntImm)

    def test_refusals(self):
        a = te.placeholder((4,))
        s = te.create_schedule(te.compute((4,), lambda i: a[i] + 1.0).op)
        for get, words in ((lambda: s.nosuch, "Schedule.nosuch is not offered"),
                           (lambda: s.stages[0].leaf_iter_var, "leaf_iter_var is not offered; there is leaf_iter_vars"),
                           (lambda: a.op.nosuch, "PlaceholderOp.nosuch is not offered"),
                           (lambda: a.nosuch, "Tensor.nosuch is not offered"), (lambda: te.var("x").nosuch, "Expr.nosuch"),
                           (lambda: te.hybrid.parse, "tvm.te.hybrid.parse is not offered")):
            with self.assertRaisesRegex(AttributeError, words) as caught:
                get()
            self.assertIsInstance(caught.exception, NotImplementedError)
        self.assertFalse(hasattr(s, "nosuch") or hasattr(a, "nosuch"))


    def test_arguments(self):
        a = te.placeholder((4,))
        b = te.compute((4,), lambda i: a[i] + 1.0)
        s = te.create_schedule(b.op)
        for call, words in ((lambda: tvm.lower(s, [a, b], runtime=1), r"tvm.lower: the parameter 'runtime' is not offered.*; it takes \(inp"),
                            (lambda: s[b].split(b.op.axis[0], into=2), r"Stage.split: the parameter 'into' is not offered; it takes \(par"),
                            (lambda: te.compute((4,)), "tvm.te.compute: missing a required argument: 'fcompute'; it takes"),
                            (lambda: s[b].set_scope(), "Stage.set_scope: missing a required argument: 'scope'"),
                            (lambda: tvm.transform.PassContext(nosuch=1), "PassContext: the parameter 'nosuch' is not offered")):
            with self.assertRaisesRegex(TypeError, words) as caught:
                call()
            self.assertIsInstance(caught.exception, NotImplementedError)
        with self.assertRaisesRegex(TypeError, "int") as caught:  # from inside a function: left as it is
            te.compute((4,), lambda i: len(4))
        self.assertNotIsInstance(caught.exception, NotImplementedError)

    def test_all_names(self):
        """Of the names that TVM's packages have, each is there or refused in words, and so is each parameter."""
        found = list(tvm_names.walk())
        bare = [f"{name}: {type(error).__name__} {error}" for name, state, error in found if state == tvm_names.BARE]
        self.assertEqual(bare, [])
        self.assertGreater(sum(state == tvm_names.THERE for _, state, _ in found), 900)
        self.assertGreater(len(found), 2000)
        loader = importlib.machinery.SourceFileLoader("gen_coming_from_tvm", os.path.join(common.ROOT, "scripts", "gen_coming_from_tvm"))
        generator = types.ModuleType(loader.name)
        generator.__file__ = loader.path
        loader.exec_module(generator)
        self.assertEqual(generator.main(["--check"], found), 0, "run scripts/gen_coming_from_tvm")

if __name__ == "__main__":
    unittest.main()

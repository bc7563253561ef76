"""te.hybrid.script: functions with loops as tensors, against numpy and against the same function run by Python."""

import os
import tempfile
import unittest

import common  # noqa: F401
import numpy as np
import vta
from vta import te
from vta.te.hybrid import script

RNG = np.random.default_rng(7)
OFFSET = 3


@script
def outer(a, b):
    """The outer product, with a factor where both are small."""
    c = output_tensor((a.shape[0], b.shape[0]), a.dtype)  # noqa: F821
    for i in range(a.shape[0]):
        for j in serial(b.shape[0]):  # noqa: F821
            if i < 2 and not j > 1:
                c[i, j] = a[i] * b[j] * 2
            else:
                c[i, j] = a[i] * b[j] + OFFSET
    return c


@script
def statistics(a, n, scale):
    """Sums and largest elements of rows."""
    total = output_tensor((a.shape[0],), "float32")  # noqa: F821
    most = output_tensor((a.shape[0],), "float32")  # noqa: F821
    for i in range(a.shape[0]):
        row = allocate((n,), "float32")  # noqa: F821
        largest = a[i, 0]
        for j in range(n):
            row[j] = a[i, j] * scale
            largest = max(largest, a[i, j])
        total[i] = 0.0
        for j in range(n):
            total[i] += row[j] if 0 <= j < n else 0.0
        most[i] = largest
    return total, most


@script
def windows(a, size):
    b = output_tensor((a.shape[0] - 2,), "int32")  # noqa: F821
    for i in vectorize(size):  # noqa: F821
        b[i] = a[i]
        for k in const_range(1, 3):  # noqa: F821
            b[i] = b[i] + a[i + k] // (k + 1)
    return b


def run(outputs, args, arrays):
    kernel = vta.build(te.create_schedule([t.op for t in outputs]), [*args, *outputs], "llvm")
    out = [vta.nd.empty(t.shape, t.dtype) for t in outputs]
    kernel(*[vta.nd.array(a) for a in arrays], *out)
    return [o.numpy() for o in out]


class Scripts(unittest.TestCase):
    def test_outer(self):
        for _ in range(4):
            m, n = (int(RNG.integers(1, 9)) for _ in range(2))
            A, B = te.placeholder((m,), name="A"), te.placeholder((n,), name="B")
            a, b = RNG.random(m, "float32"), RNG.random(n, "float32")
            small = (np.arange(m)[:, None] < 2) & ~(np.arange(n) > 1)
            want = np.where(small, np.outer(a, b) * 2, np.outer(a, b) + 3)
            C = outer(A, B)
            self.assertIsInstance(C.op, te.ExternOp)
            np.testing.assert_allclose(run([C], [A, B], [a, b])[0], want, rtol=1e-5)
            np.testing.assert_allclose(outer(a, b), want, rtol=1e-5)

    def test_statistics(self):
        m, n = (int(RNG.integers(1, 9)) for _ in range(2))
        A = te.placeholder((m, n), name="A")
        a = RNG.normal(size=(m, n)).astype("float32")
        results = run(statistics(A, n, 2.5), [A], [a])
        for got, plain, want in zip(results, statistics(a, n, 2.5), ((a * 2.5).sum(1), a.max(1))):
            np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)
            np.testing.assert_allclose(plain, want, rtol=1e-4, atol=1e-5)

    def test_windows(self):
        A = te.placeholder((18,), "int32", "A")
        a = RNG.integers(-99, 99, 18, dtype="int32")
        np.testing.assert_array_equal(run([windows(A, 16)], [A], [a])[0], a[:16] + a[1:17] // 2 + a[2:] // 3)

    def test_lists(self):
        @script
        def total(inputs, weights):
            out = output_tensor((10,), inputs[0].dtype)  # noqa: F821
            n = len(inputs)
            for i in range(len(out)):
                assert i < 10, "outside"
                out[i] = 0.0
                for j in const_range(n):  # noqa: F821
                    out[i] += inputs[j][i] * weights[j, 1]
            return out

        tensors = [te.placeholder((10,), name=f"t{i}") for i in range(3)]
        weights = [[1, 2], [3, 4], [5, 6]]
        arrays = [RNG.random(10, "float32") for _ in tensors]
        want = sum(a * w[1] for a, w in zip(arrays, weights))
        np.testing.assert_allclose(run([total(tensors, weights)], tensors, arrays)[0], want, rtol=1e-5)
        np.testing.assert_allclose(total(arrays, np.array(weights)), want, rtol=1e-5)

    def test_built(self):
        """Scripts of schedules give what the schedules give; scripts of these scripts, too."""
        A, B = te.placeholder((5,), name="A"), te.placeholder((7,), name="B")
        a, b = RNG.random(5, "float32"), RNG.random(7, "float32")
        M = te.placeholder((4, 6), name="M")
        m = RNG.normal(size=(4, 6)).astype("float32")
        k = te.reduce_axis((0, 6), "k")
        row = te.compute((4,), lambda i: te.max(te.exp(M[i, k]), axis=k), name="row")
        scaled = te.compute((4, 6), lambda i, j: te.if_then_else(j > 1, M[i, j], te.const(0.5, "float32")) / row[i], name="scaled")
        s = te.create_schedule(scaled.op)
        s[scaled].split(scaled.op.axis[1], 4)
        s[row].compute_at(s[scaled], scaled.op.axis[0])
        statistic = statistics(M, 6, 2.0)
        for schedule, inputs, outputs, arrays in (
                (te.create_schedule(outer(A, B).op), [A, B], None, [a, b]), (s, [M], [scaled], [m]),
                (te.create_schedule(statistic[0].op), [M], statistic, [m])):
            outputs = outputs or [schedule.outputs[0].output(0)]
            want = run(outputs, inputs, arrays)
            module = te.hybrid.build(schedule, inputs, outputs, "made")
            self.assertEqual(module.name, "made")
            for _ in range(2):
                got = module(*arrays)
                for g, w in zip(got if isinstance(got, (list, tuple)) else [got], want):
                    np.testing.assert_allclose(g, w, rtol=1e-5)
                again = module(*inputs)
                again = again if isinstance(again, list) else [again]
                for g, w in zip(run(again, inputs, arrays), want):
                    np.testing.assert_allclose(g, w, rtol=1e-5)
                module = te.hybrid.build(te.create_schedule(again[0].op), inputs, again)

    def test_files(self):
        A, B = te.placeholder((5,), name="A"), te.placeholder((7,), name="B")
        C = outer(A, B)
        module = te.hybrid.build(te.create_schedule(C.op), [A, B], [C])
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "script.py")
            module.save(path)
            read = te.hybrid.HybridModule()
            with self.assertRaisesRegex(ValueError, "no script yet"):
                read(A, B)
            read.load(path)
        self.assertEqual(read.get_source(), module.get_source())
        self.assertEqual(read.name, "hybrid_func")
        with self.assertRaisesRegex(ValueError, "the definition of one function"):
            te.hybrid.HybridModule("x = 3")

    def test_not_built(self):
        A = te.placeholder((5,), "int32", name="A")
        B = te.compute((5,), lambda i: te.truncdiv(A[i], 3), name="B")
        with self.assertRaisesRegex(NotImplementedError, "a quotient rounded towards zero has no form in a script"):
            te.hybrid.build(te.create_schedule(B.op), [A], [B])
        twin = te.compute((5,), lambda i: A[i] + 1, name="A")
        with self.assertRaisesRegex(ValueError, "names of their own"):
            te.hybrid.build(te.create_schedule(twin.op), [A], [twin])
        with self.assertRaisesRegex(AttributeError, "stay as they are written"):
            outer(te.placeholder((5,), name="a"), te.placeholder((5,), name="b")).op.axis  # pylint: disable=expression-not-assigned

    def test_refused(self):
        @script
        def no_return(a):
            b = output_tensor((4,), "float32")  # noqa: F821
            b[0] = a[0]

        @script
        def into_input(a):
            b = output_tensor((4,), "float32")  # noqa: F821
            a[0] = 1.0
            return b

        @script
        def repeated(a):
            b = output_tensor((4,), "float32")  # noqa: F821
            while b[0] < 3.0:
                b[0] = a[0]
            return b

        @script
        def called(a):
            b = output_tensor((4,), "float32")  # noqa: F821
            b[0] = print(a[0])
            return b

        A = te.placeholder((4,), name="A")
        for function, words in ((no_return, "without a return"), (into_input, "line 4: an assignment to a.0., an input"),
                                (repeated, "the statement while"), (called, "the call print")):
            with self.assertRaisesRegex(NotImplementedError, words):
                function(A)
        with self.assertRaisesRegex(TypeError, "takes 1 arguments, not 2"):
            no_return(A, A)


if __name__ == "__main__":
    unittest.main()

"""te.hybrid.script: functions with loops as tensors, against numpy and against the same function run by Python."""

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

"""Programs of the kind of TVM's tests of tensors; each function is one."""

import unittest

import common  # noqa: F401  # pylint: disable=unused-import
import numpy as np
import tvm
from tvm import te

from te_programs import check, rand


def tensor_basics():
    m, n, l = te.size_var("m"), te.size_var("n"), te.size_var("l")
    A, B = te.placeholder((m, l), name="A"), te.placeholder((n, l), name="B")
    T = te.compute((m, n, l), lambda i, j, k: A[i, k] * B[j, k])
    assert tuple(T.shape) == (m, n, l)
    assert isinstance(A.op, tvm.te.PlaceholderOp)
    assert A == A and T.op.output(0) == T and T.op.output(0).__hash__() == T.__hash__()
    d = {T.op.output(0): 1}
    assert d[T] == 1 and T[0][0][0].astype("float16").dtype == "float16"


def rank_zero():
    m = te.size_var("m")
    A, scale = te.placeholder((m,), name="A"), te.placeholder((), name="s")
    k = te.reduce_axis((0, m), name="k")
    T = te.compute((), lambda: te.sum(A[k] * scale(), axis=k))
    assert tuple(T.shape) == ()


def conv1d():
    n = te.size_var("n")
    A = te.placeholder((n + 2), name="A")
    te.compute(n, lambda ii: A(ii) + A(ii + 1) + A(ii + 2))


def tensor_slice():
    n = te.size_var("n")
    A = te.compute((n, n), lambda i, j: 1)
    te.compute((n,), lambda i: A[0][i] + A[0][i])


def tensor_reduce_multi_axis():
    m, n = te.size_var("m"), te.size_var("n")
    A = te.placeholder((m, n), name="A")
    k1, k2 = te.reduce_axis((0, n), "k"), te.reduce_axis((0, m), "k")
    te.compute((1,), lambda _: te.sum(A[k1, k2], axis=(k1, k2)))
    te.compute((1,), lambda _: te.sum(A[k1, k2], axis=[k1, k2]))


def tensor_comm_reducer():
    m, n = te.size_var("m"), te.size_var("n")
    A = te.placeholder((m, n), name="A")
    k = te.reduce_axis((0, n), "k")
    mysum = te.comm_reducer(lambda x, y: x + y, lambda t: tvm.tir.const(0, dtype=t))
    te.compute((m,), lambda i: mysum(A[i, k], axis=k))


def tensor_comm_reducer_overload():
    m, n = te.size_var("m"), te.size_var("n")
    mysum = te.comm_reducer(lambda x, y: x + y, lambda t: tvm.tir.const(0, dtype=t))
    mysum(m, n)


def tensor_reduce():
    m, n, l = te.size_var("m"), te.size_var("n"), te.size_var("l")
    A, B = te.placeholder((m, l), name="A"), te.placeholder((n, l), name="B")
    T = te.compute((m, n, l), lambda i, j, k: A[i, k] * B[j, k])
    rv = te.reduce_axis((0, A.shape[1]), "k")
    C = te.compute((m, n), lambda i, j: te.sum(T(i, j, rv + 1), axis=rv))
    assert C.op.reduce_axis[0] == rv


def reduce_with_start():
    m, n = 6, 9
    A, init = te.placeholder((m, n), name="A"), te.placeholder((m,), name="start")
    k = te.reduce_axis((0, n), "k")
    mul = te.comm_reducer(lambda x, y: x * y, lambda t: tvm.tir.const(1, t), name="mul")
    B = te.compute((m,), lambda i: mul(A[i, k], axis=k, init=init[i]))
    a, b = rand(m, n), rand(m)
    check(te.create_schedule(B.op), [A, init, B], [a, b], [a.prod(axis=1) * b])


def tensor_scan():
    m, n = te.size_var("m"), te.size_var("n")
    x, s = te.placeholder((m, n)), te.placeholder((m, n))
    res = tvm.te.scan(te.compute((1, n), lambda _, i: x[0, i]),
                      te.compute((m, n), lambda t, i: s[t - 1, i] + x[t, i]), s)
    assert tuple(res.shape) == (m, n)


def scan_multi_out():
    m, n = te.size_var("m"), te.size_var("n")
    x1, s1, x2, s2 = (te.placeholder((m, n)) for _ in range(4))
    i1, i2 = te.compute((1, n), lambda _, i: x1[0, i]), te.compute((1, n), lambda _, i: x2[0, i])
    u1 = te.compute((m, n), lambda t, i: s1[t - 1, i] + s2[t - 1, i] + x1[t, i])
    u2 = te.compute((m, n), lambda t, i: x2[t, i] + s2[t - 1, i])
    r0, r1 = tvm.te.scan([i1, i2], [u1, u2], [s1, s2])
    assert r0.value_index == 0 and r1.value_index == 1


def tuple_inputs():
    m, n = te.size_var("m"), te.size_var("n")
    A0, A1 = te.placeholder((m, n), name="A0"), te.placeholder((m, n), name="A1")
    T0, T1 = te.compute((m, n), lambda i, j: (A0[i, j] * 2, A1[i, j] * 3), name="T")
    te.create_schedule(T0.op)
    assert T0.value_index == 0 and T1.value_index == 1
    s = te.create_schedule(T0.op)
    a, b = rand(3, 4), rand(3, 4)
    check(s, [A0, A1, T0, T1], [a, b], [a * 2, b * 3], [(m, 3), (n, 4)])


def tuple_with_different_deps():
    m, n = te.size_var("m"), te.size_var("n")
    A0, A1 = te.placeholder((m, n), name="A1"), te.placeholder((m, n), name="A2")
    B0, B1 = te.compute((m, n), lambda i, j: (A0[i, j] * 2, A1[i, j] * 3), name="B")
    C = te.compute((m, n), lambda i, j: B0[i, j] + 4, name="C")
    s = te.create_schedule(C.op)
    xo, xi = s[C].split(C.op.axis[0], factor=10)
    s[B0.op].compute_at(s[C], xo)
    a, b = rand(13, 4), rand(13, 4)
    check(s, [A0, A1, C], [a, b], [a * 2 + 4], [(m, 13), (n, 4)])


def min_and_argmin():
    m, n = 7, 12
    idx, val = te.placeholder((m, n), name="idx", dtype="int32"), te.placeholder((m, n), name="val")
    k = te.reduce_axis((0, n), "k")

    def fcombine(x, y):
        return tvm.tir.Select(x[1] <= y[1], x[0], y[0]), tvm.tir.Select(x[1] <= y[1], x[1], y[1])

    argmin = te.comm_reducer(fcombine, lambda t0, t1: (tvm.tir.const(-1, t0), tvm.te.max_value(t1)), name="argmin")
    T0, T1 = te.compute((m,), lambda i: argmin((idx[i, k], val[i, k]), axis=k), name="T")
    i, v = np.tile(np.arange(n, dtype="int32"), (m, 1)), rand(m, n)
    for factor in (None, 4, 5):
        s = te.create_schedule(T0.op)
        if factor:
            ko, ki = s[T0].split(k, factor=factor)
            s.rfactor(T0, ki if factor == 4 else ko)
        check(s, [idx, val, T0, T1], [i, v], [v.argmin(axis=1).astype("int32"), v.min(axis=1)])


class Programs(unittest.TestCase):
    def test_all(self):
        for program in (tensor_basics, rank_zero, conv1d, tensor_slice, tensor_reduce_multi_axis, tensor_comm_reducer,
                        tensor_comm_reducer_overload, tensor_reduce, reduce_with_start, tensor_scan, scan_multi_out,
                        tuple_inputs, tuple_with_different_deps, min_and_argmin):
            with self.subTest(program.__name__):
                program()


if __name__ == "__main__":
    unittest.main()

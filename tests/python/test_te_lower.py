"""Programs of the kind of TVM's tests of lowering, and of its gallery; each function is one."""

import unittest

import common  # noqa: F401  # pylint: disable=unused-import
import numpy as np
import tvm
from tvm import te

from te_programs import check, rand


def schedule0():
    m, l = te.var("m"), te.var("l")
    A = te.placeholder((m, l), name="A")
    A1 = te.compute((m, l), lambda i, j: A[i, j], name="A1")
    s = te.create_schedule(A1.op)
    assert "A1" in str(tvm.lower(s, [A, A1], simple_mode=True))


def schedule_cond():
    m, l = 12, 9
    A, B = te.placeholder((m, l), name="A"), te.placeholder((m, l), name="B")
    T = te.compute((m, l), lambda i, j: tvm.tir.if_then_else(i * j < 40, A[i, j], B[i, j] * 2))
    a, b = rand(m, l), rand(m, l)
    i, j = np.ogrid[:m, :l]
    check(te.create_schedule(T.op), [A, B, T], [a, b], [np.where(i * j < 40, a, b * 2)])


def inline_mixed():
    n = te.size_var("n")
    A = te.placeholder((n,), name="A")
    A1 = te.compute(A.shape, lambda *i: A(*i) + 1, name="A1")
    A2 = te.compute(A.shape, lambda *i: A1(*i) + 2, name="A2")
    C = te.compute((n,), lambda i: A2[i] + A1[i], name="C")
    s = te.create_schedule(C.op)
    xo, xi = s[C].split(C.op.axis[0], factor=8)
    s[A1].compute_at(s[C], xo)
    s[A2].compute_inline()
    a = rand(29)
    check(s, [A, C], [a], [2 * a + 4], [(n, 29)])


def inline_multi_reduce():
    def argmax_comp(x, y):
        return tvm.tir.Select((x[1] >= y[1]), x[0], y[0]), tvm.tir.Select((x[1] >= y[1]), x[1], y[1])

    argmax = te.comm_reducer(argmax_comp, lambda t, u: (tvm.tir.const(-1, t), tvm.te.min_value(u)), name="argmax")
    m, n = 9, 13
    val = te.placeholder((m, n), name="val")
    val2 = te.compute((m, n), lambda i, j: val[i, j] + 1, name="val2")
    k = te.reduce_axis((0, n), "k")
    T = te.compute((m,), lambda i: argmax((k.var, val2[i, k]), axis=k), name="T")
    s = te.create_schedule(T[0].op)
    s[val2].compute_inline()
    v = rand(m, n)
    check(s, [val, *T], [v], [v.argmax(axis=1).astype("int32"), v.max(axis=1) + 1])


def auto_inline():
    m = te.var("m")
    A, B, C = (te.placeholder((m, m), name=x) for x in "ABC")
    T1 = te.compute((m, m), lambda i, j: A(i, j) * B(i, j), name="T1")
    T2 = te.compute((m, m), lambda i, j: T1(i, j) + C(i, j), name="T2")
    s = te.create_schedule(T2.op)
    tvm.te.schedule.AutoInlineElemWise(s)
    a, b, c = rand(5, 5), rand(5, 5), rand(5, 5)
    check(s, [A, B, C, T2], [a, b, c], [a * b + c], [(m, 5)])


def const_bound():
    n = 128
    A = te.placeholder((n,), name="A")
    A1 = te.compute((n,), lambda i: A[i] + 1, name="A1")
    s = te.create_schedule(A1.op)
    s[A1].split(A1.op.axis[0], 8)
    a = rand(n)
    check(s, [A, A1], [a], [a + 1])


def schedule_scan():
    m, n = te.var("m"), te.var("n")
    x, s = te.compute((m, n), lambda i, j: tvm.tir.const(1, "float32"), name="x"), te.placeholder((m, n))
    res = tvm.te.scan(te.compute((1, n), lambda _, i: x[0, i]),
                      te.compute((m, n), lambda t, i: s[t - 1, i] + x[t, i]), s)
    sch = te.create_schedule(res.op)
    check(sch, [res], [], [np.tile(np.arange(1, 7, dtype="float32")[:, None], (1, 4))], [(m, 6), (n, 4)])


def schedule_cache():
    m, n = te.size_var("m"), te.size_var("n")
    A, B = te.placeholder((m, n), name="A"), te.placeholder((m, n), name="B")
    C = te.compute((m, n), lambda i, j: A(i, j) * B(i, j), name="C")
    s = te.create_schedule(C.op)
    AA = s.cache_read(A, "shared", readers=[C])
    CC = s.cache_write(C, "shared")
    s[AA].compute_at(s[CC], CC.op.axis[0])
    a, b = rand(4, 6), rand(4, 6)
    check(s, [A, B, C], [a, b], [a * b], [(m, 4), (n, 6)])


def schedule_middle_cache():
    m, n = te.size_var("m"), te.size_var("n")
    A, B = te.placeholder((m, n), name="A"), te.placeholder((m, n), name="B")
    C = te.compute((m, n), lambda i, j: A(i, j) * B(i, j), name="C")
    D = te.compute((m, n), lambda i, j: C(i, j), name="D")
    s = te.create_schedule(D.op)
    AA = s.cache_read(A, "local", readers=[C])
    BB = s.cache_read(B, "local", readers=[C])
    CC = s.cache_read(C, "local", readers=[D])
    DD = s.cache_write(D, "local")
    s[CC].compute_at(s[DD], DD.op.axis[0])
    a, b = rand(4, 6), rand(4, 6)
    check(s, [A, B, D], [a, b], [a * b], [(m, 4), (n, 6)])


def cache_relayout():
    m, n = te.size_var("m"), te.size_var("n")
    A = te.placeholder((m * 4, n), name="A")
    B = te.placeholder((m * 4, n), name="B")
    k = te.reduce_axis((0, n), "k")
    C = te.compute((m * 4, n), lambda i, j: te.sum(A(i, k) * B(i, k), axis=k), name="C")
    s = te.create_schedule(C.op)
    X, Y = C.op.axis
    xo, xi = s[C].split(X, factor=4)
    kk, _ = s[C].split(k, factor=4)
    s[C].reorder(xo, Y, xi, kk)
    s.cache_write(C, "global")
    a, b = rand(8, 6), rand(8, 6)
    check(s, [A, B, C], [a, b], [np.tile((a * b).sum(axis=1)[:, None], (1, 6))], [(m, 2), (n, 6)])


def cache_relayout_tuple():
    m = n = 20
    A, B = te.placeholder((m, n), name="A"), te.placeholder((m, n), name="B")
    C0, C1 = te.compute((m, n), lambda i, j: (A(i, j) + B(i, j), A(i, j) * B(i, j)), name="C")
    s = te.create_schedule([C0.op, C1.op])
    xo, xi = s[C0].split(C0.op.axis[0], factor=16)
    s[C0].reorder(xi, xo, C0.op.axis[1])
    s.cache_write([C0, C1], "local")
    a, b = rand(m, n), rand(m, n)
    check(s, [A, B, C0, C1], [a, b], [a + b, a * b])


def reduction_and_dummy_fuse_split():
    n = 10
    X = te.placeholder(shape=(n,), dtype="int32", name="X")
    k = te.reduce_axis((0, n))
    Y = te.compute((), lambda: te.sum(X[k], k), name="Y")
    s = te.create_schedule([Y.op])
    ax = s[Y.op].fuse(*Y.op.axis)
    axo, axi = s[Y.op].split(ax, nparts=20)
    f = tvm.build(s, [Y, X], "llvm")
    args = [tvm.nd.empty((), "int32")] + [tvm.nd.array(np.ones((n,), dtype=np.int32))]
    f(*args)
    assert args[0].numpy() == n
    k = te.reduce_axis((0, n))
    Y = te.compute((n,), lambda i: te.sum(X[k], k), name="Y")
    s = te.create_schedule([Y.op])
    ax = s[Y.op].fuse(*(list(Y.op.axis) + list(Y.op.reduce_axis)))
    f = tvm.build(s, [Y, X], "llvm")
    args = [tvm.nd.array(np.ones((n,), dtype=np.int32))] + [tvm.nd.array(np.ones((n,), dtype=np.int32))]
    f(*args)
    assert np.all(args[0].numpy() == n)


def schedule_compute_inline_groups():
    x = te.placeholder((8, 8), name="x")
    x1 = te.compute(x.shape, lambda *i: x(*i) + 1, name="x1")
    x2 = te.compute(x.shape, lambda *i: x1(*i) + 2, name="x2")
    x3 = te.compute(x.shape, lambda *i: x2(*i) + 3, name="x3")
    s = te.create_schedule(x3.op)
    g = s.create_group(outputs=x2, inputs=x, include_inputs=False)
    g.compute_at(s[x3], x3.op.axis[1])
    a = rand(8, 8)
    check(s, [x, x3], [a], [a + 6])


def reduction_init():
    n = 1027
    m = 10
    A = te.placeholder((m, n), name="A")
    I = te.placeholder((m,), name="I")
    k = te.reduce_axis((0, n))
    B = te.compute((m,), lambda i: te.sum(A[i, k], axis=k, init=I[i]), name="B")
    a, b = rand(m, n), rand(m)
    check(te.create_schedule(B.op), [A, I, B], [a, b], [a.sum(axis=1) + b])


def loop_bounds_var():
    n, f = te.var("n"), te.var("f")
    A = te.placeholder((n,), name="A")
    B = te.compute((n,), lambda i: A[i] + 1)
    s = te.create_schedule(B.op)
    s[B].split(B.op.axis[0], factor=f)
    a = rand(23)
    check(s, [A, B], [a], [a + 1], [(n, 23), (f, 5)])


def gallery_reduction():
    n, m = te.var("n"), te.var("m")
    A = te.placeholder((n, m), name="A")
    k = te.reduce_axis((0, m), "k")
    B = te.compute((n,), lambda i: te.sum(A[i, k], axis=k), name="B")
    s = te.create_schedule(B.op)
    ko, ki = s[B].split(B.op.reduce_axis[0], factor=16)
    xo, xi = s[B].split(B.op.axis[0], factor=32)
    s = te.create_schedule(B.op)
    ko, ki = s[B].split(B.op.reduce_axis[0], factor=16)
    BF = s.rfactor(B, ki)
    xo, xi = s[s[B].op.output(0)].split(s[B].op.axis[0], factor=32)
    s[BF].compute_at(s[B], s[B].op.reduce_axis[0])
    a = rand(40, 37)
    check(s, [A, B], [a], [a.sum(axis=1)], [(n, 40), (m, 37)])


def gallery_scan_stages():
    m, n, l = te.var("m"), te.var("n"), te.var("l")
    X = te.placeholder((m, n), name="X")
    s1, s2 = te.placeholder((m, n)), te.placeholder((m, l))
    i1, i2 = te.compute((1, n), lambda _, i: X[0, i]), te.compute((1, l), lambda _, i: 0.0)
    u1 = te.compute((m, n), lambda t, i: s1[t - 1, i] + X[t, i])
    u2 = te.compute((m, l), lambda t, i: s2[t - 1, i] + s1[t - 1, 0])
    r1, r2 = tvm.te.scan([i1, i2], [u1, u2], [s1, s2], inputs=[X])
    s = te.create_schedule(r1.op)
    xo, xi = s[u1].split(u1.op.axis[1], factor=4)
    x = rand(5, 6)
    w1 = x.cumsum(axis=0)
    w2 = np.zeros((5, 3), "float32")
    for t in range(1, 5):
        w2[t] = w2[t - 1] + w1[t - 1, 0]
    check(s, [X, r1, r2], [x], [w1, w2], [(m, 5), (n, 6), (l, 3)])


def refusals_in_words():
    A = te.placeholder((4,))
    for get in (lambda: te.hybrid.parse, lambda: te.thread_axis("block")):
        try:
            f = get()
            f((4,), [A], lambda i, o: None) if callable(f) else None
            raise AssertionError(get)
        except (NotImplementedError, tvm.error.TVMError) as e:
            assert len(str(e)) > 15, e


class Programs(unittest.TestCase):
    def test_all(self):
        for program in (schedule0, schedule_cond, inline_mixed, inline_multi_reduce, auto_inline, const_bound,
                        schedule_scan, schedule_cache, schedule_middle_cache, cache_relayout, cache_relayout_tuple,
                        reduction_and_dummy_fuse_split, schedule_compute_inline_groups, reduction_init, loop_bounds_var,
                        gallery_reduction, gallery_scan_stages, refusals_in_words):
            with self.subTest(program.__name__):
                program()


if __name__ == "__main__":
    unittest.main()

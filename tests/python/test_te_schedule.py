"""Programs of the kind of TVM's tests of schedules; each function is one."""

import unittest

import common  # noqa: F401  # pylint: disable=unused-import
import tvm
from tvm import te

from te_programs import check, rand


def schedule_create():
    m, n, l = te.size_var("m"), te.size_var("n"), te.size_var("l")
    A, B = te.placeholder((m, l), name="A"), te.placeholder((n, l), name="B")
    AA = te.compute((m, l), lambda i, j: A[i, j])
    T = te.compute((m, n, l), lambda i, j, k: AA(i, k) * B(j, k))
    s = te.create_schedule(T.op)
    s[AA].set_scope("shared")
    xo, xi = s[T].split(T.op.axis[0], factor=10)
    xi1, xi2 = s[T].split(xi, factor=2)
    s[AA].compute_at(s[T], xi1)
    xo, xi = s[AA].split(AA.op.axis[0], factor=10)
    s[T].reorder(xi2, xi1)
    assert T.op.axis[1] in s[T].leaf_iter_vars
    a, b = rand(23, 5), rand(7, 5)
    check(s, [A, B, T], [a, b], [a[:, None, :] * b[None]], [(m, 23), (n, 7), (l, 5)])


def reorder():
    m = te.size_var("m")
    A = te.placeholder((m,), name="A")
    T = te.compute(m, lambda i: A[i + 1])
    s = te.create_schedule(T.op)
    xo, xi = s[T].split(T.op.axis[0], factor=10)
    xi1, xi2 = s[T].split(xi, factor=2)
    order = (xi2, xi1, xo)
    assert tuple(s[T].leaf_iter_vars) != order
    s[T].reorder(*order)
    assert tuple(s[T].leaf_iter_vars) == order
    try:
        s[T].reorder(xi2, xi1, xi2)
        raise AssertionError
    except tvm.error.TVMError:
        pass


def split_and_tile():
    m, n = te.size_var("m"), te.size_var("n")
    A = te.placeholder((m, n), name="A")
    T = te.compute((m, n), lambda i, j: A[i, j])
    s = te.create_schedule(T.op)
    xo, yo, xi, yi = s[T].tile(T.op.axis[0], T.op.axis[1], x_factor=10, y_factor=5)
    assert tuple(s[T].leaf_iter_vars) == (xo, yo, xi, yi)


def fuse_relations():
    m, n = te.size_var("m"), te.size_var("n")
    A = te.placeholder((m, n), name="A")
    T = te.compute((m, n), lambda i, j: A[i, j])
    s = te.create_schedule(T.op)
    xo, yo, xi, yi = s[T].tile(T.op.axis[0], T.op.axis[1], x_factor=10, y_factor=5)
    fused = s[T].fuse(xo, yo)
    assert any(isinstance(x, tvm.te.schedule.Fuse) for x in s[T].relations)
    assert tuple(s[T].leaf_iter_vars) == (fused, xi, yi)


def fuse_with_split():
    m, n = te.size_var("m"), te.size_var("n")
    A = te.placeholder((m, n), name="A")
    T = te.compute((m, n), lambda i, j: A[i, j])
    s = te.create_schedule(T.op)
    y = T.op.axis[1]
    xo, xi = s[T].split(T.op.axis[0], factor=10)
    fused = s[T].fuse(xi, y)
    assert any(isinstance(x, tvm.te.schedule.Fuse) for x in s[T].relations)
    assert tuple(s[T].leaf_iter_vars) == (xo, fused)


def fuse_out_of_order():
    m, n = te.size_var("m"), te.size_var("n")
    A = te.placeholder((m, n), name="A")
    T = te.compute((m, n), lambda i, j: A[i, j])
    s = te.create_schedule(T.op)
    xo, xi = s[T].split(T.op.axis[0], factor=10)
    try:
        s[T].fuse(xo, T.op.axis[1])
        raise AssertionError
    except tvm.error.TVMError:
        pass


def singleton():
    A = te.placeholder((), name="A")
    T = te.compute((), lambda: A() + 1)
    s = te.create_schedule(T.op)
    fused = s[T].fuse()
    assert any(isinstance(x, tvm.te.schedule.Singleton) for x in s[T].relations)
    assert tuple(s[T].leaf_iter_vars) == (fused,)


def vectorize_types():
    m, n = te.size_var("m"), te.size_var("n")
    A = te.placeholder((m, n), name="A")
    T = te.compute((m, n), lambda i, j: A[i, j])
    s = te.create_schedule(T.op)
    xo, yo, xi, yi = s[T].tile(T.op.axis[0], T.op.axis[1], x_factor=10, y_factor=5)
    s[T].vectorize(yi)
    s[T].unroll(xi)
    assert s[T].iter_var_attrs[xi].iter_type == tvm.tir.IterVar.Unrolled
    assert s[T].iter_var_attrs[yi].iter_type == tvm.tir.IterVar.Vectorized


def vectorize_reduce_axis():
    V = te.placeholder((128,), name="V")
    ax = te.reduce_axis((0, 128), name="ax")
    O = te.compute((1,), lambda _: te.sum(V[ax], axis=[ax]))
    s = te.create_schedule(O.op)
    try:
        s[O].vectorize(ax)
        raise AssertionError
    except RuntimeError:
        pass


def pragmas():
    A = te.placeholder((100,), name="A")
    T = te.compute((100,), lambda i: A[i])
    s = te.create_schedule(T.op)
    xo, xi = s[T].split(T.op.axis[0], factor=10)
    s[T].pragma(xo, "pragma1", 10)
    s[T].pragma(xo, "pragma2")
    assert [str(k) for k in s[T].iter_var_attrs[xo].pragma_keys] == ["pragma1", "pragma2"]
    assert s[T].iter_var_attrs[xo].pragma_values[0].value == 10


def rfactor():
    n = te.size_var("n")
    k1, k2 = te.reduce_axis((0, n), name="k1"), te.reduce_axis((0, n), name="k2")
    A = te.placeholder((n, n, n), name="A")
    B = te.compute((n,), lambda i: te.sum(A[i, k1, k2], axis=[k1, k2]))
    s = te.create_schedule(B.op)
    BF = s.rfactor(B, k1)
    assert [str(d) for d in BF.shape] == ["n", "n"]
    assert set(s[BF].op.reduce_axis) == {k2}
    assert s[B].op.reduce_axis[0].name == "k1.v"
    assert len(s[B].all_iter_vars) == 2
    s = te.create_schedule(B.op)
    ko, _ = s[B].split(k1, factor=4)
    xo, xi = s[B].split(B.op.axis[0], factor=8)
    BF = s.rfactor(B, ko)
    assert len(BF.shape) == 2 and len(s[BF].op.reduce_axis) == 2
    s = te.create_schedule(B.op)
    assert str(s.rfactor(B, k1, 1).shape[1]) == "n"


def compute_at_twice_moved():
    A = te.placeholder((64, 32), name="A")
    B = te.compute((64, 32), lambda i, j: A[i, j] * 2, name="B")
    C = te.compute((64, 32), lambda i, j: B[i, j] + 1, name="C")
    s = te.create_schedule(C.op)
    i, j = C.op.axis
    s[B].compute_at(s[C], i)
    o, n = s[C].split(i, factor=8)
    s[C].fuse(n, j)
    a = rand(64, 32)
    check(s, [A, C], [a], [a * 2 + 1])


class Programs(unittest.TestCase):
    def test_all(self):
        for program in (schedule_create, reorder, split_and_tile, fuse_relations, fuse_with_split, fuse_out_of_order,
                        singleton, vectorize_types, vectorize_reduce_axis, pragmas, rfactor, compute_at_twice_moved):
            with self.subTest(program.__name__):
                program()


if __name__ == "__main__":
    unittest.main()

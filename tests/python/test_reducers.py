"""Reducers of one and of several results, conditions, starts, and reductions in two stages, against numpy."""

import itertools
import random
import unittest

import common  # noqa: F401  # pylint: disable=unused-import
import numpy as np

import vta
from vta import te

RANDOM = np.random.default_rng(5)
PROGRAMS = 40

product = te.comm_reducer(lambda x, y: x * y, lambda t: te.const(1, t), name="product")


def _larger(x, y):
    """The larger value, and its smallest place."""
    first = te.any(x[1] > y[1], te.all(x[1] == y[1], x[0] < y[0]))
    return te.select(first, x[0], y[0]), te.select(first, x[1], y[1])


argmax = te.comm_reducer(_larger, lambda place, value: (te.const(2147483647, place), te.min_value(value)), name="argmax")
complex_product = te.comm_reducer(lambda x, y: (x[0] * y[0] - x[1] * y[1], x[0] * y[1] + x[1] * y[0]),
                                  lambda t, u: (te.const(1, t), te.const(0, u)))


def run(s, args, *arrays):
    """The arrays of the outputs, after those that are given."""
    kernel = vta.build(s, args, "llvm")
    inputs = [vta.nd.array(a, vta.cpu(0)) for a in arrays]
    outputs = [vta.nd.array(np.full([int(d) for d in t.shape], 77, t.dtype), vta.cpu(0)) for t in args[len(arrays):]]
    kernel(*inputs, *outputs)
    return [o.numpy() for o in outputs]


def as_numpy(kind, x, y, where, init):
    """What a reduction over the last axis gives: python integers, one point after the other."""
    out = [np.zeros(x.shape[:-1], "int32") for _ in range(1 if kind == "product" else 2)]
    for at in itertools.product(*map(range, x.shape[:-1])):
        points = [k for k in range(x.shape[-1]) if not where or k % 3 != 1]
        if kind == "product":
            total = [5 if init else 1]
            for k in points:
                total = [total[0] * int(x[at][k])]
        elif kind == "argmax":
            total = [3, 2] if init else [2147483647, -2147483648]
            for k in points:
                if (int(x[at][k]), -k) > (total[1], -total[0]):
                    total = [k, int(x[at][k])]
        else:
            total = [2, -3] if init else [1, 0]
            for k in points:
                a, b = int(x[at][k]), int(y[at][k])
                total = [total[0] * a - total[1] * b, total[0] * b + total[1] * a]
        for o, t in zip(out, total):
            o[at] = (t + 2**31) % 2**32 - 2**31
    return out


def computed(kind, shape, where, init):
    """Inputs and results of a reduction over the last of the dimensions."""
    a, b = te.placeholder(shape, "int32", "a"), te.placeholder(shape, "int32", "b")
    k = te.reduce_axis((0, shape[-1]), "k")

    def body(*i):
        at = (*i, k)
        options = {"axis": k, "where": te.all(te.floormod(k, 3) != 1) if where else None}
        if kind == "product":
            return product(a[at], init=5 if init else None, **options)
        if kind == "argmax":
            return argmax((k.var, a[at]), init=(3, 2) if init else None, **options)
        return complex_product((a[at], b[at]), init=(2, -3) if init else None, **options)

    out = te.compute(shape[:-1], body, name="out")
    return [a, b], list(out) if isinstance(out, tuple) else [out]


def schedule_at_random(choose, s, out):
    """Random steps on the reduction; how many stages it has after them."""
    stages = [out[0]]
    for _ in range(choose.randrange(1, 6)):
        stage = s[choose.choice(stages)]
        axis = choose.choice(stage.leaf_iter_vars)
        reduces = axis.name.startswith("k")
        step = choose.randrange(6)
        if step == 0:
            stage.split(axis, factor=choose.randrange(1, 5))
        elif step == 1:
            stage.split(axis, nparts=choose.randrange(1, 5))
        elif step == 2:
            leaves = stage.leaf_iter_vars
            choose.shuffle(leaves)
            stage.reorder(*leaves)
        elif step == 3 and not reduces:
            stage.parallel(axis)
            break
        elif reduces and stage.op == s[out[0]].op:
            first = s.rfactor(out[0], axis, choose.choice((0, -1)))
            stages.append(first[0] if isinstance(first, list) else first)
            if choose.randrange(2):  # at a loop of data: the others are gone with the next two stages
                data = [leaf for leaf in s[out[0]].leaf_iter_vars if not leaf.name.startswith("k")]
                s[stages[-1]].compute_at(s[out[0]], choose.choice(data))
    return len(stages)


class Reducers(unittest.TestCase):
    def test_random_schedules(self):
        factored = 0
        for number in range(PROGRAMS):
            choose = random.Random(number)
            kind = choose.choice(("product", "argmax", "complex"))
            where, init = choose.randrange(2), choose.randrange(2)
            shape = tuple(choose.randrange(1, 12) for _ in range(choose.randrange(2, 4)))
            x, y = (RANDOM.integers(-3, 4, shape).astype("int32") for _ in range(2))
            inputs, out = computed(kind, shape, where, init)
            inputs = inputs[:2 if kind == "complex" else 1]
            s = te.create_schedule(out[0].op)
            factored += schedule_at_random(choose, s, out) > 1
            with self.subTest(number=number, kind=kind, where=where, init=init, shape=shape):
                got = run(s, inputs + out, *(x, y)[:len(inputs)])
                for g, w in zip(got, as_numpy(kind, x, y, where, init)):
                    np.testing.assert_array_equal(g, w)
        self.assertGreater(factored, PROGRAMS // 4)

    def test_of_symbolic_size(self):
        m, n = te.var("m"), te.var("n")
        index, value = te.placeholder((m, n), "int32", "index"), te.placeholder((m, n), "float32", "value")
        k = te.reduce_axis((0, n), "k")
        out = te.compute((m,), lambda i: argmax((index[i, k], value[i, k]), axis=k), name="largest")
        s = te.create_schedule(out[0].op)
        outer, _ = s[out[0]].split(k, factor=4)
        s.rfactor(out[0], outer)
        for rows, columns in ((1, 1), (3, 4), (5, 13)):
            x = RANDOM.uniform(-1, 1, (rows, columns)).astype("float32")
            places = np.tile(np.arange(columns, dtype="int32"), (rows, 1))
            kernel = vta.build(s, [index, value, *out], "llvm")
            arrays = [vta.nd.array(a, vta.cpu(0)) for a in (places, x, np.zeros(rows, "int32"), np.zeros(rows, "float32"))]
            kernel(*arrays)
            np.testing.assert_array_equal(arrays[2].numpy(), x.argmax(axis=1))
            np.testing.assert_array_equal(arrays[3].numpy(), x.max(axis=1))

    def test_both_outputs_cached(self):
        a = te.placeholder((6, 9), "int32", "a")
        k = te.reduce_axis((0, 9), "k")
        place, value = te.compute((6,), lambda i: argmax((k.var, a[i, k]), axis=k), name="largest")
        s = te.create_schedule(place.op)
        caches = s.cache_write([place, value], "local")
        self.assertEqual([c.value_index for c in caches], [0, 1])
        s[caches[0]].compute_at(s[place], s[place].op.axis[0])
        x = RANDOM.integers(-9, 9, (6, 9)).astype("int32")
        for got, want in zip(run(s, [a, place, value], x), (x.argmax(axis=1), x.max(axis=1))):
            np.testing.assert_array_equal(got, want)
        with self.assertRaisesRegex(ValueError, "all outputs of one computation"):
            s.cache_write([place], "local")

    def test_that_use_an_axis(self):
        """How values are combined, and what that starts at, depends on the place: under every schedule."""
        for steps in itertools.product((0, 1), repeat=5):
            A = te.placeholder((7, 9), "int32", "A")
            P = te.compute((7, 9), lambda i, j: A[i, j] - i, "P")

            def value(n):
                k = te.reduce_axis((0, 9 if steps[0] else n + 1), "k")  # pylint: disable=cell-var-from-loop
                start = lambda t: te.select(n > 2, te.const(1, t), n.astype(t))  # pylint: disable=unnecessary-lambda-assignment
                least = te.comm_reducer(lambda x, y: te.max(x * 2 + y, n - 3), start, name="least")
                return least(P[n, k], axis=k, where=k != 4)

            B = te.compute((7,), value, "B")
            C = te.compute((7,), lambda i: B[i] * 2 + B[6 - i], "C")
            s = te.create_schedule(C.op)
            if steps[0]:
                s[P].compute_inline()
            if steps[1]:
                s[B].split(B.op.axis[0], 3)
            cache = s.cache_write(B, "local") if steps[2] else None
            if steps[3]:
                s[B].compute_at(s[C], C.op.axis[0])
            if steps[4]:
                s[cache or B].split(s[cache or B].op.reduce_axis[0], 2)
            a = RANDOM.integers(-9, 9, (7, 9)).astype("int32")
            b = []
            for n in range(7):
                total = 1 if n > 2 else n
                for k in range(9 if steps[0] else n + 1):
                    total = max(total * 2 + int(a[n, k]) - n, n - 3) if k != 4 else total
                b.append(total)
            want = np.array([b[i] * 2 + b[6 - i] for i in range(7)], "int32")
            np.testing.assert_array_equal(run(s, [A, C], a)[0], want, str(steps))
            if steps[0]:
                np.testing.assert_array_equal(te.evaluate(C, {A: a}), want)
        self.assertIn("max(B", te.create_prim_func([A, C]).script())

    def test_of_values(self):
        self.assertEqual(repr(product(te.const(3), te.const(4))), repr(te.const(3) * te.const(4)))
        self.assertEqual(repr(product(te.var("x"), 2, 3, 4)), repr(te.var("x") * 2 * 3 * 4))

    def test_refusals(self):
        a = te.placeholder((4, 5), "int32", "a")
        k, r = te.reduce_axis((0, 5), "k"), te.reduce_axis((0, 5), "r")
        i = te.var("i")
        outside = te.comm_reducer(lambda x, y: x + a[0, 0], lambda t: te.const(0, t))
        other = te.comm_reducer(lambda x, y: (x + y).astype("int8"), lambda t: te.const(0, t))
        few = te.comm_reducer(lambda x, y: (x[0],), lambda t, u: (te.const(0, t), te.const(0, u)))
        for call, words in ((lambda: outside(a[i, k], axis=k), "reads a tensor"),
                            (lambda: other(a[i, k], axis=k), "is int8, but its operands are int32"),
                            (lambda: few((a[i, k], a[i, k]), axis=k), "has 1 values, but 2 values are reduced"),
                            (lambda: product(a[i, k], axis=k, where=k.var), "is of type int32, not bool"),
                            (lambda: product(a[i, k], axis=k, init=k.var), "may not use its reduce axis"),
                            (lambda: te.compute((4,), lambda i: argmax((k.var, a[i, k]), axis=k)[1]),
                             "has 1 bodies, but its reduction has 2 results")):
            with self.assertRaisesRegex(ValueError, words):
                call()
        out = te.compute((4,), lambda i: product(a[i, k], axis=k), name="out")
        s = te.create_schedule(out.op)
        for call, words in ((lambda: s.rfactor(out, s[out].op.axis[0]), "not made of reduce axes only"),
                            (lambda: s.rfactor(out, r), "no loop of the stage"),
                            (lambda: s.rfactor(out, k, 2), "to a place from -2 to 1, not to 2"),
                            (lambda: s.rfactor(a, k), "is not a reduction")):
            with self.assertRaisesRegex(RuntimeError, words):
                call()


if __name__ == "__main__":
    unittest.main()

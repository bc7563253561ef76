"""Scans against numpy, by definition (te.evaluate) and compiled under random schedules of their parts; and what is refused."""

import itertools
import random
import unittest

import common  # noqa: F401  # pylint: disable=unused-import
import numpy as np

import vta
from vta import te

PROGRAMS = 30
RANDOM = np.random.default_rng(11)


def compiled(s, args, *arrays):
    """The arrays of the outputs, after those that are given."""
    kernel = vta.build(s, args, "llvm")
    sizes = {}
    for tensor, array in zip(args, arrays):
        sizes.update({str(d): n for d, n in zip(tensor.shape, array.shape)})
    shapes = [[sizes.get(str(d), d) for d in t.shape] for t in args[len(arrays):]]
    inputs = [vta.nd.array(a, vta.cpu(0)) for a in arrays]
    outputs = [vta.nd.array(np.full(shape, 77, t.dtype), vta.cpu(0)) for shape, t in zip(shapes, args[len(arrays):])]
    kernel(*inputs, *outputs)
    return [o.numpy() for o in outputs]


class Pair:
    """Two states of different widths that need each other, with stages in between; `first` rows are given."""

    def __init__(self, rows, widths, first):
        (n, l), self.first = widths, first
        self.x = te.placeholder((rows, n), "int32", "x")
        p, q = te.placeholder((rows, n), "int32", "p"), te.placeholder((rows, l), "int32", "q")
        k = te.reduce_axis((0, n), "k")
        self.inits = [te.compute((first, n), lambda t, i: self.x[t, i] + 1, name="p_init"),
                      te.compute((first, l), lambda t, i: i + t, name="q_init")]
        self.scaled = te.compute((rows, n), lambda t, i: self.x[t, i] * 2, name="scaled")  # of no state
        self.twice = te.compute((rows, n), lambda t, i: p[t - 1, i] * 3 - p[t - first, n - 1 - i], name="twice")
        self.total = te.compute((rows,), lambda t: te.sum(self.twice[t, k], axis=k), name="total")
        self.updates = [te.compute((rows, n), lambda t, i: self.twice[t, i] + self.scaled[t, i] - q[t - 1, l - 1], name="p_next"),
                        te.compute((rows, l), lambda t, i: q[t - first, i] + self.total[t], name="q_next")]
        self.outputs = te.scan(self.inits, self.updates, [p, q], name="pair")

    def numpy(self, x):
        first, (rows, n), l = self.first, x.shape, self.outputs[1].shape[1]
        p, q = np.zeros((rows, n), "int32"), np.zeros((rows, l), "int32")
        p[:first] = x[:first] + 1
        q[:first] = np.arange(l) + np.arange(first)[:, None]
        with np.errstate(over="ignore"):
            for t in range(first, rows):
                twice = p[t - 1] * 3 - p[t - first, ::-1]
                p[t] = twice + x[t] * 2 - q[t - 1, l - 1]
                q[t] = q[t - first] + twice.sum(dtype="int32")
        return p, q

    def schedule(self, choose):
        """Random steps on all of its stages."""
        s = te.create_schedule(self.outputs[0].op)
        stages = [*self.inits, *self.updates, self.scaled, self.twice, self.total]
        rows = self.outputs[0].op.scan_axis
        if choose.randrange(3) == 0:
            rows = s[self.outputs[0]].split(rows, factor=choose.randrange(1, 5))[choose.randrange(2)]
        for _ in range(choose.randrange(8)):
            stage = s[choose.choice(stages)]
            axis = choose.choice(stage.leaf_iter_vars)
            step = choose.randrange(8)
            if step < 2:
                stage.split(axis, factor=choose.randrange(1, 5))
            elif step == 2:
                leaves = stage.leaf_iter_vars
                choose.shuffle(leaves)
                stage.reorder(*leaves)
            elif step == 3 and stage.op != s[self.total].op:
                stage.vectorize(stage.split(stage.leaf_iter_vars[-1], factor=4)[1])
            elif step == 4:
                s[self.scaled].compute_at(s[self.outputs[0]], rows)
            elif step == 5:
                s[self.scaled].compute_inline()
            elif step == 6:
                s.cache_read(self.x, "local", [self.inits[0]])
            else:
                s[self.total].compute_at(s[self.updates[1]], choose.choice(s[self.updates[1]].leaf_iter_vars))
        return s


class Scans(unittest.TestCase):
    def test_random_schedules(self):
        refused = 0
        for number in range(PROGRAMS):
            choose = random.Random(number)
            rows, widths, first = choose.randrange(1, 9), (choose.randrange(1, 9), choose.randrange(1, 9)), choose.randrange(1, 4)
            pair = Pair(rows + first - 1, widths, first)
            x = np.random.default_rng(number).integers(-9, 9, (rows + first - 1, widths[0])).astype("int32")
            want = pair.numpy(x)
            with self.subTest(number=number, rows=rows, widths=widths, first=first):
                for out, w in zip(pair.outputs, want):
                    np.testing.assert_array_equal(te.evaluate(out, {pair.x: x}), w)
                try:
                    s = pair.schedule(choose)
                    got = compiled(s, [pair.x, *pair.outputs], x)
                except vta.VTAError as error:
                    self.assertRegex(str(error), "reduce axis|lies outside that loop|not a loop|does not read it")
                    refused += 1
                    continue
                for g, w in zip(got, want):
                    np.testing.assert_array_equal(g, w)
        self.assertLess(refused, PROGRAMS // 4)

    def test_running_sums(self):
        m, n = te.var("m"), te.var("n")
        x, state = te.placeholder((m, n), name="x"), te.placeholder((m, n))
        first = te.compute((1, n), lambda _, i: x[0, i])
        rows = te.compute((m, n), lambda t, i: state[t - 1, i] + x[t, i])
        sums = te.scan(first, rows, state, inputs=[x])
        self.assertIsInstance(sums.op, te.ScanOp)
        self.assertEqual((sums.op.num_outputs, sums.value_index, len(sums.shape)), (1, 0, 2))
        s = te.create_schedule(sums.op)
        outer, inner = s[rows].split(rows.op.axis[1], factor=4)
        s[rows].parallel(outer)
        s[first].vectorize(s[first].split(first.op.axis[1], factor=4)[1])
        for shape in ((1, 1), (1, 6), (7, 5), (16, 8)):
            data = np.random.default_rng(1).uniform(-1, 1, shape).astype("float32")
            (got,) = compiled(s, [x, sums], data)
            np.testing.assert_allclose(got, data.cumsum(axis=0), rtol=1e-5, atol=1e-6)

    def test_used_further(self):
        x, state = te.placeholder((6, 4), "int32", "x"), te.placeholder((6, 4), "int32")
        first = te.compute((1, 4), lambda _, i: x[0, i])
        rows = te.compute((6, 4), lambda t, i: te.max(state[t - 1, i], x[t, i]))
        most = te.scan(first, rows, state)
        out = te.compute((4, 6), lambda i, t: most[t, i] * 2, name="out")
        data = np.random.default_rng(1).integers(-9, 9, (6, 4)).astype("int32")
        for attach in (False, True):
            s = te.create_schedule(out.op)
            s[rows].compute_inline()
            if attach:
                s[most].compute_at(s[out], out.op.axis[0])
            (got,) = compiled(s, [x, out], data)
            np.testing.assert_array_equal(got, np.maximum.accumulate(data).T * 2)
        last = te.compute((4,), lambda i: most[5, i], name="last")  # one row, of which all others are needed
        s = te.create_schedule(last.op)
        s[most].compute_at(s[last], last.op.axis[0])
        np.testing.assert_array_equal(compiled(s, [x, last], data)[0], data.max(axis=0))

    def test_columns_apart(self):
        """An axis whose places are apart: what changes where the first row does at one place is at that place, and of that result."""
        forms = [lambda i, j: (i, j), lambda i, j: (j, i), lambda i, j: (i, i), lambda i, j: (i, 1), lambda i, j: ((i + 1) % 3, j)]
        seen = {True: 0, False: 0}
        for _ in range(PROGRAMS):
            x = [te.placeholder((3, 3), "int32", f"x{k}") for k in range(2)]
            states = [te.placeholder((4, 3, 3), "int32", f"s{k}") for k in range(2)]

            def read(t, before):
                form = forms[int(RANDOM.choice(5, p=(0.6, 0.1, 0.1, 0.1, 0.1)))]
                return lambda r, i, j: t[(r - before, *form(i, j))]

            def computed(values, shape=(4, 3, 3)):
                return te.compute(shape, lambda r, i, j: sum([v(r, i, j) * (3 + n) for n, v in enumerate(values)], 1), name="c")

            firsts = [te.compute((1, 3, 3), lambda r, i, j: one[i, j], name="first") for one in x]  # pylint: disable=cell-var-from-loop
            nexts = []
            for k in range(2):
                between = computed([read(states[k], 1) for _ in range(int(RANDOM.integers(1, 3)))])
                other = [read(states[1 - k], 1)] if RANDOM.random() < 0.2 else []
                nexts.append(computed([read(between, 0) for _ in range(int(RANDOM.integers(1, 3)))] + other))
            results = te.scan(firsts, nexts, states)
            op = results[0].op
            self.assertEqual(len(op.spatial_axis_), 4)
            said = list(op.columns_apart().values())
            values = [RANDOM.integers(-50, 50, (3, 3)).astype("int32") for _ in x]
            for k, axis in itertools.product(range(2), range(2)):
                before = te.evaluate(results[k], dict(zip(x, values)))
                for changed, place in itertools.product(range(2), range(3)):
                    fresh = [v.copy() for v in values]
                    at = [slice(None), slice(None)]
                    at[axis] = place
                    fresh[changed][tuple(at)] += RANDOM.integers(1, 9, 3).astype("int32")
                    after = te.evaluate(results[k], dict(zip(x, fresh)))
                    places = set(np.nonzero(before != after)[1 + axis])
                    if said[2 * k + axis]:
                        self.assertLessEqual(places, {place} if changed == k else set())
                seen[said[2 * k + axis]] += 1
        self.assertGreater(min(seen.values()), 4 * PROGRAMS // 8)

    def test_body(self):
        state, x = te.placeholder((5, 3, 3), "int32", "state"), te.placeholder((5, 3, 3), "int32", "x")
        first = te.compute((1, 3, 3), lambda _, i, j: x[0, i, j], name="first")
        outside = te.compute((5, 3, 3), lambda t, i, j: x[t, i, j] + 1, name="outside")
        flat = te.compute((5, 3, 3), lambda t, i, j: state[t - 1, i, 2] * 2, name="flat")
        turned = te.compute((5, 3, 3), lambda t, j, i: state[t - 1, i, j], name="turned")
        update = te.compute((5, 3, 3), lambda t, i, j: turned[t, j, i] + flat[t, i, j] + outside[t, i, j], name="update")
        op = te.scan(first, update, state).op
        self.assertEqual([o.name for o in op.scan_body], ["turned", "flat", "update"])
        self.assertEqual(list(op.columns_apart().values()), [True, False])
        self.assertEqual([a.name for a in op.spatial_axis_], ["i1", "i2"])

    def test_refusals(self):
        x, state = te.placeholder((6, 4), "int32", "x"), te.placeholder((6, 4), "int32", "state")
        first = te.compute((1, 4), lambda _, i: x[0, i], name="first")

        def rows(at, name="rows"):
            return te.compute((6, 4), at, name=name)

        good = rows(lambda t, i: state[t - 1, i] + x[t, i])
        between = rows(lambda t, i: state[t - 1, i] + 1, "between")
        for update, words in ((rows(lambda t, i: state[t, i] + 1), "rows reads state at row t: inside of the scan"),
                              (rows(lambda t, i: state[t - 2, i] + 1), "1 to 1 rows before"),
                              (rows(lambda t, i: state[5 - t, i] + 1), "rows reads state at row"),
                              (rows(lambda t, i: between[t - te.if_then_else(t > 0, 1, 0), i]), "read at the row being computed"),
                              (te.compute((5, 4), lambda t, i: state[t, i]), "must be alike"),
                              (te.compute((6, 4), lambda t, i: state[t, i].astype("int8")), "must be alike"),
                              (x, "must be computed: x is an input")):
            with self.assertRaisesRegex(ValueError, words):
                te.scan(first, update, state)
        with self.assertRaisesRegex(ValueError, "depends on a state"):
            te.scan(te.compute((1, 4), lambda _, i: state[0, i], name="wrong"), good, state)
        with self.assertRaisesRegex(ValueError, "is not a placeholder"):
            te.scan(first, good, between)
        with self.assertRaisesRegex(ValueError, "takes as many of init and update"):
            te.scan([first], [good, good], [state])
        result = te.scan(first, good, state)
        s = te.create_schedule(result.op)
        t = result.op.scan_axis
        for step, words in ((s[result].parallel, "rows of a scan follow from each other"),
                            (s[result].vectorize, "rows of a scan follow from each other"),
                            (lambda a: s[result].bind(a, te.thread_axis("vthread")), "rows of a scan"),
                            (lambda a: s.cache_write(result, "local"), "it is a scan")):
            with self.assertRaisesRegex(RuntimeError, words):
                step(t)
        outer, inner = s[result].split(t, factor=2)
        s[result].reorder(inner, outer)
        with self.assertRaisesRegex(RuntimeError, "do not run in their order"):
            vta.lower(s, [x, result])
        outside = te.compute((6, 4), lambda t, i: result[t, i] + good[t, i], name="outside")
        with self.assertRaisesRegex(RuntimeError, "used outside of it|lies outside that loop"):
            vta.lower(te.create_schedule(outside.op), [x, outside])


if __name__ == "__main__":
    unittest.main()

"""Reads are checked over what is computed: rows that no consumer needs, and rows before the first of a scan, are not."""

import unittest

import common  # noqa: F401  # pylint: disable=unused-import
import numpy as np
import tvm
from tvm import te

RANDOM = np.random.default_rng(17)


def run(s, args, *arrays):
    given = [tvm.nd.array(a) for a in arrays]
    tvm.build(s, args, "llvm")(*given)
    return given[-1].numpy()


class Ranges(unittest.TestCase):
    def test_part_that_is_needed(self):
        """Row 0 of `shifted` would read before `x`, but nobody asks for it."""
        x = te.placeholder((8,), "float32", "x")
        shifted = te.compute((9,), lambda i: x[i - 1], "shifted")
        out = te.compute((8,), lambda i: shifted[i + 1] * 2.0, "out")
        values = RANDOM.uniform(-1, 1, 8).astype("float32")
        s = te.create_schedule(out.op)
        np.testing.assert_array_equal(run(s, [x, out], values, np.zeros(8, "float32")), values * 2)
        self.assertEqual(tvm.te.schedule.InferBound(s)[shifted.op.axis[0]].min, 1)

    def test_part_that_is_not(self):
        x = te.placeholder((8,), "float32", "x")
        shifted = te.compute((9,), lambda i: x[i - 1], "shifted")
        out = te.compute((8,), lambda i: shifted[i] * 2.0, "out")
        s = te.create_schedule(out.op)
        with self.assertRaisesRegex(tvm.TVMError, r"shifted reads x outside of it: the index of dimension 0, \(i - 1\), runs from -1 to 6"):
            tvm.lower(s, [x, out])

    def test_axis_that_depends_on_another(self):
        """The sum of a row's rest ends with the row, though both of its axes are longer together."""
        x = te.placeholder((10,), "float32", "x")

        def rest(i):
            k = te.reduce_axis((0, 10 - i), "k")
            return te.sum(x[i + k], axis=k)

        out = te.compute((10,), rest, "out")
        values = RANDOM.integers(-9, 9, 10).astype("float32")
        found = run(te.create_schedule(out.op), [x, out], values, np.zeros(10, "float32"))
        np.testing.assert_array_equal(found, np.cumsum(values[::-1])[::-1])

    def test_rows_of_a_scan(self):
        """What a scan's next rows read is computed from the first of them on."""
        steps, width = 6, 5
        for scheduled in (False, True):
            x = te.placeholder((steps - 1, width), "float32", "x")
            scaled = te.compute((steps, width), lambda t, i: x[t - 1, i] * 3.0, "scaled")
            state = te.placeholder((steps, width), "float32", "state")
            start = te.compute((1, width), lambda _, i: te.const(0.5, "float32"), "start")
            gate = te.compute((steps, width), lambda t, i: scaled[t, i] + state[t - 1, i], "gate")
            following = te.compute((steps, width), lambda t, i: gate[t, i] * 0.5, "following")
            result = te.scan(start, following, state, inputs=[x])
            s = te.create_schedule(result.op)
            if scheduled:
                s[gate].compute_inline()
                s[following].split(following.op.axis[1], 2)
            rows = RANDOM.uniform(-1, 1, (steps - 1, width)).astype("float32")
            want = [np.full(width, 0.5, "float32")]
            for row in rows:
                want.append((row * 3 + want[-1]) * np.float32(0.5))
            found = run(s, [x, result], rows, np.zeros((steps, width), "float32"))
            np.testing.assert_allclose(found, want, rtol=1e-6)
            bounds = tvm.te.schedule.InferBound(s)[scaled.op.axis[0]]
            self.assertEqual((bounds.min, bounds.extent), (1, steps - 1))

    def test_first_stage_of_a_sum(self):
        """The loops of a reduction that rfactor leaves keep their variables."""
        a = te.placeholder((4, 12), "float32", "a")
        k = te.reduce_axis((0, 12), "k")
        total = te.compute((4,), lambda i: te.sum(a[i, k], axis=k), "total")
        s = te.create_schedule(total.op)
        outer, inner = s[total].split(k, 5)
        first = s.rfactor(total, inner)
        self.assertEqual(first.op.body[0].axis[0].var, outer.var)
        s[first].compute_at(s[total], total.op.axis[0])
        values = RANDOM.integers(-9, 9, (4, 12)).astype("float32")
        np.testing.assert_array_equal(run(s, [a, total], values, np.zeros(4, "float32")), values.sum(1))


if __name__ == "__main__":
    unittest.main()

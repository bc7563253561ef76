"""Stages computed at a loop that is split, fused or reordered afterwards follow what the loop became."""

import random
import unittest

import common  # noqa: F401  # pylint: disable=unused-import
import numpy as np

import vta
from vta import te

PROGRAMS = 40


def chain(shape):
    """An input, three stages on it that read their neighbours, and a function of the input's values that does the same."""
    a = te.placeholder((shape[0] + 3, shape[1] + 3), "int32", "a")
    b = te.compute((shape[0] + 2, shape[1] + 2), lambda i, j: a[i, j] * 3 + a[i + 1, j + 1], name="b")
    c = te.compute((shape[0] + 1, shape[1] + 1), lambda i, j: b[i, j] - b[i + 1, j + 1], name="c")
    d = te.compute(shape, lambda i, j: c[i, j] + c[i + 1, j] * c[i, j + 1], name="d")

    def values(x):
        y = x[:-1, :-1] * 3 + x[1:, 1:]
        z = y[:-1, :-1] - y[1:, 1:]
        return z[:-1, :-1] + z[1:, :-1] * z[:-1, 1:]

    return [a, b, c, d], values


def change(choose, stage):
    """Splits, fuses or reorders loops of a stage; which."""
    leaves = stage.leaf_iter_vars
    step = choose.randrange(4)
    if step == 0 and len(leaves) > 1:
        at = choose.randrange(len(leaves) - 1)
        stage.fuse(leaves[at], leaves[at + 1])
    elif step == 1:
        choose.shuffle(leaves)
        stage.reorder(*leaves)
    elif step == 2:
        stage.split(choose.choice(leaves), nparts=choose.randrange(1, 5))
    else:
        stage.split(choose.choice(leaves), factor=choose.randrange(1, 5))


class Attached(unittest.TestCase):
    def test_random_schedules(self):
        moved = refused = 0
        for number in range(PROGRAMS):
            choose = random.Random(number)
            shape = (choose.randrange(1, 10), choose.randrange(1, 10))
            (a, b, c, d), values = chain(shape)
            s = te.create_schedule(d.op)
            points = []
            for stage, parent in ((s[c], s[d]), (s[b], choose.choice((s[c], s[d])))):
                points.append((parent, choose.choice(parent.leaf_iter_vars)))
                stage.compute_at(*points[-1])
            for _ in range(choose.randrange(1, 5)):
                change(choose, choose.choice((s[c], s[d])))
            moved += not all(axis in parent.leaf_iter_vars for parent, axis in points)
            x = np.random.default_rng(number).integers(-9, 9, (shape[0] + 3, shape[1] + 3)).astype("int32")
            out = vta.nd.array(np.full(shape, 77, "int32"), vta.cpu(0))
            with self.subTest(number=number, shape=shape):
                try:
                    kernel = vta.build(s, [a, d], "llvm")
                except vta.VTAError as error:  # a reordering may put c outside of the loop that b is computed at
                    self.assertIn("lies outside that loop", str(error))
                    refused += 1
                    continue
                kernel(vta.nd.array(x, vta.cpu(0)), out)
                np.testing.assert_array_equal(out.numpy(), values(x))
        self.assertGreater(moved, PROGRAMS // 3)
        self.assertLess(refused, PROGRAMS // 8)

    def test_where_it_goes(self):
        (a, b, c, d), _ = chain((8, 8))
        s = te.create_schedule(d.op)
        s[b].compute_inline()
        i, j = s[d].op.axis
        s[c].compute_at(s[d], i)
        outer, inner = s[d].split(i, factor=4)
        s[d].reorder(inner, j, outer)
        text = str(vta.lower(s, [a, d], simple_mode=True))
        loops = [line.split()[1].strip("(:") for line in text.splitlines() if line.strip().startswith("for")]
        self.assertEqual(loops[:3], ["i.inner", "j", "i.outer"], text)
        self.assertNotIn("i.outer", loops[3:])


if __name__ == "__main__":
    unittest.main()

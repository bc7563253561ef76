"""What a stage says of the steps done to it, splits by numbers that are known when the kernel runs, fusions of data and
reduce axes, memories of processors, and groups."""

import unittest

import common  # noqa: F401  # pylint: disable=unused-import
import numpy as np

import vta
from vta import te
from vta.te import schedule


def run(s, args, *values):
    """Calls the compiled function; arrays are given as numpy arrays, the last is the output."""
    kernel = vta.build(s, args, "llvm")
    arrays = [vta.nd.array(v, vta.cpu(0)) if isinstance(v, np.ndarray) else v for v in values]
    kernel(*arrays)
    return arrays[-1].numpy()


def product(rows=7, columns=9, inner=5):
    a, b = te.placeholder((rows, inner), "int32", "a"), te.placeholder((inner, columns), "int32", "b")
    k = te.reduce_axis((0, inner), "k")
    c = te.compute((rows, columns), lambda i, j: te.sum(a[i, k] * b[k, j], axis=k), name="c")
    return a, b, c, k


class Steps(unittest.TestCase):
    def test_relations(self):
        a, _, c, k = product()
        s = te.create_schedule(c.op)
        i, j = c.op.axis
        outer, inner = s[c].split(i, factor=2)
        fused = s[c].fuse(inner, j)
        ko, ki = s[c].split(k, nparts=3)
        split, fuse, parts = s[c].relations
        self.assertIsInstance(split, schedule.Split)
        self.assertEqual((split.parent, split.outer, split.inner, split.factor.value, split.nparts), (i, outer, inner, 2, None))
        self.assertIsInstance(fuse, schedule.Fuse)
        self.assertEqual((fuse.outer, fuse.inner, fuse.fused), (inner, j, fused))
        self.assertEqual((parts.parent, parts.outer, parts.inner, parts.factor, parts.nparts.value), (k, ko, ki, None, 3))
        self.assertEqual(s[c].leaf_iter_vars, [outer, fused, ko, ki])
        self.assertEqual(s[c].all_iter_vars, [i, j, k, outer, inner, fused, ko, ki])
        one = te.compute((), lambda: a[0, 0] + 1)
        s = te.create_schedule(one.op)
        axis = s[one].fuse()
        self.assertIsInstance(s[one].relations[0], schedule.Singleton)
        self.assertEqual((s[one].relations[0].iter, s[one].leaf_iter_vars), (axis, [axis]))

    def test_marks(self):
        _, _, c, k = product()
        s = te.create_schedule(c.op)
        i, j = c.op.axis
        self.assertEqual(s[c].iter_var_attrs, {})
        s[c].vectorize(j)
        s[c].unroll(k)
        s[c].pragma(i, "first")
        s[c].pragma(i, "second", 3)
        marks = s[c].iter_var_attrs
        self.assertEqual((marks[j].iter_type, marks[k].iter_type, marks[i].iter_type),
                         (te.IterVar.Vectorized, te.IterVar.Unrolled, te.IterVar.DataPar))
        self.assertEqual(marks[i].pragma_keys, ["first", "second"])
        self.assertEqual([v.value for v in marks[i].pragma_values], [1, 3])
        thread = te.thread_axis("cthread")
        s = te.create_schedule(c.op)
        s[c].bind(i, thread)
        self.assertEqual(s[c].iter_var_attrs[i].bind_thread, thread)

    def test_attachment(self):
        a, _, c, _ = product()
        d = te.compute((7, 9), lambda i, j: c[i, j] + 1, name="d")
        s = te.create_schedule(d.op)
        self.assertEqual((s[c].attach_type, s[c].attach_stage, s[c].attach_ivar), (s[c].ROOT, None, None))
        s[c].compute_at(s[d], d.op.axis[0])
        self.assertEqual((s[c].attach_type, s[c].attach_stage.op, s[c].attach_ivar), (s[c].SCOPE, d.op, d.op.axis[0]))
        e = te.compute((7, 5), lambda i, j: a[i, j] + 1)
        f = te.compute((7, 5), lambda i, j: e[i, j] + 1)
        s = te.create_schedule(f.op)
        s[e].compute_inline()
        self.assertEqual(s[e].attach_type, s[e].INLINE)

    def test_symbolic_split(self):
        n, f = te.var("n"), te.var("f")
        a = te.placeholder((n,), "int32", "a")
        twice = te.compute((n,), lambda i: a[i] * 2, name="twice")
        k = te.reduce_axis((0, n), "k")
        total = te.compute((1,), lambda i: te.sum(twice[k], axis=k), name="total")
        for parts in (False, True):
            s = te.create_schedule(total.op)
            number = {"nparts" if parts else "factor": f}
            outer, inner = s[total].split(k, **number)
            s[total].reorder(inner, outer)
            s[twice].compute_at(s[total], inner)
            s[twice].split(s[twice].op.axis[0], **({"nparts": f + 1} if parts else {"factor": f + 1}))
            kernel = vta.build(s, [n, f, a, total], "llvm")
            for size in (1, 2, 7, 16, 33):
                data = np.arange(size, dtype="int32") - 3
                for factor in (1, 2, 3, 7, 40, 1000):
                    out = vta.nd.array(np.full(1, 77, "int32"), vta.cpu(0))
                    kernel(size, factor, vta.nd.array(data, vta.cpu(0)), out)
                    self.assertEqual(out.numpy()[0], 2 * data.sum(), (parts, size, factor))
                for factor in (0, -1, -2**31, 2**31 - 1):
                    with self.assertRaisesRegex(vta.VTAError, "which must be from 1 to 2.30|out of memory"):  # of its buffer
                        kernel(size, factor, vta.nd.array(data, vta.cpu(0)), out)
        s = te.create_schedule(total.op)
        with self.assertRaisesRegex(ValueError, "made of constants and scalars"):
            s[total].split(k, factor=total.op.axis[0].var + 1)
        s[total].split(k, factor=te.const(3) + 1)
        self.assertEqual(s[total].relations[0].factor.value, 4)

    def test_fused_with_a_reduction(self):
        a, b, c, k = product()
        x, y = (np.random.default_rng(3).integers(-9, 9, shape).astype("int32") for shape in ((7, 5), (5, 9)))
        for split in (None, 2, 4):
            for order in range(3):
                s = te.create_schedule(c.op)
                i, j = c.op.axis
                if split:
                    k_outer, k_inner = s[c].split(k, factor=split)
                    j_outer, j_inner = s[c].split(j, factor=split)
                    s[c].reorder(i, j_outer, k_outer, j_inner, k_inner)
                    fused = s[c].fuse(j_outer, k_outer)
                    fused = s[c].fuse(j_inner, k_inner) if order == 1 else s[c].fuse(i, fused) if order == 2 else fused
                else:
                    s[c].reorder(i, *((k, j) if order else (j, k)))
                    fused = s[c].fuse(*((k, j) if order else (j, k)))
                    if order == 2:
                        s[c].split(fused, factor=4)
                got = run(s, [a, b, c], x, y, np.full((7, 9), 77, "int32"))
                np.testing.assert_array_equal(got, x @ y, f"{split} {order}")
                with self.assertRaisesRegex(vta.VTAError, "fused"):
                    s.cache_write(c, "local")
                with self.assertRaisesRegex(vta.VTAError, "is a reduce axis|no loop|already been split"):
                    s[c].parallel(fused)

    def test_memories_of_processors(self):
        a, b, c, _ = product()
        d = te.compute((7, 9), lambda i, j: c[i, j] * 2, name="d")
        x, y = (np.random.default_rng(3).integers(-9, 9, shape).astype("int32") for shape in ((7, 5), (5, 9)))
        for scope in ("shared", "warp", "local", "global", "shared.dyn", "global.texture"):
            s = te.create_schedule(d.op)
            s[c].set_scope(scope)
            s[c].compute_at(s[d], d.op.axis[0])
            copy = s.cache_read(a, scope, [c])
            s[copy].compute_at(s[c], s[c].op.axis[0])
            self.assertEqual(s[c].scope, scope)
            np.testing.assert_array_equal(run(s, [a, b, d], x, y, np.zeros((7, 9), "int32")), x @ y * 2, scope)
        for scope in ("share", "local.", "wmma.accumulator", "sharedx", "global.a b"):
            with self.assertRaisesRegex(ValueError, "storage scope"):
                te.create_schedule(d.op)[c].set_scope(scope)

    def test_groups(self):
        a = te.placeholder((8, 8), "int32", "a")
        b = te.compute((8, 8), lambda i, j: a[i, j] + 1, name="b")
        c = te.compute((8, 8), lambda i, j: b[i, j] * 3, name="c")
        d = te.compute((8, 8), lambda i, j: c[i, j] - b[i, j], name="d")
        e = te.compute((8, 8), lambda i, j: d[i, j] * d[j, i], name="e")
        s = te.create_schedule(e.op)
        group = s.create_group(outputs=d, inputs=a)
        self.assertEqual([op.name for op in group.members], ["b", "c", "d"])
        self.assertEqual([op.name for op in s.create_group([d], [b], include_inputs=True).members], ["b", "c", "d"])
        self.assertEqual([op.name for op in s.create_group([d], [b]).members], ["c", "d"])
        group.compute_at(s[e], e.op.axis[0])
        s[c].compute_at(s[d], s[d].op.axis[0])
        x = np.arange(64, dtype="int32").reshape(8, 8)
        y = (x + 1) * 3 - (x + 1)
        np.testing.assert_array_equal(run(s, [a, e], x, np.zeros((8, 8), "int32")), y * y.T)
        with self.assertRaisesRegex(ValueError, "no way leads"):
            s.create_group([b], [d])
        outer, inner, last = s.groups
        self.assertEqual([(g.num_child_stages, g.group, len(g.members)) for g in (outer, inner, last)],
                         [(1, None, 3), (2, outer, 3), (2, inner, 2)])
        self.assertEqual((s[a].group, s[b].group, s[c].group, s[e].group), (None, inner, last, None))
        self.assertEqual((group, outer.attach_stage, outer.attach_ivar, outer.attach_type), (outer, s[e], e.op.axis[0], s[e].SCOPE))
        self.assertEqual((last.attach_stage, last.attach_type, len({outer, inner, last, s[c].group})), (None, s[e].ROOT, 3))
        self.assertEqual(repr(last), "group(c, d)")
        outer.compute_root()
        np.testing.assert_array_equal(run(s, [a, e], x, np.zeros((8, 8), "int32")), y * y.T)
        with self.assertRaisesRegex(NotImplementedError, "StageGroup.compute_inline is not offered"):
            outer.compute_inline()

    def test_around_virtual_threads(self):
        """A stage that is computed around the loops that virtual threads become is computed for all of them."""
        refused = 0
        for tag in ("vthread", "cthread"):
            for at, scope, bound in [(at, scope, bound) for at in (0, 1) for scope in ("local", "global", "warp", "shared", "") for bound in (0, 1)]:
                a = te.placeholder((4, 6, 2), "int32", "a")
                b = te.compute((4, 6, 2), lambda i, j, k: a[i, j, k] * 3 + i, "b")
                c = te.compute((4, 6, 2), lambda i, j, k: b[i, 5 - j, k] + b[i, j, 1 - k], "c")
                s, thread = te.create_schedule(c.op), te.thread_axis(tag)
                s[b].compute_at(s[c], c.op.axis[at])
                if scope:
                    s[b].set_scope(scope)
                s[c].bind(c.op.axis[1], thread)
                if bound:
                    s[b].bind(b.op.axis[1], thread)
                x = np.arange(48, dtype="int32").reshape(4, 6, 2)
                y = x * 3 + np.arange(4).reshape(4, 1, 1)
                try:
                    got = run(s, [a, c], x, np.zeros((4, 6, 2), "int32"))
                except vta.VTAError as error:
                    refused += 1
                    self.assertIn("have different extents", str(error))
                    continue
                np.testing.assert_array_equal(got, y[:, ::-1, :] + y[:, :, ::-1])
        self.assertEqual(refused, 6)  # each thread computes its own part, whose size is not the number of threads


if __name__ == "__main__":
    unittest.main()

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


def dense(env, threads, batch=2, inputs=3, outputs=8):
    """A matrix product whose loads are computed at a loop that becomes threads."""
    a = te.placeholder((batch, inputs, env.BATCH, env.BLOCK_IN), env.inp_dtype, "a")
    w = te.placeholder((outputs, inputs, env.BLOCK_OUT, env.BLOCK_IN), env.wgt_dtype, "w")
    ko, ki = te.reduce_axis((0, inputs), "ko"), te.reduce_axis((0, env.BLOCK_IN), "ki")
    shape = (batch, outputs, env.BATCH, env.BLOCK_OUT)
    sums = te.compute(shape, lambda b, c, bi, ci: te.sum(
        a[b, ko, bi, ki].astype(env.acc_dtype) * w[c, ko, ci, ki].astype(env.acc_dtype), axis=[ko, ki]), name="sums")
    shifted = te.compute(shape, lambda *i: sums(*i) >> 8, name="shifted")
    out = te.compute(shape, lambda *i: shifted(*i).astype(env.out_dtype), name="out")
    s = te.create_schedule(out.op)
    copies = s.cache_read(a, env.inp_scope, [sums]), s.cache_read(w, env.wgt_scope, [sums])
    bo, co, _, _ = s[out].op.axis
    co0, co1 = s[out].split(co, factor=2)
    bo0, bo1 = s[out].split(bo, factor=1)
    s[out].reorder(bo0, co0, bo1, co1)
    for stage in (sums, shifted):
        s[stage].set_scope(env.acc_scope)
        s[stage].compute_at(s[out], co0)
    if threads > 1:
        _, thread = s[out].split(co0, factor=threads)
        s[out].reorder(thread, bo0)
        s[out].bind(thread, te.thread_axis("cthread"))
    b, c, bi, ci = s[sums].op.axis
    s[sums].reorder(ko, b, c, bi, ci, ki)
    for copy in copies:
        s[copy].compute_at(s[sums], ko)
        s[copy].pragma(s[copy].op.axis[0], env.dma_copy)
    s[sums].tensorize(bi, env.gemm)
    s[shifted].pragma(s[shifted].op.axis[0], env.alu)
    s[out].pragma(co1, env.dma_copy)
    return s, (a, w, out)


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

    def test_marked_loops(self):
        """Stages at loops that are vectorized, parallel or threads, on both targets: each step has buffers of its own."""
        marks, refused = dict.fromkeys(("vectorize", "parallel", "unroll", "bind"), 0), 0
        for number in range(PROGRAMS):
            choose = random.Random(1000 + number)
            shape = (choose.choice((8, 13, 4)), choose.choice((8, 16, 5)))
            (a, b, c, d), values = chain(shape)
            s = te.create_schedule(d.op)
            for axis in s[d].op.axis:
                s[d].split(axis, factor=choose.choice((2, 4, 8)))
            leaves = s[d].leaf_iter_vars
            choose.shuffle(leaves)
            s[d].reorder(*leaves)
            s[c].compute_at(s[d], choose.choice(leaves))
            s[b].compute_at(*choose.choice(((s[d], choose.choice(leaves)), (s[c], s[c].op.axis[0]), (s[c], s[c].op.axis[1]))))
            for leaf in choose.sample(leaves, 2):
                mark = choose.choice(list(marks))
                marks[mark] += 1
                getattr(s[d], mark)(leaf, *([te.thread_axis("cthread")] if mark == "bind" else []))
            x = np.random.default_rng(number).integers(-9, 9, (shape[0] + 3, shape[1] + 3)).astype("int32")
            for target, device in (("llvm", vta.cpu(0)), ("ext_dev", vta.ext_dev(0))):
                with self.subTest(number=number, shape=shape, target=target):
                    try:
                        kernel = vta.build(s, [a, d], target)
                    except vta.VTAError as error:  # b, at a loop outside of that of c
                        self.assertIn("lies outside that loop", str(error))
                        refused += 1
                        continue
                    out = vta.nd.array(np.full(shape, 77, "int32"), device)
                    kernel(vta.nd.array(x, device), out)
                    np.testing.assert_array_equal(out.numpy(), values(x))
        self.assertGreater(min(marks.values()), PROGRAMS // 5)
        self.assertLess(refused, PROGRAMS // 2)

    def test_lane_has_its_own(self):
        """The smallest of these: a stage at the vectorized loop of its reader."""
        for target, device in (("llvm", vta.cpu(0)), ("ext_dev", vta.ext_dev(0))):
            a = te.placeholder((8,), "int32", "a")
            t = te.compute((8,), lambda i, a=a: a[i] + 1, name="t")
            o = te.compute((8,), lambda i, t=t: t[i] * 2, name="o")
            s = te.create_schedule(o.op)
            s[t].compute_at(s[o], s[o].op.axis[0])
            s[o].vectorize(s[o].op.axis[0])
            out = vta.nd.array(np.zeros(8, "int32"), device)
            vta.build(s, [a, o], target)(vta.nd.array(np.arange(8, dtype="int32"), device), out)
            np.testing.assert_array_equal(out.numpy(), (np.arange(8) + 1) * 2, target)

    def test_threads_of_a_product(self):
        """The loop that loads are computed at is split among threads afterwards, as TVM's VTA does in its dense operator."""
        env, random_values = vta.get_env(), np.random.default_rng(1)
        for threads in (1, 2, 4):
            s, (a, w, out) = dense(env, threads)
            x, y = (random_values.integers(-128, 128, t.shape).astype("int8") for t in (a, w))
            got = vta.nd.array(np.zeros(out.shape, "int8"), vta.ext_dev(0))
            vta.build(s, [a, w, out], "ext_dev")(vta.nd.array(x, vta.ext_dev(0)), vta.nd.array(y, vta.ext_dev(0)), got)
            want = np.einsum("bkij,okpj->boip", x.astype("int32"), y.astype("int32")) >> 8
            np.testing.assert_array_equal(got.numpy(), want.astype("int8"), f"{threads} threads")

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

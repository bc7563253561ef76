"""Loops bound to a graphics processor's threads are lowered: what the threads of the lowered code compute, run one by one by a
small reading of its statements, is what the computation says. It is compiled for no target."""

import itertools
import unittest

import common  # noqa: F401  # pylint: disable=unused-import
import numpy as np
import tvm
from tvm import te

import vta

RANDOM = np.random.default_rng(5)
BINARY = {"add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "floordiv": lambda a, b: a // b,
          "floormod": lambda a, b: a % b, "min": min, "max": max, "lt": lambda a, b: a < b, "le": lambda a, b: a <= b,
          "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b, "eq": lambda a, b: a == b, "and": lambda a, b: a and b}


class Thread:
    """One thread: its variables, its own memory, and the memory of all."""

    def __init__(self, tags, memory):
        self.tags, self.memory, self.values = tags, dict(memory), {}

    def value(self, e):
        if e.kind in BINARY:
            return BINARY[e.kind](*[self.value(o) for o in e.operands])
        if e.kind in ("int", "float"):
            return e.value
        if e.kind == "var":
            return self.values[str(e)]
        if e.kind == "load":
            return self.memory[str(e).partition("[")[0]][self.value(e.operands[0])]
        if e.kind == "call" and "likely" in str(e):
            return self.value(e.operands[0])
        raise NotImplementedError(e.kind)

    def run(self, s):
        getattr(self, f"run_{s.node}")(s.fields)

    def run_attr(self, f):
        if f["key"] != "thread_extent":
            return self.run(f["body"])
        tag = f["node"].name
        self.values[tag] = self.tags[tag]
        if self.tags[tag] < self.value(f["value"]):
            self.run(f["body"])

    def run_allocate(self, f):
        if str(f["var"]) not in self.memory:
            self.memory[str(f["var"])] = np.full(self.value(f["extents"][0]), np.nan)
        self.run(f["body"])

    def run_seq(self, f):
        for s in f["items"]:
            self.run(s)

    def run_for(self, f):
        for i in range(self.value(f["extent"])):
            self.values[str(f["var"])] = self.value(f["min"]) + i
            self.run(f["body"])

    def run_if(self, f):
        if self.value(f["condition"]):
            self.run(f["then_case"])
        elif f["else_case"]:
            self.run(f["else_case"])

    def run_store(self, f):
        at = self.value(f["indices"][0])
        assert 0 <= at < len(self.memory[f["buffer"]]), (f["buffer"], at)
        self.memory[f["buffer"]][at] = self.value(f["value"])


def run(body, most, memory):
    """All threads of a kernel without memory that threads share but the arguments."""
    for at in itertools.product(*[range(n) for n in most.values()]):
        Thread(dict(zip(most, at)), memory).run(body)


def statements(body, kind):
    found = []
    tvm.tir.stmt_functor.post_order_visit(body, lambda s: found.append(s) if isinstance(s, kind) else None)
    return found


def pair(n, m):
    a = te.placeholder((n, m), "float32", "A")
    b = te.compute((n, m), lambda i, j: a[i, j] * 2.0, "B")
    c = te.compute((n, m), lambda i, j: b[i, j] + 1.0, "C")
    return a, b, c


class Threads(unittest.TestCase):
    def test_random_schedules(self):
        for case in range(24):
            n, m = RANDOM.integers(1, 12, 2).tolist()
            a, b, c = pair(n, m)
            s = te.create_schedule(c.op)
            factor = int(RANDOM.integers(1, 9))
            block, x, y = (te.thread_axis(tag) for tag in ("blockIdx.x", "threadIdx.x", "threadIdx.y"))
            if case % 3 == 0:
                fused = s[c].fuse(*c.op.axis)
                outer, inner = s[c].split(fused, factor)
            else:
                rows, columns = c.op.axis
                outer, inner = s[c].split(columns, factor)
                s[c].reorder(outer, inner, rows) if case % 2 else s[c].bind(rows, y)
            s[c].bind(outer, block)
            s[c].bind(inner, x)
            how = case % 4
            if how == 0:
                s[b].compute_inline()
            elif how == 1:
                s[b].compute_at(s[c], inner)
            else:
                s[b].set_scope("local")
                s[b].compute_at(s[c], outer if how == 2 and case % 3 else inner)
                if how == 2 and case % 3:
                    s[b].bind(s[b].split(b.op.axis[1], factor)[1], x)  # each thread computes its own part
                    if not case % 2:
                        s[b].bind(s[b].split(b.op.axis[0], n)[1], y)
            body = tvm.lower(s, [a, c])["main"].body
            values = RANDOM.uniform(-1, 1, (n, m))
            out = np.full(n * m, np.nan)
            run(body, {"blockIdx.x": n * m, "threadIdx.x": 9, "threadIdx.y": 12}, {"A": values.ravel(), "C": out})
            with self.subTest(case=case, n=n, m=m):
                np.testing.assert_allclose(out.reshape(n, m), values * 2 + 1)

    def test_what_threads_hold(self):
        """Memory of a block holds what all its threads need, a thread's own what it needs itself."""
        for scope, rows in (("local", 1), ("shared", 8), ("warp", 8), ("", 1)):
            a, b, c = pair(64, 4)
            s = te.create_schedule(c.op)
            outer, inner = s[c].split(c.op.axis[0], 8)
            s[c].bind(outer, te.thread_axis("blockIdx.x"))
            s[c].bind(inner, te.thread_axis((0, 8), "threadIdx.x"))
            s[b].compute_at(s[c], inner)
            if scope:
                s[b].set_scope(scope)
            bounds = te.schedule.InferBound(s)
            self.assertEqual([bounds[axis].extent.value for axis in b.op.axis], [rows, 4], scope)
            (memory,) = statements(tvm.lower(s, [a, c])["main"].body, tvm.tir.Allocate)
            self.assertEqual(memory.extents[0].value, rows * 4, scope)

    def test_what_a_block_holds(self):
        """Without a scope, what is computed in a block is shared by its threads."""
        a, b, c = pair(64, 4)
        s = te.create_schedule(c.op)
        outer, inner = s[c].split(c.op.axis[0], 8)
        s[c].bind(outer, te.thread_axis("blockIdx.x"))
        s[c].bind(inner, te.thread_axis("threadIdx.x"))
        s[b].compute_at(s[c], outer)
        self.assertEqual([te.schedule.InferBound(s)[axis].extent.value for axis in b.op.axis], [8, 4])

    def test_symbolic(self):
        n = te.var("n")
        a = te.placeholder((n,), "float32", "A")
        b = te.compute((n,), lambda i: a[i] * 2.0, "B")
        s = te.create_schedule(b.op)
        outer, inner = s[b].split(b.op.axis[0], 64)
        s[b].bind(outer, te.thread_axis("blockIdx.x"))
        s[b].bind(inner, te.thread_axis("threadIdx.x"))
        text = str(tvm.lower(s, [a, b]))
        self.assertIn('"thread_extent" = floordiv((n + 63), 64)', text)
        self.assertIn("if (((blockIdx.x*64) + threadIdx.x) < n)", text)

    def test_refusals(self):
        a, _, c = pair(8, 4)
        s = te.create_schedule(c.op)
        s[c].bind(c.op.axis[0], te.thread_axis("threadIdx.x"))
        for target in ("llvm", "c", "ext_dev"):
            with self.assertRaisesRegex(NotImplementedError, "a loop is bound to threadIdx.x, a thread of a graphics processor"):
                (vta.build if target == "ext_dev" else tvm.build)(s, [a, c], target)
        with self.assertRaisesRegex(NotImplementedError, 'no thread axis "threadIdx.w"'):
            te.thread_axis("threadIdx.w")
        k = te.reduce_axis((0, 4), "k")
        total = te.compute((8,), lambda i: te.sum(a[i, k], axis=k), "total")
        with self.assertRaisesRegex(tvm.TVMError, "it is a reduce axis; threads cannot share a sum"):
            te.create_schedule(total.op)[total].bind(k, te.thread_axis("threadIdx.x"))

    def test_outside_of_a_thread(self):
        """A thread's own memory that is computed where nothing binds the thread."""
        a, b, c = pair(8, 4)
        s = te.create_schedule(c.op)
        outer, inner = s[c].split(c.op.axis[0], 4)
        s[c].bind(outer, te.thread_axis("blockIdx.x"))
        s[c].bind(inner, te.thread_axis("threadIdx.x"))
        s[b].compute_at(s[c], outer)
        s[b].set_scope("local")
        with self.assertRaisesRegex(tvm.TVMError, "each thread has its own, but C, which needs it, is bound to thread threadIdx.x"):
            tvm.lower(s, [a, c])


if __name__ == "__main__":
    unittest.main()

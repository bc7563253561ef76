"""What a call says is about that call: calls that fail and calls that succeed, in random order on the same objects, with every
exception kept (as notebooks do). One that succeeds alone succeeds, and one that fails says the same words each time."""

import random
import threading
import traceback
import unittest

import numpy as np

import common  # noqa: F401
import test_compile
import tvm
import vta
from tvm import te, tir, topi
from vta.build import run_passes, schedule_to_module

STEPS = 400
THREADS = 3


class Program:
    """What the calls work on; all of it belongs to one context, which the exceptions keep, too."""

    def __init__(self):
        self.n = te.var("n")
        self.a = te.placeholder((8,), name="A")
        self.i8 = te.placeholder((8,), name="I", dtype="int8")
        self.b = te.compute((8,), lambda i: self.a[i] + 1.0, name="B")
        self.s = te.create_schedule(self.b.op)
        self.axis = self.b.op.axis[0]
        self.module = tvm.lower(self.s, [self.a, self.b], name="k")
        self.function = self.module["k"]
        self.buffer = tir.decl_buffer((8,), "float32", name="buffer")
        self.built = tvm.build(self.s, [self.a, self.b], "llvm", name="k")
        self.arrays = [tvm.nd.array(np.ones(8, "float32")), tvm.nd.array(np.zeros(8, "float32"))]
        self.graph = vta.Graph(test_compile.CONV)

        env = vta.get_env()
        c = te.compute((3, 5), lambda i, j: te.placeholder((3, 5), name="C", dtype="int32")[i, j], name="X")
        d = te.compute((3, 5), lambda i, j: c[j % 3, i], name="D")
        s = te.create_schedule(d.op)
        s[c].set_scope(env.acc_scope)
        s[c].pragma(c.op.axis[0], env.dma_copy)
        self.cannot = schedule_to_module(s, [*c.op.input_tensors, d], "cannot")["cannot"]

    def passes(self):
        with vta.build_config():
            return run_passes(self.cannot)

    def schedule(self):
        s = te.create_schedule(self.b.op)
        return s, s[self.b]


def _add(p):
    b = te.compute((8,), lambda i: p.a[i] + p.a[7 - i], name="B")
    s = te.create_schedule(b.op)
    s[b].split(b.op.axis[0], factor=4)
    return str(tvm.lower(s, [p.a, b]))


def _built(p):
    tvm.build(p.schedule()[0], [p.a, p.b], "llvm")(*p.arrays)
    return p.arrays[1].numpy().tolist()


#: Calls that succeed; what they give is the same each time.
GOOD = {
    "lower": _add,
    "build": _built,
    "call": lambda p: p.built(*p.arrays),
    "constant": lambda p: str(tir.const(100, "int8") + p.n.astype("int8")),
    "simplify": lambda p: str(tvm.arith.Analyzer().simplify(p.n + p.n - p.n)),
    "passes": lambda p: str(vta.passes.Pass("tir.Simplify")(p.module)),
    "module": lambda p: str(schedule_to_module(p.s, [p.a, p.b])),
    "prim_func": lambda p: str(te.create_prim_func([p.a, p.b])),
    "by_hand": lambda p: str(tir.PrimFunc([p.buffer], p.buffer.vstore([0], 1.0))),
    "topi": lambda p: str(topi.nn.relu(p.a).op.body[0]),
    "bounds": lambda p: len(te.schedule.InferBound(p.s.normalize())),
    "source": lambda p: len(p.built.get_source("c")) > 100,
    "environment": lambda p: vta.Environment(vta.get_env().cfg_dict).BLOCK,
    "operator": lambda p: vta.topi.Operator("dense", batch=1, in_features=16, out_features=16).output.shape,
    "graph": lambda p: float(p.graph(np.ones(test_compile.SHAPE, "float32")).sum()),
    "array": lambda p: tvm.nd.array(np.arange(3)).numpy().tolist(),
    "steps": lambda p: str(p.schedule()[1].vectorize(p.axis)),
    "evaluate": lambda p: str(p.b.op.body[0]),
}

#: Calls that fail.
BAD = {
    "constant": lambda p: tir.const(300, "int8"),
    "constant_uint": lambda p: p.i8[0] + tir.const(-1, "uint8"),
    "constant_float": lambda p: tir.const(1e39, "float32"),
    "constant_half": lambda p: tir.const(1e5, "float16"),
    "constant_wide": lambda p: tir.const(2**64, "uint64"),
    "constant_type": lambda p: tir.const(1, "int3x"),
    "not_a_number": lambda p: tir.const("one"),
    "inside_compute": lambda p: te.compute((8,), lambda i: p.i8[i] + tir.const(300, "int8"), name="bad"),
    "index": lambda p: te.compute((8,), lambda i: p.a[i, i], name="bad"),
    "float_index": lambda p: te.compute((8,), lambda i: p.a[p.a[i]], name="bad"),
    "shape": lambda p: te.placeholder((0,), name="A"),
    "name": lambda p: te.placeholder((4,), name="a b"),
    "dtype": lambda p: te.placeholder((4,), dtype="int1024", name="x"),
    "cast": lambda p: p.n.astype("nothing"),
    "of_strings": lambda p: p.n + "x",
    "condition": lambda p: te.if_then_else(p.a[0], 1, "x"),
    "vectorize": lambda p: p.schedule()[1].vectorize(p.schedule()[1]),
    "split": lambda p: p.schedule()[1].split(p.axis, factor=0),
    "fuse": lambda p: p.schedule()[1].fuse(p.axis, p.axis),
    "scope": lambda p: p.schedule()[1].set_scope("nowhere"),
    "reorder": lambda p: p.schedule()[1].reorder(p.axis, p.axis),
    "compute_at": lambda p: p.schedule()[1].compute_at(p.schedule()[1], p.axis),
    "bind": lambda p: p.schedule()[1].bind(p.axis, te.var("x")),
    "tensorize": lambda p: p.schedule()[1].tensorize(p.axis, 3),
    "cache_write": lambda p: p.s.copy().cache_write(p.a, "local"),
    "rfactor": lambda p: p.s.copy().rfactor(p.b, p.axis),
    "lower_missing": lambda p: tvm.lower(p.s, [p.b]),
    "build_missing": lambda p: tvm.build(p.s, [p.b], "llvm"),
    "build_name": lambda p: tvm.build(p.s, [p.a, p.b], "llvm", name=""),
    "build_target": lambda p: tvm.build(p.s, [p.a, p.b], "llvm -mtriple=sparc-sun-solaris"),
    "auto": lambda p: vta.build([p.a, p.b], auto=True),
    "call_shape": lambda p: p.built(tvm.nd.array(np.ones(4, "float32")), p.arrays[1]),
    "call_count": lambda p: p.built(p.arrays[0]),
    "function": lambda p: p.built.get_function("strlen"),
    "save": lambda p: p.built.save("/nowhere/at/all.o"),
    "load": lambda p: tvm.runtime.load_module("/nowhere/at/all.o"),
    "pass": lambda p: vta.passes.Pass("tir.NoSuchPass"),
    "passes": lambda p: p.passes(),
    "by_hand": lambda p: tir.PrimFunc([], p.buffer.vstore([0], 1.0)),
    "environment": lambda p: vta.Environment({**vta.get_env().cfg_dict, "LOG_BLOCK": 77}),
    "operator": lambda p: vta.topi.Operator("dense", batch=1),
    "operator_name": lambda p: vta.topi.Operator("nonsense"),
    "graph": lambda p: vta.Graph(b"nothing"),
    "graph_input": lambda p: p.graph(np.ones((1, 2), "float32")),
    "model": lambda p: vta.load_model("/nowhere/at/all.vta"),
    "array": lambda p: tvm.nd.array(np.zeros(2, "complex64")),
    "copy": lambda p: p.arrays[0].copyfrom(np.zeros(3)),
    "write": lambda p: p.arrays[0].copyto(tvm.nd.array(np.zeros(3, "float32"))),
    "int": lambda p: int(p.n),
    "substitute": lambda p: tir.stmt_functor.substitute(p.n, {p.n: "x"}),
    "prim_func": lambda p: str(te.create_prim_func([p.a])),
    "reduce": lambda p: te.compute((8,), lambda i: te.sum(p.a[i], axis=te.var("k"))),
    "connect": lambda p: vta.rpc.connect("127.0.0.1", 1),
}


def outcome(call, program, kept):
    """(the class and words of an error or None, the result); the exception is kept."""
    try:
        return None, call(program)
    except (Exception, KeyboardInterrupt) as error:  # pylint: disable=broad-except
        kept.append(error)
        return (type(error).__name__, str(error)), None


def alone(calls, kept):
    """What each call gives where none was before it, on objects of its own."""
    return {name: outcome(call, Program(), kept) for name, call in calls.items()}


class Diagnostics(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.kept = []
        cls.good, cls.bad = alone(GOOD, cls.kept), alone(BAD, cls.kept)

    def test_alone(self):
        for name, (error, _) in self.good.items():
            self.assertIsNone(error, name)
        for name, (error, _) in self.bad.items():
            self.assertIsNotNone(error, name)
            self.assertLess(error[1].count("error:"), 2, name)
            self.assertGreater(len(error[1]), len("illegal program"), name)  # more than what its status is called

    def interleave(self, seed, steps):
        """Returns what was wrong, as text."""
        r, program, kept = random.Random(seed), Program(), []
        for step in range(steps):
            if r.random() < 0.5:
                name, calls, expected = r.choice(list(GOOD)), GOOD, self.good
            else:
                name, calls, expected = r.choice(list(BAD)), BAD, self.bad
            got = outcome(calls[name], program, kept)
            if got != expected[name]:
                before = traceback.format_exception(kept[-1])[-3:] if got[0] else []
                return f"seed {seed}, step {step}, {name}: {got} instead of {expected[name]} {before}"
            if r.random() < 0.02:
                program = Program()
        return None

    def test_random_order(self):
        for seed in (1, 2):
            self.assertIsNone(self.interleave(seed, STEPS))

    maxDiff = None

    def test_threads(self):
        found = []
        threads = [threading.Thread(target=lambda k=k: found.append(self.interleave(10 + k, STEPS // 4))) for k in range(THREADS)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(found, [None] * THREADS)

    def test_a_good_program_after_each_bad_call(self):
        program, kept = Program(), []
        for name, call in BAD.items():
            outcome(call, program, kept)
            for good in ("lower", "build", "prim_func", "passes"):
                self.assertEqual(outcome(GOOD[good], program, kept), self.good[good], f"{good} after {name}")


if __name__ == "__main__":
    unittest.main()

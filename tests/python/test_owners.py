"""Every object keeps what its memory is in: objects of all classes are made of each other at random, most of them are dropped,
and what is left says and does what it did, or raises. Freed memory is overwritten (MALLOC_PERTURB_), so that a use of it is
seen: as a crash of the child, or as another text."""

import gc
import json
import os
import random
import subprocess
import sys
import unittest

import common

SEEDS = range(1, 4)
ROUNDS = 40  # of making, dropping and using
STEPS = 40  # objects made in a round
SLOW_PARTS = 6  # of all rounds: those that compile a network


def makers():
    """Functions by name, each from what there is, a dictionary of lists by class name, to new objects."""
    import numpy as np
    import tvm
    import vta
    from tvm import te, tir
    from vta.build import schedule_to_module

    import test_compile

    made = {}

    def maker(*needs):
        def add(function):
            made[function.__name__] = (needs, function)
            return function
        return add

    @maker()
    def environment(r):
        cfg = vta.get_env().cfg_dict
        cfg["LOG_INP_BUFF_SIZE"] = r.choice((15, 16))
        return [vta.Environment(cfg)]

    @maker("Environment")
    def environments_parts(r, env):
        return [env.mock, env.config]

    @maker()
    def tensors(r):
        n, m = r.choice((4, 8)), te.var("m")
        a = te.placeholder((n,), name="A", dtype=r.choice(("float32", "int32")))
        b = te.compute((n,), lambda i: a[i] * 2 + 1, name="B")
        k = te.reduce_axis((0, n), name="k")
        c = te.compute((1,), lambda i: te.sum(a[k], axis=k), name="C")
        return [m, a, b, c, k, c.op, b.op.axis[0], c.op.body[0], b.op.body[0]]

    @maker("Tensor")
    def more_of_tensor(r, t):
        return [te.compute(t.shape, lambda *i: t(*i) + 1, name="more"), t.op, t.op.output(0), *t.op.input_tensors]

    @maker("Expr")
    def parts_of_expr(r, e):
        return [*e.operands, e + 1, te.if_then_else(e > 0, e, e - 1)]

    @maker("Expr", "Expr")
    def of_two(r, x, y):
        return [x + y.astype(x.dtype), tir.Select(x > y.astype(x.dtype), x, x), tvm.arith.Analyzer().simplify(x + x)]

    @maker("Tensor")
    def schedule(r, t):
        s = te.create_schedule(t.op)
        stage = s[t]
        out = [s, stage, stage.op, *s.stages]
        if hasattr(t.op, "axis") and t.op.axis:
            out += [*stage.split(t.op.axis[0], factor=2), *stage.leaf_iter_vars]
        return out

    @maker("Schedule")
    def of_schedule(r, s):
        return [s.copy(), s.normalize(), *te.schedule.InferBound(s.normalize()).values()]

    @maker("Schedule")
    def ops(r, s):
        s = s.normalize()
        return [te.schedule.ScheduleOps(s, te.schedule.InferBound(s))]

    @maker("Schedule")
    def lowered(r, s):
        outputs = [op.output(0) for op in s.outputs]
        inputs = [st.op.output(0) for st in s.stages if type(st.op).__name__ == "PlaceholderOp"]
        module = tvm.lower(s, [*inputs, *outputs], name="k")
        raw = schedule_to_module(s, [*inputs, *outputs], "raw") if r.random() < 0.5 else module
        return [module, *module.values(), raw, *raw.values()]

    @maker("IRModule")
    def after_passes(r, module):
        name = r.choice(("Simplify", "StorageFlatten", "RemoveNoOp", "UnrollLoop", "VectorizeLoop"))
        new = getattr(tir.transform, name)()(module) if hasattr(tir.transform, name) else \
            vta.passes.Pass("tir." + name)(module)
        return [new, *new.values()]

    @maker("LoweredFunc")
    def parts_of_function(r, f):
        return [f.body, *f.params, f.with_attr("global_symbol", "other")]

    @maker("Stmt")
    def parts_of_statement(r, s):
        found = []
        for value in s.fields.values():
            found += [v for v in (value if isinstance(value, list) else [value]) if v is not None and not isinstance(v, (str, int))]
        return found

    @maker("Stmt")
    def function_of_statement(r, s):
        f = tvm.tir.PrimFunc([], s)
        return [f, tvm.IRModule.from_expr(f)]

    @maker()
    def built_by_hand(r):
        ib = tir.ir_builder.create()
        n = te.size_var("n")
        a = ib.pointer("float32", name="A")
        with ib.for_range(0, n, name="i") as i:
            with ib.if_scope(i < 4):
                a[i] = a[i] + 1
        return [ib, n, i, a, ib.get()]

    @maker()
    def buffers(r):
        b = tir.decl_buffer((4, te.var("n")), "float32", name="b")
        return [b, b.data, *[x for x in b.shape if not isinstance(x, int)], b.vload([0, 0]), b.vstore([0, 0], 1.0), b.access_ptr("r")]

    @maker()
    def intrinsic(r):
        a = te.placeholder((8,), name="a")
        b = te.compute((8,), lambda i: a[i] + 1, name="b")

        def instructions(ins, outs):
            ib = tir.ir_builder.create()
            ib.emit(tir.call_extern("int32", "add_one", outs[0].access_ptr("w"), ins[0].access_ptr("r")))
            return ib.get()
        intrin = te.decl_tensor_intrin(b.op, instructions)
        x = te.placeholder((4, 8), name="x")
        y = te.compute((4, 8), lambda i, j: x[i, j] + 1, name="y")
        s = te.create_schedule(y.op)
        s[y].tensorize(y.op.axis[1], intrin)
        return [intrin, intrin.op, *intrin.buffers, *intrin.inputs, intrin.body, s]

    @maker("Tensor")
    def prim_func(r, t):
        return [te.create_prim_func([*t.op.input_tensors, t])]

    @maker("LoweredFunc")
    def built(r, f):
        module = tvm.build(f, target="llvm")
        return [module, module.entry_func]

    @maker()
    def called(r):
        a = te.placeholder((4,), name="A", dtype="int32")
        b = te.compute((4,), lambda i: a[i] + 1, name="B")
        module = tvm.build(te.create_schedule(b.op), [a, b], "llvm", name="plus")
        function = module["plus"]

        def plus():
            out = tvm.nd.array(np.zeros(4, "int32"))
            function(tvm.nd.array(np.arange(4, dtype="int32")), out)
            return str(out.numpy())
        return [module, function, plus]

    @maker()
    def arrays(r):
        x = tvm.nd.array(np.arange(12, dtype="float32").reshape(3, 4))
        y = tvm.nd.from_dlpack(np.arange(6, dtype="int32"))
        z = tvm.nd.array(np.arange(16, dtype="int8"), tvm.ext_dev(0))
        return [x, y, z, np.asarray(x)[1:], x.buffer, np.from_dlpack(x), tvm.nd.from_dlpack(x), x.to_dlpack(), x.device]

    @maker()
    def kept_of_a_call(r):
        kept = []

        def keep(x, y):
            kept.append(x)
            y[:] = x.numpy()
        tvm.register_func("owners.keep", keep, override=True)
        a = te.placeholder((4,), name="A")
        b = te.extern((4,), [a], lambda i, o: tir.call_packed("owners.keep", i[0], o[0]), name="B")
        out = tvm.nd.array(np.zeros(4, "float32"))
        tvm.build(te.create_schedule(b.op), [a, b], "llvm")(tvm.nd.array(np.ones(4, "float32")), out)
        return [*kept, out]

    @maker()
    def operator(r):
        op = vta.topi.Operator("dense", batch=1, in_features=16, out_features=16)
        return [op, op.module, op.output]

    @maker()
    def graph(r):
        g = vta.Graph(test_compile.CONV)
        x = np.ones(test_compile.SHAPE, "float32")
        model = vta.compile(g, [x])
        return [g, *g.inputs, model, *model.inputs, lambda: str(model(x).sum()), lambda: str(g(x).sum()), model.profile]

    slow = {"graph", "operator"}
    return made, slow


def texts(one):
    """What an object says, by its text and its public properties; errors count as what they are."""
    import numpy as np

    def say(get):
        try:
            found = get()
            return str(found.tolist() if isinstance(found, np.ndarray) else found)
        except Exception as error:  # pylint: disable=broad-except
            return type(error).__name__

    if type(one).__name__ in ("function", "method"):
        return {"call": say(one)} if type(one).__name__ == "function" else {"call": say(lambda: len(str(one())) > 0)}
    if isinstance(one, memoryview):
        return {"items": say(one.tolist)}
    out = {"str": say(lambda: one), "repr": say(lambda: repr(one)), "hash": say(lambda: hash(one) == hash(one))}
    for name in dir(type(one)):
        if name.startswith("_") or name in ("base", "T", "ctypes", "data", "flat", "real", "imag"):
            continue
        if isinstance(getattr(type(one), name, None), property) or type(getattr(type(one), name, None)).__name__ == "cached_property":
            out[name] = say(lambda name=name: getattr(one, name))
    for name in ("script", "astext", "get_source"):
        if hasattr(type(one), name):
            out[name] = say(getattr(one, name))
    if type(one).__name__ == "NDArray":
        out["numpy"] = say(one.numpy)
    return {k: "" if " at 0x" in v else v for k, v in out.items()}


def play(seed):
    """One child's rounds; prints what was left and used, and what was refused."""
    r = random.Random(seed)
    made, slow = makers()
    used, classes, refused, succeeded = 0, set(), {}, set()
    for number in range(ROUNDS):
        pool = []
        names = [n for n in made if n not in slow or number % SLOW_PARTS == 0]
        for _ in range(STEPS):
            name = r.choice(names)
            needs, function = made[name]
            given = [[o for o in pool if type(o).__name__ == k] for k in needs]
            if not all(given):
                continue
            try:
                pool += function(r, *[found[r.randrange(len(found))] for found in given])
                succeeded.add(name)
            except (ValueError, TypeError, RuntimeError, NotImplementedError) as error:
                refused[name] = f"{type(error).__name__}: {error}"
                continue  # refused: types and environments that do not go together
        survivors = r.sample(pool, max(1, len(pool) // 6))
        before = [texts(one) for one in survivors]
        r.shuffle(pool)
        while pool:
            del pool[r.randrange(len(pool)):]
            if r.random() < 0.3:
                gc.collect()
        given = None
        gc.collect()
        noise = [bytes(r.randrange(1, 4000)) for _ in range(200)]
        while survivors:
            i = r.randrange(len(survivors))
            one, said = survivors.pop(i), before.pop(i)
            now = texts(one)
            if now != said:
                wrong = [k for k in said if said[k] != now.get(k)]
                raise AssertionError(f"seed {seed}, round {number}: {type(one).__name__}.{wrong[0]} was "
                                     f"{said[wrong[0]][:300]!r} and is {now.get(wrong[0], '')[:300]!r}")
            used += 1
            classes.add(type(one).__name__)
            del one
        del noise
    print(json.dumps({"used": used, "classes": sorted(classes), "made": sorted(succeeded), "refused": refused}))


class Owners(unittest.TestCase):
    def run_child(self, code):
        env = {**common.environment(os.path.dirname(os.path.abspath(__file__))), "MALLOC_PERTURB_": "165", "PYTHONFAULTHANDLER": "1"}
        child = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=False, timeout=500,
                               cwd=os.path.dirname(os.path.abspath(__file__)))
        if child.returncode:
            self.fail(f"{code}: ended with {child.returncode}\n{child.stdout[-2000:]}\n{child.stderr[-4000:]}")
        return child.stdout

    def test_survivors_of_random_owners(self):
        made, refused, classes = set(), {}, set()
        for seed in SEEDS:
            out = json.loads(self.run_child(f"import test_owners; test_owners.play({seed})"))
            self.assertGreater(out["used"], 200)
            made.update(out["made"])
            refused.update(out["refused"])
            classes.update(out["classes"])
        self.assertFalse({n: refused[n] for n in set(refused) - made}, "never made")
        self.assertGreater(len(classes), 30)

    def test_parts_of_a_session(self):
        import test_rpc

        server = test_rpc.Server()
        try:
            self.assertEqual(self.run_child(SESSION.format(server.port)).split(), ["[2", "3", "4", "5]", "[1", "2", "3", "4]"])
        finally:
            server.stop()

    def test_function_made_of_a_statement(self):
        """The statement's function goes; the function made of it, and what passes make of that, stay."""
        self.assertEqual(len(set(self.run_child(UNOWNED).split())), 1)


SESSION = """
import gc, os, tempfile
import numpy as np
import vta
from vta import te

def parts():
    a = te.placeholder((4,), name="a", dtype="int32")
    b = te.compute((4,), lambda i: a[i] + 1, name="b")
    session = vta.rpc.connect("127.0.0.1", {0})
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "plus.o")
        vta.build(te.create_schedule(b.op), [a, b], "llvm", name="plus").save(path)
        session.upload(path)
    cpu = session.cpu(0)
    return session.load_module("plus.o")["plus"], vta.nd.array(np.arange(1, 5, dtype="int32"), cpu), vta.nd.array(np.zeros(4, "int32"), cpu)

plus, x, y = parts()
gc.collect()
plus(x, y)
print(y.numpy())
del plus, y
gc.collect()
print(x.numpy())
"""

UNOWNED = """
import tvm
from tvm import te
A = te.placeholder((64,), name="A")
B = te.compute((64,), lambda i: A[i] + 1.0, name="B")
s = te.create_schedule(B.op).normalize()
m = tvm.IRModule.from_expr(tvm.tir.PrimFunc([], te.schedule.ScheduleOps(s, te.schedule.InferBound(s))))
for _ in range(5):
    print(len(str(tvm.tir.transform.Simplify()(m))))
"""

if __name__ == "__main__":
    unittest.main()

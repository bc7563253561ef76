"""Tensor expressions and schedules from Python: what they say, and what they refuse."""

import gc
import threading
import unittest

import common  # noqa: F401
import numpy as np
import vta
from vta import _context, te, tir, topi
from vta._lib import lib


class Expressions(unittest.TestCase):
    def test_texts(self):
        a = te.placeholder((1, 64, 1, 16), name="A", dtype="int32")
        self.assertEqual(repr(a), "Tensor(shape=[1, 64, 1, 16], op.name=A)")
        c = te.compute(a.shape, lambda *i: a[i].astype("int8"), name="C")
        self.assertEqual((c.shape, c.dtype, c.op.name), ([1, 64, 1, 16], "int8", "C"))
        self.assertEqual([x.name for x in c.op.axis], ["i0", "i1", "i2", "i3"])

    def test_stage_text(self):
        a = te.placeholder((4, 4), name="A", dtype="int32")
        b = te.compute(a.shape, lambda i, j: a[i, j] + 1, name="B")
        s = te.create_schedule(b.op)
        self.assertEqual(
            repr(s[b]),
            "stage(B, compute(B, body=[(A[i, j] + 1)], axis=[iter_var(i, range(min=0, ext=4)), "
            "iter_var(j, range(min=0, ext=4))], reduce_axis=[], tag=, attrs={}))")

    def test_reduction_from_a_start(self):
        a = te.placeholder((4, 3), name="A", dtype="int32")
        b = te.placeholder((4,), name="B", dtype="int32")
        k = te.reduce_axis((0, 3), "k")
        c = te.compute((4,), lambda i: te.sum(a[i, k], axis=k, init=b[i]), name="C")
        x, y = np.arange(12, dtype="int32").reshape(4, 3), np.array([100, -100, 7, 0], dtype="int32")
        np.testing.assert_array_equal(te.evaluate(c, {a: x, b: y}), x.sum(axis=1) + y)
        with self.assertRaisesRegex(vta.VTAError, "may not use its reduce axis k"):
            te.sum(a[0, k], axis=k, init=k)
        with self.assertRaisesRegex(ValueError, "over axes starts at a value"):
            te.sum(a[0, 0], a[0, 1], init=1)

    def test_evaluation_is_numpys(self):
        rng = np.random.default_rng(0)
        a = te.placeholder((3, 5), name="A", dtype="int32")
        b = te.placeholder((3, 5), name="B", dtype="int32")
        x = rng.integers(-1000, 1000, (3, 5)).astype("int32")
        y = rng.integers(1, 9, (3, 5)).astype("int32")
        for function, expected in (
            (lambda p, q: p + q * 3 - 1, x + y * 3 - 1),
            (lambda p, q: p // q, x // y),
            (lambda p, q: p % q, x % y),
            (lambda p, q: p >> q, x >> y),
            (lambda p, q: (p & q) | (p ^ q), (x & y) | (x ^ y)),
            (lambda p, q: te.max(te.min(p, 100), -q), np.maximum(np.minimum(x, 100), -y)),
            (lambda p, q: te.if_then_else(te.all(p > 0, q < 5), p, -q), np.where((x > 0) & (y < 5), x, -y)),
        ):
            c = te.compute((3, 5), lambda i, j, f=function: f(a[i, j], b[i, j]), name="C", varargs_names=["i", "j"])
            np.testing.assert_array_equal(te.evaluate(c, {a: x, b: y}), expected)

    def test_reductions(self):
        a = te.placeholder((4, 6), name="A", dtype="int32")
        k = te.reduce_axis((0, 6), name="k")
        x = np.arange(24, dtype="int32").reshape(4, 6) - 7
        for reduce, expected in ((te.sum, x.sum(1)), (te.max, x.max(1)), (te.min, x.min(1))):
            b = te.compute((4,), lambda i, r=reduce: r(a[i, k], axis=k), name="B", varargs_names=["i"])
            np.testing.assert_array_equal(te.evaluate(b, {a: x}), expected)

    def test_topi(self):
        a = te.placeholder((2, 3), name="A", dtype="int32")
        b = te.placeholder((3,), name="B", dtype="int32")
        x, y = np.arange(6, dtype="int32").reshape(2, 3) - 3, np.array([5, -1, 2], dtype="int32")
        np.testing.assert_array_equal(te.evaluate(topi.add(a, b), {a: x, b: y}), x + y)
        np.testing.assert_array_equal(te.evaluate(a * b, {a: x, b: y}), x * y)
        np.testing.assert_array_equal(te.evaluate(topi.clip(a, -1, 1), {a: x}), np.clip(x, -1, 1))
        np.testing.assert_array_equal(te.evaluate(topi.nn.relu(a), {a: x}), np.maximum(x, 0))
        np.testing.assert_array_equal(te.evaluate(topi.nn.pad(a, [1, 0], [0, 2]), {a: x}),
                                      np.pad(x, ((1, 0), (0, 2))))

    def test_numbers_widen_as_in_tvm(self):
        """Every type beside every kind of number, under every operator; values against numpy in the meeting type."""
        def meeting(typed, number):
            kinds = [t.rstrip("0123456789") for t in (typed, number)]
            bits = [int(t[len(k):]) for t, k in zip((typed, number), kinds)]
            if "float" in kinds:
                return max((b, t) for b, t, k in zip(bits, (typed, number), kinds) if k == "float")[1]
            return typed if bits[0] > bits[1] else number if bits[1] > bits[0] else typed if kinds[0] == "uint" else number

        numbers = ((3, "int32"), (-(2**31), "int32"), (2**31, "int64"), (1.5, "float32"), (0.1, "float32"),
                   (1e300, "float64"), (np.float64(0.5), "float64"), (np.int8(3), "int8"), (np.int64(3), "int64"))
        operators = (lambda p, q: p + q, lambda p, q: p - q, lambda p, q: q * p, te.max, te.min,
                     lambda p, q: te.if_then_else(p < q, q, p), lambda p, q: te.select(q > p, p, q))
        for typed in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32",
                      "float64"):
            x = te.placeholder((1,), typed, "x")
            for number, own in numbers:
                wanted = meeting(typed, own)
                for operator in operators:
                    self.assertEqual(operator(x[0], number).dtype, wanted, (typed, number))
                    self.assertEqual(operator(number, x[0]).dtype, wanted, (typed, number))
                if typed != "float16" and wanted != "float16":
                    with np.errstate(all="ignore"):
                        value = np.array([100], typed)
                        b = te.compute((1,), lambda i: x[i] * number, "b")
                        product = value.astype(wanted) * np.array([number]).astype(wanted)
                        np.testing.assert_array_equal(te.evaluate(b, {x: value}), product, f"{typed} {number}")

    def test_a_narrow_product_is_not_cut(self):
        a = te.placeholder((4,), "int8", "a")
        x = np.array([100, 3, -100, 127], "int8")
        for body in (lambda i: (a[i] * 2).astype("int32"), lambda i: te.if_then_else(i < 9, a[i] * 2, 0)):
            b = te.compute((4,), body, "b")
            np.testing.assert_array_equal(te.evaluate(b, {a: x}), [200, 6, -200, 254])
        two = te.compute((4,), lambda i: (a[i], 1), "two")
        self.assertEqual([t.dtype for t in two], ["int8", "int32"])
        self.assertEqual(topi.clip(a, 0, 7).dtype, "int8")
        self.assertEqual((a + 1).dtype, "int32")

    def test_constants(self):
        for value, dtype in ((1, "int32"), (2**40, "int64"), (True, "bool"), (1.5, "float32"), (1e39, "float64"),
                             (np.float64(1.5), "float64"), (np.float32(1.5), "float32"), (np.uint8(3), "uint8"),
                             (np.bool_(True), "bool"), (np.array(7, "int16"), "int16")):
            self.assertEqual(te.const(value).dtype, dtype, value)
        self.assertEqual(te.const(np.float64(1.5), "float32").dtype, "float32")
        self.assertEqual(te.const(True, "int32").value, 1)
        self.assertEqual(te.const(2**64 - 1, "uint64").dtype, "uint64")
        for value in (2**63, 2**64, -(2**63) - 1):
            with self.assertRaisesRegex(ValueError, "does not fit"):
                te.const(value)
        for value in (2**64, -1):
            with self.assertRaisesRegex(ValueError, "does not fit uint64"):
                te.const(value, "uint64")

    def test_a_lambdas_own_exception_passes_through(self):
        class Mine(Exception):
            pass

        def body(i):
            raise Mine("from the lambda")

        with self.assertRaisesRegex(Mine, "from the lambda"):
            te.compute((4,), body)

    def test_pragmas_that_nothing_knows(self):
        import tvm

        for name, words in (("dma_cpy", "did you mean dma_copy?"), ("allu", "did you mean alu?"), ("foo", "there are dma_copy")):
            a = te.placeholder((1, 4, 1, 16), "int32", "a")
            b = te.compute(a.shape, lambda *i: a(*i), "b")  # pylint: disable=cell-var-from-loop
            s = te.create_schedule(b.op)
            s[b].pragma(b.op.axis[0], name)
            with self.assertRaises(ValueError) as found:
                vta.lower(s, [a, b])
            self.assertIn(f'b.i0: there is no pragma "{name}" for the accelerator', str(found.exception))
            self.assertIn(words, str(found.exception))
            self.assertIn("test_te.py:", str(found.exception))  # where it was said
            self.assertIn(f'"pragma_{name}" = 1', str(tvm.lower(s, [a, b])))  # for the host it is kept

    def test_a_loop_takes_what_its_definitions_take(self):
        """Lowering and printing give back what they took, also where something of the context always lives."""
        from vta._lib import lib

        sizes, kept = [], []
        for k in range(120):
            a = te.placeholder((16,), "int32", "a")
            b = te.compute((16,), lambda i: a[i] + k, "b")  # pylint: disable=cell-var-from-loop
            s = te.create_schedule(b.op)
            kept[:] = [vta.lower(s, [a, b]), str(vta.lower(s, [a, b])), vta.build(s, [a, b], "llvm")]
            sizes.append(lib.te_context_bytes(a.context.handle))
        self.assertLess(sizes[-1] - sizes[20], 100 * 16384)  # lowering alone took 46 KB a kernel

    def test_texts_of_what_is_too_large(self):
        deep, wide = te.var("x"), te.var("y")
        for _ in range(20000):
            deep = deep + 1
        for _ in range(80):
            wide = wide + wide
        for e in (deep, wide):
            self.assertIn("...", str(e))
            self.assertLess(len(str(e)), 1 << 19)
        with self.assertRaisesRegex(ValueError, "too large"):
            te.compute((4,), lambda i: deep)

    def test_refusals(self):
        a = te.placeholder((4, 4), name="A", dtype="int32")
        with self.assertRaisesRegex(ValueError, "2 dimensions, but 1"):
            te.compute((4,), lambda i: a(i))
        with self.assertRaisesRegex(TypeError, "//"):
            te.compute((4, 4), lambda i, j: a[i, j] / 2)
        with self.assertRaisesRegex(ValueError, "truth value"):
            te.compute((4, 4), lambda i, j: a[i, j] if a[i, j] > 0 else 0)
        b = te.compute((4, 4), lambda i, j: a[i, j] + 1, name="B")
        s = te.create_schedule(b.op)
        with self.assertRaisesRegex(ValueError, "factor and nparts"):
            s[b].split(b.op.axis[0])
        with self.assertRaisesRegex(vta.VTAError, "sizes that make 3: its extent is 4"):
            s[b].split_sizes(b.op.axis[0], [1, 2])
        outer, inner = s[b].split_sizes(b.op.axis[1], [1, 3])
        self.assertEqual(len(s[b].leaf_iter_vars), 3)
        with self.assertRaises(vta.VTAError) as caught:
            s[b].split(b.op.axis[0], factor=0)
        self.assertIn("B", str(caught.exception))

    def test_errors_name_the_python_line(self):
        a = te.placeholder((4, 4), name="A", dtype="int32")
        b = te.compute((4, 4), lambda i, j: a[i, j] + 1, name="B")
        s = te.create_schedule(b.op)
        s[b].split(b.op.axis[0], factor=2)
        with self.assertRaisesRegex(vta.VTAError, "test_te.py"):
            s[b].split(b.op.axis[0], factor=2)

    def test_the_loops_of_an_error_are_details(self):
        env = vta.get_env()
        a = te.placeholder((4, env.BATCH, env.BLOCK_OUT), name="A", dtype="int32")
        b = te.compute(a.shape, lambda *i: a(*i) * 2, "B")
        s = te.create_schedule(b.op)
        s[b].pragma(b.op.axis[0], env.dma_copy)
        with self.assertRaises(vta.VTAError) as caught:
            vta.lower(s, [a, b])
        self.assertIn("the value is not a load", str(caught.exception))
        self.assertNotIn("for (", str(caught.exception))
        self.assertTrue(caught.exception.details.startswith("for (i0: int32, 0, 4) {"))

    def test_environments_do_not_mix(self):
        a = te.placeholder((4, 4), name="A", dtype="int32")
        with vta.Environment({"LOG_BATCH": 1, "LOG_ACC_BUFF_SIZE": 18}):
            with self.assertRaisesRegex(ValueError, "different environments"):
                te.compute((4, 4), lambda i, j: a[i, j] + 1)


class Memory(unittest.TestCase):
    """Memory that the library takes for tensors and schedules, when variables are bound from round to round."""

    def rounds(self, count, each):
        """Runs a round many times as a loop at module level does; the contexts that live afterwards."""
        kept = {}
        before = self.contexts()
        for i in range(count):
            each(kept, i)
        return self.contexts() - before

    def contexts(self):
        gc.collect()
        return sum(isinstance(o, _context.Context) for o in gc.get_objects())

    def lower(self, kept, start):
        """One kernel: its tensors stay bound until the next one rebinds them."""
        kept["a"] = start or te.placeholder((8,), "float32", "A")
        kept["b"] = te.compute((8,), lambda i: kept["a"][i] + 1.5, "B")
        kept["s"] = te.create_schedule(kept["b"].op)
        kept["f"] = vta.lower(kept["s"], [kept["a"], kept["b"]])

    def test_a_loop_of_kernels_keeps_the_last(self):
        self.assertLessEqual(self.rounds(20, lambda kept, i: self.lower(kept, None)), 2)

    def test_a_tensor_shared_by_all_rounds(self):
        shared = te.placeholder((8,), "float32", "A")
        size = lib.te_context_bytes(shared.context.handle)
        self.assertLessEqual(self.rounds(20, lambda kept, i: self.lower(kept, shared)), 2)
        self.assertLess(lib.te_context_bytes(shared.context.handle), size + 65536)

    def test_each_round_uses_the_last_ones_result(self):
        first = te.placeholder((8,), "float32", "A")

        def each(kept, i):
            last = kept.get("b", first)
            kept["b"] = te.compute((8,), lambda j: last[j] + i, "B")
            vta.lower(te.create_schedule(kept["b"].op), [first, kept["b"]])

        self.assertGreaterEqual(self.rounds(5, each), 4)  # while it ran all lived: the last result reads all others
        gc.collect()
        self.assertLessEqual(self.rounds(1, lambda kept, i: self.lower(kept, None)), 2)

    def test_old_and_new_objects_make_one_kernel(self):
        n, third = te.var("n"), te.const(0.1)
        a = te.placeholder((8,), "float64", "A")
        k = te.reduce_axis((0, 8), "k")
        old = te.compute((8,), lambda i: a[i] * n.astype("float64"), "OLD")
        vta.lower(te.create_schedule(old.op), [a, n, old])
        b = te.placeholder((8,), "float64", "B")
        self.assertIsNot(b.context, a.context)
        c = te.compute((8,), lambda i: te.sum(old[k] * b[i] + third, axis=k), "C")
        s = te.create_schedule(c.op)
        outer, _ = s[c].split(c.op.axis[0], 4)
        s[old].compute_at(s[c], outer)
        f = vta.build(s, [a, b, n, c], "llvm")
        x, y = np.arange(8, dtype="float64"), np.arange(8, dtype="float64") + 3
        out = vta.nd.array(np.zeros(8))
        del a, old, s, k
        gc.collect()
        f(vta.nd.array(x), vta.nd.array(y), 3, out)
        np.testing.assert_allclose(out.numpy(), (x * 3).sum() * y + 8 * 0.1, rtol=1e-12)  # 0.1 with all its digits

    def test_contexts_that_use_each_other(self):
        a = te.placeholder((8,), "int32", "A")
        b = te.compute((8,), lambda i: a[i] + 1, "B")
        s = te.create_schedule(b.op)
        vta.lower(s, [a, b])
        c = te.compute((8,), lambda i: b[i] * 2, "C")  # a new context, which uses that of b
        s[b].bind(b.op.axis[0], te.thread_axis("cthread"))  # and the old one uses the new one
        self.assertIsNot(a.context, c.context)
        before = self.contexts()
        del a, b, c, s
        self.assertLess(self.contexts(), before)

    def test_threads_do_not_mix(self):
        a, refused = te.placeholder((8,), "int32", "A"), []

        def other():
            try:
                te.compute((8,), lambda i: a[i] + 1)
            except ValueError as error:
                refused.append(str(error))

        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        self.assertIn("different threads", refused[0])


def _matmul(env, intrin):
    """A small matrix multiply that is tensorized with an intrinsic; (schedule, arguments)."""
    a = te.placeholder((1, 4, env.BATCH, env.BLOCK_IN), name="A", dtype=env.inp_dtype)
    b = te.placeholder((4, 4, env.BLOCK_OUT, env.BLOCK_IN), name="B", dtype=env.wgt_dtype)
    a_buf, b_buf = te.compute(a.shape, lambda *i: a(*i), "A_buf"), te.compute(b.shape, lambda *i: b(*i), "B_buf")
    ko, ki = te.reduce_axis((0, 4), name="ko"), te.reduce_axis((0, env.BLOCK_IN), name="ki")
    c_buf = te.compute((1, 4, env.BATCH, env.BLOCK_OUT), lambda bo, co, bi, ci: te.sum(
        a_buf[bo, ko, bi, ki].astype("int32") * b_buf[co, ko, ci, ki].astype("int32"), axis=[ko, ki]), name="C_buf")
    c = te.compute(c_buf.shape, lambda *i: c_buf(*i).astype(env.inp_dtype), name="C")
    s = te.create_schedule(c.op)
    for tensor, scope in ((a_buf, env.inp_scope), (b_buf, env.wgt_scope), (c_buf, env.acc_scope)):
        s[tensor].set_scope(scope)
    for tensor in (a_buf, b_buf):
        s[tensor].compute_at(s[c_buf], ko)
    for tensor in (a_buf, b_buf, c):
        s[tensor].pragma(s[tensor].op.axis[0], env.dma_copy)
    s[c_buf].reorder(ko, *s[c_buf].op.axis, ki)
    s[c_buf].tensorize(s[c_buf].op.axis[2], intrin)
    return s, [a, b, c]


class Intrinsics(unittest.TestCase):
    def test_one_of_ones_own(self):
        env = vta.get_env()
        inp = te.placeholder((env.BATCH, env.BLOCK_IN), dtype=env.inp_dtype, name="inp")
        wgt = te.placeholder((env.BLOCK_OUT, env.BLOCK_IN), dtype=env.wgt_dtype, name="wgt")
        k = te.reduce_axis((0, env.BLOCK_IN), name="k")
        out = te.compute((env.BATCH, env.BLOCK_OUT), lambda i, j: te.sum(
            inp[i, k].astype("int32") * wgt[j, k].astype("int32"), axis=k), name="out")

        def instructions(ins, outs):
            self.assertEqual([x.name for x in (*ins, *outs)], ["inp", "wgt", "acc"])  # as they are declared

            def part(reset):
                ib = tir.ir_builder.create()
                ib.scope_attr(env.dev.vta_axis, "coproc_scope", env.dev.get_task_qid(env.dev.QID_COMPUTE))
                ib.scope_attr(env.dev.vta_axis, "coproc_uop_scope", env.dev.vta_push_uop)
                addresses = [0, 0] if reset else [ins[0].access_ptr("r", "int32"), ins[1].access_ptr("r", "int32")]
                ib.emit(tir.call_intrin("int32", "tir.vta.uop_push", 0, reset, outs[0].access_ptr("rw", "int32"),
                                        *addresses, 0, 0, 0))
                return ib.get()

            return part(0), part(1), part(0)

        mine = te.decl_tensor_intrin(out.op, instructions, name="MINE", binds={
            inp: tir.decl_buffer(inp.shape, inp.dtype, "inp", scope=env.inp_scope, offset_factor=env.BATCH * env.BLOCK_IN),
            wgt: tir.decl_buffer(wgt.shape, wgt.dtype, "wgt", scope=env.wgt_scope,
                                 offset_factor=env.BLOCK_OUT * env.BLOCK_IN),
            out: tir.decl_buffer(out.shape, out.dtype, "acc", scope=env.acc_scope, offset_factor=env.BATCH * env.BLOCK_OUT)})
        own = str(vta.lower(*_matmul(env, mine), simple_mode=True))
        self.assertIn("tir.vta.uop_push(0, 1,", own)
        self.assertEqual(own, str(vta.lower(*_matmul(env, env.gemm), simple_mode=True)))

    def test_mocks_leave_out_what_they_stand_for(self):
        env = vta.get_env()
        self.assertIs(env.mock.mock, env.mock)
        transfers = str(vta.lower(*_matmul(env, env.mock.gemm), simple_mode=True))
        self.assertNotIn("uop_push", transfers)
        self.assertIn("VTALoadBuffer2D", transfers)
        self.assertIn("for (ko", transfers)
        self.assertNotIn("call_extern", str(vta.lower(*_matmul(env.mock, env.mock.gemm), simple_mode=True)))


class Environments(unittest.TestCase):
    def test_attributes(self):
        with vta.Environment({"LOG_BATCH": 1, "LOG_ACC_BUFF_SIZE": 18}) as env:
            self.assertIs(vta.get_env(), env)
            self.assertEqual((env.BATCH, env.BLOCK_IN, env.ACC_ELEM_BYTES), (2, 16, 128))
            self.assertEqual(env.BITSTREAM, "2x16_i8w8a32_15_15_18_18")
            self.assertEqual((env.mock.dma_copy, env.mock.alu), ("skip_dma_copy", "skip_alu"))
            for name in ("BATCH BLOCK_IN BLOCK_OUT INP_WIDTH WGT_WIDTH ACC_WIDTH OUT_WIDTH inp_dtype wgt_dtype acc_dtype "
                         "out_dtype inp_scope wgt_scope acc_scope dma_copy alu gemm TARGET target target_host MODEL dev "
                         "mock HW_VER LOG_BLOCK UOP_BUFF_SIZE OUT_BUFF_SIZE INP_ELEM_BITS WGT_ELEM_BYTES MAX_XFER "
                         "DEBUG_DUMP_INSN cfg_dict target_vta_cpu").split():
                self.assertIsNotNone(getattr(env, name), name)
        self.assertEqual(vta.get_env().BATCH, 1)

    def test_a_wrong_key_is_named(self):
        with self.assertRaisesRegex(ValueError, "LOG_BATCH"):
            vta.Environment({"LOG_BATCH": 99})


if __name__ == "__main__":
    unittest.main()

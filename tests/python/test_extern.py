"""te.extern: random loops, conditions, memory, vectors and calls of Python functions, against numpy; functions made by hand; and
what is refused."""

import unittest

import common  # noqa: F401
import numpy as np
import vta
from vta import te, tir

RNG = np.random.default_rng(20261122)


def run(outputs, args, arrays, wanted, schedule=None):
    """Builds for the host, calls with arrays, compares what was computed."""
    s = schedule or te.create_schedule([t.op for t in outputs])
    kernel = vta.build(s, args, "llvm")
    given = [vta.nd.array(a) for a in arrays]
    results = [vta.nd.array(np.full(w.shape, 77, w.dtype)) for w in wanted]  # nothing may be taken for zero
    kernel(*given, *results)
    for got, want in zip(results, wanted):
        np.testing.assert_allclose(got.numpy(), want, rtol=1e-5, atol=1e-6)


class Loops(unittest.TestCase):
    def test_conditions(self):
        """Two branches, indices of each dimension or one for all."""
        for _ in range(6):
            m, n, cut = (int(RNG.integers(1, 9)) for _ in range(3))
            flat = bool(RNG.integers(2))
            A = te.placeholder((m, n), "float32", "A")

            def body(ins, outs):
                ib = tir.ir_builder.create()
                a, b = ib.buffer_ptr(ins[0]), ib.buffer_ptr(outs[0])
                with ib.for_range(0, m, "i") as i:
                    with ib.for_range(0, n, "j") as j:
                        at = i * n + j if flat else (i, j)
                        with ib.if_scope(i + j < cut):
                            b[at] = a[at] + 1.0
                        with ib.else_scope():
                            b[at] = a[at] * 2
                return ib.get()

            B = te.extern((m, n), [A], body, name="B")
            C = te.compute((m, n), lambda i, j: B[i, j] - A[i, j], "C")
            self.assertIsInstance(B.op, te.ExternOp)
            self.assertIsInstance(B.op.body, tir.For)
            a = RNG.random((m, n), "float32")
            small = np.add.outer(np.arange(m), np.arange(n)) < cut
            run([C], [A, C], [a], [np.where(small, a + 1, a * 2) - a])

    def test_kinds_and_memory(self):
        """Parallel, unrolled and vectorized loops, a value with a name, memory of its own, on symbolic extents."""
        for kind in ("serial", "parallel", "unroll", "vectorize"):
            rows, columns = int(RNG.integers(1, 20)), 8
            n = te.var("n")
            A = te.placeholder((n, columns), "int32", "A")

            def body(ins, outs):
                ib = tir.ir_builder.create()
                a, b = ib.buffer_ptr(ins[0]), ib.buffer_ptr(outs[0])
                with ib.for_range(0, n, "i", kind="parallel" if kind == "parallel" else "serial") as i:
                    sums = ib.allocate("int32", (columns, 2), name="sums", scope="local")
                    first = ib.let("first", a[i, 0] * 3)
                    with ib.for_range(0, columns, "j", kind=kind if kind != "parallel" else "serial") as j:
                        sums[j, 1] = a[i, j] + first
                        b[i, j] = sums[j * 2 + 1] * 2
                return ib.get()

            B = te.extern((n, columns), [A], body, name="B")
            a = RNG.integers(-99, 99, (rows, columns), dtype="int32")
            run([B], [A, B], [a], [(a + 3 * a[:, :1]) * 2])

    def test_vectors(self):
        n, lanes = int(RNG.integers(1, 9)) * 4, 4
        A = te.placeholder((2, n), "float32", "A")

        def body(ins, outs):
            ib = tir.ir_builder.create()
            with ib.for_range(0, 2, "r") as r:
                with ib.for_range(0, n // lanes, "i") as i:
                    x = ins[0].vload([r, i * lanes], f"float32x{lanes}")
                    self.assertEqual(x.dtype, "float32x4")
                    ib.emit(outs[0].vstore([r, i * lanes], x * tir.const(2.0, f"float32x{lanes}") + tir.Broadcast(tir.const(1.0), lanes)))
            return ib.get()

        B = te.extern((2, n), [A], body, name="B")
        a = RNG.random((2, n), "float32")
        run([B], [A, B], [a], [a * 2 + 1])

    def test_several_results_and_schedules(self):
        """Sums and products of rows, computed at a loop of what reads them, or by themselves."""
        for at_loop in (False, True):
            m, n = (int(RNG.integers(1, 8)) for _ in range(2))
            A = te.placeholder((m, n), "float32", "A")
            D = te.compute((m, n), lambda i, j: A[i, j] + 1.0, "D")

            def body(ins, outs):
                ib = tir.ir_builder.create()
                x, sums, products = (ib.buffer_ptr(b) for b in (*ins, *outs))
                with ib.for_range(0, m, "i") as i:
                    sums[i], products[i] = 0.0, 1.0
                    with ib.for_range(0, n, "j") as j:
                        sums[i] = sums[i] + x[i, j]
                        products[i] = products[i] * x[i, j]
                return ib.get()

            S, P = te.extern([(m,), (m,)], [D], body, name="rows", dtype=["float32", "float32"])
            E = te.compute((3, m), lambda k, i: S[i] - P[i] * k.astype("float32"), "E")
            s = te.create_schedule(E.op)
            if at_loop:
                s[S].compute_at(s[E], E.op.axis[0])
                s[D].compute_at(s[E], E.op.axis[0])
            a = RNG.random((m, n), "float32")
            want = (a + 1).sum(1) - (a + 1).prod(1) * np.arange(3, dtype="float32")[:, None]
            run([E], [A, E], [a], [want.astype("float32")], s)

    def test_buffers_of_ones_own(self):
        A = te.placeholder((6, 4), "float32", "A")
        s0, s1 = te.var("s0"), te.var("s1")
        mine = tir.decl_buffer((6, 4), "float32", "mine", strides=[s0, s1], elem_offset=te.var("e"), data=te.var("p", "handle"))

        def body(ins, outs):
            self.assertIs(ins[0], mine)
            ib = tir.ir_builder.create()
            out = ib.buffer_ptr(outs[0])
            with ib.for_range(0, 6, "i") as i:
                out[i] = mine[i, 3] + (mine.strides[0] * 10 + mine.strides[1]).astype("float32")
            return ib.get()

        B = te.extern((6,), [A], body, name="B", in_buffers=mine)
        a = RNG.random((6, 4), "float32")
        run([B], [A, B], [a], [a[:, 3] + 41])


class Functions(unittest.TestCase):
    def test_by_hand(self):
        """A statement as a whole function, of arrays and a scalar, one of them two-dimensional."""
        for _ in range(4):
            m, n = (int(RNG.integers(1, 9)) for _ in range(2))
            A, B, x = tir.decl_buffer((m, n), "float32", "A"), tir.decl_buffer((m,), "float32", "B"), te.var("x", "float32")
            ib = tir.ir_builder.create()
            a, b = ib.buffer_ptr(A), ib.buffer_ptr(B)
            with ib.for_range(0, m, "i") as i:
                b[i] = 0.0
                with ib.for_range(1, n, "j") as j:
                    b[i] = b[i] + a[i, j] * x
            f = tir.PrimFunc([A, B, x], ib.get()).with_attr("global_symbol", "rows")
            self.assertIsInstance(f, tir.PrimFunc)
            self.assertIsInstance(f.body, tir.AttrStmt)
            given = RNG.random((m, n), "float32")
            for target in (vta.ir.IRModule({"rows": f}), f):
                out = vta.nd.empty((m,), "float32")
                vta.build(target, target="llvm")["rows"](vta.nd.array(given), out, 2.5)
                np.testing.assert_allclose(out.numpy(), (given[:, 1:] * 2.5).sum(1), rtol=1e-5)


class Slices(unittest.TestCase):
    """Computations by calls of an intrinsic on parts of tensors."""

    @staticmethod
    def adder(n, scalars=()):
        x, y = te.placeholder((n,), name="x"), te.placeholder((n,), name="y")
        z = te.compute((n,), lambda i: x[i] + y[i], name="z")

        def body(ins, outs, values=()):
            ib = tir.ir_builder.create()
            with ib.for_range(0, n, "k") as k:
                total = ins[0].vload([k]) + ins[1].vload([k])
                for v in values:
                    total = total * v
                ib.emit(outs[0].vstore([k], total))
            return ib.get()

        return te.decl_tensor_intrin(z.op, body, scalar_params=scalars, default_buffer_params={"offset_factor": 1})

    def test_rows(self):
        for inexact in (False, True):
            m, n, step = (int(RNG.integers(1, 9)) for _ in range(3))
            A, B = te.placeholder((m, n), name="A"), te.placeholder((m, n), name="B")
            D = te.compute((m, n), lambda i, j: A[i, j] * 2.0, "D")
            add = self.adder(n)
            C = te.compute((m, n), lambda i: add(D[i, 0:n], B[i, 0:n]), name="C")
            self.assertEqual([len(C.op.axis), C.shape], [2, [m, n]])
            E = te.compute((m, n), lambda i, j: C[i, n - 1 - j] + 1.0, "E")
            s = te.create_schedule(E.op)
            self.assertEqual(s[C].leaf_iter_vars, C.op.axis[:1])  # the intrinsic runs over the other
            with self.assertRaisesRegex(vta.VTAError, "ax0: the axis does not belong to C, whose loops are i"):
                s[C].unroll(C.op.axis[1])
            self.assertEqual(s.bounds()[C.op.axis[1]].extent, n)
            outer, _ = s[C].split(C.op.axis[0], factor=step if inexact else 1)
            s[D].compute_at(s[C], outer)
            a, b = (RNG.random((m, n), "float32") for _ in range(2))
            run([E], [A, B, E], [a, b], [(a * 2 + b)[:, ::-1] + 1], s)

    def test_scalars(self):
        m, n = (int(RNG.integers(2, 9)) for _ in range(2))
        A = te.placeholder((m, n), name="A")
        v, w = te.var("v", "float32"), te.var("w", "float32")
        add = self.adder(n, [v, w])
        C = te.compute((m, n), lambda i: add(i, A[i, 0:n], 0.5, A[m - 1 - i, 0:n]), name="C")
        a = RNG.random((m, n), "float32")
        run([C], [A, C], [a], [((a + a[::-1]) * np.arange(m, dtype="float32")[:, None] * 0.5).astype("float32")])
        with self.assertRaisesRegex(NotImplementedError, "call it in te.compute"):
            B = te.compute((m, n), lambda i, j: A[i, j] + A[i, j], "B")
            s = te.create_schedule(B.op)
            s[B].tensorize(B.op.axis[1], add)

    def test_kept_in_a_cache(self):
        """The intrinsic computes a cache, which is copied out by loops over all dimensions."""
        for steps in range(8):
            m, n = (int(RNG.integers(2, 9)) for _ in range(2))
            A, v = te.placeholder((m, n), name="A"), te.var("v", "float32")
            add = self.adder(n, [v])
            C = te.compute((m, n), lambda i: add(i + 1, A[i, 0:n], A[m - 1 - i, 0:n]), name="C")
            s = te.create_schedule(C.op)
            CL = s.cache_write(C, "global")
            self.assertEqual([len(s[C].leaf_iter_vars), len(s[CL].leaf_iter_vars), s[CL].op.name], [2, 1, "C.global"])
            if steps & 1:
                s[CL].compute_at(s[C], s[C].op.axis[0])
            if steps & 2:
                s[C].split(C.op.axis[1], 2)
            if steps & 4:
                s[CL].split(CL.op.axis[0], 2)
            a = RNG.random((m, n), "float32")
            run([C], [A, C], [a], [((a + a[::-1]) * np.arange(1, m + 1, dtype="float32")[:, None]).astype("float32")], s)
        s = te.create_schedule(C.op)
        s[C].split(C.op.axis[0], 2)
        with self.assertRaisesRegex(vta.VTAError, "after its loops were split or fused"):
            s.cache_write(C, "local")

    def test_reductions(self):
        """Products of tiles, with a reset, and with the first point in its place; split reduce loops too; in a cache too."""
        for with_reset in (True, False, True, False):
            t, m, n, steps = (int(RNG.integers(1, 5)) for _ in range(4))
            x, y = te.placeholder((t, t), name="x"), te.placeholder((t, t), name="y")
            k = te.reduce_axis((0, t), "k")
            z = te.compute((t, t), lambda i, j: te.sum(x[i, k] * y[k, j], axis=k), name="z")

            def part(ins, outs, fresh, multiply):
                ib = tir.ir_builder.create()
                out = outs[0]
                with ib.for_range(0, t, "p") as p:
                    with ib.for_range(0, t, "q") as q:
                        if fresh:
                            ib.emit(out.vstore([p, q], 0.0))
                        if multiply:
                            with ib.for_range(0, t, "r") as r:
                                ib.emit(out.vstore([p, q], out.vload([p, q]) + ins[0].vload([p, r]) * ins[1].vload([r, q])))
                return ib.get()

            def body(ins, outs):
                both, add = part(ins, outs, True, True), part(ins, outs, False, True)
                return both, part(ins, outs, True, False) if with_reset else None, add

            product = te.decl_tensor_intrin(z.op, body, default_buffer_params={"offset_factor": 1})
            A, B = te.placeholder((m, steps, t, t), name="A"), te.placeholder((steps, n, t, t), name="B")
            ko = te.reduce_axis((0, steps), "ko")
            C = te.compute((m, n, t, t), lambda i, j: product(A[i, ko, 0:t, 0:t], B[ko, j], reduce_axis=ko), name="C")
            s = te.create_schedule(C.op)
            cached = s.cache_write(C, "global") if RNG.integers(2) else None
            if cached:
                s[cached].compute_at(s[C], s[C].op.axis[1])
            elif RNG.integers(2):
                outer, inner = s[C].split(C.op.reduce_axis[0], factor=2)
                s[C].reorder(outer, *C.op.axis[:2], inner)
            a, b = RNG.random((m, steps, t, t), "float32"), RNG.random((steps, n, t, t), "float32")
            run([C], [A, B, C], [a, b], [np.einsum("iktr,kjrq->ijtq", a, b)], s)

    def test_a_first_step_that_writes(self):
        """An intrinsic without a reset: its body writes in the first step of the reduction, its update adds in others."""
        for order in range(3):
            m, steps, t = (int(RNG.integers(1, 6)) for _ in range(3))
            x, y = te.placeholder((t,), "float32", "x"), te.placeholder((t,), "float32", "y")
            k = te.reduce_axis((0, t), "k")
            z = te.compute((1,), lambda i: te.sum(x[k] * y[k], axis=k), "z")

            def part(ins, outs, fresh):
                ib = tir.ir_builder.create()
                if fresh:
                    ib.emit(outs[0].vstore([0], 0.0))
                with ib.for_range(0, t, "r") as r:
                    ib.emit(outs[0].vstore([0], outs[0].vload([0]) + ins[0].vload([r]) * ins[1].vload([r])))
                return ib.get()

            dot = te.decl_tensor_intrin(z.op, lambda ins, outs: (part(ins, outs, True), None, part(ins, outs, False)),
                                        default_buffer_params={"offset_factor": 1})
            A, B = te.placeholder((m, steps * t), "float32", "A"), te.placeholder((steps * t,), "float32", "B")
            K = te.reduce_axis((0, steps * t), "K")
            C = te.compute((m,), lambda i: te.sum(A[i, K] * B[K], axis=K), "C")
            s = te.create_schedule(C.op)
            outer, inner = s[C].split(K, factor=t)
            if order == 1:
                s[C].reorder(outer, C.op.axis[0], inner)
            if order == 2:
                twice, outer = s[C].split(outer, nparts=min(steps, 2))
            s[C].tensorize(inner, dot)
            a, b = RNG.random((m, steps * t), "float32"), RNG.random((steps * t,), "float32")
            run([C], [A, B, C], [a, b], [a @ b], s)

    def test_words(self):
        A = te.placeholder((4, 6), name="A")
        add = self.adder(4)
        for do, words in (
                (lambda: te.compute((4, 4), lambda i: add(A[i, 0:5], A[i, 0:4])), "has another type or other extents"),
                (lambda: te.compute((4, 4), lambda i: add(A[i, 0:4])), "2 operands that it reads, but 1 are given"),
                (lambda: te.compute((4, 4), lambda i: add(A[i, 0:4:2], A[i, 0:4])), "a step of 2"),
                (lambda: te.compute((4, 4), lambda i: A[i, 0]), "takes 1 indices, but the shape has 2"),
                (lambda: te.compute((4, 4), lambda i, j: A[i, 0:4] + 1.0), "can only be given to an intrinsic"),
                (lambda: add(A[0, 0:4], A[0, 0:4], 3), "takes 0 scalars, not 1"),
                (lambda: te.create_schedule(te.compute((4, 4), lambda i: add(A[i, 4:8], A[i, 0:4])).op), "A")):
            with self.assertRaisesRegex(Exception, words):
                s = do()
                vta.lower(s, [A, s.outputs[0].output(0)])


class Calls(unittest.TestCase):
    def test_python_functions(self):
        """Numbers, texts and arrays reach a function, and what it returns and raises comes back."""
        seen = []

        @vta.register_func("test_extern.scale", override=True)
        def scale(x, y, factor, shift, word):
            seen.append((x.shape, y.dtype, word))
            y[:] = x.numpy() * factor + shift
            return 7

        for dtype in ("float32", "float64", "int32", "int8", "uint8"):
            n = int(RNG.integers(1, 30))
            A = te.placeholder((n,), dtype, "A")

            def body(ins, outs):
                ib = tir.ir_builder.create()
                got = ib.let("got", tir.call_packed("test_extern.scale", ins[0], outs[0], 2, te.const(3, "int64"), "word"))
                last = ib.buffer_ptr(outs[0])
                with ib.if_scope(got == 7):
                    last[n - 1] = te.const(1, dtype)
                return ib.get()

            B = te.extern(A.shape, [A], body, name="B")
            a = RNG.integers(0, 20, n).astype(dtype)
            want = a * 2 + 3
            want[-1] = 1
            run([B], [A, B], [a], [want.astype(dtype)])
            self.assertEqual(seen[-1], ((n,), dtype, "word"))

    def test_products(self):
        """Matrices and batches of them, each transposed or not, with a stage behind; shapes that do not fit are refused."""
        from tvm.contrib import cblas

        for product, batch in ((cblas.matmul, ()), (cblas.batch_matmul, (3,))):
            for transa in (False, True):
                for transb in (False, True):
                    m, k, n = (int(RNG.integers(1, 9)) for _ in range(3))
                    A = te.placeholder(batch + ((k, m) if transa else (m, k)), "float32", "A")
                    B = te.placeholder(batch + ((n, k) if transb else (k, n)), "float32", "B")
                    C = product(A, B, transa, transb, name="C")
                    self.assertEqual(tuple(C.shape), batch + (m, n))
                    D = te.compute(C.shape, lambda *i, C=C: C(*i) + 1, "D")
                    a, b = (RNG.random(t.shape, "float32") for t in (A, B))
                    x, y = (np.swapaxes(v, -1, -2) if t else v for v, t in ((a, transa), (b, transb)))
                    run([D], [A, B, D], [a, b], [np.einsum("...ik,...kj->...ij", x, y) + 1])
        A, B = te.placeholder((3, 4), "float32", "A"), te.placeholder((5, 4), "float32", "B")
        with self.assertRaisesRegex(ValueError, "matmul: A has 4 where B has 5"):
            cblas.matmul(A, B)
        with self.assertRaisesRegex(ValueError, "batch_matmul: A has 2 dimensions and must have 3"):
            cblas.batch_matmul(A, B)

    def test_once(self):
        """A call with a name happens once, however often the name is used; also never."""
        for uses in (0, 1, 3):
            calls = []
            vta.register_func("test_extern.count", lambda: calls.append(1) or 5, override=True)
            A = te.placeholder((4,), "int32", "A")

            def body(ins, outs):
                ib = tir.ir_builder.create()
                got = ib.let("got", tir.call_packed("test_extern.count"))
                a, b = ib.buffer_ptr(ins[0]), ib.buffer_ptr(outs[0])
                with ib.for_range(0, 4, "i") as i:
                    b[i] = a[i]
                    for _ in range(uses):
                        b[i] = b[i] + got
                return ib.get()

            B = te.extern((4,), [A], body, name="B")
            a = RNG.integers(-99, 99, 4, dtype="int32")
            run([B], [A, B], [a], [a + 5 * uses])
            self.assertEqual(len(calls), 1)

    def test_errors(self):
        A = te.placeholder((4,), "float32", "A")
        B = te.extern(A.shape, [A], lambda ins, outs: tir.call_packed("test_extern.bad", ins[0], outs[0]), name="B")
        kernel = vta.build(te.create_schedule(B.op), [A, B], "llvm")
        arrays = [vta.nd.array(np.zeros(4, "float32")) for _ in range(2)]
        with self.assertRaisesRegex(vta.VTAError, "no function 'test_extern.bad' is registered"):
            kernel(*arrays)

        @vta.register_func("test_extern.bad", override=True)
        def bad(x, y):
            raise KeyError("my own")

        with self.assertRaisesRegex(KeyError, "my own"):
            kernel(*arrays)
        vta.register_func("test_extern.bad", lambda x, y: y.copyfrom(x.numpy() + 1), override=True)
        kernel(*arrays)
        np.testing.assert_array_equal(arrays[1].numpy(), np.ones(4))

    def test_c_functions(self):
        """memcpy, of the C library."""
        n = int(RNG.integers(1, 30))
        A = te.placeholder((n,), "int32", "A")
        B = te.extern(A.shape, [A], lambda ins, outs: tir.call_extern("handle", "memcpy", outs[0].access_ptr("w"),
                                                                      ins[0].access_ptr("r"), te.const(4 * n, "int64")), name="B")
        a = RNG.integers(-99, 99, n, dtype="int32")
        run([B], [A, B], [a], [a])


class Numbers(unittest.TestCase):
    def test_bits_and_steps(self):
        """Against numpy: the next float, bits as another type, products with a shift, pure calls of the C library."""
        for dtype, other in (("float32", "int32"), ("float64", "int64")):
            n = int(RNG.integers(1, 40))
            A, B = (te.placeholder((n,), dtype, name) for name in "AB")
            a, b = (RNG.normal(size=n).astype(dtype) for _ in range(2))
            after = te.compute((n,), lambda i: te.nextafter(A[i], B[i]), "after")
            bits = te.compute((n,), lambda i: te.reinterpret(other, A[i]) ^ 1, "bits")
            hypot = te.compute((n,), lambda i: tir.call_pure_extern(dtype, "hypotf" if dtype == "float32" else "hypot", A[i], B[i]), "c")
            for t, want in ((after, np.nextafter(a, b)), (bits, a.view(other) ^ 1), (hypot, np.hypot(a, b))):
                self.assertEqual(t.dtype, str(want.dtype))
                args = [A, B, t] if t is not bits else [A, t]
                kernel, out = vta.build(te.create_schedule(t.op), args, "llvm"), vta.nd.empty((n,), t.dtype)
                kernel(*[vta.nd.array(x) for x in (a, b)[:len(args) - 1]], out)
                (np.testing.assert_array_equal if t is not hypot else np.testing.assert_allclose)(out.numpy(), want)

    def test_shifted_products(self):
        n = 50
        X, Y = (te.placeholder((n,), "int32", name) for name in "XY")
        x, y = (RNG.integers(-2**31, 2**31, n).astype("int32") for _ in range(2))
        for q, s in ((31, 0), (31, 3), (31, -4), (15, -1)):
            Z = te.compute((n,), lambda i: te.q_multiply_shift(X[i], Y[i], q, s), "Z")
            out = vta.nd.empty((n,), "int32")
            vta.build(te.create_schedule(Z.op), [X, Y, Z], "llvm")(vta.nd.array(x >> max(s, 0)), vta.nd.array(y), out)
            right = q - min(s, 0)
            wide = [((int(a) >> max(s, 0)) << max(s, 0)) * int(c) + (1 << (right - 1)) >> right for a, c in zip(x, y)]
            np.testing.assert_array_equal(out.numpy(), np.array(wide, "int64").astype("int32"))

    def test_refused(self):
        A = te.placeholder((4,), "int8", "A")
        for do, words in ((lambda: te.nextafter(A[0], 1), "takes float32 and float64"),
                          (lambda: te.reinterpret("float32", A[0]), "not as many bits")):
            with self.assertRaisesRegex(ValueError, words):
                do()


class Refusals(unittest.TestCase):
    def test_words(self):
        A = te.placeholder((4, 4), "float32", "A")
        D = te.compute((4, 4), lambda i, j: A[i, j] + 1.0, "D")
        call = tir.call_packed("nothing")
        B = te.extern((4, 4), [D], lambda ins, outs: call, name="B")
        s = te.create_schedule(te.compute((4, 4), lambda i, j: B[i, j] * 2.0, "C").op)
        loose = tir.Evaluate(te.const(1) + vta.buffer.variable("loose"))
        for do, words in (
                (lambda: s[B].compute_inline(), "B: it consists of statements"),
                (lambda: s[D].compute_inline(), "B, which reads it, consists of statements"),
                (lambda: s.cache_write(B, "local"), "cannot cache_write B"),
                (lambda: te.evaluate(B, {A: np.zeros((4, 4))}), "only run when they are compiled"),
                (lambda: te.create_prim_func([A, B]).script(), "which a function of blocks cannot say"),
                (lambda: te.extern((4,), [A], lambda i, o: loose), "uses loose, which no loop"),
                (lambda: te.extern((4,), [], lambda i, o: call), "cannot tell the type"),
                (lambda: te.extern((4,), [A], lambda i, o: None), "a statement is of type Stmt"),
                (lambda: te.extern((4,), [A], lambda i, o: call, in_buffers=[]), "1 inputs, but 0 buffers"),
                (lambda: te.extern((4,), [A], lambda i, o: call, in_buffers=[tir.decl_buffer((4, 5))]), "not the shape and type"),
                (lambda: tir.decl_buffer((4,))[1, 2], "1 dimensions, but 2 indices"),
                (lambda: tir.decl_buffer((4,))[1.5], "is not an integer"),
                (lambda: te.compute((4,), lambda i: tir.Broadcast(te.const(1.0), 4)), "elements are single numbers"),
                (lambda: tir.ir_builder.create().else_scope(), "can only follow an if_scope")):
            with self.assertRaisesRegex(Exception, words):
                do()


if __name__ == "__main__":
    unittest.main()

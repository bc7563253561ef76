"""The compatibility package: what it offers under which name, what it refuses, and that it never hides a real TVM."""

import os
import subprocess
import sys
import tempfile
import unittest

import common
import numpy as np
import tvm
import vta
from tvm import te


def _python(code, path, folder=None):
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join(path), "VTA_LIBRARY_PATH": common.BUILD}
    return subprocess.run([sys.executable, "-c", code], env=variables, cwd=folder, capture_output=True, text=True)


class Compatibility(unittest.TestCase):
    def test_what_is_offered(self):
        for name in ("te.placeholder te.compute te.create_prim_func te.tag_scope te.thread_axis tir.if_then_else "
                     "tir.Schedule topi.nn.pad topi.nn.relu topi.clip topi.add topi.testing.conv2d_nchw_python "
                     "topi.tag.ELEMWISE nd.array nd.empty cpu ext_dev rpc.LocalSession contrib.utils.tempdir "
                     "runtime.enabled target.Target lower build ir.module.IRModule testing.assert_allclose "
                     "get_global_func transform.PassContext te.decl_tensor_intrin te.gradient te.hybrid.build").split():
            thing = tvm
            for part in name.split("."):
                thing = getattr(thing, part)

    def test_what_is_not_offered_is_named(self):
        for call, name in ((lambda: tvm.relay.nn.conv2d, "tvm.relay.nn.conv2d"), (lambda: te.hybrid.parse, "te.hybrid.parse"),
                           (lambda: te.autodiff, "te.autodiff"), (lambda: tvm.topi.nn.conv3d, "tvm.topi.nn.conv3d"),
                           (lambda: tvm.rpc.Server(), "rpc.Server"),
                           (lambda: tvm.script.tir.prim_func, "tvm.script.tir.prim_func")):
            with self.assertRaisesRegex(NotImplementedError, name.replace(".", r"\.")):
                call()

    def test_what_is_not_offered_can_be_asked_for(self):
        """As with any module: hasattr, getattr with a default, try: import."""
        for thing, name in ((tvm, "meta_schedule"), (tvm.relay, "Function"), (tvm.te, "autodiff"), (tvm.tir, "ptx_mma"), (tvm.topi.nn, "conv3d"),
                            (tvm.script.tir, "prim_func"), (tvm.tir.Schedule(tvm.IRModule()), "get_block")):
            self.assertFalse(hasattr(thing, name))
            self.assertIsNone(getattr(thing, name, None))
            with self.assertRaisesRegex(NotImplementedError, name):
                getattr(thing, name)
        for code in ("from tvm import micro", "import tvm.micro", "import tvm.relay.expr", "from tvm.relay.nn import dense",
                     "import tvm.contrib.cublas", "from tvm.te import autodiff", "from tvm.tir import ptx_mma",
                     "from tvm.topi.nn import conv3d", "from tvm.target import arm_cpu, cuda"):
            with self.assertRaises(ImportError) as found:
                exec(code)  # pylint: disable=exec-used
            self.assertIsInstance(found.exception, NotImplementedError)
            self.assertRegex(str(found.exception), r"tvm\.[a-z0-9_.]+ is not offered by this compatibility package")
        from tvm.te import compute, erf  # what there is comes as always
        self.assertIs(compute, te.compute)
        self.assertIs(erf, te.erf)

    def test_helpers_of_operators(self):
        from tvm import relay, topi
        from tvm.topi.nn.utils import get_pad_tuple
        from tvm.topi.utils import equal_const_int, get_const_int, get_const_tuple, prod

        for padding, want in ((1, (1, 1, 1, 1)), ((1, 2), (1, 2, 1, 2)), ((1, 2, 3, 4), (1, 2, 3, 4))):
            self.assertEqual(relay.nn.get_pad_tuple2d(padding), want)
            self.assertEqual(get_pad_tuple(padding, (3, 3)), want)
        self.assertEqual(get_pad_tuple("SAME", (4, 3)), (1, 1, 2, 1))
        self.assertEqual(get_pad_tuple("VALID", (4, 3)), (0, 0, 0, 0))
        for wrong in ((1, 2, 3), "FULL"):
            with self.assertRaisesRegex(ValueError, "a padding is 1, 2 or 4 numbers"):
                get_pad_tuple(wrong, (3, 3))
        n = te.var("n")
        a = te.placeholder((4, n, 8), "int8", "A")
        self.assertEqual(get_const_tuple(a.shape)[::2], (4, 8))
        self.assertEqual(repr(get_const_tuple(a.shape)[1]), "n")
        self.assertEqual((get_const_int(te.const(3, "int32")), get_const_int(5)), (3, 5))
        self.assertEqual((equal_const_int(3, 3), equal_const_int(te.const(3, "int32"), 4), equal_const_int(n, 3)), (True, False, False))
        self.assertEqual((prod((2, 3, 4)), prod(())), (24, 1))
        with self.assertRaisesRegex(ValueError, "expected a constant integer"):
            get_const_int(n)
        x = te.placeholder((2, 3, 4), "int32", "X")
        y = topi.nn.dilate(x, (1, 3, 2), -7)
        self.assertEqual(tuple(y.shape), (2, 7, 7))
        kernel = tvm.build(te.create_schedule(y.op), [x, y], "llvm")
        given = tvm.nd.array(np.arange(24, dtype="int32").reshape(2, 3, 4))
        out = tvm.nd.empty((2, 7, 7), "int32")
        kernel(given, out)
        want = topi.testing.dilate_python(given.numpy(), (1, 3, 2), -7)
        np.testing.assert_array_equal(out.numpy(), want)
        self.assertEqual((want[1, 3, 2], want[1, 3, 3]), (17, -7))
        with self.assertRaisesRegex(ValueError, "strides, each at least 1"):
            topi.nn.dilate(x, (1, 0, 2))

    def test_transposed_convolution(self):
        """Against its definition: the gradient of a convolution, by numbers."""
        from tvm.topi.testing import conv2d_nchw_python, conv2d_transpose_nchw_python

        r = np.random.RandomState(1)
        for stride, padding, more in ((1, 0, (0, 0)), (2, 1, (0, 0)), ((2, 3), (1, 0), (1, 2))):
            w = r.randint(-5, 5, (3, 2, 4, 3)).astype("int64")
            a = r.randint(-5, 5, (2, 3, 5, 4)).astype("int64")
            out = conv2d_transpose_nchw_python(a, w, stride, padding, more)
            g = r.randint(-5, 5, out.shape).astype("int64")  # <conv(g), a> = <g, transposed(a)>
            forward = conv2d_nchw_python(g, w, stride, padding)[:, :, :5, :4]
            self.assertEqual((forward * a).sum(), (g * out).sum())

    def test_scalars_and_tensors_in_any_order(self):
        n, x = te.size_var("n"), te.size_var("x")
        a = te.placeholder((n,), "int32", "A")
        b = te.compute((n // x,), lambda i: a[i] * 2, "B")
        s = te.create_schedule(b.op)
        given = {id(a): tvm.nd.array(np.arange(8, dtype="int32")), id(b): tvm.nd.empty((4,), "int32"), id(x): 2}
        for order in ((a, b, x), (b, a, x), (x, b, a), (b, x, a)):
            kernel = tvm.build(s, list(order), "llvm", name="halves")
            given[id(b)].copyfrom(np.zeros(4))
            kernel(*[given[id(arg)] for arg in order])
            np.testing.assert_array_equal(given[id(b)].numpy(), [0, 2, 4, 6])
            with self.assertRaisesRegex(vta.VTAError, r"\(B\): dimension 0 is 4, must be floordiv\(n, x\)"):
                kernel(*[3 if arg is x else given[id(arg)] for arg in order])
        with self.assertRaisesRegex(vta.VTAError, "argument B depends on x, which no argument gives"):
            tvm.build(s, [a, b], "llvm")
        c = te.compute((n,), lambda i: a[i] + n, "C")
        kernel = tvm.build(te.create_schedule(c.op), [a, c, n], "llvm", name="plus")
        out = tvm.nd.empty((8,), "int32")
        kernel(given[id(a)], out, 8)
        np.testing.assert_array_equal(out.numpy(), np.arange(8) + 8)
        with self.assertRaisesRegex(vta.VTAError, "dimension 0 is 8, must be n"):
            kernel(given[id(a)], out, 800)

    def test_a_real_installation_comes_first(self):
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "tvm"))
            with open(os.path.join(folder, "tvm", "__init__.py"), "w", encoding="utf-8") as file:
                file.write("real = True\n")
            package = os.path.join(common.ROOT, "python")
            code = "import vta; vta.use_tvm_names(); import tvm; print('real' in vars(tvm))"
            self.assertEqual(_python(code, [package, folder]).stdout, "True\n")
            self.assertEqual(_python(code, [package]).stdout, "False\n")
            self.assertIn("No module named 'tvm'", _python("import vta, tvm", [package]).stderr)

    def test_lowering_outside_a_context_is_for_the_processor(self):
        a = te.placeholder((8,), name="A", dtype="float32")
        b = te.compute((8,), lambda i: te.exp(a[i]), name="B")
        s = te.create_schedule(b.op)
        module = tvm.lower(s, [a, b], simple_mode=True)
        self.assertIn("@main = primfn", str(module))
        self.assertIn("@T.prim_func", tvm.tir.Schedule(module).mod.script())
        kernel = tvm.build(s, [a, b], "llvm")
        x, y = tvm.nd.array(np.arange(8, dtype="float32")), tvm.nd.empty((8,))
        kernel(x, y)
        tvm.testing.assert_allclose(y.numpy(), np.exp(np.arange(8, dtype="float32")), rtol=1e-6)

    def test_functions_by_name(self):
        tvm.get_global_func("vta.simulator.profiler_clear")()
        self.assertIn('"gemm_counter": 0', tvm.get_global_func("vta.simulator.profiler_status")())
        self.assertIsNone(tvm.get_global_func("no.such.function", allow_missing=True))
        with self.assertRaisesRegex(ValueError, "no.such.function"):
            tvm.get_global_func("no.such.function")

    def test_tags(self):
        with te.tag_scope("mine"):
            b = te.compute((4,), lambda i: i, name="B")
        self.assertEqual(b.op.tag, "mine")
        self.assertTrue(tvm.topi.tag.is_broadcast(tvm.topi.add(b, b).op.tag))

    def test_temporaries_of_both_sides(self):
        env = vta.get_env()
        shape = (4, 4, env.BATCH, env.BLOCK_OUT)
        a = te.placeholder(shape, name="A", dtype=env.acc_dtype)
        before = te.compute(shape, lambda *i: a(*i) * 3, "before")  # by the host, read by a transfer
        buf = te.compute(shape, lambda *i: before(*i), "buf")
        stored = te.compute(shape, lambda *i: buf(*i).astype(env.inp_dtype), name="stored")
        after = te.compute(shape, lambda *i: stored(*i) * te.const(2, "int8"), name="after")  # the other way
        s = te.create_schedule(after.op)
        s[buf].set_scope(env.acc_scope)
        s[buf].pragma(buf.op.axis[0], env.dma_copy)
        s[stored].pragma(stored.op.axis[0], env.dma_copy)
        f = vta.build(s, [a, after], tvm.target.Target("ext_dev", host=env.target_host))
        values = np.random.default_rng(1).integers(-20, 20, shape).astype("int32")
        x = tvm.nd.array(values, tvm.ext_dev(0))
        y = tvm.nd.array(np.zeros(shape, after.dtype), tvm.ext_dev(0))
        f(x, y)
        np.testing.assert_array_equal(y.numpy(), ((values * 3).astype("int8").astype("int32") * 2).astype(after.dtype))

    def test_loops_of_symbolic_extent_are_cut_in_place(self):
        """Two splits, the outer one into parts: parts that end before their first whole step neither repeat elements
        nor leave the array."""
        for parts, factor, reduce in [(7, 8, True), (3, 4, True), (8, 8, False), (3, 5, False), (1, 16, False)]:
            m = te.var("m")
            a = te.placeholder((m,), name="A", dtype="int32")
            if reduce:
                k = te.reduce_axis((0, m), name="k")
                c = te.compute((1,), lambda _: te.sum(a[k], axis=k), name="C")
            else:
                c = te.compute((m,), lambda i: a[i] + 1, name="C")
            s = te.create_schedule(c.op)
            _, inner = s[c].split(k if reduce else c.op.axis[0], nparts=parts)
            s[c].split(inner, factor)
            kernel = tvm.build(s, [a, c], "llvm")
            for n in (1, 5, 9, 10, 31, 64):
                x, around = np.arange(3, n + 3, dtype="int32"), np.full(400 + n, 77, "int32")
                size = 1 if reduce else n
                kernel(tvm.nd.array(x), tvm.nd.from_dlpack(around[200:200 + size]))
                np.testing.assert_array_equal(around[200:200 + size], x.sum() if reduce else x + 1)
                self.assertTrue((around[:200] == 77).all() and (around[200 + size:] == 77).all())

    def test_a_kernel_refuses_what_does_not_fit(self):
        a = te.placeholder((8,), name="A", dtype="int32")
        b = te.compute((8,), lambda i: a[i] + 1, name="B")
        kernel = tvm.build(te.create_schedule(b.op), [a, b], "llvm", name="plus")
        good = tvm.nd.empty((8,), "int32")
        for bad in ([good], [good, tvm.nd.empty((9,), "int32")], [good, tvm.nd.empty((8,), "int8")],
                    [good, tvm.nd.empty((8,), "int32", vta.ext_dev(0))]):
            with self.assertRaises(vta.VTAError):
                kernel(*bad)
        with self.assertRaisesRegex(TypeError, "nd.array"):
            kernel(good, np.zeros(8, "int32"))


if __name__ == "__main__":
    unittest.main()

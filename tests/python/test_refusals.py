"""What the front end refuses: each row is a call that cannot be answered, the exception and the words of it that say why.

A refusal that no longer comes shows here; so does one that comes for something else."""

import contextlib
import importlib
import io
import os
import tempfile
import types
import unittest

import common  # noqa: F401

import vta
from vta import autotvm, ir, rpc, te, tir, topi, transform
from vta.autotvm.callback import Monitor, log_to_file, progress_bar
from vta.autotvm.entity import AnnotateEntity, ReorderEntity
from vta.autotvm.space import ConfigSpace, FallbackConfigEntity

A = te.placeholder((4, 6), "int32", name="A")
ROW = te.placeholder((6,), "int32", name="ROW")
IMAGE = te.placeholder((1, 8, 6, 6), "float32", name="IMAGE")


def one(a=A):
    """A computation of its own: rows must not disturb one another."""
    return te.compute(a.shape, lambda *i: a(*i) + 1, "ONE")


def lowered():
    out = one()
    return vta.lower(te.create_schedule(out.op), [A, out], name="f")


def in_scope(inner):
    with te.tag_scope("outer"):
        return inner()


def scope_in_scope():
    with te.tag_scope("inner"):
        pass


def space(define):
    return define(ConfigSpace())


def fallback(constraints):
    config = FallbackConfigEntity()
    config.define_split("tile", 12, num_outputs=2)
    config.fallback_split("tile", constraints)
    return config


ROWS = [
    # te
    (lambda: te.sum(A[0, 0], A[0, 1], axis=te.reduce_axis((0, 4), "k")), TypeError, "takes one value, not 2|positional"),
    (lambda: te.max(A[0, 0], A[0, 1], axis=te.reduce_axis((0, 4), "k")), TypeError, "a reduction takes one value, not 2"),
    (lambda: te.max(A[0, 0]), ValueError, "give the axis to reduce over, or two values"),
    (lambda: te.any(), ValueError, "no conditions were given"),
    (lambda: te.all(), ValueError, "no conditions were given"),
    (lambda: te.exp(A[0, 0]), ValueError, "the operand of exp is not a float: cast it first"),
    (lambda: te.sqrt(A[0, 0]), ValueError, "the operand of sqrt is not a float"),
    (lambda: in_scope(lambda: te.compute((4,), lambda i: A[i, 0], tag="x")), ValueError, "nested tag is not allowed"),
    (lambda: in_scope(scope_in_scope), ValueError, "tag scopes do not nest: 'outer' is open"),
    (lambda: te.create_schedule(one().op)[A].double_buffer(), NotImplementedError, "Stage.double_buffer is not offered"),
    (lambda: te.create_schedule(one().op)[A].env_threads([]), NotImplementedError, "Stage.env_threads is not offered"),
    (lambda: te.create_schedule(one().op)[A].prefetch(A, None, 1), NotImplementedError, "Stage.prefetch is not offered"),
    (lambda: te.extern([(4,), (4,)], [A], lambda i, o: None, dtype=["int32"]), ValueError,
     "extern has 2 results, but 1 types are given"),
    (lambda: te.comm_reducer(lambda x, y: x, lambda t: t, name="mine")(A[0, 0], te.reduce_axis((0, 4), "k"), None, None, 5),
     TypeError, "mine over axes takes one value, a condition and a start"),
    # build and lower
    (lambda: vta.build(lowered(), [A]), ValueError, "arguments belong to a schedule"),
    (lambda: vta.build({"llvm": lowered(), "ext_dev": lowered()}), NotImplementedError, "build takes one target"),
    (lambda: transform.PassContext(instruments=[1]), NotImplementedError, "pass instruments are not offered"),
    (lambda: transform.PassContext(config={"tir.Nothing": 1}), NotImplementedError, "the option 'tir.Nothing' is not offered"),
    (lambda: transform.PassContext(config={"tir.noalias": False}), NotImplementedError, "arguments must not overlap"),
    (lambda: ir.print_style("latin").__enter__(), ValueError, "no style 'latin'; there are primfn and tvmscript"),
    (lambda: lowered().get_global_var("g"), ValueError, "there is no function g; there are f"),
    # tir
    (lambda: tir.decl_buffer((4,), "int32", name="b").vload([0], "float32"), ValueError,
     "b has elements of type int32, which cannot be read as float32"),
    (lambda: tir.decl_buffer((4,), "int32").access_ptr("r", content_lanes=4), NotImplementedError,
     r"access_ptr\(content_lanes=...\) is not offered"),
    (lambda: tir.decl_buffer((4,), "int32", offset_factor=-1), ValueError, "offset_factor of decl_buffer"),
    # topi
    (lambda: topi.concatenate([]), ValueError, "takes one or more tensors of the same number of dimensions"),
    (lambda: topi.concatenate([A, ROW]), ValueError, "takes one or more tensors of the same number of dimensions"),
    (lambda: topi.tensordot(A, A, axes=([0, 1], [0])), ValueError, "tensordot over 2 dimensions of A and 1 of A"),
    (lambda: topi.tensordot(A, A, axes=([0], [1])), ValueError, "4|6"),
    (lambda: topi.gather(A, 0, ROW), ValueError, "gather: A has 2 dimensions, its indices 1"),
    (lambda: topi.sum(A, axis=2), ValueError, "axis 2: the tensor has 2 dimensions"),
    (lambda: topi.sum(A, axis=-3), ValueError, "axis -3: the tensor has 2 dimensions"),
    (lambda: topi.squeeze(A, axis=1), ValueError, r"squeeze: dimensions \[1\] of \[4, 6\] have more than one element"),
    (lambda: topi.flip(A, axis=2), ValueError, "axis 2 of 2 dimensions"),
    (lambda: topi.flip(A, axis=-3), ValueError, "axis -3 of 2 dimensions"),
    (lambda: topi.add(A, te.placeholder((5,), "int32")), ValueError, r"do not broadcast: 6 against 5"),
    (lambda: topi.nn.batch_matmul(te.placeholder((2, 3, 4)), te.placeholder((3, 5, 4))), ValueError,
     "batch_matmul of 2 and 3 matrices"),
    (lambda: topi.nn.batch_matmul(te.placeholder((2, 3, 4)), te.placeholder((2, 5, 6))), ValueError, "depths 4 and 6 differ"),
    (lambda: topi.nn.batch_matmul(A, A), ValueError, "batch_matmul of 2 and 2 dimensions"),
    (lambda: topi.nn.upsampling(IMAGE, 2, 2, method="bilinear"), Exception, "upsampling by 'bilinear' is not offered"),
    (lambda: topi.nn.depth_to_space(IMAGE, 2, mode="RCD"), ValueError, "no mode 'RCD' of depth_to_space; there are DCR and CRD"),
    (lambda: topi.nn.conv2d(IMAGE, te.placeholder((4, 3, 3, 3)), 1, 1, 1), ValueError,
     "data of 8 channels, weights of 4 x 3 in 1 groups: they do not come out even"),
    (lambda: topi.nn.conv2d_transpose_nchw(IMAGE, te.placeholder((3, 4, 3, 3)), (1, 1), (1, 1), "float32", (0, 0)), ValueError,
     "data of 8 channels, weights of 3 x 4: they do not fit"),
    # autotvm
    (lambda: space(lambda s: s.define_split("t", 12, policy="candidate")), ValueError, "the policy candidate takes candidate="),
    (lambda: space(lambda s: s.define_split("t", 12, num_outputs=1)), ValueError, "num_outputs is 1"),
    (lambda: space(lambda s: s.define_split("t", 12, num_outputs=2, candidate=[[1, 2, 6]])), ValueError, "each candidate has 2"),
    (lambda: space(lambda s: s.define_split("t", 12, parts=2)), TypeError, "define_split takes .* not parts"),
    (lambda: space(lambda s: s.define_split("t", 0, num_outputs=2)), ValueError, "whose extent is not a number"),
    (lambda: space(lambda s: s.define_split("t", 12, num_outputs=2, filter=lambda e: False)), ValueError, "has no candidate"),
    (lambda: space(lambda s: s.define_reorder("r", list(range(9)))), ValueError, "9 axes have 362880 orders: give candidates"),
    (lambda: space(lambda s: s.define_reorder("r", [1, 2], policy="best")), NotImplementedError, "define_reorder.policy='best'"),
    (lambda: fallback([1, 0]), ValueError, r"no split has sizes of at most \[1, 0\]"),
    (lambda: AnnotateEntity(["none", "fast"]), ValueError, "an annotation is one of none, unroll, vec, not 'fast'"),
    (lambda: AnnotateEntity(["none"]).apply(None, None, [1, 2]), ValueError, "annotations of 1 axes are applied to 2"),
    (lambda: AnnotateEntity(["none"]).apply(None, None, [1], max_unroll=2), NotImplementedError, "max_unroll"),
    (lambda: ReorderEntity([1, 0]).apply(None, None, [1]), ValueError, "an order of 2 axes is applied to 1"),
    (lambda: log_to_file("/nonexistent/folder/log"), FileNotFoundError, "there is no folder /nonexistent/folder"),
    (lambda: autotvm.measure.create_measure_batch(types.SimpleNamespace(name="mine", target=None), None), ValueError,
     "the task mine has no target"),
    # what TVM's tutorial deploy_detection imports
    (lambda: importlib.import_module("tvm.relay.testing.darknet"), ImportError, "vta.detect finds and suppresses the boxes"),
    (lambda: importlib.import_module("tvm.relay.testing.yolo_detection"), NotImplementedError, "`vta detect --draw` draws them"),
    (lambda: importlib.import_module("tvm.relay.frontend").from_darknet(None), NotImplementedError, r"vta.detect .* \(docs/detect.md\)"),
    # sessions
    (lambda: rpc.LocalSession().upload(b"x"), ValueError, "uploading bytes needs a name"),
    (lambda: vta.nothing, AttributeError, "module 'vta' has no attribute 'nothing'"),
    (lambda: vta.top.nothing, AttributeError, "vta.top.nothing is not offered"),
    (lambda: getattr(vta.top, "__nothing__"), AttributeError, "^__nothing__$"),
]


class Refusals(unittest.TestCase):
    def test_each_says_why(self):
        for number, (call, kind, words) in enumerate(ROWS):
            with self.subTest(row=number, words=words):
                with self.assertRaisesRegex(kind, words):
                    call()


class Accepted(unittest.TestCase):
    """The nearest calls that are answered: a refusal of everything would pass above."""

    def test_near_what_is_refused(self):
        self.assertEqual(topi.sum(A, axis=-2).shape, [6])
        self.assertEqual(topi.sum(A, axis=1).shape, [4])
        self.assertEqual(topi.squeeze(te.placeholder((4, 1)), axis=1).shape, [4])
        self.assertEqual(topi.flip(A, axis=-2).shape, [4, 6])
        self.assertEqual(topi.nn.batch_matmul(te.placeholder((1, 3, 4)), te.placeholder((3, 5, 4))).shape, [3, 3, 5])
        self.assertEqual(topi.add(A, te.placeholder((1,), "int32")).shape, [4, 6])
        for several in (topi.elemwise_sum, topi.concatenate):
            self.assertEqual(several([A]).shape, [4, 6])  # of one, too
        self.assertEqual(topi.stack([A]).shape, [1, 4, 6])
        self.assertEqual(list(fallback([-1, 4])["tile"].size), [-1, 4])
        self.assertEqual(list(fallback([-1, 5])["tile"].size), [-1, 4])
        self.assertEqual(list(fallback([-1, -1])["tile"].size), [-1, 12])
        disabled = transform.PassContext(config={"tir.disable_vectorize": True, "tir.disable_cse_tir": True}).disabled()
        self.assertEqual(disabled, ["tir.CommonSubexprElimTIR", "tir.VectorizeLoop"])
        self.assertEqual(transform.PassContext().disabled(), [])
        with ir.print_style("tvmscript"):
            self.assertIn("@T.prim_func", repr(lowered()["f"]))
        self.assertNotIn("@T.prim_func", repr(lowered()["f"]))

    def test_a_module_is_a_dictionary(self):
        module = lowered()
        self.assertEqual(list(module), ["f"])
        self.assertEqual(list(module.keys()), ["f"])
        self.assertEqual(list(module.values()), [module["f"]])
        self.assertEqual(module.get_global_var("f"), "f")
        other = ir.IRModule()
        self.assertEqual(len(other), 0)
        other["g"] = module["f"]
        other.update(module)
        self.assertEqual(sorted(other), ["f", "g"])
        self.assertEqual(len(ir.IRModule.from_expr(module["f"])), 1)

    def test_orders_and_annotations_are_applied(self):
        out = one()
        schedule = te.create_schedule(out.op)
        axes = list(out.op.axis)
        self.assertEqual(ReorderEntity([1, 0]).apply(schedule, out, axes), [axes[1], axes[0]])
        self.assertEqual(AnnotateEntity(["unroll", "none"]).apply(schedule, out, axes), axes)
        self.assertEqual(list(schedule[out].leaf_iter_vars), [axes[1], axes[0]])
        self.assertEqual([repr(ReorderEntity([1, 0])), repr(AnnotateEntity(["vec"]))], ["[1, 0]", "['vec']"])

    def test_trials_are_shown_and_kept(self):
        def trial(seconds, when, error=0):
            return (types.SimpleNamespace(task=types.SimpleNamespace(flop=4e9)),
                    types.SimpleNamespace(error_no=error, mean=seconds, timestamp=when))

        monitor, out = Monitor(), io.StringIO()
        bar = progress_bar(3, prefix="mine", si_prefix="G")
        with contextlib.redirect_stdout(out):
            for batch in ([trial(2.0, 10), trial(4.0, 11)], [trial(0.0, 12, error=1)]):
                inputs, results = zip(*batch)
                monitor(None, inputs, results)
                bar(None, inputs, results)
        self.assertEqual(monitor.trial_scores(), [2e9, 1e9, 0.0])
        self.assertEqual(monitor.trial_timestamps(), [10, 11, 12])
        first, second = out.getvalue().split("\r")[1:]
        self.assertRegex(first, r"^mine Current/Best: +1.00/ +2.00 GFLOPS \| Progress: \(2/3\) \| 0 failed \| [\d.]+ s$")
        self.assertRegex(second, r"^mine Current/Best: +0.00/ +2.00 GFLOPS \| Progress: \(3/3\) \| 1 failed \| [\d.]+ s\n$")
        monitor.reset()
        self.assertEqual((monitor.trial_scores(), monitor.trial_timestamps()), ([], []))

    def test_a_session_in_this_process_keeps_files(self):
        session = rpc.LocalSession()
        session.upload(b"contents", target="one")
        self.assertEqual(session.download("one"), b"contents")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "two")
            with open(path, "wb") as file:
                file.write(b"more")
            session.upload(path)
            session.upload(path, target="three")
        self.assertEqual([session.download("two"), session.download("three")], [b"more", b"more"])
        session.remove("two")
        with self.assertRaises(FileNotFoundError):
            session.download("two")
        self.assertEqual(session.device("cpu", 0), vta.cpu(0))
        self.assertEqual(session.cpu(0), vta.cpu(0))


if __name__ == "__main__":
    unittest.main()

"""Every option of a pass context and of lower changes what is compiled: one that is not handed on shows here."""

import unittest

import common  # noqa: F401

import vta
from vta import te, transform


def loops():
    """A row of four, each a sum of seven at places that are not all there."""
    a = te.placeholder((4, 9), "int32", name="a")
    k = te.reduce_axis((0, 7), "k")
    return a, te.compute((4,), lambda i: te.sum(a[i, k] * 3, axis=k), "b")


def lowered(config=None, vectorize=False, **kwargs):
    a, b = loops()
    schedule = te.create_schedule(b.op)
    if vectorize:
        schedule[b].vectorize(b.op.axis[0])
    with transform.PassContext(config=config or {}, **kwargs):
        return str(vta.lower(schedule, [a, b], name="f"))


class Options(unittest.TestCase):
    def test_loops_are_unrolled_up_to_a_number_of_steps(self):
        texts = [lowered({"tir.UnrollLoop": {"auto_max_step": most}}) for most in (0, 6, 7, 64)]
        counts = [text.count("for (") for text in texts]
        self.assertEqual(counts[0], counts[1])
        self.assertLess(counts[2], counts[1])
        self.assertLess(counts[3], counts[2])
        self.assertEqual(counts[3], 0)

    def test_vectors_are_left_out(self):
        self.assertIn("ramp", lowered(vectorize=True))
        self.assertNotEqual(lowered({"tir.disable_vectorize": True}, vectorize=True), lowered(vectorize=True))

    def test_a_pass_is_left_out_by_name(self):
        self.assertNotEqual(lowered(vectorize=True, disabled_pass=["tir.VectorizeLoop"]), lowered(vectorize=True))
        self.assertEqual(lowered(vectorize=True, disabled_pass=["tir.VectorizeLoop"]),
                         lowered({"tir.disable_vectorize": True}, vectorize=True))

    def test_constant_loops_are_cut_at_their_checks(self):
        texts = []
        for cut in (False, True):
            a = te.placeholder((10,), "int32", name="a")
            b = te.compute((10,), lambda i: a[i] + 1, "b")
            schedule = te.create_schedule(b.op)
            schedule[b].split(b.op.axis[0], 4)
            with transform.PassContext(config={"tir.LoopPartition": {"partition_const_loop": cut}}):
                texts.append(str(vta.lower(schedule, [a, b], name="f")))
        self.assertIn("if (", texts[0])
        self.assertGreater(texts[1].count("for ("), texts[0].count("for ("))

    def test_the_debug_flag_is_set_in_kernels_of_the_accelerator(self):
        env = vta.get_env()
        a = te.placeholder((1, 1, env.BATCH, env.BLOCK_OUT), "int32", name="a")
        buffer = te.compute(a.shape, lambda *i: a(*i), "buffer")
        twice = te.compute(a.shape, lambda *i: buffer(*i) << 1, "twice")
        out = te.compute(a.shape, lambda *i: twice(*i).astype(env.inp_dtype), "out")
        schedule = te.create_schedule(out.op)
        for stage, pragma in ((buffer, env.dma_copy), (twice, env.alu)):
            schedule[stage].set_scope(env.acc_scope)
            schedule[stage].pragma(schedule[stage].op.axis[0], pragma)
        schedule[out].pragma(out.op.axis[0], env.dma_copy)
        texts = []
        for flag in (0, 6):
            with vta.build_config(debug_flag=flag):
                texts.append(str(vta.lower(schedule, [a, out], name="f")))
        self.assertNotIn("VTASetDebugMode", texts[0])
        self.assertRegex(texts[1], r"VTASetDebugMode[^\n]*6")


if __name__ == "__main__":
    unittest.main()

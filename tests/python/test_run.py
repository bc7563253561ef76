"""Kernels on several machines in one process, their counters, recordings and profiles; progress bars."""

import contextlib
import io
import os
import tempfile
import unittest
import unittest.mock

import common  # noqa: F401
import numpy as np
import programs
import vta
from vta import _progress
from vta._lib import lib
from vta.testing import simulator


def _vadd(env):
    """(kernel, arrays, whether the result is right)."""
    s, args = programs.vadd(env)
    kernel = vta.build(s, args, name="vadd")
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-64, 64, size=tuple(args[0].shape)).astype("int32") for _ in range(2))
    dev = vta.ext_dev(0)
    arrays = [vta.nd.array(a, dev), vta.nd.array(b, dev), vta.nd.empty(a.shape, "int8", dev)]
    kernel(*arrays)
    return kernel, arrays, bool((arrays[2].numpy() == (a + b).astype("int8")).all())


class Proofs(unittest.TestCase):
    """vta.prove: right kernels of this package, and what is refused."""

    def test_right_kernels_are_proven(self):
        for config in programs.CONFIGS.values():
            with vta.Environment(config) as env:
                s, args = programs.vadd(env)
                kernel = vta.build(s, args, name="vadd")
                proof = vta.prove(kernel, args, seed=3)
                self.assertTrue(proof, proof)
                self.assertEqual((proof.result, proof.reason, proof.draws), ("proven", "", 2))
                self.assertLess(proof.log2_error, -20)

    def test_another_meaning_is_wrong(self):
        with vta.Environment(next(iter(programs.CONFIGS.values()))) as env:
            s, args = programs.vadd(env)
            kernel = vta.build(s, args, name="vadd")
            a, b = args[:2]
            other = vta.te.compute(a.shape, lambda *i: (a(*i) - b(*i)).astype(env.out_dtype), name="other")
            proof = vta.prove(kernel, [a, b, other])
            self.assertFalse(proof)
            self.assertEqual((proof.result, proof.tensor, proof.index), ("wrong", "other", (0, 0, 0, 0)))
            self.assertIn("STORE", proof.stored_by)
            self.assertIn("ADD", proof.computed_by)
            self.assertIn("should be", proof.example)

    def test_refusals(self):
        with vta.Environment(next(iter(programs.CONFIGS.values()))) as env:
            s, args = programs.vadd(env)
            kernel = vta.build(s, args, name="vadd")
            self.assertEqual(vta.prove(kernel, args[:2] + args[:1]).result, "wrong")  # its call fails
            for bad in (None, 3, "kernel"):
                with self.assertRaises(TypeError):
                    vta.prove(bad, args)
            with self.assertRaises(TypeError):
                vta.prove(kernel, [1, 2, 3])
            with self.assertRaises(ValueError):
                vta.prove(kernel, [])


class Runs(unittest.TestCase):
    def test_machines_side_by_side(self):
        made = []
        for config in programs.CONFIGS.values():
            with vta.Environment(config) as env:
                simulator.clear_stats()
                made.append(_vadd(env))
                self.assertTrue(made[-1][2])
                self.assertEqual(simulator.stats()["acc_load_nbytes"], 2 * 64 * env.ACC_ELEM_BYTES)
        for kernel, arrays, _ in made:  # a kernel runs where its arrays are, whatever the environment
            before = arrays[2].numpy()
            arrays[2].copyfrom(np.zeros_like(before))
            kernel(*arrays)
            np.testing.assert_array_equal(arrays[2].numpy(), before)

    def test_the_timed_simulator(self):
        with vta.Environment({"TARGET": "tsim"}) as env:
            self.assertEqual(simulator.driver(), "tsim")
            simulator.clear_stats()
            self.assertTrue(_vadd(env)[2])
            self.assertGreater(simulator.stats()["cycle_count"], 1000)

    def test_recordings_and_profiles(self):
        kernel, arrays, _ = _vadd(vta.get_env())
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "vadd.vta")
            with simulator.capture(path):
                kernel(*arrays)
            self.assertGreater(os.path.getsize(path), 0)
        profile = vta.testing.profile(kernel, *arrays)
        self.assertIn("cycles", repr(profile))
        self.assertGreater(profile.data["timing"]["cycles"], 1000)
        self.assertIn("<svg", profile.svg("vadd", 100, 900))
        self.assertIn("256-bit bus", profile.report("--bus", "256"))
        with self.assertRaisesRegex(RuntimeError, "bus"):
            profile.report("--bus", "7")
        with self.assertRaisesRegex(ValueError, "nothing"):
            vta.testing.profile(lambda: None)

    def test_checked_runs(self):
        kernel, arrays, expected = _vadd(vta.get_env())
        with simulator.checking() as found:
            kernel(*arrays)
        self.assertEqual(found, {"runs": 1, "races": [], "unwritten": [], "more": 0, "unsupported": [], "warnings": []})
        with simulator.checking() as found:  # what nothing has written
            cmd, out = lib.VTATLSCommandHandle(), lib.VTABufferAlloc(64)
            lib.VTAStoreBuffer2D(cmd, 7, 4, out, 0, 2, 1, 2)
            lib.VTASynchronize(cmd, 0)
            self.assertIn(b"reads acc[7..8]", lib.vta_last_error(cmd))
            lib.vta_clear_error(cmd)
            lib.VTABufferFree(out)
        self.assertEqual([(e["kind"], e["first"], e["memory"], e["from"], e["to"]) for e in found["unwritten"]],
                         [("unwritten", 0, "acc", 7, 8)])
        kernel(*arrays)  # not looked for any more, and all is well

    def test_sessions_and_files(self):
        env = vta.get_env()
        s, args = programs.vadd(env)
        kernel = vta.build(s, args, name="vadd")
        remote = vta.rpc.LocalSession()
        vta.reconfig_runtime(remote)
        vta.program_fpga(remote, bitstream=None)
        _, arrays, _ = _vadd(env)
        want = arrays[2].numpy()
        for ending in (".o", ".so"):
            with vta.contrib.utils.tempdir() as folder:
                path = folder.relpath("kernel" + ending)
                kernel.save(path)
                remote.upload(path)
            with contextlib.redirect_stderr(io.StringIO()):
                loaded = remote.load_module("kernel" + ending)
            arrays[2].copyfrom(np.zeros_like(want))
            loaded(*arrays)
            np.testing.assert_array_equal(arrays[2].numpy(), want)
        self.assertGreater(loaded.time_evaluator("vadd", remote.ext_dev(0), number=2)(*arrays).mean, 0)
        with self.assertRaisesRegex(FileNotFoundError, "was not uploaded"):
            remote.load_module("other.o")


class Progress(unittest.TestCase):
    def bar(self):
        """What is drawn for ten steps of work that takes long."""
        out = io.StringIO()
        with contextlib.redirect_stderr(out), unittest.mock.patch.object(_progress, "_PATIENCE", -1.0):
            with _progress.Progress("working", 10) as progress:
                for _ in range(10):
                    progress.step()
        return out.getvalue()

    def test_with_tqdm_and_without(self):
        try:
            import tqdm  # noqa: F401
            self.assertIn("working", self.bar())
        except ImportError:
            pass
        with unittest.mock.patch.dict("sys.modules", {"tqdm.auto": None, "tqdm": None}):
            self.assertIn("working: 10 of 10", self.bar())

    def test_nothing_for_quick_or_unwatched_work(self):
        out = io.StringIO()
        with contextlib.redirect_stderr(out):
            progress = _progress.Progress("working", 10)
            progress.step()
            self.assertIsNone(progress.callback)
        self.assertEqual(out.getvalue(), "")


if __name__ == "__main__":
    unittest.main()

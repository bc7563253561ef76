"""Programs through a server in another process: results and statistics as here, and what sessions offer besides."""

import gc
import os
import signal
import subprocess
import tempfile
import unittest

import numpy as np

import common
import programs
import vta

SANITIZED = "asan" in common.BUILD or "tsan" in common.BUILD


class Server:
    """`vta rpc-server`, or another command, on a port that is free."""

    def __init__(self, *args, command="rpc-server"):
        tool = os.path.join(common.BUILD, "vta")
        memory = ["--memory", "0"] if SANITIZED and command == "rpc-server" else []  # sanitizers need addresses
        environment = {k: v for k, v in os.environ.items() if k != "LD_PRELOAD"}
        self.process = subprocess.Popen([tool, command, "--port", "0", "--quiet", *memory, *args], text=True,
                                        stdout=subprocess.PIPE, env=environment)
        self.port = int(self.process.stdout.readline().split()[1])

    def stop(self):
        """Ends it in order."""
        self.process.send_signal(signal.SIGTERM)
        self.process.stdout.close()
        assert self.process.wait(60) == 0


def _inputs(args):
    """Random contents for a program's tensors, zeros for its last one."""
    random = np.random.RandomState(1)
    arrays = [random.randint(-100, 100, t.shape).astype(str(t.dtype)) for t in args[:-1]]
    return arrays + [np.zeros(args[-1].shape, str(args[-1].dtype))]


def _send(remote, kernel, name):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, name)
        kernel.save(path)
        remote.upload(path)
    return remote.load_module(name)


class WithServer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server()

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def connect(self):
        return vta.rpc.connect("127.0.0.1", self.server.port)


class Remote(WithServer):
    def check(self, make, config):
        """Runs a program here, then there."""
        with vta.Environment(config):
            env = vta.get_env()
            s, args = make(env)
            kernel = vta.build(s, args, name="kernel")
            inputs = _inputs(args)
            here = [vta.nd.array(a, vta.ext_dev(0)) for a in inputs]
            vta.testing.simulator.clear_stats()
            kernel(*here)
            stats = vta.testing.simulator.all_stats()
            remote = self.connect()
            vta.reconfig_runtime(remote)
            vta.program_fpga(remote, bitstream=None)
            module = _send(remote, kernel, "kernel.o")
            there = [vta.nd.array(a, remote.ext_dev(0)) for a in inputs]
            remote.get_function("vta.simulator.profiler_clear")()
            module(*there)
            np.testing.assert_array_equal(there[-1].numpy(), here[-1].numpy())
            self.assertTrue(here[-1].numpy().any())
            self.assertEqual(remote.statistics(), stats)
            timing = module.time_evaluator("kernel", remote.ext_dev(0), number=2, repeat=3, min_repeat_ms=1)(*there)
            self.assertEqual(len(timing.results), 3)
            self.assertGreater(timing.mean, 0)

    def test_vector_add(self):
        self.check(programs.vadd, {})

    def test_matrix_multiply(self):
        self.check(programs.matmul, programs.CONFIGS["2x16_"])

    def test_convolution(self):
        self.check(programs.conv2d, {})

    def test_network(self):
        from test_compile import CONV, SUM, samples

        remote = self.connect()
        with tempfile.TemporaryDirectory() as folder:
            for name, text, shapes in (("conv", CONV, [(1, 16, 6, 6)]), ("sum", SUM, [(1, 16, 6, 6), (1, 32, 6, 6)])):
                source, path = os.path.join(folder, name + ".onnx"), os.path.join(folder, name + ".vta-model")
                with open(source, "wb") as file:
                    file.write(text)
                given = [samples(1, shape)[0] for shape in shapes]
                model = vta.compile(source, samples() if len(shapes) == 1 else [tuple(given)], range="max")
                model.save(path)
                remote.upload(path)
                there = remote.load_model(name + ".vta-model")
                self.assertEqual([repr(p) for p in there.inputs + there.outputs],
                                 [repr(p) for p in model.inputs + model.outputs])
                want = model(*given)
                for _ in range(2):
                    np.testing.assert_array_equal(there(*given), want)
                self.assertGreater(there.seconds, 0)
                self.assertGreater(there.counters["gemm_counter"], 0)
                self.assertEqual([s["name"] for s in there.profile()["steps"]],
                                 [s["name"] for s in model.profile()["steps"]])
                local = vta.rpc.LocalSession()
                local.upload(path)
                np.testing.assert_array_equal(local.load_model(name + ".vta-model")(*given), want)
        with self.assertRaisesRegex(TypeError, "takes the inputs"):
            there(given[0])
        with self.assertRaisesRegex(ValueError, "has the shape"):
            there(given[1], given[1])
        with self.assertRaisesRegex(vta.VTAError, "No such file"):
            remote.load_model("none.vta-model")

    def test_arrays_and_files(self):
        remote = self.connect()
        values = np.arange(60, dtype="float32").reshape(3, 4, 5)
        for device in (remote.cpu(0), remote.ext_dev(0), remote.device("ext_dev"), remote.context("cpu")):
            a = vta.nd.array(values, device)
            self.assertEqual((a.shape, a.dtype, len(a), a.ndim, a.ctx), ((3, 4, 5), "float32", 3, 3, device))
            np.testing.assert_array_equal(a.asnumpy(), values)
            np.testing.assert_array_equal(a[1, 2], values[1, 2])
            b = a.copyto(vta.nd.empty((3, 4, 5), "float32", remote.cpu(0)))
            np.testing.assert_array_equal(b.copyto(vta.cpu(0)).numpy(), values)
            np.testing.assert_array_equal(vta.nd.array(values).copyto(device).numpy(), values)
        with self.assertRaises(ValueError):
            a.copyfrom(values[0])
        remote.upload(b"some bytes\0and more", target="file")
        self.assertEqual(remote.download("file"), b"some bytes\0and more")
        remote.remove("file")
        with self.assertRaisesRegex(vta.VTAError, "no such file"):
            remote.download("file")
        with self.assertRaisesRegex(vta.VTAError, "is not a valid file name"):
            remote.upload(b"x", target="../x")
        self.assertEqual(len(remote.sessions()["sessions"]), 1)
        self.assertIn(remote.machine, ("x86_64", "aarch64", "arm"))

    def test_what_is_wrong(self):
        remote, other = self.connect(), self.connect()
        s, args = programs.vadd(vta.get_env())
        module = _send(remote, vta.build(s, args, name="vadd"), "vadd.o")
        self.assertEqual(module.function_names, ["vadd"])
        self.assertEqual(module.entry_name, "vadd")
        with self.assertRaisesRegex(vta.VTAError, "has no function 'nothing'; it has: vadd"):
            module["nothing"]
        with self.assertRaisesRegex(vta.VTAError, "vadd"):
            module(1, 2)
        with self.assertRaisesRegex(ValueError, "another session"):
            module(vta.nd.empty((1,), "int8", other.cpu(0)))
        with self.assertRaisesRegex(TypeError, "vta.nd.array"):
            module(np.zeros(3))
        with self.assertRaisesRegex(ValueError, "Cannot find global function"):
            remote.get_function("no.such")
        with self.assertRaisesRegex(vta.VTAError, "does `vta rpc-server` run there"):
            vta.rpc.connect("127.0.0.1", 1)

    def test_memory_goes_with_the_arrays(self):
        server = Server(*([] if SANITIZED else ["--memory", "600"]))
        try:
            remote = vta.rpc.connect("127.0.0.1", server.port)
            for _ in range(16):  # 1 GiB in all
                vta.nd.empty((1 << 26,), "int8", remote.cpu(0))
                gc.collect()
        finally:
            server.stop()

    def test_a_key_and_a_tracker(self):
        with tempfile.TemporaryDirectory() as folder:
            key = os.path.join(folder, "key")
            subprocess.run([os.path.join(common.BUILD, "vta"), "rpc", "new-key", key], check=True)
            tracker = Server("--key-file", key, command="rpc-tracker")
            server = Server("--key-file", key, "--key", "board", "--tracker", f"127.0.0.1:{tracker.port}")
            try:
                there = vta.rpc.connect_tracker("127.0.0.1", tracker.port, key_file=key)
                remote = there.request("board", max_retry=1)
                np.testing.assert_array_equal(vta.nd.array(np.arange(9), remote.cpu(0)).numpy(), np.arange(9))
                self.assertEqual([s["free"] for s in there.summary()["servers"]], [False])
                with self.assertRaisesRegex(vta.VTAError, "all servers"):
                    there.request("board", max_retry=0)
                with self.assertRaisesRegex(vta.VTAError, "key"):
                    vta.rpc.connect("127.0.0.1", server.port, timeout=60)
            finally:
                server.stop()
                tracker.stop()


class TVMsNames(WithServer):
    def test_the_tutorials_way(self):
        """As the notebooks have it, with a board's part taken."""
        import tvm
        from tvm import rpc

        assert tvm.runtime.enabled("rpc")
        remote = rpc.connect("127.0.0.1", self.server.port)
        vta.reconfig_runtime(remote)
        vta.program_fpga(remote, bitstream=None)
        env = vta.get_env()
        s, args = programs.vadd(env)
        temp = tvm.contrib.utils.tempdir()
        vta.build(s, args, tvm.target.Target("ext_dev", host=env.target_host), name="my_vadd").save(
            temp.relpath("vadd.o"))
        remote.upload(temp.relpath("vadd.o"))
        f = remote.load_module("vadd.o")
        ctx = remote.ext_dev(0)
        inputs = _inputs(args)
        nd = [tvm.nd.array(a, ctx) for a in inputs]
        f(*nd)
        np.testing.assert_array_equal(nd[2].numpy(), (inputs[0] + inputs[1]).astype("int8"))
        cost = f.time_evaluator("my_vadd", ctx, number=10)(*nd)
        self.assertGreater(cost.mean, 0)


if __name__ == "__main__":
    unittest.main()

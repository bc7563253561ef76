"""Deploying a network with TVM's calls: the example as it stands, each call of it, and what is refused by name."""

import os
import re
import subprocess
import sys
import unittest

import numpy as np

import common
import tvm
import vta
from tvm import autotvm, relay, rpc
from tvm.contrib import debugger, download, graph_executor, utils
from vta.testing import simulator
from vta.top import graph_pack

SHAPES = os.path.join(common.ROOT, "examples", "shapes")
MODEL = os.path.join(SHAPES, "shapes.onnx")
NAMES = "ball cube cylinder cone ring pyramid capsule cross dumbbell plate".split()


def picture(name):
    """A picture of the network of shapes."""
    return vta.picture(os.path.join(SHAPES, "pictures", name + ".png"), (1, 3, 64, 64),
                       os.path.join(SHAPES, "shapes.picture.json"))


def samples():
    """For calibration."""
    return [{"picture": picture(name + "1")} for name in NAMES]


def deploy(dataset=None, target=None, **settings):
    """From the file to a library."""
    env = vta.get_env()
    mod, params = relay.frontend.from_onnx(MODEL, {"picture": (1, 3, 64, 64)})
    with relay.quantize.qconfig(**settings):
        mod = relay.quantize.quantize(mod, params=params, dataset=dataset)
    packed = graph_pack(mod["main"], env.BATCH, env.BLOCK_OUT, env.WGT_WIDTH)
    with vta.build_config(opt_level=3, disabled_pass={"AlterOpLayout"}):
        return mod, relay.build(packed, target=tvm.target.Target(target or env.target, host=env.target_host), params=params)


class Example(unittest.TestCase):
    def run_example(self, *arguments):
        command = [sys.executable, os.path.join(common.ROOT, "examples", "deploy_network.py"), *arguments]
        done = subprocess.run(command, env={**os.environ, **common.environment()}, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_the_network_of_shapes(self):
        text = self.run_example()
        self.assertRegex(text, r"#1: ring \((0\.9|1\.0)")
        self.assertRegex(text, r"gemm_counter +: +\d{4,}\n")
        other = self.run_example(MODEL, os.path.join(SHAPES, "pictures", "cone2.png"), "--device", "vta_cpu")
        self.assertRegex(other, r"#1: cone \((0\.9|1\.0)")
        self.assertRegex(other, r"gemm_counter +: +0\n")
        self.assertRegex(self.run_example("--device", "llvm"), r"#1: ring \(1\.0000\)|#1: ring \(0\.9")

    def test_resnet18(self):
        """That of the recordings; skipped without them."""
        text = self.run_example(common.shared("models", "resnet18", "model.onnx"), common.shared("models", "images", "dog_207.png"),
                                "--samples", common.shared("models", "imagenet-sample"), "--preset", "imagenet",
                                "--labels", common.shared("models", "images", "synset.txt"))
        self.assertIn("#1: golden retriever", text)


class Calls(unittest.TestCase):
    def test_every_way_to_run_it(self):
        """Through files and without, with one device and with several: always what the integers say."""
        mod, built = deploy(samples())
        graph, lib, params = built
        self.assertEqual(params, {})
        self.assertIn('"op": "Conv"', graph)
        temp, remote = utils.tempdir(), rpc.LocalSession()
        lib.export_library(temp.relpath("lib.tar"))
        remote.upload(temp.relpath("lib.tar"))
        loaded = remote.load_module("lib.tar")
        ext, cpu = remote.ext_dev(0), remote.cpu(0)
        modules = [graph_executor.create(graph, loaded, ext), graph_executor.create(graph, lib, [ext, cpu]),
                   graph_executor.GraphModule(tvm.runtime.load_module(temp.relpath("lib.tar"))["default"](ext)),
                   debugger.debug_executor.create(graph, lib, [cpu, ext])]
        for name in ("ring2", "plate2"):
            x = picture(name)
            want = mod.quantized(x)
            self.assertEqual(NAMES[int(want.argmax())], name[:-1])
            for i, module in enumerate(modules):
                module.set_input(**params)
                if i % 2:
                    module.set_input("picture", tvm.nd.array(x.astype("float64")))
                    module.run()
                else:
                    module.run(picture=x)
                np.testing.assert_array_equal(module.get_output(0).numpy(), want)
                out = tvm.nd.empty((1, 10), "float32", cpu)
                self.assertIs(module.get_output(0, out), out)
                np.testing.assert_array_equal(out.numpy(), want)
                np.testing.assert_array_equal(module.get_input("picture").numpy(), x)
        self.assertEqual((modules[0].get_num_inputs(), modules[0].get_num_outputs()), (1, 1))
        self.assertEqual(modules[0].get_input_index("nothing"), -1)
        self.assertEqual(modules[0].get_input_info(), ({"picture": (1, 3, 64, 64)}, {"picture": "float32"}))
        self.assertGreater(modules[3].profile()["cycles"], 1000)

    def test_statistics(self):
        """Those of a run, as the script divides them."""
        _, lib = deploy(samples())
        module = graph_executor.create("", lib, tvm.ext_dev(0))
        module.set_input(0, picture("ring1"))
        timer = module.module.time_evaluator("run", tvm.ext_dev(0), number=2, repeat=3)
        simulator.clear_stats()
        timing = timer()
        every = simulator.stats()
        self.assertEqual(len(timing.results), 3)
        self.assertTrue(0 < timing.min <= timing.median <= timing.max and timing.std >= 0)
        simulator.clear_stats()
        module.run()
        self.assertEqual({k: 7 * v for k, v in simulator.stats().items()}, every)

    def test_without_samples(self):
        """Ranges of made-up pictures: right for those that are stored, and settings that have no effect are taken."""
        _, lib = deploy(global_scale=8.0, skip_conv_layers=[0], nbit_input=8)
        module = graph_executor.create("", lib, tvm.ext_dev(0))
        right = 0
        for name in NAMES:
            for number in "12":
                module.run(picture=picture(name + number))
                right += NAMES[int(module.get_output(0).numpy().argmax())] == name
        self.assertGreaterEqual(right, 18)

    def test_on_the_processor(self):
        mod, lib = deploy(samples(), target=vta.get_env().target_vta_cpu)
        module = graph_executor.create("", lib, tvm.cpu(0))
        self.assertFalse(module.model.on_accelerator)
        module.run(picture=picture("cube1"))
        np.testing.assert_array_equal(module.get_output(0).numpy(), mod.quantized(picture("cube1")))

    def test_in_floats(self):
        """A network that is not quantized, for llvm: what the graph computes, also from a file."""
        mod, _ = relay.frontend.from_onnx(MODEL)
        graph, lib, params = relay.build(mod, target="llvm")
        self.assertIn('"op": "Conv"', graph)
        self.assertEqual(params, {})
        temp = utils.tempdir()
        lib.export_library(temp.relpath("floats.tar"))
        for library in (lib, tvm.runtime.load_module(temp.relpath("floats.tar"))):
            module = graph_executor.create(graph, library, tvm.cpu(0))
            module.run(picture=picture("cube1"))
            np.testing.assert_array_equal(module.get_output(0).numpy(), mod.graph(picture("cube1")))
            self.assertGreater(module.benchmark(tvm.cpu(0), repeat=1, number=1).mean, 0)
        with open(temp.relpath("damaged.tar"), "wb") as file:
            file.write(b"\x8dVTF\r\n\x1a\n\x09\0\0\0{")
        with self.assertRaisesRegex(ValueError, "damaged.tar: the library is damaged"):
            tvm.runtime.load_module(temp.relpath("damaged.tar"))

    def test_on_a_server(self):
        """Sent there by the program, or with the library: what it gives here."""
        from test_rpc import Server

        server = Server()
        self.addCleanup(server.stop)
        remote = rpc.connect("127.0.0.1", server.port)
        mod, built = deploy(samples())
        temp = utils.tempdir()
        built.export_library(temp.relpath("shapes.tar"))
        remote.upload(temp.relpath("shapes.tar"))
        loaded = remote.load_module("shapes.tar")
        loaded.export_library(temp.relpath("back.tar"))
        with open(temp.relpath("shapes.tar"), "rb") as there, open(temp.relpath("back.tar"), "rb") as back:
            self.assertEqual(there.read(), back.read())
        devices = [remote.ext_dev(0), remote.cpu(0)]
        for library in (loaded, built.get_lib()):
            module = graph_executor.create("", library, devices)
            module.set_input("picture", picture("cone1"))
            module.run()
            np.testing.assert_array_equal(module.get_output(0).numpy(), mod.quantized(picture("cone1")))
            self.assertTrue(module.model.on_accelerator)
            self.assertGreater(module.time_evaluator("run", devices[0], number=1, repeat=2)().mean, 0)
        for call, kind, words in ((lambda: graph_executor.create("", loaded, tvm.ext_dev(0)), ValueError, "the devices .* are not"),
                                  (lambda: graph_executor.create("", built, [tvm.cpu(0), remote.ext_dev(0)]), ValueError,
                                   "of several machines"),
                                  (lambda: graph_executor.create("", loaded, devices).run(), LookupError, "were not set"),
                                  (lambda: graph_executor.create("", loaded, devices).get_output(0), LookupError, "not run"),
                                  (lambda: graph_executor.create("", loaded, devices).set_input("data", 0), KeyError, "no input"),
                                  (lambda: graph_executor.create("", relay.build(relay.frontend.from_onnx(MODEL)[0], "llvm"), devices),
                                   NotImplementedError, "is in floats")):
            with self.assertRaisesRegex(kind, words):
                call()

    def test_modes(self):
        """Each mode of calibration is passed on: other integers, still the right class."""
        texts = set()
        for mode in ("global_scale", "percentile", "kl_divergence"):
            mod, lib = deploy(samples(), calibrate_mode=mode)
            texts.add(str(mod))
            module = graph_executor.create("", lib, tvm.ext_dev(0))
            module.run(picture=picture("ring1"))
            self.assertEqual(NAMES[int(module.get_output(0).numpy().argmax())], "ring", mode)
        self.assertEqual(len(texts), 2)

    def test_downloads(self):
        folder = utils.tempdir()
        there = "file://" + os.path.join(SHAPES, "shapes.txt")
        download.download(there, folder.relpath("names"))
        with open(folder.relpath("names"), encoding="utf-8") as file:
            self.assertEqual(file.read().split(), NAMES)
        download.download("file:///nowhere", folder.relpath("names"))  # it is there already
        with self.assertRaises(OSError):
            download.download("file:///nowhere", folder.relpath("names"), overwrite=True, retries=1)
        self.assertEqual(os.listdir(folder.path), ["names"])

    def test_test_data(self):
        """Files that are there are taken, others fetched; nothing leaves the folder of test data."""
        from unittest import mock
        folder = utils.tempdir()
        there = folder.relpath("source")
        with open(there, "w", encoding="utf-8") as file:
            file.write("from the source")
        root = folder.relpath("data")
        os.makedirs(os.path.join(root, "onnx"))
        with open(os.path.join(root, "onnx", "model"), "w", encoding="utf-8") as file:
            file.write("put there")
        with mock.patch.dict(os.environ, {"TEST_DATA_ROOT_PATH": root}):
            def read(*args, **named):
                path = download.download_testdata(*args, **named)
                self.assertTrue(path.startswith(root + os.sep))
                with open(path, encoding="utf-8") as file:
                    return file.read()
            self.assertEqual(read("file:///nowhere", "model", module="onnx"), "put there")
            self.assertEqual(read("file://" + there, "model", module="onnx", overwrite=True), "from the source")
            self.assertEqual(read("file://" + there, "names", module=["a", "b"]), "from the source")
            with self.assertRaisesRegex(OSError, "put the file at .*data/keras/weights"):
                download.download_testdata("file:///nowhere", "weights", module="keras")
            for wrong in ("../x", "/etc/x"):
                with self.assertRaisesRegex(ValueError, "is not below"):
                    download.download_testdata("file://" + there, wrong, module="onnx/..")
        with mock.patch.dict(os.environ, {"HOME": folder.path}):
            os.environ.pop("TEST_DATA_ROOT_PATH", None)
            self.assertEqual(download.download_testdata("file://" + there, "x"), folder.relpath(".tvm_test_data/x"))

    def test_no_gpu(self):
        from tvm.contrib import nvcc
        self.assertEqual([nvcc.have_fp16("7.5"), nvcc.have_int8("6.1"), nvcc.have_tensorcore("8.0"), nvcc.have_bf16("8.0")],
                         [False] * 4)
        self.assertIs(tvm.testing.skip_if_wheel_test(len), len)
        with self.assertRaisesRegex(TypeError, "compute version"):
            nvcc.have_fp16(7)


class Refused(unittest.TestCase):
    def refused(self, kind, words, call):
        with self.assertRaisesRegex(kind, words):
            call()

    def test_names(self):
        for thing, name in ((relay, "Function"), (relay.nn, "conv2d"), (relay.frontend, "from_mxnet"), (relay.quantize, "annotate"),
                            (relay.transform, "PartitionGraph"), (graph_executor, "load_module"), (autotvm, "graph_tuner"),
                            (autotvm.tophub, "load_reference_log"), (autotvm.measure, "local_executor"), (vta.top, "op"),
                            (tvm.contrib, "cc"), (debugger.debug_executor, "DebugResult")):
            self.assertFalse(hasattr(thing, name))
            self.refused(NotImplementedError, re.escape(name) + " is not offered", lambda: getattr(thing, name))
        for code in ("from tvm.relay import ty", "import tvm.relay.ty", "from tvm.relay.frontend import from_mxnet"):
            with self.assertRaisesRegex(ImportError, r"tvm\.relay\.[a-z_.]+ is not offered"):
                exec(code)  # pylint: disable=exec-used

    def test_networks(self):
        mod, _ = relay.frontend.from_onnx(MODEL)
        env = vta.get_env()
        self.refused(vta.VTAError, "shapes is in floats: make integers of it first", lambda: relay.build(mod, env.target))
        self.refused(KeyError, "main", lambda: mod["other"])
        self.refused(NotImplementedError, "body of a network is not offered", lambda: mod.body)
        self.refused(ValueError, "is float32, not int8", lambda: relay.frontend.from_onnx(MODEL, dtype="int8"))
        self.refused(ValueError, "is float32, not int8",
                     lambda: relay.frontend.from_onnx(MODEL, dtype={"picture": "int8"}))
        self.refused(NotImplementedError, "opset", lambda: relay.frontend.from_onnx(MODEL, opset=9))
        self.refused(vta.VTAError, "data", lambda: relay.frontend.from_onnx(MODEL, {"data": (1, 3, 64, 64)}))
        for which in range(3):
            wrong = [env.BATCH, env.BLOCK_OUT, env.WGT_WIDTH]
            wrong[which] *= 2
            self.refused(ValueError, "graph_pack: [a-z_]+ is", lambda: graph_pack(mod, *wrong))

    def test_settings(self):
        self.refused(TypeError, "no setting 'nbits'", lambda: relay.quantize.qconfig(nbits=8))
        self.refused(NotImplementedError, "nbit_weight=4", lambda: relay.quantize.qconfig(nbit_weight=4))
        self.refused(ValueError, "calibrate_mode is one of", lambda: relay.quantize.qconfig(calibrate_mode="best"))
        with relay.quantize.qconfig(global_scale=4.0):
            with relay.quantize.qconfig(calibrate_mode="percentile"):
                self.assertEqual(relay.quantize.current_qconfig().calibrate_mode, "percentile")
            self.assertEqual(relay.quantize.current_qconfig().global_scale, 4.0)
        self.assertEqual(relay.quantize.current_qconfig().global_scale, 8.0)

    def test_executors(self):
        _, lib = deploy(samples())
        self.refused(ValueError, r"no.* among the devices .*: add tvm.ext_dev", lambda: graph_executor.create("", lib, tvm.cpu(0)))
        self.refused(TypeError, "expected a device", lambda: graph_executor.create("", lib, ["cpu"]))
        self.refused(TypeError, "expected a compiled network", lambda: graph_executor.create("", "lib", tvm.ext_dev(0)))
        self.refused(NotImplementedError, "'other' is not offered", lambda: lib["other"])
        module = graph_executor.create("", lib, tvm.ext_dev(0))
        self.refused(KeyError, "no input 'data'; there are .picture: float32", lambda: module.set_input("data", picture("ring1")))
        self.refused(ValueError, "has the shape", lambda: module.set_input("picture", np.zeros(3)))
        self.refused(IndexError, "no output 1", lambda: module.get_output(1))
        self.refused(LookupError, "was not set", lambda: module.get_input(0))
        self.refused(NotImplementedError, "share_params is not offered", lambda: module.share_params)
        self.refused(NotImplementedError, "timing of 'set_input'", lambda: module.time_evaluator("set_input", tvm.cpu(0)))
        self.assertIs(module["run"].__self__, module)


class Targets(unittest.TestCase):
    def test_what_they_say(self):
        env = vta.get_env()
        self.assertEqual((env.target.device_name, env.target.keys), ("vta", ["vta", "cpu"]))
        self.assertEqual((env.target_vta_cpu.device_name, env.target_vta_cpu.keys), ("arm_cpu", ["arm_cpu", "cpu"]))
        self.assertEqual(tvm.target.Target("llvm -device=arm_cpu").keys, ["arm_cpu", "cpu"])

    def test_current(self):
        self.assertIsNone(tvm.target.Target.current())
        with tvm.target.Target("ext_dev") as outer:
            with tvm.target.Target("llvm"):
                self.assertEqual(tvm.target.Target.current().kind.name, "llvm")
            self.assertIs(tvm.target.Target.current(), outer)
        with self.assertRaisesRegex(ValueError, "no target"):
            tvm.target.Target.current(allow_none=False)


if __name__ == "__main__":
    unittest.main()

"""A network that TVM compiled, through the server: a graph of kernels on both devices, run by a client of TVM's protocol."""

import io
import json
import os
import subprocess
import tarfile
import tempfile
import unittest

import numpy as np

import common
import tvm_client
from test_rpc import Server

SHAPE = [1, 64, 1, 16]
HOST_KERNEL = """target llvm
kernel host_relu(n = 64)
input x: int8[1, n, 1, 16]
output y[b: 1, i: n, c: 1, j: 16] = max(x[...], int8(0))
"""


def library(tar):
    """lib.tar as export_library writes it: an object a kernel. What is no object is passed over."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "relu.te"), "w", encoding="utf-8") as file:
            file.write(HOST_KERNEL)
        sources = {"lib0.o": os.path.join(common.ROOT, "examples", "vector_add.te"),
                   "devc.o": os.path.join(folder, "relu.te")}
        for name, source in sources.items():
            path = os.path.join(folder, name)
            subprocess.run([os.path.join(common.BUILD, "vta"), "build", source, "-o", path], check=True)
            tar.add(path, name)
        tar.add(sources["devc.o"], "readme.txt")


def graph_json():
    """y = relu(a + w): the sum on the accelerator, relu on the host, a copy between the two."""
    def node(op, name, inputs=(), function=None):
        n = {"op": op, "name": name, "inputs": [[i, 0, 0] for i in inputs]}
        if function:
            n["attrs"] = {"func_name": function, "num_inputs": str(len(inputs)), "num_outputs": "1", "flatten_data": "0"}
        return n

    nodes = [node("null", "a"), node("null", "w"), node("tvm_op", "sum", [0, 1], "vector_add"),
             node("tvm_op", "copied", [2], "__copy"), node("tvm_op", "y", [3], "host_relu")]
    count = len(nodes)
    devices = [tvm_client.EXT_DEV] * 3 + [tvm_client.CPU] * 2
    return json.dumps({
        "nodes": nodes, "arg_nodes": [0, 1], "heads": [[4, 0, 0], [2, 0, 0]], "node_row_ptr": list(range(count + 1)),
        "attrs": {"shape": ["list_shape", [SHAPE] * count], "storage_id": ["list_int", list(range(count))],
                  "dltype": ["list_str", ["int32", "int32", "int8", "int8", "int8"]],
                  "device_index": ["list_int", devices]}})


class Network(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server()
        cls.addClassCleanup(cls.server.stop)
        bytes_of = io.BytesIO()
        with tarfile.open(fileobj=bytes_of, mode="w", format=tarfile.USTAR_FORMAT) as tar:
            library(tar)
        cls.tar = bytes_of.getvalue()

    def setUp(self):
        self.client = tvm_client.Client(self.server.port)
        self.addCleanup(self.client.close)
        self.random = np.random.RandomState(1)

    def create(self):
        self.client.upload("graphlib.tar", self.tar)
        module = self.client.load_module("graphlib.tar")
        return tvm_client.create_graph(self.client, graph_json(), module, tvm_client.EXT_DEV, tvm_client.CPU)

    def numbers(self):
        return self.random.randint(-60, 60, SHAPE).astype("int32")

    def test_run(self):
        graph = self.create()
        w = self.numbers()
        graph["load_params"](tvm_client.save_params({"w": w, "of another graph": w}))
        self.assertEqual((graph["get_num_inputs"](), graph["get_num_outputs"]()), (2, 2))
        for _ in range(3):
            a = self.numbers()
            held = graph["get_input"]("a")
            held.copyfrom(a)
            held.free()
            graph["run"]()
            total, y = graph["get_output"](1), graph["get_output"](0)
            self.assertEqual((total.device, y.device), (tvm_client.EXT_DEV, tvm_client.CPU))
            np.testing.assert_array_equal(total.numpy(), (a + w).astype("int8"))
            np.testing.assert_array_equal(y.numpy(), np.maximum((a + w).astype("int8"), 0))
            total.free()
            y.free()

    def test_what_tvm_s_python_takes_when_it_makes_its_object(self):
        graph = self.create()
        for name in ("set_input", "run", "get_output", "get_input", "get_num_outputs", "get_input_index", "get_input_info",
                     "get_num_inputs", "load_params", "share_params"):
            self.assertTrue(callable(graph[name]))
        with self.assertRaises(AttributeError):
            _ = graph["set_input_zero_copy"]
        self.assertEqual([graph["get_input_index"](n) for n in ("a", "w", "y")], [0, 1, -1])
        self.assertIsNone(graph["get_input"]("nothing"))

    def test_what_is_freed_early_lives_as_long_as_it_is_needed(self):
        graph = self.create()
        run, output = graph["run"], graph["get_output"](0)
        graph.free()
        run()
        self.assertEqual(output.numpy().shape, tuple(SHAPE))

    def test_damaged_tar(self):
        for size in (len(self.tar) // 3, 700):
            self.client.upload("cut.tar", self.tar[:size])
            with self.assertRaisesRegex(tvm_client.RemoteError, "damaged or cut short"):
                self.client.load_module("cut.tar")
        empty = io.BytesIO()
        with tarfile.open(fileobj=empty, mode="w", format=tarfile.USTAR_FORMAT) as tar:
            tar.addfile(tarfile.TarInfo("nothing.txt"))
        self.client.upload("empty.tar", empty.getvalue())
        with self.assertRaisesRegex(tvm_client.RemoteError, "holds no object"):
            self.client.load_module("empty.tar")


if __name__ == "__main__":
    unittest.main()

"""Sweeps whose points are measured on servers: the cycles of a server's tsim are those that the model says here, each
result names its device, and a server that dies costs nothing but time."""

import json
import os
import signal
import subprocess
import tempfile
import unittest

import common

VTA = os.path.join(common.BUILD, "vta")
NET = os.path.join(common.ROOT, "examples", "shapes", "shapes.onnx")
SPACE = ["--calibrate", os.path.join(common.ROOT, "examples", "shapes", "pictures"), "-v", "LOG_INP_BUFF_SIZE=13:15",
         "-v", "LOG_BLOCK=4,5"]
COUNT = 6


class Servers(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name
        os.chmod(self.folder, 0o755)
        self.environment = dict(os.environ, VTA_SWEEP_CACHE=os.path.join(self.folder, "cache"), TMPDIR=self.folder)
        self.environment.pop("VTA_CONFIG", None)

    def path(self, name):
        return os.path.join(self.folder, name)

    def start(self, *args):
        """A server or tracker, and its port."""
        process = subprocess.Popen([VTA, *args, "--port", "0"], env=self.environment, stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process, int(process.stdout.readline().split()[1])

    def sweep(self, *args, code=0):
        done = subprocess.run([VTA, "sweep", NET, *SPACE, *args], env=self.environment, capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stderr if code else done.stdout

    def lines(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return {line["machine"]: line for line in map(json.loads, file)}

    def simulated(self):
        self.sweep("-o", self.path("here.jsonl"))
        lines = self.lines("here.jsonl")
        self.assertEqual({line["device"] for line in lines.values()}, {"tsim"})
        return {machine: line["cycle_count"] for machine, line in lines.items()}

    def test_one(self):
        """One server, which simulates: the model's cycles; and both kinds of points in one file."""
        expected = self.simulated()
        _, port = self.start("rpc-server", "--driver", "tsim")
        place = f"127.0.0.1:{port}"
        self.sweep("--server", place, "-o", self.path("there.jsonl"))
        lines = self.lines("there.jsonl")
        self.assertEqual({machine: line["cycle_count"] for machine, line in lines.items()}, expected)
        for line in lines.values():
            self.assertEqual((line["device"], line["server"]), ("tsim", place))
            self.assertGreater(line["seconds"], 0)
            self.assertNotIn("energy", line)
        answer = json.loads(self.sweep("--server", place, "--json", "-o", self.path("there.jsonl")))
        self.assertEqual((answer["found"], answer["computed"]), (COUNT, 0))
        self.sweep("--server", place, "-o", self.path("here.jsonl"))  # measured beside simulated
        # Which machine is best depends on the seconds that the server took.
        for action in ("table", "pareto", "best", "csv", "html", "merge"):
            text = subprocess.run([VTA, "results", action, self.path("here.jsonl")], capture_output=True, text=True,
                                  check=True).stdout
            self.assertIn(place if action in ("table", "csv", "html", "merge") else " on tsim", text, action)
            self.assertNotIn("inf", text, action)
        groups = json.loads(subprocess.run([VTA, "results", "pareto", self.path("here.jsonl"), "--json", "--objective",
                                            "energy,cycles"], capture_output=True, text=True, check=True).stdout)
        self.assertEqual({group["measured"] for group in groups}, {False})  # a server says nothing of energy

    def test_tracker(self):
        """Several servers of a tracker: one is killed while it measures, and nothing is lost."""
        expected = self.simulated()
        _, tracker = self.start("rpc-tracker")
        register = ["--tracker", f"127.0.0.1:{tracker}", "--key", "lab"]
        servers = [self.start("rpc-server", "--driver", "tsim", *register) for _ in range(2)]
        job = subprocess.Popen([VTA, "sweep", NET, *SPACE, *register, "--jobs", "3", "-o", self.path("r.jsonl")],
                               env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.addCleanup(job.stderr.close)
        while job.poll() is None and not (os.path.exists(self.path("r.jsonl")) and os.path.getsize(self.path("r.jsonl"))):
            try:
                job.wait(0.01)
            except subprocess.TimeoutExpired:
                pass
        servers[0][0].send_signal(signal.SIGKILL)
        error = job.communicate()[1]
        self.assertEqual(job.returncode, 0, error)
        lines = self.lines("r.jsonl")
        self.assertEqual({machine: line["cycle_count"] for machine, line in lines.items()}, expected)
        self.assertLessEqual({line["server"] for line in lines.values()}, {f"127.0.0.1:{port}" for _, port in servers})

    def test_refused(self):
        """Nobody there, another board's TARGET, settings of timing, programs: in words."""
        self.assertIn("127.0.0.1:1", self.sweep("--server", "127.0.0.1:1", code=1))
        _, port = self.start("rpc-server", "--driver", "tsim")
        place = f"127.0.0.1:{port}"
        text = self.sweep("--server", place, "-v", "bus_bits=64,128", code=2)
        self.assertIn("bus_bits: a server's accelerator has its own timing", text)
        self.assertIn("--tracker", self.sweep("--key", "lab", code=2))
        done = subprocess.run([VTA, "sweep", os.path.join(common.ROOT, "examples", "vector_add.te"), "--server", place],
                              env=self.environment, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("only networks are measured on servers", done.stderr)
        _, port = self.start("rpc-server")  # what hardware it is for, its configuration says
        text = self.sweep("--server", f"127.0.0.1:{port}", "--set", "TARGET=pynq", "-o", self.path("r.jsonl"), code=0)
        self.assertIn("6 of them refused", text)
        errors = {line["error"] for line in self.lines("r.jsonl").values()}
        self.assertTrue(all("only its owner changes" in error for error in errors), errors)


if __name__ == "__main__":
    unittest.main()

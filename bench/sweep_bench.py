#!/usr/bin/env python3
"""Sweeps: exact ResNet-18 points an hour on one core, the cache cold and warm; two ranks of mpirun beside one; what a
point costs besides its own work; a list of a million points. Prints tables and writes sweep.json into the folder named
by the first argument (build/bench); the second is the build. --quick: a hundredth of the list, fewer machines.

Points an hour follow from processor time, which other work on the machine changes less than the clock's."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
NETWORK = os.path.join(ROOT, "..", "shared", "models", "resnet18", "model.onnx")
KERNEL = os.path.join(ROOT, "examples", "vector_add.te")


class Bench:
    def __init__(self, folder, build, quick):
        self.vta, self.quick, self.rows = os.path.join(build, "vta"), quick, []
        self.place = tempfile.mkdtemp(prefix="vta-sweep-bench-")
        self.environment = dict(os.environ, VTA_SWEEP_CACHE=os.path.join(self.place, "cache"))
        self.out = os.path.join(folder, "sweep.json")

    def run(self, *command):
        """Seconds of the clock, seconds of processors, MiB at most."""
        begin = time.monotonic()
        process = subprocess.Popen(command, env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        error = process.stderr.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        process.stderr.close()
        if process.returncode:
            sys.exit(f"{' '.join(command)}: {error.decode()}")
        return time.monotonic() - begin, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024

    def row(self, what, value, unit):
        print(f"{what:58} {value:14,.1f} {unit}")
        self.rows.append({"what": what, "value": value, "unit": unit})

    def path(self, name):
        return os.path.join(self.place, name)

    def points(self):
        """Opening the network is taken off, by a sweep of one machine."""
        if not os.path.exists(NETWORK):
            print("../shared/models is not there: no network is measured")
            return
        count = 6 if self.quick else 24
        sweep = [self.vta, "sweep", NETWORK, "--jobs", "1", "--no-times"]
        one = self.run(*sweep, "-v", "bus_bits=32", "--no-cache", "-o", self.path("one"))
        space = ["-v", "bus_bits=64,128,256", "-v", f"LOG_WGT_BUFF_SIZE=17:{16 + count // 3}"]
        cold = self.run(*sweep, *space, "-o", self.path("cold"))
        warm = self.run(*sweep, *space, "-o", self.path("warm"))
        with open(self.path("cold"), encoding="utf-8") as file:
            good = sum("error" not in line for line in file)
        self.row("ResNet-18, a point in the first sweep", 3600 * (good - 1) / (cold[1] - one[1]), "points an hour")
        self.row("ResNet-18, its streams in the cache", 3600 * good / max(warm[1] - one[1], 1e-3) if warm[1] > one[1] else
                 3600 * good / warm[1], "points an hour")
        self.row("memory of that", cold[2], "MiB")
        if shutil.which("mpirun") and os.path.exists(os.path.join(os.path.dirname(self.vta), "vta-mpi.so")):
            mpirun = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2"]
            two = self.run(*mpirun, *sweep, *space, "--no-cache", "-o", self.path("two"))
            alone = self.run(*sweep, *space, "--no-cache", "-o", self.path("alone"))
            self.row("2 ranks, times one by the clock", alone[0] / two[0], "")

    def overhead(self):
        """Machines that cannot be cost nothing but what every point does."""
        n = 1000 if self.quick else 20000
        few, many = (self.run(self.vta, "sweep", KERNEL, "--jobs", "1", "--no-times", "-v", "LOG_BLOCK=9", "-v", f"delay=1:{k}",
                              "-o", self.path(f"refused{k}")) for k in (10, n))
        self.row("a point that is refused: key, lock, line", 1e6 * (many[1] - few[1]) / (n - 10), "us")
        again = self.run(self.vta, "sweep", KERNEL, "--jobs", "1", "--no-times", "-v", "LOG_BLOCK=9", "-v", f"delay=1:{n}",
                         "-o", self.path(f"refused{n}"))
        self.row("a point that is there already", 1e6 * again[1] / n, "us")

    def million(self):
        """Lines as a network of 20 layers has them."""
        n = 10_000 if self.quick else 1_000_000
        layers = [{"layer": f"layer{i}", "cycles": 1000 * i + 7} for i in range(20)]
        with open(self.path("list"), "w", encoding="utf-8") as file:
            for i in range(n):
                file.write(json.dumps({
                    "key": f"{i * 0x9e3779b97f4a7c15 % 2**128:032x}", "machine": f"LOG_BLOCK=4 bus_bits=64 delay={i}",
                    "subject": "net.onnx", "device": "tsim", "cycle_count": 190000 + i, "seconds": (190000 + i) * 1e-8,
                    "gemm_utilization": 0.5, "bus_utilization": 0.5, "roofline_fraction": 0.5, "buffer_bytes": 491520,
                    "area": 400000 + 7 * i % 1000, "energy": 0.001, "runs": 1, "accelerator_layers": 20, "host_layers": 2,
                    "layers": layers}, separators=(",", ":")) + "\n")
        size = os.path.getsize(self.path("list"))
        self.row(f"a list of {n} points", size / 2**20, "MiB")
        for action in ("merge", "pareto"):
            _, seconds, mib = self.run(self.vta, "results", action, self.path("list"),
                                       *(["-o", self.path("merged")] if action == "merge" else []))
            self.row(f"vta results {action} of it", seconds, "s")
            self.row("memory of that", mib, "MiB")
        resumed = self.run(self.vta, "sweep", KERNEL, "--jobs", "1", "-v", "bus_bits=64", "-o", self.path("list"))
        self.row("a sweep that goes on with it, until its first point", resumed[1], "s")
        self.row("memory of that", resumed[2], "MiB")

    def all(self):
        try:
            self.points()
            self.overhead()
            self.million()
        finally:
            shutil.rmtree(self.place, ignore_errors=True)
        with open(self.out, "w", encoding="utf-8") as file:
            json.dump(self.rows, file, indent=1)


if __name__ == "__main__":
    words = [w for w in sys.argv[1:] if w != "--quick"]
    build_bench, build_folder = (words + ["build/bench", "build"][len(words):])[:2]
    os.makedirs(build_bench, exist_ok=True)
    Bench(build_bench, build_folder, "--quick" in sys.argv).all()

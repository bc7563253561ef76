"""vta sweep of networks and vta results: numbers against a profile of the compiled network, the front against every pair,
and files of results that are written by many workers, killed, cut and filled up."""

import csv
import json
import math
import os
import random
import resource
import signal
import subprocess
import tempfile
import time
import unittest

import common

VTA = os.path.join(common.BUILD, "vta")
SHAPES = os.path.join(common.ROOT, "examples", "shapes")
NET = os.path.join(SHAPES, "shapes.onnx")
SAMPLES = ["--calibrate", os.path.join(SHAPES, "pictures")]
KERNEL = os.path.join(common.ROOT, "examples", "vector_add.te")


def lines_of(path):
    with open(path, encoding="utf-8") as file:
        return sorted(file.read().splitlines())


class Sweeps(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name
        self.environment = dict(os.environ, VTA_SWEEP_CACHE=os.path.join(self.folder, "cache"))
        self.environment.pop("VTA_CONFIG", None)

    def path(self, name):
        return os.path.join(self.folder, name)

    def vta(self, *args, code=0, **how):
        done = subprocess.run([VTA, *args], env=self.environment, capture_output=True, text=True, check=False, **how)
        self.assertEqual(done.returncode, code, f"vta {' '.join(args)}\n{done.stdout}{done.stderr}")
        return done.stdout if code == 0 else done.stderr

    def start(self, *args):
        return subprocess.Popen([VTA, *args], env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


class Networks(Sweeps):
    MACHINES = ["-v", "LOG_INP_BUFF_SIZE=13:15", "-v", "LOG_BLOCK=4,5", "-v", "LOG_WGT_BUFF_SIZE=17,30"]

    def sweep(self, *args):
        return json.loads(self.vta("sweep", NET, *SAMPLES, *self.MACHINES, "--json", *args))

    def test_as_compiled(self):
        """Cycles, traffic and layers are those of the network compiled for that machine and profiled."""
        costs = ["--energy", "dram_byte=1", "--energy", "chip_byte=0", "--energy", "add=0", "--energy", "multiply=0"]
        rows = self.sweep(*costs)
        self.assertEqual(len(rows), 12)
        self.assertEqual(sum("error" in row for row in rows), 6)  # a buffer of 2^30 bytes
        for row in rows:
            if "error" in row:
                self.assertIn("LOG_WGT_BUFF_SIZE=30", row["machine"])
                self.assertRegex(row["error"], "LOG_WGT_BUFF_SIZE|micro-op")
                continue
            changes = [word for change in row["machine"].split() for word in ("--set", change)]
            artifact = self.path("net.vta-model")
            self.vta("compile", NET, *SAMPLES, *changes, "-o", artifact)
            profile = json.loads(self.vta("profile", artifact, "--json"))
            layers = [step["name"] for step in profile["steps"] if step["kind"] == "layer"]
            layers = [name for i, name in enumerate(layers) if i == 0 or name != layers[i - 1]]  # two for 16 bits
            self.assertEqual(row["cycle_count"], sum(step["cycles"] for step in profile["steps"] if step["kind"] == "run"))
            self.assertEqual([layer["layer"] for layer in row["layers"]], layers)
            self.assertEqual(sum(layer["cycles"] for layer in row["layers"]), row["cycle_count"])
        first = next(row for row in rows if "error" not in row)
        changes = [word for change in first["machine"].split() for word in ("--set", change)]
        self.vta("compile", NET, *SAMPLES, *changes, "-o", artifact)
        text = json.loads(self.vta("sweep", artifact, "--json", *costs))
        self.assertEqual(text[0]["energy"], first["energy"])
        self.assertEqual(text[0]["cycle_count"], first["cycle_count"])

    def test_cache(self):
        """What is kept gives the same results, also where a file of it is damaged; nothing is kept with --no-cache."""
        out = [self.path(f"{i}.jsonl") for i in range(4)]
        args = ["sweep", NET, *SAMPLES, *self.MACHINES, "--no-times"]
        self.vta(*args, "--no-cache", "-o", out[0])
        self.assertFalse(os.path.exists(self.path("cache")))
        self.vta(*args, "-o", out[1])
        kept = sorted(os.listdir(self.path("cache")))
        self.assertEqual(len(kept), 6)
        rows = json.loads(self.vta("sweep", NET, *SAMPLES, *self.MACHINES, "--json"))
        self.assertEqual([row["times"]["cached"] for row in rows if "error" not in row], [True] * 6)
        for i, name in enumerate(kept):
            path = os.path.join(self.path("cache"), name)
            with open(path, "rb") as file:
                data = bytearray(file.read())
            data[i * 97 % len(data)] ^= 1 << i
            with open(path, "wb") as file:
                file.write(data[:len(data) - i * 5])
        self.vta(*args, "-o", out[2])
        for other in out[1:3]:
            self.assertEqual(lines_of(other), lines_of(out[0]))

    def test_limits(self):
        """What takes too long is a result in words; what the space cannot be is refused before anything is done."""
        text = self.vta("sweep", NET, *SAMPLES, "--limit", "1e-9", "--no-cache", "--json", code=1)
        self.assertIn("no machine of the sweep could be timed", text)
        for wrong, words in (("LOG_BLOCK", "NAME=A,B"), ("LOG_BLOCK=", "NAME=A,B"), ("LOG_BLOCK=5:4", "FIRST:LAST"),
                             ("LOG_BLOCK=4:x", "FIRST:LAST"), ("LOG_BLOCK=1:99999999", "65536"), ("LOG_BLOCK=4,,5", "NAME=A,B")):
            self.assertIn(words, self.vta("sweep", NET, "-v", wrong, code=2))
        self.assertIn("I/N", self.vta("sweep", NET, "--shard", "9/8", code=2))
        self.assertIn("--out", self.vta("sweep", NET, "-v", "delay=1:9999", code=2))
        self.assertIn("dram_byte", self.vta("sweep", NET, "--energy", "dram_bite=1", code=2))
        self.assertIn("given twice", self.vta("sweep", NET, "-v", "bus_bits=64", "-v", "bus_bits=128", code=2))


class Results(Sweeps):
    def test_front(self):
        """The front by every pair, of two subjects together; the best are the least."""
        out = self.path("r.jsonl")
        self.vta("sweep", KERNEL, os.path.join(common.ROOT, "examples", "matmul.te"), "-v", "bus_bits=64,128,256",
                 "-v", "LOG_BLOCK=4,5", "-v", "delay=1,60", "-o", out)
        with open(out, encoding="utf-8") as file:
            rows = [json.loads(line) for line in file]
        self.assertEqual(len(rows), 24)
        machines = {}
        for row in rows:
            sums = machines.setdefault(row["machine"], {"seconds": 0, "energy": 0, "cycles": 0, "area": 0})
            for key in ("seconds", "energy"):
                sums[key] += row[key]
            sums["cycles"] += row["cycle_count"]
            sums["area"] = max(sums["area"], row["area"])
        for objectives in (["seconds", "area"], ["cycles", "energy"], ["area"], ["energy", "seconds", "area"]):
            def beats(a, b, keys=tuple(objectives)):
                return all(a[k] <= b[k] for k in keys) and any(a[k] < b[k] for k in keys)

            front = {m for m, v in machines.items() if not any(beats(w, v) for w in machines.values())}
            shown = json.loads(self.vta("results", "pareto", out, "--json", "--objective", ",".join(objectives)))
            names = {row["machine"] for row in shown}
            self.assertLessEqual(names, front)
            points = {tuple(machines[m][k] for k in objectives) for m in front}  # of equal ones the first is shown
            self.assertEqual({tuple(machines[m][k] for k in objectives) for m in names}, points)
            best = json.loads(self.vta("results", "best", out, "--json", "--objective", ",".join(objectives)))
            least = min(v[objectives[0]] for v in machines.values())
            self.assertAlmostEqual(best[0][objectives[0]] / least, 1, places=8)
        self.assertEqual(len(self.vta("results", "csv", out).splitlines()), 25)
        page = self.vta("results", "html", out, "--title", "a < b")
        self.assertIn("a   b", page)
        self.assertIn("matmul.te", self.vta("results", "table", out))
        self.assertIn("--subject", self.vta("results", "svg", out, code=1))
        self.assertIn("<svg", self.vta("results", "svg", out, "--subject", "matmul.te"))
        self.assertIn("24 results", self.vta("results", "watch", out, "--points", "24"))

    def test_accuracy(self):
        """Pictures whose class is what `vta classify` says are right, others are not; a new class is a new point."""
        pictures = os.path.join(SHAPES, "pictures")
        names = sorted(n for n in os.listdir(pictures) if n.endswith(".png"))
        answers = json.loads(self.vta("classify", NET, *(os.path.join(pictures, n) for n in names), *SAMPLES, "--json"))
        ranks = {os.path.basename(p["file"]): [t["class"] for t in p["top"]] for p in answers["pictures"]}
        labels, out = self.path("labels.csv"), self.path("r.jsonl")
        space = ["-v", "bus_bits=64,128", "-v", "LOG_BLOCK=4,9", "--images", pictures, "--labels", labels, "-o", out]
        for rows, (first, fifth) in enumerate([(13, 18), (len(names), len(names))], 1):
            with open(labels, "w", encoding="utf-8") as file:  # the first answer, the fifth, or none of the five
                for i, name in enumerate(names):
                    none = next(c for c in range(10) if c not in ranks[name])
                    file.write(f"{name},{ranks[name][0] if i < first else ranks[name][4] if i < fifth else none}\n")
            self.vta("sweep", NET, *SAMPLES, *space)
            results = [json.loads(line) for line in lines_of(out)]
            good = [r["accuracy"] for r in results if "error" not in r]
            self.assertEqual((len(results), len(good)), (4 * rows, 2 * rows))
            self.assertEqual(good.count({"pictures": len(names), "top1": first, "top5": fifth}), 2)
        with open(self.path("r.csv"), "w", encoding="utf-8") as file:
            file.write(self.vta("results", "csv", out))
        with open(self.path("r.csv"), encoding="utf-8") as file:
            table = list(csv.DictReader(file))
        self.assertEqual(sorted(row["top1"] for row in table), [""] * 4 + ["13"] * 2 + [str(len(names))] * 2)
        self.assertTrue(all(row["error"] for row in table if not row["top1"]))
        self.assertIn("top-1", self.vta("results", "table", out))
        self.assertIn("--images", self.vta("sweep", NET, "--labels", labels, "-v", "bus_bits=64", code=2))

    def test_refused(self):
        """What is no file of results, in words; damaged lines are counted and passed over."""
        self.assertIn("no such", self.vta("results", "shine", "x.jsonl", code=1))
        self.assertIn("x.jsonl", self.vta("results", "table", self.path("x.jsonl"), code=1))
        bad = self.path("bad.jsonl")
        with open(bad, "w", encoding="utf-8") as file:
            file.write('{"key":"1"}\nnonsense\n[1,2]\n{"key":"%s","machine":1}\n{' % ("0" * 32))
        self.assertIn("no results", self.vta("results", "table", bad, code=1))

    def test_noise(self):
        """Files of random damage never end the tool otherwise than in words."""
        out = self.path("r.jsonl")
        self.vta("sweep", KERNEL, "-v", "bus_bits=64,128", "-o", out)
        with open(out, "rb") as file:
            good = file.read()
        dice = random.Random(35)
        for _ in range(60):
            data = bytearray(good)
            for _ in range(dice.randint(1, 8)):
                at = dice.randrange(len(data))
                data[at:at + dice.randint(0, 3)] = bytes(dice.randrange(256) for _ in range(dice.randint(0, 3)))
            with open(self.path("n.jsonl"), "wb") as file:
                file.write(data)
            for action in ("table", "pareto", "csv", "html", "merge"):
                done = subprocess.run([VTA, "results", action, self.path("n.jsonl")], capture_output=True, check=False)
                self.assertIn(done.returncode, (0, 1), done.stderr)


class Workers(Sweeps):
    SPACE = ["-v", "bus_bits=64,128,256", "-v", "LOG_BLOCK=4,5", "-v", "delay=1:6", "--no-times"]
    COUNT = 36

    def serial(self):
        out = self.path("serial.jsonl")
        self.vta("sweep", KERNEL, *self.SPACE, "--jobs", "1", "-o", out)
        self.assertEqual(len(lines_of(out)), self.COUNT)
        return lines_of(out)

    def test_shards(self):
        """Parts give together what one worker gives, byte for byte; merged they stand in the order of their keys."""
        parts = [self.path(f"part{i}.jsonl") for i in range(1, 6)]
        for i, part in enumerate(parts, 1):
            self.vta("sweep", KERNEL, *self.SPACE, "--shard", f"{i}/5", "-o", part)
        self.assertEqual([len(lines_of(part)) for part in parts], [8, 7, 7, 7, 7])
        merged = self.path("merged.jsonl")
        self.vta("results", "merge", *parts, parts[0], "-o", merged)
        with open(merged, encoding="utf-8") as file:
            self.assertEqual(file.read().splitlines(), self.serial())

    def test_together(self):
        """Workers on one file compute each point once."""
        out = self.path("together.jsonl")
        workers = [self.start("sweep", KERNEL, *self.SPACE, "--jobs", "2", "-o", out) for _ in range(3)]
        self.assertEqual([worker.wait() for worker in workers], [0, 0, 0])
        self.assertEqual(lines_of(out), self.serial())

    def test_killed(self):
        """Workers that are killed at any moment lose at most what they were at."""
        out, dice = self.path("killed.jsonl"), random.Random(9)
        for _ in range(8):
            workers = [self.start("sweep", KERNEL, *self.SPACE, "--jobs", "2", "-o", out) for _ in range(2)]
            time.sleep(dice.uniform(0.01, 0.25))
            for worker in workers:
                worker.send_signal(signal.SIGKILL)
                worker.wait()
            if os.path.exists(out) and os.path.getsize(out) > 40 and dice.random() < 0.5:
                os.truncate(out, os.path.getsize(out) - dice.randint(1, 39))  # as a machine that lost its power
        self.vta("sweep", KERNEL, *self.SPACE, "-o", out)
        good = [line for line in lines_of(out) if line.endswith("}") and line.startswith("{")]
        self.assertEqual(sorted(set(good) & set(self.serial())), self.serial())
        self.vta("results", "merge", out, "-o", self.path("m.jsonl"))
        self.assertEqual(lines_of(self.path("m.jsonl")), self.serial())

    def test_full_disk(self):
        """A file that can grow no more ends the sweep in words and holds complete lines; started again it goes on."""
        out = self.path("full.jsonl")

        def little():
            resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

        self.assertIn("cannot write", self.vta("sweep", KERNEL, *self.SPACE, "-o", out, code=1, preexec_fn=little))
        for line in lines_of(out):
            json.loads(line)
        self.assertLess(len(lines_of(out)), self.COUNT)
        answer = json.loads(self.vta("sweep", KERNEL, *self.SPACE, "-o", out, "--json"))
        self.assertEqual(answer["found"] + answer["computed"], self.COUNT)
        self.assertGreater(answer["found"], 0)
        self.assertEqual(lines_of(out), self.serial())


class Searches(Sweeps):
    """--search on a space that is small enough to know all of it."""
    KERNEL = os.path.join(common.ROOT, "examples", "blocked_matmul.te")
    SPACE = ["-v", "LOG_BLOCK=3:5", "-v", "LOG_INP_BUFF_SIZE=12:15", "-v", "LOG_WGT_BUFF_SIZE=14:18",
             "-v", "LOG_ACC_BUFF_SIZE=14,16,18", "-v", "bus_bits=32,64,128,256"]
    COUNT = 3 * 4 * 5 * 3 * 4

    known = None

    def everything(self):
        """The results of all machines, computed once for all tests."""
        if not Searches.known:
            Searches.known = self.sweep("all.jsonl")
        return Searches.known

    def sweep(self, name, *args):
        self.vta("sweep", self.KERNEL, *self.SPACE, "--no-times", "-o", self.path(name), *args)
        return [json.loads(line) for line in lines_of(self.path(name))]

    @staticmethod
    def area_below(points, corner):
        """The share of factors up to `corner` that a front of (x, y) wins."""
        total, y = 0.0, corner[1]
        for x, value in sorted(points):
            if value < y:
                total += math.log(corner[0] / x) * math.log(y / value)
                y = value
        return total

    def test_finds_the_front(self):
        """Close to the front of all machines, and closer than as many machines at random."""
        everything = {row["machine"]: (row["seconds"], row["area"]) for row in self.everything() if "error" not in row}
        corner = [max(p[i] for p in everything.values()) for i in range(2)]
        whole = self.area_below(everything.values(), corner)
        rows, draw, found, blind = 60, random.Random(1), [], []
        for seed in range(6):
            searched = self.sweep(f"{seed}.jsonl", "--search", str(rows), "--seed", str(seed))
            self.assertEqual(len({row["machine"] for row in searched}), rows)
            good = [(row["seconds"], row["area"]) for row in searched if "error" not in row]
            self.assertTrue(set(good) <= set(everything.values()))
            found.append(self.area_below(good, corner) / whole)
        for _ in range(200):
            tried = draw.sample(range(self.COUNT), rows)
            some = list(everything.values())
            blind.append(self.area_below([some[i] for i in tried if i < len(some)], corner) / whole)
        self.assertGreater(sum(found) / len(found), 0.95)
        self.assertGreater(sum(found) / len(found), sum(blind) / len(blind) + 0.08)

    def test_the_same_whoever_computes(self):
        """Jobs, a kill, two processes on one file and a file that has other results change no choice."""
        search = ["--search", "90", "--seed", "7"]
        want = self.sweep("one.jsonl", *search, "--jobs", "1")
        self.assertEqual(self.sweep("four.jsonl", *search, "--jobs", "4"), want)
        for name in ("killed", "two"):
            path = self.path(name + ".jsonl")
            running = [self.start("sweep", self.KERNEL, *self.SPACE, "--no-times", "-o", path, *search)
                       for _ in range(1 if name == "killed" else 2)]
            if name == "killed":
                while not os.path.exists(path) or len(lines_of(path)) < 20:
                    time.sleep(0.005)
                running[0].kill()
            for one in running:
                one.wait()
            self.assertEqual(self.sweep(name + ".jsonl", *search), want, name)
        other = self.sweep("other.jsonl", "--search", "90", "--seed", "8")
        self.assertNotEqual(other, want)
        both = self.sweep("other.jsonl", *search)
        self.assertTrue({row["key"] for row in want} <= {row["key"] for row in both})
        self.assertEqual({row["key"] for row in both}, {row["key"] for row in want + other})

    def test_limits(self):
        self.assertEqual(self.sweep("more.jsonl", "--search", "100000", "--objective", "energy"), self.everything())
        shown = json.loads(self.vta("sweep", self.KERNEL, *self.SPACE, "--search", "5", "--json"))
        self.assertEqual(len(shown), 5)
        for wrong, message in ((["--search", "9", "--shard", "1/2"], "each part would need the others' results"),
                               (["--objective", "area"], "--objective: of --search"),
                               (["--search", "9", "--objective", "speed"], "--objective speed: no such objective"),
                               (["--search", "none"], "--search")):
            self.assertIn(message, self.vta("sweep", self.KERNEL, *self.SPACE, *wrong, code=2), wrong)


if __name__ == "__main__":
    unittest.main()

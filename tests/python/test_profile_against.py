"""vta profile A --against B of networks, layer by layer: against profiles of both that were made by themselves."""

import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

import common
import numpy as np
import vta

VTA = os.path.join(common.BUILD, "vta")
NET = os.path.join(common.ROOT, "examples", "shapes", "shapes.onnx")
PICTURE = os.path.join(common.ROOT, "examples", "shapes", "pictures", "ring1.png")
KERNEL = os.path.join(common.ROOT, "examples", "conv2d.te")
CHANGE = ["--set", "LOG_BLOCK=5"]


def vta_(*args, code=0):
    done = subprocess.run([VTA, *args], capture_output=True, text=True, check=False)
    if done.returncode != code:
        raise AssertionError(f"vta {' '.join(args)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout if code == 0 else done.stderr


def layers_of(profile):
    return [(step["name"], step["cycles"]) for step in profile["steps"] if step["kind"] == "layer"]


class Against(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = scratch.name
        cls.alone = [layers_of(json.loads(vta_("profile", NET, "--json", *more))) for more in ([], CHANGE)]
        assert cls.alone[0] and cls.alone[0] != cls.alone[1]

    def test_text(self):
        """A row a layer, with the cycles of both and what the second is of the first."""
        text = vta_("profile", NET, "--against", NET, "--against-set", CHANGE[1])
        self.assertIn(f"B: {NET} {CHANGE[1]}", text)
        rows = re.findall(r"^(\S+) +(\d+) +(\d+) +([\d.]+)$", text.split("cycles by layer")[1].split("cycles by kind")[0], re.M)
        self.assertEqual([(name, int(a)) for name, a, _, _ in rows], self.alone[0])
        self.assertEqual([(name, int(b)) for name, _, b, _ in rows], self.alone[1])
        for _, a, b, ratio in rows:
            self.assertAlmostEqual(int(b) / int(a), float(ratio), delta=6e-4)

    def test_timing_and_artifacts(self):
        """Another memory for the second alone; artifacts; a network that has other layers."""
        artifact = os.path.join(self.folder, "net.vta-model")
        vta_("compile", NET, "-o", artifact, "--calibrate", os.path.join(common.ROOT, "examples", "shapes", "pictures"))
        answer = json.loads(vta_("profile", artifact, "--against", artifact, "--against-timing", "bus_bits=256", "--json"))
        slow, fast = layers_of(answer["network"]), layers_of(answer["against_network"])
        self.assertEqual([name for name, _ in slow], [name for name, _ in fast])
        self.assertTrue(all(b <= a for (_, a), (_, b) in zip(slow, fast)))
        self.assertLess(sum(b for _, b in fast), sum(a for _, a in slow))
        self.assertEqual(sum(a for _, a in slow), answer["profile"]["timing"]["cycles"])
        self.assertEqual(fast, layers_of(json.loads(vta_("profile", artifact, "--bus", "256", "--json"))))
        only = vta_("profile", NET, "--against", KERNEL).split("cycles by layer")[1].split("cycles by kind")[0]
        self.assertEqual([(name, int(a)) for name, a in re.findall(r"^(\S+) +(\d+) *$", only, re.M)], self.alone[0])

    def test_kernels(self):
        """A kernel file is built anew for the other machine."""
        other = vta_("profile", KERNEL, "--against", KERNEL, "--against-set", "LOG_INP_WIDTH=3", "--against-set", "LOG_BLOCK=4")
        self.assertNotIn("cycles by layer", other)
        answer = json.loads(vta_("profile", KERNEL, "--against", KERNEL, "--against-set", "LOG_UOP_BUFF_SIZE=14", "--json"))
        alone = json.loads(vta_("profile", KERNEL, "--set", "LOG_UOP_BUFF_SIZE=14", "--json"))
        self.assertEqual(answer["against"]["timing"]["cycles"], alone["timing"]["cycles"])
        self.assertNotIn("network", answer)
        self.assertIn("need --against OTHER", vta_("profile", KERNEL, "--against-set", "LOG_BLOCK=5", code=2))
        self.assertIn("LOG_BLOC", vta_("profile", KERNEL, "--against", KERNEL, "--against-set", "LOG_BLOC=5", code=1))

    def test_another_memory(self):
        """A network is compiled for the memory that --bus and --profile say, and its artifact keeps it: the report, the
        profile and the runs of tsim count the same cycles, and Python's."""
        samples = np.random.default_rng(3).random((4, 3, 64, 64), np.float32)
        at = {name: os.path.join(self.folder, name) for name in ("samples.npy", "mine.json", "bus.vta-model", "py.vta-model")}
        np.save(at["samples.npy"], samples)
        with open(at["mine.json"], "w", encoding="utf-8") as file:
            json.dump({"profile": "hls", "bus_bits": 256, "delay": 40, "LOG_BATCH": 0}, file)
        seen = set()
        for how in ({}, {"bus": 32}, {"profile": "hls", "bus": 128}, {"profile": at["mine.json"]}):
            given = [word for name, value in how.items() for word in (f"--{name}", str(value))]
            report = json.loads(vta_("compile", NET, "--calibrate", at["samples.npy"], "-o", at["bus.vta-model"], "--report",
                                     "--json", *given))
            run = json.loads(vta_("run", at["bus.vta-model"], "--driver", "tsim", "--input", PICTURE, "--json"))
            model = vta.compile(NET, samples, output=at["py.vta-model"], **how)
            model(samples[:1])
            totals = [sum(c for _, c in layers_of(json.loads(vta_("profile", at[name], "--json", *more)))) for name, more in (
                ("bus.vta-model", []), ("bus.vta-model", given), ("py.vta-model", []))]
            totals += [sum(c for _, c in layers_of(model.profile())), run["stats"]["cycles"]]
            self.assertEqual(totals, [report["cycles"]] * 5, how)
            seen.add(report["cycles"])
        self.assertEqual(len(seen), 4)
        default = json.loads(vta_("run", at["bus.vta-model"], "--driver", "tsim", "-P", "chisel", "-i", PICTURE, "--json"))
        self.assertNotEqual(default["stats"]["cycles"], run["stats"]["cycles"])
        self.assertIn("--driver tsim does", vta_("run", at["bus.vta-model"], "--bus", "32", "-i", PICTURE, code=1))

    def test_commands_that_compile_on_the_way(self):
        """classify, compare, eval, detect and prove choose schedules for that memory; --stats times an artifact by it."""
        artifact, samples = os.path.join(self.folder, "stats.vta-model"), os.path.dirname(PICTURE)
        given, calibrate = ["--bus", "256", "-T", "delay=40"], ["--calibrate", samples]
        vta_("compile", NET, "-o", artifact, *calibrate)
        compiled = json.loads(vta_("compile", NET, "-o", os.path.join(self.folder, "256.vta-model"), *calibrate, *given, "--report", "--json"))

        def stats(model, *more):
            got = json.loads(vta_("classify", model, PICTURE, "--stats", "--json", *(calibrate if model == NET else ()), *more))
            return got["cycles"], got["stats"]["cycles"], got["pictures"]

        cycles, counted, pictures = stats(NET, *given, "--driver", "tsim")
        self.assertEqual((cycles, counted), (compiled["cycles"], cycles))
        profiled = sum(c for _, c in layers_of(json.loads(vta_("profile", artifact, *given, "--json"))))
        self.assertNotEqual(profiled, cycles)  # schedules for another memory
        self.assertEqual(stats(artifact, *given, "--driver", "tsim"), (profiled, profiled, pictures))
        self.assertEqual(stats(artifact, *given), (profiled, 0, pictures))
        labels = os.path.join(self.folder, "labels.csv")
        with open(labels, "w", encoding="utf-8") as file:
            file.write("file,class\nring1.png,0\n")
        for words in (["classify", NET, PICTURE], ["compare", NET, PICTURE], ["prove", NET, "--layer", "conv2"],
                      ["eval", NET, *calibrate, "--images", samples, "--labels", labels], ["prove", KERNEL, "--auto"]):
            self.assertIn("--bus 33: expected bits", vta_(*words, "--bus", "33", code=1), words[0])
        for words in (["classify", artifact, PICTURE], ["detect", artifact, PICTURE]):
            self.assertIn("compiled already; vta profile tells its cycles with --bus", vta_(*words, "--bus", "64", code=1))
            for more in (["--config", "pynq"], ["--set", "LOG_BATCH=1"], calibrate, ["--range", "max"], ["--equalize"]):
                said = f"{more[0]} is for ONNX models; this network is compiled already"
                self.assertIn(said, vta_(*words, *more, code=1))
        for words in ["classify", NET, PICTURE], ["detect", NET, PICTURE], ["run", NET], ["generate", NET, "--tokenizer", NET]:
            for more in ["--config", "pynq"], ["--set", "LOG_BATCH=1"], ["--bus", "64"]:
                said = f"{more[0]} is for the accelerator, --float does without it"
                self.assertIn(said, vta_(*words, "--float", *more, code=2))
        layer = layers_of(json.loads(vta_("profile", NET, "--json")))[0][0]
        self.assertIn("1 of 1 operators proven", vta_("prove", NET, "--layer", layer, *given))
        self.assertIn("to the bit", vta_("compare", NET, PICTURE, *given))
        built = os.path.join(self.folder, "conv.o")
        vta_("build", KERNEL, "-o", built)
        self.assertIn("--timing is for what is compiled on the way", vta_("prove", built, "-T", "delay=9", code=2))

    def test_environments(self):
        """What operators are scheduled for, by the name of a profile, settings, a file; what is none is refused."""
        conv = {"height": 14, "width": 14, "in_channels": 64, "out_channels": 64, "kernel": 3, "pad": 1}
        path = os.path.join(self.folder, "slow.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"profile": "hls", "delay": 90}, file)
        for how in ({"bus": 32}, {"profile": "hls", "bus": 128}, {"profile": path}, {"profile": {"delay": 70}, "bus": 256}):
            profile = how.get("profile", "chisel")
            if isinstance(profile, dict):
                given = ["-T", "delay=70", "--bus", "256"]
            else:
                given = ["--profile", profile, *(["--bus", str(how["bus"])] if "bus" in how else [])]
            with vta.Environment({}, **how):
                operator = vta.topi.Operator("conv2d", **conv)
                tuned = vta.tune(vta.topi.Operator("conv2d", **conv), trials=1, jobs=0, database=False)
            told = json.loads(vta_("op", "conv2d", *(f"{k}={v}" for k, v in conv.items()), "--json", *given))
            self.assertEqual((operator.cycles, operator.bound), (told["cycles"], told["bound"]))
            self.assertEqual(tuned.untuned, told["cycles"])
        board = vta.Environment("zcu104", bus=64)
        self.assertEqual((board.TARGET, board.cfg_dict["TIMING"]), ("zcu104", {"bus_bits": 64}))
        for how, words in (({"bus": 100}, "not a power of two"), ({"profile": "chisle"}, "no timing profile \"chisle\""),
                           ({"profile": {"delays": 1}}, "no setting \"delays\"")):
            with self.assertRaisesRegex(vta.VTAError, words):
                vta.Environment({}, **how)
        with self.assertRaises(FileNotFoundError):
            vta.Environment({}, profile="absent.json")
        with self.assertRaisesRegex(TypeError, "bus"):
            vta.Environment({}, bus="wide")

    @unittest.skipUnless(shutil.which("chromium"), "no chromium")
    def test_page(self):
        """The page has a row for each layer."""
        page = os.path.join(self.folder, "page.html")
        vta_("profile", NET, "--against", NET, "--against-set", CHANGE[1], "--html", page)
        dom = subprocess.run(["timeout", "100", "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
                              "--no-first-run", "--disable-background-networking", "--disable-component-update",
                              "--disable-sync", f"--user-data-dir={self.folder}/user", "--virtual-time-budget=20000",
                              "--dump-dom", "file://" + page], capture_output=True, text=True, check=True).stdout
        rows = re.findall(r"<td[^>]*>layer (\S+), cycles</td><td[^>]*>([\d,]+)</td><td[^>]*>([\d,]+)</td>", dom)
        for side in range(2):
            self.assertEqual([(row[0], int(row[1 + side].replace(",", ""))) for row in rows], self.alone[side])


if __name__ == "__main__":
    unittest.main()

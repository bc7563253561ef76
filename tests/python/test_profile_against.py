"""vta profile A --against B of networks, layer by layer: against profiles of both that were made by themselves."""

import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

import common

VTA = os.path.join(common.BUILD, "vta")
NET = os.path.join(common.ROOT, "examples", "shapes", "shapes.onnx")
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

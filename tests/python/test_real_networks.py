"""Real models on the accelerator: without races, alike on both simulators and in any order, equal to the plain evaluator of
integers, and every operator proven. The models are not in the repository; without them this is skipped."""

import json
import os
import subprocess
import tempfile
import unittest

import numpy

import common

VTA = os.path.join(common.BUILD, "vta")


def vta(*args):
    return subprocess.run([VTA, *args], check=True, stdout=subprocess.PIPE).stdout


class OnTheAccelerator(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name

    def result(self, artifact, *options):
        path = os.path.join(self.folder, "y.npy")
        answer = json.loads(vta("run", artifact, "--output", path, "--json", *options))
        self.assertEqual(answer.get("races", []), [])
        return numpy.load(path)

    def check_network(self, model, pictures, preset):
        model = common.shared("models", model, "model.onnx")
        pictures = common.shared("models", pictures)
        picture = os.path.join(pictures, sorted(n for n in os.listdir(pictures) if not n.endswith(".csv"))[3])
        artifact, how = os.path.join(self.folder, "net.vta-model"), ("--preset", preset)
        vta("compile", model, "--calibrate", pictures, "-o", artifact, *how)
        first = self.result(artifact, "--input", picture, "--check", *how)
        for options in (("--driver", "tsim", "--check"), ("--order", "random", "--seed", "5"), ("--order", "store-late")):
            numpy.testing.assert_array_equal(self.result(artifact, "--input", picture, *options, *how), first)
        compared = json.loads(vta("compare", model, picture, "--calibrate", pictures, "--json", *how))
        self.assertTrue(compared["equal"])
        return model, pictures, how

    def test_resnet20(self):
        model, pictures, how = self.check_network("resnet20-cifar10", "cifar10-jpg200", "cifar10")
        proofs = json.loads(vta("prove", model, "--calibrate", pictures, "--json", *how))
        self.assertEqual([p["layer"] for p in proofs["operators"] if p["result"] != "proven"], [])
        self.assertGreater(proofs["count"], 10)

    def test_resnet18(self):
        self.check_network("resnet18", "imagenet-sample", "imagenet")


if __name__ == "__main__":
    unittest.main()

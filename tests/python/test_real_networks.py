"""Real models on the accelerator: without races, alike on both simulators and in any order, equal to the plain evaluator of
integers, and every operator proven; and how many pictures they get right. The models are not in the repository; without
them this is skipped."""

import gzip
import json
import os
import struct
import subprocess
import tempfile
import unittest
import zlib

import numpy

import common

VTA = os.path.join(common.BUILD, "vta")


def write_png(path, pixels, width):
    """A picture of 8-bit grey."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + pixels[i:i + width] for i in range(0, len(pixels), width))
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, len(pixels) // width, 8, 0, 0, 0, 0))
                   + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


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


class Accuracy(unittest.TestCase):
    """How many labelled pictures the accelerator gets right: at most one in a hundred less than floats do."""

    def right(self, model, images, labels, *options):
        answer = json.loads(vta("eval", common.shared("models", *model.split("/")), "--images", images, "--labels", labels,
                                "--json", *options))
        return answer["count"], answer["top1"], answer["top5"]

    def pictures(self, model, folder, *options):
        folder = common.shared("models", folder)
        return self.right(model, folder, os.path.join(folder, "labels.csv"), *options)

    def check(self, got, count, top1, top5=0):
        self.assertEqual(got[0], count)
        self.assertGreaterEqual(got[1], top1)
        self.assertGreaterEqual(got[2], top5)

    def test_resnet18(self):
        self.check(self.pictures("resnet18/model.onnx", "imagenet-sample", "--preset", "imagenet"), 50, 39, 48)

    def test_squeezenet(self):
        self.check(self.pictures("squeezenet1.1/model.onnx", "imagenet-sample", "--preset", "imagenet"), 50, 30, 47)

    def test_mobilenet(self):
        self.check(self.pictures("mobilenetv2-int8/model.onnx", "imagenet-sample", "--preset", "signed", "--resize", "256",
                                 "--crop", "224", "--label-offset", "1"), 50, 42, 49)

    def test_cifar10(self):
        self.check(self.pictures("resnet20-cifar10/model.onnx", "cifar10-jpg200", "--preset", "cifar10"), 200, 172)
        self.check(self.pictures("resnet8-cifar10/model.onnx", "cifar10-jpg200", "--preset", "raw"), 200, 147)
        self.check(self.pictures("resnet8-cifar10/model-int8-qdq.onnx", "cifar10-jpg200", "--preset", "raw"), 200, 149)

    def test_mnist(self):
        """The first 500 digits, as files of their own."""
        data = {}
        for name, head in (("images-idx3", 16), ("labels-idx1", 8)):
            with gzip.open(common.shared("models", "mnist-t10k", f"t10k-{name}-ubyte.gz")) as file:
                data[name[:6]] = file.read()[head:]
        with tempfile.TemporaryDirectory() as folder:
            labels = os.path.join(folder, "labels.csv")
            with open(labels, "w", encoding="ascii") as table:
                for i in range(500):
                    write_png(os.path.join(folder, f"{i:03}.png"), data["images"][784 * i:784 * (i + 1)], 28)
                    table.write(f"{i:03}.png,{data['labels'][i]}\n")
            self.check(self.right("mnist-8/model.onnx", folder, labels, "--preset", "raw"), 500, 488)


if __name__ == "__main__":
    unittest.main()

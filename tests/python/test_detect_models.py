"""Real detectors on real pictures, in floats and in integers. They are not in the repository; without them this is skipped."""

import json
import os
import subprocess
import tempfile
import unittest

import common
from test_detect import iou

VTA = os.path.join(common.BUILD, "vta")

#: Where things are in the pictures, by eye: label, x0, y0, x1, y1.
DOG = [("dog", 130, 215, 315, 540), ("bicycle", 125, 130, 570, 425), ("car", 465, 75, 690, 170)]
BUS = [("bus", 15, 230, 805, 740), ("person", 50, 400, 245, 905), ("person", 220, 405, 345, 860)]


def detect(model, *names, options=("--float",)):
    """The boxes of pictures."""
    pictures = [common.shared("models", "detect", "pictures", n) for n in names]
    done = subprocess.run([VTA, "detect", common.shared("models", "detect", *model.split("/")), *pictures, "--json", *options],
                          stdout=subprocess.PIPE, check=True)
    return [p["boxes"] for p in json.loads(done.stdout)]


def corners(box):
    return [box[k] for k in ("x0", "y0", "x1", "y1")]


class Floats(unittest.TestCase):
    def expect(self, boxes, things, least):
        for label, *where in things:
            best = max((iou(corners(b), where) for b in boxes if b["label"] == label), default=0)
            self.assertGreater(best, least, f"{label} at {where} in {boxes}")

    def test_yolox(self):
        dog, bus = detect("yolox-nano/yolox_nano.onnx", "dog.jpg", "bus.jpg")
        self.expect(dog, DOG, 0.7)
        self.expect(bus, BUS, 0.7)
        self.assertLess(len(dog) + len(bus), 12)

    def test_fastestdet(self):
        dog, bus = detect("fastestdet/FastestDet.onnx", "dog.jpg", "bus.jpg")
        self.expect(dog, DOG, 0.7)
        self.expect(bus, BUS, 0.7)
        self.assertLess(len(dog) + len(bus), 12)

    def test_faces(self):
        """The network with postprocessing decodes the boxes itself: the same ones as ours."""
        for with_, without in zip(detect("face-rfb320/version-RFB-320.onnx", "faces1.jpg", "faces2.jpg"),
                                  detect("face-rfb320/version-RFB-320_without_postprocessing.onnx", "faces1.jpg", "faces2.jpg")):
            self.assertEqual(len(with_), len(without))
            self.assertGreater(len(with_), 3)
            for a, b in zip(with_, without):
                self.assertEqual((a["label"], b["label"]), ("face", "face"))
                self.assertGreater(iou(corners(a), corners(b)), 0.999)
                self.assertAlmostEqual(a["score"], b["score"], places=4)

    def test_faces_two(self):
        """Four people in a row."""
        boxes, = detect("face-rfb320/version-RFB-320.onnx", "faces2.jpg")
        self.assertEqual(len(boxes), 4)
        self.assertEqual(sorted(int(b["x0"]) // 100 for b in boxes), [1, 3, 5, 7])


class Integers(unittest.TestCase):
    def check(self, model, least):
        """The share of the float model's boxes that the integers find."""
        done = subprocess.run([VTA, "eval", common.shared("models", "detect", *model.split("/")),
                               common.shared("models", "detect", "pictures"), "--against-float", "--json"],
                              stdout=subprocess.PIPE, check=True)
        answer = json.loads(done.stdout)
        self.assertGreaterEqual(answer["found"]["0.5"], least * answer["float_boxes"])
        self.assertLessEqual(answer["others"]["0.5"], (1 - least) * answer["float_boxes"] + 1)

    def test_faces(self):
        self.check("face-rfb320/version-RFB-320.onnx", 0.95)

    def test_offsets_of_faces(self):
        """In integers, too, offsets are told from corners."""
        self.check("face-rfb320/version-RFB-320_without_postprocessing.onnx", 0.9)

    def test_artifact(self):
        """It keeps decoder and preprocessing."""
        with tempfile.TemporaryDirectory() as folder:
            artifact = os.path.join(folder, "face.vta-model")
            model = common.shared("models", "detect", "face-rfb320", "version-RFB-320.onnx")
            pictures = common.shared("models", "detect", "pictures")
            subprocess.run([VTA, "compile", model, "--calibrate", pictures, "-o", artifact], stdout=subprocess.DEVNULL, check=True)
            picture = os.path.join(pictures, "faces2.jpg")
            boxes, = detect("face-rfb320/version-RFB-320.onnx", "faces2.jpg", options=("--calibrate", pictures))
            done = subprocess.run([VTA, "detect", artifact, picture, "--json"], stdout=subprocess.PIPE, check=True)
            self.assertEqual(json.loads(done.stdout)[0]["boxes"], boxes)
            self.assertEqual(len(boxes), 4)


if __name__ == "__main__":
    unittest.main()

"""`vta detect` and `vta eval` on boxes as a user runs them, with a detector whose boxes are known; vta.detect and the
example in C give the same."""

import json
import os
import subprocess
import tempfile
import unittest

import numpy as np

import common
import vta
from detector_of_squares import COLUMNS, NAMES, ROWS, network, picture

VTA = os.path.join(common.BUILD, "vta")

#: Of each picture the size, and its squares: column, row, class.
PICTURES = {"a": (320, 192, [(1, 1, 0), (4, 3, 1), (8, 5, 2)]), "b": (160, 96, [(0, 0, 2), (9, 5, 2)]),
            "c": (200, 300, []), "d": (480, 288, [(2, 2, 1), (6, 0, 0), (6, 2, 2), (3, 5, 1)])}


def setUpModule():
    global folder, scratch  # pylint: disable=global-variable-undefined
    scratch = tempfile.TemporaryDirectory()
    folder = scratch.name
    os.mkdir(os.path.join(folder, "pictures"))
    for name, (width, height, squares) in PICTURES.items():
        common.write_png(at("pictures", f"{name}.png"), picture(squares, width, height))
    write("names.txt", "\n".join(NAMES))
    with open(at("squares.onnx"), "wb") as file:
        file.write(network())
    vta_("compile", at("squares.onnx"), "--calibrate", at("pictures"), "--labels", at("names.txt"),
         "-o", at("squares.vta-model"))


def tearDownModule():
    scratch.cleanup()


def at(*parts):
    """A path in the folder of the test."""
    return os.path.join(folder, *parts)


def write(name, text):
    """A file there, of text or JSON."""
    with open(at(name), "w", encoding="utf-8") as file:
        file.write(text if isinstance(text, str) else json.dumps(text))
    return at(name)


def vta_(*args, code=0):
    """The standard output of the tool; of one that fails the error."""
    done = subprocess.run([VTA, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != code:
        raise AssertionError(f"vta {' '.join(args)}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout if not code else done.stderr


def expected(name):
    """Boxes of a picture in pixels, with their classes."""
    width, height, squares = PICTURES[name]
    x, y = width / COLUMNS, height / ROWS
    return sorted([c * x, r * y, (c + 1) * x, (r + 1) * y, k] for c, r, k in squares)


def found(boxes):
    """The same of an answer."""
    return sorted([b["x0"], b["y0"], b["x1"], b["y1"], b["class"]] for b in boxes)


class Detect(unittest.TestCase):
    def check(self, answer, names, near):
        self.assertEqual([os.path.basename(p["picture"]) for p in answer], [f"{n}.png" for n in names])
        for one, name in zip(answer, names):
            self.assertEqual(set(one), {"picture", "boxes"})
            want, got = expected(name), found(one["boxes"])
            self.assertEqual(len(got), len(want), name)
            if want:
                np.testing.assert_allclose(got, want, atol=near)
            for box in one["boxes"]:
                self.assertEqual(list(box), ["x0", "y0", "x1", "y1", "score", "class", "label"])
                self.assertEqual(box["label"], NAMES[box["class"]])
                self.assertGreater(box["score"], 0.9)

    def run_json(self, *args):
        return json.loads(vta_("detect", *args, "--json"))

    def test_floats_and_integers(self):
        names = ("--labels", at("names.txt"))
        self.check(self.run_json(at("squares.onnx"), at("pictures"), "--float", *names), "abcd", 0.01)
        self.check(self.run_json(at("squares.onnx"), at("pictures"), *names), "abcd", 3)

    def test_artifact_needs_nothing_else(self):
        answer = self.run_json(at("squares.vta-model"), at("pictures", "d.png"), at("pictures", "a.png"))
        self.check(answer, "da", 3)
        self.assertEqual(answer, self.run_json(at("squares.onnx"), at("pictures", "d.png"), at("pictures", "a.png"), "--labels",
                                               at("names.txt"), "--calibrate", at("pictures")))

    def test_without_names(self):
        for box in self.run_json(at("squares.onnx"), at("pictures", "a.png"), "--float")[0]["boxes"]:
            self.assertIsNone(box["label"])

    def test_python_and_c(self):
        """The same boxes as the tool's, to all its digits."""
        path = at("pictures", "d.png")
        for model in ("squares.vta-model", "squares.onnx"):
            options = ("--float", "--labels", at("names.txt")) if model.endswith("onnx") else ()
            want = self.run_json(at(model), path, *options)[0]["boxes"]
            got = vta.detect(at(model), path, labels=NAMES)
            self.assertEqual(len(got), 4)
            for g, w in zip(got, want):
                self.assertEqual(list(g), list(w))
                for key, value in w.items():
                    self.assertTrue(g[key] == value if key == "label" else abs(g[key] - value) < 1e-5 * (1 + abs(value)))
        example = os.path.join(common.BUILD, "examples", "detect")
        if not os.path.exists(example):
            self.skipTest("the examples are not built")
        done = subprocess.run([example, at("squares.vta-model"), path], stdout=subprocess.PIPE, text=True, check=True)
        lines = [line.split() for line in done.stdout.splitlines()]
        want = self.run_json(at("squares.vta-model"), path)[0]["boxes"]
        self.assertEqual([[f"{b['score']:.4f}", *(f"{b[k]:.1f}" for k in ("x0", "y0", "x1", "y1")), str(b["class"])] for b in want],
                         lines)

    def test_python_refuses(self):
        with self.assertRaisesRegex(ValueError, "score is a number from 0 to 1"):
            vta.detect(at("squares.onnx"), at("pictures", "a.png"), score=2)
        with self.assertRaisesRegex(vta.VTAError, "there is no decoder"):
            vta.detect(at("squares.onnx"), at("pictures", "a.png"), decoder="yolo")
        with self.assertRaisesRegex(ValueError, "fit is one of stretch, corner, center, not 'left'"):
            vta.detect(at("squares.onnx"), at("pictures", "a.png"), fit="left")

    def test_score_and_iou(self):
        """Every cell is a box; of boxes that touch, none is suppressed."""
        args = (at("squares.onnx"), at("pictures", "a.png"), "--float")
        self.assertEqual(len(self.run_json(*args, "--score", "0")[0]["boxes"]), ROWS * COLUMNS)
        self.assertEqual(len(self.run_json(*args, "--score", "0", "--iou", "0.01")[0]["boxes"]), ROWS * COLUMNS)
        self.assertEqual(len(self.run_json(*args, "--score", "1")[0]["boxes"]), 0)
        self.assertIn("expected a number from 0 to 1", vta_("detect", *args, "--score", "1.5", code=1))
        self.assertIn("expected a number from 0 to 1", vta_("detect", *args, "--iou", "x", code=1))

    def test_settings(self):
        """A file beside the model: its decoder, and what follows from that; options are stronger."""
        with open(at("squares.onnx"), "rb") as file, open(at("other.onnx"), "wb") as copy:
            copy.write(file.read())
        write("other.picture.json", {"decoder": "fastestdet", "score": 1, "labels": "names.txt"})
        self.assertEqual(self.run_json(at("other.onnx"), at("pictures", "a.png"), "--float")[0]["boxes"], [])
        self.check(self.run_json(at("other.onnx"), at("pictures", "a.png"), "--float", "--score", "0.65"), "a", 0.01)
        write("other.picture.json", {"decoder": "yolox"})
        self.assertIn("are not what the decoder yolox takes", vta_("detect", at("other.onnx"), at("pictures", "a.png"), code=1))
        write("other.picture.json", {"decoder": "yoloz"})
        self.assertIn("decoder", vta_("detect", at("other.onnx"), at("pictures", "a.png"), code=1))
        write("other.picture.json", {"fit": "left"})
        self.assertIn("fit", vta_("detect", at("other.onnx"), at("pictures", "a.png"), code=1))
        os.unlink(at("other.picture.json"))

    def test_letterbox(self):
        """Fitted with a border, a wide picture's boxes are where its squares are; and so in the middle."""
        pixels = np.zeros((96, 320, 3), np.uint8)
        pixels[32:64, 64:96, 0] = 255  # 16 pixels of the input, at 32, 16 (top left) or 32, 40 (middle: half a cell off)
        common.write_png(at("wide.png"), pixels)
        boxes = self.run_json(at("squares.onnx"), at("wide.png"), "--float", "--fit", "corner")[0]["boxes"]
        np.testing.assert_allclose(found(boxes), [[64, 32, 96, 64, 2]], atol=0.01)
        pixels[:, :] = 0
        pixels[16:48, 64:96, 0] = 255
        common.write_png(at("wide.png"), pixels)
        boxes = self.run_json(at("squares.onnx"), at("wide.png"), "--float", "--fit", "center")[0]["boxes"]
        np.testing.assert_allclose(found(boxes), [[64, 16, 96, 48, 2]], atol=0.01)

    def test_broken_pictures(self):
        os.mkdir(at("mixed"))
        write("mixed/bad.png", "no picture")
        common.write_png(at("mixed", "good.png"), picture(PICTURES["a"][2], 320, 192))
        done = subprocess.run([VTA, "detect", at("squares.vta-model"), at("mixed"), "--json"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("bad.png", done.stderr)
        answer = json.loads(done.stdout)
        self.assertEqual([os.path.basename(p["picture"]) for p in answer], ["good.png"])
        self.assertEqual(len(answer[0]["boxes"]), 3)

    def test_draw(self):
        """A frame around each box in the picture that is written; the rest is as it was."""
        vta_("detect", at("squares.vta-model"), at("pictures", "a.png"), "--draw", at("drawn.png"))
        before, after = vta.read_picture(at("pictures", "a.png")), vta.read_picture(at("drawn.png"))
        self.assertEqual(before.shape, after.shape)
        changed = (before != after).any(2)
        for box in self.run_json(at("squares.vta-model"), at("pictures", "a.png"))[0]["boxes"]:
            x0, y0, x1, y1 = (round(box[k]) for k in ("x0", "y0", "x1", "y1"))
            self.assertTrue(changed[(y0 + y1) // 2, x0] and changed[(y0 + y1) // 2, x1 - 1])
            self.assertTrue(changed[y1 - 1, (x0 + x1) // 2])
            self.assertFalse(changed[y0 + 12:y1 - 2, x0 + 2:x1 - 2].any())
        self.assertLess(changed.mean(), 0.1)
        vta_("detect", at("squares.vta-model"), at("pictures"), "--draw", at("many.jpg"))
        self.assertEqual(sorted(n for n in os.listdir(folder) if n.startswith("many")), [f"many-{n}.jpg" for n in "abcd"])
        self.assertIn("ends in .png or .jpg", vta_("detect", at("squares.vta-model"), at("pictures"), "--draw", "a.gif", code=1))
        self.assertIn("two of the images", vta_("detect", at("squares.vta-model"), at("pictures", "a.png"),
                                                at("pictures", "a.png"), "--draw", at("x.png"), code=1))

    def test_refusals(self):
        shapes = os.path.join(common.ROOT, "examples", "shapes", "shapes.onnx")
        self.assertIn("choose a decoder", vta_("detect", shapes, at("pictures", "a.png"), "--float", code=1))
        self.assertIn("did you mean yolox?", vta_("detect", shapes, at("pictures", "a.png"), "--decoder", "yolo-x", code=1))
        self.assertIn("expected MODEL and at least one image", vta_("detect", shapes, code=2))
        self.assertIn("an artifact holds the integers only",
                      vta_("detect", at("squares.vta-model"), at("pictures", "a.png"), "--float", code=2))
        self.assertIn("names of 1 classes, the network has 3", subprocess.run(
            [VTA, "detect", at("squares.vta-model"), at("pictures", "a.png"), "--labels", write("one.txt", "one")],
            stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, check=True).stderr)

    def test_networks_of_classes_stay_what_they_are(self):
        """vta compile takes no network of classes for a detector."""
        shapes = os.path.join(common.ROOT, "examples", "shapes")
        vta_("compile", os.path.join(shapes, "shapes.onnx"), "--calibrate", os.path.join(shapes, "pictures"), "-o", at("s.vta-model"))
        with open(at("s.vta-model"), "rb") as file:
            text = file.read()
        self.assertIn(b'"layout"' if b'"layout"' in text else b'"bgr"', text)
        self.assertNotIn(b'"decoder"', text)


class Evaluate(unittest.TestCase):
    def truth(self, categories, leave_out=(), crowd=()):
        """Annotations of all pictures; categories: (id, name) of each class."""
        images, annotations = [], []
        for i, name in enumerate(PICTURES):
            images.append({"id": 7 * (len(PICTURES) - i), "file_name": f"{name}.png"})
            for k, box in enumerate(expected(name)):
                if (name, k) in leave_out:
                    continue
                annotations.append({"id": len(annotations), "image_id": images[-1]["id"], "category_id": categories[box[4]][0],
                                    "bbox": [box[0], box[1], box[2] - box[0], box[3] - box[1]], "iscrowd": int((name, k) in crowd)})
        return {"images": images, "annotations": annotations, "categories": [{"id": n, "name": t} for n, t in categories]}

    def eval_json(self, truth, *args):
        return json.loads(vta_("eval", at("squares.onnx"), "--boxes", write("truth.json", truth), "--images", at("pictures"),
                               "--json", *args))

    NAMED = [(3, "blue"), (1, "Green"), (9, "red")]

    def test_precision(self):
        names = ("--labels", at("names.txt"), "--score", "0.5", "--float")
        answer = self.eval_json(self.truth(self.NAMED), *names)
        self.assertEqual((answer["count"], answer["boxes"]), (4, 9))
        self.assertEqual([c["category"] for c in answer["classes"]], ["Green", "blue", "red"])
        self.assertAlmostEqual(answer["float"]["mAP_0.5"], 1)
        self.assertAlmostEqual(answer["float"]["mAP_0.5:0.95"], 1)
        self.assertAlmostEqual(answer["mAP_0.5"], 1)
        # a box that is not in truth is wrong, unless it is a crowd
        less = self.eval_json(self.truth(self.NAMED, leave_out=[("d", 0)]), *names)["float"]["mAP_0.5"]
        self.assertLess(less, 1)
        crowd = self.eval_json(self.truth(self.NAMED, crowd=[("a", 0)]), *names)
        self.assertEqual((crowd["float"]["mAP_0.5"], crowd["boxes"]), (1, 8))

    def test_categories_by_order(self):
        """No name is known: as many categories as classes are these, in the order of their numbers."""
        truth = self.truth([(3, "first"), (5, "second"), (9, "third")])
        self.assertAlmostEqual(self.eval_json(truth, "--score", "0.5", "--float")["float"]["mAP_0.5"], 1)
        truth = self.truth([(9, "first"), (5, "second"), (3, "third")])
        self.assertLess(self.eval_json(truth, "--score", "0.5", "--float")["float"]["mAP_0.5"], 1)

    def test_categories_refused(self):
        truth = self.truth([(3, "first"), (5, "second"), (9, "third")])
        truth["categories"].append({"id": 10, "name": "fourth"})
        args = ("eval", at("squares.onnx"), "--boxes", write("truth.json", truth), "--images", at("pictures"))
        self.assertIn("none of its 4 categories is one of the network's 3 classes", vta_(*args, code=1))
        truth["categories"][0]["name"] = "blue"
        write("truth.json", truth)
        done = subprocess.run([VTA, *args, "--labels", at("names.txt")], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              text=True, check=True)
        self.assertIn("no class of the network is the category fourth", done.stderr)

    def test_wrong_annotations(self):
        good = self.truth(self.NAMED)
        for change, message in ((lambda t: t.pop("images"), "there is no list \"images\""),
                                (lambda t: t["images"].append({"id": 7, "file_name": "x"}), "two of \"images\" have the id 7"),
                                (lambda t: t["images"].append({"id": "7", "file_name": "x"}), "images[4]: \"id\" is not an integer"),
                                (lambda t: t["annotations"][2].update(image_id=5), "annotations[2]: \"image_id\""),
                                (lambda t: t["annotations"][2].update(category_id=5), "annotations[2]: \"category_id\""),
                                (lambda t: t["annotations"][2].update(bbox=[1, 2, 3]), "annotations[2]: \"bbox\""),
                                (lambda t: t["annotations"][2].update(bbox=[1, 2, -3, 4]), "annotations[2]: \"bbox\""),
                                (lambda t: t["annotations"][2].update(iscrowd="no"), "annotations[2]: \"iscrowd\""),
                                (lambda t: t["images"].clear() or t["annotations"].clear(), "there is no image in it")):
            truth = json.loads(json.dumps(good))
            change(truth)
            self.assertIn(message, vta_("eval", at("squares.vta-model"), "--boxes", write("bad.json", truth), code=1))
        self.assertIn("bad.json:1:", vta_("eval", at("squares.vta-model"), "--boxes", write("bad.json", "{"), code=1))

    def test_against_float(self):
        answer = json.loads(vta_("eval", at("squares.onnx"), at("pictures"), "--against-float", "--json"))
        self.assertEqual((answer["count"], answer["float_boxes"], answer["found"]["0.5"], answer["others"]["0.5"]), (4, 9, 9, 0))
        self.assertEqual(answer["found"]["0.9"] + answer["others"]["0.9"], answer["boxes"])
        for one in answer["pictures"]:
            self.assertEqual(one["others"], [])
            self.assertTrue(all(box["found_0.5"] for box in one["boxes"]))
        self.assertIn("IoU 0.9  found", vta_("eval", at("squares.onnx"), at("pictures"), "--against-float"))

    def test_misuse(self):
        self.assertIn("give one", vta_("eval", at("squares.onnx"), "x.png", "--against-float", "--boxes", "x.json", code=2))
        self.assertIn("at least one image", vta_("eval", at("squares.onnx"), "--against-float", code=2))
        self.assertIn("--against-float is for ONNX", vta_("eval", at("squares.vta-model"), "x.png", "--against-float", code=2))
        self.assertIn("--decoder, --score and --iou are for", vta_("eval", at("squares.onnx"), "--score", "0.4", code=2))


if __name__ == "__main__":
    unittest.main()

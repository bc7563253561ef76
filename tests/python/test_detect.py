"""Decoders of detectors against their published definitions, written here with numpy; suppression against all pairs; mean
average precision against COCO's rules, written once more: on random outputs and random boxes."""

import ctypes
import math
import unittest

import numpy as np

import common  # noqa: F401  pylint: disable=unused-import
import vta
from vta import _bindings as b
from vta._lib import DIAG, call, lib


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def iou(p, q):
    """Of two boxes x0, y0, x1, y1, or of rows of such."""
    p, q = np.asarray(p, np.float64).T, np.asarray(q, np.float64).T
    w, h = np.minimum(p[2], q[2]) - np.maximum(p[0], q[0]), np.minimum(p[3], q[3]) - np.maximum(p[1], q[1])
    both = np.maximum(w, 0) * np.maximum(h, 0)
    return both / ((p[2] - p[0]) * (p[3] - p[1]) + (q[2] - q[0]) * (q[3] - q[1]) - both)


def suppress(boxes, scores, classes, least, most_iou):
    """What stays, by looking at all pairs: a box stays when no better one of its class that stays is too near."""
    boxes, classes = np.asarray(boxes, np.float64).reshape(-1, 4), np.asarray(classes)
    order = [i for i in sorted(range(len(scores)), key=lambda i: -scores[i]) if scores[i] >= least]
    kept = []
    for i in order:
        if not ((classes[np.array(kept, int)] == classes[i]) & (iou(boxes[np.array(kept, int)], boxes[i]) > most_iou)).any():
            kept.append(i)
    return kept


class Detector:
    """A vta_detector on arrays; the picture is the input itself, but for a frame that cuts nothing off."""

    handle = None

    def __init__(self, outputs, height, width, decoder=None, score=0.0, iou_=0.0, names=None, class_count=0, max_boxes=0):
        self.height, self.width = height, width
        which = ctypes.c_int(b.VTA_DECODER_GUESS)
        if decoder:
            call(lib.vta_decoder_find, decoder.encode(), DIAG, ctypes.byref(which))
        options = b.vta_detector_options(size=ctypes.sizeof(b.vta_detector_options), decoder=which.value, score=score, iou=iou_,
                                         class_count=class_count, max_boxes=max_boxes)
        self.outputs = [np.ascontiguousarray(o) for o in outputs]
        shapes = [(ctypes.c_int64 * o.ndim)(*o.shape) for o in self.outputs]
        tensors = (b.vta_detect_tensor * len(outputs))()
        for i, (t, o, s) in enumerate(zip(tensors, self.outputs, shapes)):
            t.name = (names[i] if names else f"output{i}").encode()
            t.ndim, t.shape = o.ndim, ctypes.cast(s, ctypes.c_void_p)
            t.type.code, t.type.bits, t.type.lanes = (2 if o.dtype.kind == "f" else 0), o.dtype.itemsize * 8, 1
        handle = ctypes.c_void_p()
        call(lib.vta_detector_create, ctypes.byref(options), height, width, tensors, len(outputs), None, DIAG,
             ctypes.byref(handle))
        self.handle = handle

    def name(self):
        return lib.vta_decoder_name(lib.vta_detector_decoder(self.handle)).decode()

    def classes(self):
        return lib.vta_detector_class_count(self.handle)

    def run(self, margin=1000.0):
        """(x0, y0, x1, y1, score, class) of each box, in pixels of the input: the picture is wider by a margin on each side."""
        placed = b.vta_placement(size=ctypes.sizeof(b.vta_placement), width=int(self.width + 2 * margin),
                                 height=int(self.height + 2 * margin), scale_x=1, scale_y=1, left=-margin, top=-margin)
        data = (ctypes.c_void_p * len(self.outputs))(*[o.ctypes.data for o in self.outputs])
        found = ctypes.c_void_p()
        call(lib.vta_detector_run, self.handle, data, ctypes.byref(placed), DIAG, ctypes.byref(found))
        boxes = []
        for i in range(lib.vta_boxes_count(found)):
            box = b.vta_box.from_address(lib.vta_boxes_get(found, i))
            boxes.append((box.x0 - margin, box.y0 - margin, box.x1 - margin, box.y1 - margin, box.score, box.class_id))
        lib.vta_boxes_destroy(found)
        return boxes

    def __del__(self):
        lib.vta_detector_destroy(self.handle)


def cells(height, width, strides):
    """x, y and stride of each cell, one stride after the other."""
    rows = [(x, y, s) for s in strides for y in range(math.ceil(height / s)) for x in range(math.ceil(width / s))]
    return np.array(rows, np.float64).T


def from_centre(x, y, w, h):
    return np.stack([x - w / 2, y - h / 2, x + w / 2, y + h / 2], -1)


class Decoders(unittest.TestCase):
    """Each on random outputs: the boxes are those of the definition, after suppression."""

    def check(self, decoder, outputs, size, boxes, scores, classes, score, iou_, guess=True, **options):
        """`boxes`, `scores`, `classes`: all candidates by the definition."""
        boxes, scores, classes = np.asarray(boxes, np.float64), np.asarray(scores), np.asarray(classes)
        outputs = [o if o.dtype.kind == "i" else o.astype(np.float32) for o in outputs]
        if guess:
            self.assertEqual(Detector(outputs, *size, **options).name(), decoder)
        detector = Detector(outputs, *size, decoder=decoder, score=score, iou_=iou_, max_boxes=100000, **options)
        got = detector.run()
        kept = suppress(boxes, scores, classes, score, iou_)
        self.assertEqual(len(got), len(kept), decoder)
        self.assertGreater(len(kept), 5)
        for g, k in zip(got, kept):
            np.testing.assert_allclose(g[:4], boxes[k], rtol=1e-4, atol=2e-3)
            self.assertAlmostEqual(g[4], scores[k], places=5)
            self.assertEqual(g[5], classes[k])
        return detector

    def test_yolox(self):
        random = np.random.default_rng(1)
        for size, classes in (((160, 224), 80), ((64, 96), 3), ((160, 128), 1)):
            x, y, s = cells(*size, (8, 16, 32))
            out = random.normal(0, 1, (1, len(x), 5 + classes))
            out[..., 4:] = sigmoid(out[..., 4:] * 2)
            o = out.astype(np.float32)[0].astype(np.float64)
            boxes = from_centre((o[:, 0] + x) * s, (o[:, 1] + y) * s, np.exp(o[:, 2]) * s, np.exp(o[:, 3]) * s)
            each = o[:, 4:5] * o[:, 5:]
            d = self.check("yolox", [out], size, boxes, each.max(1), each.argmax(1), 0.5, 0.45)
            self.assertEqual(d.classes(), classes)

    def test_yolov5(self):
        random = np.random.default_rng(2)
        for size, classes in (((160, 160), 80), ((64, 96), 4)):
            n = 3 * cells(*size, (8, 16, 32)).shape[1]
            out = random.uniform(1, 60, (1, n, 5 + classes))
            out[..., :2] += random.uniform(0, 200, (1, n, 2))
            out[..., 4:] = sigmoid(random.normal(0, 2, (1, n, 1 + classes)))
            o = out.astype(np.float32)[0].astype(np.float64)
            each = o[:, 4:5] * o[:, 5:]
            self.check("yolov5", [out], size, from_centre(*o[:, :4].T), each.max(1), each.argmax(1), 0.6, 0.3)

    def test_yolov5_maps(self):
        """The maps before the decoding: sigmoids, twice the offset less a half, the square of twice the size."""
        random, size, classes = np.random.default_rng(3), (96, 64), 5
        anchors = {8: [(10, 13), (16, 30), (33, 23)], 16: [(30, 61), (62, 45), (59, 119)],
                   32: [(116, 90), (156, 198), (373, 326)]}
        for last in (True, False):
            maps, boxes, scores, found = [], [], [], []
            for s, sizes in anchors.items():
                h, w = size[0] // s, size[1] // s
                m = random.normal(0, 1.5, (1, 3, h, w, 5 + classes)).astype(np.float32)
                maps.append(m if last else m.transpose(0, 1, 4, 2, 3).reshape(1, 3 * (5 + classes), h, w))
                v = sigmoid(m[0].astype(np.float64))
                for a, (aw, ah) in enumerate(sizes):
                    for y in range(h):
                        for x in range(w):
                            t = v[a, y, x]
                            boxes.append(from_centre((2 * t[0] - 0.5 + x) * s, (2 * t[1] - 0.5 + y) * s, (2 * t[2]) ** 2 * aw,
                                                     (2 * t[3]) ** 2 * ah))
                            scores.append(t[4] * t[5:].max())
                            found.append(t[5:].argmax())
            for order in ([0, 1, 2], [2, 0, 1]):
                self.check("yolov5", [maps[i] for i in order], size, boxes, scores, found, 0.3, 0.45, guess=last)

    def test_yolov8(self):
        random = np.random.default_rng(4)
        for size, classes, rows in (((320, 320), 80, False), ((64, 96), 7, False), ((64, 96), 80, True)):
            n = cells(*size, (8, 16, 32)).shape[1]
            out = random.uniform(5, 80, (1, 4 + classes, n))
            out[:, :2] += random.uniform(0, 200, (1, 2, n))
            out[:, 4:] = sigmoid(random.normal(-1, 1, (1, classes, n)))
            o = out.astype(np.float32)[0].T.astype(np.float64)
            given = out.transpose(0, 2, 1) if rows else out
            self.check("yolov8", [given], size, from_centre(*o[:, :4].T), o[:, 4:].max(1), o[:, 4:].argmax(1), 0.4, 0.5)

    def test_yolov8_maps(self):
        random, size, classes = np.random.default_rng(5), (96, 64), 3
        maps = [random.normal(0, 2, (1, 64 + classes, size[0] // s, size[1] // s)).astype(np.float32) for s in (8, 16, 32)]
        flat = np.concatenate([m[0].reshape(64 + classes, -1).T for m in maps]).astype(np.float64)
        x, y, s = cells(*size, (8, 16, 32))
        side = (softmax(flat[:, :64].reshape(-1, 4, 16)) * np.arange(16)).sum(-1)
        boxes = np.stack([(x + 0.5 - side[:, 0]) * s, (y + 0.5 - side[:, 1]) * s, (x + 0.5 + side[:, 2]) * s,
                          (y + 0.5 + side[:, 3]) * s], -1)
        scores = sigmoid(flat[:, 64:])
        self.check("yolov8", maps[::-1], size, boxes, scores.max(1), scores.argmax(1), 0.5, 0.5)

    def test_nanodet(self):
        """NanoDet-Plus has four strides and measures from the corners of cells, the first NanoDet from their middle."""
        random = np.random.default_rng(6)
        for size, strides, middle, classes, bins in (((160, 160), (8, 16, 32, 64), 0, 80, 8), ((320, 320), (8, 16, 32), 0.5, 80, 8),
                                                     ((96, 160), (8, 16, 32, 64), 0, 5, 6)):
            x, y, s = cells(*size, strides)
            out = random.normal(0, 1.5, (1, len(x), classes + 4 * bins))
            out[..., :classes] = sigmoid(out[..., :classes] - 1)
            o = out.astype(np.float32)[0].astype(np.float64)
            side = (softmax(o[:, classes:].reshape(-1, 4, bins)) * np.arange(bins)).sum(-1) * s[:, None]
            cx, cy = (x + middle) * s, (y + middle) * s
            boxes = np.stack([cx - side[:, 0], cy - side[:, 1], cx + side[:, 2], cy + side[:, 3]], -1)
            # without the number of names, only 80 classes are told from a YOLOX of more
            self.check("nanodet", [out], size, boxes, o[:, :classes].max(1), o[:, :classes].argmax(1), 0.6, 0.6,
                       class_count=0 if classes == 80 else classes, guess=classes == 80)

    def test_fastestdet(self):
        random = np.random.default_rng(7)
        for size, classes in (((352, 352), 80), ((96, 160), 2)):
            h, w = size[0] // 16, size[1] // 16
            out = random.normal(0, 1, (1, 5 + classes, h, w))
            out[:, 0] = sigmoid(out[:, 0] * 2)
            out[:, 5:] = softmax(out[:, 5:].transpose(0, 2, 3, 1) * 4).transpose(0, 3, 1, 2)
            o = out.astype(np.float32)[0].astype(np.float64)
            boxes, scores, found = [], [], []
            for y in range(h):
                for x in range(w):
                    v = o[:, y, x]
                    boxes.append(from_centre((np.tanh(v[1]) + x) / w * size[1], (np.tanh(v[2]) + y) / h * size[0],
                                             sigmoid(v[3]) * size[1], sigmoid(v[4]) * size[0]))
                    scores.append(v[0] ** 0.6 * v[5:].max() ** 0.4)
                    found.append(v[5:].argmax())
            self.check("fastestdet", [out], size, boxes, scores, found, 0.3, 0.45)

    @staticmethod
    def face_priors(height, width):
        """As Ultra-Light-Fast-Generic-Face-Detector-1MB generates them."""
        priors = []
        for s, sizes in zip((8, 16, 32, 64), ((10, 16, 24), (32, 48), (64, 96), (128, 192, 256))):
            for j in range(math.ceil(height / s)):
                for i in range(math.ceil(width / s)):
                    for side in sizes:
                        priors.append([(i + 0.5) / (width / s), (j + 0.5) / (height / s), side / width, side / height])
        return np.clip(np.array(priors), 0, 1)

    @staticmethod
    def ssd_priors(specs):
        """As pytorch-ssd's generate_ssd_priors for 300 pixels."""
        priors = []
        for count, shrink, least, most, ratios in specs:
            for j in range(count):
                for i in range(count):
                    x, y = (i + 0.5) / (300 / shrink), (j + 0.5) / (300 / shrink)
                    priors.append([x, y, least / 300, least / 300])
                    side = math.sqrt(least * most) / 300
                    priors.append([x, y, side, side])
                    for ratio in map(math.sqrt, ratios):
                        priors.append([x, y, least / 300 * ratio, least / 300 / ratio])
                        priors.append([x, y, least / 300 / ratio, least / 300 * ratio])
        return np.clip(np.array(priors), 0, 1)

    SSD300 = [(38, 8, 30, 60, [2]), (19, 16, 60, 111, [2, 3]), (10, 32, 111, 162, [2, 3]), (5, 64, 162, 213, [2, 3]),
              (3, 100, 213, 264, [2]), (1, 300, 264, 315, [2])]
    MOBILE = [(19, 16, 60, 105, [2, 3]), (10, 32, 105, 150, [2, 3]), (5, 64, 150, 195, [2, 3]), (3, 100, 195, 240, [2, 3]),
              (2, 150, 240, 285, [2, 3]), (1, 300, 285, 330, [2, 3])]

    def test_ssd(self):
        random = np.random.default_rng(8)
        for size, priors, classes, logits in (((240, 320), self.face_priors(240, 320), 1, False),
                                              ((120, 160), self.face_priors(120, 160), 1, True),
                                              ((300, 300), self.ssd_priors(self.SSD300), 20, True),
                                              ((300, 300), self.ssd_priors(self.MOBILE), 20, False)):
            n = len(priors)
            raw = random.normal(0, 3, (1, n, 1 + classes)).astype(np.float32)
            share = softmax(raw.astype(np.float64))
            given = raw if logits else share.astype(np.float32)
            share = share if logits else given.astype(np.float64)
            offsets = random.normal(0, 1.5, (1, n, 4)).astype(np.float32)
            o = offsets[0].astype(np.float64)
            centre, side = priors[:, :2] + 0.1 * o[:, :2] * priors[:, 2:], np.exp(0.2 * o[:, 2:]) * priors[:, 2:]
            scale = np.array([size[1], size[0]])
            boxes = from_centre(*(centre * scale).T, *(side * scale).T)
            best = share[0, :, 1:]
            # the decoded boxes as the network may give them: corners, as shares of the input
            corners = (boxes / np.concatenate([scale, scale]))[None].astype(np.float32)
            for outputs in ([given, offsets], [offsets, given], [given, corners]):
                self.check("ssd", outputs, size, boxes, best.max(1), best.argmax(1), 0.9, 0.3)

    def test_boxes_in_rows(self):
        random = np.random.default_rng(9)
        corners = random.uniform(0, 200, (100, 2))
        rows = np.concatenate([corners, corners + random.uniform(5, 100, (100, 2)), random.uniform(0, 1, (100, 1)),
                               random.integers(0, 9, (100, 1))], 1).astype(np.float32)
        o = rows.astype(np.float64)
        self.check("boxes", [rows[None]], (300, 300), o[:, :4], o[:, 4], o[:, 5], 0.5, 1)
        self.check("boxes", [rows], (300, 300), o[:, :4], o[:, 4], o[:, 5], 0.2, 0.5)
        whole = np.concatenate([np.zeros((100, 1)), rows[:, :4], rows[:, 5:], rows[:, 4:5]], 1).astype(np.float32)
        self.check("boxes", [whole], (300, 300), o[:, :4], o[:, 4], o[:, 5], 0.5, 1, guess=False)
        shares = rows.copy()
        shares[:, :4] /= 300
        self.check("boxes", [shares], (300, 300), o[:, :4], o[:, 4], o[:, 5], 0.5, 1)

    def test_boxes_by_name(self):
        random = np.random.default_rng(10)
        corners = random.uniform(0, 200, (50, 2))
        boxes = np.concatenate([corners, corners + random.uniform(5, 100, (50, 2))], 1).astype(np.float32)
        scores, found = random.uniform(0, 1, 50).astype(np.float32), random.integers(0, 9, 50)
        o = boxes.astype(np.float64)
        forms = [([boxes, found, scores], ["boxes", "labels", "scores"], 50),
                 ([boxes[None], scores[None], found[None].astype(np.int32)], ["det_boxes", "det_scores", "det_classes"], 50),
                 ([np.array([[30]], np.int32), boxes[None], scores[None], found[None].astype(np.float32)],
                  ["num_dets", "boxes", "scores", "labels"], 30)]
        for outputs, names, count in forms:
            self.check("boxes", outputs, (300, 300), o[:count], scores[:count], found[:count], 0.3, 1, names=names)
        tflite = [(boxes[:, [1, 0, 3, 2]] / 300)[None], found[None].astype(np.float32), scores[None], np.array([40], np.float32)]
        names = [f"TFLite_Detection_PostProcess{e}" for e in ("", ":1", ":2", ":3")]
        self.check("boxes", tflite, (300, 300), o[:40], scores[:40], found[:40], 0.3, 1, names=names)

    def test_names_decide(self):
        """107 classes of a YOLOX, or 80 of a NanoDet: 80 are more likely, but names say."""
        out = [np.zeros((1, 2125, 112), np.float32)]
        self.assertEqual(Detector(out, 320, 320).name(), "nanodet")
        self.assertEqual(Detector(out, 320, 320, class_count=107).name(), "yolox")
        self.assertEqual(Detector(out, 320, 320, class_count=107).classes(), 107)

    def test_refusals(self):
        for outputs, decoder in (([np.zeros((1, 1000), np.float32)], None), ([np.zeros((1, 3549, 85), np.float32)], "fastestdet"),
                                 ([np.zeros((1, 3548, 85), np.float32)], "yolox"), ([np.zeros((2, 3549, 85), np.float32)], None),
                                 ([np.zeros((1, 3549, 85), np.int32)], None), ([np.zeros((1, 21, 416, 416), np.float32)], None)):
            with self.assertRaises(vta.VTAUnsupportedError) as raised:
                Detector(outputs, 416, 416, decoder=decoder)
            self.assertIn("416 x 416", str(raised.exception))
            self.assertIn("takes (" if decoder else "choose a decoder", str(raised.exception))
        with self.assertRaisesRegex(vta.VTAError, "did you mean yolox"):
            Detector([np.zeros((1, 3549, 85), np.float32)], 416, 416, decoder="yolo-x")

    def test_hostile_numbers(self):
        """What is not finite makes no box, and harms no other one."""
        random = np.random.default_rng(11)
        values = np.array([np.nan, np.inf, -np.inf, 3e38, -3e38, 0, 1, 0.5, 5], np.float32)
        shapes = {"yolox": [(1, 84, 9)], "yolov5": [(1, 252, 9)], "yolov8": [(1, 9, 84)], "nanodet": [(1, 84, 40)],
                  "fastestdet": [(1, 9, 4, 4)], "ssd": [(1, 4420, 2), (1, 4420, 4)], "boxes": [(1, 50, 6)]}
        for decoder, each in shapes.items():
            size = (240, 320) if decoder == "ssd" else (64, 64)
            for _ in range(20):
                outputs = [random.choice(values, s) for s in each]
                for box in Detector(outputs, *size, decoder=decoder, score=0.1, iou_=0.5).run():
                    self.assertTrue(np.isfinite(box).all())
                    self.assertTrue(box[2] > box[0] and box[3] > box[1] and 0 < box[4] <= 1, box)


class Placement(unittest.TestCase):
    def test_boxes_in_the_picture(self):
        """Back through the letterbox, and no further than the borders."""
        rows = np.array([[[10, 20, 60, 90, 0.9, 1], [-50, -50, 500, 500, 0.8, 2], [0, 0, 5, 30, 0.7, 3]]], np.float32)
        detector = Detector([rows], 100, 100, decoder="boxes")
        placed = b.vta_placement(size=ctypes.sizeof(b.vta_placement), width=40, height=200, scale_x=0.5, scale_y=0.25, left=8, top=4)
        found = ctypes.c_void_p()
        call(lib.vta_detector_run, detector.handle, (ctypes.c_void_p * 1)(detector.outputs[0].ctypes.data), ctypes.byref(placed),
             DIAG, ctypes.byref(found))
        got = [b.vta_box.from_address(lib.vta_boxes_get(found, i)) for i in range(lib.vta_boxes_count(found))]
        self.assertEqual([(g.x0, g.y0, g.x1, g.y1, g.class_id) for g in got], [(4, 64, 40, 200, 1), (0, 0, 40, 200, 2)])
        lib.vta_boxes_destroy(found)


def random_boxes(random, count, classes):
    """Few places and sizes, so that many overlap; scores with ties."""
    corners = random.integers(0, 30, (count, 2)).astype(float)
    boxes = np.concatenate([corners, corners + random.integers(1, 20, (count, 2))], 1)
    return boxes, random.integers(0, 20, count) / 20, random.integers(0, classes, count)


class Suppression(unittest.TestCase):
    def test_against_all_pairs(self):
        random = np.random.default_rng(12)
        for _ in range(200):
            count = int(random.integers(0, 60))
            boxes, scores, classes = random_boxes(random, count, 3)
            most, limit = float(random.choice([0, 0.1, 0.3, 0.5, 0.9, 1])), int(random.integers(0, 20))
            items = (b.vta_box * max(1, count))()
            for item, box, s, c in zip(items, boxes, scores, classes):
                item.x0, item.y0, item.x1, item.y1 = box
                item.score, item.class_id = s, int(c)
            out = ctypes.c_size_t()
            call(lib.vta_boxes_suppress, items, count, ctypes.c_double(most), limit, None, DIAG, ctypes.byref(out))
            want = suppress(boxes, scores, classes, 0, most)
            want = want[:limit] if limit else want
            got = [(i.x0, i.y0, i.x1, i.y1, i.class_id) for i in items[:out.value]]
            self.assertEqual(got, [(*boxes[k], classes[k]) for k in want])


def average_precision(truth, found, classes, threshold):
    """Of each class by COCO's rules. truth: (picture, class, box, crowd); found: (picture, class, box, score)."""
    def shares(box, t):
        if not t[3]:
            return iou(box, t[2])
        w, h = min(box[2], t[2][2]) - max(box[0], t[2][0]), min(box[3], t[2][3]) - max(box[1], t[2][1])
        return max(w, 0) * max(h, 0) / ((box[2] - box[0]) * (box[3] - box[1]))

    results = []
    for c in range(classes):
        verdicts = []
        things = sum(t[1] == c and not t[3] for t in truth)
        for picture in sorted({t[0] for t in truth} | {f[0] for f in found}):
            here = [t for t in truth if t[0] == picture and t[1] == c]
            best = sorted((f for f in found if f[0] == picture and f[1] == c), key=lambda f: -f[3])[:100]
            used = set()
            for f in best:
                # the best thing that is free; else a crowd
                free = [(shares(f[2], t), i) for i, t in enumerate(here) if not t[3] and i not in used]
                free = [v for v in free if v[0] >= threshold]
                if free:
                    used.add(max(free)[1])
                    verdicts.append((f[3], True))
                elif not any(t[3] and shares(f[2], t) >= threshold for t in here):
                    verdicts.append((f[3], False))
        if not things:
            results.append(-1)
            continue
        verdicts.sort(key=lambda v: -v[0])
        right = np.cumsum([v[1] for v in verdicts])
        recall, precision = right / things, right / np.arange(1, len(verdicts) + 1)
        points = [max((p for r, p in zip(recall, precision) if r >= k / 100), default=0) for k in range(101)]
        results.append(float(np.mean(points)))
    return results


def evaluate(truth, found, classes):
    """The library's numbers: those of each class, and their means."""
    def marked(rows, is_truth):
        items = (b.vta_marked_box * max(1, len(rows)))()
        for item, row in zip(items, rows):
            item.picture, item.box.class_id = row[0], row[1]
            item.box.x0, item.box.y0, item.box.x1, item.box.y1 = row[2]
            item.box.score, item.crowd = (1, row[3]) if is_truth else (row[3], False)
        return items

    by_class = (ctypes.c_double * (2 * classes))()
    out = b.vta_average_precision(size=ctypes.sizeof(b.vta_average_precision))
    call(lib.vta_boxes_evaluate, marked(truth, True), len(truth), marked(found, False), len(found), classes, None, DIAG, by_class,
         ctypes.byref(out))
    return list(by_class), out


class AveragePrecision(unittest.TestCase):
    def test_random_boxes(self):
        random = np.random.default_rng(13)
        crowds = 0
        for _ in range(40):
            classes, pictures = int(random.integers(1, 4)), int(random.integers(1, 6))
            boxes, _, which = random_boxes(random, int(random.integers(0, 40)), classes)
            truth = [(int(random.integers(0, pictures)), int(c), tuple(box), bool(random.integers(0, 8) == 0))
                     for box, c in zip(boxes, which)]
            found = []
            for t in truth:  # some are found, moved a little
                if random.integers(0, 3):
                    box = np.array(t[2]) + random.integers(-2, 3, 4) * [1, 1, 0, 0]
                    found.append((t[0], t[1], tuple(box), float(random.uniform())))
            boxes, _, which = random_boxes(random, int(random.integers(0, 20)), classes)
            found += [(int(random.integers(0, pictures)), int(c), tuple(box), float(random.uniform()))
                      for box, c in zip(boxes, which)]
            found = [f for f in found if f[2][2] > f[2][0] and f[2][3] > f[2][1]]
            found = [(p, c, box, float(np.float32(s))) for p, c, box, s in found]
            crowds += sum(t[3] for t in truth)
            got, sums = evaluate(truth, found, classes)
            each = np.array([average_precision(truth, found, classes, 0.5 + 0.05 * k) for k in range(10)])
            np.testing.assert_allclose(got[::2], each[0], atol=1e-9)
            np.testing.assert_allclose(got[1::2], each.mean(0), atol=1e-9)
            there = each[0] >= 0
            self.assertAlmostEqual(sums.at_50, each[0][there].mean() if there.any() else -1)
            self.assertAlmostEqual(sums.at_50_95, each.mean(0)[there].mean() if there.any() else -1)
            self.assertEqual((sums.classes, sums.true_boxes), (there.sum(), sum(not t[3] for t in truth)))
        self.assertGreater(crowds, 30)

    def test_at_most_100(self):
        """The 101st box of a picture is not looked at, were it right or not."""
        truth = [(0, 0, (0, 0, 10, 10), False)]
        wrong = [(0, 0, (20, 20, 30, 30), 0.9 - i / 1000) for i in range(100)]
        right = (0, 0, (0, 0, 10, 10), 0.1)
        self.assertAlmostEqual(evaluate(truth, wrong[:99] + [right], 1)[1].at_50, 0.01)
        self.assertEqual(evaluate(truth, wrong + [right], 1)[1].at_50, 0)

    def test_refusals(self):
        with self.assertRaisesRegex(vta.VTAError, "box 0 is of class 3, of 2 classes"):
            evaluate([(0, 3, (0, 0, 1, 1), False)], [], 2)
        with self.assertRaisesRegex(vta.VTAError, "found: box 0 has a number that is not finite"):
            evaluate([], [(0, 0, (0, 0, float("nan"), 1), 0.5)], 2)


if __name__ == "__main__":
    unittest.main()

"""Networks that find rows: NonMaxSuppression, NonZero and Compress of computed values, and what is computed of their
results. What is right is said by NumPy, whose arrays have as many rows as were found."""

import os
import subprocess
import tempfile
import unittest

import numpy as np

import common
import vta

try:
    from onnx import helper, numpy_helper
except ImportError:
    helper = None

FLOAT, INT64, BOOL = 1, 7, 9


def suppress(boxes, scores, k, iou, least=None, centered=False):
    """By the definition: a box is kept unless one that is kept, of its class, overlaps it by more."""
    if centered:
        boxes = np.concatenate([boxes[..., :2] - boxes[..., 2:] / 2, boxes[..., :2] + boxes[..., 2:] / 2], -1)
    low, high = np.minimum(boxes[..., :2], boxes[..., 2:]), np.maximum(boxes[..., :2], boxes[..., 2:])
    area = np.prod(high - low, -1)
    rows = []
    for image in range(scores.shape[0]):
        for of in range(scores.shape[1]):
            kept = []
            for i in np.argsort(-scores[image, of], kind="stable"):
                if least is not None and not scores[image, of, i] > least:
                    continue
                side = np.minimum(high[image, i], high[image, kept]) - np.maximum(low[image, i], low[image, kept])
                both = np.prod(np.maximum(side, 0), -1)
                union = area[image, i] + area[image, kept] - both
                if len(kept) < k and not (both / np.where(union > 0, union, 1) > np.float32(iou)).any():
                    kept.append(i)
            rows += [(image, of, i) for i in kept]
    return np.array(rows, "int64").reshape(-1, 3)


def boxes_and_scores(random, images=1, boxes=24, classes=2):
    corners = random.uniform(0, 8, (images, boxes, 2))
    x = np.concatenate([corners, corners + random.uniform(0.5, 5, (images, boxes, 2))], -1).astype("float32")
    return x, random.uniform(0, 1, (images, classes, boxes)).astype("float32")


class Net:
    """A model in the making."""

    def __init__(self, **inputs):
        self.inputs, self.nodes, self.constants = inputs, [], []

    def const(self, array):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def __call__(self, op, *inputs, outputs=1, **attributes):
        names = [f"v{len(self.nodes)}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(op, [i if isinstance(i, str) else self.const(i) for i in inputs], names, **attributes))
        return names[0] if outputs == 1 else names

    def nms(self, boxes="b", scores="s", k=40, iou=0.4, least=0.3):
        return self("NonMaxSuppression", boxes, scores, np.array([k], "int64"), np.float32([iou]), np.float32([least]))

    def column(self, rows, i):
        return self("Squeeze", self("Slice", rows, np.int64([i]), np.int64([i + 1]), np.int64([1])), np.int64([1]))

    def model(self, *outputs):
        kinds = {"float32": FLOAT, "int64": INT64, "bool": BOOL}
        given = [helper.make_tensor_value_info(n, kinds[a.dtype.name], a.shape) for n, a in self.inputs.items()]
        made = helper.make_graph(self.nodes, "rows", given, [helper.make_tensor_value_info(o, FLOAT, None) for o in outputs],
                                 self.constants)
        made = helper.make_model(made, opset_imports=[helper.make_opsetid("", 13)])
        made.ir_version = 8
        return made


@unittest.skipUnless(helper, "no python3-onnx here: scripts/install_oracle")
class Rows(unittest.TestCase):
    def check(self, net, outputs, want):
        """Of the evaluator to the bit, of compiled code as far as integers of 8 bits go; shapes and integers of both."""
        made, want = net.model(*outputs), [np.asarray(w) for w in want]
        compiled = vta.compile(made, samples=[net.inputs])
        for run in vta.Graph(made), compiled:
            got = run(**net.inputs)
            got = got if isinstance(got, tuple) else (got,)
            self.assertEqual(len(got), len(want))
            for g, w in zip(got, want):
                self.assertEqual(g.shape, w.shape, run)
                if w.dtype.kind == "f":
                    np.testing.assert_allclose(g, w, atol=1e-5 if run is not compiled else 0.02 * np.abs(w).max(initial=1))
                else:
                    np.testing.assert_array_equal(g, w)
        return compiled

    def test_suppression(self):
        random = np.random.default_rng(7)
        for _ in range(40):
            images, boxes, classes = (int(random.integers(1, n)) for n in (3, 30, 4))
            x, s = boxes_and_scores(random, images, boxes, classes)
            s = np.round(s, int(random.integers(1, 4)))
            x = np.round(x) if random.integers(2) else x  # so that overlaps are just the limit
            k, iou, least, centered = (random.choice(a) for a in ([1, 2, 2**40], [0, 0.3, 0.5, 1], [0.2, 0.5], [0, 1]))
            net = Net(b=x, s=s)
            y = net("NonMaxSuppression", "b", "s", np.array([k]), np.float32([iou]), np.float32([least]),
                    center_point_box=int(centered))
            self.check(net, [y], [suppress(x, s, k, iou, np.float32(least), centered)])

    def test_none_and_all(self):
        x, s = boxes_and_scores(np.random.default_rng(1))
        for k, least in (10, 2.0), (10, None):
            net = Net(b=x, s=s)
            y = net("NonMaxSuppression", "b", "s", np.array([k]), np.float32([0.5]),
                    *([] if least is None else [np.float32([least])]))
            self.check(net, [y], [suppress(x, s, k, 0.5, least)])
        for k, scores in (0, s), (10, s * np.float32(np.nan)):
            net = Net(b=x, s=scores)
            self.assertEqual(vta.Graph(net.model(net.nms(k=k)))(**net.inputs).shape, (0, 3))

    def test_detector(self):
        """Rows of picture, corners, class and score, as exporters of detectors write them."""
        for seed in range(8):
            x, s = boxes_and_scores(np.random.default_rng(seed), 1 + seed % 2, 24, 3)
            net = Net(b=x, s=s)
            rows = net.nms()
            picture, of, place = (net.column(rows, i) for i in range(3))
            pair = net("Concat", net("Unsqueeze", picture, np.int64([1])), net("Unsqueeze", place, np.int64([1])), axis=1)
            triple = net("Concat", net("Unsqueeze", picture, np.int64([1])), net("Unsqueeze", of, np.int64([1])),
                         net("Unsqueeze", place, np.int64([1])), axis=1)
            best = net("Unsqueeze", net("GatherND", "s", triple), np.int64([-1]))
            floats = [net("Cast", net("Unsqueeze", v, np.int64([1])), to=FLOAT) for v in (picture, of)]
            zeros = net("ConstantOfShape", net("Shape", best))
            y = net("Concat", floats[0], net("GatherND", "b", pair), floats[1], net("Add", best, zeros), axis=1)
            r = suppress(x, s, 40, 0.4, np.float32(0.3))
            want = np.concatenate([r[:, :1], x[r[:, 0], r[:, 2]], r[:, 1:2], s[r[:, 0], r[:, 1], r[:, 2]][:, None]], 1)
            self.check(net, [y, rows], [want.astype("float32"), r])

    def test_row_by_row(self):
        """Each operator that keeps rows apart."""
        x, s = boxes_and_scores(np.random.default_rng(3))
        r = suppress(x, s, 40, 0.4, np.float32(0.3))
        f = x[0][r[:, 2]]
        w = np.random.default_rng(4).uniform(-1, 1, (4, 5)).astype("float32")

        def softmax(a):
            e = np.exp(a - a.max(1, keepdims=True))
            return e / e.sum(1, keepdims=True)

        cases = [
            (lambda n, y: n("Transpose", y, perm=[1, 0]), f.T),
            (lambda n, y: n("Reshape", y, np.int64([-1, 2, 2])), f.reshape(-1, 2, 2)),
            (lambda n, y: n("Reshape", y, n("Shape", y)), f),
            (lambda n, y: n("Unsqueeze", y, np.int64([0])), f[None]),
            (lambda n, y: n("ReduceSum", y, np.int64([1]), keepdims=0), f.sum(1)),
            (lambda n, y: n("ReduceMax", y, axes=[1], keepdims=1), f.max(1, keepdims=True)),
            (lambda n, y: n("MatMul", y, w), f @ w),
            (lambda n, y: n("Gemm", y, w, np.float32([1, 2, 3, 4, 5])), f @ w + np.float32([1, 2, 3, 4, 5])),
            (lambda n, y: n("MatMul", w.T.copy(), n("Transpose", y, perm=[1, 0])), w.T @ f.T),
            (lambda n, y: n("Softmax", y, axis=1), softmax(f)),
            (lambda n, y: n("TopK", y, np.int64([2]), axis=1, outputs=2)[1], np.argsort(-f, 1, kind="stable")[:, :2]),
            (lambda n, y: n("CumSum", y, np.int64(1)), f.cumsum(1)),
            (lambda n, y: n("Pad", y, np.int64([0, 1, 0, 2])), np.pad(f, ((0, 0), (1, 2)))),
            (lambda n, y: n("Slice", y, np.int64([0, 1]), np.int64([3, 3]), np.int64([0, 1])), f[:3, 1:3]),
            (lambda n, y: n("Gather", y, np.int64([3, 0]), axis=1), f[:, [3, 0]]),
            (lambda n, y: n("Gather", n("Transpose", y, perm=[1, 0]), np.int64(2), axis=0), f[:, 2]),
            (lambda n, y: n("Gather", n("Transpose", y, perm=[1, 0]), np.int64([[3, 0], [1, 1]]), axis=0), f.T[[[3, 0], [1, 1]]]),
            (lambda n, y: n("Concat", y, n("Mul", y, y), axis=1), np.concatenate([f, f * f], 1)),
            (lambda n, y: n("Expand", n("ReduceSum", y, np.int64([1])), n("Shape", y)), np.repeat(f.sum(1, keepdims=True), 4, 1)),
            (lambda n, y: n("Add", y, n("Slice", n("Cast", n("Shape", y), to=FLOAT), np.int64([1]), np.int64([2]))), f + 4),
        ]
        for make, want in cases:
            net = Net(b=x, s=s)
            y = net("Gather", net("Squeeze", "b", np.int64([0])), net.column(net.nms(), 2))
            self.check(net, [make(net, y)], [want])

    def test_truths(self):
        """NonZero and Compress of what is computed, and boxes that are found among those."""
        for seed in range(8):
            random = np.random.default_rng(seed)
            x = random.integers(-2, 3, (3, 4)).astype("float32")
            net = Net(x=x)
            self.check(net, [net("NonZero", net("Floor", "x"))], [np.array(np.nonzero(x))])
            net = Net(x=x)
            mask = net("Greater", "x", np.float32(0))
            self.check(net, [net("GatherND", "x", net("Transpose", net("NonZero", mask), perm=[1, 0]))], [x[x > 0]])
            for axis in 0, 1, None:
                net, t = Net(x=x), x[:, 0] if axis == 0 else x[0] if axis == 1 else x.ravel()
                part = net("Reshape", "x", np.int64([-1])) if axis is None else \
                    net("Squeeze", net("Slice", "x", np.int64([0]), np.int64([1]), np.int64([1 - axis])), np.int64([1 - axis]))
                y = net("Compress", "x", net("Greater", part, np.float32(0)), **({} if axis is None else {"axis": axis}))
                self.check(net, [y], [np.compress(t > 0, x, axis)])
            x, s = boxes_and_scores(random, 1, 24, 1)
            net = Net(b=x, s=s)
            good = net("Greater", net("Reshape", "s", np.int64([-1])), np.float32(0.5))
            b, c = net("Compress", "b", good, axis=1), net("Compress", "s", good, axis=2)
            some = s[0, 0] > np.float32(0.5)
            self.check(net, [net.nms(b, c)], [suppress(x[:, some], s[:, :, some], 40, 0.4, np.float32(0.3))])
            net = Net(b=x, s=s)  # truths of rows: those that are not there are no truths
            rows = net("Gather", net("Squeeze", "b", np.int64([0])), net.column(net.nms(), 2))
            want = x[0][suppress(x, s, 40, 0.4, np.float32(0.3))[:, 2]]
            for least in -1, 3:
                good = net("Greater", net.column(rows, 0), np.float32(least))
                self.check(net, [net("Compress", rows, good, axis=0), net("NonZero", good)],
                           [want[want[:, 0] > least], np.array(np.nonzero(want[:, 0] > least))])

    def test_refusals(self):
        """Operators that would mix rows with those that are not there, each by name."""
        x, s = boxes_and_scores(np.random.default_rng(3))
        cases = [
            (lambda n, y: n("ReduceSum", y, np.int64([0])), "ReduceSum is not computed row by row"),
            (lambda n, y: n("Concat", y, y, axis=0), "Concat is not computed row by row"),
            (lambda n, y: n("Reshape", y, np.int64([-1])), "Reshape is not computed row by row"),
            (lambda n, y: n("Slice", y, np.int64([-1]), np.int64([100]), np.int64([0])), "Slice is not computed row by row"),
            (lambda n, y: n("Gather", y, np.int64([0])), "Gather is not computed row by row"),
            (lambda n, y: n("Softmax", y, axis=0), "Softmax is not computed row by row"),
            (lambda n, y: n("CumSum", y, np.int64(0)), "CumSum is not computed row by row"),
            (lambda n, y: n("MatMul", np.ones((2, 48), "float32"), y), "MatMul is not computed row by row"),
            (lambda n, y: n("TopK", y, n("Slice", n("Shape", y), np.int64([0]), np.int64([1])), axis=0, outputs=2)[0],
             "here it is used as k"),
            (lambda n, y: n("Add", y, n("Cast", n("Shape", y), to=FLOAT)), "here it is used as an operand|do not broadcast"),
            (lambda n, y: n("Shape", y), "made of a number of rows that depends on values"),
        ]
        for make, words in cases:
            net = Net(b=x, s=s)
            y = net("Gather", net("Squeeze", "b", np.int64([0])), net.column(net.nms(), 2))
            with self.assertRaisesRegex(vta.VTAError, words):
                vta.Graph(net.model(make(net, y)))
        net = Net(b=x, s=s)
        pair = [net("Gather", net("Squeeze", "b", np.int64([0])), net.column(net.nms(least=n), 2)) for n in (0.3, 0.5)]
        for op in "Add", "Concat":
            made = net.model(net(op, *pair, **({"axis": 1} if op == "Concat" else {})))
            with self.assertRaisesRegex(vta.VTAError, "another operand's by others"):
                vta.Graph(made)
        for op, given in ("iou_threshold is 1.5", [np.float32([1.5])]), ("iou_threshold", ["i"]):
            net = Net(b=x, s=s, i=np.float32([0.5]))
            y = net("NonMaxSuppression", "b", "s", np.array([3]), *given)
            with self.assertRaisesRegex(vta.VTAError, op):
                vta.Graph(net.model(y))

    def test_tool(self):
        """Files and lines of the tool, and batches, which cannot be put together."""
        x, s = boxes_and_scores(np.random.default_rng(5))
        net = Net(b=x, s=s)
        rows = net.nms()
        y = net("Transpose", net("Gather", net("Squeeze", "b", np.int64([0])), net.column(rows, 2)), perm=[1, 0])
        want = suppress(x, s, 40, 0.4, np.float32(0.3))
        made = net.model(rows, y)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "rows.onnx")
            with open(path, "wb") as file:
                file.write(made.SerializeToString())
            given = []
            for name, array in net.inputs.items():
                np.save(os.path.join(folder, name), array)
                given += ["--input", f"{name}={folder}/{name}.npy"]
            for extra in ["--float"], []:
                out = [f"{folder}/{name}.npy" for name in "pq"]
                text = subprocess.run([os.path.join(common.BUILD, "vta"), "run", path, *given, *extra, "--output", f"{rows}={out[0]}", "--output",
                                       f"{y}={out[1]}"], capture_output=True, text=True, check=True).stdout
                self.assertIn(f"{rows}: int64[{len(want)}, 3]", text)
                self.assertNotIn("extents", text)
                np.testing.assert_array_equal(np.load(out[0]), want)
                np.testing.assert_allclose(np.load(out[1]), x[0][want[:, 2]].T, atol=0.2)
        compiled = vta.compile(made, samples=[net.inputs])
        self.assertEqual([p.name for p in compiled.outputs], [rows, y])
        np.testing.assert_array_equal(compiled(**net.inputs)[0], want)
        np.testing.assert_array_equal(compiled.get_output(0), want)
        with self.assertRaisesRegex(ValueError, "another number of rows for each input"):
            compiled(b=np.concatenate([x, x]), s=np.concatenate([s, s]))

    def test_extents_of_others(self):
        """A network that computes something else under the name of extents: the output stays whole where they do not fit."""
        x = np.arange(6, dtype="float32").reshape(3, 2)
        nodes = [helper.make_node("Identity", ["x"], ["y"]), helper.make_node("Identity", ["e"], ["y:extents"])]
        made = helper.make_graph(nodes, "others", [helper.make_tensor_value_info("x", FLOAT, [3, 2]),
                                                   helper.make_tensor_value_info("e", INT64, [2])],
                                 [helper.make_tensor_value_info(n, k, None) for n, k in (("y", FLOAT), ("y:extents", INT64))])
        made = helper.make_model(made, opset_imports=[helper.make_opsetid("", 13)])
        made.ir_version = 8
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "others.onnx")
            with open(path, "wb") as file:
                file.write(made.SerializeToString())
            np.save(os.path.join(folder, "x"), x)
            for extents in [1, 2], [3, 2], [0, 1], [4, 2], [2**40, 2], [3, -1], [-2**63, 2]:
                fits = all(0 <= n <= full for n, full in zip(extents, x.shape))
                want = x[:extents[0], :extents[1]] if fits else x
                np.testing.assert_array_equal(vta.Graph(made)(x, np.int64(extents)), want)
                np.save(os.path.join(folder, "e"), np.int64(extents))
                subprocess.run([os.path.join(common.BUILD, "vta"), "run", path, "--float", "--input", f"x={folder}/x.npy",
                                "--input", f"e={folder}/e.npy", "--output", f"y={folder}/y.npy"], check=True, capture_output=True)
                np.testing.assert_array_equal(np.load(f"{folder}/y.npy"), want)

    def test_long_lines(self):
        """Orders, sums and rows that are too long to compare all with all."""
        random = np.random.default_rng(9)
        x = np.round(random.uniform(-1, 1, (2, 5000)), 3).astype("float32")
        at = random.integers(0, 5000, 3000)
        net = Net(x=x)
        places = net("TopK", "x", np.int64([300]), outputs=2)[1]
        flat = net("Reshape", "x", np.int64([-1]))
        rows = net("ScatterElements", flat, at, np.full(3000, 2, "float32"), axis=0)
        made = net.model(places, net("CumSum", "x", np.int64(1)), rows)
        want = [np.argsort(-x, kind="stable")[:, :300], np.cumsum(x.astype("float64"), 1), x.ravel().copy()]
        want[2][at] = 2
        for run in vta.Graph(made), vta.compile(made, samples=[x]):
            got = run(x)
            np.testing.assert_array_equal(got[0], want[0])
            np.testing.assert_allclose(got[1], want[1], atol=1e-4)
            np.testing.assert_array_equal(got[2], want[2])


if __name__ == "__main__":
    unittest.main()

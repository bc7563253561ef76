"""The network that the project ships: its script draws the pictures that are stored, trains, and writes what it trained."""

import json
import os
import sys
import tempfile
import unittest

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # its threads wait for each other where tests share processors

import numpy as np  # noqa: E402  pylint: disable=wrong-import-position

import common  # noqa: E402  pylint: disable=wrong-import-position
import vta  # noqa: E402  pylint: disable=wrong-import-position

FOLDER = os.path.join(common.ROOT, "examples", "shapes")
sys.path.append(FOLDER)

import draw  # noqa: E402  pylint: disable=wrong-import-position
import train  # noqa: E402  pylint: disable=wrong-import-position


class Shapes(unittest.TestCase):
    def test_pictures(self):
        """Drawn anew, within what processors differ in."""
        with tempfile.TemporaryDirectory() as folder:
            for i in (0, 4, 7, 15):
                name = f"{draw.NAMES[i % 10]}{i // 10 + 1}.png"
                again = draw.draw(np.random.default_rng([train.FILES, i]), i % 10, 128, 96, 3, 0.008)
                stored = vta.read_picture(os.path.join(FOLDER, "pictures", name))
                self.assertEqual(stored.shape, again.shape)
                self.assertLess((abs(stored.astype(int) - again) > 1).mean(), 0.01, name)
                path = os.path.join(folder, name)
                draw.write_png(path, again)
                np.testing.assert_array_equal(vta.read_picture(path), again)

    def test_labels(self):
        with open(os.path.join(FOLDER, "shapes.txt"), encoding="utf-8") as file:
            self.assertEqual(file.read().split(), list(draw.NAMES))
        with open(os.path.join(FOLDER, "pictures", "labels.csv"), encoding="utf-8") as file:
            rows = [line.strip().split(",") for line in file][1:]
        self.assertEqual(len(rows), train.SHIPPED)
        for name, kind in rows:
            self.assertTrue(name.startswith(draw.NAMES[int(kind)]) and os.path.exists(os.path.join(FOLDER, "pictures", name)))
        with open(os.path.join(FOLDER, "shapes.picture.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["mean"], train.MEAN)

    def test_picture(self):
        """From files to answers in a few lines; the settings as a file, as a dictionary, one by one; wrong ones named."""
        settings = os.path.join(FOLDER, "shapes.picture.json")
        path = os.path.join(FOLDER, "pictures", "ring1.png")
        graph = vta.Graph(os.path.join(FOLDER, "shapes.onnx"))
        shape = graph.inputs[0].shape
        x = vta.picture(path, shape, settings)
        self.assertEqual((x.shape, x.dtype), (shape, np.dtype("float32")))
        self.assertEqual(draw.NAMES[int(graph(x).argmax())], "ring")
        with open(path, "rb") as file:
            data = file.read()
        for source in (data, vta.read_picture(path)):
            how = {"resize": 64, "crop": 64, "scale": 1 / 255, "mean": [0.5] * 3, "std": 0.25}
            np.testing.assert_array_equal(vta.picture(source, shape, how), x)
            np.testing.assert_array_equal(vta.picture(source, shape, settings, bgr=True), x[:, ::-1])
            np.testing.assert_array_equal(vta.picture(source, (1, 64, 64, 3), settings), x.transpose(0, 2, 3, 1))
        middle = vta.read_picture(path)[16:80, 32:96].transpose(2, 0, 1)[None]
        np.testing.assert_array_equal(vta.picture(path, shape, crop=64, preset="raw"), middle)
        for error, words, call in ((TypeError, "no setting 'size'", lambda: vta.picture(path, shape, size=3)),
                                   (ValueError, "not NCHW .3, 64, 64.", lambda: vta.picture(path, shape[1:])),
                                   (ValueError, "one for each of 3 channels", lambda: vta.picture(path, shape, mean=[1, 2])),
                                   (LookupError, "did you mean imagenet", lambda: vta.picture(path, shape, preset="imagnet")),
                                   (ValueError, "height x width x 3 of uint8", lambda: vta.picture(x, shape)),
                                   (vta.VTAError, "neither a JPEG nor a PNG", lambda: vta.read_picture(settings)),
                                   (LookupError, "none.png", lambda: vta.read_picture("none.png"))):
            with self.assertRaisesRegex(error, words):
                call()

    def test_training(self):
        """Some steps: what is learnt grows, and the file that is written computes what the layers compute."""
        rng = np.random.default_rng(5)
        x, wanted = train.pictures(9, 40)
        net = train.network(rng)
        losses = [train.step(net, x, wanted, 0.02) for _ in range(20)]
        self.assertLess(np.mean(losses[-3:]), 0.7 * losses[0])
        for layer in net.layers:
            if hasattr(layer, "mean"):  # those of training are not yet learnt after so few steps
                layer.mean, layer.variance = layer.mean + 0.1, layer.variance * 1.5
        scores = net.forward(x[:4])
        shares = np.exp(scores - scores.max(1, keepdims=True))
        shares /= shares.sum(1, keepdims=True)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "shapes.onnx")
            train.Writer().write(path, net)
            got = vta.Graph(path, batch=4)(x[:4].transpose(0, 3, 1, 2))
        np.testing.assert_allclose(got, shares, atol=1e-5)

    def test_gradients(self):
        """Each kind of layer: what a small change of the input or of a parameter does to a sum of the outputs."""
        import layers

        rng = np.random.default_rng(6)
        for layer in (layers.Conv(rng, 2, 3, 3, 2), layers.Conv(rng, 2, 3, 5), layers.Norm(2), layers.Pool(), layers.Relu(),
                      layers.Residual(rng, 2), layers.Mean()):
            x = rng.normal(size=(3, 6, 6, 2))
            for p in layer.parameters:
                p.value = p.value.astype(np.float64)
            out = layer.forward(x, True)
            weight = rng.normal(size=out.shape)
            back = layer.backward(weight)
            for array, gradient in [(x, back)] + [(p.value, p.gradient) for p in layer.parameters]:
                at = tuple(rng.integers(n) for n in array.shape)
                sums = []
                for change in (1e-5, -2e-5):
                    array[at] += change
                    sums.append((layer.forward(x, True) * weight).sum())
                array[at] += 1e-5
                self.assertAlmostEqual((sums[0] - sums[1]) / 2e-5, gradient[at], delta=1e-3 * (1 + abs(gradient[at])),
                                       msg=type(layer).__name__)


if __name__ == "__main__":
    unittest.main()

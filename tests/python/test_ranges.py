"""Ranges by what they cost where a value is read, against numpy: all ranges that may be taken, each tried in plain arrays."""

import os
import re
import unittest

import numpy as np

import common
import vta
from test_compile import node, onnx

RANDOM = np.random.RandomState(11)
SHAPE = (1, 16, 6, 6)
WEIGHTS = RANDOM.uniform(-1, 1, (16, 16, 1, 1)).astype("float32")
#: So does a product: nothing of the second half of its channels.
HALF = WEIGHTS * (np.arange(16) < 8).astype("float32")[None, :, None, None]


def product(weights):
    return lambda x: np.einsum("nchw,oc->nohw", x, weights[:, :, 0, 0].astype("float64"))


def mean(x):
    return x.mean((2, 3), keepdims=True)


def itself(x):
    """Of what is no linear function of it, the error of the value itself counts."""
    return x


def network(readers):
    """Reads x by each of the readers, and adds up what they give."""
    nodes, weights = [], []
    last = len(readers) - 1
    for i, reader in enumerate(readers):
        value = f"v{i}" if last else "y"
        if reader is mean:
            nodes.append(node("GlobalAveragePool", ["x"], value))
        elif reader is itself:
            nodes.append(node("Tanh", ["x"], value))
        else:
            weights.append((f"w{i}", reader))
            nodes.append(node("Conv", ["x", f"w{i}"], value, kernel_shape=[1, 1]))
    if last:
        nodes.append(node("Add", ["v0", "v1"], "y"))
    return onnx(nodes, [("x", SHAPE)], ("y", SHAPE), weights)


def costs(samples, readers):
    """Of each range that may be taken: noise over signal behind each reader, over all samples."""
    most = max(np.abs(x).max() for x in samples).astype("float64")
    functions = [r if callable(r) else product(r) for r in readers]
    found = []
    for k in range(17):
        step = most * 2 ** (-k / 4) / 127
        total = 0.0
        for x in samples:
            x = x.astype("float64")
            errors = (np.clip(np.rint(x / step), -128, 127) * step - x).astype("float32").astype("float64")
            total += sum((f(errors) ** 2).sum() / (f(x) ** 2).sum() for f in functions)
        found.append((total, step))
    return found


def scale(network_of_integers):
    return float(re.search(r"^x: int8\S* \* (\S+) = quantize\(x\)", str(network_of_integers), re.M)[1])


def draw(kind):
    """A sample: with an element that stands out far, with channels that do, with two that cancel in a mean, or like noise."""
    x = RANDOM.standard_normal(SHAPE)
    if kind == "outlier":
        x[0, RANDOM.randint(16), RANDOM.randint(6), RANDOM.randint(6)] = 30
    if kind == "channels":
        x[:, 8:] *= 12
    if kind == "pairs":
        x[0, 12, 1:3, 4] = 30, -30
    if kind == "positive":
        x = np.abs(x) ** 3
    return x.astype("float32")


class Ranges(unittest.TestCase):
    def test_least_error_where_it_is_read(self):
        taken = set()
        for readers in ((WEIGHTS,), (HALF,), (HALF, mean), (HALF, itself), (WEIGHTS, HALF)):
            for kind in ("noise", "outlier", "channels", "pairs", "positive"):
                samples = [draw(kind) for _ in range(3)]
                wanted = costs(samples, readers)
                least = min(wanted)[0]
                got = scale(vta.quantize(network(readers), samples, range="output"))
                cost, step = min(wanted, key=lambda w: abs(w[1] - got))
                self.assertAlmostEqual(step / got, 1, places=4)
                self.assertLessEqual(cost, least * (1 + 1e-6), (kind, len(readers), [c for c, _ in wanted]))
                taken.add(round(4 * np.log2(wanted[0][1] / step)))
        self.assertGreater(len(taken), 4, taken)

    def test_what_nobody_reads_is_cut_off(self):
        """Channels with large values and weights of zero: their range is of no use, whatever the error of the value itself is."""
        samples = [draw("channels") for _ in range(8)]
        net = network((HALF,))

        def decibels(how):
            got = vta.quantize(net, samples[:4], range=how)
            floats = [vta.Graph(net)(x) for x in samples[4:]]
            noise = sum(((f - got(x)) ** 2).sum() for f, x in zip(floats, samples[4:], strict=True))
            return 10 * np.log10(sum((f ** 2).sum() for f in floats) / noise)

        self.assertGreater(decibels("output"), max(decibels(how) for how in ("squares", "max", "kl", "percentile")) + 6)

    def test_samples(self):
        """More samples than before are measured again; without samples there is nothing to measure."""
        loud = [4 * draw("noise") for _ in range(4)]
        graph = vta.Graph(network((WEIGHTS,)))
        few = scale(vta.quantize(graph, [draw("noise")], range="output"))
        self.assertGreater(scale(vta.quantize(graph, loud, range="output")), 2 * few)
        with self.assertRaisesRegex(vta.VTAError, "range: the one of outputs needs samples"):
            vta.quantize(network((WEIGHTS,)), [], range="output")
        options = [row["options"] for row in vta.quantize(network((HALF,)), [draw("channels") for _ in range(10)], search=2000).tried]
        self.assertTrue(any("--range output" in row for row in options), options)

    def test_ranges_of_a_model_stay(self):
        path = os.path.join(common.shared("models", "resnet8-cifar10"), "model-int8-qdq.onnx")
        self.assertEqual(str(vta.quantize(path, range="output")), str(vta.quantize(path)))


if __name__ == "__main__":
    unittest.main()

"""Makes everything in this folder: draws pictures, trains a small network to name the shapes in them, writes both.

    OPENBLAS_NUM_THREADS=1 python3 train.py [FOLDER]        numpy is all it needs; some minutes

The pictures are seeded, so they come out the same everywhere. The weights do where numpy multiplies matrices with the
same library on the same kind of processor; elsewhere the last digits differ, and what was learnt is as good."""

import json
import os
import sys

import numpy as np

import onnx_file as onnx
from draw import NAMES, draw, write_png
from layers import Chain, Conv, Dense, Mean, Norm, Pool, Relu, Residual

SIDE, CHANNELS, COUNT, HELD_OUT = 64, (16, 32, 64), 6000, 500
EPOCHS, BATCH, RATE, MOMENTUM, DECAY = 24, 50, 0.1, 0.9, 5e-4
MEAN, STD = 0.5, 0.25
SHIPPED = 20  # pictures that are kept as files
TRAINING, TEST, FILES = 1, 2, 3  # random seeds begin with these


def pictures(which, count):
    """That many of them and their classes, one after another."""
    x = np.stack([draw(np.random.default_rng([which, i]), i % len(NAMES), SIDE, SIDE) for i in range(count)])
    return (x / np.float32(255) - np.float32(MEAN)) / np.float32(STD), np.arange(count) % len(NAMES)


def network(rng):
    a, b, c = CHANNELS
    return Chain(Conv(rng, 3, a, kernel=5, stride=2), Norm(a), Relu(), Pool(), Residual(rng, a),
                 Conv(rng, a, b, stride=2), Norm(b), Relu(), Residual(rng, b),
                 Conv(rng, b, c, stride=2), Norm(c), Relu(), Mean(), Dense(rng, c, len(NAMES)))


def vary(rng, x):
    """Some pictures mirrored, all moved by some pixels, lighter or darker."""
    x = np.where(rng.random((len(x), 1, 1, 1)) < 0.5, x[:, :, ::-1], x)
    x = np.roll(x, rng.integers(-5, 6, 2), (1, 2))
    return (x * rng.uniform(0.8, 1.2, (len(x), 1, 1, 1)) + rng.uniform(-0.2, 0.2, (len(x), 1, 1, 1))).astype(np.float32)


def step(net, x, wanted, rate):
    """One step of gradient descent; gives the mean of the cross entropies."""
    scores = net.forward(x, True)
    shares = np.exp(scores - scores.max(1, keepdims=True))
    shares /= shares.sum(1, keepdims=True)
    rows = np.arange(len(x))
    loss = -np.log(shares[rows, wanted] + 1e-12).mean()
    shares[rows, wanted] -= 1
    net.backward((shares / len(x)).astype(np.float32))
    for p in net.parameters:
        p.speed = MOMENTUM * p.speed - rate * (p.gradient + DECAY * p.value)
        p.value += p.speed
    return loss


def right(net, x, wanted):
    """How many of 100 it names right."""
    got = np.concatenate([net.forward(x[i:i + 100]).argmax(1) for i in range(0, len(x), 100)])
    return 100 * (got == wanted).mean()


def train(rng):
    x, wanted = pictures(TRAINING, COUNT)
    test = pictures(TEST, HELD_OUT)
    net = network(rng)
    steps, done = EPOCHS * COUNT // BATCH, 0
    for epoch in range(EPOCHS):
        order, loss = rng.permutation(COUNT), 0.0
        for i in range(0, COUNT, BATCH):
            rate = RATE * 0.5 * (1 + np.cos(np.pi * done / steps))
            loss += step(net, vary(rng, x[order[i:i + BATCH]]), wanted[order[i:i + BATCH]], rate)
            done += 1
        print(f"epoch {epoch + 1} of {EPOCHS}: loss {loss * BATCH / COUNT:.3f}, of {HELD_OUT} pictures never seen "
              f"{right(net, *test):.1f} % right", flush=True)
    return net


class Writer:
    """The network as nodes of ONNX."""

    def __init__(self):
        self.nodes, self.tensors, self.last = [], [], "picture"

    def add(self, op, output, *inputs, **attributes):
        self.nodes.append(onnx.node(op, [self.last, *inputs], output, **attributes))
        self.last = output

    def constant(self, name, array):
        self.tensors.append(onnx.tensor(name, np.ascontiguousarray(array, np.float32)))
        return name

    def layer(self, layer, name):
        if isinstance(layer, Conv):
            k, p = layer.kernel, layer.pad
            weights = layer.weights.value.reshape(k, k, -1, layer.weights.value.shape[1]).transpose(3, 2, 0, 1)
            self.add("Conv", name, self.constant(name + "_weights", weights), kernel_shape=[k, k],
                     strides=[layer.stride] * 2, pads=[p] * 4)
        elif isinstance(layer, Norm):
            parts = (("scale", layer.scale.value), ("shift", layer.shift.value), ("mean", layer.mean),
                     ("variance", layer.variance))
            self.add("BatchNormalization", name, *[self.constant(f"{name}_{n}", v) for n, v in parts], epsilon=1e-5)
        elif isinstance(layer, Residual):
            before = self.last
            self.layers(layer.inner, name)
            self.add("Add", name + "_sum", before)
            self.add("Relu", name)
        elif isinstance(layer, Dense):
            self.add("Flatten", name + "_flat")
            self.add("Gemm", name, self.constant(name + "_weights", layer.weights.value),
                     self.constant(name + "_bias", layer.bias.value))
        else:
            op, attributes = {Relu: ("Relu", {}), Mean: ("GlobalAveragePool", {}),
                              Pool: ("MaxPool", {"kernel_shape": [2, 2], "strides": [2, 2]})}[type(layer)]
            self.add(op, name, **attributes)

    def layers(self, chain, name):
        for i, layer in enumerate(chain.layers):
            self.layer(layer, f"{name}{type(layer).__name__.lower()}{i}")

    def write(self, path, net):
        self.layers(net, "")
        self.add("Softmax", "shares", axis=1)
        with open(path, "wb") as file:
            file.write(onnx.model("shapes", self.nodes, self.tensors, [onnx.value("picture", [None, 3, SIDE, SIDE])],
                                  [onnx.value("shares", [None, len(NAMES)])]))


def write_pictures(folder):
    """The pictures that are kept, larger and finer than those it learnt from, and the table of their classes."""
    with open(os.path.join(folder, "labels.csv"), "w", encoding="utf-8") as table:
        table.write("file,class\n")
        for i in range(SHIPPED):
            kind = i % len(NAMES)
            name = f"{NAMES[kind]}{i // len(NAMES) + 1}.png"
            write_png(os.path.join(folder, name), draw(np.random.default_rng([FILES, i]), kind, 128, 96, 3, 0.008))
            table.write(f"{name},{kind}\n")


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
    os.makedirs(os.path.join(folder, "pictures"), exist_ok=True)
    write_pictures(os.path.join(folder, "pictures"))
    with open(os.path.join(folder, "shapes.txt"), "w", encoding="utf-8") as names:
        names.write("".join(name + "\n" for name in NAMES))
    with open(os.path.join(folder, "shapes.picture.json"), "w", encoding="utf-8") as settings:
        json.dump({"resize": SIDE, "crop": SIDE, "scale": 1 / 255, "mean": MEAN, "std": STD, "labels": "shapes.txt"},
                  settings, indent=1)
        settings.write("\n")
    Writer().write(os.path.join(folder, "shapes.onnx"), train(np.random.default_rng(1)))


if __name__ == "__main__":
    main()

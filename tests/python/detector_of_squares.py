"""A detector that finds squares of colour, with weights that are set by hand; pictures of such."""

import os
import sys

import numpy as np

import common

sys.path.append(os.path.join(common.ROOT, "examples", "shapes"))
from onnx_file import model, node, tensor, value  # noqa: E402

#: Cells of the network's input, in rows and columns, of 16 pixels; the classes in the order of the channels.
ROWS, COLUMNS, STRIDE = 6, 10, 16
NAMES = ["blue", "green", "red"]


def network():
    """The bytes of the ONNX file: FastestDet's form of outputs, a box around each cell that is full of a colour."""
    def constant(name, array):
        return tensor(name, np.asarray(array, np.float32))

    mean = np.zeros((3, 3, STRIDE, STRIDE))
    for c in range(3):
        mean[c, c] = 1 / STRIDE ** 2
    box = np.array([np.arctanh(0.5), np.arctanh(0.5), -np.log(COLUMNS - 1), -np.log(ROWS - 1)])
    nodes = [
        node("Conv", ["images", "mean"], "means", strides=[STRIDE, STRIDE], kernel_shape=[STRIDE, STRIDE]),
        node("Conv", ["means", "any", "any_bias"], "object_logits", kernel_shape=[1, 1]),
        node("Sigmoid", ["object_logits"], "object"),
        node("Conv", ["means", "nothing", "box"], "boxes", kernel_shape=[1, 1]),
        node("Conv", ["means", "each", "each_bias"], "class_logits", kernel_shape=[1, 1]),
        node("Sigmoid", ["class_logits"], "classes"),
        node("Concat", ["object", "boxes", "classes"], "found", axis=1),
    ]
    tensors = [constant("mean", mean), constant("any", np.full((1, 3, 1, 1), 12)), constant("any_bias", [-6]),
               constant("nothing", np.zeros((4, 3, 1, 1))), constant("box", box),
               constant("each", 12 * np.eye(3).reshape(3, 3, 1, 1)), constant("each_bias", [-6, -6, -6])]
    size = (1, 3, STRIDE * ROWS, STRIDE * COLUMNS)
    return model("squares", nodes, tensors, [value("images", size)], [value("found", (1, 8, ROWS, COLUMNS))])


def picture(squares, width, height):
    """Pixels with a square in each cell of (column, row, class), stretched to that size."""
    pixels = np.zeros((height, width, 3), np.uint8)
    for column, row, which in squares:
        x, y = width // COLUMNS, height // ROWS
        pixels[row * y:(row + 1) * y, column * x:(column + 1) * x, 2 - which] = 255
    return pixels

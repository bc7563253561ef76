"""Resize of nearest elements, in every way to find a place and to round it, against the definition in exact fractions."""

import math
import os
import sys
import unittest
from fractions import Fraction

import numpy as np

import common
import vta

sys.path.append(os.path.join(common.ROOT, "examples", "shapes"))
from onnx_file import model, node, tensor, value  # noqa: E402

HALF = Fraction(1, 2)
PLACES = ["half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "asymmetric", "align_corners", "tf_half_pixel_for_nn"]
ROUNDED = {
    "round_prefer_floor": lambda x: math.ceil(x - HALF),
    "round_prefer_ceil": lambda x: math.floor(x + HALF),
    "floor": math.floor,
    "ceil": math.ceil,
}
#: Among them such as make places that lie in the middle between two elements.
SCALES = [Fraction(1, 2), Fraction(1), Fraction(3, 2), Fraction(2), Fraction(5, 2), Fraction(4)]


def place(how, i, size, out, scale):
    """Where element `i` of `out` is among `size` (ONNX, Resize, coordinate_transformation_mode)."""
    if scale == 1:  # nothing is resized, and no element moves, as ONNX Runtime has it
        return Fraction(i)
    if how == "asymmetric":
        return i / scale
    if how == "align_corners":
        return Fraction(i * (size - 1), out - 1) if out > 1 else Fraction(0)
    if how == "tf_half_pixel_for_nn":
        return (i + HALF) / scale
    if how == "pytorch_half_pixel" and out == 1:
        return Fraction(0)
    if how == "half_pixel_symmetric":
        middle = Fraction(size, 2)
        return middle - middle * out / (scale * size) + (i + HALF) / scale - HALF
    return (i + HALF) / scale - HALF


class Resize(unittest.TestCase):
    def test_nearest(self):
        ties = set()
        for how in PLACES:
            for rounding, rounded in ROUNDED.items():
                for size in (1, 4, 5):
                    for scale in SCALES:
                        out = math.floor(size * scale)
                        if not out:
                            continue
                        at = [place(how, i, size, out, scale) for i in range(out)]
                        ties |= {(how, rounding) for a in at if a - math.floor(a) == HALF}
                        taken = [min(max(rounded(a), 0), size - 1) for a in at]
                        x = np.arange(2 * size, dtype="float32").reshape(1, 1, 2, size)
                        net = model("resize", [node("Resize", ["x", "", "scales"], "y", mode="nearest", nearest_mode=rounding,
                                                    coordinate_transformation_mode=how)],
                                    [tensor("scales", np.array([1, 1, 1, float(scale)], "float32"))],
                                    [value("x", x.shape)], [value("y", (1, 1, 2, out))], opset=19)
                        np.testing.assert_array_equal(vta.Graph(net)(x), x[..., taken], f"{how} {rounding} {size} {scale}")
        self.assertGreater(len(ties), 15, ties)


if __name__ == "__main__":
    unittest.main()

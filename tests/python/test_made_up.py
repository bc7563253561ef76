"""Inputs that quantize makes up where it is given none: pictures with figures, whose values can be worked out."""

import math
import unittest

import common  # noqa: F401

import numpy as np
import vta

vta.use_tvm_names()

from tvm.relay import quantize  # noqa: E402  pylint: disable=wrong-import-position


class Middle:
    """Random numbers that are none: the middle of a range, `half` for a number below one, and one for a normal."""

    def __init__(self, half):
        self.half = half

    @staticmethod
    def uniform(low, high):
        return (low + high) / 2

    def rand(self):
        return self.half

    @staticmethod
    def normal(size):
        return np.ones(size)


class Scenes(unittest.TestCase):
    def test_a_figure_is_where_and_what_its_numbers_say(self):
        """Centre and corner of one striped figure, turned by a right angle: its u runs down, its v leftwards, wider."""
        for half, square in ((0.5, False), (0.4, True)):
            scene = quantize._scene(Middle(half), 2, 40, 20, figures=1)  # pylint: disable=protected-access
            self.assertEqual(scene.shape, (2, 40, 20))
            for row in range(40):
                for column in range(20):
                    dx, dy = column / 40 - half, row / 40 - half
                    u, v = dy, -dx / 0.55
                    edge = abs(max(abs(u), abs(v)) - 0.15) if square else abs(math.hypot(u, v) - 0.15)
                    if edge < 1e-9:
                        continue
                    inside = max(abs(u), abs(v)) < 0.15 if square else u * u + v * v < 0.15 ** 2
                    value = 1.2 + 0.5 * math.sin(42.5 * u + math.pi) if inside else 1.0
                    self.assertAlmostEqual(scene[0, row, column], value + 0.1, 9, (row, column))
            np.testing.assert_array_equal(scene[0], scene[1])

    def test_values_are_those_of_normal_pictures(self):
        scenes = [quantize._scene(np.random.RandomState(seed), 3, 32, 32) for seed in range(12)]  # pylint: disable=protected-access
        values = np.stack(scenes)
        self.assertLessEqual(np.abs(values).max(), 2.5)
        self.assertEqual(np.abs(values).max(), 2.5)  # some are cut
        self.assertGreater(values.std(), 0.7)
        self.assertLess(values.std(), 1.6)
        self.assertLess(abs(values.mean()), 0.5)
        self.assertFalse((values[:, 0] == values[:, 1]).any(axis=(1, 2)).all())

    def test_shapes(self):
        made = quantize._inputs_of  # pylint: disable=protected-access
        first = np.random.RandomState(5)
        self.assertEqual(made(first, [2, 3, 8, 6]).shape, (2, 3, 8, 6))
        self.assertEqual(made(first, [2, 8, 6, 3]).shape, (2, 8, 6, 3))
        self.assertEqual(made(first, [2, 8, 6, 1]).shape, (2, 8, 6, 1))
        np.testing.assert_array_equal(made(np.random.RandomState(1), [1, 8, 6, 3]).transpose(0, 3, 1, 2),
                                      made(np.random.RandomState(1), [1, 3, 8, 6]))
        row = made(first, [4000])
        self.assertEqual(row.shape, (4000,))
        self.assertEqual(np.abs(row).max(), 2.5)
        self.assertLess(abs(row.std() - 1), 0.1)


if __name__ == "__main__":
    unittest.main()

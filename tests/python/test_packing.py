"""Packing into tiles and back, against numpy's reshapes and transposes."""

import unittest

import common  # noqa: F401  # pylint: disable=unused-import
import numpy as np

import vta


def tiled(images, rows, lanes):
    """N C H W as tiles, by numpy alone."""
    n, c, h, w = images.shape
    groups, blocks = -(-n // rows), -(-c // lanes)
    full = np.zeros((groups * rows, blocks * lanes, h, w), images.dtype)
    full[:n, :c] = images
    return full.reshape(groups, rows, blocks, lanes, h, w).transpose(0, 2, 4, 5, 1, 3)


class Packing(unittest.TestCase):
    def test_images(self):
        random = np.random.default_rng(5)
        for dtype in ("int8", "int16", "int32", "float32"):
            for shape, rows, lanes in (((1, 3, 5, 7), 1, 16), ((3, 40, 2, 3), 2, 16), ((5, 17, 1, 9), 4, 8)):
                x = random.integers(-100, 100, shape).astype(dtype)
                tiles = vta.pack(x, rows, lanes)
                np.testing.assert_array_equal(tiles, tiled(x, rows, lanes))
                np.testing.assert_array_equal(vta.unpack(tiles, shape), x)
                last = np.ascontiguousarray(x.transpose(0, 2, 3, 1))
                np.testing.assert_array_equal(vta.pack(last, rows, lanes, "NHWC"), tiles)
                np.testing.assert_array_equal(vta.unpack(tiles, last.shape, "NHWC"), last)

    def test_matrices_and_views(self):
        x = np.arange(35, dtype="int32").reshape(5, 7)
        tiles = vta.pack(x.T, 2, 4)
        self.assertEqual(tiles.shape, (4, 2, 2, 4))
        np.testing.assert_array_equal(tiles, tiled(x.T.reshape(7, 5, 1, 1), 2, 4)[:, :, 0, 0])
        np.testing.assert_array_equal(vta.unpack(tiles, (7, 5)), x.T)

    def test_refusals(self):
        x = np.zeros((2, 3, 4, 5), "int8")
        with self.assertRaisesRegex(ValueError, "a tensor of 3 dimensions"):
            vta.pack(x[0], 1, 16)
        with self.assertRaisesRegex(ValueError, "layout 'CHWN'"):
            vta.pack(x, 1, 16, "CHWN")
        with self.assertRaisesRegex(vta.VTAError, "elements of 8 bytes"):
            vta.pack(x.astype("int64"), 1, 16)
        with self.assertRaisesRegex(vta.VTAError, "every extent must be at least 1"):
            vta.pack(x, 0, 16)
        with self.assertRaisesRegex(ValueError, "tiles of 640 bytes"):
            vta.unpack(vta.pack(x, 1, 16), (2, 17, 4, 5))


if __name__ == "__main__":
    unittest.main()

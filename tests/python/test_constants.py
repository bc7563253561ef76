"""Constants of every type, at the ends of its range and beyond: those that it has keep their value, in text and in code; the
others are refused with the number, the type and what the type has. The oracle is numpy."""

import unittest

import numpy as np

import common  # noqa: F401
import tvm
from tvm import te, tir

INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
FLOATS = ("float16", "float32", "float64")


def stored(c):
    """A constant as compiled code has it."""
    b = te.compute((1,), lambda i: c, name="B")
    out = tvm.nd.array(np.zeros(1, c.dtype))
    tvm.build(te.create_schedule(b.op), [b], "llvm")(out)
    return out.numpy()[0]


class Constants(unittest.TestCase):
    def test_integers(self):
        for dtype in INTEGERS:
            info = np.iinfo(dtype)
            for value in (info.min, info.min + 1, 0, 1, info.max // 2, info.max // 2 + 1, info.max - 1, info.max):
                c = tir.const(value, dtype)
                self.assertEqual((c.value, int(c), c.dtype), (value, value, dtype))
                self.assertEqual(stored(c), value, dtype)
                if value:
                    self.assertIn(str(value), str(c))
                    f = tvm.lower(te.create_schedule(te.compute((1,), lambda i: c, name="B").op), [], name="k")["k"]
                    self.assertIn(str(value), f.script())
                    self.assertIn(str(value), f.astext())
            for value in (info.min - 1, info.max + 1, info.min * 3 - 7, info.max * 3):
                with self.assertRaisesRegex(ValueError, f"{value} does not fit {dtype}"):
                    tir.const(value, dtype)

    def test_floats(self):
        for dtype in FLOATS:
            info = np.finfo(dtype)
            for value in (float(info.min), float(info.max), float(info.tiny), 0.0, 1.5, float("inf"), float("-inf")):
                self.assertEqual(tir.const(value, dtype).value, value)
                if dtype != "float16":
                    self.assertEqual(stored(tir.const(value, dtype)), value)
        with np.errstate(over="ignore"):
            for dtype in ("float16", "float32"):
                most = float(np.finfo(dtype).max)
                values = [sign * most * f for sign in (1, -1) for f in (1.0001, 1.0003, 1.001, 1.5, 1e3, 1 + 1e-9)]
                refused = 0
                for value in values:
                    if np.isfinite(np.dtype(dtype).type(value)):
                        self.assertEqual(np.dtype(dtype).type(tir.const(value, dtype).value), np.dtype(dtype).type(value))
                        continue
                    refused += 1
                    with self.assertRaisesRegex(ValueError, f"does not fit {dtype}, whose largest number is"):
                        tir.const(value, dtype)
                self.assertGreater(refused, 4)

    def test_limits(self):
        for dtype in INTEGERS:
            self.assertEqual((te.min_value(dtype).value, te.max_value(dtype).value), (np.iinfo(dtype).min, np.iinfo(dtype).max))
        for dtype in FLOATS:
            self.assertEqual((te.min_value(dtype).value, te.max_value(dtype).value), (np.finfo(dtype).min, np.finfo(dtype).max))


if __name__ == "__main__":
    unittest.main()

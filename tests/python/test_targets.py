"""Processors and features in all combinations: what is named compiles, or is refused in words with both."""

import unittest

import common  # noqa: F401
import tvm
import vta
from tvm import te

MACHINES = {
    "x86_64-linux-gnu": (("x86-64", "skylake", "haswell", "skylake-avx512", "znver4"),
                         ("", "+avx512f", "+avx512f,+avx512vl", "+avx512f,+avx512bw,+avx512dq", "+avx2", "-avx,-avx2", "+avx512vnni")),
    "aarch64-linux-gnu": (("generic", "cortex-a72", "neoverse-v1"), ("", "+sve", "+dotprod,+sve2", "-neon")),
    "armv7-none-linux-gnueabihf": (("generic", "cortex-a9"), ("", "+neon", "-neon", "+vfp3")),
}


def programs():
    """Schedules of loops with a rest, which are vectorized with masks."""
    n = te.var("n")
    for dtype in ("float32", "int8"):
        a = te.placeholder((n,), name="A", dtype=dtype)
        b = te.compute((n,), lambda i, a=a, dtype=dtype: a[i] + te.const(1, dtype), name="B")
        s = te.create_schedule(b.op)
        s[b].split(b.op.axis[0], nparts=2)
        yield s, [a, b]


class Targets(unittest.TestCase):
    def test_all_combinations(self):
        compiled = refused = 0
        for triple, (processors, features) in MACHINES.items():
            for processor in processors:
                for feature in features:
                    target = f"llvm -mtriple={triple} -mcpu={processor}" + (f" -mattr={feature}" if feature else "")
                    for s, args in programs():
                        try:
                            tvm.build(s, args, target)
                            compiled += 1
                        except vta.error.VTAUnsupportedError as error:
                            refused += 1
                            for words in (processor, feature, "Name a processor that has them all"):
                                self.assertIn(words, str(error), target)
                            self.assertNotIn("0x", str(error), target)
                            self.assertLess(len(str(error)), 500, target)
        self.assertGreater(compiled, 60)
        self.assertGreater(refused, 0)


if __name__ == "__main__":
    unittest.main()

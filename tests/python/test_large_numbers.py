"""Numbers beyond what the library's types hold: each is refused in words with the number, or taken as it is; none is cut."""

import unittest

import common  # noqa: F401
import tvm
import vta
from tvm import te, tir, topi

LARGE = (2**31, 2**32, 2**32 + 2, 2**59, 2**62, 2**63, 2**64, 2**64 + 4, 2**96, -2**63 - 1, -2**64 + 4)


def _stage():
    b = te.compute((64,), lambda i: i * 1, name="B")
    return te.create_schedule(b.op)[b], b.op.axis[0]


def _extent(value):
    """What an object has of the number."""
    return int(value)


#: From a number to what the object made of it has; those that only take numbers give None.
CALLS = {
    "placeholder": lambda v: _extent(te.placeholder((v,), name="A").shape[0]),
    "placeholder_2": lambda v: _extent(te.placeholder((1, v), name="A", dtype="int8").shape[1]),
    "compute": lambda v: _extent(te.compute((v,), lambda i: i * 1.0).shape[0]),
    "reduce": lambda v: _extent(te.reduce_axis((0, v)).dom.extent),
    "reduce_from": lambda v: _extent(te.reduce_axis((v, v + 3)).dom.min),
    "buffer": lambda v: _extent(tir.decl_buffer((v,)).shape[0]),
    "full": lambda v: _extent(topi.full((v,), "float32", 0).shape[0]),
    "for": lambda v: _extent(tir.For(te.var("i"), 0, v, 0, tir.Evaluate(0)).extent),
    "for_wide": lambda v: _extent(tir.For(te.var("i", "int64"), v, 3, 0, tir.Evaluate(0)).min),
    "constant": lambda v: _extent(tir.const(v, "int64")),
    "sum": lambda v: _extent(te.var("n", "int64") * 0 + v),
    "split": lambda v: (lambda st, i: st.split(i, factor=v))(*_stage()) and None,
    "nparts": lambda v: (lambda st, i: st.split(i, nparts=v))(*_stage()) and None,
    "align": lambda v: (lambda st, i: st.storage_align(i, v, 0))(*_stage()),
    "offset": lambda v: (lambda st, i: st.storage_align(i, 4, v))(*_stage()),
    "pad": lambda v: _extent(topi.nn.pad(te.placeholder((4,), dtype="int8"), [v]).shape[0]) - 4 - v,
    "operator": lambda v: vta.topi.Operator("dense", batch=1, in_features=v, out_features=16) and None,
    "array": lambda v: tvm.nd.empty((0, v), "int8").shape[1],
    "array_of": lambda v: tvm.nd.empty((v,), "int64").shape[0] if abs(v) > 2**58 else v,
}


class LargeNumbers(unittest.TestCase):
    def test_refused_or_kept(self):
        kept = refused = 0
        for name, call in CALLS.items():
            for value in LARGE:
                with self.subTest(name=name, value=value):
                    try:
                        got = call(value)
                    except (ValueError, vta.VTAError) as error:
                        refused += 1
                        self.assertGreater(len(str(error)), 20)
                        if abs(value) > 2**63:
                            self.assertIn(str(value), str(error))
                        continue
                    kept += 1
                    self.assertLess(abs(value), 2**63)
                    self.assertIn(got, (None, value) if name != "pad" else (0, value))
        self.assertGreater(kept, 30)
        self.assertGreater(refused, 80)


if __name__ == "__main__":
    unittest.main()

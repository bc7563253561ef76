"""The mathematical functions of vta/math.def: compiled code, te, tir and topi against numpy and Python's math."""

import inspect
import math
import unittest

import common  # noqa: F401
import numpy as np
import vta
from vta import te, tir, topi
from vta.te import _math

N = 16
#: What each one is, on float64 arrays: a table of this file's own.
REFERENCES = {
    "exp": np.exp, "log": np.log, "sqrt": np.sqrt, "tanh": np.tanh, "floor": np.floor, "ceil": np.ceil,
    "round": lambda x: np.copysign(np.floor(np.abs(x) + 0.5), x), "pow": np.power, "trunc": np.trunc, "nearbyint": np.rint,
    "fabs": np.abs, "fmod": np.fmod, "exp2": np.exp2, "log2": np.log2, "log10": np.log10, "log1p": np.log1p,
    "sin": np.sin, "cos": np.cos, "tan": np.tan, "sinh": np.sinh, "cosh": np.cosh, "asin": np.arcsin, "acos": np.arccos,
    "atan": np.arctan, "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh, "atan2": np.arctan2,
    "hypot": np.hypot, "copysign": np.copysign, "erf": np.vectorize(math.erf),
}
X = np.array([0.25, 0.5, 0.75, 1.0, -0.5, 2.5, -2.5, 3.5, 0.1, -1.75, 7.3, 1e-3, -3.25, 0.9, -0.05, 6.0])
Y = np.array([2.0, -0.5, 3.0, 0.5, 2.0, -1.0, 3.0, 1.5, -2.0, 0.75, 2.0, -3.0, 1.0, -0.9, 4.0, 0.3])


def operands(name):
    return len(inspect.signature(getattr(te, name)).parameters)


class Functions(unittest.TestCase):
    def test_every_function_has_a_reference(self):
        self.assertEqual(sorted(_math.__all__), sorted(REFERENCES))

    def test_compiled_code(self):
        """All functions in one computation, one output each."""
        for dtype, tolerance in (("float32", 2e-6), ("float64", 1e-14)):
            x, y = X.astype(dtype), Y.astype(dtype)
            for factor in (1, 4):
                a, c = (te.placeholder((N,), dtype, n) for n in "ac")
                b = te.compute((N,), lambda i: tuple(getattr(te, n)(*(a[i], c[i])[:operands(n)]) for n in REFERENCES))  # pylint: disable=cell-var-from-loop
                s = te.create_schedule(b[0].op)
                inner = s[b[0]].split(b[0].op.axis[0], factor=factor)[1]
                if factor > 1:
                    s[b[0]].vectorize(inner)
                kernel = vta.build(s, [a, c, *b], "llvm", name="f")
                outs = [vta.nd.empty((N,), dtype) for _ in b]
                kernel(vta.nd.array(x), vta.nd.array(y), *outs)
                for (name, reference), out in zip(REFERENCES.items(), outs):
                    with np.errstate(all="ignore"):
                        expected = reference(*[v.astype("float64") for v in (x, y)[:operands(name)]]).astype(dtype)
                    np.testing.assert_allclose(out.numpy(), expected, rtol=tolerance, atol=tolerance,
                                               err_msg=f"{name} of {dtype}")

    def test_the_same_everywhere(self):
        """te, tir and topi have all of them; topi those of one operand, on tensors and on numbers."""
        a = te.placeholder((N,), "float32", "a")
        for name in _math.__all__:
            self.assertIs(getattr(te, name), getattr(tir, name))
            self.assertIn(name, te.__all__)
            self.assertIn(name, tir.__all__)
            if operands(name) == 1:
                text = f"tir.{name}("
                self.assertIn(text, str(getattr(topi, name)(te.var("x", "float32"))))
                self.assertIn(text, str(getattr(topi, name)(a).op.body[0]))
        self.assertIs(te.power, te.pow)

    def test_numbers_of_another_kind(self):
        with self.assertRaisesRegex(vta.VTAError, "the operand of erf is not a float: cast it first"):
            te.erf(te.var("i"))
        with self.assertRaises(TypeError):
            te.erf(te.var("x", "float32"), 2.0)  # pylint: disable=too-many-function-args


if __name__ == "__main__":
    unittest.main()

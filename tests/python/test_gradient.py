"""te.gradient from Python: networks of operators, compiled, against differences of the values; einsum against numpy; the
check itself; what is refused."""

import unittest

import common  # noqa: F401  # pylint: disable=unused-import
import numpy as np

import vta
from vta import te, topi
from vta.testing import check_numerical_grads

RANDOM = np.random.RandomState(7)


def compiled(outputs, inputs):
    """A function of arrays: what the default schedule computes."""
    kernel = vta.build(te.create_schedule([o.op for o in outputs]), [*inputs, *outputs], "llvm")

    def call(*arrays):
        given = [vta.nd.array(a, vta.cpu(0)) for a in arrays]
        made = [vta.nd.array(np.zeros(o.shape, o.dtype), vta.cpu(0)) for o in outputs]
        kernel(*given, *made)
        return [m.numpy() for m in made]

    return call


class Gradient(unittest.TestCase):
    """Whole operators."""

    def close(self, output, inputs, low=-1.0, high=1.0):
        """The gradients of the sum of what comes out, weighted at random."""
        arrays = [RANDOM.uniform(low, high, t.shape).astype(t.dtype) for t in inputs]
        weights = RANDOM.uniform(0.5, 1.5, output.shape).astype(output.dtype)
        head = te.placeholder(output.shape, output.dtype, name="head")
        grads = te.gradient(output, inputs, head=head)
        for grad, t in zip(grads, inputs):
            self.assertEqual(list(grad.shape), list(t.shape))
        got = compiled(grads, [*inputs, head])(*arrays, weights)
        forward = compiled([output], inputs)
        check_numerical_grads(lambda *given: float((forward(*given)[0] * weights).sum()), arrays, got, atol=1e-5, rtol=1e-5)

    def test_operators(self):
        x, w = te.placeholder((1, 2, 5, 5), "float64", name="x"), te.placeholder((2, 2, 3, 3), "float64", name="w")
        for stride, padding, dilation in [(1, 1, 1), (2, 0, 1), (1, 0, 2), (2, 1, 2)]:
            self.close(topi.nn.conv2d(x, w, stride, padding, dilation), [x, w])
        hidden = topi.nn.relu(topi.nn.conv2d(x, w, 1, 1, 1))
        self.close(topi.nn.softmax(topi.reshape(hidden, (1, 50))), [x, w])
        self.close(topi.nn.pool2d(x, [2, 2], [1, 1], [2, 2], [0, 0, 0, 0], "max"), [x])
        self.close(topi.concatenate((x, topi.sigmoid(x)), 2), [x])
        a, b = te.placeholder((3, 4), "float64", name="a"), te.placeholder((5, 4), "float64", name="b")
        self.close(topi.nn.dense(a, b), [a, b])
        self.close(topi.einsum("ij,kj->ki", a, b), [a, b])
        self.close(topi.sum(topi.exp(a)), [a])

    def test_whole(self):
        """Without a head: a gradient for every element of the output; as a list of one input, or by itself."""
        a = te.placeholder((3,), "float32", name="a")
        squares = te.compute((3,), lambda i: a[i] * a[i], name="squares")
        (by_a,), (same,) = te.gradient(squares, [a]), te.gradient(squares, a)
        values = np.array([1, 2, 3], "float32")
        for grad in (by_a, same):
            np.testing.assert_array_equal(compiled([grad], [a])(values)[0], np.diag(2 * values))
        self.assertEqual(te.gradient(squares, []), [])

    def test_refused(self):
        a, i = te.placeholder((3,), "float32", name="a"), te.placeholder((3,), "int32", name="i")
        b = te.compute((3,), lambda k: a[k] * 2.0, name="b")
        with self.assertRaisesRegex(TypeError, "what is differentiated is of type Tensor, not None"):
            te.gradient(None, [a])
        with self.assertRaisesRegex(TypeError, "an input of a gradient is of type Tensor"):
            te.gradient(b, [3])
        with self.assertRaisesRegex(Exception, "the input i is int32: only floats have derivatives"):
            te.gradient(b, [i])
        made = te.extern((3,), [a], lambda ins, outs: vta.tir.call_packed("f", ins[0], outs[0]), name="made", dtype="float32")
        with self.assertRaisesRegex(Exception, "made cannot be differentiated: it is made of statements"):
            te.gradient(made, [a])


class Einsum(unittest.TestCase):
    """Against numpy."""

    def test_numpy(self):
        shapes = {"i": 2, "j": 3, "k": 4, "l": 2}
        for subscripts in ["ij,jk->ik", "ij,jk", "ii->i", "ii", "ijk->kji", "i,j->ji", "ij,ij->", "ijk,kl,j->il", "ij->"]:
            letters = subscripts.partition("->")[0].split(",")
            inputs = [te.placeholder([shapes[c] for c in names], "float64", name=f"t{n}") for n, names in enumerate(letters)]
            arrays = [RANDOM.uniform(-1, 1, t.shape) for t in inputs]
            with self.subTest(subscripts):
                got = compiled([topi.einsum(subscripts, *inputs)], inputs)(*arrays)[0]
                np.testing.assert_allclose(got, np.einsum(subscripts, *arrays), rtol=1e-12, atol=1e-12)

    def test_refused(self):
        a, b = te.placeholder((2, 3), name="a"), te.placeholder((4, 3), name="b")
        for subscripts, words in [("ij,jk->ik", "'j' has 3 elements, and 4 in b"), ("ijk,jk->ik", "a has 2 dimensions"),
                                  ("ij->i", "it takes subscripts for each"), ("...j,kj->jk", "an ellipsis is not offered"),
                                  ("ij,kj->im", "a result of letters that they have")]:
            with self.subTest(subscripts), self.assertRaisesRegex(Exception, words):
                topi.einsum(subscripts, a, b)


class Check(unittest.TestCase):
    """check_numerical_grads finds wrong gradients."""

    def test_check(self):
        x, y = np.array([1.0, 2.0, 3.0]), np.array([4.0])
        for given in ([x, y], {"a": x, "b": y}):
            names = list(given) if isinstance(given, dict) else [0, 1]
            right, wrong = [2 * x * y, [(x * x).sum()]], [2 * x, [(x * x).sum()]]

            def value(a, b):
                return float((a * a * b).sum())

            check_numerical_grads(value, given, dict(zip(names, right)))
            with self.assertRaisesRegex(AssertionError, f"the gradient by input {names[0]} is off by"):
                check_numerical_grads(value, given, dict(zip(names, wrong)))
        with self.assertRaisesRegex(AssertionError, "has the shape"):
            check_numerical_grads(lambda a: a.sum(), [x], [y])
        with self.assertRaisesRegex(ValueError, "are not finite"):
            check_numerical_grads(lambda a: a.sum(), [x], [x * np.nan])


if __name__ == "__main__":
    unittest.main()

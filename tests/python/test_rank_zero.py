"""topi's reductions, squeeze and what is made of their results: shapes and values as numpy's, down to the shape ()."""

import itertools
import random
import unittest

import numpy as np

import common  # noqa: F401
import tvm
from tvm import te, topi

SEED, CASES = 3, 60
REDUCTIONS = {"sum": np.sum, "max": np.max, "min": np.min, "prod": np.prod, "all": np.all, "any": np.any}
PLACES = {"argmax": np.argmax, "argmin": np.argmin}


def run(make, values):
    """What a computation on one tensor gives."""
    a = te.placeholder(values.shape, name="A", dtype=str(values.dtype))
    b = make(a)
    out = tvm.nd.array(np.zeros([int(e) for e in b.shape], b.dtype))
    tvm.build(te.create_schedule(b.op), [a, b], "llvm")(tvm.nd.array(values), out)
    return out.numpy()


class RankZero(unittest.TestCase):
    def setUp(self):
        self.r = random.Random(SEED)
        self.full = 0

    def values(self):
        shape = [self.r.choice((1, 2, 3)) for _ in range(self.r.randrange(1, 4))]
        return np.random.RandomState(self.r.randrange(1000)).randint(-3, 4, shape).astype("int32")

    def check(self, got, expected):
        expected = np.asarray(expected)
        self.full += expected.shape == ()
        self.assertEqual(got.shape, expected.shape)
        np.testing.assert_array_equal(got, expected)

    def test_reductions(self):
        for name in itertools.islice(itertools.cycle(REDUCTIONS), CASES):
            x, keep = self.values(), self.r.random() < 0.3
            axis = self.r.choice((None, self.r.randrange(-x.ndim, x.ndim), tuple(self.r.sample(range(x.ndim), self.r.randrange(1, x.ndim + 1)))))
            given = list(axis) if isinstance(axis, tuple) else axis
            with self.subTest(name=name, shape=x.shape, axis=axis, keep=keep):
                self.check(run(lambda a: getattr(topi, name)(a, given, keep), x), REDUCTIONS[name](x, axis=axis, keepdims=keep))
        self.assertGreater(self.full, CASES // 6)

    def test_places(self):
        for name in itertools.islice(itertools.cycle(PLACES), CASES // 2):
            x, keep = self.values(), self.r.random() < 0.3
            axis = self.r.choice((None, self.r.randrange(x.ndim)))
            with self.subTest(name=name, shape=x.shape, axis=axis, keep=keep):
                self.check(run(lambda a: getattr(topi, name)(a, axis, keep), x), PLACES[name](x, axis=axis, keepdims=keep))
        self.assertGreater(self.full, CASES // 12)

    def test_squeeze(self):
        for _ in range(CASES // 2):
            x = self.values()
            ones = [d for d, e in enumerate(x.shape) if e == 1]
            axis = self.r.choice((None, ones)) if ones else None
            with self.subTest(shape=x.shape, axis=axis):
                self.check(run(lambda a: topi.squeeze(a, axis), x), np.squeeze(x, axis if axis is None else tuple(axis)))
        self.assertGreater(self.full, 0)

    def test_what_is_made_of_a_scalar(self):
        x = np.arange(1, 7, dtype="float32").reshape(2, 3)
        self.check(run(lambda a: topi.divide(a, topi.sum(a)), x), x / x.sum())
        self.check(run(lambda a: topi.add(topi.max(a), topi.min(a)), x), x.max() + x.min())
        self.check(run(lambda a: topi.exp(topi.sum(a) * 0.1), x) > 0, np.exp(x.sum() * 0.1) > 0)
        self.check(run(lambda a: topi.expand_dims(topi.sum(a), 0), x), np.expand_dims(x.sum(), 0))
        self.check(run(lambda a: topi.reshape(topi.sum(a), (1, 1)), x), x.sum().reshape(1, 1))
        self.check(run(lambda a: topi.broadcast_to(topi.sum(a), (2, 2)), x), np.broadcast_to(x.sum(), (2, 2)))

    def test_refused(self):
        a = te.placeholder((2, 1), name="A")
        for call in (lambda: topi.squeeze(a, 0), lambda: topi.sum(a, 2), lambda: topi.argmax(a, 5)):
            with self.assertRaises(ValueError):
                call()


if __name__ == "__main__":
    unittest.main()

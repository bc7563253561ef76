"""What the tests of te programs share: compiled results beside what they should be."""

import common  # noqa: F401  # pylint: disable=unused-import
import numpy as np
import tvm

RANDOM = np.random.default_rng(0)


def rand(*shape):
    return RANDOM.uniform(-1, 1, shape).astype("float32")


def check(s, args, inputs, wants, scalars=()):
    """Builds a schedule for the host and compares what it computes; `scalars` are pairs of a variable and its value."""
    f = tvm.build(s, [*(v for v, _ in scalars), *args], "llvm")
    outs = [tvm.nd.array(np.zeros(w.shape, w.dtype)) for w in wants]
    f(*(v for _, v in scalars), *(tvm.nd.array(x) for x in inputs), *outs)
    for out, want in zip(outs, wants):
        np.testing.assert_allclose(out.numpy(), want, rtol=1e-4, atol=1e-5)

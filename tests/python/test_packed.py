"""Operators as computations on tiles: scheduled by the library, they are the operator that was meant, and proven for all
inputs; and against numpy where what is packed is known."""

import random
import unittest

import common  # noqa: F401  # pylint: disable=unused-import
import numpy as np
import operators_numpy as reference

import vta
from vta import te, topi

CONFIGS = ({}, {"LOG_BATCH": 1}, {"LOG_BATCH": 2, "LOG_BLOCK": 3}, {"LOG_BLOCK": 5},
           {"LOG_BLOCK_IN": 3, "LOG_BLOCK_OUT": 4, "LOG_INP_BUFF_SIZE": 13, "LOG_WGT_BUFF_SIZE": 16},
           {"LOG_BLOCK_IN": 4, "LOG_BLOCK_OUT": 3, "LOG_ACC_BUFF_SIZE": 13})


def image(env, n, c, h, w, name="data"):
    return te.placeholder((n, c, h, w, env.BATCH, env.BLOCK_IN), env.inp_dtype, name)


def follow(x, env, r):
    """Some steps; the tensors that they take."""
    sides = []
    if r.random() < 0.5 and x.ndim in (4, 6):
        sides.append(te.placeholder((x.shape[1], env.BATCH, env.BLOCK_OUT), env.acc_dtype, "bias"))
        x = topi.bias_add_packed(x, sides[0])
    if r.random() < 0.5:
        x = topi.right_shift(x, r.randint(1, 9))
    if r.random() < 0.3:
        x = topi.leaky_relu_packed(x, r.randint(1, 5))
    if r.random() < 0.5:
        x = topi.clip(x, r.randint(-128, 0), r.randint(1, 127))
    return topi.out(x), sides


class Packed(unittest.TestCase):
    def check(self, operator, inputs, sums, r, steps=True):
        env = vta.get_env()
        res, sides = follow(sums, env, r) if steps else (sums, [])
        args = [*inputs, *sides, res]
        module = vta.build(args, auto=True)
        self.assertEqual(module.operator, operator)
        proof = vta.prove(module, args)
        self.assertNotEqual(proof.result, "wrong", proof)
        if proof.result != "proven":  # maxima and divisions of the reference may be beyond the prover
            self.compare(module, args)
        return proof.result

    def compare(self, module, args):
        numbers = np.random.default_rng(7)
        values = [numbers.integers(-128, 128, t.shape).astype(t.dtype) for t in args[:-1]]
        arrays = [vta.nd.array(v, vta.ext_dev(0)) for v in values] + [
            vta.nd.empty(args[-1].shape, args[-1].dtype, vta.ext_dev(0))]
        module(*arrays)
        np.testing.assert_array_equal(arrays[-1].numpy(), te.evaluate(args[-1], dict(zip(args, values))))

    def test_products(self):
        results = []
        for k in range(18):
            r = random.Random(k)
            with vta.Environment(CONFIGS[k % len(CONFIGS)]) as env:
                pads, groups = [r.randint(0, 2) for _ in range(4)], r.choice((1, 1, 2))
                data = image(env, r.randint(1, 2), 2 * groups, r.randint(3, 7), r.randint(3, 7))
                weight = te.placeholder((2 * groups, 2, r.randint(1, 3), r.randint(1, 3), env.BLOCK_OUT, env.BLOCK_IN),
                                        env.wgt_dtype, "weight")
                sums = topi.conv2d_packed(data, weight, r.randint(1, 2), pads)
                results.append(self.check("conv2d", [data, weight], sums, r))
                rows = te.placeholder((r.randint(1, 5), 3, env.BATCH, env.BLOCK_IN), env.inp_dtype, "rows")
                weight = te.placeholder((2, 3, env.BLOCK_OUT, env.BLOCK_IN), env.wgt_dtype, "weight")
                results.append(self.check("dense", [rows, weight], topi.dense_packed(rows, weight), r))
                pairs = te.placeholder((3, 2, 2, env.BATCH, env.BLOCK_IN), env.inp_dtype, "pairs")
                weights = te.placeholder((3, 1, 2, env.BLOCK_OUT, env.BLOCK_IN), env.wgt_dtype, "weights")
                results.append(self.check("batch_matmul", [pairs, weights], topi.batch_matmul_packed(pairs, weights), r))
        self.assertGreater(results.count("proven"), 40)

    def test_transposed(self):
        for k in range(10):
            r = random.Random(k)
            with vta.Environment(CONFIGS[k % len(CONFIGS)]) as env:
                stride = [r.randint(1, 3), r.randint(1, 2)]
                data = image(env, 1, 2, r.randint(2, 5), r.randint(2, 5))
                weight = te.placeholder((1, 2, r.randint(2, 4), r.randint(2, 4), env.BLOCK_OUT, env.BLOCK_IN),
                                        env.wgt_dtype, "weight")
                sums = topi.conv2d_transpose_packed(data, weight, stride, r.randint(0, 1), [stride[0] - 1, 0])
                self.check("conv2d_transpose", [data, weight], sums, r)

    def test_transposed_means_it(self):
        """The one computation that is not as plain as what it means: against numpy, through packed arrays."""
        for k in range(6):
            r, numbers = random.Random(k), np.random.default_rng(k)
            stride, pad = [r.randint(1, 3), r.randint(1, 3)], r.randint(0, 1)
            x = numbers.integers(-9, 9, (1, 16, r.randint(2, 4), r.randint(2, 4))).astype("int8")
            w = numbers.integers(-9, 9, (16, 16, r.randint(2, 4), r.randint(2, 4))).astype("int8")
            data = image(vta.get_env(), *x.shape[:1], 1, *x.shape[2:])
            weight = te.placeholder((1, 1, *w.shape[2:], 16, 16), "int8", "weight")
            sums = topi.conv2d_transpose_packed(data, weight, stride, pad, [stride[0] - 1, 0])
            want = reference.conv2d_transpose({"stride_h": stride[0], "stride_w": stride[1], "pad": pad,
                                               "output_pad_h": stride[0] - 1}, x, w)
            tiles = vta.pack(x, 1, 16), vta.pack(np.ascontiguousarray(w.transpose(1, 0, 2, 3)), 16, 16)
            got = te.evaluate(sums, dict(zip((data, weight), tiles)))
            np.testing.assert_array_equal(vta.unpack(got, want.shape), want)

    def test_without_weights(self):
        for k in range(8):
            r = random.Random(k)
            with vta.Environment(CONFIGS[k % 4]) as env:
                pads = [r.randint(0, 1) for _ in range(4)]
                data = image(env, 1, r.randint(1, 3), r.randint(3, 8), r.randint(3, 8))
                kernel, stride = [r.randint(2, 3), r.randint(2, 3)], [r.randint(1, 2), r.randint(1, 2)]
                self.check("max_pool2d", [data], topi.max_pool2d_packed(data, kernel, stride, pads), r)
                self.check("avg_pool2d", [data], topi.avg_pool2d_packed(data, kernel, stride, pads), r)
                self.check("upsample2d", [data], topi.upsample2d_packed(data, [2, r.randint(1, 3)]), r)
                other = image(env, *[int(d) for d in data.shape[:4]], name="other")
                for name, function in (("add", topi.add), ("multiply", topi.multiply), ("max", topi.maximum),
                                       ("min", topi.minimum)):
                    self.check(name, [data, other], function(topi.acc(data), topi.acc(other)), r)
                self.check("identity", [data], topi.out(topi.right_shift(topi.acc(data), 3)), r, steps=False)
                self.check("leaky_relu", [data], topi.leaky_relu_packed(topi.acc(data)), r)
                self.check("concat", [data, other], topi.concat_packed(data, other), r, steps=False)

    def test_refused(self):
        with vta.Environment({}) as env:
            data = image(env, 1, 3, 5, 5)
            weight = te.placeholder((4, 2, 3, 3, 16, 16), "int8", "w")
            for call, kind, words in (
                    (lambda: topi.conv2d_packed(data, weight), ValueError, "groups do not come out even"),
                    (lambda: topi.conv2d_packed(weight, 3), TypeError, "the weights of a convolution"),
                    (lambda: topi.dense_packed(data, weight), ValueError, "has 6 dimensions, not the 4 of tiles"),
                    (lambda: topi.conv2d_packed(data, weight, padding=(1, 2, 3)), ValueError, "1, 2 or 4 numbers"),
                    (lambda: topi.conv2d_transpose_packed(data, weight, padding=9), ValueError, "leaves none"),
                    (lambda: topi.concat_packed(), ValueError, "at least one tensor")):
                with self.assertRaisesRegex(kind, words):
                    call()
        with vta.Environment(CONFIGS[4]) as env, self.assertRaisesRegex(NotImplementedError, "vta.topi.Operator"):
            topi.max_pool2d_packed(image(env, 1, 1, 4, 4), 2)


if __name__ == "__main__":
    unittest.main()

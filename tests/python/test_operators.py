"""The library's operators from Python against numpy: random shapes with odd sizes on several configurations. None may be
refused, no element wrong, no race found."""

import random
import unittest

import common  # noqa: F401  # pylint: disable=unused-import
import numpy as np
import operators_numpy as reference

import vta
from vta import topi
from vta.testing import simulator

CONFIGS = (
    {},
    {"LOG_BATCH": 1},
    {"LOG_BATCH": 2, "LOG_BLOCK": 3},
    {"LOG_BLOCK": 5},
    {"LOG_BLOCK_IN": 3, "LOG_BLOCK_OUT": 4, "LOG_INP_BUFF_SIZE": 13, "LOG_WGT_BUFF_SIZE": 16},
    {"LOG_BLOCK_IN": 4, "LOG_BLOCK_OUT": 3, "LOG_ACC_BUFF_SIZE": 13},
    {"LOG_BLOCK_IN": 5, "LOG_BLOCK_OUT": 3, "LOG_ACC_BUFF_SIZE": 14},
    {"LOG_INP_BUFF_SIZE": 12, "LOG_WGT_BUFF_SIZE": 15, "LOG_ACC_BUFF_SIZE": 13},
)
CASES = 6  # of an operator; every configuration is met several times


class Case:
    """A random instance of an operator: attributes, epilogue and inputs."""

    def __init__(self, name, seed):
        self.name, self.random = name, random.Random(f"{name} {seed}")
        self.numbers = np.random.default_rng(self.random.randrange(1 << 30))
        self.attributes, self.inputs, self.epilogue, self.extra = {}, [], "", []
        getattr(self, f"make_{name}", self.make_elementwise)()
        self.narrow = self.random.choice(("saturate", "saturate", "wrap"))

    def pick(self, least, most):
        return self.random.randint(least, most)

    def tensor(self, *shape, dtype="int8"):
        ends = {"int8": (-128, 128), "int32": (-1 << 31, 1 << 31)}[dtype]
        return self.numbers.integers(*ends, shape).astype(dtype)

    def image(self, channels=None):
        return self.tensor(self.pick(1, 3), channels or self.pick(1, 40), self.pick(3, 9), self.pick(3, 9))

    def sides(self, most):
        for side in ("top", "bottom", "left", "right"):
            self.attributes[f"pad_{side}"] = self.pick(0, most)

    def make_conv2d(self):
        groups = self.random.choice((1, 1, 2, 3))
        data = self.image(groups * self.pick(1, 20))
        if self.pick(0, 3) == 0:
            groups = data.shape[1]  # depthwise
        kernel = (self.pick(1, 3), self.pick(1, 3))
        self.attributes.update(groups=groups, stride_h=self.pick(1, 2), stride_w=self.pick(1, 3))
        if min(data.shape[2:]) >= 5:
            self.attributes["dilation"] = self.pick(1, 2)
        self.sides(2)
        weight = self.tensor(groups * self.pick(1, 9), data.shape[1] // groups, *kernel)
        self.inputs = [data, weight]
        self.follow()

    def make_conv2d_transpose(self):
        data, stride = self.image(), (self.pick(1, 3), self.pick(1, 2))
        weight = self.tensor(data.shape[1], self.pick(1, 20), self.pick(2, 4), self.pick(2, 4))
        self.attributes.update(stride_h=stride[0], stride_w=stride[1], output_pad_h=self.pick(0, stride[0] - 1),
                               output_pad_w=self.pick(0, stride[1] - 1))
        self.sides(1)
        self.inputs = [data, weight]
        self.follow()

    def make_dense(self):
        features = self.pick(1, 70)
        self.inputs = [self.tensor(self.pick(1, 9), features), self.tensor(self.pick(1, 40), features)]
        self.follow()

    def make_batch_matmul(self):
        batch, features = self.pick(1, 4), self.pick(1, 50)
        self.inputs = [self.tensor(batch, self.pick(1, 6), features), self.tensor(batch, self.pick(1, 40), features)]
        self.follow()

    def make_window(self):
        self.inputs = [self.image()]
        self.attributes.update(kernel_h=self.pick(2, 3), kernel_w=self.pick(1, 3), stride=self.pick(1, 3))
        self.sides(1 if self.attributes["kernel_w"] > 1 else 0)

    make_max_pool2d = make_sum_pool2d = make_window

    def make_avg_pool2d(self):
        self.make_window()
        self.attributes["count_include_pad"] = self.pick(0, 1)

    def make_global_avg_pool2d(self):
        self.inputs = [self.image()]

    def make_upsample2d(self):
        self.inputs = [self.image()]
        self.attributes.update(scale_h=self.pick(1, 3), scale_w=self.pick(1, 3))

    def make_concat(self):
        first = self.image()
        n, _, h, w = first.shape
        self.inputs = [first] + [self.tensor(n, self.pick(1, 40), h, w) for _ in range(self.pick(0, 3))]

    def make_elementwise(self):
        first = self.image()
        if self.pick(0, 2) == 0:
            self.attributes["wide"] = 1
            first = self.tensor(*first.shape, dtype="int32")
        two = self.name in ("add", "multiply", "max", "min")
        self.inputs = [first, self.tensor(*first.shape, dtype=first.dtype.name)] if two else [first]
        if self.name == "multiply" and self.pick(0, 1):
            self.attributes["of_channels"] = 1
            self.inputs[1] = self.tensor(*first.shape[:2], 1, 1, dtype=first.dtype.name)
        if self.name in ("shift", "leaky_relu"):
            self.attributes["by"] = self.pick(1, 8)
        if self.name == "clip":
            self.attributes.update(low=self.pick(-99, 0), high=self.pick(1, 99))
        if self.name == "bias_add":
            self.inputs.append(self.tensor(first.shape[1], dtype="int32"))
        if self.pick(0, 1):
            self.epilogue = self.random.choice(("shift:3", "add:-5,min:77", "clip:-20:30"))

    def shape(self):
        """Of the result."""
        return reference.OPERATORS[self.name](self.attributes, *self.inputs).shape

    def follow(self):
        """Some steps, each of which may have an input."""
        shape, chosen = self.shape(), []
        for _ in range(self.pick(0, 4)):
            step = self.random.choice(("bias", "shift:6", "relu", "residual", "leaky:2", "round_shift:5", "multiply:3",
                                       "shift_channel", "multiply_channel", "bias_int8:1", "residual_int8:-3",
                                       "requantize:77:9"))
            if step.startswith("requantize"):  # exact where its product fits
                chosen.append("clip:-9999:9999")
            if step.split(":")[0] not in [c.split(":")[0] for c in chosen]:
                chosen.append(step)
        self.epilogue = ",".join(chosen)
        for step in chosen:
            if step in ("bias", "multiply_channel"):
                self.extra.append(self.tensor(shape[1] if len(shape) != 3 else shape[2], dtype="int32"))
            if step == "shift_channel":
                self.extra.append(self.numbers.integers(0, 20, shape[1] if len(shape) != 3 else shape[2]).astype("int32"))
            if step == "bias_int8:1":
                limit = vta.topi.bias_max(1)
                self.extra.append(self.numbers.integers(-limit, limit + 1,
                                                        shape[1] if len(shape) != 3 else shape[2]).astype("int32"))
            if step == "residual":
                self.extra.append(self.tensor(*shape, dtype="int32"))
            if step.startswith("residual_int8"):
                self.extra.append(self.tensor(*shape))

    def expected(self):
        epilogue, extra = self.epilogue, self.extra
        if self.name == "bias_add":
            value = reference.wrap(self.inputs[0].astype("int64") + reference.along(self.inputs[1], self.inputs[0]))
        elif self.name in reference.SIMPLE:
            value = reference.SIMPLE[self.name](self.attributes, *self.inputs)
        else:
            value = reference.OPERATORS[self.name](self.attributes, *self.inputs)
        return reference.steps(epilogue, value, extra, self.narrow)

    def named(self):
        """The inputs of steps by the names that the operator gives them."""
        names = {"bias": "bias", "residual": "residual", "multiply_channel": "factor", "shift_channel": "amount",
                 "bias_int8": "digits", "residual_int8": "addend"}
        with_input = [s.split(":")[0] for s in self.epilogue.split(",") if s.split(":")[0] in names]
        return {f"{names[s]}0": x for s, x in zip(with_input, self.extra)}


class Operators(unittest.TestCase):
    def check(self, name, seed, config):
        with vta.Environment(config), simulator.checking() as found:
            case = Case(name, seed)
            got = topi.run(name, *case.inputs, epilogue=case.epilogue, narrow=case.narrow, **case.named(),
                           **case.attributes)
        what = f"{name} {config} {case.attributes} {case.epilogue} {case.narrow} {[x.shape for x in case.inputs]}"
        np.testing.assert_array_equal(got, case.expected(), what)
        self.assertFalse(found.get("races"), what)

    def test_against_numpy(self):
        names = list(topi.operators())
        self.assertEqual(set(names), {*reference.OPERATORS, *reference.SIMPLE, "bias_add", "row_moments", "layer_norm"})
        seed = 0
        for name in (n for n in names if n not in ("row_moments", "layer_norm")):
            cases = 4 * CASES if name == "conv2d" else CASES
            for seed in range(cases):
                self.check(name, seed, CONFIGS[(seed + len(name)) % len(CONFIGS)])

    def test_reports(self):
        conv = topi.Operator("conv2d", height=14, width=14, in_channels=32, out_channels=40, kernel=3, pad=1,
                             epilogue=["bias", "shift:7", "relu", "clip"])
        self.assertEqual([(a.name, a.shape, a.dtype, a.tiles) for a in conv.inputs],
                         [("data", (1, 32, 14, 14), "int8", (1, 2, 14, 14, 1, 16)),
                          ("weight", (40, 32, 3, 3), "int8", (3, 2, 3, 3, 16, 16)), ("bias0", (40,), "int32", (3, 1, 16))])
        self.assertEqual((conv.output.name, conv.output.shape), ("res", (1, 40, 14, 14)))
        self.assertEqual(conv.macs, 14 * 14 * 32 * 40 * 9)
        self.assertLessEqual(conv.bound, conv.cycles)
        self.assertIn(f"{conv.cycles} reached", conv.report)
        self.assertTrue(conv.kernel_file.startswith("kernel conv2d"))
        before = conv.module
        self.assertLessEqual(conv.schedule(tries=8).cycles, before.cycles)
        self.assertEqual(conv.module.timed, 8)
        self.assertEqual(conv.attributes["kernel"], 3)

    def test_proven(self):
        """Operators by name, right for all inputs and in any order of their instructions."""
        image = {"height": 6, "width": 5}
        for name, attributes, epilogue in (
                ("conv2d", {**image, "in_channels": 32, "out_channels": 24, "kernel": 3, "pad": 1},
                 "bias_int8,shift:7,residual_int8,relu,clip"),
                ("conv2d", {"height": 8, "width": 8, "in_channels": 16, "out_channels": 16, "kernel": 3, "pad": 1, "pool": 3,
                            "pool_stride": 2, "pool_pad": 1}, "shift:6,clip"),
                ("conv2d", {**image, "in_channels": 32, "out_channels": 32, "groups": 32, "kernel": 3, "stride": 2}, ""),
                ("conv2d_transpose", {**image, "in_channels": 16, "out_channels": 16, "kernel": 4, "stride": 2, "pad": 1}, ""),
                ("dense", {"batch": 3, "in_features": 40, "out_features": 24}, "bias,shift:5"),
                ("batch_matmul", {"batch": 2, "rows": 3, "in_features": 20, "out_features": 16}, "shift:4"),
                ("add", {**image, "channels": 20}, "leaky:3"),
                ("max_pool2d", {**image, "channels": 20, "kernel": 3, "stride": 2, "pad": 1}, ""),
                ("avg_pool2d", {**image, "channels": 20, "kernel": 2}, "")):
            with self.subTest(name, **attributes):
                proof = topi.Operator(name, **attributes, epilogue=epilogue).prove(seed=5)
                self.assertEqual(proof.result, "proven", proof.reason)
                self.assertEqual(proof.draws, 2)
                self.assertLess(proof.log2_error, -20)
        self.assertEqual(topi.Operator("concat", channels0=16, channels1=16, height=2, width=2).prove().result, "unproven")

    def test_beside(self):
        """Matrices that stand side by side in tiles are plain arrays of matrices here."""
        rng = np.random.default_rng(3)
        data = rng.integers(-9, 9, (3, 5, 32), "int8")
        weight = rng.integers(-9, 9, (3, 48, 32), "int8")
        want = np.clip(np.einsum("bni,boi->bno", data.astype(int), weight.astype(int)) >> 4, -128, 127)
        for beside in ({"in_beside": 1}, {"out_beside": 1}, {"in_beside": 1, "out_beside": 1}, {"weight_columns": 1}):
            op = topi.Operator("batch_matmul", batch=3, rows=5, in_features=32, out_features=48, epilogue="shift:4", **beside)
            self.assertEqual(op(data, weight).tolist(), want.tolist())

    def test_shares(self):
        """Rows divided by the sums of their data: of one share, of many, of none, the smallest and the largest."""
        rng = np.random.default_rng(4)
        data = rng.integers(0, 128, (2, 12, 50), "int8")
        data[0, 0], data[0, 1], data[0, 2], data[1, 3] = 0, 127, [16] + [0] * 49, [0] * 49 + [127]
        weight = rng.integers(-128, 128, (2, 40, 50), "int8")
        weight[1, 0] = -128
        total = data.astype(float).sum(-1, keepdims=True)
        want = np.einsum("bni,boi->bno", data.astype(float), weight.astype(float)) / np.maximum(total, 1)
        for config, extra in (({}, {}), ({}, {"weight_columns": 1}), ({"LOG_BATCH": 1}, {}), ({"LOG_BLOCK": 5}, {})):
            with vta.Environment(config):
                op = topi.Operator("batch_matmul", "shift:21,add:1,shift:1", batch=2, rows=12, in_features=50, out_features=40, shares=1, **extra)
                np.testing.assert_allclose(op(data, weight), np.clip(want, -128, 127), atol=0.55)
                self.assertIsNone(op.may_wrap)

    def test_norms(self):
        """Rows of all bytes, of the largest and of small ones, with a mean and without: the integers, and floats."""
        rng = np.random.default_rng(6)
        for config in ({}, {"LOG_BATCH": 1, "LOG_BLOCK": 3, "LOG_WGT_BUFF_SIZE": 15}, {"LOG_BLOCK": 5}):
            for rows, features, mean, epsilon in ((37, 64, 1, 32), (7, 192, 1, 900), (20, 100, 0, 50), (3, 2048, 1, 1024)):
                x = rng.standard_normal((rows, features)) * 2 ** rng.uniform(8, 12, (rows, 1)) + rng.uniform(-99, 99, (rows, 1))
                x[0] = rng.choice((-16256, 16256), features)
                x = np.clip(np.rint(x), -16256, 16256).astype(int)
                data = np.stack([x.astype("int8"), ((127 - x) >> 8).astype("int8")])
                if rows == 7:  # no halves of anything
                    data = rng.integers(-128, 128, data.shape).astype("int8")
                a = {"mean": mean, "epsilon": epsilon, "block": 1 << config.get("LOG_BLOCK", 4)}
                with self.subTest(config, rows=rows), vta.Environment(config), simulator.checking() as found:
                    moments = topi.run("row_moments", data, mean=mean)
                    np.testing.assert_array_equal(moments, reference.row_moments(a, data).astype("int8"))
                    y = topi.run("layer_norm", data, moments, mean=mean, epsilon=epsilon, epilogue="round_shift:7")
                    want = reference.steps("round_shift:7", reference.layer_norm(a, data, moments), [])
                    np.testing.assert_array_equal(y, want)
                    self.assertFalse(found.get("races"))
                    if rows == 7:
                        continue
                    apart = x - x.mean(-1, keepdims=True) * mean
                    one = 2 ** 5 / np.sqrt(features / 2 ** np.ceil(np.log2(features)))
                    want = apart / np.sqrt((apart ** 2).mean(-1, keepdims=True)) * one
                    few = np.abs(want) < 126
                    np.testing.assert_allclose(y[few], want[few], atol=1.2)

    def test_narrow(self):
        """A result past its type becomes the nearest end, unless it is to wrap."""
        data, weight = np.full((1, 4), 127, "int8"), np.array([[127] * 4, [-128] * 4, [0, 0, 0, 1]], "int8")
        self.assertEqual(topi.run("dense", data, weight).tolist(), [[127, -128, 127]])
        self.assertEqual(topi.run("dense", data, weight, narrow="wrap").tolist(), [[4, 0, 127]])
        with self.assertRaisesRegex(vta.VTAError, "narrow=clamp: expected saturate or wrap"):
            topi.run("dense", data, weight, narrow="clamp")
        with self.assertRaisesRegex(TypeError, "narrowed"):
            topi.Operator("dense", in_features=4, out_features=4, narrow=1)
        self.assertIsNone(topi.Operator("dense", in_features=4, out_features=4).may_wrap)
        self.assertIn("bias may wrap", topi.Operator("dense", "bias", in_features=4, out_features=4).may_wrap)

    def test_profile(self):
        """A compiled operator is a kernel like others: its arrays can be made, timed and read."""
        dense = topi.Operator("dense", in_features=32, out_features=16, epilogue="shift:4")
        data, weight = (np.random.default_rng(3).integers(-9, 9, s).astype("int8") for s in ((1, 32), (16, 32)))
        arrays = dense.arrays(weight=weight, data=data)
        report = vta.testing.profile(dense.module, *arrays)
        self.assertEqual(report.data["timing"]["cycles"], dense.cycles)
        want = np.clip(data.astype("int64") @ weight.T.astype("int64") >> 4, -128, 127)
        np.testing.assert_array_equal(arrays[-1].numpy().reshape(1, 16), want)

    def test_refused_calls(self):
        data, weight = np.zeros((1, 3, 5, 5), "int8"), np.zeros((4, 3, 3, 3), "int8")
        for call, kind, words in (
                (lambda: topi.run("conv2", data, weight), vta.VTAError, 'no operator "conv2".*conv2d'),
                (lambda: topi.run("conv2d", data), ValueError, "4 dimensions and 4 dimensions first, not of 4"),
                (lambda: topi.run("conv2d", data, weight[0]), ValueError, "not of 4, 3"),
                (lambda: topi.run("conv2d", data, weight, strde=2), vta.VTAError, 'no attribute "strde".*stride'),
                (lambda: topi.run("conv2d", data, weight, epilogue="shft"), vta.VTAError, 'no step "shft".*shift'),
                (lambda: topi.run("conv2d", data, weight, stride=1.5), TypeError, "stride is an integer"),
                (lambda: topi.run("conv2d", data, weight, epilogue=8), TypeError, "an epilogue is a string"),
                (lambda: topi.run("conv2d", data, weight, epilogue="bias"), TypeError, r"bias0 \(4,\).*given are 2"),
                (lambda: topi.run("conv2d", data, weight, bias0=weight), TypeError, "each once; given are 2 by position and bias0"),
                (lambda: topi.run("conv2d", data.astype("float32"), weight), TypeError, "holds integers.*quantize it first"),
                (lambda: topi.run("conv2d", data + np.int16(300), weight), ValueError, "from 300 to 300: int8 holds -128 to 127"),
                (lambda: topi.run("dense", data[0, 0], np.zeros((4, 6), "int8")), ValueError, r"weight has the shape \(4, 5\), not \(4, 6\)"),
                (lambda: topi.run("conv2d", data, np.zeros((4, 3, 9, 9), "int8")), vta.VTAError, "kernel"),
                (lambda: topi.Operator(3), TypeError, "an operator's name is a string")):
            with self.assertRaisesRegex(kind, words):
                call()

    def test_narrow_types(self):
        with vta.Environment({"LOG_INP_WIDTH": 2, "LOG_INP_BUFF_SIZE": 14}):
            op = topi.Operator("dense", in_features=8, out_features=8)
            self.assertLess(0, op.cycles)
            with self.assertRaisesRegex(NotImplementedError, "data is of int4, which no array of numpy is"):
                op(np.zeros((1, 8), "int8"), np.zeros((8, 8), "int8"))


class Scheduled(unittest.TestCase):
    """Computations of one's own, with the schedule chosen."""

    def dense(self, shift=5):
        env, te = vta.get_env(), vta.te
        data = te.placeholder((3, 2, env.BATCH, env.BLOCK_IN), env.inp_dtype, "x")
        weight = te.placeholder((4, 2, env.BLOCK_OUT, env.BLOCK_IN), env.wgt_dtype, "w")
        k, l = te.reduce_axis((0, 2), "k"), te.reduce_axis((0, env.BLOCK_IN), "l")
        total = te.compute((3, 4, env.BATCH, env.BLOCK_OUT), lambda n, o, b, c: te.sum(
            data[n, k, b, l].astype("int32") * weight[o, k, c, l].astype("int32"), axis=[k, l]), "total")
        out = topi.cast(topi.clip(topi.right_shift(total, shift), -100, 100), env.out_dtype)
        return [data, weight, out]

    def test_build(self):
        args = self.dense()
        module = vta.build(args, auto=True, name="mine")
        self.assertEqual((module.operator, module.entry_name), ("dense", "mine"))
        self.assertIn("kernel mine", module.kernel_file)
        self.assertLessEqual(module.bound, module.cycles)
        self.assertTrue(vta.prove(module, args))
        numbers = np.random.default_rng(8)
        values = [numbers.integers(-128, 128, t.shape).astype(t.dtype) for t in args[:2]]
        arrays = [vta.nd.array(v, vta.ext_dev(0)) for v in values] + [vta.nd.empty(args[2].shape, "int8", vta.ext_dev(0))]
        module(*arrays)
        np.testing.assert_array_equal(arrays[2].numpy(), vta.te.evaluate(args[2], dict(zip(args, values))))
        for same in (vta.build(vta.te.create_schedule(args[2].op), args, auto=True, name="mine"),
                     vta.build(None, args, "ext_dev", auto=True, name="mine", tries=3)):
            self.assertEqual(same.kernel_file, module.kernel_file)

    def test_saved(self):
        import os
        import tempfile

        args = self.dense()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "mine.o")
            vta.build(args, auto=True, name="mine").save(path)
            self.assertTrue(vta.prove(vta.load_module(path), args))

    def test_refused(self):
        env, te = vta.get_env(), vta.te
        args = self.dense()
        loose = te.compute(args[2].shape, lambda *i: args[2](*i) // 3, "loose")
        for call, kind, words in (
                (lambda: vta.build([*args[:2], loose], auto=True, name="mine"), vta.VTAUnsupportedError, "mine: .*"),
                (lambda: vta.build([args[0], args[2]], auto=True), vta.VTAUnsupportedError,
                 "w: is read and is not among the function's arguments"),
                (lambda: vta.build([], auto=True), ValueError, "needs the function's arguments"),
                (lambda: vta.build([args[0], 3], auto=True), TypeError, "an argument of a kernel that is scheduled"),
                (lambda: vta.build(args, target="llvm", auto=True), ValueError, "not for llvm"),
                (lambda: vta.build(args, auto=True, tries=99), vta.VTAError, "tries is 99: at most 32"),
                (lambda: vta.build(te.create_schedule(args[2].op), args, tries=2), ValueError, "tries=... is for auto=True"),
                (lambda: vta.build(args), TypeError, "what is compiled is a schedule")):
            with self.assertRaisesRegex(kind, words):
                call()
        self.assertEqual(env.BATCH, 1)


if __name__ == "__main__":
    unittest.main()

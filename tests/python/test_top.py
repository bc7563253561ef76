"""vta.top: the operators as templates, against numpy, with configurations of all kinds; and the names that reach them."""

import types
import unittest

import common  # noqa: F401  # pylint: disable=unused-import
import numpy as np
import tvm
from tvm import autotvm, relay, te, topi
from tvm.topi.testing import conv2d_nchw_python, conv2d_transpose_nchw_python

import vta

ENV = vta.get_env()
RANDOM = np.random.default_rng(5)


def in_tiles(x, rows, lanes):
    """[a * rows, b * lanes, ...] as [a, b, ..., rows, lanes]."""
    a, b = x.shape[0] // rows, x.shape[1] // lanes
    order = (0, 2, *range(4, x.ndim + 2), 1, 3)
    return np.ascontiguousarray(x.reshape(a, rows, b, lanes, *x.shape[2:]).transpose(order))


def from_tiles(x):
    """The reverse."""
    plain = x.transpose(0, x.ndim - 2, 1, x.ndim - 1, *range(2, x.ndim - 2))
    return plain.reshape(x.shape[0] * x.shape[-2], x.shape[1] * x.shape[-1], *x.shape[2:-2])


def values(*shape):
    return RANDOM.integers(-128, 128, shape).astype("int8")


def tensors(*arrays):
    return [te.placeholder(a.shape, str(a.dtype), f"x{i}") for i, a in enumerate(arrays)]


class Case:
    """An operator in tiles, its operands and what it means."""

    def __init__(self, name, compute, schedule, arrays, want, bias=False):
        self.name, self.compute, self.schedule, self.arrays, self.want = name, compute, schedule, arrays, want
        if bias:
            lanes = arrays[1].shape[-2]
            extra = [1] * (want.ndim - 2)
            b = RANDOM.integers(-3000, 3000, (1, arrays[1].shape[0] * lanes, *extra)).astype("int32")
            self.arrays, self.want = [*arrays, in_tiles(b, 1, lanes)], want + b
        self.want = np.clip(self.want >> 6, -128, 127).astype("int8")

    def schedule_now(self):
        """The schedule, of a computation in which two stages clip; its arguments."""
        args = tensors(*self.arrays)
        sums = self.compute(*args[:2])
        out = topi.add(sums, args[2]) if len(args) > 2 else sums
        out = topi.right_shift(out, 6)
        with te.tag_scope(topi.tag.ELEMWISE):
            out = te.compute(out.shape, lambda *i: te.min(out(*i), te.const(127, "int32")), "low")
            out = te.compute(out.shape, lambda *i: te.max(out(*i), te.const(-128, "int32")), "high")
        out = topi.cast(out, "int8")
        return self.schedule([out]), [*args, out]

    def run(self, s, args):
        kernel = vta.build(s, args, ENV.target)
        arrays = [tvm.nd.array(a, tvm.ext_dev(0)) for a in self.arrays]
        result = tvm.nd.array(np.zeros(tuple(args[-1].shape), "int8"), tvm.ext_dev(0))
        kernel(*arrays, result)
        return from_tiles(result.numpy())


def conv(n, ic, oc, size, kernel, stride, pad, groups=1, bias=False):
    x, w = values(n, ic, *size), values(oc, ic // groups, *kernel)
    want = conv2d_nchw_python(x.astype("int32"), w.astype("int32"), stride, pad, groups)
    arrays = [in_tiles(x, ENV.BATCH, ENV.BLOCK_IN), in_tiles(w, ENV.BLOCK_OUT, ENV.BLOCK_IN)]
    layout = f"NCHW{ENV.BATCH}n{ENV.BLOCK_IN}c"
    if groups == 1:
        return Case(f"conv2d {size} {kernel} {stride} {pad}", lambda d, k: vta.top.conv2d_packed(
            d, k, stride, pad, (1, 1), layout, "int32"), vta.top.schedule_conv2d_packed, arrays, want, bias)
    return Case(f"group_conv2d {groups}", lambda d, k: vta.top.group_conv2d_packed(
        d, k, stride, pad, (1, 1), groups, "int32"), vta.top.schedule_group_conv2d_packed, arrays, want, bias)


def transposed(size, kernel, stride, pad):
    x, w = values(1, 32, *size), values(32, 16, *kernel)
    want = conv2d_transpose_nchw_python(x.astype("int32"), w.astype("int32"), stride, pad, (0, 0))
    turned = np.ascontiguousarray(w.transpose(1, 0, 2, 3)[:, :, ::-1, ::-1])
    return Case(f"conv2d_transpose {size} {kernel}", lambda d, k: vta.top.conv2d_transpose_packed(d, k, stride, pad, "int32"),
                vta.top.schedule_conv2d_transpose_packed,
                [in_tiles(x, ENV.BATCH, ENV.BLOCK_IN), in_tiles(turned, ENV.BLOCK_OUT, ENV.BLOCK_IN)], want)


def dense(n, depth, outs, bias=False):
    x, w = values(n, depth), values(outs, depth)
    return Case("dense", lambda d, k: vta.top.dense_packed(d, k, None, "int32"), vta.top.schedule_dense_packed,
                [in_tiles(x, ENV.BATCH, ENV.BLOCK_IN), in_tiles(w, ENV.BLOCK_OUT, ENV.BLOCK_IN)],
                x.astype("int32") @ w.astype("int32").T, bias)


def cases():
    yield conv(1, 32, 32, (8, 8), (3, 3), (1, 1), (1, 1), bias=True)
    yield conv(2, 16, 48, (9, 12), (1, 1), (2, 2), (0, 0))
    yield conv(1, 48, 16, (6, 10), (3, 2), (2, 1), (2, 1))
    yield conv(1, 32, 64, (8, 8), (3, 3), (1, 1), (1, 1), groups=2, bias=True)
    yield transposed((4, 4), (4, 4), (2, 2), (1, 1))
    yield transposed((3, 5), (3, 3), (1, 1), (1, 1))
    yield dense(4, 64, 96, bias=True)
    yield dense(1, 32, 16)


class Operators(unittest.TestCase):
    def test_own_choice(self):
        for case in cases():
            with self.subTest(case.name), ENV.target:
                np.testing.assert_array_equal(case.run(*case.schedule_now()), case.want)

    def test_any_choice(self):
        """Configurations by chance are right, or refused in words: buffers that are too small, paddings that DMA has not."""
        ran, refused = 0, []
        for case in cases():
            with ENV.target, autotvm.task.ApplyConfig(autotvm.ConfigSpace()) as context:
                case.schedule_now()
            for config in context.config.sample(6, seed=7):
                with ENV.target, autotvm.task.ApplyConfig(config):
                    s, args = case.schedule_now()
                    try:
                        got = case.run(s, args)
                    except vta.VTAError as error:
                        refused.append(f"{case.name}: {config}: {error}")
                        continue
                np.testing.assert_array_equal(got, case.want, f"{case.name}: {config}")
                ran += 1
        self.assertGreater(ran, 24, "\n".join(refused))
        for words in refused:
            self.assertRegex(words, "buffer|pad|dimension|loop|transfer")

    def test_choice_is_near_the_best(self):
        """Of all configurations of a layer none is much faster than the one that is chosen without a log."""
        data, kernel = tensors(np.zeros((1, 2, 8, 8, ENV.BATCH, ENV.BLOCK_IN), "int8"), np.zeros((4, 2, 3, 3, 16, 16), "int8"))
        args = (data, kernel, (1, 1), (1, 1), (1, 1), "NCHW1n16c", "int32")
        task = autotvm.task.create("conv2d_packed.vta", args, ENV.target)
        self.assertEqual(task.flop, 2 * 64 * 8 * 8 * 32 * 9)
        tuner = autotvm.tuner.RandomTuner(task)
        tuner.tune(40, autotvm.measure_option("local", "local"))
        with ENV.target, autotvm.task.ApplyConfig(autotvm.FallbackConfigEntity()):
            s, given = task.func(*task.args)
        runner = autotvm.LocalRunner()
        (seconds,) = runner.run(autotvm.MeasureInput(ENV.target, task, None), vta.build(s, given), given)
        self.assertLess(seconds, 1.15 * tuner.best_measure_pair[1].mean)

    def test_best_of_a_log_is_taken(self):
        case = conv(1, 32, 32, (8, 8), (3, 3), (1, 1), (1, 1))
        data, kernel = tensors(*case.arrays[:2])
        task = autotvm.task.create("conv2d_packed.vta", (data, kernel, (1, 1), (1, 1), (1, 1), "NCHW1n16c", "int32"), ENV.target)
        config = task.config_space.get(25)
        record = (autotvm.MeasureInput(ENV.target, task, config), autotvm.MeasureResult((1.0,), 0, 1.0, 1.0))
        with ENV.target, autotvm.apply_history_best([record]):
            s, args = case.schedule_now()
        with ENV.target, autotvm.task.ApplyConfig(config):
            t, again = case.schedule_now()
        with ENV.target:
            u, own = case.schedule_now()
        texts = [str(vta.lower(x, a, simple_mode=True)) for x, a in ((s, args), (t, again), (u, own))]
        self.assertEqual(texts[0], texts[1])
        self.assertNotEqual(texts[0], texts[2])

    def test_refused(self):
        a, w, x = tensors(np.zeros((1, 2, 8, 8, 1, 16), "int8"), np.zeros((2, 2, 3, 3, 16, 16), "int8"), np.zeros((4, 4), "int8"))
        plain, kernel = tensors(np.zeros((1, 16, 8, 8), "int8"), np.zeros((16, 16, 3, 3), "int8"))
        for error, words, call in (
                (ValueError, "layout NCHW1n16c, not NCHW", lambda: vta.top.conv2d_packed(a, w, (1, 1), (1, 1), (1, 1), "NCHW", "int32")),
                (NotImplementedError, "dilation is", lambda: vta.top.conv2d_packed(a, w, (1, 1), (1, 1), (2, 2), "NCHW1n16c", "int32")),
                (ValueError, "out_dtype is int8", lambda: vta.top.conv2d_packed(a, w, (1, 1), (1, 1), (1, 1), "NCHW1n16c", "int8")),
                (ValueError, "in 2 groups", lambda: vta.top.group_conv2d_packed(a, w, (1, 1), (1, 1), (1, 1), 2, "int32")),
                (ValueError, "of 4 dimensions, not of 2 and 2", lambda: vta.top.dense_packed(x, x, None, "int32")),
                (ValueError, "leaves out more", lambda: vta.top.conv2d_transpose_packed(a, w, (2, 2), (3, 3), "int32")),
                (ValueError, "ends? with topi.cast", lambda: vta.top.schedule_conv2d_packed(
                    [vta.top.conv2d_packed(a, w, (1, 1), (1, 1), (1, 1), "NCHW1n16c", "int32")])),
                (LookupError, "come from no registered template", lambda: topi.generic.schedule_conv2d_nchw(
                    [topi.nn.conv2d(plain, kernel, 1, 1, 1)])),
                (NotImplementedError, "layout 'NHWC'", lambda: topi.nn.conv2d(plain, kernel, 1, 1, 1, "NHWC")),
                (ValueError, "matrices are wanted", lambda: topi.nn.dense(*tensors(np.zeros(4), np.zeros(4)))),
                (AttributeError, "vta.top.bitpack is not offered", lambda: vta.top.bitpack)):
            with ENV.target, self.assertRaisesRegex(error, words):
                call()
        with self.assertRaisesRegex(ValueError, "is for the accelerator"):
            topi.nn.conv2d(a, w, 1, 1, 1, "NCHW1n16c", "int32")


class Names(unittest.TestCase):
    def test_by_target(self):
        """topi's names are the templates, for the accelerator and tensors in tiles."""
        c, g, t, d = (next(x for x in cases() if x.name.startswith(n)) for n in ("conv2d ", "group", "conv2d_transpose", "dense"))
        c.compute = lambda a, w: topi.nn.conv2d(input=a, filter=w, padding=(1, 1), strides=(1, 1), dilation=(1, 1),
                                                layout="NCHW1n16c", out_dtype="int32")
        g.compute = lambda a, w: topi.nn.group_conv2d_nchw(a, w, (1, 1), (1, 1), (1, 1), 2, "int32")
        t.compute = lambda a, w: topi.nn.conv2d_transpose_nchw(Input=a, Filter=w, strides=(2, 2), padding=(1, 1), out_dtype="int32",
                                                               output_padding=(0, 0))
        d.compute = lambda a, w: topi.nn.dense(a, w, None, "int32")
        for case, name in ((c, "conv2d_nchw"), (g, "group_conv2d_nchw"), (t, "conv2d_transpose_nchw"), (d, "dense")):
            case.schedule = getattr(topi.generic, f"schedule_{name}")
            with self.subTest(name), ENV.target:
                np.testing.assert_array_equal(case.run(*case.schedule_now()), case.want)

    def test_on_the_processor(self):
        target = ENV.target_vta_cpu
        self.assertEqual(target.keys, ["arm_cpu", "cpu"])
        x, w, g, t = values(2, 4, 9, 8), values(6, 4, 3, 2), values(6, 2, 3, 3), values(4, 5, 3, 4)
        wide = [v.astype("int32") for v in (x, w, g, t)]
        a, b, e, f = tensors(x, w, g, t)
        for out, schedule, kernel, want in (
                (topi.arm_cpu.conv2d_nchw_spatial_pack(a, b, (2, 1), (1, 0), (1, 1), "int32"),
                 topi.arm_cpu.schedule_conv2d_nchw_spatial_pack, (b, w), conv2d_nchw_python(wide[0], wide[1], (2, 1), (1, 0))),
                (topi.nn.conv2d(a, b, (1, 1), (0, 0), (1, 1), out_dtype="int32"), topi.generic.schedule_conv2d_nchw, (b, w),
                 conv2d_nchw_python(wide[0], wide[1], 1, 0)),
                (topi.nn.group_conv2d_nchw(a, e, 1, 1, 1, 2, "int32"), topi.generic.schedule_group_conv2d_nchw, (e, g),
                 conv2d_nchw_python(wide[0], wide[2], 1, 1, 2)),
                (topi.arm_cpu.conv2d_transpose_nchw(a, f, (2, 3), (1, 1), "int32", (1, 0)),
                 topi.arm_cpu.schedule_conv2d_transpose_nchw, (f, t), conv2d_transpose_nchw_python(wide[0], wide[3], (2, 3), 1, (1, 0)))):
            with target:
                out = topi.right_shift(out, 1)
                s = schedule([out])
            run = tvm.build(s, [a, kernel[0], out], target)
            got = tvm.nd.array(np.zeros(tuple(out.shape), "int32"))
            run(tvm.nd.array(x), tvm.nd.array(kernel[1]), got)
            np.testing.assert_array_equal(got.numpy(), want >> 1)

    def test_strategies(self):
        """Relay's operators take strategies, which give computation and schedule of a target."""
        from tvm.relay.op import op as reg
        from tvm.relay.op import strategy as _strategy
        from tvm.relay.op.op import OpPattern, OpStrategy

        @_strategy.conv2d_strategy.register("vta")
        def for_vta(attrs, inputs, out_type, target):
            strategy = OpStrategy()
            if attrs.data_layout == "NCHW":
                return _strategy.arm_cpu.conv2d_strategy_arm_cpu(attrs, inputs, out_type, tvm.target.arm_cpu(target.model))
            strategy.add_implementation(lambda *_: self.fail("of a lower level"), None, plevel=5)
            strategy.add_implementation(_strategy.wrap_compute_conv2d(vta.top.conv2d_packed, need_data_layout=True),
                                        _strategy.wrap_topi_schedule(vta.top.schedule_conv2d_packed), name="conv2d_packed.vta")
            return strategy

        case = next(cases())
        attrs = types.SimpleNamespace(strides=(1, 1), padding=(1, 1), dilation=(1, 1), groups=1, data_layout="NCHW1n16c", out_dtype="int32")
        found = relay.op.get("nn.conv2d").get_attr("FTVMStrategy")(attrs, tensors(*case.arrays), None, ENV.target).best()
        self.assertEqual(found.name, "conv2d_packed.vta")
        with ENV.target:
            case.compute = lambda *args: found.compute(attrs, args, None)[0]
            case.schedule = lambda outs: found.schedule(attrs, outs, ENV.target)
            np.testing.assert_array_equal(case.run(*case.schedule_now()), case.want)
        attrs.data_layout, attrs.groups = "NCHW", 2
        x, w = values(1, 4, 6, 6), values(4, 2, 3, 3)
        plain = _strategy.conv2d_strategy(attrs, tensors(x, w), None, ENV.target).best()
        args = tensors(x, w)
        out = plain.compute(attrs, args, None)[0]
        run = tvm.build(plain.schedule(attrs, [out], "llvm"), [*args, out], "llvm")
        got = tvm.nd.array(np.zeros(tuple(out.shape), "int32"))
        run(tvm.nd.array(x), tvm.nd.array(w), got)
        np.testing.assert_array_equal(got.numpy(), conv2d_nchw_python(x.astype("int32"), w.astype("int32"), 1, 1, 2))
        reg.register_pattern("copy", OpPattern.INJECTIVE, level=15)
        self.assertEqual(reg.get("copy").get_attr("TOpPattern"), OpPattern.INJECTIVE)
        for words, call in (("no operator 'nothing'", lambda: relay.op.get("nothing")),
                            ("has nothing for the target llvm; it has for vta", lambda: _strategy.conv2d_strategy(attrs, args, None, "llvm")),
                            ("without implementations", OpStrategy().best)):
            with self.assertRaisesRegex(LookupError, words):
                call()

    def test_targets(self):
        target = tvm.target.Target({"kind": "llvm", "mtriple": "aarch64-linux-gnu", "keys": ["arm_cpu", "cpu"], "host": "llvm"})
        self.assertEqual((target.keys, target.attrs["mtriple"], str(target.host)), (["arm_cpu", "cpu"], "aarch64-linux-gnu", "llvm"))
        self.assertEqual(tvm.target.arm_cpu("ultra96").keys, ["arm_cpu", "cpu"])
        self.assertEqual(tvm.target.vta().device_name, "vta")
        with self.assertRaisesRegex(ValueError, "a target's dictionary has kind"):
            tvm.target.Target({"keys": "vta"})
        self.assertEqual(tvm.device(str(ENV.target)), tvm.ext_dev(0))


if __name__ == "__main__":
    unittest.main()

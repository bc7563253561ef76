"""Templates and their tuning, as scripts for AutoTVM write them: spaces, tasks, tuners, logs, what is refused."""

import io
import itertools
import json
import math
import os
import tempfile
import unittest
from unittest import mock

import common  # noqa: F401  # pylint: disable=unused-import
import numpy as np
import tvm
from tvm import autotvm, te, topi
from tvm.autotvm.task.space import ConfigEntity, ConfigSpace, SplitEntity

import vta

ENV = vta.get_env()


def option(**runner):
    return autotvm.measure_option(builder=autotvm.LocalBuilder(), runner=autotvm.LocalRunner(**runner))


@autotvm.template("double")
def double(n, dtype):
    """A template for the host."""
    a = te.placeholder((n,), dtype, "a")
    b = te.compute((n,), lambda i: a[i] * 2, "b")
    s = te.create_schedule(b.op)
    cfg = autotvm.get_config()
    cfg.define_split("tile", s[b].op.axis[0], num_outputs=3)
    cfg.define_annotate("how", ["outer", "middle", "inner"], policy="try_vec")
    axes = cfg["tile"].apply(s, b, s[b].op.axis[0])
    cfg["how"].apply(s, b, axes)
    if cfg["tile"].size[1] == 8:
        cfg.raise_error("a middle of 8 is not wanted")
    return s, [a, b]


def rows_of(rows, columns):
    """A template for the accelerator: a result of rows times columns, shifted, a tile at a time."""
    shape = (rows, columns, ENV.BATCH, ENV.BLOCK_OUT)
    data = te.placeholder(shape, ENV.acc_dtype, "data")
    local = te.compute(shape, lambda *i: data(*i), "local")
    moved = te.compute(shape, lambda *i: local(*i) >> 3, "moved")
    out = te.compute(shape, lambda *i: moved(*i).astype(ENV.out_dtype), "out")
    s = te.create_schedule(out.op)
    cfg = autotvm.get_config()
    cfg.define_split("rows", out.op.axis[0], num_outputs=2)
    cfg.define_split("columns", out.op.axis[1], num_outputs=2, filter=lambda e: e.size[-1] > 1)
    cfg.define_knob("threads", [1, 2])
    cfg.add_flop(rows * columns * ENV.BATCH * ENV.BLOCK_OUT)
    r0, r1 = cfg["rows"].apply(s, out, out.op.axis[0])
    c0, c1 = cfg["columns"].apply(s, out, out.op.axis[1])
    s[out].reorder(r0, c0, r1, c1)
    if cfg["threads"].val > 1:
        c0, thread = s[out].split(c0, factor=2)
        s[out].reorder(thread, r0)
        s[out].bind(thread, te.thread_axis("cthread"))
    for tensor in (local, moved):
        s[tensor].set_scope(ENV.acc_scope)
        s[tensor].compute_at(s[out], c0)
    s[local].pragma(s[local].op.axis[0], ENV.dma_copy)
    s[moved].pragma(s[moved].op.axis[0], ENV.alu)
    s[out].pragma(r1, ENV.dma_copy)
    return s, [data, out]


def task_of(rows=8, columns=8):
    return autotvm.task.create(rows_of, (rows, columns), target=tvm.target.vta(), target_host=ENV.target_host, template_key="direct")


class Spaces(unittest.TestCase):
    def test_splits(self):
        for length, parts in itertools.product((1, 6, 12, 56), (2, 3)):
            factors = [f for f in range(1, length + 1) if length % f == 0]
            want = [[-1, *s] for s in itertools.product(factors, repeat=parts - 1) if length % math.prod(s) == 0]
            space = ConfigSpace()
            space.define_split("t", length, num_outputs=parts)
            self.assertCountEqual([e.size for e in space.space_map["t"]], want)
        space = ConfigSpace()
        space.define_split("powers", 12, policy="power2", num_outputs=2)
        space.define_split("both", 12, policy="verbose", num_outputs=2, max_factor=6)
        space.define_split("even", 12, num_outputs=2, filter=lambda e: e.size[-1] % 2 == 0)
        space.define_split("given", 12, policy="candidate", candidate=[[4, 3], [6, 2]])
        sizes = [[e.size for e in knob] for knob in space.space_map.values()]
        self.assertEqual(sizes, [[[-1, 1], [-1, 2], [-1, 4], [-1, 8]], [[-1, 1], [-1, 2], [-1, 3], [-1, 4], [-1, 6]],
                                 [[-1, 2], [-1, 4], [-1, 6], [-1, 12]], [[4, 3], [6, 2]]])

    def test_applied(self):
        b = te.compute((24,), lambda i: i * 1, "b")
        s = te.create_schedule(b.op)
        axes = SplitEntity([-1, 3, 4]).apply(s, b, b.op.axis[0])
        self.assertEqual(s[b].leaf_iter_vars, axes)
        # 24 = 2 x 3 x 4: read back from the lowered text.
        text = str(tvm.lower(s, [b], simple_mode=True))
        self.assertRegex(text, r"0, 2\)[\s\S]*0, 3\)[\s\S]*0, 4\)")

    def test_orders_and_annotations(self):
        space = ConfigSpace()
        axes = ["x", "y", "k"]
        space.define_reorder("all", axes, policy="all")
        space.define_reorder("turns", ["x", "y", "k"], policy="interleave", spatial=[["x"], ["y"]], reduce=[["k"]])
        space.define_reorder("some", axes, policy="candidate", candidate=[["k", "x", "y"]])
        space.define_annotate("how", axes, policy="try_unroll_vec")
        perms = [[e.perm for e in knob] for knob in list(space.space_map.values())[:3]]
        self.assertCountEqual(perms[0], [list(p) for p in itertools.permutations(range(3))])
        self.assertEqual(perms[1:], [[[0, 2, 1], [0, 1, 2]], [[2, 0, 1]]])
        self.assertEqual([e.anns for e in space.space_map["how"]],
                         [list(a) for a in itertools.product(["none", "unroll"], ["none", "unroll"], ["none", "unroll", "vec"])])

    def test_numbers(self):
        space = task_of().config_space
        self.assertEqual(space.dims, [4, 3, 2])
        every = [space.get(i) for i in range(len(space))]
        self.assertEqual(len({repr(c.to_json_dict()["entity"]) for c in every}), 24)
        self.assertEqual([e["rows"].size[1] for e in every[:5]], [1, 2, 4, 8, 1])  # the first knob changes first
        for c in every:
            again = ConfigEntity.from_json_dict(json.loads(json.dumps(c.to_json_dict())))
            self.assertEqual(again, c)
            self.assertEqual(space.index_of(space.knobs_of(c.index)), c.index)
        self.assertEqual(space.sample(10, seed=3), space.sample(10, seed=3))
        self.assertEqual(len(set(space.sample(100))), 24)
        self.assertIn("ConfigSpace (len=24", repr(space))

    def test_refused(self):
        space = ConfigSpace()
        for words, call in (("has no candidate", lambda: space.define_split("a", 6, num_outputs=2, filter=lambda e: False)),
                            ("num_outputs is 0", lambda: space.define_split("b", 6)),
                            ("not 'x'", lambda: space.define_split("c", 6, policy="x", num_outputs=2)),
                            ("there is no knob 'nothing'", lambda: space["nothing"]),
                            ("each candidate has 2 sizes", lambda: space.define_split("d", 6, candidate=[[1, 6], [6]])),
                            ("configuration 1 of a space of 1", lambda: space.get(1))):
            with self.assertRaisesRegex((ValueError, IndexError), words):
                call()
        with self.assertRaisesRegex(TypeError, "not most"):
            space.define_split("e", 6, num_outputs=2, most=3)
        with self.assertRaisesRegex(NotImplementedError, "bind_gpu"):
            space.define_annotate("f", ["x"], policy="bind_gpu")
        other = ConfigEntity(0, None, {"rows": SplitEntity([-1, 1])})
        with tvm.target.vta(), self.assertRaisesRegex(ValueError, "knob columns that the configuration does not choose"):
            task_of().instantiate(other)


class Tuners(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.log = os.path.join(self.folder.name, "trials.log")

    def tuned(self, tuner, trials=24, **runner):
        seen = []
        tuner.tune(trials, option(**runner), callbacks=[autotvm.callback.log_to_file(self.log),
                                                        lambda t, i, r: seen.extend(zip(i, r))])
        return tuner, seen

    def test_same_seed_same_trials(self):
        for make in (autotvm.tuner.RandomTuner, autotvm.tuner.GridSearchTuner, autotvm.tuner.ModelTuner,
                     lambda t: autotvm.tuner.GATuner(t, pop_size=6)):
            runs = [self.tuned(make(task_of())) for _ in range(2)]
            (first, one), (_, two) = runs
            self.assertEqual([(i.config, r.costs) for i, r in one], [(i.config, r.costs) for i, r in two])
            numbers = [i.config.index for i, _ in one]
            self.assertEqual(len(set(numbers)), len(numbers))
            worked = [r.mean for _, r in one if not r.error_no]
            self.assertEqual(first.best_measure_pair[1].mean, min(worked))
            self.assertEqual(first.best_flops, first.task.flop / min(worked))
        self.assertFalse(autotvm.GLOBAL_SCOPE.in_tuning)

    def test_all_are_tried(self):
        for make in (autotvm.tuner.RandomTuner, autotvm.tuner.GridSearchTuner, autotvm.tuner.ModelTuner):
            _, seen = self.tuned(make(task_of()), 1e9)
            self.assertEqual(sorted(i.config.index for i, _ in seen), list(range(24)))
        _, seen = self.tuned(autotvm.tuner.GridSearchTuner(task_of(), range_idx=(3, 9)))
        self.assertEqual([i.config.index for i, _ in seen], list(range(3, 10)))

    def test_end_early(self):
        tuner = autotvm.tuner.GridSearchTuner(task_of())
        times = iter([3.0] + [4.0] * 23)
        with mock.patch("vta.autotvm.timing.TimingModel.time", lambda *_: ((next(times),), [])):
            seen = []
            tuner.tune(24, option(), early_stopping=8, callbacks=[lambda t, i, r: seen.extend(r)])
        self.assertEqual((len(seen), tuner.best_iter), (8, 0))

    def test_searches_beat_chance(self):
        """On times that are known: a bowl in the logarithms of 4 knobs, 10,000 configurations."""
        task = task_of()
        task.config_space = ConfigSpace()
        for name in "wxyz":
            task.config_space.define_split(name, 1 << 9, num_outputs=2)

        def time_of(config):
            return math.exp(sum((math.log2(config[n].size[1]) - p) ** 2 for n, p in zip("wxyz", (7, 2, 5, 4))) / 8)

        best = {}
        for name in ("RandomTuner", "GATuner", "ModelTuner"):
            more = {"pop_size": 24} if name == "GATuner" else {}
            tuner = getattr(autotvm.tuner, name)(task, **more)
            with mock.patch("vta.autotvm.tuner.create_measure_batch", lambda *_: lambda inputs: [
                    autotvm.MeasureResult((time_of(i.config),), 0, 0.0, 0.0) for i in inputs]):
                tuner.tune(192, option())
            best[name] = tuner.best_measure_pair[1].mean
        self.assertLess(best["GATuner"], best["RandomTuner"])
        self.assertEqual(best["ModelTuner"], 1.0)

    def test_times_are_cycles(self):
        """A trial's seconds are the cycles that the kernel takes on tsim, at the clock of the default profile."""
        task = task_of()
        tuner, _ = self.tuned(autotvm.tuner.GridSearchTuner(task, range_idx=(0, 0)))
        with task.target:
            s, args = task.instantiate(task.config_space.get(0))
        module = vta.build(s, args)
        with vta.Environment({**ENV.cfg_dict, "TARGET": "tsim"}):
            arrays = [tvm.nd.array(np.zeros(tuple(a.shape), a.dtype), tvm.ext_dev(0)) for a in args]
            vta.testing.simulator.clear_stats()
            module(*arrays)
            cycles = vta.testing.simulator.stats()["cycle_count"]
        self.assertEqual(tuner.best_measure_pair[1].costs, (cycles / 100e6,))

    def test_processor(self):
        task = autotvm.task.create("double", (32, "int32"), target="llvm")
        _, seen = self.tuned(autotvm.tuner.GridSearchTuner(task), 1e9, number=1, repeat=2, check_correctness=True)
        failed = [(i, r) for i, r in seen if r.error_no]
        self.assertTrue(failed and all(i.config["tile"].size[1] == 8 for i, _ in failed))
        self.assertEqual({(r.error_no, r.costs[0]) for _, r in failed}, {(1, "a middle of 8 is not wanted")})
        self.assertTrue(all(len(r.costs) == 2 and min(r.costs) > 0 for _, r in seen if not r.error_no))

    def test_wrong_answers_are_found(self):
        real = vta.autotvm.timing.TimingModel.time

        def faulty(self, module, values):
            costs, results = real(self, module, values)
            results[-1].flat[5] ^= 1
            return costs, results

        tuner = autotvm.tuner.GridSearchTuner(task_of(), range_idx=(0, 3))
        _, seen = self.tuned(tuner, check_correctness=True)
        self.assertEqual([r.error_no for _, r in seen], [0] * 4)
        tuner = autotvm.tuner.GridSearchTuner(task_of(), range_idx=(0, 3))
        with mock.patch("vta.autotvm.timing.TimingModel.time", faulty), self.assertLogs("autotvm", "WARNING") as said:
            _, seen = self.tuned(tuner, check_correctness=True)
        self.assertEqual({(r.error_no, r.costs) for _, r in seen},
                         {(5, ("1 of 1024 elements are not those of the computation without a schedule",))})
        self.assertIn("none of 4 trials of rows_of worked", said.output[0])

    def test_options(self):
        for error, words, call in (
                (NotImplementedError, "compiled by vta.build", lambda: autotvm.LocalBuilder(build_func="ndk")),
                (TypeError, "measure_option takes", lambda: autotvm.measure_option("local", "remote")),
                (NotImplementedError, "cache_flush", lambda: autotvm.LocalRunner(enable_cpu_cache_flush=True)),
                (ValueError, "range_idx", lambda: autotvm.tuner.GridSearchTuner(task_of(), range_idx=(0, 24))),
                (ValueError, "elite_num is 9", lambda: autotvm.tuner.GATuner(task_of(), pop_size=8, elite_num=9)),
                (NotImplementedError, "diversity_filter_ratio=2", lambda: autotvm.tuner.XGBTuner(task_of(), diversity_filter_ratio=2)),
                (NotImplementedError, "bitstream", lambda: vta.module_loader("x.bit"))):
            with self.assertRaisesRegex(error, words):
                call()
        with self.assertLogs("autotvm", "WARNING") as said:
            self.assertIsInstance(autotvm.tuner.XGBTuner(task_of(), loss_type="rank"), autotvm.tuner.ModelTuner)
        self.assertIn("not XGBoost", said.output[0])
        self.assertIsNone(vta.module_loader())
        autotvm.LocalBuilder(build_func=vta.vta_autotvm_build_func, timeout=60, n_parallel=1)
        _, seen = self.tuned(autotvm.tuner.GridSearchTuner(task_of(), range_idx=(0, 0)))
        runner = autotvm.RPCRunner(ENV.TARGET, host="nowhere", port=1, number=5, timeout=60, module_loader=vta.module_loader())
        again = runner.run(seen[0][0], *autotvm.LocalBuilder.build(seen[0][0]))
        self.assertEqual(again, seen[0][1].costs)
        elsewhere = autotvm.RPCRunner("pynq", host="127.0.0.1", port=1)
        result = autotvm.create_measure_batch(task_of(), autotvm.measure_option("local", elsewhere))([seen[0][0]])[0]
        self.assertEqual(result.error_no, autotvm.MeasureErrorNo.RUNTIME_DEVICE)
        self.assertRegex(result.costs[0], "127.0.0.1")


class Logs(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.log, self.best = (os.path.join(self.folder.name, n) for n in ("trials.log", "best.log"))
        self.task = task_of()
        self.tuner = autotvm.tuner.RandomTuner(self.task)
        shown = io.StringIO()
        with mock.patch("sys.stdout", shown):
            self.tuner.tune(24, option(), callbacks=[autotvm.callback.log_to_file(self.log),
                                                     autotvm.callback.progress_bar(24, prefix="[Task] ")])
        self.shown = shown.getvalue()

    def test_read_again(self):
        records = list(autotvm.record.load_from_file(self.log))
        self.assertEqual(len(records), 24)
        with open(self.log, encoding="utf-8") as file:
            self.assertEqual([autotvm.record.encode(*r) for r in records], file.read().splitlines())
        log = vta.TuneLog(self.log)
        self.assertEqual((len(log), log.refused), (24, 0))
        self.assertEqual(min(r.seconds for r in log), self.tuner.best_measure_pair[1].mean)
        self.assertRegex(self.shown, r"\[Task\]  Current/Best: .* GFLOPS \| Progress: \(24/24\) \| \d+ failed \| .* s\n$")

    def test_best(self):
        autotvm.record.pick_best(self.log, self.best)
        ((inp, result),) = autotvm.record.load_from_file(self.best)
        self.assertEqual((inp.config, result.costs), (self.tuner.best_config, self.tuner.best_measure_pair[1].costs))
        other = autotvm.tuner.ModelTuner(self.task)
        other.load_history(autotvm.record.load_from_file(self.log))
        self.assertTrue(other.model.fitted)
        for context in (autotvm.apply_history_best(self.best), autotvm.tophub.context(ENV.target, extra_files=[self.log]),
                        autotvm.apply_history_best(autotvm.record.load_from_file(self.log))):
            with context, tvm.target.vta():
                found = autotvm.DispatchContext.current.query(tvm.target.vta(), self.task.workload)
            self.assertEqual(found, self.tuner.best_config)
            with context, ENV.target:  # another model of the same keys
                self.assertEqual(autotvm.DispatchContext.current.query(ENV.target, self.task.workload), self.tuner.best_config)

    def test_lines_that_are_none(self):
        with open(self.log, encoding="utf-8") as file:
            good = file.readline()
        for words, line in (("no record of a trial", "{}\n"), ("version 0.1", '{"v": 0.1}\n'), ("no record", "[]\n"),
                            ("costs are seconds", good.replace('"result": [[', '"result": [[-')),
                            ("is of kind 'xx'", good.replace('"sp"', '"xx"')), ("no record", good[:100] + "\n")):
            with open(self.best, "w", encoding="utf-8") as file:
                file.write(good + line)
            with self.assertRaisesRegex(vta.VTASyntaxError, f"best.log:2: .*{words}"):
                list(autotvm.record.load_from_file(self.best))
        with open(self.best, "w", encoding="utf-8") as file:
            file.write("\n")
        with self.assertRaisesRegex(ValueError, "no trial that worked"):
            autotvm.record.pick_best(self.best, self.log)
        with self.assertRaisesRegex(FileNotFoundError, "there is no folder"):
            autotvm.callback.log_to_file(os.path.join(self.folder.name, "none", "x.log"))


class Fallbacks(unittest.TestCase):
    def test_chosen_by_others(self):
        """Where no configuration is known, who is registered for it chooses, once, before a knob is read."""
        asked = []

        def choose(cfg, workload):
            asked.append(workload)
            cfg["tile"] = SplitEntity([-1, 2, 4])

        autotvm.dispatcher.register_fallback("double", choose)
        self.addCleanup(vta.autotvm.dispatcher._choosers.pop, "double")
        with tvm.target.Target("llvm"):
            s, args = double(32, "int32")
        self.assertRegex(str(tvm.lower(s, args, simple_mode=True)), r"0, 4\)[\s\S]*0, 2\)[\s\S]*0, 4\)")
        self.assertEqual(asked, [("double", 32, "int32")])


class Tasks(unittest.TestCase):
    def test_refused(self):
        a = te.placeholder((4,), "int8", "a")
        for error, words, call in (
                (LookupError, "there is no template 'nothing'", lambda: autotvm.task.create("nothing", (), "ext_dev")),
                (ValueError, "template_key is 'winograd'", lambda: autotvm.task.create("double", (4, "int8"), "llvm", template_key="winograd")),
                (TypeError, "an argument of a template", lambda: autotvm.task.create("double", (object(),), "llvm")),
                (ValueError, "get_config", autotvm.get_config),
                (ValueError, "no target is set", lambda: double(4, "int8")),
                (ValueError, "registered already", lambda: autotvm.task.register("double", print)),
                (TypeError, "what tasks are extracted from", lambda: autotvm.task.extract_from_program(None, {}, ENV.target)),
                (LookupError, "these do not come from one", lambda: vta.top.schedule_conv2d_packed([a])),
                (TypeError, "by position", lambda: vta.top.dense_packed(data=a))):
            with self.assertRaisesRegex(error, words):
                call()
        with self.assertRaisesRegex(AttributeError, "tvm.autotvm.nosuch is not offered"):
            autotvm.nosuch  # pylint: disable=pointless-statement

    def test_of_a_network(self):
        """ResNet-20: three kinds of 3 x 3 layers, two of stride 2, and two of 1 x 1; the first one has 3 channels."""
        from tvm import relay

        mod, params = relay.frontend.from_onnx(common.shared("models", "resnet20-cifar10", "model.onnx"))
        tasks = autotvm.task.extract_from_program(func=mod, params=params, ops=(relay.op.get("nn.conv2d"),), target=ENV.target)
        layers = {(t.args[0][1][1:4], t.args[1][1][:4], t.args[2]) for t in tasks}
        self.assertEqual(layers, {((1, 32, 32), (1, 1, 3, 3), (1, 1)), ((1, 32, 32), (2, 1, 3, 3), (2, 2)),
                                  ((1, 32, 32), (2, 1, 1, 1), (2, 2)), ((2, 16, 16), (2, 2, 3, 3), (1, 1)),
                                  ((2, 16, 16), (4, 2, 3, 3), (2, 2)), ((2, 16, 16), (4, 2, 1, 1), (2, 2)),
                                  ((4, 8, 8), (4, 4, 3, 3), (1, 1))})
        self.assertEqual(len(tasks), 7)
        module = tvm.IRModule.from_expr(vta.top.graph_pack(mod["main"], ENV.BATCH, ENV.BLOCK_OUT, ENV.WGT_WIDTH))
        done = tvm.transform.Sequential([relay.transform.InferType(), relay.transform.FuseOps(2), relay.transform.FoldConstant()])
        self.assertIs(vta.top.graphpack.run_opt_pass(module, done), module)
        for wrong, words in ((lambda: vta.top.run_opt_pass(module, 3), "the pass is of type Pass or Sequential"),
                             (lambda: relay.transform.InferType()(3), "what InferType is run on is of type Network"),
                             (lambda: relay.transform.ToANormalForm(), "relay.transform.ToANormalForm is not offered")):
            with self.assertRaisesRegex((TypeError, NotImplementedError), words):
                wrong()
        again = autotvm.task.extract_from_program(module, params=params, ops=(relay.op.get("nn.conv2d"),), target=ENV.target)
        self.assertEqual([t.workload for t in again], [t.workload for t in tasks])
        tuner = autotvm.tuner.RandomTuner(tasks[-1])
        tuner.tune(4, option(check_correctness=True))
        self.assertTrue(tuner.best_config)
        self.assertEqual(autotvm.task.extract_from_program(mod, None, ENV.target, ops=["nn.dense"]), [])  # 10 outputs: no tiles

    def test_half_a_template(self):
        @autotvm.register_topi_compute("half.vta")
        def half(cfg, a):
            return te.compute(a.shape, lambda *i: a(*i), "half")

        a = te.placeholder((4,), "int8", "a")
        with self.assertRaisesRegex(LookupError, "register_topi_schedule\\('half.vta'\\) is missing"):
            autotvm.task.create("half.vta", (a,), "ext_dev")
        with ENV.target:
            self.assertEqual(autotvm.task.get_workload(half(a)), ("half.vta", ("TENSOR", (4,), "int8")))
            self.assertIsNone(autotvm.task.get_workload(a))


if __name__ == "__main__":
    unittest.main()

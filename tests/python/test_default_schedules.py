"""Which schedule topi.generic gives what runs on the host: the order of loops, what is parallel, what is inlined."""

import unittest

import common  # noqa: F401

import vta
from vta import te, topi
from vta.topi import generic


def loops(schedule, stage):
    """Names of a stage's loops, outermost first."""
    return [axis.var.name for axis in schedule[stage].leaf_iter_vars]


class DefaultSchedules(unittest.TestCase):
    def reduced(self, ndim, reductions=1):
        shape = tuple(range(2, 2 + ndim))
        a = te.placeholder((*shape, *([8] * reductions)), name="a")
        ks = [te.reduce_axis((0, 5), f"k{r}") for r in range(reductions)]
        axes = [f"x{d}" for d in range(ndim)]
        scope = {"te": te, "a": a, "ks": ks}
        places = ", ".join([*axes, *(f"ks[{r}]" for r in range(reductions))])
        body = f"lambda {', '.join(axes)}: te.sum(a[{places}], axis=ks)"
        return te.compute(shape, eval(body, scope), "b")  # pylint: disable=eval-used

    def test_sums_are_taken_outside_of_the_innermost_loop(self):
        for ndim, reductions, expected in ((1, 1, ["x0", "k0"]), (2, 1, ["x0", "k0", "x1"]), (2, 2, ["x0", "k0", "k1", "x1"]),
                                           (3, 1, ["x0.x1.fused", "k0", "x2"]),
                                           (4, 2, ["x0.x1.fused", "x2", "k0", "k1", "x3"])):
            b = self.reduced(ndim, reductions)
            self.assertEqual(loops(generic.default_schedule(b), b), expected, (ndim, reductions))

    def test_elementwise_loops_stay_in_order(self):
        for ndim, expected in ((1, ["x0"]), (2, ["x0", "x1"]), (3, ["x0.x1.fused", "x2"]), (4, ["x0.x1.fused", "x2", "x3"])):
            a = te.placeholder(tuple(range(2, 2 + ndim)), name="a")
            axes = ", ".join(f"x{d}" for d in range(ndim))
            b = te.compute(a.shape, eval(f"lambda {axes}: a[{axes}] + 1", {"a": a}), "b")  # pylint: disable=eval-used
            self.assertEqual(loops(generic.default_schedule([b]), b), expected)

    def test_the_outermost_loop_is_parallel_where_there_are_several(self):
        for ndim in (1, 2, 3):
            b = self.reduced(ndim)
            text = str(vta.lower(generic.default_schedule(b), [b.op.input_tensors[0], b], name="f"))
            self.assertEqual("parallel" in text, ndim > 1, text)

    def test_what_is_elementwise_is_inlined_but_the_outputs(self):
        a = te.placeholder((3, 4), name="a")
        first = topi.add(a, a)
        second = topi.nn.relu(first)
        k = te.reduce_axis((0, 4), "k")
        total = te.compute((3,), lambda i: te.sum(second[i, k], axis=k), "total")
        third = topi.add(total, total)
        schedule = generic.default_schedule([third, second])
        text = {t.op.name: repr(schedule[t]) for t in (first, second, total, third)}
        inlined = {name: "inline" in shown for name, shown in text.items()}
        self.assertEqual(inlined, {first.op.name: True, second.op.name: False, total.op.name: False, third.op.name: False}, text)


if __name__ == "__main__":
    unittest.main()

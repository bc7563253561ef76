"""The lowered texts of the tutorials from Python, in both styles."""

import contextlib
import io
import unittest

import common
import programs
import vta
from vta import te


class Listings(unittest.TestCase):
    maxDiff = 2000

    def check(self, program, name, styles):
        env = vta.get_env()
        module = vta.lower(*programs.PROGRAMS[program](env), simple_mode=True)
        for style, text in (("primfn", str(module)), ("tvmscript", module.script())):
            if style in styles:
                common.check_recorded(self, f"listings/{name}.{style}.txt", text)

    def test_vector_add(self):
        self.check("vadd", "vadd.final", ["primfn"])

    def test_convolution(self):
        self.check("conv2d", "conv2d.final", ["primfn", "tvmscript"])

    def test_the_unscheduled_computation(self):
        _, args = programs.vadd(vta.get_env())
        func = te.create_prim_func(args).with_attr({"global_symbol": "add"})
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            vta.tir.Schedule(vta.IRModule({"add": func})).mod.show()
        common.check_recorded(self, "listings/vadd.create_prim_func.tvmscript.txt", out.getvalue())


if __name__ == "__main__":
    unittest.main()

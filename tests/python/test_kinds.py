"""Every public function and method of the compiler's part with an object of every wrong kind in every place: a TypeError
or another error in words, never a crash, an AttributeError of the inside, or silence.

What a parameter takes is read from its annotation, so that a new function is tried too."""

import faulthandler
import inspect
import re
import unittest

import common  # noqa: F401
import numpy as np
import vta
from vta import intrin, statements, te, tir, topi
from vta.ir import IRModule
from vta.te import prim_func

faulthandler.enable()

OPERAND = {"int", "float", "bool", "Expr", "IterVar", "TensorSlice"}
#: What each word of an annotation lets in, as names of KINDS; words not here let in the kind of their name.
WORDS = {"Operand": OPERAND | {"Tensor"}, "Expr": OPERAND, "ExprOp": OPERAND, "Sequence": {"list", "tuple"}, "ArrayLike": {"list", "NDArray", "array"},
         "PathLike": {"str"}, "Iterable": {"list"}}
ANYTHING = {"Any", "object"}


class Program:
    """A fresh computation and one object of every kind."""

    def __init__(self):
        a = te.placeholder((8, 8), "int32", "a")
        self.k = te.reduce_axis((0, 8), "k")
        m = te.compute((8, 8), lambda i, j: a[i, j] + 1, "m")
        o = te.compute((8, 8), lambda i, j: m[i, j] * 2, "o")
        s = te.create_schedule(o.op)
        row = te.compute((8,), lambda i: te.const(7), "row")
        fill = te.decl_tensor_intrin(row.op, lambda ins, outs: tir.call_extern("int32", "fill", outs[0].access_ptr("w")))
        self.a, self.m, self.o, self.s = a, m, o, s
        self.kinds = {
            "None": None, "int": 3, "float": 2.5, "str": "word", "bool": True, "list": [object()], "tuple": (object(),),
            "dict": {1: 2}, "set": {object()}, "function": len, "thing": object(), "array": np.zeros((2, 3)),
            "Expr": te.var("x") + 1, "IterVar": o.op.axis[0], "Tensor": o, "TensorSlice": a[0, 0], "Operation": o.op,
            "Schedule": s, "Stage": s[o], "TensorIntrin": fill, "GemmIntrin": vta.get_env().gemm,
            "Buffer": tir.decl_buffer((8,)), "PrimFunc": te.create_prim_func([a, o]), "IRModule": IRModule(),
            "NDArray": vta.nd.array(np.zeros(4, "int32")), "Target": vta.Target("llvm"),
            "Environment": vta.get_env(), "Stmt": statements.evaluate(0), "Range": te.tensor.Range(0, 8),
        }
        #: What works, by the annotation's first word and then by parameter.
        self.right = {"Tensor": o, "IterVar": o.op.axis[0], "Stage": s[m], "Schedule": s, "Operation": o.op, "str": "llvm",
                      "int": 2, "Operand": a[0, 0], "Expr": te.var("y"), "Callable": lambda *i: a[0, 0], "list": [a, o],
                      "Sequence": [a, o], "dict": {}, "tuple": (0, 8), "IRModule": self.kinds["IRModule"],
                      "GemmIntrin": fill, "PrimFunc": self.kinds["PrimFunc"]}
        self.named = {"dtype": "int32", "scope": "local", "dom": (0, 8), "tag": "", "fcompute": lambda *i: a[0, 0],
                      "shape": (8, 8), "thread_ivar": te.thread_axis("cthread"), "parent": o.op.axis[0], "name": "name",
                      "tensor": m, "readers": o, "pad_before": [1, 1], "y_parent": o.op.axis[1], "a_min": 0, "a_max": 1,
                      "pragma_type": "note", "func_name": "f", "key": "global_symbol", "attr_key": "note", "args": [a, o],
                      "node": te.thread_axis("cthread"), "value": 1, "index": 0}


def allowed(annotation):
    """Names of the kinds that an annotation lets in; None: anything."""
    words = set(re.findall(r"\w+", str(annotation)))
    if words & ANYTHING or annotation is inspect.Parameter.empty:
        return None
    out = set()
    for w in words:
        out |= WORDS.get(w, {w})
    if out & {"int", "float"}:
        out |= {"int", "bool"}
    if "Callable" in out:
        out.add("function")
    return out


def subjects():
    """(name, how to get the callable from a Program) of everything tried."""
    for module in (te, tir, topi, topi.nn, intrin, statements):
        for name in module.__all__:
            thing = getattr(module, name)
            if inspect.isfunction(thing) and (thing.__module__ or "").startswith("vta"):
                yield f"{module.__name__}.{name}", lambda p, f=thing: f
    for name in ("lower", "build"):
        yield f"vta.{name}", lambda p, f=getattr(vta, name): f
    program = Program()
    for kind in ("Expr", "IterVar", "Tensor", "TensorSlice", "Operation", "Schedule", "Stage", "PrimFunc", "TensorIntrin"):
        for name, _ in inspect.getmembers(program.kinds[kind].__class__, inspect.isfunction):
            if not name.startswith("_"):
                yield f"{kind}.{name}", lambda p, k=kind, n=name: getattr(p.kinds[k], n)
    for name in ("__getitem__", "__call__"):
        yield f"Tensor.{name}", lambda p, n=name: getattr(p.a, n)
    yield "Schedule.__getitem__", lambda p: p.s.__getitem__
    yield "PrimFunc", lambda p: lambda args, name="main": prim_func.PrimFunc(args, name).script()


#: Places where something else than the annotation says is meant to work, with the reason.
FINE = {
    ("vta.te.compute", "fcompute"): {"Tensor"},  # A is a function of its indices: te.compute(shape, A) copies
    **{(f"vta.{module}.comm_reducer", name): {"TensorIntrin"}  # can be called, as a function can; it is when it reduces
       for module in ("te", "tir") for name in ("fcombine", "fidentity")},
}
#: Parameters that are accepted without effect.
IGNORED = {"attrs", "span", "data_alignment", "varargs_names", "required_pass"}


class Kinds(unittest.TestCase):
    maxDiff = None

    def attempt(self, program, subject, find, place, kind):
        function = find(program)
        parameters = [p for p in inspect.signature(function).parameters.values()]
        positional, keywords = [], {}
        for p in parameters:
            value = program.kinds[kind] if p.name == place else self.right(program, subject, p)
            if p.kind == p.VAR_POSITIONAL:
                positional += value if p.name != place and isinstance(value, list) else [value]
            elif p.kind != p.VAR_KEYWORD and (p.name == place or (p.default is p.empty and p.kind != p.KEYWORD_ONLY)):
                keywords[p.name] = value
        if positional:  # what comes before *values is given by place
            before = [keywords.pop(p.name) for p in parameters if p.name in keywords and p.kind == p.POSITIONAL_OR_KEYWORD]
            positional = before + positional
        return function(*positional, **keywords)

    @staticmethod
    def right(program, subject, parameter):
        if parameter.kind == parameter.VAR_POSITIONAL:
            axes = "IterVar" in str(parameter.annotation)
            return [program.o.op.axis[0], program.o.op.axis[1]] if axes else [program.a[0, 0]]
        if subject == "Stage.compute_at":
            return program.s[program.o] if parameter.name == "parent" else program.o.op.axis[0]
        if parameter.name in program.named:
            return program.named[parameter.name]
        for word in re.findall(r"\w+", str(parameter.annotation)):
            if word in program.right:
                return program.right[word]
        return None

    def test_every_place_with_every_wrong_kind(self):
        tried, functions, wrong = 0, 0, []
        for subject, find in subjects():
            functions += 1
            program = Program()
            for p in inspect.signature(find(program)).parameters.values():
                takes = allowed(p.annotation)
                if takes is None or p.name in IGNORED or p.kind == p.VAR_KEYWORD or takes <= {"None"}:
                    continue
                if p.kind == p.VAR_POSITIONAL and "Any" in str(p.annotation):
                    continue
                takes = takes | FINE.get((subject, p.name), set()) | ({"None"} if p.default is None else set())
                for kind in program.kinds:
                    if kind in takes or (kind in ("list", "tuple") and p.kind == p.VAR_POSITIONAL):
                        continue
                    tried += 1
                    try:
                        self.attempt(program, subject, find, p.name, kind)
                        wrong.append(f"{subject}({p.name}: {p.annotation}) takes a {kind}")
                    except (TypeError, ValueError, NotImplementedError, vta.VTAError) as error:
                        if "has no attribute" in str(error) or not str(error):
                            wrong.append(f"{subject}({p.name}) says of a {kind}: {error!r}")
                    except Exception as error:  # pylint: disable=broad-except
                        wrong.append(f"{subject}({p.name}) raises for a {kind}: {error!r}")
        if wrong:
            self.fail("\n".join(wrong[:40]) + f"\n{len(wrong)} of {tried} in {functions} functions")
        self.assertGreater(tried, 2000)


if __name__ == "__main__":
    unittest.main()

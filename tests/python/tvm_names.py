"""What each public name of TVM's Python packages (tvm_names.txt) is in the compatibility package: there, refused in words, or
a bare error. Run as a program it prints the counts and what is bare."""

import importlib
import os
import re
import sys

import common  # noqa: F401  # pylint: disable=unused-import
import numpy as np
import tvm
from tvm import te, tir

THERE, REFUSED, BARE = "there", "refused", "bare"
LIST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tvm_names.txt")


def sections():
    """(title, how its object is made or None, [(name, parameters)]) of the list, in its order."""
    with open(LIST, encoding="utf-8") as file:
        text = "".join(line for line in file if not line.startswith("#"))
    for part in re.split(r"(?m)^\[", text)[1:]:
        head, _, rest = part.partition("\n")
        title, _, made = head.strip().removesuffix("]").partition(": ") if head.endswith("]") else (head, "", "")
        found = re.findall(r"([\w.]+)(\([^)]*\))?", rest)
        yield title, made or None, [(name, parameters.strip("()").split()) for name, parameters in dict(found).items()]


def objects():
    """An object of each class that the list has; several, where what they have depends on their kind."""
    a = te.placeholder((4,), "float32", "a")
    b = te.compute((4,), lambda i: a[i] + 1.0, "b")
    s = te.create_schedule(b.op)
    lowered = tvm.lower(s, [a, b])
    module = tvm.build(s, [a, b], "llvm", name="main")
    arrays = [tvm.nd.array(np.zeros(4, "float32")) for _ in range(2)]
    k = te.reduce_axis((0, 4), "k")
    total = te.compute((1,), lambda i: te.sum(a[k], axis=k), "total")
    x, operands = te.var("x"), []

    def instructions(ins, outs):
        operands.extend(ins)
        return tir.call_extern("int32", "f", outs[0].access_ptr("w"), ins[0].access_ptr("r"))

    intrin = te.decl_tensor_intrin(total.op, instructions)
    return {
        "Schedule": s, "Stage": s[b], "Tensor": b, "Operation": b.op, "PlaceholderOp": a.op, "IterVar": k,
        "Expr": (x, x + 1, te.select(x > 1, x, 2), tir.const(1), a(x), te.sum(a[k], axis=k), te.exp(a(x))),
        "Buffer": (tir.decl_buffer((4,)), operands[0]), "IRBuilder": tir.ir_builder.create(), "IRModule": lowered, "PrimFunc": lowered["main"],
        "TensorIntrin": intrin,
        "Module": module, "Function": module["main"], "BenchmarkResult": module.time_evaluator("main", tvm.cpu(), number=1)(*arrays),
        "NDArray": arrays[0], "Device": tvm.cpu(0), "PassContext": tvm.transform.PassContext(), "Target": tvm.target.Target("llvm"),
    }


def worded(error):
    """Whether an error is a refusal in our words."""
    return isinstance(error, NotImplementedError) and bool(str(error))


def _module(title):
    try:
        return importlib.import_module(title)
    except ImportError as error:
        return error


def _state(owner, name):
    """(state, value or error) of a name: the best of several objects', but for a bare error of any of them."""
    found = None
    for one in owner if isinstance(owner, tuple) else (owner,):
        try:
            found = THERE, getattr(one, name)
        except Exception as error:  # pylint: disable=broad-except
            if not worded(error):
                return BARE, error
            found = found or (REFUSED, error)
    return found


def _parameter(value, name):
    """State of a parameter of a callable."""
    try:
        value(**{name: None})
    except Exception as error:  # pylint: disable=broad-except
        bare = type(error) is TypeError and "keyword" in str(error) and "takes" not in str(error)  # pylint: disable=unidiomatic-typecheck
        return REFUSED if worded(error) and repr(name) in str(error) else BARE if bare else THERE
    return THERE


def walk():
    """(full name, state, error) of every name and parameter of the list."""
    made = objects()
    for title, how, _ in list(sections()):  # what was imported is an attribute: whichever programs ran before, all are
        if not how:
            _module(title)
    for title, how, names in sections():
        owner = made[title] if how else _module(title)
        if isinstance(owner, ImportError):
            state = REFUSED if worded(owner) else BARE
            yield title, state, owner
            for name, parameters in names:
                yield f"{title}.{name}", state, owner
            continue
        for name, parameters in names:
            state, value = _state(owner, name)
            yield f"{title}.{name}", state, None if state == THERE else value
            if state == THERE and callable(value):
                for p in parameters:
                    if name not in ("main", "show"):  # which run something
                        yield f"{title}.{name}({p})", _parameter(value, p), None


def main():
    """Prints what is bare, and the counts."""
    found = list(walk())
    for name, state, error in found:
        if state == BARE or "--all" in sys.argv:
            print(state, name, "" if error is None else f"{type(error).__name__}: {str(error)[:150]}")
    print({state: sum(s == state for _, s, _ in found) for state in (THERE, REFUSED, BARE)})


if __name__ == "__main__":
    main()

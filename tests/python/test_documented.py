"""Every public class and function of both packages has a docstring, and types for its parameters and what it gives."""

import ast
import os
import unittest

import common

_TOPS = (os.path.join("python", "vta"), os.path.join("python", "compat"))
#: Decorators of functions that another one documents: the one whose overloads or setter they are.
_DOCUMENTED_ELSEWHERE = ("overload", "setter")


def _bare(function, method):
    """Whether a parameter or the result has no annotation."""
    a = function.args
    parameters = a.posonlyargs + a.args + a.kwonlyargs + [p for p in (a.vararg, a.kwarg) if p]
    if method and parameters and parameters[0].arg in ("self", "cls"):
        parameters = parameters[1:]
    return function.returns is None or any(p.annotation is None for p in parameters)


def _elsewhere(function):
    return any(getattr(d, "attr", getattr(d, "id", None)) in _DOCUMENTED_ELSEWHERE for d in function.decorator_list)


def lacking(text, where):
    """What lacks a docstring, and what lacks types, of a module's text: names, with `where` before them.

    Parameters
    ----------
    text : str
    where : str

    Returns
    -------
    count : int
        Functions, methods and classes.
    documents, types : list of str
    """
    documents, types, count = [], [], 0

    def visit(body, place, method):
        nonlocal count
        for item in body:
            if not isinstance(item, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) or item.name.startswith("_"):
                continue
            count, name = count + 1, f"{place}{item.name}"
            if isinstance(item, ast.ClassDef):
                visit(item.body, name + ".", True)
            elif _bare(item, method):
                types.append(name)
            if not ast.get_docstring(item) and not (isinstance(item, ast.FunctionDef) and _elsewhere(item)):
                documents.append(name)

    visit(ast.parse(text).body, f"{where}: ", False)
    return count, documents, types


class Documented(unittest.TestCase):
    def test_all(self):
        total, documents, types = 0, [], []
        for top in _TOPS:
            for folder, _, names in sorted(os.walk(os.path.join(common.ROOT, top))):
                for name in sorted(n for n in names if n.endswith(".py")):
                    path = os.path.join(folder, name)
                    with open(path, encoding="utf-8") as file:
                        count, no_document, no_types = lacking(file.read(), os.path.relpath(path, common.ROOT))
                    total += count
                    documents += no_document
                    types += no_types
        self.assertGreater(total, 900)
        self.assertEqual((documents, types), ([], []))

    def test_what_is_found(self):
        text = ('class A:\n    def f(self, x: int): "says"\n    @property\n    def g(self) -> int: return 1\n    def _h(self): pass\n'
                '@overload\ndef k(x: int) -> int: ...\ndef k(*x: int, **y) -> int: "says"\n')
        self.assertEqual(lacking(text, "m"), (5, ["m: A.g", "m: A"], ["m: A.f", "m: k"]))


if __name__ == "__main__":
    unittest.main()

"""No circle among the modules of the package: each can be read, changed and tested with what it is made of alone.

Read with `ast`, not run: an import inside a function or for a type checker only is an import too."""

import ast
import os
import tempfile
import unittest

import common

PACKAGE = os.path.join(common.ROOT, "python", "vta")
MADE = os.path.join(common.BUILD, "python", "vta")


def modules_of(folder, package):
    """Name -> file of every module of a folder."""
    out = {}
    for path, _, files in os.walk(folder):
        for file in files:
            if file.endswith(".py"):
                words = os.path.relpath(os.path.join(path, file[:-3]), folder).split(os.sep)
                out[".".join([package] + [w for w in words if w != "__init__"])] = os.path.join(path, file)
    return out


def imports_of(name, path, modules):
    """The modules that one imports, wherever it says so."""
    with open(path, encoding="utf-8") as file:
        tree = ast.parse(file.read())
    package = name if os.path.basename(path) == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (a.name for a in node.names if a.name in modules)
        elif isinstance(node, ast.ImportFrom):
            words = package.split(".")[:len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join(words + ([node.module] if node.module else []))
            for a in node.names:
                full = f"{base}.{a.name}"
                if full in modules or base in modules:
                    yield full if full in modules else base


def circle_in(modules):
    """The modules of one circle, in order; empty when there is none."""
    graph = {name: sorted(set(imports_of(name, path, modules)) - {name}) for name, path in modules.items()}
    done, way = set(), []

    def visit(name):
        if name in way:
            return way[way.index(name):] + [name]
        if name in done:
            return []
        way.append(name)
        for other in graph[name]:
            found = visit(other)
            if found:
                return found
        way.pop()
        done.add(name)
        return []

    for name in sorted(graph):
        found = visit(name)
        if found:
            return found
    return []


class Imports(unittest.TestCase):
    def test_no_circle(self):
        modules = {**modules_of(MADE, "vta"), **modules_of(PACKAGE, "vta")}
        seen = sum(len(set(imports_of(n, p, modules))) for n, p in modules.items())
        self.assertGreater(len(modules), 30)
        self.assertGreater(seen, 100)
        self.assertEqual(" -> ".join(circle_in(modules)), "")

    def test_a_circle_is_found(self):
        """However it is written."""
        for line in ("from . import c", "from .c import name", "import pack.c", "def f():\n    from .c import name",
                     "if TYPE_CHECKING:\n    from ..pack.c import name"):
            with tempfile.TemporaryDirectory() as folder:
                texts = {"__init__": "from . import a", "a": "from . import b", "b": line, "c": "from .a import x"}
                for name, text in texts.items():
                    with open(os.path.join(folder, name + ".py"), "w", encoding="utf-8") as file:
                        file.write(text + "\n")
                self.assertEqual(circle_in(modules_of(folder, "pack")), ["pack.a", "pack.b", "pack.c", "pack.a"], line)


if __name__ == "__main__":
    unittest.main()

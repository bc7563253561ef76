"""No circle among the modules of the packages, and none of vta needs vta-tvm: each can be read, changed and tested with what it is made of alone.

Read with `ast`, not run: an import inside a function or for a type checker only is an import too."""

import ast
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import common
from vta import _parts as vta_parts

PACKAGE = os.path.join(common.ROOT, "python", "vta")
TVM = os.path.join(common.ROOT, "python", "compat", "vta_tvm")
MADE = os.path.join(common.BUILD, "python", "vta")


#: A program that needs nothing of vta-tvm.
ALONE = """
import sys, numpy as np, vta
from vta import te, topi
a = te.placeholder((4,), name="A", dtype="int32")
b = topi.add(a, a)
kernel = vta.build(te.create_schedule(b.op), [a, b], "llvm")
x, y = vta.nd.array(np.arange(4, dtype="int32")), vta.nd.empty((4,), "int32")
kernel(x, y)
session = vta.rpc.LocalSession()
assert not any(m.startswith("vta_tvm") for m in sys.modules)
print(y.numpy().tolist(), hasattr(vta.topi, "reshape"))
"""


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

    def test_vta_needs_nothing_of_vta_tvm(self):
        """vta imports no module of vta-tvm under either name; vta-tvm has no circle and shows what vta says that it has."""
        own, others = {**modules_of(MADE, "vta"), **modules_of(PACKAGE, "vta")}, modules_of(TVM, "vta_tvm")
        self.assertGreater(len(others), 30)
        beyond = {f"vta{name.removeprefix('vta_tvm')}" for name in others} - {"vta", "vta.te", "vta.testing", "vta.topi"}
        self.assertEqual(beyond & set(own), set())
        known = {**own, **others, **{name: "" for name in beyond}}
        reverse = [(n, i) for n, p in own.items() for i in imports_of(n, p, known) if i not in own]
        self.assertEqual(reverse, [])
        used = {i for n, p in others.items() for i in imports_of(n, p, known)}
        self.assertGreater(len(used & set(own)), 20)
        self.assertEqual(used & beyond, set())
        self.assertEqual(" -> ".join(circle_in(others)), "")
        tops = {f"vta.{p}" for p in vta_parts.PARTS}
        self.assertEqual({n for n in beyond if not any(n.startswith(t + ".") for t in tops)}, tops)

    def test_without_vta_tvm(self):
        """vta alone works; what it lacks is named, with what to install."""
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(PACKAGE, os.path.join(folder, "vta"))
            env = {**os.environ, "PYTHONPATH": folder, "VTA_LIBRARY_PATH": common.BUILD}

            def run(code):
                return subprocess.run([sys.executable, "-c", code], env=env, cwd=folder, capture_output=True, text=True, check=False)

            works = run(ALONE)
            self.assertEqual((works.returncode, works.stdout), (0, "[0, 2, 4, 6] False\n"), works.stderr)
            for code, name in (("import vta; vta.autotvm", "vta.autotvm"), ("from vta import top", "vta.top"),
                               ("import vta.contrib.utils", "vta.contrib"), ("from vta.topi import nn", "vta.topi.nn"),
                               ("import vta; vta.topi.reshape", "vta.topi.reshape"), ("from vta.te import hybrid", "vta.te.hybrid"),
                               ("import vta; vta.testing.conditions", "vta.testing.conditions"),
                               ("import vta; vta.use_tvm_names()", "the package tvm")):
                refused = run(code)
                self.assertEqual(refused.returncode, 1, code)
                self.assertRegex(refused.stderr.splitlines()[-1], f"(ModuleNotFound|Attribute)Error: {name}.* is in the distribution vta-tvm, "
                                 "which is not installed: .*`pip install ./python/compat`")

    def test_both_names_are_one_module(self):
        """Whichever is asked for first, and whatever an older version left in the folders."""
        code = ("import sys, vta\nassert not any(m.startswith('vta_tvm') for m in sys.modules)\n{}\nimport vta.autotvm.task, vta.topi.nn\n"
                "import vta_tvm\nassert vta.autotvm is vta_tvm.autotvm and sys.modules['vta.topi.nn'] is vta_tvm.topi.nn\n"
                "assert vta.topi.nn is vta_tvm.topi.nn and vta.autotvm.__spec__.name == 'vta_tvm.autotvm'\n"
                "try:\n    import vta.autotvm.nonsense\nexcept ModuleNotFoundError as e:\n    print(e)")
        with tempfile.TemporaryDirectory() as folder:
            os.makedirs(os.path.join(folder, "vta", "autotvm", "__pycache__"))
            for package, at in ((PACKAGE, "vta"), (TVM, "vta_tvm")):
                shutil.copytree(package, os.path.join(folder, at), dirs_exist_ok=True)
            for first in ("", "import vta_tvm.autotvm", "from vta import top", "from vta.autotvm import task", "vta.topi.reshape"):
                run = subprocess.run([sys.executable, "-c", code.format(first)], capture_output=True, text=True, check=False,
                                     env={**os.environ, "PYTHONPATH": folder, "VTA_LIBRARY_PATH": common.BUILD})
                self.assertEqual((run.stdout, run.stderr), ("No module named 'vta.autotvm.nonsense'\n", ""), first)

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

"""Which faults scripts/mutate puts into Python, and which lines it knows to run."""

import os
import subprocess
import sys
import tempfile
import unittest

import common

sys.path.insert(0, os.path.join(common.ROOT, "scripts"))
from mutation import faults, faults_c, faults_python  # noqa: E402

TEXT = '''"""Says 1 + 1 == 2."""
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import nothing


def f(a: "1 < 2", b: int = 3) -> "x == y":  # a and b
    """True if not 4."""
    total: int = a + b
    if a < b and not total:
        total += f(a,
                   b=b)
    x.y = [i for i in range(5) if i is not None]
    x.call("ä", a >= b)
    while total:
        x.z = True
        raise ValueError(f"{a + 1}")
    return (a -
            b) in total
'''

EXPECTED = {
    (8, "def f(a: \"1 < 2\", b: int = 4) -> \"x == y\":  # a and b"),
    (10, "    total: int = a - b"),
    (11, "    if a <= b and not total:"), (11, "    if a < b or not total:"), (11, "    if a < b and total:"),
    (11, "    if (not (a < b and not total)):"),
    (12, "        total -= f(a,"), (12, "        pass\n"),
    (14, "    x.y = [i for i in range(6) if i is not None]"), (14, "    x.y = [i for i in range(5) if i is None]"),
    (14, "    x.y = [i for i in range(5) if (not (i is not None))]"), (14, "    pass"),
    (15, "    x.call(\"ä\", a > b)"), (15, "    pass"),
    (16, "    while (not (total)):"), (17, "        x.z = False"), (17, "        pass"), (18, "        pass"),
    (19, "    return (a +"), (20, "            b) not in total"),
}


class Faults(unittest.TestCase):
    def test_each_kind_is_found_where_it_changes_code(self):
        found = {(number, new) for number, _, _, new in faults_python.faults(TEXT)}
        self.assertEqual(found - EXPECTED, set())
        self.assertEqual(EXPECTED - found, set())

    def test_a_fault_changes_its_lines_only(self):
        for number, kind, old, new in faults_python.faults(TEXT):
            self.assertEqual(old.count("\n"), new.count("\n"))
            spoilt = faults.spoilt(TEXT, ("x.py", number, kind, old, new)).split("\n")
            before = TEXT.split("\n")
            self.assertEqual(len(spoilt), len(before))
            changed = {i + 1 for i, (a, b) in enumerate(zip(before, spoilt)) if a != b}
            self.assertTrue(changed and changed <= set(range(number, number + old.count("\n") + 1)), (number, changed))

    def test_what_compiles_to_the_same_bytecode_is_none(self):
        for one, other, same in (("while 1:\n    f()\n", "while 2:\n    f()\n", True), ("x = 1\n", "x = 2\n", False),
                                 ("def f(a=1):\n    return a\n", "def f(a=1):\n    return  a\n", True),
                                 ("def f(a=1):\n    return a\n", "def f(a=True):\n    return a\n", False),
                                 ("def f():\n    return 1\n", "def f():\n    return 2\n", False)):
            self.assertEqual(faults_python.code(one) == faults_python.code(other), same, (one, other))
        self.assertIsNone(faults_python.code("def f(:\n"))

    def test_a_line_inside_of_a_statement_belongs_to_it(self):
        self.assertEqual(list(faults_python.statement(TEXT, 13)), [12, 13])
        self.assertEqual(list(faults_python.statement(TEXT, 20)), [19, 20])
        self.assertEqual(faults_python.lines_of_code("# nothing\nx = 1\n\n\ndef f():\n    return 2\n"), {2, 5, 6})

    def test_faults_of_c(self):
        text = "int f(int a) {\n    /* a < 1 */\n    if (a < 2) g(a);\n    return a + 1;\n}\n"
        self.assertEqual({(f[0], f[3]) for f in faults_c.faults(text)}, {
            (3, "    if (a < 3) g(a);"), (3, "    if (!(a < 2)) g(a);"), (3, "    ;"),
            (4, "    return a - 1;"), (4, "    return a + 2;")})

    def test_the_draw_is_repeatable_and_takes_a_line_once(self):
        paths = faults.sources([os.path.join(common.ROOT, "python", "vta", "te")])
        first = faults.draw(paths, 10, 3)
        self.assertEqual(first, faults.draw(paths, 10, 3))
        self.assertNotEqual(first, faults.draw(paths, 10, 4))
        self.assertEqual(len({f[:2] for f in first}), 30)


class Lines(unittest.TestCase):
    def test_lines_that_ran_are_written_however_the_process_ends(self):
        with tempfile.TemporaryDirectory() as folder:
            root = os.path.realpath(folder)
            os.makedirs(os.path.join(root, "python"))
            os.makedirs(os.path.join(root, "run"))
            with open(os.path.join(root, "python", "part.py"), "w", encoding="utf-8") as f:
                f.write("import os, other\nimport threading\n\n\ndef one(x):\n    if x:\n        return 1\n    return 2\n\n\n"
                        "thread = threading.Thread(target=one, args=(0,))\nthread.start()\nthread.join()\n"
                        "both = [lambda: 1, lambda: one(0)]\nboth[0]()\nif os.fork() == 0:\n    one(1)\n"
                        "    os._exit(0)\nos.wait()\nos.kill(os.getpid(), 9)\n")
            with open(os.path.join(root, "python", "other.py"), "w", encoding="utf-8") as f:
                f.write("x = 1\n" * 100)  # not asked for
            hook = os.path.join(common.ROOT, "scripts", "mutation", "usercustomize.py")
            subprocess.run([sys.executable, "-c", f"exec(open({hook!r}).read()); import sys; "
                            f"sys.path.insert(0, {os.path.join(root, 'python')!r}); import part"], check=False,
                           env={**os.environ, "VT_COUNTED": os.path.join(root, "run"), "VT_COUNTED_TREE": root,
                                "VT_COUNTED_FILES": "python/none.py python/part.py"})
            ran = {}
            for name in os.listdir(os.path.join(root, "run")):
                with open(os.path.join(root, "run", name), encoding="utf-8") as f:
                    ran[name] = {int(line.rpartition(":")[2]) for line in f}
            self.assertEqual(len(ran), 1)  # a child goes on with the file of its parent
            self.assertEqual(set.union(*ran.values()), {1, 2, *range(5, 9), *range(11, 21)})


if __name__ == "__main__":
    unittest.main()

"""What the tool says to mistakes, kept in tests/cli/mistakes.txt: each command as a user types it wrongly, all that it
prints, and its exit code. VTA_UPDATE_GOLDEN=1 writes the file anew; read what changed in it."""

import os
import pty
import re
import shutil
import subprocess
import tempfile
import unittest

import common

VTA = os.path.join(common.BUILD, "vta")
SOURCE = os.path.join(os.path.dirname(__file__), "..", "..")
FILE = os.path.join(SOURCE, "tests", "cli", "mistakes.txt")


def environment(**more):
    e = {k: v for k, v in os.environ.items() if not k.startswith(("VTA_", "XDG_"))}
    return {**e, **more}


def make_files(folder):
    """What the commands are given."""
    shapes = os.path.join(SOURCE, "examples", "shapes")
    shutil.copy(os.path.join(shapes, "shapes.onnx"), folder)
    shutil.copy(os.path.join(shapes, "shapes.onnx"), os.path.join(folder, "plain.onnx"))
    shutil.copy(os.path.join(shapes, "shapes.picture.json"), folder)
    shutil.copy(os.path.join(shapes, "shapes.txt"), folder)
    shutil.copytree(os.path.join(shapes, "pictures"), os.path.join(folder, "pictures"))
    for name in ("conv2d.te", "vector_add.te"):
        shutil.copy(os.path.join(SOURCE, "examples", name), folder)
    files = {
        "misspelt.te": "kernel k(m = 4)\ninput A: acc_t[1, m, BATCH, BLOCK_OUT]\ntensr B like A = A[...]\n",
        "colon.te": "kernel k(m = 4)\ninput A acc_t[1, m, BATCH, BLOCK_OUT]\n",
        "bracket.te": "kernel k(m = 4)\ninput A: acc_t[1, m, BATCH, BLOCK_OUT\noutput B like A = A[...]\n",
        "name.te": "kernel k(m = 4)\ninput A: acc_t[1, m, BATCH, BLOCK_OUT]\noutput B like A = C[...]\n",
        "scope.te": "kernel k(m = 4)\ninput A: acc_t[1, m, BATCH, BLOCK_OUT]\ntensor T like A = A[...]\n"
                    "output B like A = inp_t(T[...])\nstage T\n  scope akk\n",
        "empty.te": "", "text.txt": "nothing\n", "bad.json": "{\"LOG_BLOCK\": }", "other.json": "{\"LOG_BLCK\": 4}",
        "wrong.s": "LOAD memory_type=akk\n", "broken.png": "\x89PNG", "labels.csv": "ball1.png,0\n", "class.csv": "ball1.png,99\n",
        "short.onnx": "\x08\x07", "notes.csv": "ball1.png;0\n",
    }
    for name, text in files.items():
        with open(os.path.join(folder, name), "w", encoding="latin1") as f:
            f.write(text)
    subprocess.run([VTA, "build", "conv2d.te", "-o", "conv2d.o"], cwd=folder, check=True, env=environment())
    subprocess.run([VTA, "capture", "-o", "conv2d.vta", "--", VTA, "run", "vector_add.te"], cwd=folder, check=True,
                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
    subprocess.run([VTA, "compile", "shapes.onnx", "--calibrate", "pictures"], cwd=folder, check=True,
                   stdout=subprocess.PIPE, env=environment())


def run(folder, command):
    done = subprocess.run(["bash", "-c", command], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env=environment(PATH=common.BUILD + ":" + os.environ["PATH"]), stdin=subprocess.DEVNULL)
    return f"$ {command}\n{done.stdout.decode('utf8', 'replace')}[{done.returncode}]\n"


class Mistakes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        make_files(cls.folder)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def test_what_is_said(self):
        self.maxDiff = None
        with open(FILE, encoding="utf8") as f:
            kept = f.read()
        commands = re.findall(r"^\$ (.*)$", kept, re.M)
        self.assertGreaterEqual(len(commands), 75)
        self.assertEqual(len(set(commands)), len(commands))
        said = [run(self.folder, c) for c in commands]
        now = "\n".join(said)
        if os.environ.get("VTA_UPDATE_GOLDEN"):
            with open(FILE, "w", encoding="utf8") as f:
                f.write(now)
        for text in said:
            lines = text.splitlines()
            self.assertIn(lines[-1], ("[1]", "[2]"), text)
            self.assertRegex(text, r"(?m)^([^ ].*: )?error: ", text)
            self.assertLessEqual(len(lines), 30, text)
        self.assertEqual(kept, now)


def luminance(colour):
    def linear(c):
        return c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
    return sum(w * linear(c / 255) for w, c in zip((0.2126, 0.7152, 0.0722), colour))


class Contrast(unittest.TestCase):
    """Text on the boxes of a network's graph, in both themes of the page of a profile."""

    def test_text_on_layers(self):
        with open(os.path.join(SOURCE, "src", "vta", "profile", "page", "page.css"), encoding="utf8") as f:
            css = f.read()
        themes = re.findall(r":root[^{]*\{(.*?)\n\}", css, re.S)
        self.assertEqual(len(themes), 2)
        for theme in themes:
            def colour(name):
                value = re.search(rf"--{name}: #([0-9a-f]{{6}})", theme)[1]
                return [int(value[i:i + 2], 16) for i in (0, 2, 4)]
            most = float(re.search(r"--heat-most: (\d+)%", theme)[1]) / 100
            for percent in range(0, 101):
                share = most * percent / 100
                box = [share * h + (1 - share) * t for h, t in zip(colour("heat"), colour("track"))]
                a, b = sorted((luminance(box), luminance(colour("text"))))
                self.assertGreaterEqual((b + 0.05) / (a + 0.05), 4.5, f"{percent} % of the heat")


class Pages(unittest.TestCase):
    """Help pages, completion and colour."""

    def tool(self, *args, code=0):
        done = subprocess.run([VTA, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(), text=True)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout

    def commands(self):
        with open(os.path.join(SOURCE, "cli", "commands.def"), encoding="utf8") as f:
            text = f.read()
        rows = re.findall(r'^CLI_COMMAND(?:_AS)?\((\w+), "?([\w-]+)?', text, re.M)
        text = text[:text.index("#else")]
        names = re.findall(r'^CLI_COMMAND\((\w+),', text, re.M) + re.findall(r'^CLI_COMMAND_AS\(\w+, "([\w-]+)"', text, re.M)
        self.assertGreater(len(rows), len(names) // 2)
        return names

    def test_pages_are_narrow_and_grouped(self):
        page = self.tool("--help")
        listed = re.findall(r"^  ([a-z][\w-]*) {2,}|^  (rpc-tracker|board-model) ", page, re.M)
        listed = [a or b for a, b in listed]
        for name in self.commands():
            self.assertEqual(listed.count(name), 1, name)
            for line in self.tool(name, "--help").splitlines():
                self.assertLessEqual(len(line), 100, f"{name}: {line}")
        self.assertNotIn("\nothers\n", page)
        for line in page.splitlines():
            self.assertLessEqual(len(line), 100)

    def complete(self, *words):
        script = self.tool("completion", "bash")
        ask = 'source /dev/stdin; COMP_WORDS=("$@"); COMP_CWORD=$(($#-1)); _vta; printf "%s\\n" "${COMPREPLY[@]}"'
        done = subprocess.run(["bash", "-c", ask, "bash", *words], input=script, stdout=subprocess.PIPE, text=True, check=True)
        return done.stdout.split()

    def test_values_are_completed(self):
        configs = {f[:-5] for f in os.listdir(os.path.join(SOURCE, "configs")) if f.endswith(".json")}
        self.assertLessEqual(configs, set(self.complete("vta", "run", "--config", "")))
        self.assertEqual(self.complete("vta", "hw", ""), ["generate", "build", "synth"])
        self.assertEqual(self.complete("vta", "op", "conv2d_"), ["conv2d_transpose"])
        self.assertEqual(self.complete("vta", "profile", "-P", "zcu"), ["zcu104"])
        self.assertEqual(self.complete("vta", "graph", "--after", "FoldB"), ["FoldBatchNorm"])
        self.assertEqual(self.complete("vta", "run", "--set", "LOG_BA"), ["LOG_BATCH="])
        for preset in self.complete("vta", "classify", "--preset", ""):
            done = subprocess.run([VTA, "run", "none.onnx", "--preset", preset], stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, env=environment(), text=True)
            self.assertNotIn("no preset", done.stdout)
        for driver in self.complete("vta", "sim", "--driver", ""):
            with tempfile.TemporaryDirectory() as folder:
                shutil.copy(os.path.join(SOURCE, "examples", "vector_add.te"), folder)
                done = subprocess.run([VTA, "run", "vector_add.te", "--driver", driver], stdout=subprocess.PIPE, cwd=folder,
                                      stderr=subprocess.STDOUT, env=environment(VTA_BOARD="model=/none"), text=True)
                self.assertNotIn("there is no driver", done.stdout)
        self.assertEqual(self.complete("vta", "completion", ""), ["bash", "zsh", "fish"])
        fish = self.tool("completion", "fish")
        self.assertIn("complete -c vta -n '__fish_seen_subcommand_from hw' -f -a 'generate build synth'\n", fish)
        for line in fish.splitlines():
            self.assertEqual(len(re.sub(r"\\.", "", line).split("'")) % 2, 1, line)

    def in_terminal(self, **more):
        """What is written to a terminal."""
        here, there = pty.openpty()
        subprocess.run([VTA, "prfile"], stdout=there, stderr=there, env=environment(**more))
        os.close(there)
        text = os.read(here, 4096).decode()
        os.close(here)
        return text

    def test_colour(self):
        os.environ.pop("NO_COLOR", None)
        self.assertIn("\033[1;31merror:\033[0m vta prfile", self.in_terminal(TERM="xterm"))
        for more in ({"TERM": "xterm", "NO_COLOR": "1"}, {"TERM": "dumb"}):
            self.assertTrue(self.in_terminal(**more).startswith("error: vta prfile"))
        done = subprocess.run([VTA, "prfile"], stderr=subprocess.PIPE, env=environment(TERM="xterm"), text=True)
        self.assertTrue(done.stderr.startswith("error: vta prfile"))


if __name__ == "__main__":
    unittest.main()

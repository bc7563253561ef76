"""The tutorials of TVM's VTA: their notebooks run without a changed cell, and the code of their texts runs.

What may differ in an output: standard error (time stamps, paths, warnings of TVM). Everything else is
compared as it stands."""

import ast
import contextlib
import io
import json
import os
import re
import tempfile
import textwrap
import unittest

import common
import vta


def _text(output):
    """What an output cell shows, as (kind, text)."""
    if output["output_type"] == "stream":
        return output["name"], "".join(output["text"])
    data = output.get("data", {})
    return output["output_type"], "".join(data.get("text/html") or data.get("text/plain") or [])


def _shown(cell):
    """A cell's outputs without standard error; adjacent pieces of a stream joined."""
    out = []
    for output in cell.get("outputs", []):
        if output["output_type"] == "error":
            out.append(("error", f"{output['ename']}: {output['evalue']}"))
            continue
        kind, text = _text(output)
        if kind == "stderr":
            continue
        if out and out[-1][0] == kind == "stdout":
            out[-1] = (kind, out[-1][1] + text)
        else:
            out.append((kind, text))
    return out


class Notebooks(unittest.TestCase):
    maxDiff = 3000

    def run_notebook(self, name):
        try:
            import nbformat
            from nbclient import NotebookClient
        except ImportError as error:
            self.skipTest(f"notebooks cannot be executed here: {error}")
        stored = json.loads(_read(name))
        notebook = nbformat.reads(json.dumps(stored), as_version=4)
        saved = dict(os.environ)
        os.environ.update(common.environment())
        try:
            with tempfile.TemporaryDirectory() as folder:
                client = NotebookClient(notebook, timeout=300, kernel_name="python3", allow_errors=True,
                                        resources={"metadata": {"path": folder}})
                client.execute()
        finally:
            os.environ.clear()
            os.environ.update(saved)
        cells = [c for c in stored["cells"] if c["cell_type"] == "code"]
        done = [c for c in notebook["cells"] if c["cell_type"] == "code"]
        self.assertEqual(len(cells), len(done))
        for number, (want, got) in enumerate(zip(cells, done), 1):
            with self.subTest(cell=number):
                self.assertEqual("".join(got["source"]), "".join(want["source"]))
                self.assertEqual(_shown(got), _shown(want))

    def test_get_started(self):
        self.run_notebook("vta-get-started.ipynb.txt")

    def test_convolution_opt(self):
        self.run_notebook("convolution-opt.ipynb.txt")


def _run(pieces, scope=None):
    """Executes pieces of code in one scope; returns what they print."""
    out = io.StringIO()
    scope = {"__name__": "seed"} if scope is None else scope
    with contextlib.redirect_stdout(out):
        for piece in pieces:
            exec(compile(piece, "seed", "exec"), scope)  # pylint: disable=exec-used
    return out.getvalue()


def _read(name):
    """A tutorial's text."""
    with open(common.shared("seeds", name), encoding="utf-8") as file:
        return file.read()


def _plain(text):
    """Printed text as the document has it: tabs as eight columns, no blank lines around."""
    return text.expandtabs(8).strip("\n").rstrip()


def _longest_program(lines):
    """The longest beginning of some lines that is Python: the rest is what it printed, or prose."""
    for end in range(len(lines), 0, -1):
        try:
            ast.parse("\n".join(lines[:end]))
        except SyntaxError:
            continue
        return "\n".join(lines[:end])
    return ""


class Documents(unittest.TestCase):
    def test_simple_matrix_multiply(self):
        text = _read("simple-matrix-multiply.txt")
        cells = re.split(r"^In \[[ 0-9None]*\]:\n", text, flags=re.M)[1:]
        cells = [re.split(r"^Summary$", c, flags=re.M)[0] for c in cells]
        pieces = [_longest_program([line for line in c.split("\n") if not line.startswith("TVMModGetFunction")])
                  for c in cells]
        self.assertIn("Successful matrix multiply test!", _run(pieces))

    def test_convolution_text(self):
        text = _read("convolution-opt.rst.txt")
        blocks = re.findall(r"^\.\. code-block:: default\n((?:\n| {4}.*\n)+)", text, flags=re.M)
        shown = re.findall(r"^ \.\. code-block:: none\n((?:\n| {4}.*\n)+)", text, flags=re.M)
        scope = {"__name__": "seed"}
        with vta.print_style("tvmscript"):  # what the release printed that this text was made with
            printed = [_run([textwrap.dedent(b)], scope) for b in blocks]
        self.assertEqual([_plain(p) for p in printed if p.strip()], [_plain(textwrap.dedent(s)) for s in shown])

    def test_blocked_matrix_multiply_of_the_notes(self):
        text = _read("vta-notes.md.txt")
        section = text[text.index("### On-Chip Buffer Blocking Scheduling"):text.index("## 3.4 2D Convolution")]
        blocks = re.findall(r"```c\+\+\n(.*?)```", section, flags=re.S)
        pieces = [b.split("// ---")[0] for b in blocks]
        scope = {}
        before = """
import numpy as np, tvm, vta
from tvm import te
env = vta.get_env()
in_channels = out_channels = 1024
data = te.placeholder((1, in_channels // env.BLOCK_IN, env.BATCH, env.BLOCK_IN), name="data", dtype=env.inp_dtype)
weight = te.placeholder((out_channels // env.BLOCK_OUT, in_channels // env.BLOCK_IN, env.BLOCK_OUT, env.BLOCK_IN),
                        name="weight", dtype=env.wgt_dtype)
data_buf = te.compute(data.shape, lambda *i: data(*i), "data_buf")
weight_buf = te.compute(weight.shape, lambda *i: weight(*i), "weight_buf")
output_shape = (1, out_channels // env.BLOCK_OUT, env.BATCH, env.BLOCK_OUT)
"""
        schedule = "s = te.create_schedule(res.op)"
        run_it = """
with vta.build_config(disabled_pass={"tir.CommonSubexprElimTIR"}):
    kernel = vta.build(s, [data, weight, res], "ext_dev", env.target_host, name="my_gemm")
rng = np.random.default_rng(0)
x = rng.integers(-128, 128, size=data.shape).astype(data.dtype)
w = rng.integers(-128, 128, size=weight.shape).astype(weight.dtype)
dev = vta.ext_dev(0)
out = vta.nd.empty(output_shape, res.dtype, dev)
kernel(vta.nd.array(x, dev), vta.nd.array(w, dev), out)
plain = np.einsum("abcd,obed->aoce", x.astype("int32"), w.astype("int32"))
expected = np.clip(plain >> env.INP_WIDTH, 0, 127).astype(res.dtype)
right = bool((out.numpy() == expected).all())
"""
        _run([before, pieces[0], schedule, *pieces[1:], run_it], scope)
        self.assertTrue(scope["right"])


if __name__ == "__main__":
    unittest.main()

"""ONNX Runtime as a judge: what a model gives there (scripts/install_oracle installs it into build-oracle)."""

import base64
import json
import os
import shutil
import subprocess
import tempfile
import unittest

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDER = os.environ.get("VTA_ORACLE", os.path.join(ROOT, "build-oracle"))


class Refused(Exception):
    """ONNX Runtime does not take the model or the inputs; the text is its own."""


def missing():
    """Why ONNX Runtime cannot be asked here, or None."""
    if not shutil.which("node"):
        return "no node here: scripts/install_oracle"
    if not os.path.isdir(os.path.join(FOLDER, "node_modules", "onnxruntime-node")):
        return f"no ONNX Runtime in {FOLDER}: scripts/install_oracle"
    return None


def needed():
    """Skips the test, saying so, where ONNX Runtime is absent."""
    reason = missing()
    if reason:
        raise unittest.SkipTest(reason)


class Oracle:
    """A process that runs models with ONNX Runtime. Use it in a `with` statement."""

    def __init__(self):
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "oracle.js")
        self._folder = tempfile.TemporaryDirectory()
        self._process = subprocess.Popen(["node", script, FOLDER], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                         stderr=subprocess.DEVNULL, text=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()
        self._folder.cleanup()

    def __call__(self, model, inputs):
        """The outputs by name. `model`: a path or the bytes of a file; `inputs`: arrays by name. Raises Refused."""
        if isinstance(model, bytes):
            path = os.path.join(self._folder.name, "model.onnx")
            with open(path, "wb") as file:
                file.write(model)
        else:
            path = os.path.abspath(os.fspath(model))
        request = {"model": path, "inputs": {
            # np.ascontiguousarray would make one dimension of none.
            name: {"type": array.dtype.name, "dims": list(array.shape), "data": base64.b64encode(array.tobytes()).decode()}
            for name, array in inputs.items()}}
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"ONNX Runtime ended: exit code {self._process.wait()}")
        reply = json.loads(line)
        if "error" in reply:
            raise Refused(reply["error"])
        return {name: np.frombuffer(base64.b64decode(t["data"]), dtype=np.dtype(t["type"])).reshape(t["dims"])
                for name, t in reply["outputs"].items()}

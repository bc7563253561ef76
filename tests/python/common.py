"""What the Python tests share: where things are."""

import os
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SHARED = os.environ.get("VTA_SHARED", os.path.join(ROOT, "..", "shared"))
BUILD = os.path.abspath(os.environ.get("VTA_LIBRARY_PATH", os.path.join(ROOT, "build")))

os.environ["VTA_LIBRARY_PATH"] = BUILD
for _folder in ("python", os.path.join("python", "compat")):
    sys.path.insert(0, os.path.join(ROOT, _folder))


def shared(*parts):
    """Path of a recorded file; skips the test, saying so, where it is absent."""
    path = os.path.join(SHARED, *parts)
    if not os.path.exists(path):
        raise unittest.SkipTest(f"{path} is absent: recordings of the original are not part of this repository")
    return path


def environment(*search):
    """Variables for a child process that uses the front end."""
    path = os.pathsep.join([os.path.join(ROOT, "python"), os.path.join(ROOT, "python", "compat"), *search])
    return {**os.environ, "PYTHONPATH": path, "VTA_LIBRARY_PATH": BUILD}

"""What the Python tests share: where things are."""

import hashlib
import os
import struct
import sys
import unittest
import zlib

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SHARED = os.environ.get("VTA_SHARED", os.path.join(ROOT, "..", "shared"))
GOLDEN = os.path.join(ROOT, "tests", "golden", "data")
BUILD = os.path.abspath(os.environ.get("VTA_LIBRARY_PATH", os.path.join(ROOT, "build")))

#: Does the thread sanitizer look on? It ends a child of a process with threads when that starts threads of its own.
THREAD_SANITIZER = "libtsan" in os.environ.get("LD_PRELOAD", "")

os.environ["VTA_LIBRARY_PATH"] = BUILD
for _folder in ("python", os.path.join("python", "compat")):
    sys.path.insert(0, os.path.join(ROOT, _folder))


def shared(*parts):
    """Path of a file beside the checkout; skips the test, saying so, where it is absent."""
    path = os.path.join(SHARED, *parts)
    if not os.path.exists(path):
        absent(path)
    return path


def absent(what):
    """Leaves the test: what it needs is not there. Fails it instead where VTA_REQUIRE_GOLDEN is set."""
    if os.environ.get("VTA_REQUIRE_GOLDEN"):
        raise AssertionError(f"VTA_REQUIRE_GOLDEN is set, and {what} is absent: VTA_SHARED must name its folder")
    raise unittest.SkipTest(f"{what} is absent: VTA_SHARED names the folder of what is not in this repository")


def golden(name):
    """Path of a recording ("calls/vadd.calls"), the repository's or the complete set's; None where there is none."""
    for folder in (GOLDEN, os.path.join(SHARED, "golden")):
        path = os.path.join(folder, name)
        if os.path.exists(path):
            return path
    return None


def _golden_hashes():
    with open(os.path.join(GOLDEN, "SHA256SUMS"), encoding="utf-8") as file:
        return dict(reversed(line.split()) for line in file)


def is_recorded(name):
    """Whether a recorded text or its hash is there."""
    return golden(name) is not None or name in _golden_hashes()


def check_recorded(test, name, got):
    """Fails unless `got` is the recorded text, but for blanks at its end; skips where neither text nor hash is there."""
    got = got.rstrip(" \n") + "\n"
    path = golden(name)
    if path:
        with open(path, encoding="utf-8") as file:
            test.assertEqual(got, file.read().rstrip(" \n") + "\n", name)
    elif name in _golden_hashes():
        test.assertEqual(hashlib.sha256(got.encode()).hexdigest(), _golden_hashes()[name], f"{name}:\n{got}")
    else:
        absent(name)


def write_png(path, pixels):
    """Writes a picture: an array of bytes, rows by columns by red, green and blue."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows, columns, _ = pixels.shape
    lines = b"".join(b"\0" + row.astype("uint8").tobytes() for row in pixels)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", columns, rows, 8, 2, 0, 0, 0)) +
                   chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b""))


def environment(*search):
    """Variables for a child process that uses the front end."""
    path = os.pathsep.join([os.path.join(ROOT, "python"), os.path.join(ROOT, "python", "compat"), *search])
    return {**os.environ, "PYTHONPATH": path, "VTA_LIBRARY_PATH": BUILD}

"""What users of PyTorch and NumPy type first: vta.load, model.profile().show(), views of notebooks, DLPack of every type.
Views are read with an HTML parser; their numbers are those of the objects."""

import ctypes
import html.parser
import io
import os
import pathlib
import random
import subprocess
import tempfile
import unittest
from contextlib import redirect_stdout

import common
import numpy as np
import programs
import vta
from vta.testing import profiler

SHAPES = os.path.join(common.ROOT, "examples", "shapes")
VTA = os.path.join(common.BUILD, "vta")


class Reader(html.parser.HTMLParser):
    """Rows of cells, and whether each tag is closed in order."""

    def __init__(self, text):
        super().__init__()
        self.open, self.rows, self.frames = [], [], []
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attrs):
        if tag == "iframe":
            self.frames.append(dict(attrs))
        if tag != "img":
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag

    def handle_data(self, data):
        if self.open and self.open[-1] in ("td", "th"):
            self.rows[-1][-1] += data


class Load(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.artifact = os.path.join(cls.folder.name, "any.name")
        subprocess.run([VTA, "compile", os.path.join(SHAPES, "shapes.onnx"), "--calibrate", os.path.join(SHAPES, "pictures"),
                        "-o", cls.artifact], check=True, stdout=subprocess.PIPE)
        cls.x = np.random.default_rng(1).standard_normal((1, 3, 64, 64)).astype(np.float32)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_each_kind(self):
        model = vta.load(self.artifact)
        self.assertIsInstance(model, vta.Model)
        self.assertTrue((model(self.x) == vta.load_model(self.artifact)(self.x)).all())
        graph = vta.load(os.path.join(SHAPES, "shapes.onnx"))
        self.assertIsInstance(graph, vta.Graph)
        self.assertEqual(graph(self.x).shape, model(self.x).shape)
        kernel = os.path.join(self.folder.name, "k.so")
        subprocess.run([VTA, "build", os.path.join(common.ROOT, "examples", "vector_add.te"), "-o", kernel], check=True)
        self.assertIsInstance(vta.load(kernel), vta.Module)

    def test_hardware_by_name(self):
        """A board's name, a file, and a word that is neither."""
        self.assertEqual(vta.Environment("ultra96").TARGET, "ultra96")
        path = os.path.join(common.ROOT, "configs", "pynq.json")
        self.assertEqual(vta.Environment(pathlib.Path(path)).config.to_dict(), vta.Environment("pynq").config.to_dict())
        with self.assertRaisesRegex(vta.VTAError, "ultra69"):
            vta.Environment("ultra69")
        samples = [np.zeros((1, 3, 64, 64), "float32"), np.ones((1, 3, 64, 64), "float32")]
        integers = vta.quantize(os.path.join(SHAPES, "shapes.onnx"), samples, config="pynq")
        model = integers.compile("pynq", driver="sim")
        self.assertTrue(np.array_equal(model(samples[1]), integers(samples[1])))

    def test_other_files_are_named(self):
        def put(name, data):
            path = os.path.join(self.folder.name, name)
            with open(path, "wb") as f:
                f.write(data)
            return path
        rows = [(os.path.join(common.ROOT, "examples", "conv2d.te"), "is a kernel file: `vta build`"),
                (os.path.join(SHAPES, "pictures", "ball1.png"), "is a picture: vta.picture"),
                (put("x.vta", b"\x89VTA\r\n\x1a\n"), "vta sim"), (put("x.npy", b"\x93NUMPY"), "numpy.load"),
                (put("x", b""), "is no compiled network, no model"), (put("y", b"text"), "is no compiled network")]
        for path, words in rows:
            with self.assertRaisesRegex(ValueError, words):
                vta.load(path)
        with self.assertRaisesRegex(ValueError, "a driver is for compiled networks"):
            vta.load(os.path.join(SHAPES, "shapes.onnx"), driver="sim")
        with self.assertRaises(FileNotFoundError):
            vta.load("nothing")

    def test_profiles_are_shown(self):
        model = vta.load(self.artifact)
        model(self.x)
        profile = model.profile()
        self.assertIsInstance(profile, dict)
        said = io.StringIO()
        with redirect_stdout(said):
            profile.show()
        rows = Reader(profile._repr_html_()).rows[1:]
        self.assertEqual(len(rows), len(profile["steps"]))
        for row, step in zip(rows, profile["steps"]):
            self.assertEqual(row[0].strip(), step["name"])
            self.assertEqual(row[2], f"{step.get('cycles', 0):,}")
            self.assertIn(f" {step.get('cycles', '')} ", said.getvalue())
        shown = Reader(model._repr_html_()).rows
        self.assertIn("1 x 3 x 64 x 64", shown[1])
        self.assertIn("1 x 3 x 64 x 64", Reader(vta.load(os.path.join(SHAPES, "shapes.onnx"))._repr_html_()).rows[1])


class Views(unittest.TestCase):
    def test_operator(self):
        op = vta.topi.Operator("dense", in_features=32, out_features=48)
        rows = dict(tuple(r) for r in Reader(op._repr_html_()).rows[1:])
        self.assertEqual(rows["in_features"], "32")
        self.assertEqual(rows["cycles"], f"{op.cycles:,}")
        self.assertEqual(rows["multiply-accumulates"], f"{op.macs:,}")

    def profile(self):
        s, args = programs.vadd(vta.get_env())
        kernel = vta.build(s, args, name="vadd")
        arrays = [vta.nd.empty(tuple(int(d) for d in a.shape), a.dtype, vta.ext_dev(0)) for a in args]
        return profiler.profile(kernel, *arrays)

    def test_profile_and_comparison(self):
        p = self.profile()
        self.assertIn("<pre>", p._repr_html_())
        page = profiler._Page(p)._repr_html_()
        frame = Reader(page).frames[0]
        self.assertEqual(frame["sandbox"], "allow-scripts")
        self.assertTrue(frame["srcdoc"].startswith("<!doctype html>"))
        self.assertIn('id="timeline"', frame["srcdoc"])
        self.assertIn("default-src 'none'", frame["srcdoc"])
        said = io.StringIO()
        with redirect_stdout(said):
            p.show()
        self.assertIn(p.summary, said.getvalue())
        both = p.against(p)
        rows = {n: (a, b) for n, a, b in both.rows}
        self.assertEqual(rows["cycles"], (p.data["timing"]["cycles"],) * 2)
        shown = {r[0]: r[1:] for r in Reader(both._repr_html_()).rows}
        self.assertEqual(shown["cycles"][0], f"{p.data['timing']['cycles']:,}")
        self.assertEqual(shown["cycles"][2], "1.000")
        self.assertIn("cycles", str(both))

    def test_motion(self):
        """Each instruction once, cycles that only grow, and numbers that are A, then the sum."""
        s, args = programs.vadd(vta.get_env())
        kernel = vta.build(s, args, name="vadd")
        rng = np.random.default_rng(7)
        a, b = (rng.integers(-60, 60, tuple(int(d) for d in args[0].shape)).astype("int32") for _ in range(2))
        dev = vta.ext_dev(0)
        p = profiler.profile(kernel, vta.nd.array(a, dev), vta.nd.array(b, dev), vta.nd.empty(a.shape, "int8", dev))
        motion = p.motion(acc=3)
        path = os.path.join(tempfile.mkdtemp(), "k.vta")
        with open(path, "wb") as f:
            f.write(p.program)
        listed = subprocess.run([VTA, "disasm", path], stdout=subprocess.PIPE, text=True, check=True).stdout
        listed = [line.split()[0] for line in listed.splitlines() if line[:1].isupper()]
        self.assertEqual(sorted(f.instruction.split()[0] for f in motion.frames[:-1]), sorted(listed))
        cycles = [f.cycle for f in motion.frames]
        self.assertEqual(cycles, sorted(cycles))
        self.assertEqual(cycles[-1], p.data["timing"]["cycles"])
        self.assertEqual((motion.frames[-1].instruction, set(motion.frames[-1].queues.values())), ("", {0}))
        self.assertIn(1, [n for f in motion.frames for n in f.queues.values()])
        for i in range(3):
            first, second = a.reshape(-1, 16)[i].tolist(), (a + b).reshape(-1, 16)[i].tolist()
            seen = [f.buffers[f"acc {i}"] for f in motion.frames]
            self.assertEqual(seen[-1], second)
            self.assertIn(first, seen)
            self.assertLess(seen.index(first), seen.index(second))
        frame = Reader(motion._repr_html_()).frames[0]
        self.assertEqual(frame["sandbox"], "allow-scripts")
        self.assertIn(f"{len(motion.frames) - 1} steps", repr(motion))
        self.assertNotRegex(frame["srcdoc"], "https?:")

    def test_names_are_escaped(self):
        from vta._views import table
        self.assertIn("&lt;b&gt;", table("<b>", ("<b>",), [["<b>"]], "<b>"))
        self.assertNotIn("<b><", table("<b>", ("<b>",), [["<b>"]], "<b>").replace("<p><b>", ""))


class Managed(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int), ("device_id", ctypes.c_int), ("ndim", ctypes.c_int),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.c_void_p), ("offset", ctypes.c_uint64),
                ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class DLPack(unittest.TestCase):
    """Capsules made here, of every code and width; random shapes; the bytes are the oracle."""

    def capsule(self, code, bits, lanes=1, count=4, device=1):
        self.data = (ctypes.c_uint8 * (count * 32))(*[i % 2 for i in range(count * 32)])
        self.shape = (ctypes.c_int64 * 1)(count)
        self.managed = Managed(ctypes.addressof(self.data), device, 0, 1, code, bits, lanes, self.shape, None, 0, None, None)
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(ctypes.addressof(self.managed), b"dltensor", None)

    def test_every_type(self):
        taken = refused = 0
        names = {0: "int", 1: "uint", 2: "float"}
        for code in range(0, 12):
            for bits in (1, 4, 8, 16, 32, 64, 128):
                good = (code in (0, 1) and bits in (8, 16, 32, 64)) or (code == 2 and bits in (16, 32, 64)) or \
                    (code == 6 and bits == 8) or (code == 1 and bits == 1)
                if (code in (0, 1, 2) and not good):
                    continue  # whether the library has them is its own matter (4 bits)
                capsule = self.capsule(code, bits)
                if good:
                    got = vta.nd.from_dlpack(capsule)
                    dtype = "bool" if code == 6 or bits == 1 else f"{names[code]}{bits}"
                    self.assertEqual(got.dtype, dtype)
                    want = np.frombuffer(self.data, dtype=dtype, count=4)
                    self.assertTrue((got.numpy() == want).all(), dtype)
                    taken += 1
                else:
                    with self.assertRaisesRegex(TypeError, "convert it to float32 first"):
                        vta.nd.from_dlpack(capsule)
                    refused += 1
        self.assertGreater(taken, 11)
        self.assertGreater(refused, 40)

    def test_numpy(self):
        rng = random.Random(2)
        for _ in range(30):
            shape = [rng.randrange(1, 5) for _ in range(rng.randrange(0, 4))]
            x = (np.random.default_rng(3).uniform(0, 100, shape)).astype(rng.choice(
                ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64"]))
            if x.ndim:
                self.assertTrue((vta.nd.from_dlpack(x).numpy() == x).all())

    def test_what_is_refused(self):
        for wrong in (3, [1, 2], None, "x", object()):
            with self.assertRaisesRegex(TypeError, "is no tensor of DLPack"):
                vta.nd.from_dlpack(wrong)
        with self.assertRaisesRegex(TypeError, "vectors of 4 elements"):
            vta.nd.from_dlpack(self.capsule(2, 32, lanes=4))
        with self.assertRaisesRegex(BufferError, "host memory"):
            vta.nd.from_dlpack(self.capsule(2, 32, device=2))
        capsule = self.capsule(2, 32)
        vta.nd.from_dlpack(capsule)
        with self.assertRaisesRegex(TypeError, "taken over already"):
            vta.nd.from_dlpack(capsule)


if __name__ == "__main__":
    unittest.main()

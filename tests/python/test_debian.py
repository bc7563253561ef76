"""The Debian packages: what debian/ says agrees with the tree; with VTA_TEST_PACKAGES=1 they are built, looked at by lintian,
installed into a bare root, used and removed."""

import ast
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import common

DEBIAN = os.path.join(common.ROOT, "debian")
PACKAGES = {"vta", "libvta1", "libvtac1", "libvta-dev", "python3-vta", "vta-doc"}
_IMPORTS = "import vta, vta_tvm; vta.use_tvm_names(); import tvm; from importlib.metadata import version; print(vta.__file__, version('vta'), version('vta-tvm'))"


def _read(*parts):
    with open(os.path.join(common.ROOT, *parts), encoding="utf-8") as file:
        return file.read()


def _version():
    return re.search(r"project\(vta VERSION ([0-9.]+)", _read("CMakeLists.txt")).group(1)


def _run(test, *command, **options):
    done = subprocess.run(command, cwd=common.ROOT, capture_output=True, text=True, check=False, **options)
    test.assertEqual(done.returncode, 0, done.stdout[-4000:] + done.stderr[-4000:])
    return done.stdout


class Agreement(unittest.TestCase):
    def test_version(self):
        """As scripts/make_debs wants it, and the libraries' packages are named after their SONAMEs."""
        self.assertEqual(re.match(r"vta \((.*?)\)", _read("debian", "changelog")).group(1), _version())
        self.assertIn(f"libvta{_version().partition('.')[0]}", PACKAGES)

    def test_names(self):
        """control has the packages that the documents name; what goes into each is said."""
        self.assertEqual(set(re.findall(r"(?m)^Package: (.+)$", _read("debian", "control"))), PACKAGES)
        part = _read("docs", "releases.md").partition("## Debian packages")[2].partition("\n## ")[0]
        self.assertLessEqual(PACKAGES, set(re.findall(r"`([a-z0-9-]+)`", part)))
        self.assertEqual({n[:-len(".install")] for n in os.listdir(DEBIAN) if n.endswith(".install")}, PACKAGES)

    def test_build_depends(self):
        """They are the packages that `make` installs, but for what every build of a package has."""
        needed = re.search(r"Build-Depends: (.*?)\n\n", _read("debian", "control"), re.S).group(1)
        needed = set(re.findall(r"[a-z0-9+.-]+(?=[ ,(\n]|$)", re.sub(r"\(.*?\)", "", needed)))
        version = re.search(r"VT_LLVM_VERSION (\d+)", _read("CMakeLists.txt")).group(1)
        made = {line.split()[1].replace("LLVM", version) for line in _read("scripts", "packages.txt").splitlines()
                if line.startswith("build ")}
        self.assertEqual(needed - {"debhelper-compat", "dh-sequence-python3"}, made - {"gcc", "libc6-dev", "make", "python3-numpy"})


class Modules(unittest.TestCase):
    def test_modules_alone(self):
        """The Python package has the wheels' modules, no library and no tool."""
        with tempfile.TemporaryDirectory() as folder:
            _run(self, sys.executable, "scripts/make_wheels", "--modules", common.BUILD, folder)
            names = {os.path.relpath(os.path.join(at, n), folder) for at, _, found in os.walk(folder) for n in found}
            self.assertFalse([n for n in names if not n.endswith((".py", ".pyi", ".typed", "METADATA"))])
            for name in ("vta/__init__.py", "vta/_bindings.py", "vta_tvm/__init__.py", "vta_tvm/compat/tvm/__init__.py"):
                self.assertIn(name, names)
            words = _run(self, sys.executable, "-c", _IMPORTS,
                         env={**os.environ, "PYTHONPATH": folder, "VTA_LIBRARY_PATH": common.BUILD}).split()
            self.assertEqual(words, [os.path.join(folder, "vta", "__init__.py"), _version(), _version()])
            for name in names:
                if name.endswith(".py"):
                    with open(os.path.join(folder, name), encoding="utf-8") as file:
                        ast.parse(file.read())

    def test_usage(self):
        done = subprocess.run([sys.executable, os.path.join(common.ROOT, "scripts", "make_wheels"), "--modules"], capture_output=True,
                              text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (1, "usage: scripts/make_wheels [--modules] BUILD FOLDER\n"))


class Whole(unittest.TestCase):
    def test_in_a_bare_root(self):
        missing = [p for p in ("debootstrap", "dpkg-buildpackage", "lintian", "dh") if not shutil.which(p)]
        if missing or os.getuid() != 0 or not os.environ.get("VTA_TEST_PACKAGES"):
            self.skipTest("builds packages and fetches a Debian: as root, with debootstrap, dpkg-dev, debhelper, lintian, and "
                          f"VTA_TEST_PACKAGES=1 (missing here: {', '.join(missing) or 'none'})")
        with tempfile.TemporaryDirectory() as folder:
            _run(self, "scripts/make_debs", os.path.join(folder, "debs"))
            made = {n.partition("_")[0] for n in os.listdir(os.path.join(folder, "debs")) if n.endswith(".deb")}
            self.assertEqual(made, PACKAGES)
            words = _run(self, "scripts/check_debs", os.path.join(folder, "debs"), os.path.join(folder, "root"))
            self.assertIn("the packages work in", words)


if __name__ == "__main__":
    unittest.main()

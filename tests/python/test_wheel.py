"""What wheels and source archives hold: the platform's tag is what readelf says of the files, and two folders give the same bytes."""

import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest
import zipfile

import common

sys.path.append(os.path.join(common.ROOT, "python"))
import wheel_elf  # noqa: E402


def _readelf(*options):
    return subprocess.run(["readelf", "-W", *options], capture_output=True, text=True, check=True).stdout


def _files():
    names = ("libvta.so", "libvtac.so", "vta", "vta-session")
    return [path for path in (os.path.join(common.BUILD, name) for name in names) if os.path.exists(path)]


def _compiled(folder, name, text, *options):
    source, path = os.path.join(folder, name + ".c"), os.path.join(folder, name)
    with open(source, "w", encoding="utf-8") as file:
        file.write(text)
    subprocess.run(["cc", "-shared", "-fPIC", source, "-o", path, *options], check=True)
    return path


class Needs(unittest.TestCase):
    def test_as_readelf_says(self):
        self.assertGreaterEqual(len(_files()), 3)
        for path in _files():
            needs = wheel_elf.Needs(path)
            self.assertEqual(needs.libraries, re.findall(r"\(NEEDED\).*\[(.*)\]", _readelf("-d", path)), path)
            listed, library = {}, None
            section = re.search(r"Version needs section.*?(?=\nVersion |\Z)", _readelf("-V", path), re.S).group(0)
            for line in section.splitlines():
                begins, name = re.search(r"File: (\S+)", line), re.search(r"Name: (\S+)", line)
                library = begins.group(1) if begins else library
                if name:
                    listed.setdefault(library, set()).add(name.group(1))
            self.assertEqual(needs.versions, listed, path)

    def test_tag(self):
        with tempfile.TemporaryDirectory() as folder:
            machine = os.uname().machine
            old = _compiled(folder, "libold.so", "int f(void) { return 1; }")
            self.assertEqual(wheel_elf.platform({"libold.so": old}), (f"manylinux_2_17_{machine}", []))
            new = _compiled(folder, "libnew.so", "int gettid(void); int f(void) { return gettid(); }")  # since glibc 2.30
            self.assertEqual(wheel_elf.platform({"libold.so": old, "libnew.so": new}), (f"manylinux_2_30_{machine}", []))
            user = _compiled(folder, "libuser.so", "int f(void); int g(void) { return f(); }", "-L", folder, "-l:libnew.so")
            needed = wheel_elf.Needs(user).libraries[0]
            self.assertEqual(wheel_elf.platform({needed: new, "libuser.so": user}), (f"manylinux_2_30_{machine}", []))
            self.assertEqual(wheel_elf.platform({"libuser.so": user}), (f"linux_{machine}", [needed]))

    def test_refused(self):
        with tempfile.NamedTemporaryFile() as file:
            file.write(b"#!/bin/sh\n")
            file.flush()
            with self.assertRaisesRegex(ValueError, "is not a little-endian ELF file"):
                wheel_elf.Needs(file.name)


class Reproducible(unittest.TestCase):
    """Wheels and source archives of two copies of the sources, the second with other times, rights and order on the disk."""

    def made(self, folder, function):
        code = (f"import sys; sys.dont_write_bytecode = True; import wheel_backend; "
                f"print(wheel_backend.{function}({folder!r}))")
        found = {}
        for part in ("python", os.path.join("python", "compat")):
            run = subprocess.run([sys.executable, "-c", code], cwd=os.path.join(folder, part), capture_output=True, text=True,
                                 env={**os.environ, "VTA_LIBRARY_PATH": common.BUILD}, check=False)
            self.assertEqual(run.returncode, 0, run.stderr)
            with open(os.path.join(folder, run.stdout.strip()), "rb") as file:
                found[run.stdout.strip()] = file.read()
        return found

    def copy(self, folder, changed):
        os.makedirs(folder)
        shutil.copy(os.path.join(common.ROOT, "CMakeLists.txt"), folder)
        top = os.path.join(common.ROOT, "python")
        paths = [os.path.relpath(os.path.join(at, name), top) for at, _, names in os.walk(top) for name in names
                 if "__pycache__" not in at]
        for path in sorted(paths, reverse=changed):
            to = os.path.join(folder, "python", path)
            os.makedirs(os.path.dirname(to), exist_ok=True)
            shutil.copyfile(os.path.join(top, path), to)
            if changed:
                os.chmod(to, 0o600)
                os.utime(to, (1e9, 1e9))

    def test_two_folders(self):
        with tempfile.TemporaryDirectory() as folder:
            for function in ("build_wheel", "build_sdist"):
                both = []
                for changed in (False, True):
                    at = os.path.join(folder, f"{function}{int(changed)}", "a" * (1 + changed))
                    self.copy(at, changed)
                    both.append(self.made(at, function))
                self.assertEqual(sorted(both[0]), sorted(both[1]))
                self.assertEqual(len(both[0]), 2)
                for name, data in both[0].items():
                    self.assertTrue(data == both[1][name], name)  # no difference of megabytes in the message
            self.check_wheel(os.path.join(folder, "build_wheel0", "a"))

    def check_wheel(self, folder):
        """Programs can be executed, and nothing else; the command is an entry of the wheel."""
        name = next(n for n in os.listdir(folder) if n.startswith("vta-"))
        with zipfile.ZipFile(os.path.join(folder, name)) as wheel:
            programs = {i.filename for i in wheel.infolist() if stat.S_IMODE(i.external_attr >> 16) == 0o755}
            self.assertEqual(programs, {"vta/vta", "vta/vta-session"} & set(wheel.namelist()))
            self.assertIn("vta/vta", programs)
            entries = [n for n in wheel.namelist() if n.endswith("entry_points.txt")]
            self.assertIn(b"vta = vta_tool:main", wheel.read(entries[0]))


if __name__ == "__main__":
    unittest.main()

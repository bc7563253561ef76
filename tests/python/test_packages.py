"""scripts/install_packages where there is no apt, where all is there, and where something is missing: with stand-ins for dpkg and apt."""

import os
import shutil
import subprocess
import tempfile
import unittest

import common

SCRIPT = os.path.join(common.ROOT, "scripts", "install_packages")


class Packages(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory()) if hasattr(self, "enterContext") else tempfile.mkdtemp()
        for name in ("sh", "dirname", "sed", "grep", "id", "env"):
            os.symlink(shutil.which(name), os.path.join(self.folder, name))

    def program(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!" + os.path.join(self.folder, "sh") + "\n" + text)
        os.chmod(path, 0o755)

    def run_script(self):
        return subprocess.run([SCRIPT, "build"], env={"PATH": self.folder}, capture_output=True, text=True, check=False)

    def test_without_apt(self):
        done = self.run_script()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("no apt here", done.stdout)

    def test_all_there(self):
        self.program("dpkg-query", "echo 'install ok installed'\n")
        self.program("apt-get", "exit 9\n")
        done = self.run_script()
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_missing(self):
        asked = os.path.join(self.folder, "asked")
        self.program("dpkg-query", '[ "$3" != ninja-build ] && echo "install ok installed"\n')
        self.program("apt-get", f'echo "$*" >>{asked}\n')
        self.program("sudo", '"$@"\n')
        done = self.run_script()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, "installing: ninja-build\n")
        with open(asked, encoding="utf-8") as file:
            self.assertTrue(file.read().endswith(" ninja-build\n"))

    def test_not_root(self):
        self.program("dpkg-query", '[ "$3" != ninja-build ] && echo "install ok installed"\n')
        self.program("apt-get", "exit 9\n")
        os.remove(os.path.join(self.folder, "id"))
        self.program("id", "echo 1000\n")
        done = self.run_script()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue(done.stdout.endswith("as root: apt-get install ninja-build\n"), done.stdout)

    def test_apt_fails(self):
        self.program("dpkg-query", "exit 1\n")
        self.program("apt-get", "exit 100\n")
        self.program("sudo", '"$@"\n')
        self.assertEqual(self.run_script().returncode, 100)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Follows docs/devices.md, "A new driver", beside the source tree: a copy of null under another name, its row and its line
in src/LAYERS; then the conformance suite judges it.

    tests/recipes/add_device.py BUILD"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

from add_pass import ROOT, Builder

NAME = "echo"
SUITE = "tests/device/test_conformance.c"


def edit(there, path, before, new):
    """Puts `new` in front of the one place where `before` stands."""
    full = os.path.join(there, path)
    os.makedirs(os.path.dirname(full), exist_ok=True)
    if not os.path.exists(full):
        shutil.copy(os.path.join(ROOT, path), full)
    with open(full, encoding="utf-8") as f:
        text = f.read()
    assert text.count(before) == 1, f"{path}: not one place with {before!r}"
    with open(full, "w", encoding="utf-8") as f:
        f.write(text.replace(before, new + before))


def layers(there):
    return subprocess.run([os.path.join(ROOT, "scripts", "check_layers"), "--root", there], capture_output=True, text=True,
                          check=False)


def copy_null(there):
    """Step 1."""
    with open(os.path.join(ROOT, "src/vta/device/null/null.c"), encoding="utf-8") as f:
        text = re.sub(r"(\bvt_|\bvt_driver_|\")null\b", rf"\g<1>{NAME}", f.read())
    folder = os.path.join(there, "src/vta/device", NAME)
    os.makedirs(folder)
    with open(os.path.join(folder, f"{NAME}.c"), "w", encoding="utf-8") as f:
        f.write(text)


def main():
    with tempfile.TemporaryDirectory() as there:
        for folder in ("src", "include"):
            shutil.copytree(os.path.join(ROOT, folder), os.path.join(there, folder))
        copy_null(there)
        edit(there, "src/vta/device/drivers.def", "VT_DRIVER(null)", f"VT_DRIVER({NAME})\n")
        assert f"src/vta/device/{NAME}: not in src/LAYERS" in layers(there).stdout, "a folder without its line is not noticed"
        edit(there, "src/LAYERS", "device/null:", f"device/{NAME}:  device device/dram\n")
        done = layers(there)
        assert done.returncode == 0, done.stdout + done.stderr
        b = Builder(sys.argv[1], there)
        made = [b.compile(f"src/vta/device/{NAME}/{NAME}.c", "src/vta/device/null/null.c"), b.compile("src/vta/device/device.c", "src/vta/device/device.c")]

        def judged():
            program = b.link("suite", [b.compile(SUITE, SUITE)] + made, "libvta_inside.a")
            return subprocess.run([program], cwd=ROOT, capture_output=True, text=True, check=False)

        refused = judged()
        assert refused.returncode != 0, "a device that runs nothing passes without an excuse"
        for part, why in (("EXECUTION", "it runs nothing"), ("LOOKING", "it has no on-chip memory"), ("TIME", "it runs nothing")):
            edit(there, SUITE, '    {"null", EXECUTION', f'    {{"{NAME}", {part}, "{why}"}},\n')
        done = judged()
        assert done.returncode == 0, done.stdout + done.stderr
        assert f"{NAME} excused: it runs nothing" in done.stdout
    print(f"{NAME}: refused without its excuses, passes the conformance suite with them")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Follows docs/extending.md, "An operator that schedules itself", beside the source tree: the operator's file and all that
read the table, its test, and what the library says of it.

    tests/recipes/add_operator.py BUILD"""
import concurrent.futures
import glob
import os
import re
import subprocess
import sys
import tempfile

from add_pass import ROOT, Builder, run

TABLE = "src/vtac/operators/operators.def"
PLACE = "#undef VT_IMAGES\n"
LIST = """#include <stdio.h>
#include "vta/ops.h"
int main(void) {
    for (size_t i = 0; vtac_operator_name(i); i++)
        for (size_t k = 0; vtac_operator_attribute(i, k); k++)
            printf("%s %s\\n", vtac_operator_name(i), vtac_operator_attribute(i, k)->name);
}
"""


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as f:
        return f.read()


def recipe():
    """The code of the recipe, by file."""
    text = read("docs/extending.md").split("## An operator that schedules itself\n")[1].split("\n## ")[0]
    return dict(re.findall(r"^```c (\S+)\n(.*?)^```$", text, flags=re.M | re.S))


def write(there, path, text):
    full = os.path.join(there, path)
    os.makedirs(os.path.dirname(full), exist_ok=True)
    with open(full, "w", encoding="utf-8") as f:
        f.write(text)


def main():
    steps = recipe()
    assert len(steps) == 3 and TABLE in steps, f"the recipe has code for {list(steps)}"
    table = read(TABLE)
    assert table.count(PLACE) == 1, "not one place for the new rows"
    with tempfile.TemporaryDirectory() as there:
        for path, code in steps.items():
            write(there, path, table.replace(PLACE, code + PLACE) if path == TABLE else code)
        write(there, "list.c", LIST)
        b = Builder(sys.argv[1], there)
        # ops.h has the table's numbers, so whatever includes it is compiled again: from copies, whose headers come first
        for path in glob.glob(f"{ROOT}/src/vtac/operators/*.[ch]"):
            if not os.path.exists(os.path.join(there, os.path.relpath(path, ROOT))):
                write(there, os.path.relpath(path, ROOT), read(os.path.relpath(path, ROOT)))
        sources = sorted(os.path.relpath(p, there) for p in glob.glob(f"{there}/src/vtac/operators/*.c"))
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            made = list(pool.map(lambda p: b.compile(p, p if p in b.commands else "src/vtac/operators/upsample2d.c"), sources))
        needed = subprocess.run(["ldd", f"{b.build}/libvtac.so"], capture_output=True, text=True, check=True).stdout
        made += ["-Wl,--no-as-needed"] + re.findall(r"\S*libLLVM\S*", needed)[-1:]
        listed = run(b.link("list", [b.compile("list.c", "src/vtac/lower/manager.c")] + made)).split("\n")
        rows = re.findall(r"VT_ATTRIBUTE\(crop2d, (\w+)", steps[TABLE])
        assert [r for r in listed if r.startswith("crop2d")][4:] == [f"crop2d {r}" for r in rows], listed
        test = next(p for p in steps if p.startswith("tests/"))
        run(b.link("crop2d", [b.compile(test, "src/vtac/lower/manager.c")] + made))
    print(f"crop2d: {len(made)} objects, its test passes")


if __name__ == "__main__":
    main()

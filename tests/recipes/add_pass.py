#!/usr/bin/env python3
"""Follows docs/extending.md, "A pass", word for word, beside the source tree: one new object, the manager and three tests.

    tests/recipes/add_pass.py BUILD"""
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LIST = """#include <stdio.h>
#include "vta/pass.h"
int main(void) {
    vtac_pass_info p;
    for (size_t i = 0; vtac_pass_get(i, &p) == VTA_OK; i++) printf("%s|%s|%s\\n", p.name, p.does, p.reason);
}
"""


def recipe():
    """The code of the recipe, by file."""
    with open(os.path.join(ROOT, "docs", "extending.md"), encoding="utf-8") as f:
        text = f.read().split("## A pass\n")[1].split("\n## ")[0]
    return dict(re.findall(r"^```c (\S+)\n(.*?)^```$", text, flags=re.M | re.S))


def changed(path, code):
    """The file after the step of the recipe."""
    full = os.path.join(ROOT, path)
    if not os.path.exists(full):
        return code
    with open(full, encoding="utf-8") as f:
        text = f.read()
    name = re.search(r"(\w+)\(void \*\*state\)", code)
    before = {".h": "\n#endif\n", ".def": "VT_PASS(GENERIC, hoist_if_then_else", ".c": "int main(void)"}[os.path.splitext(path)[1]]
    assert text.count(before) == 1, f"{path}: not one place for the new lines"
    text = text.replace(before, code + ("\n" if name else "") + before)
    if name:
        last = re.findall(r"cmocka_unit_test\(\w+\)", text)[-1]
        text = text.replace(last, f"{last}, cmocka_unit_test({name.group(1)})")
    return text


OUTSIDE = ("libjansson.", "libjpeg.", "libpng", "libuv.", "libssl.", "libcrypto.", "libprotobuf-c.", "libLLVM")


def outside(build):
    """The libraries of others that both of ours were linked with, as far as they are there."""
    command = ["ldd", f"{build}/libvta.so", f"{build}/libvtac.so"]
    words = [line.split() for line in subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()]
    paths = [w[2] for w in words if w[0].startswith(OUTSIDE)]
    return sorted(set(paths))


class Builder:
    """Compiles as the build tree does; headers in the copy come first."""

    def __init__(self, build, there):
        self.build, self.there = build, there
        with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as f:
            self.commands = {os.path.relpath(c["file"], ROOT): shlex.split(c["command"]) for c in json.load(f)}

    def compile(self, path, like):
        """The object of a file of the copy, or of the tree; with the flags of the source `like`."""
        own = os.path.join(self.there, path)
        source = own if os.path.exists(own) else os.path.join(ROOT, path)
        out = os.path.join(self.there, path.replace("/", "_") + ".o")
        flags = self.commands[like]
        flags = flags[: flags.index("-o")]
        if "-include" in flags:  # support/main.h: here each test is a program
            del flags[flags.index("-include") : flags.index("-include") + 2]
        first = next(i for i, flag in enumerate(flags) if flag.startswith("-I"))
        mine = [f"-I{self.there}/{folder}" for folder in ("include", "src/common", "src/vta", "src/vtac", "tests")]
        subprocess.run(flags[:first] + mine + flags[first:] + ["-o", out, "-c", source], cwd=self.build, check=True)
        return out

    def link(self, name, objects, *archives):
        """Objects given stand in for those of the same symbols in the archives: libvtac's insides with libvta, or those given."""
        flags = self.commands["src/vtac/lower/manager.c"]
        compiler = [f for f in flags[:2] if not f.startswith("-")]
        sanitize = [f for f in flags if f.startswith("-fsanitize")]
        out = os.path.join(self.there, name)
        libraries = [f"{self.build}/lib/{a}" for a in archives or ["libvtac_inside.a"]]
        libraries += [] if archives else [f"-L{self.build}", f"-Wl,-rpath,{self.build}", "-lvta"]
        libraries += ["-lcmocka"] + outside(self.build) + ["-lm", "-lpthread", "-ldl"]
        subprocess.run(compiler + sanitize + ["-o", out] + objects + libraries, check=True)
        return out


def run(program):
    done = subprocess.run([program], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 77):  # 77: recordings are not there (support/golden.h)
        sys.exit(f"{os.path.basename(program)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def main():
    steps = recipe()
    assert len(steps) == 4, f"the recipe has code for {list(steps)}"
    with tempfile.TemporaryDirectory() as there:
        for path, code in list(steps.items()) + [("list.c", LIST)]:
            os.makedirs(os.path.dirname(os.path.join(there, path)), exist_ok=True)
            with open(os.path.join(there, path), "w", encoding="utf-8") as f:
                f.write(changed(path, code) if code != LIST else LIST)
        b = Builder(sys.argv[1], there)
        new = next(p for p in steps if not os.path.exists(os.path.join(ROOT, p)))
        made = [b.compile(new, "src/vtac/lower/generic/simplify.c"), b.compile("src/vtac/lower/manager.c", "src/vtac/lower/manager.c")]
        name, does, reason = re.findall(r'"([^"]*)"', steps["src/vtac/lower/pipeline.def"])
        rows = run(b.link("list", [b.compile("list.c", "src/vtac/lower/manager.c")] + made)).splitlines()
        at = rows.index(f"{name}|{does}|{reason}")
        assert rows[at + 1].startswith("tir.HoistIfThenElse|"), rows[at + 1]
        for test in ("tests/pass/test_generic.c", "tests/listings/test_listings.c"):
            program = b.link(os.path.basename(test)[:-2], [b.compile(test, test)] + made)
            run(program)
    print(f"{name}: row {at} of {len(rows)}; its test passes, listings are as before")


if __name__ == "__main__":
    main()

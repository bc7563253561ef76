#!/usr/bin/env python3
"""scripts/check_layers finds what it is for: a small sound tree, and one fault in it at a time.

    tests/layers/faults.py [CC]"""
import json
import os
import subprocess
import sys
import tempfile

CHECK = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts", "check_layers")
TABLE = """[one]
base:
low:
[two]
mid:   low     # comments are left out
top:   <low>
+low:  low.h low.def
@stdio.h: low
"""
SOUND = {
    "src/LAYERS": TABLE,
    "include/vta/low.h": "int vta_low(void);\n",
    "include/vta/low.def": "enum { LOW = 1 };\n",
    "src/one/base/base.c": "int vt_base(void);\nint vt_base(void) { return 0; }\n",
    "src/one/low/low.h": "int vt_low_inside(void);\n",
    "src/one/low/low.c": '#include <stdio.h>\n#include "low/low.h"\n#include "vta/low.h"\nint vt_base(void);\n'
                     "int vt_low_inside(void) { return vt_base(); }\nint vta_low(void) { return puts(\"\"); }\n",
    "src/two/mid/mid.h": "int vt_mid(void);\n",
    "src/two/mid/mid.c": '#include "mid/mid.h"\n#include "low/low.h"\nint vt_mid(void) { return vt_low_inside(); }\n',
    "src/two/top/top.c": '#include "vta/low.h"\nint vt_top(void);\nint vt_top(void) { return vta_low(); }\n',
}
LISTS_MID = "int vt_mid(void);\nint (*vt_list(void))(void);\nint (*vt_list(void))(void) { return vt_mid; }\n"
# What is changed (a text replaces the file, None removes it), and what must be found: nothing more, nothing less.
FAULTS = [
    ({}, []),
    ({"src/one/low/low.c": SOUND["src/one/low/low.c"] + '#include "mid/mid.h"\n'},
     ["src/one/low/low.c: includes mid/mid.h, but src/LAYERS has no arrow from low to mid"]),
    ({"src/two/mid/mid.c": '#include "mid/mid.h"\nint vt_mid(void) { return 0; }\n'},
     ["src/LAYERS: nothing in mid includes a header of low: drop the arrow, or write <low> if it calls public functions only"]),
    ({"src/one/base/base.c": SOUND["src/one/base/base.c"] + '#include "vta/low.h"\n'},
     ["src/one/base/base.c: includes the public header vta/low.h of low, which is above base"]),
    ({"src/one/base/base.c": SOUND["src/one/base/base.c"] + "#include <vta/low.def>\n"},
     ["src/one/base/base.c: includes the public header vta/low.def of low, which is above base"]),
    ({"src/two/mid/mid.c": SOUND["src/two/mid/mid.c"] + "#include <stdio.h>\n"},
     ["src/two/mid/mid.c: includes stdio.h, which only low may"]),
    ({"src/LAYERS": TABLE.replace("@stdio.h: low", "@stdio.h: low mid")},
     ["src/LAYERS: nothing in mid includes stdio.h: drop it from the row @stdio.h"]),
    ({"src/LAYERS": TABLE.replace("low.h low.def", "low.h")},
     ["include/vta/low.def: belongs to no folder of src/LAYERS"]),
    ({"include/vta/low.def": None}, ["src/LAYERS: include/vta/low.def does not exist"]),
    ({"src/two/new/new.h": "int n;\n"}, ["src/two/new: not in src/LAYERS"]),
    ({"src/one/mid/mid.h": "int n;\n"}, ["src/one/mid: not in src/LAYERS"]),
    ({"src/LAYERS": TABLE.replace("low:\n", "low:   <mid>\n", 1)},
     ["src/LAYERS: the arrow from low to mid points up: mid stands below it in the table",
      "src/LAYERS: no symbol of mid is used in low: drop the arrow <mid>"]),
    ({"src/LAYERS": TABLE.replace("<low>", "<low> <lwo>")},
     ["src/LAYERS: top has an arrow to lwo, which is not a folder of the table"]),
    # what the linker alone sees: functions declared by hand
    ({"src/two/mid/mid.c": SOUND["src/two/mid/mid.c"] + "int vt_top(void);\nint vt_up(void);\nint vt_up(void) { return vt_top(); }\n"},
     ["src/LAYERS: mid needs vt_top of top (mid.c.o), but there is no arrow to top"]),
    ({"src/two/top/top.c": SOUND["src/two/top/top.c"] + "int vt_low_inside(void);\nint vt_in(void);\nint vt_in(void) { return vt_low_inside(); }\n"},
     ["src/LAYERS: top needs vt_low_inside of low (top.c.o), but its arrow <low> allows public functions only"]),
    ({"src/two/top/top.c": "int vt_top(void);\nint vt_top(void) { return 1; }\n"},
     ["src/LAYERS: no symbol of low is used in top: drop the arrow <low>"]),
    ({"src/two/top/top.c": SOUND["src/two/top/top.c"] + "int vt_mid(void);\nint vt_mid(void) { return 2; }\n"},
     ["vt_mid is defined in mid and in top: give one of them another name"]),
    # symbols that a folder lists, whichever folder makes them
    ({"src/LAYERS": TABLE + "=low: vt_mi\n", "src/one/low/low.c": SOUND["src/one/low/low.c"] + LISTS_MID}, []),
    ({"src/LAYERS": TABLE + "=low: vt_to\n", "src/one/low/low.c": SOUND["src/one/low/low.c"] + LISTS_MID},
     ["src/LAYERS: low needs vt_mid of mid (low.c.o), but there is no arrow to mid",
      "src/LAYERS: low uses no symbol vt_to... of another folder: drop it from =low"]),
    # prefixes that tell who may call
    ({"src/one/low/low.c": SOUND["src/one/low/low.c"] + "int open_door(void);\nint open_door(void) { return 3; }\n"},
     ["low defines open_door, whose prefix does not say who may call it"]),
    ({"src/one/low/low.c": SOUND["src/one/low/low.c"] + "int mid__own(void);\nint mid__own(void) { return 3; }\n"},
     ["low defines mid__own, whose prefix does not say who may call it"]),
    ({"src/one/low/low.c": SOUND["src/one/low/low.c"] + "int low__own(void);\nint low__own(void) { return 3; }\n"}, []),
    ({"src/one/low/low.c": SOUND["src/one/low/low.c"] + "int vt__own(void);\nint vt__own(void) { return 3; }\n",
      "src/two/mid/mid.c": SOUND["src/two/mid/mid.c"] + "int vt__own(void);\nint vt_uses(void);\nint vt_uses(void) { return vt__own(); }\n"},
     ["mid needs vt__own (mid.c.o), which low keeps to itself"]),
]


def write(root, files):
    for name, text in files.items():
        path = os.path.join(root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if text is not None:
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)


def compiled(cc, root, name, text, done={}):
    """The object of a source; each text is compiled once."""
    if (name, text) not in done:
        command = cc + ["-I", f"{root}/include", "-I", f"{root}/src/one", "-I", f"{root}/src/two", "-c", f"{root}/{name}", "-o", f"{root}/object"]
        subprocess.run(command, check=True)
        with open(f"{root}/object", "rb") as f:
            done[name, text] = f.read()
    return done[name, text]


def compile_all(cc, root, files):
    """Objects where CMake would put them, and its list of commands."""
    commands = []
    for name in (n for n in files if n.endswith(".c")):
        target = os.path.basename(os.path.dirname(name))
        out = f"src/CMakeFiles/vt_{target}.dir/{target}/{os.path.basename(name)}.o"
        os.makedirs(os.path.dirname(os.path.join(root, "out", out)), exist_ok=True)
        with open(os.path.join(root, "out", out), "wb") as f:
            f.write(compiled(cc, root, name, files[name]))
        commands.append({"command": f"cc -o {out} -c {name}", "file": name})
    with open(os.path.join(root, "out", "compile_commands.json"), "w", encoding="utf-8") as f:
        json.dump(commands, f)


def run(root):
    done = subprocess.run([CHECK, "--root", root, os.path.join(root, "out")], capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines()
    return done.returncode, lines[:-1], lines[-1] if lines else done.stderr


def main():
    cc, bad = sys.argv[1:] or ["cc"], 0
    for change, want in FAULTS:
        files = {**SOUND, **change}
        with tempfile.TemporaryDirectory() as root:
            write(root, files)
            compile_all(cc, root, {n: t for n, t in files.items() if t is not None})
            code, found, last = run(root)
        if sorted(found) != sorted(want) or code != bool(want):
            bad += 1
            print(f"change of {' '.join(change)}: exit code {code}, {last}\n  want {want}\n  have {found}")
    print(f"{len(FAULTS)} trees, {bad} judged wrongly")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Follows docs/extending.md, "An operation of the ALU", beside the source tree: random programs on the engines against the
naive machine, the text of an instruction, and a kernel that is compiled, run and compared (and, its operation being OPAQUE, not
proved).

    tests/recipes/add_alu.py BUILD"""
import concurrent.futures
import glob
import os
import re
import subprocess
import sys
import tempfile

from add_pass import ROOT, Builder, outside

#: Where each block goes: in front of this, or behind it.
PLACES = {"include/vta/opcode.def": ("", None), "src/vtac/lower/vta/alu_match.c": ("static const matcher matchers[] = {\n", "behind"),
          "tests/ref/naive_machine.h": ("    case VTA_ALU_MUL:", "before")}
#: What depends on the operations: sources that name these, and what includes alu.h or lanes.inc.
USES = re.compile(r"VTA_ALU_|opcode\.def|lanes\.inc|core/alu\.h|vta_alu_opcode_name|VTA_FIELD_##")
PROPERTY = "tests/device/test_property.c"
KERNEL = """kernel exclusive
input a: acc_t[3, 5, BATCH, BLOCK_OUT]
input b: acc_t[3, 5, BATCH, BLOCK_OUT]
tensor a_buf like a = a[...]
tensor b_buf like a = b[...]
tensor both like a = a_buf[...] ^ b_buf[...]
tensor res_buf like a = both[...] ^ 77
output res like a = inp_t(res_buf[...])
stage a_buf
  scope acc
  pragma 0 dma_copy
stage b_buf
  scope acc
  pragma 0 dma_copy
stage both
  scope acc
  pragma 0 alu
stage res_buf
  scope acc
  pragma 0 alu
stage res
  pragma 0 dma_copy
"""


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def write(there, path, text):
    full = os.path.join(there, path)
    os.makedirs(os.path.dirname(full), exist_ok=True)
    with open(full, "w", encoding="utf-8") as f:
        f.write(text)


def follow(there):
    """Puts the blocks of the recipe into copies of their files; the files."""
    section = read(os.path.join(ROOT, "docs", "extending.md")).split("## An operation of the ALU\n")[1].split("\n## ")[0]
    steps = dict(re.findall(r"^```c (\S+)\n(.*?)^```$", section, flags=re.M | re.S))
    assert sorted(steps) == sorted(PLACES), f"the recipe has code for {list(steps)}"
    for path, code in steps.items():
        text, (place, where) = read(os.path.join(ROOT, path)), PLACES[path]
        assert where is None or text.count(place) == 1, f"{path}: not one place for the new line"
        write(there, path, text + code if where is None else text.replace(place, place + code if where == "behind" else code + place))
    return steps


def objects(b, folders):
    """Those of folders of the tree that the row changes, compiled with it."""
    paths = [p for folder in folders for p in sorted(glob.glob(f"{ROOT}/src/{folder}/**/*.c", recursive=True))]
    paths = [os.path.relpath(p, ROOT) for p in paths if USES.search(read(p))]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(lambda path: b.compile(path, path), paths))


def run(command, **more):
    return subprocess.run(command, capture_output=True, text=True, check=False, **more)


def tool(b, objects_made):
    """The command with the new objects and both libraries inside; kernels find the runtime's calls in it."""
    out, lib = os.path.join(b.there, "vta"), f"{b.build}/lib"
    llvm = re.findall(r"\S*libLLVM\S*", run(["ldd", f"{b.build}/libvtac.so"]).stdout)
    cli = sorted(glob.glob(f"{b.build}/cli/CMakeFiles/vta_cli.dir/**/*.o", recursive=True))
    edit = ["-ledit"] if "libedit" in run(["ldd", f"{b.build}/vta"]).stdout else []
    flags = b.commands["src/vtac/lower/manager.c"]
    subprocess.run([f for f in flags[:2] if not f.startswith("-")] + [f for f in flags if f.startswith("-fsanitize")] +
                   ["-rdynamic", "-Wl,-z,muldefs", "-o", out] + cli + objects_made +
                   ["-Wl,--whole-archive", f"{lib}/libvta_inside.a", "-Wl,--no-whole-archive", f"{lib}/libvtac_inside.a"] + edit +
                   llvm[-1:] + outside(b.build) + ["-lm", "-lpthread", "-ldl"], check=True)
    return out


def main():
    with tempfile.TemporaryDirectory() as there:
        steps = follow(there)
        b = Builder(sys.argv[1], there)
        made = objects(b, ("common/isa", "vta/device", "vta/prove", "vta/runtime", "vta/profile"))
        few = re.sub(r"PROGRAMS = \d+", "PROGRAMS = 4", read(os.path.join(ROOT, PROPERTY)))
        write(there, PROPERTY, few)
        # the engines and the naive machine agree on random programs; without the reference the test stops
        done = run([b.link("property", [b.compile(PROPERTY, PROPERTY)] + made, "libvta_inside.a")], cwd=ROOT)
        assert done.returncode == 0, done.stdout + done.stderr
        write(there, "tests/ref/naive_machine.h", read(os.path.join(ROOT, "tests/ref/naive_machine.h")))
        done = run([b.link("property", [b.compile(PROPERTY, PROPERTY)] + made, "libvta_inside.a")], cwd=ROOT)
        assert done.returncode != 0 and "write down what ALU operation 6 does" in done.stderr, done.stderr
        made += objects(b, ("vtac/lower/vta",))
        vta = tool(b, made)
        write(there, "kernel.te", KERNEL)
        done = run([vta, "run", f"{there}/kernel.te", "--check"], cwd=there)
        assert done.returncode == 0, done.stdout + done.stderr
        pushes = re.findall(r"uop_push\((.*), dtype", run([vta, "lower", f"{there}/kernel.te"], cwd=there).stdout)
        assert [p.split(", ")[5] for p in pushes] == ["6", "6"], pushes
        # what refusals say the ALU can do is read from the same row
        write(there, "quotient.te", KERNEL.replace("a_buf[...] ^ b_buf[...]", "a_buf[...] // b_buf[...]"))
        refused = run([vta, "lower", f"{there}/quotient.te"], cwd=there)
        assert refused.returncode != 0 and "it can do XOR, ADD, MUL, MIN, MAX, SHR of" in refused.stderr, refused.stderr
        proof = run([vta, "prove", f"{there}/kernel.te"], cwd=there)
        assert proof.returncode == 1 and "exclusive: unproven" in proof.stdout, proof.stdout + proof.stderr
        text = run([vta, "asm", "-o", f"{there}/x.bin", "-"], input="ALU alu_opcode=XOR use_imm=1 imm=77\n", cwd=there)
        assert text.returncode == 0, text.stderr
        assert "alu_opcode=XOR" in run([vta, "disasm", f"{there}/x.bin"], cwd=there).stdout
    print(f"{len(made)} objects from {len(steps)} lines; engines, text, compiler and reference agree")


if __name__ == "__main__":
    main()

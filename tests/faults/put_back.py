#!/usr/bin/env python3
"""Puts each fault that the compiler once had back into a copy of its source, one at a time, and has a kernel compiled and
proven. With the checks of the compiler's result (vta.Verify...) it must be refused as an error of the compiler, or called
wrong; without them it must be called wrong, or fail when it runs. Never proven.

    tests/faults/put_back.py BUILD [NAME...]"""
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests", "recipes"))
from add_pass import Builder  # noqa: E402

# An ALU operation with a constant whose result is not in place, as it was emitted: dst, src and the constant.
NOT_IN_PLACE = ("src/vtac/lower/vta/inject_alu.c", "    if (!vt__alu_in_place(&k, &x)) {\n",
                "    if (op.rhs && y.imm && !vt__alu_in_place(&k, &x)) {\n        y.at = x.at;\n    } else if (!vt__alu_in_place(&k, &x)) {\n")
NO_EARLY_PLACES = ("src/vtac/lower/vta/early_rewrite.c", "return vt_share_before_threads(l, f);", "(void)l;\n    return f;")
# Loops whose steps run at one time as scopes of storage planning.
NO_LANES = ("src/vtac/lower/generic/storage_plan.c", " || s->u.loop.kind == VT_FOR_VECTORIZED", "")
NO_LOOPS = ("src/vtac/lower/generic/storage_plan.c", "if (!thread && !is_concurrent(e->stmt)) return;",
            "if (!thread && (!is_concurrent(e->stmt) || (st->scope && st->scope != e->stmt))) return;")
# What a queued transfer reads keeps its place.
NOT_KEPT = ("src/vtac/lower/generic/storage_plan.c", "if (!e || vt_ptrmap_has(st->queued, data)) return;", "if (!e) return;")

# name, (file, old text, new text)..., kernel, its configuration, the rule that the checks name ("": none of them sees it)
FAULTS = [
    ("constant not in place", [NOT_IN_PLACE], "tests/build/vta/operand_lives_on.te", "", "in-place"),
    ("broadcast not in place", [NOT_IN_PLACE], "tests/build/wrong/bcast.te", "", "in-place"),
    ("constant in two threads", [NOT_IN_PLACE, NO_EARLY_PLACES], "tests/build/vta/nested_threads.te", "", "in-place"),
    ("padding of one row",
     [("src/vtac/lower/vta/inject_dma.c", "    t.dram = t.p.offset;\n",
       "    if (t.in == 1) t.y.pad_before = t.x.pad_before, t.y.pad_after = t.x.pad_after, t.x.pad_before = "
       "t.x.pad_after = vt_i32(ctx, 0);\n    t.dram = t.p.offset;\n")],
     "tests/build/vta/one_row_padded.te", "LOG_BATCH=1", ""),
    ("nothing but padding",
     [("src/vtac/lower/vta/inject_dma.c", "    if (condition && !c->zeros) body =", "    if (false) body =")],
     "tests/build/wrong/xpad.te", "", "size"),
    ("store of another type",
     [("src/vtac/lower/vta/inject_dma.c", "    if (c->dst.dtype.code != VT_INT || c->dst.dtype.bits != width) {", "    if (false) {")],
     "tests/build/wrong/nocast.te", "", "transfer"),
    ("tokens of nested threads",
     [("src/vtac/lower/vta/coproc_sync.c", "vt_attr_is(s, VT_ATTR_VIRTUAL_THREAD)", "false"),
      ("src/vtac/lower/vta/coproc_sync.c", "static void plan_threads(", "__attribute__((unused)) static void plan_threads(")],
     "tests/build/vta/conv_nested_threads.te", "", "balance"),
    ("a queue from store to load",
     [("src/vtac/lower/vta/coproc_tokens.c",
       "return (token){x.from == VTA_STAGE_COMPUTE || x.to == VTA_STAGE_COMPUTE ? x.from : VTA_STAGE_COMPUTE, x.to};",
       "return x;")],
     "tests/build/vta/stored_and_loaded.te", "", "queue"),
    ("temporary in the host's memory",
     [("src/vtac/codegen/inspect.c", "t.found ? VT_DEVICE_EXT_DEV : VT_DEVICE_CPU", "VT_DEVICE_CPU")],
     "tests/random/cases/dram_temporary.te", "", ""),
    ("a place that is still to be loaded", [NOT_KEPT], "tests/random/cases/host_place_of_queued.te", "", "place"),
    ("a buffer leaves a vectorized loop", [NO_LANES], "tests/random/cases/host_vectorize_attach.te", "", "own-buffer"),
    ("a buffer leaves a parallel loop", [NO_LOOPS], "tests/random/cases/host_parallel_in_thread.te", "", "own-buffer"),
]

# What vtac_prove says of kernels of which it cannot follow all, or nothing.
BESIDE_THE_HOST = ("unproven: covers", "unproven: the kernel runs nothing on the accelerator")


def with_faults(there, faults):
    """The changed files of the copy."""
    paths = []
    for path, old, new in faults:
        copy = os.path.join(there, path)
        source = copy if path in paths else os.path.join(ROOT, path)
        with open(source, encoding="utf-8") as f:
            text = f.read()
        if text.count(old) != 1:
            sys.exit(f"{path}: the place of the fault is not there once, but {text.count(old)} times:\n{old}")
        os.makedirs(os.path.dirname(copy), exist_ok=True)
        with open(copy, "w", encoding="utf-8") as f:
            f.write(text.replace(old, new))
        if path not in paths:
            paths.append(path)
    return paths


def outcomes(program, kernel, config):
    """What is said with the checks, and without."""
    done = subprocess.run([program, os.path.join(ROOT, kernel), config], capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines()
    if done.returncode or len(lines) != 2:
        sys.exit(f"{kernel}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return lines


def is_caught(checked, alone, rule):
    if rule == "own-buffer":  # it runs after every pass and cannot be left out; vtac_prove does not follow the host
        checked = alone if alone == checked else ""
        alone = "wrong:"
    if alone.startswith(BESIDE_THE_HOST):
        alone = "wrong:"  # the numbers of such a kernel are compared in tests/random
    by_rule = checked.startswith("not lowered, VTA_INTERNAL") and f"Rule {rule} (" in checked
    return (by_rule if rule else checked.startswith(("wrong:", "not run"))) and alone.startswith(("wrong:", "not run"))


def main():
    missed = 0
    chosen = [f for f in FAULTS if not sys.argv[2:] or f[0] in sys.argv[2:]]
    with tempfile.TemporaryDirectory() as there:
        b = Builder(sys.argv[1], there)
        prover = b.compile("tests/faults/prove_it.c", "src/vtac/lower/manager.c")
        sound = b.link("sound", [prover])
        for name, faults, kernel, config, rule in chosen:
            said = ("proven: ", *BESIDE_THE_HOST) if "/host_" in kernel else "proven: "
            if "nocast" not in kernel and not all(line.startswith(said) for line in outcomes(sound, kernel, config)):
                sys.exit(f"{kernel}: not proven without a fault")
            paths = with_faults(there, faults)
            faulty = b.link("faulty", [prover] + [b.compile(path, path) for path in paths])
            checked, alone = outcomes(faulty, kernel, config)
            caught = is_caught(checked, alone, rule)
            missed += not caught
            print(f"{name}: {'caught' if caught else 'MISSED'}\n  checked: {checked[:150]}\n  alone:   {alone[:150]}", flush=True)
            for path in paths:
                os.remove(os.path.join(there, path))
    print(f"{len(chosen) - missed} of {len(chosen)} faults caught")
    return 1 if missed or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())

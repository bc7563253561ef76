#!/usr/bin/env python3
"""The hardware's sources in several configurations: Verilator has no warning, Yosys reads every file, the modules keep the
rules of their style. lint.py VTA"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SMALL = ["LOG_BLOCK_IN=2", "LOG_BLOCK_OUT=2", "LOG_UOP_BUFF_SIZE=8", "LOG_INP_BUFF_SIZE=8", "LOG_WGT_BUFF_SIZE=9",
         "LOG_ACC_BUFF_SIZE=10"]
DESIGNS = {  # a name: keys of the configuration, options of vta hw generate
    "default": ([], []),
    "small": (SMALL, ["--queue", "16"]),
    "small, wide bus": (SMALL, ["--bus", "256"]),
    "narrow bus": ([], ["--bus", "32"]),
    "a table": (["LOG_TABLE_BUFF_SIZE=8"], []),
    "tables, widest bus": (["LOG_TABLE_BUFF_SIZE=12"], ["--bus", "512"]),
    "tables, fewest gates": (SMALL + ["LOG_TABLE_BUFF_SIZE=9"], ["--bus", "32", "--burst", "1", "--queue", "1", "--small"]),
    "widest bus": ([], ["--bus", "512", "--burst", "64"]),
    "packed, no MUL": ([], ["--bus", "128", "--pack", "--no-mul"]),
    "fewest gates": (SMALL, ["--bus", "32", "--burst", "1", "--queue", "1", "--address", "20", "--small"]),
    "batch": (["LOG_BATCH=2", "LOG_BLOCK=3", "LOG_WGT_BUFF_SIZE=14"], []),
    "uneven": (["LOG_BLOCK_IN=2", "LOG_BLOCK_OUT=4", "LOG_INP_WIDTH=4", "LOG_WGT_WIDTH=2", "LOG_INP_BUFF_SIZE=10",
                "LOG_WGT_BUFF_SIZE=11"], ["--bus", "128"]),
}
SHELL = pathlib.Path(__file__).resolve().parents[2] / "hardware" / "ice40" / "vta_shell.sv"
LONGEST_FILE, LONGEST_LINE = 300, 130


def run(command, folder):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def check_design(vta, keys, options, folder):
    """What is wrong with a design, as text."""
    command = [vta, "hw", "generate", "-o", folder] + options
    for key in keys:
        command += ["--set", key]
    code, said = run(command, None)
    if code:
        return said
    files = (pathlib.Path(folder) / "vta.f").read_text().split()
    code, said = run(["verilator", "--lint-only", "-Wall", "--top-module", "vta_top"] + files, folder)
    if code or said:
        return "verilator: " + said
    if "--small" in options:
        code, said = run(["verilator", "--lint-only", "-Wall", "--top-module", "vta_shell"] + files + [str(SHELL)], folder)
        if code or said:
            return "verilator: " + said
    script = f"read_verilog -sv {' '.join(files)}; hierarchy -check -top vta_top"
    code, said = run(["yosys", "-q", "-e", "implicitly declared", "-p", script], folder)
    if code or said:
        return "yosys: " + said
    return ""


def check_style(source):
    """What is wrong with a source file: one module of its name, short lines, none of what Yosys takes for something else."""
    text = source.read_text()
    lines = text.split("\n")
    names = re.findall(r"^module (\w+)", text, re.M)
    if names != [source.stem]:
        yield f"{source.name}: holds {names}, not one module of its name"
    if len(lines) > LONGEST_FILE:
        yield f"{source.name}: {len(lines)} lines, more than {LONGEST_FILE}"
    if not text.startswith("//") or "`default_nettype none" not in text:
        yield f"{source.name}: needs a header, and `default_nettype none"
    for number, line in enumerate(lines, 1):
        if len(line) > LONGEST_LINE or "\t" in line:
            yield f"{source.name}:{number}: a line of {len(line)} characters, or with a tab"


def main():
    vta = sys.argv[1]
    if not shutil.which("verilator") or not shutil.which("yosys"):
        print("skipped: verilator and yosys are not installed")
        return 77
    wrong = []
    rtl = pathlib.Path(__file__).resolve().parents[2] / "hardware" / "rtl"
    for source in sorted(rtl.glob("*.sv")):
        wrong += check_style(source)
    for name, (keys, options) in DESIGNS.items():
        with tempfile.TemporaryDirectory() as folder:
            said = check_design(vta, keys, options, folder)
            if said:
                wrong.append(f"{name}: {said}")
    print("\n".join(wrong) or f"{len(DESIGNS)} designs")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

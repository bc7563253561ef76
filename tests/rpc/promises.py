#!/usr/bin/env python3
"""Every sentence of docs/rpc.md has its tests: tests/rpc/promises.txt names them, or says why there are none.

A line of it is the beginning of a sentence, " => ", and tests as FILE:FUNCTION, or "-" and a reason. Fails for a sentence
that no line knows, a line without its sentence, and a test that is not there. --list prints the sentences."""

import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TESTS = os.path.join(ROOT, "tests")


def blocks(text):
    """Paragraphs, bullets and rows of tables, without code and headings."""
    text = re.sub(r"```.*?```", "\n\n", text, flags=re.S)
    block = ""
    for line in text.split("\n") + [""]:
        row = line.startswith("|")
        if row or not line.strip() or line.startswith(("* ", "#")):
            if block:
                yield block
            block = ""
        if row:
            if line.startswith("| `--"):  # a setting; the tables of the protocol have tests of their own
                yield line
        elif not line.startswith("#"):
            block = (block + " " + line.strip()).strip()


def sentences(text):
    for block in blocks(text):
        block = block[2:] if block.startswith("* ") else block
        parts = [block] if block.startswith("|") else re.split(r"(?<=[.!?])\)? +(?=[A-Z`(])", block)
        yield from (re.sub(r"\s+", " ", p) for p in parts)


def function_exists(test):
    path, _, name = test.partition(":")
    path = os.path.join(TESTS, path)
    if not name or not os.path.isfile(path):
        return False
    with open(path, encoding="utf-8") as f:
        return re.search(r"^ *(TEST_CASE\(%s\)|(static void|def|static bool) %s\()" % (name, name), f.read(), re.M) is not None


def main():
    with open(os.path.join(ROOT, "docs", "rpc.md"), encoding="utf-8") as f:
        said = list(sentences(f.read()))
    if sys.argv[1:] == ["--list"]:
        print("\n".join(said))
        return 0
    faults, known = [], []
    with open(os.path.join(TESTS, "rpc", "promises.txt"), encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            line = line.rstrip("\n")
            if not line or line.startswith("#"):
                continue
            begin, bar, tests = line.rpartition(" => ")
            known.append(begin)
            matches = sum(s.startswith(begin) for s in said)
            if not bar or matches != 1:
                faults.append(f"promises.txt:{number}: {matches} sentences of docs/rpc.md begin with: {begin}")
            elif tests.startswith("- ") and len(tests) > 4:
                continue
            faults += [f"promises.txt:{number}: there is no test {t}" for t in tests.split() if not function_exists(t)]
    faults += [f"docs/rpc.md: no line of promises.txt begins as: {s}" for s in said if not any(s.startswith(b) for b in known)]
    print("\n".join(faults) or f"{len(said)} sentences have their tests")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

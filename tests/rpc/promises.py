#!/usr/bin/env python3
"""Every sentence of docs/rpc.md and docs/boards.md has its tests: promises.txt of tests/rpc and of tests/device name
them, or say why there are none.

A line is the beginning of a sentence, " => ", and tests as FILE:FUNCTION, or "-" and a reason. Fails for a sentence that
no line knows, a line without its sentence, and a test that is not there. --list prints the sentences."""

import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TESTS = os.path.join(ROOT, "tests")
#: A page, the list of its sentences, and the beginning of the rows of tables that are sentences. What the tables of the
#: protocol say has tests of its own.
PAGES = [("docs/rpc.md", "tests/rpc/promises.txt", "| `--"), ("docs/boards.md", "tests/device/promises.txt", "|")]


def blocks(text, rows):
    """Paragraphs, bullets, and rows of tables that begin with `rows`, without code and headings."""
    text = re.sub(r"```.*?```", "\n\n", text, flags=re.S)
    text = re.sub(r"^\|.*\|\n\|[ |-]+\|\n", "\n", text, flags=re.M)  # heads of tables
    block = ""
    for line in text.split("\n") + [""]:
        row = line.startswith("|")
        if row or not line.strip() or line.startswith(("* ", "#")):
            if block:
                yield block
            block = ""
        if row:
            if line.startswith(rows):
                yield line
        elif not line.startswith("#"):
            block = (block + " " + line.strip()).strip()


def sentences(text, rows):
    for block in blocks(text, rows):
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


def faults_of(page, listing, said):
    faults, known = [], []
    with open(os.path.join(ROOT, listing), encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            line = line.rstrip("\n")
            if not line or line.startswith("#"):
                continue
            begin, bar, tests = line.rpartition(" => ")
            known.append(begin)
            matches = sum(s.startswith(begin) for s in said)
            if not bar or matches != 1:
                faults.append(f"{listing}:{number}: {matches} sentences of {page} begin with: {begin}")
            elif tests.startswith("- ") and len(tests) > 4:
                continue
            faults += [f"{listing}:{number}: there is no test {t}" for t in tests.split() if not function_exists(t)]
    return faults + [f"{page}: no line of {listing} begins as: {s}" for s in said if not any(s.startswith(b) for b in known)]


def main():
    faults, count = [], 0
    for page, listing, rows in PAGES:
        with open(os.path.join(ROOT, page), encoding="utf-8") as f:
            said = list(sentences(f.read(), rows))
        count += len(said)
        if sys.argv[1:] == ["--list"]:
            print("\n".join(said))
        else:
            faults += faults_of(page, listing, said)
    if sys.argv[1:] != ["--list"]:
        print("\n".join(faults) or f"{count} sentences have their tests")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

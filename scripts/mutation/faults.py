"""Which faults there are, and a draw of them. A fault is (path, line number, kind, old lines, new lines)."""
import os
import random

from . import faults_c, faults_python
from .places import ROOT, read


def sources(paths):
    """The C and Python files among the paths, relative to the root."""
    found = []
    for path in paths:
        path = os.path.relpath(os.path.abspath(path), ROOT)
        if os.path.isfile(os.path.join(ROOT, path)):
            found.append(path)
        for folder, _, files in os.walk(os.path.join(ROOT, path)):
            found += [os.path.relpath(os.path.join(folder, f), ROOT)
                      for f in files if f.endswith((".c", ".def", ".py"))]
    return sorted(set(found))


def faults(path):
    """All faults of a file."""
    of = faults_python.faults if path.endswith(".py") else faults_c.faults
    return [(path, *fault) for fault in of(read(ROOT, path))]


def draw(paths, count, seed):
    """Random faults, each line equally likely, at most one a line; more than asked for, since some do not compile."""
    by_line = {}
    for path in paths:
        for fault in faults(path):
            by_line.setdefault(fault[:2], []).append(fault)
    pick = random.Random(seed)
    lines = sorted(by_line)
    pick.shuffle(lines)
    return [pick.choice(by_line[line]) for line in lines[:3 * count]]


def spoilt(text, fault):
    """The text of a file with the fault."""
    _, number, _, old, new = fault
    lines = text.split("\n")
    lines[number - 1:number + old.count("\n")] = new.split("\n")
    return "\n".join(lines)

"""Where scripts/mutate works."""
import os

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PLACE = os.path.join(ROOT, "build-mutate")
TREE = os.path.join(PLACE, "tree")  # a copy of the sources; faults are put into this one
BUILD = os.path.join(PLACE, "build")
COUNTED = os.path.join(PLACE, "coverage")  # a build of the same sources that counts lines
PART = os.path.join(PLACE, "lines.part.json")  # what was counted so far
MAP = os.path.join(PLACE, "lines.json")


def read(*parts):
    with open(os.path.join(*parts), encoding="utf-8") as f:
        return f.read()

"""The command ``vta`` of an installed wheel: starts the tool that is in the package, without loading the package."""

import os
import sys


def main():
    """Becomes the tool; returns only where that fails."""
    tool = os.path.join(os.path.dirname(os.path.abspath(__file__)), "vta", "vta")
    try:
        os.execv(tool, [tool, *sys.argv[1:]])
    except OSError as error:
        return f"vta: {tool} cannot be started: {error.strerror}; install the package vta again"


if __name__ == "__main__":
    sys.exit(main())

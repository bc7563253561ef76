"""Where the modules are that the build makes from the C headers: `_bindings`, `_opcodes`, `_math`, `_elementwise`.

An installed package has them in its own folder. In the checkout they are in the build folder, where the libraries that
they describe are."""

import os

_HERE = os.path.dirname(os.path.abspath(__file__))


def folders() -> list[str]:
    """What the package's search path gets besides its own folder; raises where the modules are nowhere."""
    if os.path.exists(os.path.join(_HERE, "_bindings.py")):
        return []
    chosen = os.environ.get("VTA_LIBRARY_PATH")
    tried = [os.path.join(build, "python", "vta")
             for build in ([chosen] if chosen else []) + [os.path.normpath(os.path.join(_HERE, "..", "..", "build"))]]
    for folder in tried:
        if os.path.exists(os.path.join(folder, "_bindings.py")):
            return [folder]
    raise ImportError("vta._bindings was not found; the build makes it: run `make`, or name the build folder in "
                      "VTA_LIBRARY_PATH. Tried:\n" + "\n".join(f"  {folder}" for folder in tried))

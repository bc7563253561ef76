"""Parts of this package that another distribution has: vta-tvm, what programs written for TVM use besides.

``vta.autotvm`` is the module ``vta_tvm.autotvm``, and so on, loaded when it is first asked for. Where vta-tvm is not installed, the
error says so. In the checkout it is found beside this package, in python/compat."""

from __future__ import annotations

import importlib
import os
import sys
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType
    from typing import Any

_CHECKOUT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "compat"))

#: The modules below ``vta`` that are below ``vta_tvm`` in truth.
PARTS = ("autotvm", "contrib", "top", "te.hybrid", "te.hybrid_module", "testing.conditions", "testing.gradients", "topi.arm_cpu",
         "topi.arrange", "topi.convolution", "topi.generic", "topi.join", "topi.layers", "topi.nn", "topi.pooling", "topi.references",
         "topi.testing", "topi.transform", "topi.utils")


class _Alias:
    """Loads the module of vta-tvm as the one of another name."""

    def __init__(self, real: str) -> None:
        self.real = real
        self.spec: ModuleSpec | None = None

    def create_module(self, _spec: ModuleSpec) -> ModuleType:
        """The module itself."""
        module = importlib.import_module(self.real)
        self.spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """It ran already, and keeps its own name."""
        module.__spec__ = self.spec


class _Finder:
    """For vta_tvm itself, and for its modules by their names below vta. Asked first: a folder of such a name that an older version
    left behind (with its ``__pycache__``) would be taken for a package."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        """How a module is loaded; None for what is no part of vta-tvm.

        Parameters
        ----------
        name : str
        path, target : optional
            Not looked at.
        """
        if name == "vta_tvm":
            return PathFinder.find_spec(name) or PathFinder.find_spec(name, [_CHECKOUT])
        part = name.removeprefix("vta.")
        if part == name or not any(part == p or part.startswith(p + ".") for p in PARTS):
            return None
        require(name)
        real = f"vta_tvm.{part}"
        found = find_spec(real)
        return found and ModuleSpec(name, _Alias(real), is_package=found.submodule_search_locations is not None)  # type: ignore[arg-type]


def require(what: str) -> None:
    """Raises where vta-tvm is not installed.

    Parameters
    ----------
    what : str
        Which needs it.
    """
    if "vta_tvm" not in sys.modules and find_spec("vta_tvm") is None:
        raise ModuleNotFoundError(f"{what} is in the distribution vta-tvm, which is not installed: in a checkout of the project, "
                                  "`pip install ./python/compat`", name="vta_tvm")


def part(name: str) -> Any:
    """A module of vta-tvm.

    Parameters
    ----------
    name : str
        Such as ``"contrib.graph_executor"``.
    """
    require(f"vta.{name}")
    return importlib.import_module(f"vta_tvm.{name}")


def attribute(module: str, name: str) -> Any:
    """An attribute of a module of this package that the module of the same name in vta-tvm has; an AttributeError where it has not.

    Parameters
    ----------
    module : str
        ``"vta"``, ``"vta.topi"``, …
    name : str
    """
    try:
        require(f"{module}.{name}")
    except ModuleNotFoundError as error:
        raise AttributeError(str(error)) from None
    try:
        return getattr(importlib.import_module("vta_tvm" + module.removeprefix("vta")), name)
    except AttributeError:
        raise AttributeError(f"module {module!r} has no attribute {name!r}") from None


def tvm_folder() -> str:
    """The folder of the package ``tvm``."""
    require("the package tvm")
    found = find_spec("vta_tvm")
    here = os.path.dirname(found.origin if found and found.origin else "")
    installed = os.path.join(here, "compat")
    return installed if os.path.isdir(installed) else os.path.dirname(here)


sys.meta_path.insert(0, _Finder)

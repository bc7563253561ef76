"""What the modules of this package say of names that they do not have."""

from __future__ import annotations

import sys
from types import FunctionType
from collections.abc import Callable
from typing import Any

from vta._instead import instead
from vta.error import NotOfferedError, NotOfferedModuleError, explained


def refuse(module: str, source: Any = None) -> Callable[[str], Any]:
    """A module's ``__getattr__``: what `source` has, else an error with the full name that is a NotImplementedError and
    an AttributeError. For ``from MODULE import NAME`` the module gets an (empty) path, as a package has: Python then asks
    :class:`Finder` for the name, whose ImportError it passes on, instead of making one of its own words.

    The module's functions refuse arguments that they do not take by name, too.

    Parameters
    ----------
    module : str
        The module's own name, such as ``"tvm.te"``.
    source : module, optional
        Where names that the module did not take over may still be.
    """

    names = vars(sys.modules[module])
    names.setdefault("__path__", [])
    for name, member in list(names.items()):
        if isinstance(member, FunctionType) and not name.startswith("_"):
            names[name] = explained(member, f"{module}.{name}")

    def getattr_of_module(name):
        if name.startswith("__"):
            raise AttributeError(name)
        if hasattr(source, name):
            return getattr(source, name)
        full = f"{module}.{name}"
        raise NotOfferedError(f"{full} is not offered by this compatibility package{instead(full)}")

    return getattr_of_module


class Finder:
    """Asked last for modules of this package: names one that is not there in an error that is a NotImplementedError and
    an ImportError, also for ``from tvm import relay``."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> None:
        """Never finds anything.

        Parameters
        ----------
        name : str
        path, target : object, optional
        """
        package = name.partition(".")[0]
        if package == __package__ and "." in name and sys.modules.get(package) is not None:
            raise NotOfferedModuleError(f"{name} is not offered by this compatibility package{instead(name)}", name=name)


sys.meta_path.append(Finder)

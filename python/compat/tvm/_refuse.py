"""What the modules of this package say of names that they do not have."""

import sys

from vta.error import NotOfferedError, NotOfferedModuleError


def refuse(module, source=None):
    """A module's ``__getattr__``: what `source` has, else an error with the full name that is a NotImplementedError and
    an AttributeError. For ``from MODULE import NAME`` the module gets an (empty) path, as a package has: Python then asks
    :class:`Finder` for the name, whose ImportError it passes on, instead of making one of its own words.

    Parameters
    ----------
    module : str
        The module's own name, such as ``"tvm.te"``.
    source : module, optional
        Where names that the module did not take over may still be.
    """

    vars(sys.modules[module]).setdefault("__path__", [])

    def getattr_of_module(name):
        if name.startswith("__"):
            raise AttributeError(name)
        if hasattr(source, name):
            return getattr(source, name)
        raise NotOfferedError(f"{module}.{name} is not offered by this compatibility package")

    return getattr_of_module


class Finder:
    """Asked last for modules of this package: names one that is not there in an error that is a NotImplementedError and
    an ImportError, also for ``from tvm import relay``."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        """Never finds anything.

        Parameters
        ----------
        name : str
        path, target : object, optional
        """
        package = name.partition(".")[0]
        if package == __package__ and "." in name and sys.modules.get(package) is not None:
            raise NotOfferedModuleError(f"{name} is not offered by this compatibility package", name=name)


sys.meta_path.append(Finder)

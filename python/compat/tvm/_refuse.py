"""What the modules of this package say of names that they do not have."""


def refuse(module, source=None):
    """A module's ``__getattr__``: what `source` has, else NotImplementedError with the full name.

    Parameters
    ----------
    module : str
        The module's own name, such as ``"tvm.te"``.
    source : module, optional
        Where names that the module did not take over may still be.
    """

    def getattr_of_module(name):
        if name.startswith("__"):
            raise AttributeError(name)
        if hasattr(source, name):
            return getattr(source, name)
        raise NotImplementedError(f"{module}.{name} is not offered by this compatibility package")

    return getattr_of_module

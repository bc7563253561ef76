"""Lowered functions, as Python programs hold and show them."""

from ._show import show_script

_HEADER = "# from tvm.script import tir as T\n@tvm.script.ir_module\nclass Module:\n"


class LoweredFunc:
    """A lowered function; ``print`` shows it in the ``primfn`` style.

    Attributes
    ----------
    name : str
        The name it is exported under.
    """

    def __init__(self, name, texts, keep=None):
        self.name = name
        self._texts = texts
        self._keep = keep

    def script(self):
        """The function as TVMScript."""
        return self._texts("tvmscript")

    def astext(self):
        """The function in the ``primfn`` style."""
        return self._texts("primfn")

    def show(self):
        """Shows the TVMScript, in colours where the output can."""
        show_script(self.script())

    def __repr__(self):
        return self.astext()


class IRModule:
    """Functions by name.

    Parameters
    ----------
    functions : dict of str to LoweredFunc or PrimFunc
    """

    def __init__(self, functions=None):
        self.functions = dict(functions or {})

    def __getitem__(self, name):
        return self.functions[name]

    def __setitem__(self, name, func):
        self.functions[name] = func

    def __iter__(self):
        return iter(self.functions)

    def __len__(self):
        return len(self.functions)

    def items(self):
        """Names and functions."""
        return self.functions.items()

    def get_global_vars(self):
        """Names of the functions."""
        return list(self.functions)

    def script(self):
        """All functions as TVMScript."""
        parts = [f.script() for f in self.functions.values()]
        if len(parts) == 1 and parts[0].lstrip().startswith(("@", "#")) and "class Module" in parts[0]:
            return parts[0]
        body = "".join(_indent(p) for p in parts)
        return f"{_HEADER}{body}    \n"

    def show(self, style=None):
        """Shows the TVMScript, in colours where the output can.

        Parameters
        ----------
        style : str, optional
            Name of a Pygments style.
        """
        show_script(self.script(), style)

    def __repr__(self):
        texts = [f"@{name} = {f.astext()}" if hasattr(f, "astext") and not f.astext().startswith("@")
                 else (f.astext() if hasattr(f, "astext") else f.script()) for name, f in self.functions.items()]
        return "\n".join(texts)


def _indent(script):
    """A function's script, four columns to the right."""
    return "".join(f"    {line}\n" if line else "\n" for line in script.rstrip("\n").split("\n"))


class Schedule:
    """Holds a module to look at; schedules are made on tensor expressions, see :mod:`vta.te`.

    Parameters
    ----------
    mod : IRModule or PrimFunc

    Attributes
    ----------
    mod : IRModule
    """

    def __init__(self, mod):
        self.mod = mod if isinstance(mod, IRModule) else IRModule({mod.name: mod})

    def __getattr__(self, name):
        raise NotImplementedError(f"tir.Schedule.{name} is not offered: schedule tensor expressions with "
                                  "te.create_schedule")

    def show(self):
        """Shows the module's TVMScript."""
        self.mod.show()

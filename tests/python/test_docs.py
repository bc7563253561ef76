"""Everything public has a docstring."""

import importlib
import inspect
import pkgutil
import re
import unittest

import common  # noqa: F401
import vta


def _modules():
    yield vta
    for info in pkgutil.walk_packages(vta.__path__, "vta."):
        if not info.name.rpartition(".")[2].startswith("_"):
            yield importlib.import_module(info.name)


def _public(module):
    names = getattr(module, "__all__", None) or [n for n in vars(module) if not n.startswith("_")]
    for name in names:
        thing = getattr(module, name)
        home = getattr(thing, "__module__", module.__name__)
        if callable(thing) and home.startswith("vta") and not home.rpartition(".")[2].startswith("_"):
            yield f"{module.__name__}.{name}", thing


def _members(name, cls):
    for key, value in vars(cls).items():
        if key.startswith("_"):
            continue
        if isinstance(value, (staticmethod, classmethod)):
            value = value.__func__
        if callable(value) or isinstance(value, property):
            yield f"{name}.{key}", value


def _wrong(thing):
    """What a function, class or property lacks: words about a parameter, a type."""
    if isinstance(thing, property):
        named = thing.fget.__name__ != "<lambda>"
        return ["no type"] if named and "return" not in thing.fget.__annotations__ else []
    try:
        signature = inspect.signature(thing)
    except (TypeError, ValueError):
        return []
    text = inspect.getdoc(thing) or ""
    if inspect.isclass(thing):
        if "__init__" not in vars(thing):
            return []
    elif signature.return_annotation is signature.empty:
        return ["no type of what it returns"]
    parameters = [p for p in signature.parameters.values() if p.name != "self"]
    return ([f"{p.name} is not in the docstring" for p in parameters if not re.search(rf"\b{p.name}\b", text)]
            + [f"{p.name} has no type" for p in parameters if p.annotation is p.empty])


class Docstrings(unittest.TestCase):
    def test_every_public_name_is_documented(self):
        missing, seen = [], 0
        for module in _modules():
            if not inspect.getdoc(module):
                missing.append(module.__name__)
            for name, thing in _public(module):
                things = [(name, thing)] + (list(_members(name, thing)) if inspect.isclass(thing) else [])
                for full, one in things:
                    seen += 1
                    if not (one.__doc__ or "").strip():
                        missing.append(full)
        self.assertGreater(seen, 100)
        self.assertEqual(sorted(set(missing)), [])

    def test_every_parameter_is_named_and_typed(self):
        wrong = []
        for module in _modules():
            for name, thing in _public(module):
                for full, one in [(name, thing)] + (list(_members(name, thing)) if inspect.isclass(thing) else []):
                    wrong += [f"{full}: {w}" for w in _wrong(one)]
        self.assertEqual("\n".join(sorted(set(wrong))), "")


if __name__ == "__main__":
    unittest.main()

"""Everything public has a docstring."""

import importlib
import inspect
import pkgutil
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
        if callable(thing) and getattr(thing, "__module__", module.__name__).startswith("vta"):
            yield f"{module.__name__}.{name}", thing


def _members(name, cls):
    for key, value in vars(cls).items():
        if key.startswith("_"):
            continue
        if isinstance(value, (staticmethod, classmethod)):
            value = value.__func__
        if callable(value) or isinstance(value, property):
            yield f"{name}.{key}", value


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


if __name__ == "__main__":
    unittest.main()

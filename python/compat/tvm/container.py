"""Lists and dictionaries under TVM's names."""

from ._refuse import refuse

__all__ = ["Array", "Map"]

Array, Map = list, dict

__getattr__ = refuse("tvm.container")

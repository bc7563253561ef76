"""Imported by programs; passes over relay's language are not offered (``vta graph --list-passes`` has those of networks)."""

from .._refuse import refuse

__getattr__ = refuse("tvm.relay.transform")

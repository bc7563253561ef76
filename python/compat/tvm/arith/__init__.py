"""Simplification of expressions; see :func:`vta.te.simplify`."""

from __future__ import annotations

from typing import Any

from vta.error import Refusing
from vta.expr import simplify
from .._refuse import refuse

__all__ = ["Analyzer"]


class Analyzer(Refusing):
    """Simplifies expressions of whose variables nothing is known."""

    def simplify(self, expr: Any, steps: int = 2) -> Any:
        """The expression in a simpler form of the same value."""
        return simplify(expr)

    def canonical_simplify(self, expr: Any) -> Any:
        """The same as :meth:`simplify`."""
        return simplify(expr)

    def rewrite_simplify(self, expr: Any) -> Any:
        """The same as :meth:`simplify`."""
        return simplify(expr)


__getattr__ = refuse("tvm.arith")

"""See :mod:`vta.stmt`."""

from vta.stmt import post_order_visit, pre_order_visit, substitute
from .._refuse import refuse

__all__ = ["post_order_visit", "pre_order_visit", "substitute"]

__getattr__ = refuse("tvm.tir.stmt_functor")

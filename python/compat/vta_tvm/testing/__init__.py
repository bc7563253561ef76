"""Helpers of tests under TVM's names."""

from . import conditions, gradients
from .gradients import check_numerical_grads

__all__ = ["check_numerical_grads", "conditions", "gradients"]

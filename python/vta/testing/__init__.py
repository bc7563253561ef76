"""Helpers of tests and tutorials."""

from . import simulator
from .utils import run

__all__ = ["simulator", "run"]

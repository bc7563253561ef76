"""Helpers of tests and tutorials."""

from . import profiler, simulator
from .profiler import Profile, profile
from .utils import run

__all__ = ["profiler", "simulator", "Profile", "profile", "run"]

"""Helpers of tests and tutorials."""

from . import conditions, profiler, simulator
from .profiler import Profile, profile
from .utils import run

__all__ = ["conditions", "profiler", "simulator", "Profile", "profile", "run"]

"""Helpers of tests and tutorials."""

from . import conditions, gradients, profiler, simulator
from .gradients import check_numerical_grads
from .profiler import Profile, profile
from .utils import run

__all__ = ["conditions", "gradients", "profiler", "simulator", "Profile", "profile", "run", "check_numerical_grads"]

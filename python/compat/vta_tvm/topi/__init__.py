"""The operators of TVM's topi that :mod:`vta.topi` does not have itself, each one a computation without a schedule."""

from . import arm_cpu, arrange, convolution, generic, join, layers, nn, pooling, testing, transform, utils
from .arrange import *  # noqa: F401,F403
from .convolution import InvalidShapeError
from .join import *  # noqa: F401,F403
from .transform import *  # noqa: F401,F403  # pylint: disable=redefined-builtin

__all__ = ["InvalidShapeError", "arm_cpu", "convolution", "generic", "layers", "nn", "pooling", "testing", "utils"]
__all__ += arrange.__all__
__all__ += join.__all__
__all__ += transform.__all__

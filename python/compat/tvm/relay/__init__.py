"""Networks: read from ONNX, quantized, built. :mod:`vta.graph` and :mod:`vta.compile` do the work; relay's own language, its
operators and passes, is not offered."""

from . import frontend, nn, op, quantize, transform
from ._build import build
from ._network import Network
from .._refuse import refuse

__all__ = ["Network", "build", "frontend", "nn", "op", "quantize", "transform"]

__getattr__ = refuse("tvm.relay")

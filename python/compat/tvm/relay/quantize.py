"""Integers for a network's floats: :func:`vta.quantize` under relay's names."""

from __future__ import annotations

from typing import Any

import numpy as np

import vta
from vta._blocks import Blocks
from vta.ndarray import NDArray
from ._network import Network
from .._refuse import refuse

__all__ = ["QConfig", "current_qconfig", "qconfig", "quantize"]

_RANGES = {"global_scale": "percentile", "percentile": "percentile", "kl_divergence": "kl"}
_DEFAULTS = {
    "nbit_input": 8, "nbit_weight": 8, "nbit_activation": 32, "dtype_input": "int8", "dtype_weight": "int8",
    "dtype_activation": "int32", "calibrate_mode": "global_scale", "global_scale": 8.0, "weight_scale": "power2",
    "skip_dense_layer": True, "skip_conv_layers": [0], "do_simulation": False, "round_for_shift": True,
    "debug_enabled_ops": None, "rounding": "UPWARD", "calibrate_chunk_by": -1, "partition_conversions": "disabled",
}
# What the accelerator has one of, so that there is nothing to choose.
_FIXED = ("nbit_input", "nbit_weight", "nbit_activation", "dtype_input", "dtype_weight", "dtype_activation", "do_simulation",
          "debug_enabled_ops", "partition_conversions")


class QConfig:
    """Settings of a quantization, for the ``with`` block. ``calibrate_mode`` says what integers cover of the values seen; scales,
    rounding and what is quantized (everything) follow from the accelerator, so the others have no effect.

    Parameters
    ----------
    **settings : object
        Those of relay; a value that the accelerator cannot do is refused.
    """

    _blocks: Blocks[QConfig] = Blocks()
    calibrate_mode: str

    def __init__(self, **settings):
        for name, value in settings.items():
            if name not in _DEFAULTS:
                raise TypeError(f"qconfig has no setting {name!r}; there are {', '.join(_DEFAULTS)}")
            if name in _FIXED and value != _DEFAULTS[name]:
                raise NotImplementedError(f"qconfig({name}={value!r}) is not offered: it is {_DEFAULTS[name]!r} here")
        vars(self).update(_DEFAULTS, **settings)
        if self.calibrate_mode not in _RANGES:
            raise ValueError(f"calibrate_mode is one of {', '.join(_RANGES)}, not {self.calibrate_mode!r}")

    def __enter__(self):
        return QConfig._blocks.enter(self)

    def __exit__(self, kind, value, trace):
        QConfig._blocks.leave()


qconfig = QConfig


def current_qconfig() -> QConfig:
    """The settings of the innermost block; all defaults outside any."""
    return QConfig._blocks.innermost() or QConfig()


_MAX = 2.5  # of made-up values: those of pictures of mean 0 and standard deviation 1


def _scene(random, channels, height, width, figures=40):
    """A picture of striped figures, one over another: edges, colours and textures of all sizes, as photographs have."""
    out = np.zeros((channels, height, width)) + random.normal(size=(channels, 1, 1))
    y, x = np.mgrid[0:height, 0:width] / max(height, width)
    for _ in range(figures):
        angle, size, flat = random.uniform(0, np.pi), random.uniform(0, 0.3), random.uniform(0.1, 1)
        dx, dy = x - random.rand(), y - random.rand()
        u, v = dx * np.cos(angle) + dy * np.sin(angle), (dy * np.cos(angle) - dx * np.sin(angle)) / flat
        inside = np.maximum(abs(u), abs(v)) < size if random.rand() < 0.5 else u * u + v * v < size * size
        stripes = np.sin(random.uniform(5, 80) * u[inside] + random.uniform(0, 2 * np.pi))
        out[:, inside] = 1.2 * random.normal(size=(channels, 1)) + 0.5 * random.normal(size=(channels, 1)) * stripes
    return np.clip(out + 0.1 * random.normal(size=out.shape), -_MAX, _MAX)


def _inputs_of(random, shape):
    """Made-up values of one input: pictures where it has four axes."""
    if len(shape) != 4:
        return np.clip(random.normal(size=shape), -_MAX, _MAX)
    last = shape[3] in (1, 3) and shape[1] not in (1, 3)
    channels, height, width = (shape[3], shape[1], shape[2]) if last else shape[1:]
    scenes = np.stack([_scene(random, channels, height, width) for _ in range(shape[0])])
    return scenes.transpose(0, 2, 3, 1) if last else scenes


def _made_up(graph, count=16):
    """Inputs for a calibration without data."""
    random = np.random.RandomState(1)
    for _ in range(count):
        yield {p.name: _inputs_of(random, p.shape) for p in graph.inputs}


def quantize(mod: Any, params: dict[str, Any] | None = None, dataset: Any = None) -> Any:
    """Makes integers of a network's values.

    Parameters
    ----------
    mod : Network
    params : dict, optional
        Accepted, without effect: parameters are part of the network.
    dataset : iterable of dict, optional
        Typical inputs by name: the ranges of the network's values for them make the scales. Without it inputs are made up:
        pictures of random figures, of -2.5 to 2.5, which suits networks of pictures of mean 0 and deviation 1.

    Returns
    -------
    network : Network
    """
    mode = _RANGES[current_qconfig().calibrate_mode]
    if dataset is None:
        samples, mode = _made_up(mod.graph), "max"
    else:
        samples = ({name: value.numpy() if isinstance(value, NDArray) else value for name, value in sample.items()}
                   for sample in dataset)
    return Network(mod.graph, vta.quantize(mod.graph, samples, range=mode))


__getattr__ = refuse("tvm.relay.quantize")

"""From an ONNX model of floats to a compiled network: calibrate, quantize, compile (docs/graph.md)."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from . import _bindings as b
from ._lib import DIAG, call, lib, release
from ._settings import Config, Settings, current
from .model import Model, Port, arrays_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Union

    from numpy.typing import ArrayLike

    Sample = Union[ArrayLike, tuple[ArrayLike, ...], Mapping[str, ArrayLike]]

__all__ = ["compile"]

_RANGES = {
    "percentile": b.VTAC_RANGE_PERCENTILE, "max": b.VTAC_RANGE_MAX, "kl": b.VTAC_RANGE_KL, "squares": b.VTAC_RANGE_SQUARES,
}
_PROGRESS = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_char_p)


class _Handle:
    """A handle of the C library, freed with this object; keeps what it is made of."""

    def __init__(self, create: Any, destroy: Any, *args: Any, of: Any = None) -> None:
        out = ctypes.c_void_p()
        call(create, *args, DIAG, ctypes.byref(out))
        self.handle = out
        release(self, destroy, out, of)


def _calibrate(graph: _Handle, samples: Iterable[Sample]) -> _Handle:
    """A calibration that has seen the samples."""
    calibration = _Handle(lib.vtac_calibration_create, lib.vtac_calibration_destroy, graph.handle, None, of=graph)
    name = lib.vtac_graph_name(graph.handle).decode()
    ports = [Port(lib.vtac_graph_input, graph.handle, i, b.vtac_graph_tensor)
             for i in range(lib.vtac_graph_input_count(graph.handle))]
    for sample in samples:
        if isinstance(sample, Mapping):
            arrays = arrays_of(name, ports, (), sample)
        else:
            arrays = arrays_of(name, ports, sample if isinstance(sample, tuple) else (sample,), {})
        data = (ctypes.c_void_p * len(arrays))(*[a.ctypes.data for a in arrays])
        call(lib.vtac_calibration_observe, calibration.handle, data, DIAG)
    return calibration


def _compile(quantized: _Handle, config: Config, stopped: list[bool]) -> bytes:
    """The artifact. Ends early, with KeyboardInterrupt, once there is something in `stopped`."""
    progress = _PROGRESS(lambda user, done, count, layer: bool(stopped))
    options = b.vtac_compile_options(size=ctypes.sizeof(b.vtac_compile_options),
                                     progress=ctypes.cast(progress, ctypes.c_void_p).value)
    out, size = ctypes.c_void_p(), ctypes.c_size_t()
    call(lib.vtac_quantized_compile, quantized.handle, config.handle, ctypes.byref(options), DIAG, ctypes.byref(out),
         ctypes.byref(size), None)
    try:
        return ctypes.string_at(out, size.value)
    finally:
        lib.vta_string_free(out)


def _artifact(quantized: _Handle, config: Config) -> bytes:
    """The same in a thread of its own, where Python's signal handlers do not run: Ctrl-C raises here, and not in the
    callback, from which no exception comes out."""
    stopped: list[bool] = []
    with ThreadPoolExecutor(1, "vta-compile") as pool:
        try:
            return pool.submit(_compile, quantized, config, stopped).result()
        finally:
            stopped.append(True)


def _config(config: Settings | Config | dict[str, Any] | None) -> Config:
    if isinstance(config, Config):
        return config
    return (config if isinstance(config, Settings) else Settings(config) if config is not None else current()).config


def compile(  # pylint: disable=redefined-builtin
        model: str | os.PathLike[str], samples: Iterable[Sample] | None = None,
        config: Settings | Config | dict[str, Any] | None = None, range: str = "percentile", percentile: float = 99.99,
        output: str | os.PathLike[str] | None = None) -> Model:
    """Compiles an ONNX model for the accelerator: calibrates, quantizes, compiles.

    Parameters
    ----------
    model : str
        The ONNX file.
    samples : iterable of numpy.ndarray, tuple or dict, optional
        Typical inputs, of their full shapes: arrays; where there are several inputs, tuples in their order or dictionaries
        by name. Not needed for a model that says its ranges itself (QuantizeLinear and its like).
    config : Environment, Config or dict of str to value, optional
        The hardware; else the current environment.
    range : str, optional
        What integers cover of the values seen: a ``"percentile"``, all (``"max"``), what keeps the distribution (``"kl"``) or
        makes the sum of squared errors least (``"squares"``).
    percentile : float, optional
        Of ``"percentile"``: more than 0 and at most 100.
    output : str, optional
        Where to save the artifact as well.

    Returns
    -------
    model : Model
        As :func:`vta.load_model` gives it.

    Raises
    ------
    VTAError
        The file is missing or no model, has nodes that are not supported (all are named), or a value's range is not known.

    Examples
    --------
    >>> model = vta.compile("resnet18.onnx", samples=pictures)
    >>> scores = model(picture)
    >>> model.save("resnet18.vta-model")
    """
    if range not in _RANGES:
        raise ValueError(f"range is one of {', '.join(_RANGES)}, not {range!r}")
    if not 0 < percentile <= 100:
        raise ValueError(f"percentile is more than 0 and at most 100, not {percentile}")
    hardware = _config(config)
    graph = _Handle(lib.vtac_graph_load, lib.vtac_graph_destroy, os.fsencode(model), None, None)
    calibration = _calibrate(graph, () if samples is None else samples)
    method = b.vtac_quantize_options(size=ctypes.sizeof(b.vtac_quantize_options), method=_RANGES[range],
                                     percentile=percentile)
    quantized = _Handle(lib.vtac_quantized_create, lib.vtac_quantized_destroy, calibration.handle, ctypes.byref(method),
                        of=graph)
    compiled = Model(model, artifact=_artifact(quantized, hardware))
    if output is not None:
        compiled.save(output)
    return compiled

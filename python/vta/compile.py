"""From an ONNX model of floats to a compiled network: calibrate, quantize, compile (docs/graph.md)."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Mapping, Sized
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _bindings as b
from ._lib import DIAG, call, lib, text
from ._ports import arrays_of, cut, single
from ._progress import Progress
from ._settings import Config, Settings, current
from ._torch import as_arrays, export, is_torch
from .graph import Graph, Handle
from .model import Model

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Union

    from numpy.typing import ArrayLike, NDArray

    from ._settings import Timing
    from .graph import Source

    Sample = Union[ArrayLike, tuple[ArrayLike, ...], Mapping[str, ArrayLike]]
    Hardware = Union[Settings, Config, dict[str, Any], str, os.PathLike[str], None]
    Shapes = Mapping[str, Sequence[int]]

__all__ = ["Quantized", "compile", "quantize"]

_RANGES = {
    "percentile": b.VTAC_RANGE_PERCENTILE, "max": b.VTAC_RANGE_MAX, "kl": b.VTAC_RANGE_KL, "squares": b.VTAC_RANGE_SQUARES,
    "output": b.VTAC_RANGE_OUTPUT,
}
_REQUANTIZE = {
    "auto": b.VTAC_REQUANTIZE_AUTO, "shift": b.VTAC_REQUANTIZE_SHIFT, "multiply": b.VTAC_REQUANTIZE_MULTIPLY,
}
_ROUNDING = {"nearest": b.VTAC_ROUNDING_NEAREST, "adaptive": b.VTAC_ROUNDING_ADAPTIVE}
_PROGRESS = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_char_p)


def _pointers(arrays: list[NDArray[Any]]) -> Any:
    return (ctypes.c_void_p * max(1, len(arrays)))(*[a.ctypes.data for a in arrays])


#: How many samples a function is asked for.
_FROM_FUNCTIONS = 16


def made_by_functions(graph: Graph, samples: Any) -> Any:
    """Samples of functions: one for the only input, or one for each by name. Each is called with the shape of its input, once
    for each of 16 samples. Other samples are given back.

    Parameters
    ----------
    graph : Graph
    samples : iterable, callable or mapping of str to callable
    """
    if callable(samples):
        if len(graph.inputs) != 1:
            raise TypeError(f"{graph.name} has the inputs {graph.inputs}: give a function for each by name")
        samples = {graph.inputs[0].name: samples}
    if not isinstance(samples, Mapping):
        return samples
    unknown = samples.keys() ^ {p.name for p in graph.inputs}
    if unknown:
        raise TypeError(f"{graph.name} takes the inputs {graph.inputs}; samples by name are for each of them, not for "
                        f"{sorted(samples)}")
    if not all(callable(f) for f in samples.values()):  # arrays: one sample, or many one behind the other
        return [samples]
    return [{p.name: np.asarray(samples[p.name](p.shape)).astype(p.dtype) for p in graph.inputs}
            for _ in range(_FROM_FUNCTIONS)]


def _calibrate(graph: Graph, samples: Iterable[Sample]) -> Handle:
    """A calibration that has seen the samples."""
    calibration = Handle(lib.vtac_calibration_create, lib.vtac_calibration_destroy, graph.handle, None, of=graph)
    with Progress("calibrating", len(samples) if isinstance(samples, Sized) else 0) as bar:
        if isinstance(samples, np.ndarray) and graph.inputs and samples.ndim == len(graph.inputs[0].shape):
            samples = [samples]
        for sample in made_by_functions(graph, samples):
            named = sample if isinstance(sample, Mapping) else {}
            several = () if isinstance(sample, Mapping) else sample if isinstance(sample, tuple) else (sample,)
            for arrays in single(graph.inputs, arrays_of(graph.name, graph.inputs, several, named, batches=True)):
                call(lib.vtac_calibration_observe, calibration.handle, _pointers(arrays), DIAG)
            bar.advance()
    return calibration


class _Layers:
    """Told by the compiler before each layer: moves the bar on, and ends the compile once it is `stopped`."""

    def __init__(self) -> None:
        self.stopped = False
        self.bar: Progress | None = None
        self.callback = _PROGRESS(self._tell)

    def _tell(self, user: Any, done: int, count: int, layer: bytes) -> bool:
        if self.bar is None:
            self.bar = Progress("compiling", count)
        self.bar.advance()
        return self.stopped


_DIFFERS = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.POINTER(b.vtac_difference))
_TRIED = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.POINTER(b.vtac_search_step))


def _search(graph: Graph, calibration: Handle, method: Any, hardware: Config, seconds: float, cycles: float,
            score: Callable[[Model], Any] | None) -> "Quantized":
    """The best network of integers; ends early where Ctrl-C is pressed."""
    tried: list[dict[str, Any]] = []
    stopped = False
    failed: list[BaseException] = []

    def tell(user: Any, step: Any) -> bool:
        s = step.contents
        row = {"options": text(s.options), "seconds": s.seconds, "taken": bool(s.is_taken)}
        row |= {"error": text(s.error)} if s.error else {"decibels": s.decibels, "cycles": s.cycles}
        try:
            if score and s.model:
                row["score"] = score(Model._lent(s.model))  # pylint: disable=protected-access
        except BaseException as error:  # pylint: disable=broad-exception-caught  # raised again below
            failed.append(error)
        tried.append(row)
        return stopped or bool(failed)

    callback = _TRIED(tell)
    options = b.vtac_search_options(size=ctypes.sizeof(b.vtac_search_options), seconds=seconds, cycles=cycles,
                                    options=ctypes.addressof(method), config=hardware.handle,
                                    tried=ctypes.cast(callback, ctypes.c_void_p).value)
    with ThreadPoolExecutor(1, "vta-search") as pool:  # Ctrl-C raises here, and not in the callback
        work = pool.submit(Handle, lib.vtac_quantized_search, lib.vtac_quantized_destroy, calibration.handle,
                           ctypes.byref(options), of=graph)
        try:
            own = work.result()
        except KeyboardInterrupt:
            stopped = True
            own = work.result()
    if failed:
        raise failed[0]
    found = Quantized(graph, own)
    found.tried = tried
    return found


class Quantized:
    """A network of integers: the exact meaning of what is compiled of it. Call it to compute it with plain C.

    Parameters
    ----------
    graph : Graph
    handle : Handle
        A ``vtac_quantized *``: what :func:`quantize` makes.

    Attributes
    ----------
    graph : Graph
        The network in floats.
    tried : list of dict
        Of a search: what was tried, in this order, with ``options`` (as of ``vta compile``), ``decibels`` at the worst output,
        ``cycles`` of the accelerator, ``seconds`` since it began, ``taken``, and its ``score`` where one was asked for; or an
        ``error``.
    """

    def __init__(self, graph: Graph, handle: Handle) -> None:
        self.graph = graph
        self.tried: list[dict[str, Any]] = []
        self._own = handle

    def __str__(self) -> str:
        return text(lib.vtac_quantized_text(self._own.handle)) or ""

    def __call__(self, *inputs: ArrayLike, **named: ArrayLike) -> NDArray[Any] | tuple[NDArray[Any], ...]:
        """Computes the network of integers on the host; what is compiled gives the same, to the bit.

        Parameters
        ----------
        *inputs : array_like
            In the order of ``graph.inputs``.
        **named : array_like
            By name.

        Returns
        -------
        output : numpy.ndarray or tuple of numpy.ndarray
        """
        arrays = arrays_of(self.graph.name, self.graph.inputs, inputs, named)
        ports = self.graph._ports  # pylint: disable=protected-access
        results = [np.empty(port.shape, port.dtype) for port in ports]
        call(lib.vtac_quantized_run, self._own.handle, _pointers(arrays), _pointers(results), None, DIAG)
        results = cut(ports, results)
        return results[0] if len(results) == 1 else tuple(results)

    def against_model(self, *inputs: ArrayLike, **named: ArrayLike) -> list[dict[str, Any]]:
        """The integers beside those of a model that was quantized elsewhere, layer by layer.

        Parameters
        ----------
        *inputs : array_like
            In the order of ``graph.inputs``.
        **named : array_like
            By name.

        Returns
        -------
        layers : list of dict
            Of each layer whose result the model has integers for: ``value``, ``kind``, ``step`` and ``zero`` of the model,
            ``own_step``, ``by_channel`` (the own step times a factor of the channel), ``count`` of elements, ``differ`` (those
            that the model would round to another integer), ``largest`` difference in the model's steps.

        Raises
        ------
        VTAError
            The model has no integers.
        """
        rows: list[dict[str, Any]] = []

        def tell(user: Any, difference: Any) -> bool:
            d = difference.contents
            rows.append({"value": text(d.value), "kind": text(d.kind), "step": d.step, "zero": d.zero, "own_step": d.own_step,
                         "by_channel": d.by_channel, "count": d.count, "differ": d.differ, "largest": d.largest})
            return False

        arrays = arrays_of(self.graph.name, self.graph.inputs, inputs, named)
        callback = _DIFFERS(tell)
        call(lib.vtac_quantized_against_model, self._own.handle, _pointers(arrays), ctypes.cast(callback, ctypes.c_void_p), None,
             DIAG)
        return rows

    def _bytes(self, config: Config, layers: _Layers, processor_only: bool, triple: str | None,
               report: ctypes.c_void_p | None = None) -> bytes:
        options = b.vtac_compile_options(size=ctypes.sizeof(b.vtac_compile_options), processor_only=processor_only,
                                         triple=triple.encode() if triple else None,
                                         progress=ctypes.cast(layers.callback, ctypes.c_void_p).value)
        out, size = ctypes.c_void_p(), ctypes.c_size_t()
        call(lib.vtac_quantized_compile, self._own.handle, config.handle, ctypes.byref(options), DIAG,
             ctypes.byref(out), ctypes.byref(size), None if report is None else ctypes.byref(report))
        try:
            return ctypes.string_at(out, size.value)
        finally:
            lib.vta_string_free(out)

    def artifact(self, config: Hardware = None, processor_only: bool = False, triple: str | None = None) -> bytes:
        """Compiles it, and gives the contents of the artifact's file.

        Parameters
        ----------
        config : Environment, Config, dict of str to value, file or name of a board, optional
            The hardware; else the current environment.
        processor_only : bool, optional
            Nothing on the accelerator: the same results from the host.
        triple : str, optional
            The host, as LLVM names it; else this machine's.

        Returns
        -------
        artifact : bytes
        """
        return self._in_thread(_config(config), processor_only, triple)

    def _in_thread(self, config: Config, processor_only: bool, triple: str | None = None,
                   report: ctypes.c_void_p | None = None) -> bytes:
        layers = _Layers()
        # In a thread of its own, where Python's signal handlers do not run: Ctrl-C raises here, and not in the
        # callback, from which no exception comes out.
        with ThreadPoolExecutor(1, "vta-compile") as pool:
            try:
                return pool.submit(self._bytes, config, layers, processor_only, triple, report).result()
            finally:
                layers.stopped = True
                if layers.bar is not None:
                    layers.bar.close()

    def compile(self, config: Hardware = None, processor_only: bool = False, driver: str | None = None) -> Model:
        """Compiles it, and loads what came out.

        Parameters
        ----------
        config : Environment, Config, dict of str to value, file or name of a board, optional
            The hardware; else the current environment.
        processor_only : bool, optional
            Nothing on the accelerator: the same results from the host.
        driver : str, optional
            As for :func:`vta.load_model`.

        Returns
        -------
        model : Model
        """
        return Model(self.graph.name, driver, self.artifact(config, processor_only))


    def report(self, config: Hardware = None, processor_only: bool = False, measure: bool = True) -> dict[str, Any]:
        """Compiles it, and says what runs where, why, and what it takes: ``vta compile --report --json``.

        Parameters
        ----------
        config : Environment, Config, dict of str to value, file or name of a board, optional
            The hardware; else the current environment.
        processor_only : bool, optional
            Nothing on the accelerator: the same results from the host.
        measure : bool, optional
            Run it on zeros, and note cycles and milliseconds.

        Returns
        -------
        report : dict
            `layers`, each with `layer`, `kind`, `place`, `why`, `products`, `run` (of the device, from 0 on; None on the
            host); `products`, `accelerator_products`, `runs`; `cuts` between runs, each with `after_run`, `why` and the
            `layers` on the host that need the run before and are needed by the one behind. Where it was measured each
            layer also has `cycles` and `ms`, and the report `cycles`, `ms`, `host_ms`, `host_share`.
        """
        handle = ctypes.c_void_p()
        artifact = self._in_thread(_config(config), processor_only, None, handle)
        try:
            if measure:
                model = Model(self.graph.name, None, artifact)
                call(lib.vtac_compile_report_measure, handle, model._handle, None, DIAG)
            return _report(handle)
        finally:
            lib.vtac_compile_report_destroy(handle)


def _rows(function: Any, handle: ctypes.c_void_p, row: Any) -> list[Any]:
    """The structs that a function gives one by one."""
    rows: list[Any] = []
    while address := function(handle, len(rows)):
        rows.append(row.from_address(address))
    return rows


def _report(handle: ctypes.c_void_p) -> dict[str, Any]:
    total = b.vtac_compile_summary(size=ctypes.sizeof(b.vtac_compile_summary))
    call(lib.vtac_compile_report_sum, handle, ctypes.byref(total))
    layers = [{"layer": text(l.name), "kind": text(l.kind), "place": "host" if l.place == b.VTAC_ON_HOST else "accelerator",
               "why": text(l.why), "products": l.products, "run": None if l.run == 2**32 - 1 else l.run,
               **({"cycles": l.cycles, "ms": l.seconds * 1e3} if total.is_measured else {})}
              for l in _rows(lib.vtac_compile_report_layer, handle, b.vtac_compiled_layer)]
    cuts = [{"after_run": c.run, "why": text(c.why),
             "layers": [layers[i]["layer"] for i in (ctypes.c_uint32 * c.layer_count).from_address(c.layers)]}
            for c in _rows(lib.vtac_compile_report_cut, handle, b.vtac_compile_cut)]
    report = {"layers": layers, "products": total.products, "accelerator_products": total.accelerator_products,
              "runs": total.runs, "cuts": cuts}
    if total.is_measured:
        report |= {"cycles": total.cycles, "ms": total.seconds * 1e3, "host_ms": total.host_seconds * 1e3,
                   "host_share": total.host_seconds / total.seconds if total.seconds else 0.0}
    return report


def _config(config: Hardware) -> Config:
    if isinstance(config, Config):
        return config
    return (config if isinstance(config, Settings) else Settings(config) if config is not None else current()).config


def quantize(model: Source | Graph, samples: Iterable[Sample] | None = None, range: str = "percentile",  # pylint: disable=redefined-builtin
             percentile: float = 99.99, requantize: str = "auto", result_bits: int = 0, keep_bias: bool = False,
             equalize: bool = False, precise: Sequence[str] = (), rounding: str = "nearest",
             search: float = 0, cycles: float = 0, config: Hardware = None, weight_bits: int = 8,
             score: Callable[[Model], Any] | None = None) -> Quantized:
    """Calibrates an ONNX model with samples, and makes integers of its values.

    Parameters
    ----------
    model : str, bytes, onnx.ModelProto, Graph or torch.nn.Module
        As for :func:`vta.compile`.
    samples : iterable of numpy.ndarray, tuple or dict, optional
        Typical inputs: arrays, whose first extent may be a multiple of what the network takes at once, as in a call of a
        :class:`Model`; where there are several inputs, tuples in their order or dictionaries by name. One array of all
        samples will do where there is one input, a dictionary of such where there are several. Or functions: one of the
        input's shape, as ``numpy.random.default_rng(1).standard_normal``, or a dictionary of one for each input; each gives
        16 samples. Not needed for a model that says its ranges itself (QuantizeLinear and its like).
    range : str, optional
        What integers cover of the values seen: a ``"percentile"``, all (``"max"``), what keeps the distribution (``"kl"``) or
        makes the sum of squared errors least (``"squares"``), of the value itself or behind the products that read it
        (``"output"``).
    percentile : float, optional
        Of ``"percentile"``: more than 0 and at most 100.
    requantize : str, optional
        How sums become integers: by a ``"shift"``, or by a product and a shift (``"multiply"``); ``"auto"``: a product for models
        that are quantized already.
    result_bits : int, optional
        Of results that only floats read, 8 or 16; 0: 16, but for products with more than 64 KiB of weights
        and those before many functions that products read.
    keep_bias : bool, optional
        Leave out the correction of biases for what rounding the weights adds.
    equalize : bool, optional
        Give channels of a value scales of their own, where products read it and that helps.
    precise : sequence of str, optional
        Names of values that get integers of more than 8 bits, with ``:wide``, ``:fine``, ``:coarse`` behind them for only that
        (`docs/quantization.md`); ``"all"``: all that can have them.
    rounding : str, optional
        Which integers weights become: the ``"nearest"``, or those whose errors make up for each other on the first 16 samples
        (``"adaptive"``).
    search : float, optional
        Seconds, in which ways to quantize are tried one after the other, from what the other parameters say on; the best for the
        samples is taken (``Quantized.tried`` says what was). Ctrl-C ends it with the best so far. 0: no search.
    cycles : float, optional
        Of a search: the share of cycles that the network may take more, 0.05 for 5 %; 0: no limit.
    config : Environment, Config, dict of str to value, file or name of a board, optional
        Of a search: the hardware; else the current environment.
    weight_bits : int, optional
        8, or 4: weights from -7 to 7, in scales that make the error of sums least.
    score : callable, optional
        Of a search: called with each network that is tried, compiled, as a :class:`Model`; what it returns, as a share of right
        answers, stands in ``Quantized.tried``. Networks are chosen by decibels all the same.

    Returns
    -------
    quantized : Quantized
    """
    if range not in _RANGES:
        raise ValueError(f"range is one of {', '.join(_RANGES)}, not {range!r}")
    if not 0 < percentile <= 100:
        raise ValueError(f"percentile is more than 0 and at most 100, not {percentile}")
    if requantize not in _REQUANTIZE:
        raise ValueError(f"requantize is one of {', '.join(_REQUANTIZE)}, not {requantize!r}")
    if result_bits not in (0, 8, 16):
        raise ValueError(f"result_bits is 8, 16 or 0, not {result_bits}")
    if weight_bits not in (4, 8):
        raise ValueError(f"weight_bits is 4 or 8, not {weight_bits}")
    if rounding not in _ROUNDING:
        raise ValueError(f"rounding is one of {', '.join(_ROUNDING)}, not {rounding!r}")
    if is_torch(model):
        samples = as_arrays(samples)
        model = export(model, samples)
    graph = model if isinstance(model, Graph) else Graph(model)
    calibration = _calibrate(graph, () if samples is None else samples)
    method = b.vtac_quantize_options(size=ctypes.sizeof(b.vtac_quantize_options), method=_RANGES[range],
                                     percentile=percentile, requantize=_REQUANTIZE[requantize], result_bits=result_bits,
                                     keep_bias=keep_bias, equalize=equalize, rounding=_ROUNDING[rounding],
                                     weight_bits=weight_bits)
    names = [precise] if isinstance(precise, str) else list(precise)
    texts = (ctypes.c_char_p * max(1, len(names)))(*[name.encode() for name in names])
    method.precise, method.precise_count = ctypes.cast(texts, ctypes.c_void_p).value, len(names)
    if search > 0:
        return _search(graph, calibration, method, _config(config), search, cycles, score)
    return Quantized(graph, Handle(lib.vtac_quantized_create, lib.vtac_quantized_destroy, calibration.handle,
                                   ctypes.byref(method), of=graph))


def _fitting(graph: Graph, samples: Any) -> Any:
    """Those of a list of samples that are of the shapes of this graph; all of them where none is."""
    if not isinstance(samples, (list, tuple)) or not samples:
        return samples
    names = [p.name for p in graph.inputs]

    def fits(sample: Sample) -> bool:
        named = sample if isinstance(sample, Mapping) else dict(zip(names, sample if isinstance(sample, tuple) else (sample,)))
        return all(np.shape(named[p.name])[1:] == p.shape[1:] for p in graph.inputs if p.name in named)

    return [s for s in samples if fits(s)] or samples


def _joined(artifacts: Sequence[bytes]) -> bytes:
    """One artifact for the shapes of all."""
    rows = (b.vtac_artifact * len(artifacts))()
    held = [ctypes.create_string_buffer(a, len(a)) for a in artifacts]
    for row, text_of in zip(rows, held):
        row.bytes, row.size = ctypes.addressof(text_of), len(text_of)
    out, size = ctypes.c_void_p(), ctypes.c_size_t()
    call(lib.vtac_artifact_join, rows, len(artifacts), DIAG, ctypes.byref(out), ctypes.byref(size))
    try:
        return ctypes.string_at(out, size.value)
    finally:
        lib.vta_string_free(out)


def _several(model: Source, samples: Any, shapes: Sequence[Shapes], hardware: Config, how: tuple[Any, ...]) -> Model:
    """The model for each of the shapes, in one artifact."""
    if isinstance(model, Graph) or is_torch(model):
        raise TypeError(f"shapes= is for models of ONNX and TFLite, not for {type(model).__name__}: its extents are settled")
    if not shapes:
        raise ValueError("shapes= is empty: give the extents of the inputs, {'x': (1, 3, 224, 224)}, or a list of such")
    graphs = [Graph(model, shapes=given) for given in shapes]
    artifacts = [quantize(g, _fitting(g, samples), *how).artifact(hardware) for g in graphs]
    return Model(graphs[0].name, None, artifacts[0] if len(artifacts) == 1 else _joined(artifacts))


def compile(  # pylint: disable=redefined-builtin
        model: Source | Graph, samples: Iterable[Sample] | None = None, config: Hardware = None, range: str = "percentile",
        percentile: float = 99.99, output: str | os.PathLike[str] | None = None, requantize: str = "auto", result_bits: int = 0,
        keep_bias: bool = False, equalize: bool = False, precise: Sequence[str] = (),
        rounding: str = "nearest", search: float = 0, cycles: float = 0, weight_bits: int = 8,
        shapes: Shapes | Sequence[Shapes] | None = None, profile: Timing = None, bus: int | None = None) -> Model:
    """Compiles an ONNX model for the accelerator: calibrates, quantizes, compiles.

    What takes longer than a second shows a bar, on a terminal and in a notebook.

    Parameters
    ----------
    model : str, bytes, onnx.ModelProto, Graph or torch.nn.Module
        The ONNX or TFLite file, its contents, the model as the package `onnx` has it, or a graph; a module of PyTorch
        (`torch.nn.Module`), which is exported with the first sample, or an exported program (PyTorch 2.5 and later).
    samples : iterable of numpy.ndarray, tuple or dict, optional
    range : str, optional
    percentile : float, optional
        All three as for :func:`vta.quantize`.
    config : Environment, Config, dict of str to value, file or name of a board, optional
        The hardware; else the current environment.
    profile : str, path or dict, optional
    bus : int, optional
        Its timing profile and the width of its memory bus, as for :class:`vta.Environment`: schedules are chosen by them,
        and the artifact keeps them.
    output : str, optional
        Where to save the artifact as well.
    requantize : str, optional
    result_bits : int, optional
    keep_bias : bool, optional
    equalize : bool, optional
    precise : sequence of str, optional
    rounding : str, optional
    search : float, optional
    cycles : float, optional
    weight_bits : int, optional
        As for :func:`vta.quantize`.
    shapes : mapping of str to sequence of int, or a sequence of such, optional
        Extents of inputs that the model leaves open. Several: one artifact for all of these shapes; a call takes the one that
        fits its arrays. Samples are then those of a list that have the shape in question.

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
    >>> model = vta.compile(torch_module, samples)
    """
    hardware = _config(config)
    if profile is not None or bus is not None:
        hardware = hardware.with_timing(profile, bus)
    if requantize == "auto" and not lib.vta_target_has_alu(hardware.handle, b.VTA_ALU_MUL):
        requantize = "shift"  # the target's design cannot multiply sums
    how = (range, percentile, requantize, result_bits, keep_bias, equalize, precise, rounding, search, cycles, hardware,
           weight_bits)
    if shapes is None:
        compiled = quantize(model, samples, *how).compile(hardware)
    else:
        compiled = _several(model, samples, [shapes] if isinstance(shapes, Mapping) else list(shapes), hardware, how)
    if output is not None:
        compiled.save(output)
    return compiled

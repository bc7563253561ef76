"""From a module of PyTorch, or an exported program, to an ONNX model: with the exporter that the installed PyTorch has.

PyTorch is imported only where something of it was given."""

from __future__ import annotations

import contextlib
import inspect
import io
import sys
import tempfile
import warnings
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

#: Of the exporter that traces: the newest operator set that PyTorch 1.13 and later write.
_OPSET = 17


def is_torch(model: Any) -> bool:
    """Whether something is a module or an exported program of PyTorch.

    Parameters
    ----------
    model : object
    """
    kinds = {(c.__module__, c.__name__) for c in type(model).__mro__}
    return bool(kinds & {("torch.nn.modules.module", "Module"), ("torch.export.exported_program", "ExportedProgram"),
                         ("torch.export", "ExportedProgram")})


def _array(value: Any) -> Any:
    """A tensor of PyTorch as an array; others as they are."""
    return value.detach().cpu().numpy() if hasattr(value, "detach") else value


def as_arrays(samples: Any) -> Any:
    """Samples with arrays in the place of PyTorch's tensors.

    Parameters
    ----------
    samples : iterable of samples, or one array or tensor
    """
    if samples is None or isinstance(samples, np.ndarray):
        return samples
    if callable(samples) or isinstance(samples, Mapping):
        raise TypeError("a module of PyTorch is exported with its first sample: give arrays or tensors, one after the other")
    if hasattr(samples, "detach"):
        return _array(samples)

    def one(sample: Any) -> Any:
        if isinstance(sample, Mapping):
            return {k: _array(v) for k, v in sample.items()}
        return tuple(_array(v) for v in sample) if isinstance(sample, tuple) else _array(sample)

    return [one(sample) for sample in samples]


def _first(samples: Any) -> Any:
    """One input of the module: the first sample; of an array of all the first entry, as a batch of one."""
    if isinstance(samples, np.ndarray):
        return samples[:1]
    if isinstance(samples, Iterable):
        for sample in samples:
            return sample
    raise ValueError("a module of PyTorch is exported with its first sample: give samples")


def _names(module: Any, count: int) -> list[str]:
    """The names of the first parameters of `forward`."""
    try:
        known = [p.name for p in inspect.signature(module.forward).parameters.values()
                 if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    except (AttributeError, TypeError, ValueError):
        known = []
    return [known[i] if i < len(known) else f"input{i}" for i in range(count)]


@contextlib.contextmanager
def _evaluated(module: Any) -> Any:
    """The module as it is when it is used, not trained; afterwards as it was."""
    trained = [m for m in module.modules() if m.training] if hasattr(module, "modules") else []
    for m in trained:
        m.training = False
    try:
        yield
    finally:
        for m in trained:
            m.training = True


def _traced(torch: Any, module: Any, arguments: tuple[Any, ...], names: list[str]) -> bytes:
    """By the exporter that runs the module once (TorchScript)."""
    file = io.BytesIO()
    more = {"dynamo": False} if "dynamo" in inspect.signature(torch.onnx.export).parameters else {}
    torch.onnx.export(module, arguments, file, input_names=names, opset_version=_OPSET, **more)
    return file.getvalue()


def _captured(torch: Any, program: Any, arguments: tuple[Any, ...]) -> bytes:
    """By the exporter of torch.export. Its weights may become a file beside the model: it is written and read."""
    import os

    made = torch.onnx.export(program, arguments, dynamo=True)
    if hasattr(made, "model_proto"):
        return bytes(made.model_proto.SerializeToString())
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.onnx")
        made.save(path)
        with open(path, "rb") as file:
            return file.read()


def export(model: Any, samples: Any) -> bytes:
    """The ONNX model of a module or an exported program.

    Parameters
    ----------
    model : torch.nn.Module or torch.export.ExportedProgram
    samples : iterable of samples, or one array
        As :func:`vta.compile` takes them; the first one is what a module is exported with.

    Returns
    -------
    onnx : bytes
    """
    torch = sys.modules["torch"]
    program = type(model).__name__ == "ExportedProgram"
    if program and samples is None:
        arguments = tuple((getattr(model, "example_inputs", None) or ((),))[0])
    else:
        first = _first(samples)
        if isinstance(first, Mapping):
            names = _names(model, len(inspect.signature(model.forward).parameters)) if not program else list(first)
            first = tuple(first[n] for n in names if n in first)
        first = first if isinstance(first, tuple) else (first,)
        arguments = tuple(torch.from_numpy(np.array(_array(a), order="C")) for a in first)
    # Gradients stay on: without them transformer layers take a form of their own, which no exporter knows.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what the exporter makes constants of
        if program:
            if "dynamo" not in inspect.signature(torch.onnx.export).parameters:
                raise TypeError(f"PyTorch {torch.__version__} exports no programs to ONNX (2.5 and later do): "
                                "give the module instead")
            return _captured(torch, model, arguments)
        with _evaluated(model):
            try:
                return _traced(torch, model, arguments, _names(model, len(arguments)))
            except Exception as error:  # pylint: disable=broad-exception-caught
                if "dynamo" not in inspect.signature(torch.onnx.export).parameters:
                    raise
                try:
                    return _captured(torch, model, arguments)
                except Exception:  # pylint: disable=broad-exception-caught
                    raise error from None

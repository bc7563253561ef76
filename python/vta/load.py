"""One call for what the tool and the compiler write: the kind of a file decides what comes back."""

from __future__ import annotations

import os

from .graph import Graph
from .model import Model, load_model
from .module import Module, load_module

__all__ = ["load"]

_ARTIFACT, _TFLITE = b"\x8dVTM", b"TFL3"
_OTHERS = {b"\x89VTA": "a captured program: `vta sim` and `vta profile` take it",
           b"\x89PNG": "a picture: vta.picture", b"\xff\xd8\xff": "a picture: vta.picture",
           b"\x93NUMPY": "an array of NumPy: numpy.load"}


def load(path: str | os.PathLike[str], driver: str | None = None) -> Model | Graph | Module:
    """Loads a compiled network, a model, or compiled kernels.

    What holds native code (compiled networks and kernels) is executed: load only files whose maker you trust.

    Parameters
    ----------
    path : str
        The file: an artifact of ``vta compile`` or :func:`compile`; a model of ONNX or TFLite; an object of ``vta build``
        or :meth:`Module.export_library`.
    driver : str, optional
        For compiled networks, as of :func:`load_model`.

    Returns
    -------
    loaded : Model, Graph or Module
        What :func:`load_model`, :class:`Graph` or :func:`load_module` give.

    Raises
    ------
    ValueError
        Where the file is of another kind; the message says what takes it.

    Examples
    --------
    >>> model = vta.load("resnet18.vta-model")
    >>> model(x)
    >>> vta.load("resnet18.onnx")(x)      # in floats
    """
    with open(path, "rb") as file:
        begin = file.read(8)
    name = os.fspath(path)
    if begin.startswith(_ARTIFACT):
        return load_model(path, driver)
    if driver is not None:
        raise ValueError(f"{name}: a driver is for compiled networks")
    if begin[4:8] == _TFLITE or name.endswith((".onnx", ".tflite")):
        return Graph(name)
    if begin.startswith(b"\x7fELF"):
        return load_module(path)
    if name.endswith(".te"):
        raise ValueError(f"{name} is a kernel file: `vta build` compiles it, vta.load takes what that writes")
    for magic, what in _OTHERS.items():
        if begin.startswith(magic):
            raise ValueError(f"{name} is {what}")
    raise ValueError(f"{name} is no compiled network, no model of ONNX or TFLite and no compiled kernel")

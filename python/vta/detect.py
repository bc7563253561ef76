"""Detectors: the boxes that networks find in pictures (docs/detect.md)."""

from __future__ import annotations

import ctypes
import json
import os
from typing import TYPE_CHECKING, Any

from . import _bindings as b
from ._lib import DIAG, call, lib, release
from ._ports import whole
from .graph import Graph
from .image import Preprocess, open_picture, read_settings
from .model import Model, is_artifact, load_model

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Union

    import numpy as np
    from numpy.typing import NDArray

    from .image import Source

    #: A network, or its file.
    Network = Union[str, os.PathLike[str], Model, Graph]

__all__ = ["detect"]

_CODES = {"i": 0, "u": 1, "f": 2}


def _open(network: Network) -> Model | Graph:
    if not isinstance(network, (str, os.PathLike)):
        return network
    return load_model(network) if is_artifact(network) else Graph(network)


def _section(model: Model, name: str) -> Any:
    """What an artifact keeps for front ends, as JSON; None: nothing."""
    size = ctypes.c_size_t()
    found = lib.vta_model_section(model._handle, name.encode(), ctypes.byref(size))  # pylint: disable=protected-access
    return json.loads(ctypes.string_at(found, size.value)) if found else None


def _beside(network: Network) -> tuple[dict[str, Any], list[str] | None]:
    """Settings and names that an artifact holds, or that stand beside a model."""
    model = network._source if isinstance(network, Graph) else network  # pylint: disable=protected-access
    if isinstance(model, Model):
        return _section(model, "picture") or {}, _section(model, "labels")
    path = os.path.splitext(model)[0] + ".picture.json" if isinstance(model, (str, os.PathLike)) else ""
    return (read_settings(path) if os.path.exists(path) else {}), None


class _Detector:
    """A decoder for a network's outputs."""

    def __init__(self, network: Model | Graph, height: int, width: int, options: Any) -> None:
        shapes = [(ctypes.c_int64 * max(1, len(p.shape)))(*p.shape) for p in network.outputs]
        outputs = (b.vta_detect_tensor * len(shapes))()
        for out, port, shape in zip(outputs, network.outputs, shapes):
            out.name, out.ndim, out.shape = port.name.encode(), len(port.shape), ctypes.cast(shape, ctypes.c_void_p)
            out.type.code, out.type.bits, out.type.lanes = _CODES.get(port.dtype.kind, 255), port.dtype.itemsize * 8, 1
        self.handle = ctypes.c_void_p()
        call(lib.vta_detector_create, ctypes.byref(options), height, width, outputs, len(shapes), None, DIAG,
             ctypes.byref(self.handle))
        release(self, lib.vta_detector_destroy, self.handle)

    def run(self, arrays: Sequence[NDArray[np.float32]], placed: Any) -> list[Any]:
        """The boxes of one picture."""
        data = (ctypes.c_void_p * len(arrays))(*[a.ctypes.data for a in arrays])
        found = ctypes.c_void_p()
        call(lib.vta_detector_run, self.handle, data, ctypes.byref(placed), DIAG, ctypes.byref(found))
        try:
            return [b.vta_box.from_buffer_copy(ctypes.string_at(lib.vta_boxes_get(found, i), ctypes.sizeof(b.vta_box)))
                    for i in range(lib.vta_boxes_count(found))]
        finally:
            lib.vta_boxes_destroy(found)

    def label(self, class_id: int, names: Sequence[str] | None) -> str | None:
        """The name of a class."""
        if names:
            return names[class_id] if class_id < len(names) else None
        found = lib.vta_detector_class_name(self.handle, class_id)
        return found.decode() if found else None


def _decoder(name: str | None) -> int:
    """The number of a decoder; of None the one that guesses."""
    out = ctypes.c_int(b.VTA_DECODER_GUESS)
    if name is not None:
        call(lib.vta_decoder_find, name.encode(), DIAG, ctypes.byref(out))
    return out.value


def detect(network: Network, source: Source, settings: str | os.PathLike[str] | dict[str, Any] | None = None, *,
           decoder: str | None = None, score: float | None = None, iou: float | None = None,
           labels: Sequence[str] | None = None, **how: Any) -> list[dict[str, Any]]:
    """The boxes of the things that a network finds in a picture.

    Parameters
    ----------
    network : str, Model or Graph
        A compiled network, which runs on its device; or a graph, which is computed in floats. A path: of an artifact, or of an
        ONNX or TFLite model.
    source : str, bytes or numpy.ndarray
        A PNG or JPEG file, its contents, or pixels.
    settings : str or dict, optional
        As for :func:`picture`, with ``decoder``, ``score`` and ``iou``; else what the artifact holds, or what stands beside the
        model, or what networks of the decoder take.
    decoder : str, optional
        ``"yolox"``, ``"yolov5"``, ``"yolov8"``, ``"nanodet"``, ``"fastestdet"``, ``"ssd"`` or ``"boxes"``; else it is guessed.
    score, iou : float, optional
        The least score of a box; the highest IoU of two boxes of a class.
    labels : sequence of str, optional
        Names of the classes.
    **how : object
        Single settings of pictures, as for :func:`picture`.

    Returns
    -------
    boxes : list of dict
        ``x0``, ``y0``, ``x1``, ``y1`` in pixels of the picture, ``score``, ``class``, ``label`` (None without a name); the highest
        score first.

    Examples
    --------
    >>> for box in vta.detect("yolox_nano.vta-model", "dog.jpg"):
    ...     print(box["label"], box["score"])
    """
    network = _open(network)
    said, names = _beside(network)
    words = read_settings(settings) if settings is not None else said
    names = list(labels) if labels is not None else names
    if len(network.inputs) != 1 or len(network.inputs[0].shape) != 4:
        raise ValueError(f"{network.name} is no network of one picture: {network.inputs}")
    plain = Preprocess(network.inputs[0].shape, {k: v for k, v in words.items() if k == "layout"})
    options = b.vta_detector_options(size=ctypes.sizeof(b.vta_detector_options), class_count=len(names or ()),
                                     decoder=_decoder(decoder or words.get("decoder")),
                                     score=_share("score", score, words), iou=_share("iou", iou, words))
    detector = _Detector(network, plain.height, plain.width, options)
    preset = lib.vta_decoder_preset(lib.vta_detector_decoder(detector.handle)).decode()
    if not words or ("decoder" in words and "preset" not in words):
        words = {"preset": preset, **words}
    process = Preprocess(network.inputs[0].shape, {**words, **how})
    image = open_picture(source)
    placed = b.vta_placement(size=ctypes.sizeof(b.vta_placement))
    call(lib.vta_preprocess_place, ctypes.byref(process.options), lib.vta_image_width(image), lib.vta_image_height(image),
         process.height, process.width, DIAG, ctypes.byref(placed))
    results = network(process.run(image))
    arrays = results if isinstance(results, tuple) else (results,)
    boxes = detector.run([whole(p, a) for p, a in zip(network.outputs, arrays)], placed)
    return [{"x0": f.x0, "y0": f.y0, "x1": f.x1, "y1": f.y1, "score": f.score, "class": f.class_id,
             "label": detector.label(f.class_id, names)} for f in boxes]


def _share(name: str, value: float | None, words: dict[str, Any]) -> float:
    """An option, else a setting; 0: the decoder's. A 0 that is given means everything."""
    if value is None:
        return float(words.get(name, 0))
    if not 0 <= value <= 1:
        raise ValueError(f"{name} is a number from 0 to 1, not {value!r}")
    return value or 1e-12

"""Pictures as inputs of networks: reading files, and what is done with the pixels (docs/graph.md)."""

from __future__ import annotations

import ctypes
import json
import os
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _bindings as b
from ._lib import DIAG, call, lib, release

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Union

    from numpy.typing import NDArray

    #: A file, its contents, or pixels: height x width x 3 bytes.
    Source = Union[str, os.PathLike[str], bytes, NDArray[np.uint8]]

__all__ = ["picture", "read_picture"]

_CHANNELS = 3


def open_picture(source: Source) -> Any:
    """A ``vta_image *`` that is freed with what comes back.

    Parameters
    ----------
    source : str, bytes or numpy.ndarray
    """
    out = ctypes.c_void_p()
    if isinstance(source, np.ndarray):
        if source.dtype != np.uint8 or source.ndim != 3 or source.shape[2] != _CHANNELS:
            raise ValueError(f"pixels are height x width x {_CHANNELS} of uint8, not {source.dtype}{list(source.shape)}")
        pixels = np.ascontiguousarray(source)
        call(lib.vta_image_create, pixels.shape[1], pixels.shape[0], pixels.ctypes.data, None, DIAG, ctypes.byref(out))
    elif isinstance(source, (bytes, bytearray)):
        call(lib.vta_image_decode, bytes(source), len(source), b"picture", None, DIAG, ctypes.byref(out))
    else:
        call(lib.vta_image_load, os.fsencode(source), None, DIAG, ctypes.byref(out))
    release(out, lib.vta_image_destroy, out.value)
    return out


def read_picture(source: Source) -> NDArray[np.uint8]:
    """The pixels of a PNG or JPEG picture.

    Parameters
    ----------
    source : str or bytes
        The file, or its contents.

    Returns
    -------
    pixels : numpy.ndarray
        Height x width x 3 of uint8: red, green, blue.
    """
    image = open_picture(source)
    shape = (lib.vta_image_height(image), lib.vta_image_width(image), _CHANNELS)
    held = ctypes.cast(lib.vta_image_pixels(image), ctypes.POINTER(ctypes.c_uint8))
    return np.ctypeslib.as_array(held, shape).copy()


def _three(value: Any) -> Any:
    values = [value] * _CHANNELS if np.ndim(value) == 0 else list(value)
    if len(values) != _CHANNELS:
        raise ValueError(f"expected one number, or one for each of {_CHANNELS} channels, got {value}")
    return (ctypes.c_double * _CHANNELS)(*values)


def read_settings(given: str | os.PathLike[str] | dict[str, Any] | None) -> dict[str, Any]:
    """What a file beside a model says, or a dictionary like it.

    Parameters
    ----------
    given : str or dict, optional
    """
    if given is None or isinstance(given, dict):
        return dict(given or {})
    with open(given, encoding="utf-8") as file:
        return json.load(file)


#: Settings of the answers, not of the picture.
_OF_ANSWERS = ("labels", "label_offset", "decoder", "score", "iou")
_WORDS = {"fit": {"stretch": b.VTA_FIT_STRETCH, "corner": b.VTA_FIT_CORNER, "center": b.VTA_FIT_CENTER},
          "sampling": {"triangle": b.VTA_SAMPLING_TRIANGLE, "linear": b.VTA_SAMPLING_LINEAR}}


class Preprocess:
    """What is done with pictures for an input of a network.

    Parameters
    ----------
    shape : sequence of int
        Of the input.
    words : dict
        Settings, as in the file that stands beside a model.

    Attributes
    ----------
    options : ctypes.Structure
        A ``vta_preprocess``.
    layout : str
    channels, height, width : int
    """

    def __init__(self, shape: Sequence[int], words: dict[str, Any]) -> None:
        self.options = options = b.vta_preprocess(size=ctypes.sizeof(b.vta_preprocess))
        words = dict(words)
        preset = words.pop("preset", None)
        if preset is not None:
            call(lib.vta_preprocess_preset, str(preset).encode(), DIAG, ctypes.byref(options))
        self.layout = words.pop("layout", "NHWC" if shape[-1] in (1, 3) and shape[1] not in (1, 3) else "NCHW")
        if self.layout not in ("NCHW", "NHWC") or len(shape) != 4 or shape[0] != 1:
            raise ValueError(f"a picture is an input of 1 x C x H x W or 1 x H x W x C, not {self.layout} {tuple(shape)}")
        for name, value in words.items():
            self._set(name, value)
        self.shape = tuple(shape)
        self.channels, self.height, self.width = (shape[3], shape[1], shape[2]) if self.layout == "NHWC" else shape[1:]

    def _set(self, name: str, value: Any) -> None:
        if name in _OF_ANSWERS:
            return
        if name not in ("resize", "crop", "scale", "mean", "std", "bgr", "fit", "fill", "sampling"):
            raise TypeError(f"there is no setting {name!r}: preset, resize, crop, scale, mean, std, bgr, layout, fit, fill and "
                            "sampling are known")
        if name in _WORDS:
            if value not in _WORDS[name]:
                raise ValueError(f"{name} is one of {', '.join(_WORDS[name])}, not {value!r}")
            value = _WORDS[name][value]
        setattr(self.options, name, _three(value) if name in ("mean", "std") else value)

    def run(self, image: Any) -> NDArray[np.float32]:
        """The input that a ``vta_image *`` becomes.

        Parameters
        ----------
        image : ctypes.c_void_p
        """
        out = np.empty(self.shape, np.float32)
        call(lib.vta_preprocess_run, ctypes.byref(self.options), image, self.channels, self.height, self.width,
             b.VTA_NHWC if self.layout == "NHWC" else b.VTA_NCHW, DIAG, out.ctypes.data)
        return out


def picture(source: Source, shape: Sequence[int], settings: str | os.PathLike[str] | dict[str, Any] | None = None,
            **how: Any) -> NDArray[np.float32]:
    """A picture as the input of a network.

    Parameters
    ----------
    source : str, bytes or numpy.ndarray
        A PNG or JPEG file, its contents, or pixels.
    shape : sequence of int
        Of the input: 1, channels, height, width, or with the layout ``"NHWC"`` 1, height, width, channels.
    settings : str or dict, optional
        The file that stands beside a model (``resnet18.picture.json``), or what would be in it.
    **how : object
        Single settings, which come after those: ``preset`` (as ``"imagenet"``), ``resize``, ``crop``, ``scale``, ``mean``,
        ``std``, ``bgr``, ``layout``, ``fit`` (``"stretch"``, ``"corner"``, ``"center"``), ``fill``, ``sampling``
        (``"triangle"``, ``"linear"``).

    Returns
    -------
    input : numpy.ndarray
        Of float32 and that shape.

    Examples
    --------
    >>> x = vta.picture("cat.jpg", model.inputs[0].shape, preset="imagenet")
    """
    return Preprocess(shape, {**read_settings(settings), **how}).run(open_picture(source))

"""Python functions that compiled code calls by name (:func:`vta.tir.call_packed`)."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from typing import Any

from . import _bindings as b
from ._lib import DIAG, call, lib, text
from .ndarray import NDArray, _borrow, _DLTensor

class Value(ctypes.Union):
    """An argument in the packed calling convention."""

    _fields_ = [("v_int64", ctypes.c_int64), ("v_float64", ctypes.c_double), ("v_handle", ctypes.c_void_p),
                ("v_str", ctypes.c_char_p)]


_Packed = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Value), ctypes.POINTER(ctypes.c_int), ctypes.c_int, ctypes.POINTER(Value),
                           ctypes.POINTER(ctypes.c_int), ctypes.c_void_p)

_callbacks: dict = {}  # by name: what the library may call, for ever
_raised: dict = {}  # by the words that the library passes on: errors on their way through compiled code
_lock = threading.Lock()


def _array(address):
    """The array that compiled code gives; good as long as the call lasts."""
    view = _DLTensor.from_address(address)
    shape = tuple(view.shape[i] for i in range(view.ndim))
    dense = 1
    for i in reversed(range(view.ndim)):
        if view.strides and shape[i] != 1 and view.strides[i] != dense:
            raise ValueError("a function in Python gets dense arrays only, and this buffer has strides")
        dense *= shape[i]
    return _borrow((view.data or 0) + view.byte_offset, shape, view.dtype, None)


def _argument(value, code):
    if code in (b.VTA_ARG_TENSOR, b.VTA_ARG_NDARRAY):
        return _array(value.v_handle)
    if code == b.VTA_ARG_STRING:
        return text(value.v_str)
    return {b.VTA_ARG_INT: value.v_int64, b.VTA_ARG_FLOAT: value.v_float64, b.VTA_ARG_HANDLE: value.v_handle}.get(code)


def _give(result, out, code):
    """Puts a number that the function returned where compiled code reads it; nothing else can be."""
    if isinstance(result, float):
        out[0].v_float64, code[0] = result, b.VTA_ARG_FLOAT
    elif hasattr(result, "__index__"):
        out[0].v_int64, code[0] = result.__index__(), b.VTA_ARG_INT


def _keep(name, error):
    """Words for an error that is to be raised where the kernel was called."""
    words = f"{name}: {type(error).__name__}: {error}"[:900]
    with _lock:
        _raised[words] = error
    return words


def known_to_kernels(name: str, function: Callable[..., Any]) -> None:
    """Lets compiled code call a Python function by name; one of that name before is replaced.

    Parameters
    ----------
    name : str
    function : callable
    """
    def packed(values, codes, count, out, out_code, _resource):
        args = []
        try:
            args += [_argument(values[i], codes[i]) for i in range(count)]
            _give(function(*args), out, out_code)
            return 0
        except BaseException as error:  # pylint: disable=broad-except
            lib.TVMAPISetLastError(_keep(name, error).encode())
            return -1
        finally:
            for arg in args:
                if isinstance(arg, NDArray):
                    arg._end()  # of whose memory nobody knows what becomes

    callback = _Packed(packed)
    _callbacks.setdefault(name, []).append(callback)  # of a kernel that runs now, too
    call(lib.vta_function_register, name.encode(), ctypes.cast(callback, ctypes.c_void_p), DIAG)


def raised_in(words: str) -> BaseException | None:
    """The error of a Python function that a failed call is about, None where it is about none.

    Parameters
    ----------
    words : str
        What the library says of the failure.
    """
    with _lock:
        found = next((known for known in _raised if known in words), None)
        return _raised.pop(found) if found else None

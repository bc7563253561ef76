"""Arrays in host memory and on the accelerator, exchanged with numpy without copies where memory is shared."""

from __future__ import annotations

import ctypes
import math
from typing import TYPE_CHECKING

from . import _bindings as b
from ._check import need, whole
from ._lib import DIAG, call, lib, release
from .error import Refusing
from .runtime import ensure_runtime

if TYPE_CHECKING:
    from typing import Any, Sequence

    import numpy as np
    from numpy.typing import ArrayLike

__all__ = ["Device", "NDArray", "array", "empty", "from_dlpack", "cpu", "ext_dev", "device"]

_CPU, _EXT_DEV = 1, 12
#: Devices of other stacks, which do not exist here: programs ask.
_ELSEWHERE = {"cuda": 2, "opencl": 4, "aocl": 5, "vulkan": 7, "metal": 8, "vpi": 9, "rocm": 10, "hexagon": 14, "webgpu": 15}
#: Other names of the same devices, most of them of code generators.
_ALIASES: dict[str | int, int] = {"llvm": _CPU, "stackvm": _CPU, "c": _CPU, "test": _CPU, "hybrid": _CPU, "composite": _CPU, "gpu": 2, "nvptx": 2, "cl": 4,
            "sdaccel": 4, "aocl_sw_emu": 5, "mtl": 8}
_NAMES = {_CPU: "cpu", _EXT_DEV: "ext_dev", **{number: name for name, number in _ELSEWHERE.items()}}
_CODES = {"int": 0, "uint": 1, "float": 2}


class Device(Refusing):
    """Where an array lives.

    Attributes
    ----------
    device_type : int
        1 host memory, 12 the accelerator's (DLPack's numbers); others do not exist here.
    device_id : int
    """

    MASK2STR = _NAMES
    STR2MASK = {**_ALIASES, **{name: number for number, name in _NAMES.items()}}

    def __init__(self, device_type: int, device_id: int = 0) -> None:
        self.device_type, self.device_id = device_type, device_id

    @property
    def exist(self) -> bool:
        """Whether there is such a device."""
        return self.device_id == 0 and self.device_type in (_CPU, _EXT_DEV)

    def sync(self, stream: object = None) -> None:
        """Waits for the device; runs are finished when they return, so there is nothing to wait for.

        Parameters
        ----------
        stream : object, optional
            Accepted; there is one.
        """

    def __eq__(self, other):
        return isinstance(other, Device) and (self.device_type, self.device_id) == (other.device_type, other.device_id)

    def __hash__(self):
        return hash((self.device_type, self.device_id))

    def __repr__(self):
        return f"{_NAMES[self.device_type]}({self.device_id})"


def cpu(dev_id: int = 0) -> Device:
    """Host memory.

    Parameters
    ----------
    dev_id : int, optional
    """
    return Device(_CPU, dev_id)


def ext_dev(dev_id: int = 0) -> Device:
    """The accelerator's memory, of the calling thread's runtime.

    Parameters
    ----------
    dev_id : int, optional
    """
    return Device(_EXT_DEV, dev_id)


def device(dev_type: str | int, dev_id: int = 0) -> Device:
    """A device by name or number.

    Parameters
    ----------
    dev_type : str or int
        ``"cpu"``, ``"llvm"`` or ``"ext_dev"``; of a target's text (``str(env.target)``) the first word counts. Devices of
        other stacks, such as ``"cuda"``, do not exist: their ``exist`` is False.
    dev_id : int, optional
    """
    if isinstance(dev_type, str):
        dev_type = (dev_type.split() or [""])[0]
    names: dict[str | int, int] = {**_ALIASES}
    for number, name in _NAMES.items():
        names[name] = names[number] = number
    if not isinstance(dev_type, (str, int)) or dev_type not in names:
        raise ValueError(f"no device {dev_type!r}; there are cpu and ext_dev")
    return Device(names[dev_type], dev_id)


class _DLDataType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class _DLDevice(ctypes.Structure):
    _fields_ = [("device_type", ctypes.c_int), ("device_id", ctypes.c_int)]


class _DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p), ("device", _DLDevice), ("ndim", ctypes.c_int), ("dtype", _DLDataType),
        ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class _DLManagedTensor(ctypes.Structure):
    pass


_Deleter = ctypes.CFUNCTYPE(None, ctypes.POINTER(_DLManagedTensor))
_DLManagedTensor._fields_ = [("dl_tensor", _DLTensor), ("manager_ctx", ctypes.c_void_p), ("deleter", _Deleter)]

# The bindings take every by-value structure of the headers as a ctypes class; DLPack's comes from outside them.
b.FUNCTIONS["vta_array_create"] = ("vta", ctypes.c_int, [ctypes.c_int32, ctypes.c_int32, ctypes.c_void_p, _DLDataType,
                                                         ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p])
b.FUNCTIONS["vta_array_borrow"] = ("vta", ctypes.c_int, [ctypes.c_void_p, ctypes.c_int32, ctypes.c_void_p, _DLDataType,
                                                         ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p])


def _dl_dtype(dtype):
    """DLPack's type of a type name or numpy type."""
    name = str(dtype)
    if name == "bool":
        return _DLDataType(1, 1, 1)
    kind = name.rstrip("0123456789")
    if kind not in _CODES or kind == name:
        raise TypeError(f"no array of {name}: types are int8 … int64, uint8 … uint64, float32, float64, bool")
    return _DLDataType(_CODES[kind], int(name[len(kind):]), 1)


_DL_BOOL = 6  # kDLBool: one byte each, as uint1 has here


def _dtype_name(dtype):
    kinds = {code: kind for kind, code in _CODES.items()}
    is_bool = (dtype.code, dtype.bits) in ((1, 1), (_DL_BOOL, 8))
    if not is_bool and dtype.code not in kinds:
        what = {3: "opaque handles", 4: "bfloat", 5: "complex"}.get(dtype.code, f"DLPack's type code {dtype.code}")
        raise TypeError(f"no array of {what} of {dtype.bits} bits: types are int8 to int64, uint8 to uint64, float16, "
                        "float32, float64 and bool; convert it to float32 first")
    if dtype.lanes != 1:
        raise TypeError(f"no array of vectors of {dtype.lanes} elements: view it with one more axis")
    return "bool" if is_bool else f"{kinds[dtype.code]}{dtype.bits}"


class NDArray(Refusing):
    """A dense, row-major array on a device.

    Arrays in host memory share it with numpy: ``numpy.asarray(x)``, ``numpy.from_dlpack(x)`` and ``x.buffer`` are
    views. Make arrays with :func:`array` and :func:`empty`.

    Parameters
    ----------
    handle : int
    owner : object, optional

    Attributes
    ----------
    shape : tuple of int
    dtype : str
    device : Device
    """

    def __init__(self, handle: int, owner: object | None = None) -> None:
        self.handle = handle
        release(self, lib.vta_array_free, handle, owner)
        self.tensor = lib.vta_array_tensor(handle)
        self._owner = owner  # keeps borrowed memory alive
        view = _DLTensor.from_address(self.tensor)
        self.shape = tuple(view.shape[i] for i in range(view.ndim))
        self.dtype = _dtype_name(view.dtype)
        self.device = Device(view.device.device_type, view.device.device_id)
        self.runtime = ensure_runtime() if self.device.device_type == _EXT_DEV else None

    def _end(self):
        """Has every further use of it raise: its memory was that of a call, which ends."""
        self.__class__ = _Ended

    ctx = property(lambda self: self.device, doc="The device, under its older name.")
    ndim = property(lambda self: len(self.shape), doc="Number of dimensions.")

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return lib.vta_array_bytes(self.handle)

    def numpy(self) -> np.ndarray:
        """A copy as a numpy array."""
        import numpy as np

        out = np.empty(self.shape, dtype=self.dtype)
        if out.nbytes != self.nbytes:
            raise TypeError(f"numpy has no packed {self.dtype}")
        call(lib.vta_array_read, self.handle, out.ctypes.data, out.nbytes, DIAG)
        return out

    def asnumpy(self) -> np.ndarray:
        """The same as :meth:`numpy`, under its older name."""
        return self.numpy()

    def copyfrom(self, source_array: ArrayLike) -> NDArray:
        """Copies the elements of a numpy array, or of anything it can be made from, into this one.

        Parameters
        ----------
        source_array : ArrayLike
        """
        import numpy as np

        source = np.asarray(source_array, dtype=self.dtype, order="C")  # ascontiguousarray would add a dimension to rank 0
        if source.shape != self.shape:
            raise ValueError(f"an array of shape {source.shape} does not go into one of shape {self.shape}")
        call(lib.vta_array_write, self.handle, source.ctypes.data, source.nbytes, DIAG)
        return self

    def copyto(self, target: NDArray | Device, mem_scope: str | None = None) -> NDArray:
        """Copies into another array of the same shape and type, or into a new one on a device.

        Parameters
        ----------
        target : NDArray or Device
        mem_scope : str, optional
            Accepted; there is one memory on each device.

        Returns
        -------
        target : NDArray
        """
        out = empty(self.shape, self.dtype, target) if isinstance(target, Device) else target
        if not isinstance(out, NDArray):
            return out.copyfrom(self.numpy())
        call(lib.vta_array_copy, self.handle, out.handle, DIAG)
        return out

    def same_as(self, other: object) -> bool:
        """Whether both are the same array.

        Parameters
        ----------
        other : object
        """
        return isinstance(other, NDArray) and self.handle == other.handle

    def to_dlpack(self) -> object:
        """A DLPack capsule of an array in host memory, which it shares."""
        return self.__dlpack__()

    def _host_address(self):
        view = _DLTensor.from_address(self.tensor)
        if view.device.device_type != _CPU:
            raise BufferError(f"an array on {self.device} is not in host memory: copy it with numpy()")
        return (view.data or 0) + view.byte_offset

    @property
    def __array_interface__(self):
        import numpy as np

        return {"version": 3, "shape": self.shape, "typestr": np.dtype(self.dtype).str,
                "data": (self._host_address(), False)}

    @property
    def buffer(self) -> memoryview:
        """A memoryview of an array in host memory, for whatever takes the buffer protocol."""
        import numpy as np

        return np.asarray(self).data

    def __buffer__(self, flags):
        return self.buffer

    def __dlpack__(self, stream=None):
        self._host_address()
        managed = _DLManagedTensor(_DLTensor.from_address(self.tensor), None, _release)
        key = ctypes.addressof(managed)
        _exported[key] = (managed, self)
        return _PyCapsule_New(key, b"dltensor", _capsule_gone)

    def __dlpack_device__(self):
        return self.device.device_type, self.device.device_id

    def __getitem__(self, index: Any) -> np.ndarray:
        return self.numpy()[index]

    def __setitem__(self, index, value):
        value = value.numpy() if isinstance(value, NDArray) else value
        if isinstance(index, slice) and index == slice(None) and getattr(value, "shape", None) == self.shape:
            self.copyfrom(value)
            return
        values = self.numpy()
        values[index if self.shape or index != slice(None) else ()] = value
        self.copyfrom(values)

    def __len__(self):
        return self.shape[0] if self.shape else 0

    def __repr__(self):
        return f"<vta.nd.NDArray shape={self.shape}, {self.device}>\n{self.numpy()!r}"


class _Ended(NDArray):
    """An array that was given to a function in Python, whose call has ended."""

    def _gone(self):
        raise ReferenceError("this array was good as long as the call that it was given to: keep a copy, x.numpy()")

    handle = tensor = property(_gone)  # type: ignore[assignment]

    def __repr__(self):
        return f"<vta.nd.NDArray shape={self.shape}, of a call that has ended>"


# ---- DLPack capsules ---------------------------------------------------------------------------------------------

_PyCapsule_New = ctypes.pythonapi.PyCapsule_New
_PyCapsule_New.restype = ctypes.py_object
_CapsuleDestructor = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, _CapsuleDestructor]
_PyCapsule_IsValid = ctypes.pythonapi.PyCapsule_IsValid
_PyCapsule_IsValid.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
_PyCapsule_GetPointer = ctypes.pythonapi.PyCapsule_GetPointer
_PyCapsule_GetPointer.restype = ctypes.c_void_p
_PyCapsule_GetPointer.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
_PyCapsule_SetName = ctypes.pythonapi.PyCapsule_SetName
_PyCapsule_SetName.argtypes = [ctypes.c_void_p, ctypes.c_char_p]

_exported: dict[int, object] = {}  # what capsules given out keep alive, by the address of their DLManagedTensor


def _forever(callback):
    """A C callback that may still be called when this module is gone already, at the interpreter's end: it is never
    freed, and what it uses are defaults of its parameters."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(callback))
    return callback


@_forever
@_Deleter
def _release(managed, exported=_exported, address=ctypes.addressof):
    exported.pop(address(managed.contents), None)


@_forever
@_CapsuleDestructor
def _capsule_gone(capsule, exported=_exported, is_valid=_PyCapsule_IsValid, pointer=_PyCapsule_GetPointer):
    # A consumer renames the capsule and calls the deleter itself; one that nobody consumed is released here.
    if is_valid(capsule, b"dltensor"):
        exported.pop(pointer(capsule, b"dltensor"), None)


class _Imported:
    """A consumed capsule's tensor; its deleter is called when it goes."""

    def __init__(self, managed):
        if managed.contents.deleter:
            release(self, managed.contents.deleter, managed)


def from_dlpack(source: Any) -> NDArray:
    """An array on the memory of another library's, without a copy.

    Parameters
    ----------
    source : object with ``__dlpack__``, or a DLPack capsule
        Dense and in host memory.

    Returns
    -------
    array : NDArray
    """
    capsule = source.__dlpack__() if hasattr(source, "__dlpack__") else source
    if not _PyCapsule_IsValid(id(capsule), b"dltensor"):
        used = _PyCapsule_IsValid(id(capsule), b"used_dltensor") if type(capsule).__name__ == "PyCapsule" else 0
        raise TypeError("this capsule was taken over already: ask for another one" if used else
                        f"{type(source).__name__} is no tensor of DLPack (an object with __dlpack__, as those of NumPy, "
                        "PyTorch and TVM)")
    pointer = _PyCapsule_GetPointer(id(capsule), b"dltensor")
    managed = ctypes.cast(pointer, ctypes.POINTER(_DLManagedTensor))
    view = managed.contents.dl_tensor
    if view.device.device_type != _CPU:
        raise BufferError("only tensors in host memory can be taken over")
    dtype = _DLDataType(1, 1, 1) if _dtype_name(view.dtype) == "bool" else view.dtype
    shape = [view.shape[i] for i in range(view.ndim)]
    if view.strides:
        dense = 1
        for extent, i in zip(reversed(shape), reversed(range(view.ndim))):
            if extent > 1 and view.strides[i] != dense:
                raise BufferError("only dense row-major tensors can be taken over: make a contiguous copy first")
            dense *= extent
    _PyCapsule_SetName(id(capsule), b"used_dltensor")
    owner = _Imported(managed)
    return _borrow((view.data or 0) + view.byte_offset, shape, dtype, owner)


def _borrow(address, shape, dtype, owner):
    out = ctypes.c_void_p()
    call(lib.vta_array_borrow, address, len(shape), (ctypes.c_int64 * max(1, len(shape)))(*shape), dtype, None, DIAG,
         ctypes.byref(out))
    return NDArray(out.value, owner)


def empty(shape: Sequence[int] | int, dtype: str = "float32", device: Device | None = None,
          mem_scope: str | None = None) -> NDArray:
    """A zeroed array.

    Parameters
    ----------
    shape : tuple of int
    dtype : str, optional
    device : Device, optional
        Default: host memory.
    mem_scope : str, optional
        Accepted; there is one memory on each device.

    Returns
    -------
    array : NDArray
    """
    where = device or cpu()
    if not need(where, Device, "where an array lives").exist:
        only = "arrays are on cpu(0) or ext_dev(0)" if where.device_type in _ELSEWHERE.values() else \
            f"{_NAMES[where.device_type]}(0) is the only one"
        raise ValueError(f"there is no {where}: {only}")
    extents = tuple(whole(e, "an extent of an array") for e in (shape if isinstance(shape, (tuple, list)) else (shape,)))
    if hasattr(where, "session"):
        return getattr(where, "empty")(extents, dtype)
    if where.device_type == _EXT_DEV:
        ensure_runtime()
    out = ctypes.c_void_p()
    call(lib.vta_array_create, where.device_type, len(extents),
         (ctypes.c_int64 * max(1, len(extents)))(*extents),
         _dl_dtype(dtype), None, DIAG, ctypes.byref(out))
    return NDArray(out.value or 0)


def array(arr: ArrayLike, device: Device | None = None,  # pylint: disable=redefined-outer-name
          mem_scope: str | None = None) -> NDArray:
    """An array with the elements of another.

    Parameters
    ----------
    arr : numpy.ndarray, NDArray, or what numpy makes an array from
    device : Device, optional
        Default: host memory.
    mem_scope : str, optional
        Accepted; there is one memory on each device.

    Returns
    -------
    array : NDArray
    """
    import numpy as np

    if isinstance(arr, NDArray):
        return arr.copyto(device or arr.device)
    values = np.asarray(arr)
    return empty(values.shape, str(values.dtype), device).copyfrom(values)

"""Sessions on servers: modules, functions and arrays of another process, as a rule on a board."""

from __future__ import annotations

import ctypes
import json
import os
import threading
import weakref
from typing import TYPE_CHECKING

from . import _bindings as b
from ._check import whole
from ._lib import DIAG, call, lib, take_text, utf8
from ._parts import part
from .module import Timing, _Value
from .ndarray import Device, NDArray, _dl_dtype, _DLDataType, device as local_device
from .remote_model import RemoteModel

if TYPE_CHECKING:
    from typing import Any, Callable, Sequence

    import numpy as np
    from numpy.typing import ArrayLike


__all__ = ["RemoteSession", "RemoteDevice", "RemoteArray", "RemoteFunction", "RemoteModel", "RemoteModule",
           "Tracker"]

# DLDataType comes from outside the headers that the bindings are made from (as in ndarray).
b.FUNCTIONS["vta_rpc_array"] = ("vta", ctypes.c_int, [ctypes.c_void_p, ctypes.c_int32, ctypes.c_int32, ctypes.c_void_p,
                                                      _DLDataType, ctypes.c_void_p, ctypes.c_void_p])


class RemoteDevice(Device):
    """A device of a server: where remote arrays live.

    Parameters
    ----------
    session : RemoteSession
    device_type, device_id : int
    """

    def __init__(self, session: RemoteSession, device_type: int, device_id: int = 0) -> None:
        super().__init__(device_type, device_id)
        self.session = session

    def empty(self, shape: Sequence[int], dtype: str) -> RemoteArray:
        """A zeroed array there.

        Parameters
        ----------
        shape : tuple of int
        dtype : str

        Returns
        -------
        array : RemoteArray
        """
        number = ctypes.c_uint64()
        shape = tuple(whole(e, "an extent of an array") for e in shape)
        self.session._call(lib.vta_rpc_array, self.device_type, len(shape),
                          (ctypes.c_int64 * max(1, len(shape)))(*shape), _dl_dtype(dtype), DIAG, ctypes.byref(number))
        return RemoteArray(self, number.value, tuple(shape), dtype)

    def __eq__(self, other):
        return isinstance(other, RemoteDevice) and self.session is other.session and super().__eq__(other)

    __hash__ = Device.__hash__

    def __repr__(self):
        return f"remote {super().__repr__()} on {self.session.place}"


class RemoteArray:
    """A dense, row-major array on a server; made by :func:`vta.nd.array` and :func:`vta.nd.empty` on a remote device.

    Parameters
    ----------
    device : RemoteDevice
    number : int
    shape : tuple of int
    dtype : str
    """

    def __init__(self, device: RemoteDevice, number: int, shape: tuple[int, ...], dtype: str) -> None:
        self.device, self.number, self.shape, self.dtype = device, number, shape, dtype
        weakref.finalize(self, device.session.discard, number).atexit = False

    ctx = property(lambda self: self.device, doc="The device, under its older name.")
    ndim = property(lambda self: len(self.shape), doc="Number of dimensions.")

    def numpy(self) -> np.ndarray:
        """A copy as a numpy array."""
        import numpy as np

        out = np.empty(self.shape, dtype=self.dtype)
        self.device.session._call(lib.vta_rpc_read, self.number, 0, out.ctypes.data, out.nbytes, DIAG)
        return out

    def asnumpy(self) -> np.ndarray:
        """The same as :meth:`numpy`, under its older name."""
        return self.numpy()

    def copyfrom(self, source: ArrayLike) -> RemoteArray:
        """Copies the elements of a numpy array, or of anything it can be made from, into this one.

        Parameters
        ----------
        source : ArrayLike
        """
        import numpy as np

        values = np.asarray(source, dtype=self.dtype, order="C")
        if values.shape != self.shape:
            raise ValueError(f"an array of shape {values.shape} does not go into one of shape {self.shape}")
        self.device.session._call(lib.vta_rpc_write, self.number, 0, values.ctypes.data, values.nbytes, DIAG)
        return self

    def copyto(self, target: RemoteArray | NDArray | Device) -> RemoteArray | NDArray:
        """Copies into another array of the same shape and type, or into a new one on a device.

        Parameters
        ----------
        target : RemoteArray, NDArray or Device
        """
        from .ndarray import empty

        out = empty(self.shape, self.dtype, target) if isinstance(target, Device) else target
        if isinstance(out, RemoteArray) and out.device.session is self.device.session:
            self.device.session._call(lib.vta_rpc_copy, self.number, out.number, DIAG)
            return out
        return out.copyfrom(self.numpy())

    def __getitem__(self, index):
        return self.numpy()[index]

    def __len__(self):
        return self.shape[0] if self.shape else 0

    def __repr__(self):
        return f"<vta.RemoteArray shape={self.shape}, {self.device}>\n{self.numpy()!r}"


def _arguments(session, args):
    """Values, type codes and what they keep alive."""
    values, codes, keep = (_Value * max(1, len(args)))(), (ctypes.c_int * max(1, len(args)))(), []
    for i, a in enumerate(args):
        if isinstance(a, RemoteArray):
            if a.device.session is not session:
                raise ValueError(f"argument {i} is an array of another session")
            values[i].v_int64, codes[i] = a.number, b.VTA_ARG_TENSOR
        elif isinstance(a, (bool, int)):
            values[i].v_int64, codes[i] = int(a), b.VTA_ARG_INT
        elif isinstance(a, float):
            values[i].v_float64, codes[i] = a, b.VTA_ARG_FLOAT
        elif isinstance(a, str):
            keep.append(a.encode())
            values[i].v_str, codes[i] = keep[-1], b.VTA_ARG_STRING
        elif a is None:
            codes[i] = b.VTA_ARG_NULL
        else:
            raise TypeError(f"argument {i}: a remote function takes arrays of its session and numbers, not "
                            f"{type(a).__name__}; make the array with vta.nd.array(values, remote.ext_dev(0))")
    return values, codes, keep


class RemoteFunction:
    """A function on a server; call it with remote arrays and numbers.

    Parameters
    ----------
    module : RemoteModule
    number : int
    name : str
    """

    def __init__(self, module: RemoteModule, number: int, name: str) -> None:
        self.name, self._module, self._number = name, module, number

    def __call__(self, *args: RemoteArray | int | float | str | None) -> int | float | None:
        session = self._module.session
        values, codes, _keep = _arguments(session, args)
        out, out_code = _Value(), ctypes.c_int()
        session._call(lib.vta_rpc_call, self._number, ctypes.byref(values), ctypes.byref(codes), len(args), DIAG,
                     ctypes.byref(out), ctypes.byref(out_code))
        return {b.VTA_ARG_INT: out.v_int64, b.VTA_ARG_FLOAT: out.v_float64}.get(out_code.value)

    def time(self, *args: RemoteArray | int | float, number: int = 10, repeat: int = 3,
             min_repeat_ms: int = 0) -> list[float]:
        """Seconds of a call, measured by the server.

        Parameters
        ----------
        args : RemoteArray
        number : int, optional
            Calls a round.
        repeat : int, optional
            Rounds.
        min_repeat_ms : int, optional
            Rounds that are shorter get more calls.

        Returns
        -------
        seconds : list of float
            The mean of each round.
        """
        session = self._module.session
        values, codes, _keep = _arguments(session, args)
        out = (ctypes.c_double * max(1, repeat))()
        session._call(lib.vta_rpc_time, self._number, ctypes.byref(values), ctypes.byref(codes), len(args), number,
                     repeat, min_repeat_ms, DIAG, out)
        return list(out)[:repeat]

    def __repr__(self):
        return f"<vta.RemoteFunction {self.name}>"


class RemoteModule:
    """Compiled functions, loaded by a server.

    Calling the module calls its only (or first) function.

    Parameters
    ----------
    session : RemoteSession
    number : int
    names : list of str
    """

    def __init__(self, session: RemoteSession, number: int, names: list[str]) -> None:
        self.session, self.function_names = session, names
        self._number = number
        self._functions: dict[str, RemoteFunction] = {}
        weakref.finalize(self, session.discard, number).atexit = False

    def get_function(self, name: str, query_imports: bool = False) -> RemoteFunction:
        """A function by name.

        Parameters
        ----------
        name : str
        query_imports : bool, optional
            Accepted; modules have no imports.
        """
        if name not in self._functions:
            number = ctypes.c_uint64()
            self.session._call(lib.vta_rpc_function, self._number, utf8(name), DIAG, ctypes.byref(number), None)
            self._functions[name] = RemoteFunction(self, number.value, name)
        return self._functions[name]

    def __getitem__(self, name: str) -> RemoteFunction:
        return self.get_function(name)

    @property
    def entry_func(self) -> RemoteFunction:
        """The function that calling the module calls."""
        return self.get_function(self.function_names[0] if self.function_names else "__tvm_main__")

    entry_name = property(lambda self: self.entry_func.name, doc="Name of :attr:`entry_func`.")

    def __call__(self, *args: RemoteArray | int | float) -> int | float | None:
        return self.entry_func(*args)

    def time_evaluator(self, func_name: str, dev: Device, number: int = 10, repeat: int = 1, min_repeat_ms: int = 0,
                       f_preproc: str = "") -> Callable[..., Timing]:
        """A function that times calls of `func_name` on the server.

        Parameters
        ----------
        func_name : str
        dev : Device
        number, repeat, min_repeat_ms : int, optional
        f_preproc : str, optional
            Accepted, without effect.
        """
        function = self.get_function(func_name)
        return lambda *args: Timing(function.time(*args, number=number, repeat=repeat, min_repeat_ms=min_repeat_ms))


class RemoteSession:
    """A session on a server; see :func:`vta.rpc.connect`.

    Parameters
    ----------
    host : str
    port : int
    key_file : str, optional
    timeout : float, optional
        Seconds for connecting, and for a connection on which nothing moves.
    session_timeout : float, optional
        Seconds that one answer may take; 0: as long as the server lets a call run.
    options : object
        Of ``vta_rpc_options`` in C.
    """

    def __init__(self, host: str, port: int, key_file: str | os.PathLike | None = None, timeout: float = 30,
                 session_timeout: float = 0, **options: object) -> None:
        given = b.vta_rpc_options(key_file=utf8(os.fspath(key_file)) if key_file else None,
                                  timeout_ms=int(timeout * 1000), answer_ms=int(session_timeout * 1000), **options)
        out = ctypes.c_void_p()
        self.place = f"{host}:{port}"
        self._lock = threading.RLock()
        self._discarded: list[int] = []
        self._networks: set[str] = set()
        self._handle = None
        call(lib.vta_rpc_connect, utf8(host), port, ctypes.byref(given), None, DIAG, ctypes.byref(out))
        self._handle = out.value
        weakref.finalize(self, lib.vta_rpc_close, self._handle).atexit = True

    machine = property(lambda self: lib.vta_rpc_machine(self._handle).decode(), doc="The server's processor.")
    library = property(lambda self: lib.vta_rpc_library(self._handle).decode(), doc="Version of the server's library.")

    def _call(self, function, *args):
        """Calls a C function on this session, after freeing what Python has discarded."""
        with self._lock:
            while self._discarded:
                lib.vta_rpc_free(self._handle, self._discarded.pop(), None)
            call(function, self._handle, *args)

    def discard(self, number: int) -> None:
        """Frees an array or a module with the next call: Python may be done with it at any moment.

        Parameters
        ----------
        number : int
        """
        self._discarded.append(number)

    def _text(self, function, *args):
        out = ctypes.c_void_p()
        self._call(function, *args, DIAG, ctypes.byref(out))
        return take_text(out.value)

    # ---- Files and modules

    def upload(self, data: str | bytes | os.PathLike, target: str | None = None) -> None:
        """Sends a file.

        Parameters
        ----------
        data : str or bytes
            Path of a file, or its contents.
        target : str, optional
            Its name in the session; default the file's own.
        """
        if isinstance(data, (bytes, bytearray)):
            if not target:
                raise ValueError("uploading bytes needs a name: upload(data, target=...)")
            contents = bytes(data)
        else:
            with open(data, "rb") as file:
                contents = file.read()
        name = target or os.path.basename(os.fspath(data))
        self._call(lib.vta_rpc_upload, utf8(name), contents, len(contents), DIAG)
        is_network = contents.startswith(b"\x8dVTM\r\n\x1a\n")
        (self._networks.add if is_network else self._networks.discard)(str(name))

    def download(self, path: str | os.PathLike) -> bytes:
        """The contents of a file of the session.

        Parameters
        ----------
        path : str
        """
        out, size = ctypes.c_void_p(), ctypes.c_size_t()
        self._call(lib.vta_rpc_download, utf8(os.fspath(path)), DIAG, ctypes.byref(out), ctypes.byref(size))
        try:
            return ctypes.string_at(out.value or 0, size.value)
        finally:
            lib.vta_string_free(out.value)

    def remove(self, path: str | os.PathLike) -> None:
        """Removes a file of the session.

        Parameters
        ----------
        path : str
        """
        self._call(lib.vta_rpc_remove, utf8(os.fspath(path)), DIAG)

    def load_module(self, path: str | os.PathLike) -> Any:
        """Loads an uploaded kernel on the server, or a compiled network that this session uploaded.

        Parameters
        ----------
        path : str
            The name it was uploaded as.

        Returns
        -------
        module : RemoteModule or vta.contrib.graph_executor.RemoteLibrary
        """
        if os.fspath(path) in self._networks:
            return part("contrib.graph_executor").RemoteLibrary(self, os.fspath(path))
        number, names = ctypes.c_uint64(), ctypes.c_void_p()
        self._call(lib.vta_rpc_load_module, utf8(os.fspath(path)), DIAG, ctypes.byref(number), ctypes.byref(names))
        return RemoteModule(self, number.value, take_text(names.value).split())

    def load_model(self, path: str | os.PathLike[str]) -> RemoteModel:
        """Loads an uploaded network (docs/models.md) onto a device of the server.

        Parameters
        ----------
        path : str
            The name it was uploaded as.

        Returns
        -------
        model : RemoteModel

        Examples
        --------
        >>> remote.upload("resnet18.vta-model")
        >>> scores = remote.load_model("resnet18.vta-model")(picture)
        """
        return RemoteModel(self, os.fspath(path))

    # ---- The machine

    def device(self, dev_type: str | int, dev_id: int = 0) -> RemoteDevice:
        """A device of the server by name or number.

        Parameters
        ----------
        dev_type : str or int
        dev_id : int, optional
        """
        there = local_device(dev_type)
        if not there.exist:
            raise ValueError(f"a server has no {there}: its devices are cpu(0) and ext_dev(0)")
        return RemoteDevice(self, there.device_type, dev_id)

    def cpu(self, dev_id: int = 0) -> RemoteDevice:
        """Memory of the server's processor.

        Parameters
        ----------
        dev_id : int, optional
        """
        return self.device("cpu", dev_id)

    def ext_dev(self, dev_id: int = 0) -> RemoteDevice:
        """Memory of the server's accelerator.

        Parameters
        ----------
        dev_id : int, optional
        """
        return self.device("ext_dev", dev_id)

    context = device

    def statistics(self) -> dict[str, int]:
        """The counters of the session's runtime, as ``simulator.all_stats``."""
        return json.loads(self._text(lib.vta_rpc_statistics))

    def clear_statistics(self) -> None:
        """Sets all counters to 0."""
        self._call(lib.vta_rpc_clear_statistics, DIAG)

    def configure(self, config: str) -> None:
        """Gives the session a runtime of this configuration; arrays on ``ext_dev`` are lost.

        Parameters
        ----------
        config : str
            The text of a ``vta_config.json``.
        """
        self._call(lib.vta_rpc_configure, utf8(config), DIAG)

    def program_fpga(self, bitstream: str | os.PathLike | None = None) -> None:
        """Programs the server's FPGA.

        Parameters
        ----------
        bitstream : str, optional
            A file here, which is sent; default: the configuration's, of the server's folder.
        """
        if bitstream is not None:
            self.upload(bitstream)
        self._call(lib.vta_rpc_program, utf8(os.path.basename(bitstream)) if bitstream is not None else None, DIAG)

    def sessions(self) -> dict:
        """What the server's sessions do."""
        return json.loads(self._text(lib.vta_rpc_sessions))

    def get_function(self, name: str) -> Callable:
        """A function of the server by the name under which TVM knows it.

        Parameters
        ----------
        name : str
            ``"vta.simulator.profiler_status"``, ``"vta.simulator.profiler_clear"``,
            ``"tvm.contrib.vta.init"``, ``"device_api.ext_dev"``, …
        """
        table: dict[str, Callable] = {
            "vta.simulator.profiler_clear": self.clear_statistics,
            "vta.simulator.profiler_status": lambda: self._text(lib.vta_rpc_statistics),
            "vta.tsim.profiler_clear": self.clear_statistics,
            "vta.tsim.profiler_status": lambda: self._text(lib.vta_rpc_statistics),
            "tvm.contrib.vta.init": lambda name: self._call(lib.vta_rpc_program, utf8(name), DIAG),
            "tvm.contrib.vta.reconfig_runtime": self.configure,
            "device_api.ext_dev": lambda: 0,
        }
        if name not in table:
            raise ValueError(f"Cannot find global function {name} on {self.place}")
        return table[name]

    def __repr__(self):
        return f"<vta.rpc.RemoteSession {self.place}>"


class Tracker:
    """A tracker, which hands out servers by their keys; see :func:`vta.rpc.connect_tracker`.

    Parameters
    ----------
    host : str
    port : int
    key_file : str, optional
    """

    def __init__(self, host: str, port: int, key_file: str | os.PathLike | None = None) -> None:
        self.place, self._key_file = f"{host}:{port}", key_file

    def request(self, key: str, priority: int = 1, session_timeout: int = 0, max_retry: int = 5,
                session_constructor_args: object = None) -> RemoteSession:
        """A session on a server of that key, which is ours until the session ends.

        Parameters
        ----------
        key : str
        priority : int, optional
            Larger ones are served first.
        session_timeout : int, optional
            Seconds for which the server is ours; 0: the tracker's most.
        max_retry : int, optional
            How long to wait for a free server: 60 seconds each.
        session_constructor_args : object, optional
            Accepted, without effect.
        """
        return RemoteSession(self.place.rpartition(":")[0], 0, self._key_file, tracker=utf8(self.place), key=utf8(key),
                             priority=priority, lease_seconds=session_timeout, wait_ms=max_retry * 60000)

    def summary(self) -> dict:
        """Servers, leases and waiting requests."""
        given = b.vta_rpc_options(key_file=utf8(os.fspath(self._key_file)) if self._key_file else None)
        host, _, port = self.place.rpartition(":")
        out = ctypes.c_void_p()
        call(lib.vta_rpc_tracker_summary, utf8(host), int(port), ctypes.byref(given), DIAG, ctypes.byref(out))
        return json.loads(take_text(out.value))

    def text_summary(self) -> str:
        """The same as text."""
        return json.dumps(self.summary(), indent=2)

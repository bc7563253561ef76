"""Sessions: where compiled kernels are sent to and run."""

from __future__ import annotations

import json
import os
import shutil
import sys
from typing import TYPE_CHECKING

from . import ndarray
from ._parts import part
from ._temporary import tempdir
from .environment import Config, Environment, get_env
from .remote import RemoteSession, Tracker
from .runtime import ensure_runtime

if TYPE_CHECKING:
    from typing import Any, Callable

    from .model import Model
    from .module import Module
    from .ndarray import Device

__all__ = ["LocalSession", "RemoteSession", "Tracker", "connect", "connect_tracker", "reconfig_runtime", "program_fpga"]


def _say(message, *args):
    """One line with a time stamp on standard error, unless the program set up logging of its own."""
    import logging  # a tenth of this package's import time

    log = logging.getLogger("vta.rpc")
    if not log.handlers and not logging.getLogger().handlers:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(logging.Formatter("%(asctime)s.%(msecs)03d %(levelname)s %(message)s",
                                               datefmt="%Y-%m-%d %H:%M:%S"))
        log.addHandler(handler)
        log.setLevel(logging.INFO)
        log.propagate = False
    log.info(message, *args)


class LocalSession:
    """A session in this process, with a folder of its own for uploads."""

    def __init__(self) -> None:
        self._temp = tempdir()

    def upload(self, data: str | bytes, target: str | None = None) -> None:
        """Takes a file over.

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
            with open(self._temp.relpath(target), "wb") as file:
                file.write(data)
            return
        shutil.copyfile(data, self._temp.relpath(target or os.path.basename(data)))

    def download(self, path: str | os.PathLike) -> bytes:
        """The contents of an uploaded file as bytes.

        Parameters
        ----------
        path : str | os.PathLike
        """
        with open(self._temp.relpath(path), "rb") as file:
            return file.read()

    def remove(self, path: str | os.PathLike) -> None:
        """Removes an uploaded file.

        Parameters
        ----------
        path : str | os.PathLike
        """
        os.remove(self._temp.relpath(path))

    def load_module(self, path: str | os.PathLike) -> Any:
        """Loads an uploaded kernel, or compiled network.

        Parameters
        ----------
        path : str
            The name it was uploaded as.

        Returns
        -------
        module : vta.Module or vta.contrib.graph_executor.Library
        """
        from .model import is_artifact
        from .module import load_module

        full = self._temp.relpath(path)
        if not os.path.exists(full):
            raise FileNotFoundError(f"{path!r} was not uploaded to this session; there are {self._temp.listdir()}")
        _say("load_module %s", full)
        return part("contrib.graph_executor").Library.load(full) if is_artifact(full) else load_module(full)

    def load_model(self, path: str | os.PathLike) -> Model:
        """Loads an uploaded network (docs/models.md).

        Parameters
        ----------
        path : str
            The name it was uploaded as.

        Returns
        -------
        model : vta.Model
        """
        from .model import load_model

        return load_model(self._temp.relpath(path))

    def get_function(self, name: str) -> Callable:
        """A function of the runtime by name; see :func:`vta.get_global_func`."""
        from .registry import get_global_func

        return get_global_func(name)

    def device(self, dev_type: str | int, dev_id: int = 0) -> Device:
        """A device by name or number.

        Parameters
        ----------
        dev_type : str | int
        dev_id : int, optional
        """
        return ndarray.device(dev_type, dev_id)

    def cpu(self, dev_id: int = 0) -> Device:
        """Host memory.

        Parameters
        ----------
        dev_id : int, optional
        """
        return ndarray.cpu(dev_id)

    def ext_dev(self, dev_id: int = 0) -> Device:
        """The accelerator's memory.

        Parameters
        ----------
        dev_id : int, optional
        """
        return ndarray.ext_dev(dev_id)

    context = device


def connect(url: str, port: int = 9091, key: str = "", session_timeout: float = 0, session_constructor_args: object = None,
            enable_logging: bool = False, *, key_file: str | os.PathLike | None = None,
            timeout: float = 30) -> RemoteSession:
    """Opens a session on a server (``vta rpc-server``).

    Parameters
    ----------
    url : str
        Its host.
    port : int, optional
    key : str, optional
        Accepted, without effect: sessions are not asked for their server's kind.
    session_timeout : float, optional
        Seconds that one answer may take; 0: as long as the server lets a call run.
    session_constructor_args, enable_logging : object, optional
        Accepted, without effect.
    key_file : str, optional
        The server's key, where it has one (``vta rpc new-key``).
    timeout : float, optional
        Seconds for connecting, and for a connection on which nothing moves.

    Returns
    -------
    remote : RemoteSession
    """
    return RemoteSession(url, int(port), key_file, timeout, session_timeout)


def connect_tracker(url: str, port: int = 9190, *, key_file: str | os.PathLike | None = None) -> Tracker:
    """A tracker (``vta rpc-tracker``), which hands out servers.

    Parameters
    ----------
    url : str
        Its host.
    port : int, optional
    key_file : str, optional

    Returns
    -------
    tracker : Tracker
    """
    return Tracker(url, int(port), key_file)


def reconfig_runtime(remote: LocalSession | RemoteSession, config: dict | Environment | None = None) -> None:
    """Gives a session's runtime a hardware configuration.

    Parameters
    ----------
    remote : LocalSession or RemoteSession
    config : dict or Environment, optional
        Becomes the current environment; default: the environment as it is.
    """
    if config is not None:
        Environment.current = config if isinstance(config, Environment) else Environment(Config.from_dict(config))
    if isinstance(remote, RemoteSession):
        remote.configure(json.dumps(get_env().cfg_dict))
    else:
        ensure_runtime()


def program_fpga(remote: LocalSession | RemoteSession, bitstream: str | os.PathLike | None = None) -> None:
    """Loads a bitstream into a board's FPGA; simulators have none, so for them there is nothing to do.

    Parameters
    ----------
    remote : LocalSession or RemoteSession
    bitstream : str, optional
        A file; default: the configuration's, of the server's folder of bitstreams.
    """
    if isinstance(remote, RemoteSession):
        remote.program_fpga(bitstream)

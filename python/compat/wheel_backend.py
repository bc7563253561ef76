"""Builds the wheel and the source archive of the distribution vta-tvm, as ../wheel_backend.py does those of vta."""

from __future__ import annotations

import importlib.util
import os

_HERE = os.path.dirname(os.path.abspath(__file__))


def _distributions():
    """The backend of vta: in the checkout in the folder above, in a source archive beside this file."""
    inside = os.path.join(_HERE, "distributions.py")
    path = inside if os.path.exists(inside) else os.path.join(_HERE, "..", "wheel_backend.py")
    spec = importlib.util.spec_from_file_location("distributions", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


_VTA_TVM = _distributions().Distribution(
    "vta-tvm", _HERE, {"vta_tvm": "vta_tvm", os.path.join("vta_tvm", "compat", "tvm"): "tvm"}, ["vta=={version}"],
    "What programs written for TVM's VTA use besides the package vta")


def build_wheel(wheel_directory: str, config_settings: object = None, metadata_directory: object = None) -> str:
    """Writes the wheel of vta-tvm; returns its file name."""
    return _VTA_TVM.wheel(wheel_directory)


def build_sdist(sdist_directory: str, config_settings: object = None) -> str:
    """Writes the source archive of vta-tvm; returns its file name."""
    return _VTA_TVM.sdist(sdist_directory)


def modules_into(folder: str) -> None:
    """Copies the packages of vta-tvm and their METADATA into a folder."""
    _VTA_TVM.modules_into(folder)

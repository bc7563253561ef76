"""Builds the wheel: the Python files, and from the build folder the modules made there and the shared libraries.

A PEP 517 backend of its own, so that installing needs nothing from outside. Build the libraries first (`make`)."""

import base64
import hashlib
import os
import re
import sysconfig
import zipfile

_HERE = os.path.dirname(os.path.abspath(__file__))
_BUILD = os.environ.get("VTA_LIBRARY_PATH", os.path.join(_HERE, "..", "build"))
_LIBRARIES = ("libvta.so", "libvtac.so")
_MADE = tuple(f"python/vta/{name}.py" for name in ("_bindings", "_elementwise", "_math", "_opcodes"))


def _version():
    with open(os.path.join(_HERE, "..", "CMakeLists.txt"), encoding="utf-8") as file:
        return re.search(r"project\(vta VERSION ([0-9.]+)", file.read()).group(1)


def _files():
    """(path in the wheel, path here) of everything that belongs in it."""
    for top, inside in (("vta", "vta"), (os.path.join("compat", "tvm"), os.path.join("vta", "compat", "tvm"))):
        for folder, _, names in sorted(os.walk(os.path.join(_HERE, top))):
            for name in sorted(names):
                if name.endswith((".py", ".pyi", ".typed")):
                    relative = os.path.relpath(os.path.join(folder, name), os.path.join(_HERE, top))
                    yield os.path.join(inside, relative), os.path.join(folder, name)
    for name in _LIBRARIES + _MADE:
        path = os.path.join(_BUILD, name)
        if not os.path.exists(path):
            raise SystemExit(f"{path} is missing: build the libraries first with `make`, or name their folder in "
                             "VTA_LIBRARY_PATH")
        yield os.path.join("vta", os.path.basename(name)), path


def _metadata(version):
    return (f"Metadata-Version: 2.1\nName: vta\nVersion: {version}\n"
            "Summary: The stack of VTA, the Versatile Tensor Accelerator, from Python\n"
            "License: Apache-2.0\nRequires-Python: >=3.9\nRequires-Dist: numpy\n")


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Writes the wheel; returns its file name."""
    version = _version()
    tag = "py3-none-" + sysconfig.get_platform().replace("-", "_").replace(".", "_")
    info = f"vta-{version}.dist-info"
    name = f"vta-{version}-{tag}.whl"
    record = []
    with zipfile.ZipFile(os.path.join(wheel_directory, name), "w", zipfile.ZIP_DEFLATED) as wheel:

        def add(path, data):
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{path},sha256={digest},{len(data)}")
            wheel.writestr(path, data)

        for path, source in _files():
            with open(source, "rb") as file:
                add(path, file.read())
        add(f"{info}/METADATA", _metadata(version).encode())
        add(f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: vta\nRoot-Is-Purelib: false\nTag: {tag}\n".encode())
        record.append(f"{info}/RECORD,,")
        wheel.writestr(f"{info}/RECORD", "\n".join(record) + "\n")
    return name


def build_sdist(sdist_directory, config_settings=None):
    """Not offered: the libraries' sources are the repository."""
    raise SystemExit("there is no source distribution of the Python part alone: install from the repository")

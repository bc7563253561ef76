"""Builds wheels and source archives of the two Python distributions: ``vta``, with the modules that the build makes and the shared
libraries, and ``vta-tvm`` (compat/wheel_backend.py).

A PEP 517 backend of its own, so that installing needs nothing from outside. Build the libraries first (`make`)."""

import base64
import hashlib
import io
import os
import re
import sysconfig
import tarfile
import zipfile

_HERE = os.path.dirname(os.path.abspath(__file__))
_BUILD = os.environ.get("VTA_LIBRARY_PATH", os.path.join(_HERE, "..", "build"))
_LIBRARIES = ("libvta.so", "libvtac.so")
_MADE = tuple(f"{name}.py" for name in ("_bindings", "_elementwise", "_math", "_opcodes"))


def _version(folder):
    """The project's: of a source archive in its PKG-INFO, in the checkout in CMakeLists.txt."""
    info = os.path.join(folder, "PKG-INFO")
    path, pattern = (info, r"(?m)^Version: (.+)$") if os.path.exists(info) else (
        os.path.join(_HERE, "..", "CMakeLists.txt"), r"project\(vta VERSION ([0-9.]+)")
    with open(path, encoding="utf-8") as file:
        return re.search(pattern, file.read()).group(1)


def _sources(top):
    """Path below `top`, and path here, of every Python file."""
    for folder, _, names in sorted(os.walk(top)):
        for name in sorted(names):
            if name.endswith((".py", ".pyi", ".typed")):
                yield os.path.relpath(os.path.join(folder, name), top), os.path.join(folder, name)


def _built(name):
    path = os.path.join(_BUILD, name)
    if not os.path.exists(path):
        raise SystemExit(f"{path} is missing: build the libraries first with `make`, or name their folder in VTA_LIBRARY_PATH")
    return path


class Distribution:
    """What goes into a wheel and a source archive.

    Parameters
    ----------
    name : str
    folder : str
        Where its pyproject.toml is.
    packages : dict of str to str
        Folder in the wheel -> folder below `folder`.
    requires : list of str
        What it needs, with ``{version}`` for the version of both.
    summary : str
    """

    def __init__(self, name, folder, packages, requires, summary):
        self.name, self.folder, self.packages, self.requires, self.summary = name, folder, packages, requires, summary

    def files(self):
        """(path in the wheel, path here) of everything but what was built."""
        for inside, top in self.packages.items():
            for relative, path in _sources(os.path.join(self.folder, top)):
                yield os.path.join(inside, relative), path

    def built(self, libraries):
        """(path in the package, path here) of what the build makes: none, but of vta."""
        if self.name == "vta":
            for name in _MADE:
                if not os.path.exists(os.path.join(self.folder, "vta", name)):  # a source archive has them
                    yield os.path.join("vta", name), _built(os.path.join("python", "vta", name))
            for name in _LIBRARIES if libraries else ():
                yield os.path.join("vta", name), _built(name)

    def metadata(self, version):
        """The text of METADATA and PKG-INFO."""
        requires = "".join(f"Requires-Dist: {r.format(version=version)}\n" for r in self.requires)
        return (f"Metadata-Version: 2.1\nName: {self.name}\nVersion: {version}\nSummary: {self.summary}\nLicense: Apache-2.0\n"
                f"Requires-Python: >=3.9\n{requires}")

    def wheel(self, folder):
        """Writes the wheel; returns its file name."""
        version = _version(self.folder)
        pure = self.name != "vta"
        tag = "py3-none-" + ("any" if pure else re.sub("[-.]", "_", sysconfig.get_platform()))
        stem = f"{self.name.replace('-', '_')}-{version}"
        record = []
        with zipfile.ZipFile(os.path.join(folder, f"{stem}-{tag}.whl"), "w", zipfile.ZIP_DEFLATED) as wheel:

            def add(path, data):
                digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
                record.append(f"{path},sha256={digest},{len(data)}")
                wheel.writestr(path, data)

            for path, source in [*self.files(), *self.built(libraries=True)]:
                with open(source, "rb") as file:
                    add(path, file.read())
            add(f"{stem}.dist-info/METADATA", self.metadata(version).encode())
            add(f"{stem}.dist-info/WHEEL", f"Wheel-Version: 1.0\nGenerator: vta\nRoot-Is-Purelib: {str(pure).lower()}\nTag: {tag}\n".encode())
            record.append(f"{stem}.dist-info/RECORD,,")
            wheel.writestr(f"{stem}.dist-info/RECORD", "\n".join(record) + "\n")
        return f"{stem}-{tag}.whl"

    def sdist(self, folder):
        """Writes the source archive, without the libraries: a wheel is made of it where VTA_LIBRARY_PATH names them. Its name."""
        version = _version(self.folder)
        stem = f"{self.name.replace('-', '_')}-{version}"
        backend = os.path.join(_HERE, "wheel_backend.py")
        files = [(os.path.relpath(path, self.folder), path) for _, path in self.files()] + list(self.built(libraries=False))
        files += [(n, os.path.join(self.folder, n)) for n in ("pyproject.toml", "wheel_backend.py")]
        files += [("distributions.py", backend)] if self.folder != _HERE else []
        with tarfile.open(os.path.join(folder, f"{stem}.tar.gz"), "w:gz", format=tarfile.PAX_FORMAT) as archive:
            for path, source in files:
                archive.add(source, f"{stem}/{path}")
            info = tarfile.TarInfo(f"{stem}/PKG-INFO")
            text = self.metadata(version).encode()
            info.size = len(text)
            archive.addfile(info, io.BytesIO(text))
        return f"{stem}.tar.gz"


_VTA = Distribution("vta", _HERE, {"vta": "vta"}, ["numpy"], "The stack of VTA, the Versatile Tensor Accelerator, from Python")


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Writes the wheel of vta; returns its file name."""
    return _VTA.wheel(wheel_directory)


def build_sdist(sdist_directory, config_settings=None):
    """Writes the source archive of vta; returns its file name."""
    return _VTA.sdist(sdist_directory)

"""Builds wheels and source archives of the two Python distributions: ``vta``, with the modules that the build makes, the shared
libraries and the tool, and ``vta-tvm`` (compat/wheel_backend.py).

A PEP 517 backend without requirements, so that installing needs nothing from outside. Build the libraries first (`make`, or
`make wheel`, which links into them what they need). The same files give the same bytes."""

import base64
import calendar
import gzip
import hashlib
import io
import os
import re
import shutil
import stat
import tarfile
import time
import zipfile

_HERE = os.path.dirname(os.path.abspath(__file__))
_BUILD = os.environ.get("VTA_LIBRARY_PATH", os.path.join(_HERE, "..", "build"))
_LIBRARIES = ("libvta.so", "libvtac.so")
#: The tool, and what its server starts: absent where remote execution is left out.
_PROGRAMS = ("vta", "vta-session")
#: Made by the tool: its name in the build, and where an installation has it.
_SHARE = {"vta.1": "man/man1", "vta": "bash-completion/completions", "_vta": "zsh/site-functions",
          "vta.fish": "fish/vendor_completions.d"}
_EXECUTABLE = frozenset(f"vta/{name}" for name in _PROGRAMS)
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


def _below(folder):
    """The files of a folder of the build, none where there is no such folder."""
    top = os.path.join(_BUILD, folder)
    return [os.path.join(top, name) for name in sorted(os.listdir(top))] if os.path.isdir(top) else []


def _licenses():
    """The project's license, and those of the libraries that are linked in or go along (cmake/static.cmake)."""
    own = os.path.join(_HERE, "..", "LICENSE")
    return ([own] if os.path.exists(own) else []) + _below("licenses")


def _natives():
    """(path in the wheel, path here) of the libraries and programs."""
    for name in _LIBRARIES:
        yield f"vta/{name}.{_version(_HERE).split('.', maxsplit=1)[0]}", _built(name)
    for name in _PROGRAMS:
        if os.path.exists(os.path.join(_BUILD, name)):
            yield f"vta/{name}", _built(name)
    for path in _below("carried"):  # libraries of others that ours need, cmake/static.cmake
        yield f"vta/{os.path.basename(path)}", path


def _date():
    """The time of every file in what is written: SOURCE_DATE_EPOCH's, else the earliest that a zip archive can have."""
    return time.gmtime(max(int(os.environ.get("SOURCE_DATE_EPOCH", 0)), calendar.timegm((1980, 1, 1, 0, 0, 0))))


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
    modules : list of str, optional
        Modules outside of packages.
    """

    def __init__(self, name, folder, packages, requires, summary, modules=()):
        self.name, self.folder, self.packages, self.requires, self.summary = name, folder, packages, requires, summary
        self.modules = modules

    def files(self):
        """(path in the wheel, path here) of everything but what was built."""
        for inside, top in self.packages.items():
            for relative, path in _sources(os.path.join(self.folder, top)):
                yield os.path.join(inside, relative), path
        for name in self.modules:
            yield name, os.path.join(self.folder, name)

    def built(self, natives):
        """(path in the wheel, path here) of what the build makes for vta: Python modules, and `natives`, the rest."""
        if self.name == "vta":
            for name in _MADE:
                if not os.path.exists(os.path.join(self.folder, "vta", name)):  # a source archive has them
                    yield os.path.join("vta", name), _built(os.path.join("python", "vta", name))
            yield from _natives() if natives else ()

    def modules_into(self, folder):
        """Copies packages and METADATA into a folder, for a package of a distribution that has libraries and tool elsewhere."""
        version = _version(self.folder)
        info = os.path.join(folder, f"{self.name.replace('-', '_')}-{version}.dist-info")
        os.makedirs(info, exist_ok=True)
        for inside, source in [*self.files(), *self.built(natives=False)]:
            if inside not in self.modules:
                os.makedirs(os.path.dirname(os.path.join(folder, inside)), exist_ok=True)
                shutil.copyfile(source, os.path.join(folder, inside))
        with open(os.path.join(info, "METADATA"), "w", encoding="utf-8") as file:
            file.write(self.metadata(version))

    def shared(self, stem):
        """(path in the wheel, path here) of the tool's manual page and completions, where the tool could make them."""
        for name, folder in _SHARE.items() if self.name == "vta" else ():
            path = os.path.join(_BUILD, "cli", "generated", name)
            if os.path.exists(path):
                yield f"{stem}.data/data/share/{folder}/{name}", path

    def metadata(self, version):
        """The text of METADATA and PKG-INFO."""
        requires = "".join(f"Requires-Dist: {r.format(version=version)}\n" for r in self.requires)
        return (f"Metadata-Version: 2.1\nName: {self.name}\nVersion: {version}\nSummary: {self.summary}\nLicense: Apache-2.0\n"
                f"Requires-Python: >=3.9\n{requires}")

    def tag(self):
        """The wheel's tag, from what its files need."""
        if self.name != "vta":
            return "py3-none-any"
        from wheel_elf import platform  # beside this file; vta-tvm's wheel does without

        return "py3-none-" + platform({os.path.basename(inside): path for inside, path in _natives()})[0]

    def wheel(self, folder):
        """Writes the wheel; returns its file name."""
        version, tag = _version(self.folder), self.tag()
        stem = f"{self.name.replace('-', '_')}-{version}"
        record = []
        with zipfile.ZipFile(os.path.join(folder, f"{stem}-{tag}.whl"), "w", zipfile.ZIP_DEFLATED) as wheel:

            def add(path, data, mode=0o644):
                digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
                record.append(f"{path},sha256={digest},{len(data)}")
                entry = zipfile.ZipInfo(path, _date()[:6])
                entry.external_attr, entry.compress_type = (stat.S_IFREG | mode) << 16, zipfile.ZIP_DEFLATED
                wheel.writestr(entry, data)

            for path, source in [*self.files(), *self.built(natives=True), *self.shared(stem)]:
                with open(source, "rb") as file:
                    add(path, file.read(), 0o755 if path in _EXECUTABLE else 0o644)
            for path in _licenses() if self.name == "vta" else ():
                with open(path, "rb") as file:
                    add(f"{stem}.dist-info/licenses/{os.path.basename(path)}", file.read())
            if self.name == "vta":
                add(f"{stem}.dist-info/entry_points.txt", b"[console_scripts]\nvta = vta_tool:main\n")
            add(f"{stem}.dist-info/METADATA", self.metadata(version).encode())
            add(f"{stem}.dist-info/WHEEL", f"Wheel-Version: 1.0\nGenerator: vta\nRoot-Is-Purelib: {str(self.name != 'vta').lower()}\n"
                f"Tag: {tag}\n".encode())
            path = f"{stem}.dist-info/RECORD"
            add(path, "".join(f"{line}\n" for line in [*record, f"{path},,"]).encode())
        return f"{stem}-{tag}.whl"

    def sdist(self, folder):
        """Writes the source archive, without the libraries: a wheel is made of it where VTA_LIBRARY_PATH names them. Its name."""
        version = _version(self.folder)
        stem = f"{self.name.replace('-', '_')}-{version}"
        backend = os.path.join(_HERE, "wheel_backend.py")
        files = [(os.path.relpath(path, self.folder), path) for _, path in self.files()] + list(self.built(natives=False))
        files += [(n, os.path.join(self.folder, n)) for n in ("pyproject.toml", "wheel_backend.py")]
        files += [("distributions.py", backend)] if self.folder != _HERE else [("wheel_elf.py", os.path.join(_HERE, "wheel_elf.py"))]
        date = calendar.timegm(_date())
        with open(os.path.join(folder, f"{stem}.tar.gz"), "wb") as file, gzip.GzipFile("", "wb", fileobj=file, mtime=date) as packed, \
                tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:

            def add(path, data):
                info = tarfile.TarInfo(f"{stem}/{path}")
                info.size, info.mtime = len(data), date
                archive.addfile(info, io.BytesIO(data))

            for path, source in files:
                with open(source, "rb") as source_file:
                    add(path, source_file.read())
            add("PKG-INFO", self.metadata(version).encode())
        return f"{stem}.tar.gz"


_VTA = Distribution("vta", _HERE, {"vta": "vta"}, ["numpy"], "The stack of VTA, the Versatile Tensor Accelerator: tool, libraries, Python",
                    ["vta_tool.py"])


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Writes the wheel of vta; returns its file name."""
    return _VTA.wheel(wheel_directory)


def build_sdist(sdist_directory, config_settings=None):
    """Writes the source archive of vta; returns its file name."""
    return _VTA.sdist(sdist_directory)


def modules_into(folder):
    """Copies the packages of vta and their METADATA into a folder, without libraries and tool."""
    _VTA.modules_into(folder)

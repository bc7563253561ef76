"""What a program or shared library of ELF needs from where it runs: the architecture, other libraries, and the versions of
their symbols. A wheel's platform tag follows from it."""

import re
import struct

#: Libraries that every Linux with glibc has (PEP 600, as auditwheel lists them), without those of C++ and of the desktop.
EVERYWHERE = frozenset(("libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "ld-linux-x86-64.so.2",
                        "ld-linux-aarch64.so.1"))
_MACHINES = {62: "x86_64", 183: "aarch64", 40: "armv7l"}
#: The oldest glibc that a tag says: what manylinux2014 has.
_OLDEST = 17
_LOAD, _DYNAMIC = 1, 2
_NEEDED, _STRTAB, _VERNEED, _VERNEEDNUM = 1, 5, 0x6FFFFFFE, 0x6FFFFFFF


class Needs:
    """What one file needs.

    Attributes
    ----------
    machine : str
        "x86_64", "aarch64" or "armv7l".
    libraries : list of str
        Names of shared libraries.
    versions : dict of str to set of str
        Library -> the versions of its symbols, as "GLIBC_2.34".
    """

    def __init__(self, path):
        with open(path, "rb") as file:
            self._data = file.read()
        if self._data[:4] != b"\x7fELF" or self._data[5] != 1:
            raise ValueError(f"{path} is not a little-endian ELF file")
        self._wide = self._data[4] == 2
        machine = self._at("<H", 18)
        if machine not in _MACHINES:
            raise ValueError(f"{path} is for the machine {machine} of ELF; known are {', '.join(_MACHINES.values())}")
        self.machine = _MACHINES[machine]
        segments = list(self._segments())
        self._loaded = [(start, offset, size) for kind, offset, start, size in segments if kind == _LOAD]
        entries = [e for kind, offset, _, size in segments if kind == _DYNAMIC for e in self._entries(offset, size)]
        tags = dict(entries)
        self._strings = self._offset(tags[_STRTAB]) if _STRTAB in tags else 0
        self.libraries = [self._text(value) for tag, value in entries if tag == _NEEDED]
        self.versions = self._versions(tags)

    def _at(self, layout, offset):
        return struct.unpack_from(layout, self._data, offset)[0]

    def _segments(self):
        """(kind, offset in the file, address, bytes in the file) of every segment."""
        table, size, count = (self._at("<Q", 32), *struct.unpack_from("<HH", self._data, 54)) if self._wide else (
            self._at("<I", 28), *struct.unpack_from("<HH", self._data, 42))
        for i in range(count):
            if self._wide:
                kind, _, offset, start, _, length = struct.unpack_from("<IIQQQQ", self._data, table + i * size)
            else:
                kind, offset, start, _, length = struct.unpack_from("<IIIII", self._data, table + i * size)
            yield kind, offset, start, length

    def _entries(self, offset, size):
        """(tag, value) of the dynamic section."""
        layout = "<qQ" if self._wide else "<iI"
        for tag, value in struct.iter_unpack(layout, self._data[offset:offset + size]):
            if tag == 0:
                return
            yield tag, value

    def _offset(self, address):
        for start, offset, size in self._loaded:
            if start <= address < start + size:
                return address - start + offset
        raise ValueError(f"address {address:#x} is in no segment of the file")

    def _text(self, at):
        begin = self._strings + at
        return self._data[begin:self._data.index(b"\0", begin)].decode()

    def _versions(self, tags):
        found, at = {}, self._offset(tags[_VERNEED]) if _VERNEED in tags else 0
        for _ in range(tags.get(_VERNEEDNUM, 0)):
            _, count, file, first, following = struct.unpack_from("<HHIII", self._data, at)
            names, entry = found.setdefault(self._text(file), set()), at + first
            for _ in range(count):
                _, _, _, name, further = struct.unpack_from("<IHHII", self._data, entry)
                names.add(self._text(name))
                entry += further
            at += following
        return found


def platform(paths):
    """The platform tag of a wheel with these files: manylinux_2_X with the newest glibc that a symbol needs, or linux_…
    where a library is needed that neither every system nor the wheel has.

    Parameters
    ----------
    paths : dict of str to str
        Name in the wheel -> file.

    Returns
    -------
    tag : str
    strange : list of str
        The libraries that have to be installed, sorted.
    """
    needs = [Needs(path) for path in paths.values()]
    machines = {n.machine for n in needs}
    if len(machines) != 1:
        raise ValueError(f"the files of a wheel are for {' and '.join(sorted(machines)) or 'no machine'}; expected one")
    strange = sorted({library for n in needs for library in n.libraries} - EVERYWHERE - set(paths))
    machine = machines.pop()
    if strange:
        return f"linux_{machine}", strange
    minors = [int(m) for n in needs for names in n.versions.values() for v in names for m in re.findall(r"^GLIBC_2\.(\d+)", v)]
    return f"manylinux_2_{max([_OLDEST, *minors])}_{machine}", strange

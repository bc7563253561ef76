"""TFLite models made by hand, byte by byte: a writer of FlatBuffers, and models of a few operators.

Field numbers and codes are those of tensorflow/lite/schema/schema.fbs; nothing here is read from this project's tables."""

import struct

import numpy as np

TYPES = {"float32": 0, "float16": 1, "int32": 2, "uint8": 3, "int64": 4, "bool": 6, "int16": 7, "int8": 9}


class Table:
    """A table: fields by number, each (struct format, value) or something that is written behind it."""

    def __init__(self, fields):
        self.fields = {k: v for k, v in fields.items() if v is not None}

    def write(self, out):
        order = sorted(self.fields)
        count = order[-1] + 1 if order else 0
        places = {field: 8 + 8 * i for i, field in enumerate(order)}
        while (len(out) + 4 + 2 * count) % 8:
            out += b"\0"
        vtable = len(out)
        out += struct.pack("<HH", 4 + 2 * count, 8 + 8 * len(order))
        out += b"".join(struct.pack("<H", places.get(i, 0)) for i in range(count))
        while len(out) % 8:
            out += b"\0"
        at = len(out)
        out += struct.pack("<iI", at - vtable, 0) + bytes(8 * len(order))
        for field in order:
            value, place = self.fields[field], at + places[field]
            if isinstance(value, tuple):
                struct.pack_into("<" + value[0], out, place, value[1])
            else:
                struct.pack_into("<I", out, place, value.write(out) - place)
        return at


class Vector:
    """Numbers of one format, or tables."""

    def __init__(self, items, form=None):
        self.items, self.form = list(items), form

    def write(self, out):
        while (len(out) + 4) % 16:
            out += b"\0"
        at = len(out)
        out += struct.pack("<I", len(self.items))
        if self.form:
            out += struct.pack(f"<{len(self.items)}{self.form}", *self.items)
            return at
        out += bytes(4 * len(self.items))
        for i, item in enumerate(self.items):
            place = at + 4 + 4 * i
            struct.pack_into("<I", out, place, item.write(out) - place)
        return at


def text(value):
    return Vector(value.encode() + b"", "B")


class Model:
    """A model, operator by operator: its first subgraph, and those of `branch`."""

    def __init__(self, within=None):
        self.tensors, self.nodes, self.inputs, self.outputs = [], [], [], []
        self.buffers, self.codes, self.branches = [Table({})], [], []
        self.metadata = None
        if within:
            self.buffers, self.codes, self.branches = within.buffers, within.codes, within.branches

    def branch(self):
        """Another subgraph; its number is branches.index(it) + 1."""
        self.branches.append(Model(self))
        return self.branches[-1]

    def tensor(self, shape, dtype="float32", data=None, scale=None, zero=None, axis=0, name=None):
        """The number of a new tensor; with `data` a constant."""
        buffer = 0
        if data is not None:
            buffer = len(self.buffers)
            self.buffers.append(Table({0: Vector(np.ascontiguousarray(data, dtype).tobytes(), "B")}))
        quantized = None
        if scale is not None:
            quantized = Table({2: Vector(np.atleast_1d(scale), "f"), 3: Vector(np.atleast_1d(zero).astype(int), "q"),
                               6: ("i", axis)})
        name = name or f"t{len(self.tensors)}"
        self.tensors.append(Table({0: Vector(shape, "i"), 1: ("b", TYPES[dtype]), 2: ("I", buffer), 3: text(name),
                                   4: quantized}))
        return len(self.tensors) - 1

    def constant(self, array, **quantized):
        array = np.asarray(array)
        return self.tensor(array.shape, array.dtype.name, array, **quantized)

    def node(self, code, inputs, outputs, options=None, custom=None):
        if (code, custom) not in self.codes:
            self.codes.append((code, custom))
        self.nodes.append(Table({0: ("I", self.codes.index((code, custom))), 1: Vector(inputs, "i"), 2: Vector(outputs, "i"),
                                 3: ("B", 1), 4: Table(options or {})}))

    def bytes(self):
        codes = [Table({0: ("b", min(code, 127)), 1: text(custom) if custom else None, 2: ("i", 1), 3: ("i", code)})
                 for code, custom in self.codes]
        graphs = [Table({0: Vector(g.tensors), 1: Vector(g.inputs, "i"), 2: Vector(g.outputs, "i"), 3: Vector(g.nodes),
                         4: text("made")}) for g in [self, *self.branches]]
        buffers, entries = self.buffers, None
        if self.metadata is not None:
            buffers = [*buffers, Table({0: Vector(self.metadata, "B")})]
            entries = Vector([Table({0: text("other"), 1: ("I", 0)}),
                              Table({0: text("TFLITE_METADATA"), 1: ("I", len(buffers) - 1)})])
        root = Table({0: ("I", 3), 1: Vector(codes), 2: Vector(graphs), 3: text("a test"), 4: Vector(buffers), 6: entries})
        out = bytearray(struct.pack("<I4s", 0, b"TFL3"))
        struct.pack_into("<I", out, 0, root.write(out))
        return bytes(out)


def metadata(mean=None, std=None, color=None):
    """The metadata of a model with one input of images: field numbers of metadata_schema.fbs."""
    unit = Table({0: ("B", 1), 1: Table({0: Vector(mean, "f"), 1: Vector(std, "f")})}) if mean is not None else None
    content = Table({0: ("B", 2), 1: Table({0: ("b", color)})}) if color is not None else None
    tensor = Table({0: text("image"), 3: content, 4: Vector([Table({0: ("B", 2)}), unit]) if unit else None})
    root = Table({0: text("made"), 3: Vector([Table({2: Vector([tensor])})])})
    out = bytearray(struct.pack("<I4s", 0, b"M001"))
    struct.pack_into("<I", out, 0, root.write(out))
    return bytes(out)

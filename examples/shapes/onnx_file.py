"""Writes ONNX files: the few messages that a network needs, as protocol buffers are encoded, without a library."""

import struct

FLOAT, INT64 = 1, 7  # TensorProto.DataType


def _varint(value):
    out = b""
    while value > 127:
        out, value = out + bytes([value & 127 | 128]), value >> 7
    return out + bytes([value])


def _field(number, value):
    """A field of a message: text, bytes (also a message within) or a whole number."""
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value & (1 << 64) - 1)
    value = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(value)) + value


def tensor(name, array):
    """A TensorProto: the constant of that name, float32 or int64."""
    kind = {"float32": FLOAT, "int64": INT64}[str(array.dtype)]
    return b"".join(_field(1, n) for n in array.shape) + _field(2, kind) + _field(8, name) + _field(9, array.tobytes())


def _attribute(name, value):
    if isinstance(value, float):
        return _field(1, name) + _varint(2 << 3 | 5) + struct.pack("<f", value) + _field(20, 1)
    if isinstance(value, int):
        return _field(1, name) + _field(3, value) + _field(20, 2)
    if isinstance(value, str):
        return _field(1, name) + _field(4, value) + _field(20, 3)
    return _field(1, name) + b"".join(_field(8, v) for v in value) + _field(20, 7)


def node(op, inputs, output, **attributes):
    """A NodeProto of one output, which names the node as well; attributes are numbers, texts, or lists of whole numbers."""
    return (b"".join(_field(1, name) for name in inputs) + _field(2, output) + _field(3, output) + _field(4, op) +
            b"".join(_field(5, _attribute(*item)) for item in attributes.items()))


def value(name, shape):
    """A ValueInfoProto: a float32 tensor, an extent None is left open."""
    extents = b"".join(_field(1, _field(2, "n") if n is None else _field(1, n)) for n in shape)
    return _field(1, name) + _field(2, _field(1, _field(1, FLOAT) + _field(2, extents)))


def model(name, nodes, tensors, inputs, outputs, opset=13, producer="vta"):
    """The bytes of the file."""
    graph = (b"".join(_field(1, n) for n in nodes) + _field(2, name) + b"".join(_field(5, t) for t in tensors) +
             b"".join(_field(11, v) for v in inputs) + b"".join(_field(12, v) for v in outputs))
    return _field(1, 7) + _field(2, producer) + _field(7, graph) + _field(8, _field(1, "") + _field(2, opset))

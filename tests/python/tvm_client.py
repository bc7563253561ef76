"""A client that speaks TVM's RPC protocol (0.8.0) over a socket, as TVM's own library does. It shares no code with the
servers of this project; what it says and expects was written down from TVM's document of the protocol."""

import socket
import struct

import numpy as np

INT, FLOAT, HANDLE, NULL, DEVICE, TENSOR, MODULE, FUNCTION, TEXT, BYTES, ARRAY = 0, 2, 3, 4, 6, 7, 9, 10, 11, 12, 13
CALL, RETURN, EXCEPTION, COPY_FROM, COPY_TO, COPY_ACK, GET_FUNCTION, FREE_HANDLE = 3, 4, 5, 6, 7, 8, 9, 10
CPU, EXT_DEV = 1, 12
_KINDS = {"i": 0, "u": 1, "f": 2, "b": 1}


class RemoteError(Exception):
    """What the server raises in its client."""


class RemoteArray:
    """A tensor of the server: where it is, and the handle that keeps it, if any."""

    def __init__(self, client, data, device, dtype, shape, handle=None):
        self.client, self.data, self.device, self.handle = client, data, device, handle
        self.dtype, self.shape = np.dtype(dtype), tuple(shape)
        self.bytes = self.dtype.itemsize * int(np.prod(self.shape))

    def fields(self):
        return (struct.pack("<Qiii", self.data, self.device, 0, len(self.shape)) +
                struct.pack("<BBH", _KINDS[self.dtype.kind], self.dtype.itemsize * 8, 1) +
                struct.pack(f"<{len(self.shape)}q", *self.shape) + struct.pack("<Q", 0))

    def copyfrom(self, array):
        data = np.ascontiguousarray(array, self.dtype).tobytes()
        assert len(data) == self.bytes
        self.client.send(COPY_TO, self.fields() + struct.pack("<Q", len(data)) + data)
        self.client.receive()

    def numpy(self):
        self.client.send(COPY_FROM, self.fields() + struct.pack("<Q", self.bytes))
        return np.frombuffer(self.client.receive(), self.dtype).reshape(self.shape)

    def free(self):
        self.client.system(FREE_HANDLE, (HANDLE, self.handle), (INT, ARRAY))


class Client:
    def __init__(self, port, key="client:"):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.socket.sendall(struct.pack("<ii", 0xff271, len(key)) + key.encode())
        magic, size = struct.unpack("<ii", self.read(8))
        assert magic == 0xff271
        self.name = self.read(size).decode()
        self.send(2, struct.pack("<Q", 5) + b"0.8.0" + struct.pack("<i", 0))
        self.receive()

    def close(self):
        self.send(1, b"")
        self.socket.close()

    def read(self, size):
        data = b""
        while len(data) < size:
            part = self.socket.recv(size - len(data))
            if not part:
                raise ConnectionError("the server closed the connection")
            data += part
        return data

    def send(self, code, body):
        self.socket.sendall(struct.pack("<Qi", len(body) + 4, code) + body)

    def values(self, *args):
        """Arguments: numbers, texts, bytes and RemoteArrays as they are, others as (type, value)."""
        types, body = b"", b""
        for arg in args:
            if isinstance(arg, RemoteArray):
                code, part = TENSOR, arg.fields()
            elif isinstance(arg, (str, bytes)):
                data = arg.encode() if isinstance(arg, str) else arg
                code, part = TEXT if isinstance(arg, str) else BYTES, struct.pack("<Q", len(data)) + data
            elif isinstance(arg, float):
                code, part = FLOAT, struct.pack("<d", arg)
            else:
                code, value = arg if isinstance(arg, tuple) else (INT, arg)
                part = struct.pack("<q", value)
            types += struct.pack("<i", code)
            body += part
        return struct.pack("<i", len(args)) + types + body

    def receive(self):
        """The bytes of a copy, or the values of a RETURN, without what says their types twice."""
        size, = struct.unpack("<Q", self.read(8))
        packet = self.read(size)
        code, = struct.unpack_from("<i", packet)
        if code == COPY_ACK:
            return packet[4:]
        count, = struct.unpack_from("<i", packet, 4)
        types = struct.unpack_from(f"<{count}i", packet, 8)
        at, values = 8 + 4 * count, []
        for kind in types:
            if kind in (TEXT, BYTES):
                size, = struct.unpack_from("<Q", packet, at)
                values.append(packet[at + 8:at + 8 + size])
                at += 8 + size
            elif kind == TENSOR:
                data, device, _, ndim = struct.unpack_from("<Qiii", packet, at)
                kind_of, bits, _ = struct.unpack_from("<BBH", packet, at + 20)
                shape = struct.unpack_from(f"<{ndim}q", packet, at + 24)
                at += 24 + 8 * ndim + 8
                letter = {0: "int", 1: "uint", 2: "float"}[kind_of]
                values.append(RemoteArray(self, data, device, f"{letter}{bits}", shape))
            elif kind == NULL:
                values.append(None)
            else:
                values.append(struct.unpack_from("<d" if kind == FLOAT else "<q", packet, at)[0])
                at += 8
        if code == EXCEPTION:
            raise RemoteError(values[0].decode())
        assert code == RETURN and at == len(packet), (code, at, len(packet))
        return values

    def system(self, code, *args):
        self.send(code, self.values(*args))
        values = self.receive()
        return values[0] if values else None

    def function(self, name):
        """A function of the server by its name; None: it has none."""
        return self.system(GET_FUNCTION, name) or None

    def call(self, function, *args):
        """Calls a function; its result, arrays and modules as such."""
        self.send(CALL, struct.pack("<Q", function) + self.values(*args))
        kind, *values = self.receive()
        if kind == ARRAY:
            values[0].handle = values[1]
        if kind == MODULE:
            return Module(self, values[0])
        return values[0]

    def upload(self, name, data):
        self.call(self.function("tvm.rpc.server.upload"), name, data)

    def load_module(self, name):
        return self.call(self.function("tvm.rpc.server.load_module"), name)


class Module:
    def __init__(self, client, number):
        self.client, self.number = client, number

    def __getitem__(self, name):
        get = self.client.function("tvm.rpc.server.ModuleGetFunction")
        found = self.client.call(get, (MODULE, self.number), name, 0)
        if not found:
            raise AttributeError(f"Module has no function '{name}'")
        return lambda *args: self.client.call(found, *args)

    def free(self):
        self.client.system(FREE_HANDLE, (HANDLE, self.number), (INT, MODULE))


def create_graph(client, graph, module, *devices):
    """tvm.contrib.graph_executor.create: the graph's module."""
    pairs = [number for device in devices for number in (device, 0)]
    return client.call(client.function("tvm.graph_executor.create"), graph, (MODULE, module.number), *pairs)


def save_params(params):
    """relay.save_param_dict: arrays by name, as bytes."""
    text = struct.pack("<QQQ", 0xF7E58D4F05049CB7, 0, len(params))
    for name in params:
        text += struct.pack("<Q", len(name)) + name.encode()
    text += struct.pack("<Q", len(params))
    for array in params.values():
        text += struct.pack("<QQiii", 0xDD5E40F096B4A13F, 0, CPU, 0, array.ndim)
        text += struct.pack("<BBH", _KINDS[array.dtype.kind], array.dtype.itemsize * 8, 1)
        text += struct.pack(f"<{array.ndim}q", *array.shape) + struct.pack("<q", array.nbytes) + array.tobytes()
    return text

"""Random networks of ONNX operators: what exporters write, and single operators of every kind put together.

A network grows node by node: a step takes values that are there, brings them to the shape and the range that it needs,
and adds its nodes. ONNX Runtime says what each node gives, so that a step knows shapes and ranges; what it refuses is
taken back. Nothing here is read from this project's tables."""

import numpy as np
from onnx import helper, numpy_helper

import onnx_cases
import oracle
from onnx_cases import BOOL, F32, I8, I32, I64, U8

SETS = (7, 11, 13, 17, 18, 20, 23)
#: Operators whose float inputs have to stay in the range that was drawn for them.
NARROW = {"Log", "Sqrt", "Reciprocal", "Pow", "Div", "Mod", "Acosh", "Asin", "Acos", "Atanh", "Tan", "ReduceLogSum",
          "ReduceLogSumExp", "GridSample", "AffineGrid", "Exp", "Sinh", "Cosh", "STFT", "DFT", "LpNormalization"}
#: Operators whose integer inputs may be any numbers.
ANY_INTEGERS = {"Add", "Sub", "Mul", "Min", "Max", "Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual", "Neg",
                "Abs", "Where", "Cast", "CastLike", "Reshape", "Transpose", "Concat", "Slice", "Sign", "BitwiseAnd",
                "BitwiseOr", "BitwiseXor", "BitwiseNot", "Trilu", "CumSum", "TopK", "ReduceMax", "ReduceMin", "Tile"}
#: Operators that may give another element where a sum before them is rounded in another way.
STEPS = {"ArgMax", "ArgMin", "TopK", "Round", "Floor", "Ceil", "Hardmax"}


class Invalid(Exception):
    """A step that makes no model here."""


class Value:
    """A tensor of the network, with what it holds on the network's inputs."""

    def __init__(self, name, array, constant=False):
        self.name, self.array, self.constant = name, array, constant

    @property
    def shape(self):
        return list(self.array.shape)


class Network:
    """A network that grows: `values` are the tensors that steps may take."""

    def __init__(self, judge, seed, opset=None):
        self.judge = judge
        self.random = np.random.default_rng([seed, 77])
        self.opset = opset or self.pick(*SETS)
        self.nodes, self.inputs, self.constants, self.values = [], {}, {}, []
        self.domains, self.count, self.fixed = set(), 0, 0
        self.used, self.steps = set(), []
        self.tolerance = 1e-4  # float16 is float32 here (docs/graph.md)

    # ---- What is random ----

    def pick(self, *of):
        return of[int(self.random.integers(len(of)))]

    def upto(self, least, most):
        return int(self.random.integers(least, most + 1))

    def chance(self, share=0.5):
        return self.random.random() < share

    def array(self, shape, low=-1.0, high=1.0, dtype=F32):
        if dtype.kind == "f":
            return np.asarray(self.random.uniform(low, high, shape)).astype(dtype)
        return np.asarray(self.random.integers(int(low), int(high) + 1, shape)).astype(dtype)

    # ---- Tensors and nodes ----

    def name(self, of="v"):
        self.count += 1
        return f"{of}{self.count}"

    def input(self, array):
        """A new input of the network."""
        array = np.asarray(array)
        value = Value(self.name("in"), array)
        self.inputs[value.name] = array
        return value

    def const(self, array, dtype=None):
        """A constant: an initializer, or a node."""
        array = np.asarray(array, dtype)
        value = Value(self.name("c"), array, True)
        if self.chance(0.3):
            node = helper.make_node("Constant", [], [value.name], value=numpy_helper.from_array(array))
            self.nodes.append(node)
        else:
            self.constants[value.name] = array
        return value

    def model_of(self, nodes, inputs, constants, outputs):
        values = [helper.make_tensor_value_info(n, numpy_helper.from_array(a).data_type, a.shape)
                  for n, a in inputs.items()]
        graph = helper.make_graph(nodes, "part", values, [helper.ValueInfoProto(name=n) for n in outputs],
                                  [numpy_helper.from_array(a, n) for n, a in constants.items()])
        return self.finished(graph)

    def finished(self, graph, ir_version=8):
        sets = [helper.make_opsetid("", self.opset)] + [helper.make_opsetid(d, 1) for d in sorted(self.domains)]
        made = helper.make_model(graph, opset_imports=sets, producer_name="random networks")
        made.ir_version = ir_version
        return made.SerializeToString()

    def node(self, kind, inputs, outputs=1, domain="", outer=(), **attributes):
        """Adds a node; gives its value, or a list of its values. `outer`: values that its bodies see."""
        attributes = {k: v for k, v in attributes.items() if v is not None}
        names = outputs if isinstance(outputs, list) else [self.name() for _ in range(outputs)]
        if domain:
            self.domains.add(domain)
        made = helper.make_node(kind, [i.name if i is not None else "" for i in inputs], names, domain=domain, **attributes)
        given = {i.name: i.array for i in [*inputs, *outer] if i is not None}
        constants = {i.name for i in inputs if i is not None and i.constant}
        some = [n for n in names if n]
        model = self.model_of([made], {n: a for n, a in given.items() if n not in constants},
                              {n: a for n, a in given.items() if n in constants}, some)
        try:
            results = self.judge(model, {n: a for n, a in given.items() if n not in constants})
        except oracle.Refused as error:
            raise Invalid(f"{kind}: {error}") from None
        for array in results.values():
            if array.size == 0 or array.size > 20000 or (array.dtype.kind == "f" and not np.all(np.isfinite(array))):
                raise Invalid(f"{kind}: empty, large or not finite")
        self.nodes.append(made)
        self.used.add(f"{domain}.{kind}" if domain else kind)
        constant = all(i is None or i.constant for i in inputs) and not outer
        values = [Value(n, results[n], constant) if n else None for n in names]
        for v in values:
            if v is not None:
                self.values.append(v)
        return values[0] if len(values) == 1 and not isinstance(outputs, list) else values

    def step(self, function, *arguments):
        """Runs a step; what it added is taken back where it makes no model. Whether it does."""
        lengths = (len(self.nodes), len(self.values))
        inputs, constants, used, domains = dict(self.inputs), dict(self.constants), set(self.used), set(self.domains)
        try:
            function(self, *arguments)
        except Invalid:
            del self.nodes[lengths[0]:], self.values[lengths[1]:]
            self.inputs, self.constants, self.used, self.domains = inputs, constants, used, domains
            return False
        self.steps.append(function.__name__ + (f"({arguments[0]})" if arguments else ""))
        return True

    def some(self, dtype=F32, rank=None, new=0.2):
        """A value of the type: one that is there, mostly a late one, or a new input."""
        found = [v for v in self.values if v.array.dtype == dtype and (rank is None or v.array.ndim == rank)]
        if not found or self.chance(new) and len(self.inputs) < 4:
            shape = [self.upto(1, 6) for _ in range(self.upto(1, 4) if rank is None else rank)]
            value = self.input(self.array(shape, -2, 2) if dtype.kind == "f" else self.array(shape, 0, 1, dtype))
            self.values.append(value)
            return value
        late = found[-3:] if self.chance(0.6) else found
        return self.pick(*late)

    # ---- Bringing values to shapes and ranges, as exporters do ----

    def axes(self, kind, x, axes):
        """Squeeze and Unsqueeze: their axes became an input."""
        if self.opset >= 13:
            return self.node(kind, [x, self.const(axes, I64)])
        return self.node(kind, [x], axes=list(axes))

    def slice(self, x, axis, start, end, step=1):
        if self.opset >= 10:
            return self.node("Slice", [x, *[self.const([n], I64) for n in (start, end, axis, *([step] if step != 1 else []))]])
        return self.node("Slice", [x], axes=[axis], starts=[start], ends=[end])

    def reduce(self, kind, x, axes, keepdims=1):
        if self.opset >= (13 if kind == "ReduceSum" else 18):
            return self.node(kind, [x, self.const(axes, I64)], keepdims=keepdims)
        return self.node(kind, [x], axes=list(axes), keepdims=keepdims)

    def extent(self, x, axis):
        """An extent of a tensor as PyTorch writes it: Shape, Gather. Of no axes."""
        return self.node("Gather", [self.node("Shape", [x]), self.const(axis, I64)], axis=0)

    def reshape(self, x, shape):
        """Reshape, whose shape may be computed of the extents of `x`."""
        shape = [int(n) for n in shape]
        way = self.upto(0, 4)
        if way == 0 and x.shape and shape and not x.constant:
            parts, taken = [], False
            for n in shape:
                if n in x.shape and not taken:
                    part = self.extent(x, x.shape.index(n))
                    taken = True
                    if self.chance(0.3) and self.opset >= 8:
                        part = self.node("Mul", [part, self.const(1, I64)])
                    parts.append(self.axes("Unsqueeze", part, [0]))
                else:
                    parts.append(self.const([n], I64))
            to = self.node("Concat", parts, axis=0)
        elif way == 1 and shape and x.shape and shape[0] == x.shape[0] and len(shape) > 1:
            to = self.node("Concat", [self.slice(self.node("Shape", [x]), 0, 0, 1), self.const(shape[1:], I64)], axis=0)
        elif way == 2 and shape:
            given = list(shape)
            given[self.upto(0, len(given) - 1)] = -1
            to = self.const(given, I64)
        elif way == 3 and len(shape) == 2 and x.shape and x.shape[0] == shape[0]:
            return self.node("Flatten", [x], axis=1)
        else:
            to = self.const(shape, I64)
        return self.node("Reshape", [x, to])

    def shaped(self, x, shape):
        """`x` in a shape."""
        shape = [int(n) for n in shape]
        have = x.shape
        if have == shape:
            return x
        n, m = int(np.prod(have)), int(np.prod(shape))
        if n == m:
            if sorted(have) == sorted(shape) and self.chance(0.6):
                left, perm = list(enumerate(have)), []
                for e in shape:
                    at = next(i for i, (_, k) in enumerate(left) if k == e)
                    perm.append(left.pop(at)[0])
                return self.node("Transpose", [x], perm=perm)
            if have[:-1] == shape and have[-1:] == [1]:
                return self.axes("Squeeze", x, [len(have) - 1])
            if [1, *have] == shape:
                return self.axes("Unsqueeze", x, [0])
            return self.reshape(x, shape)
        if len(have) == len(shape) and all(a >= b for a, b in zip(have, shape)) and self.chance(0.7):
            for axis, (a, b) in enumerate(zip(have, shape)):
                if a != b:
                    first = self.upto(0, a - b)
                    x = self.slice(x, axis, first, first + b)
            return x
        if len(have) == len(shape) and all(b % a == 0 for a, b in zip(have, shape)):
            if self.opset >= 8 and all(a in (1, b) for a, b in zip(have, shape)) and self.chance():
                return self.node("Expand", [x, self.const(shape, I64)])
            return self.node("Tile", [x, self.const([b // a for a, b in zip(have, shape)], I64)])
        flat = self.reshape(x, [n])
        if n < m:
            way = self.upto(0, 1) if x.array.dtype == F32 else 0
            if way == 0:
                flat = self.node("Tile", [flat, self.const([-(-m // n)], I64)])
            elif self.opset >= 11:
                flat = self.node("Pad", [flat, self.const([0, m - n], I64), self.const(0.5, F32)], mode="constant")
            else:
                flat = self.node("Pad", [flat], pads=[0, m - n], mode="constant", value=0.5)
        if flat.shape != [m]:
            flat = self.slice(flat, 0, 0, m)
        return flat if shape == [m] else self.reshape(flat, shape)

    def within(self, x, low, high):
        """`x`, or what squashes it into a range."""
        if x.array.size and x.array.min() >= low and x.array.max() <= high:
            return x
        share = self.node("Sigmoid", [x])
        if high - low != 1:
            share = self.node("Mul", [share, self.const(np.float32(high - low))])
        return self.node("Add", [share, self.const(np.float32(low))]) if low != 0 else share

    def calm(self, x, limit=12.0):
        """`x`, or its tanh where it holds large numbers."""
        return x if np.abs(x.array).max() <= limit else self.node("Tanh", [x])

    def float(self, shape, low=None, high=None):
        """A float value of a shape, within a range."""
        x = self.shaped(self.some(), shape)
        return self.calm(x) if low is None else self.within(x, low, high)

    def image(self, channels=None):
        """A tensor N C H W."""
        found = [v for v in self.values if v.array.dtype == F32 and v.array.ndim == 4 and min(v.shape[2:]) >= 3
                 and (channels is None or v.shape[1] == channels)]
        if found and self.chance(0.85):
            return self.calm(found[-1] if self.chance(0.6) else self.pick(*found))
        shape = [self.pick(1, 1, 1, 2), channels or self.pick(1, 2, 3, 4, 8, 16), self.upto(4, 12), self.upto(4, 12)]
        if not self.values or self.chance(0.3) and len(self.inputs) < 4:
            value = self.input(self.array(shape, -2, 2))
            self.values.append(value)
            return value
        return self.float(shape)

    def weights(self, *shape):
        fan = int(np.prod(shape[1:])) or 1
        return self.const(self.array(shape) * np.float32(1.7 / np.sqrt(fan)))

    # ---- The model ----

    def outputs(self):
        """Values that no node reads, and now and then one that some do."""
        read = {n for node in self.nodes for n in node.input}
        for node in self.nodes:
            for attribute in node.attribute:
                if attribute.HasField("g"):
                    read |= {n for inner in attribute.g.node for n in inner.input}
        made = {n for node in self.nodes for n in node.output}
        values = [v for v in self.values if v.name in made and not v.constant]
        ends = [v for v in values if v.name not in read]
        return ends[:8] + [v for v in values if v.name in read and self.random.random() < 0.05][:2]

    def model(self):
        """The bytes of the model, its inputs, and extents that it leaves open, by name."""
        outputs = self.outputs()
        if not outputs:
            raise Invalid("nothing is computed")
        open_extents = self.pick(None, None, "named", "unnamed", "first")
        shapes, values = {}, []
        for name, array in self.inputs.items():
            extents = list(array.shape)
            if open_extents and extents:
                for i in range(len(extents) if open_extents != "first" else 1):
                    extents[i] = f"{name}_{i}" if open_extents != "unnamed" else None
                shapes[name] = list(array.shape)
            values.append(helper.make_tensor_value_info(name, numpy_helper.from_array(array).data_type, extents))
        old = self.opset < 9 and self.chance()
        constants = [numpy_helper.from_array(a, n) for n, a in self.constants.items()]
        if old:  # IR 3: initializers are inputs too
            values += [helper.make_tensor_value_info(t.name, t.data_type, t.dims) for t in constants]
        typed = self.chance()
        results = [helper.make_tensor_value_info(v.name, numpy_helper.from_array(v.array).data_type,
                                                 v.shape if not open_extents else [None] * len(v.shape))
                   if typed else helper.ValueInfoProto(name=v.name) for v in outputs]
        graph = helper.make_graph(self.nodes, "network", values, results, constants)
        return self.finished(graph, 3 if old else self.pick(6, 8) if self.opset < 20 else 9), dict(self.inputs), shapes


# ---- Single operators of every kind ----------------------------------------------------------------------------------


def case(net, name):
    """An operator with random attributes (onnx_cases), its inputs of what is there."""
    first, last = onnx_cases.CASES[name][1]
    if not first <= net.opset <= last:
        raise Invalid(name)
    d = onnx_cases.Draw(name, net.upto(0, 1 << 30), net.opset)
    if d.opset != net.opset:
        raise Invalid(name)
    if "outer" in d.inputs and any("outer" in node.output for node in net.nodes):
        raise Invalid(name)
    short, given = name.rpartition(".")[2], {}
    for key, array in d.inputs.items():
        given[key] = connected(net, short, array)
    for key, array in d.constants.items():
        given[key] = net.const(array)
    outer = []
    if "outer" in d.inputs:
        seen, = net.node("Identity", [given["outer"]], ["outer"])
        outer.append(seen)
    outputs = d.outputs if not isinstance(d.outputs, list) else [net.name() if n else "" for n in d.outputs]
    net.node(d.name, [given[n] if n else None for n in d.order], outputs, d.domain, outer, **d.attributes)


def connected(net, name, array):
    """A value in the place of an array that was drawn."""
    if array.dtype == F32 and np.all(np.isfinite(array)):
        if name in NARROW:
            return net.within(net.shaped(net.some(), array.shape), float(array.min()), float(array.max()) + 1e-3)
        return net.float(array.shape)
    found = [v for v in net.values if v.array.dtype == array.dtype and not v.constant]
    if found and name in ANY_INTEGERS and net.chance(0.7):
        return net.shaped(net.pick(*found), array.shape)
    if array.dtype == BOOL and net.chance(0.6) and name not in ("Attention",) and net.opset >= 9:
        return net.node("Greater", [net.shaped(net.some(), array.shape), net.const(np.float32(0.1234))])
    if array.dtype in (U8, I8) and net.opset >= 10 and net.chance(0.6):
        x = net.float(array.shape)
        return net.node("QuantizeLinear", [x, net.const(np.float32(0.0371)), net.const(7, array.dtype)])
    if array.dtype in (I32, I64) and name in ("Gather", "OneHot") and net.chance(0.5):
        x = net.within(net.shaped(net.some(), array.shape), float(array.min()), float(array.max()) + 0.9)
        return net.node("Cast", [net.node("Floor", [x])], to=int(numpy_helper.from_array(array).data_type))
    value = net.input(array)
    if name in ANY_INTEGERS:
        net.values.append(value)
    return value

"""Random cases of single ONNX operators, made from their definitions: shapes, attributes, types, operator sets.

A case is a model of one node with inputs. Which operators there are: CASES, a function for each that draws one. What the
attributes mean stands in ONNX's document of operators; nothing here is read from this project's tables."""

import numpy as np
from onnx import TensorProto, helper, numpy_helper

F32, F64, I8, U8, I16, I32, I64, BOOL = (np.dtype(t) for t in ("float32", "float64", "int8", "uint8", "int16", "int32",
                                                               "int64", "bool"))
CASES = {}


def operator(*names, sets=(7, 24), domain=""):
    """Registers the function for these operators; `sets`: the first and the last operator set it draws for. Of another
    domain than ONNX's own the name has it in front."""
    def register(function):
        for name in names:
            CASES[f"{domain}.{name}" if domain else name] = (function, sets)
        return function
    return register


class Draw:
    """What is random in a case, and what comes of it: a node's inputs and attributes."""

    def __init__(self, name, seed, opset=None):
        self.random = np.random.default_rng([seed, *name.encode()])
        function, (first, last) = CASES[name]
        self.domain, _, self.name = name.rpartition(".")
        self.opset = opset or int(self.random.integers(first, last + 1))
        self.attributes, self.inputs, self.constants = {}, {}, {}
        self.order, self.outputs, self.tolerance = [], 1, 1e-5
        function(self)

    def pick(self, *of):
        return of[int(self.random.integers(len(of)))]

    def upto(self, least, most):
        return int(self.random.integers(least, most + 1))

    def chance(self, share=0.5):
        return self.random.random() < share

    def shape(self, least=0, most=4, extent=5):
        return [self.upto(1, extent) for _ in range(self.upto(least, most))]

    def array(self, shape, dtype=F32, low=None, high=None):
        if dtype == BOOL:
            return self.random.integers(0, 2, shape).astype(BOOL)
        if dtype.kind == "f":
            low, high = (-3 if low is None else low), (3 if high is None else high)
            return np.asarray(self.random.uniform(low, high, shape)).astype(dtype)
        info = np.iinfo(dtype)
        low = max(info.min, -1000) if low is None else low
        high = min(info.max, 1000) if high is None else high
        return np.asarray(self.random.integers(low, high + 1, shape)).astype(dtype)

    def input(self, array, constant=False):
        """The node's next input; None: left out."""
        if array is None:
            self.order.append("")
            return
        name = f"x{len(self.order)}"
        self.order.append(name)
        (self.constants if constant else self.inputs)[name] = np.asarray(array)

    def constant(self, array):
        self.input(array, constant=True)

    def set(self, **attributes):
        self.attributes.update({k: v for k, v in attributes.items() if v is not None})

    def model(self):
        """The case as the bytes of a model."""
        outputs = self.outputs if isinstance(self.outputs, list) else [f"y{i}" for i in range(self.outputs)]
        node = helper.make_node(self.name, self.order, outputs, domain=self.domain, **self.attributes)
        values = [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(a.dtype)
                                                if hasattr(helper, "np_dtype_to_tensor_dtype")
                                                else numpy_helper.from_array(a).data_type, a.shape)
                  for name, a in self.inputs.items()]
        results = [helper.make_empty_tensor_value_info(name) if hasattr(helper, "make_empty_tensor_value_info")
                   else helper.ValueInfoProto(name=name) for name in outputs if name]
        constants = [numpy_helper.from_array(a, name) for name, a in self.constants.items()]
        graph = helper.make_graph([node], self.name, values, results, constants)
        sets = [helper.make_opsetid("", self.opset)]
        if self.domain:
            sets.append(helper.make_opsetid(self.domain, 1))
        made = helper.make_model(graph, opset_imports=sets)
        made.ir_version = 8
        return made.SerializeToString()

    def __str__(self):
        texts = [f"{n}: {a.dtype}{list(a.shape)}" + (f" = {a.ravel()[:8].tolist()}" if n in self.constants else "")
                 for n, a in {**self.inputs, **self.constants}.items()]
        return f"{self.name} (set {self.opset}) {self.attributes} {self.order} {'; '.join(texts)}"


# ---- Elements --------------------------------------------------------------------------------------------------------


@operator("Relu", "Sigmoid", "Softplus", "Tanh", "Erf", "Exp", "Floor", "Ceil", "Neg", "Abs", "Softsign")
def _any_float(d):
    if d.name == "Erf":
        d.opset = max(d.opset, 9)
    dtype = d.pick(F32, F32, I32) if d.name in ("Neg", "Abs") else F32
    if d.name == "Relu" and d.opset >= 14:
        dtype = d.pick(F32, I32, I8)
    d.input(d.array(d.shape(), dtype))


@operator("Sin", "Cos", "Tan", "Asin", "Acos", "Atan", "Sinh", "Cosh", "Asinh", "Atanh", "Acosh")
def _angles(d):
    d.opset = max(d.opset, 9 if d.name.endswith("h") else 7)
    d.input(d.array(d.shape(), F32, 1.05, 4) if d.name == "Acosh" else d.array(d.shape(), F32, -0.9, 0.9))


@operator("Round", sets=(11, 24))
def _round(d):
    x = d.array(d.shape())
    d.input(np.where(d.random.random(x.shape) < 0.5, np.round(x * 2) / 2, x).astype(F32))


@operator("HardSwish", sets=(14, 24))
def _hard_swish(d):
    d.input(d.array(d.shape(), F32, -5, 5))


@operator("Log", "Sqrt", "Reciprocal")
def _positive(d):
    d.input(d.array(d.shape(), F32, 0.05, 4))


@operator("LeakyRelu", "Elu", "Selu", "Celu", "ThresholdedRelu")
def _with_alpha(d):
    d.opset = max(d.opset, {"Celu": 12}.get(d.name, 7))
    if d.chance(0.7):
        d.set(alpha=float(d.array([], F32, 0.05, 2)))
    if d.name == "Selu" and d.chance():
        d.set(gamma=float(d.array([], F32, 0.5, 2)))
    d.input(d.array(d.shape()))


@operator("HardSigmoid")
def _hard_sigmoid(d):
    if d.chance(0.7):
        d.set(alpha=float(d.array([], F32, 0.05, 1)), beta=float(d.array([], F32, -1, 1)))
    d.input(d.array(d.shape(), F32, -6, 6))


@operator("Clip")
def _clip(d):
    low, high = (float(x) for x in np.sort(d.array([2])))
    low, high = (low if d.chance(0.7) else None), (high if d.chance(0.7) else None)
    dtype = d.pick(F32, I8, U8, I64) if d.opset >= 12 else F32
    if dtype != F32:
        low, high = (low and abs(int(10 * low))), (high and abs(int(10 * high)) + 30)
    x = d.array(d.shape(), dtype)
    if dtype == I64:  # more digits than a double has
        x, low, high = x + 2**60, low and low + 2**60, high and high + 2**60
    d.input(x)
    if d.opset < 11:
        d.set(min=low, max=high)
    else:
        d.constant(None if low is None else np.array(low, dtype))
        d.constant(None if high is None else np.array(high, dtype))


@operator("PRelu")
def _prelu(d):
    shape = d.shape(1)
    d.input(d.array(shape))
    d.input(d.array(_part(d, shape)), constant=d.chance())


def _part(d, shape):
    """A shape that can be broadcast to `shape`."""
    kept = [n if d.chance(0.6) else 1 for n in shape]
    return kept[d.upto(0, len(shape)):] if d.chance() else kept


def _pair(d, dtype, low=None, high=None):
    shape = d.shape()
    shapes = [shape, _part(d, shape)]
    if d.chance():
        shapes.reverse()
    for s in shapes:
        d.input(d.array(s, dtype, low, high), constant=d.chance(0.2) and len(d.constants) == 0)


@operator("Add", "Sub", "Mul")
def _arithmetic(d):
    _pair(d, d.pick(F32, F32, I32, I64))


@operator("Div")
def _div(d):
    dtype = d.pick(F32, F32, I32, I64)
    shape = d.shape()
    d.input(d.array(shape, dtype))
    below = d.array(_part(d, shape), dtype, 1, 5)
    d.input(below * d.pick(dtype.type(1), dtype.type(-1)))


@operator("Pow")
def _pow(d):
    shape = d.shape()
    d.input(d.array(shape, F32, 0.1, 3))
    d.input(d.array(_part(d, shape), F32, -2, 3), constant=d.chance())


@operator("Mod", sets=(10, 24))
def _mod(d):
    shape = d.shape()
    if d.chance():
        d.set(fmod=1)
        d.input(d.array(shape))
        d.input(d.array(_part(d, shape), F32, 0.5, 3))
    else:
        dtype = d.pick(I32, I64)
        d.input(d.array(shape, dtype))
        d.input(d.array(_part(d, shape), dtype, 1, 9) * d.pick(dtype.type(1), dtype.type(-1)))


@operator("Min", "Max", "Sum", "Mean")
def _several(d):
    shape = d.shape()
    dtype = d.pick(F32, F32, I32, I64) if d.name in ("Min", "Max") and d.opset >= 12 else F32
    for i in range(d.upto(1, 4)):
        d.input(d.array(shape if i == 0 or d.opset < 8 else _part(d, shape), dtype))


@operator("Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual")
def _compare(d):
    d.opset = max(d.opset, 12 if d.name.endswith("OrEqual") else 7)
    shape = d.shape()
    if d.name == "Equal":
        dtype = d.pick(F32, I32, I64) if d.opset >= 11 else d.pick(I32, I64)
    else:
        dtype = d.pick(F32, I32, I64) if d.opset >= 9 else F32
    for s in (shape, _part(d, shape)):
        d.input(d.array(s, I32, -2, 2).astype(dtype))


@operator("And", "Or", "Xor")
def _logic(d):
    _pair(d, BOOL)


@operator("Not")
def _not(d):
    d.input(d.array(d.shape(), BOOL))


@operator("Where", sets=(9, 24))
def _where(d):
    shape, dtype = d.shape(), d.pick(F32, I64, I32)
    d.input(d.array(_part(d, shape), BOOL))
    d.input(d.array(shape, dtype))
    d.input(d.array(_part(d, shape), dtype))


@operator("Identity", "Dropout")
def _same(d):
    if d.name == "Dropout" and d.opset < 12 and d.chance():
        d.set(ratio=0.3)
    d.input(d.array(d.shape()))


@operator("Cast", sets=(9, 24))
def _cast(d):
    source, to = d.pick(F32, I32, I64, U8, I8, BOOL), d.pick(F32, I32, I64, U8, I8, BOOL)
    d.set(to=int(numpy_helper.from_array(np.zeros(1, to)).data_type))
    low, high = (0, 100) if U8 in (to, source) else (-100, 100)
    d.input(d.array(d.shape(), source, low, high))


# ---- Products and windows --------------------------------------------------------------------------------------------


@operator("MatMul")
def _matmul(d):
    m, k, n, batch = d.upto(1, 5), d.upto(1, 7), d.upto(1, 5), d.shape(0, 2, 3)
    kind = d.upto(0, 3)
    left, right = [*batch, m, k], [*_part(d, batch), k, n]
    if kind == 0:
        left = [k]
    elif kind == 1:
        right = [k]
    d.input(d.array(left))
    d.input(d.array(right), constant=d.chance())


@operator("MatMulInteger", sets=(10, 24))
def _matmul_integer(d):
    m, k, n = d.upto(1, 5), d.upto(1, 7), d.upto(1, 5)
    a, b = d.pick(U8, I8), d.pick(U8, I8)
    d.input(d.array([m, k], a))
    d.input(d.array([k, n], b), constant=d.chance())
    if d.chance(0.7):
        d.constant(d.array([], a, 0, 20))
        if d.chance(0.7):
            d.constant(d.array([], b, 0, 20))


@operator("Gemm")
def _gemm(d):
    m, k, n = d.upto(1, 5), d.upto(1, 7), d.upto(1, 5)
    ta, tb = d.upto(0, 1), d.upto(0, 1)
    d.set(transA=ta, transB=tb)
    if d.chance():
        d.set(alpha=float(d.array([], F32, 0.2, 2)), beta=float(d.array([], F32, 0.2, 2)))
    d.input(d.array([k, m] if ta else [m, k]))
    d.input(d.array([n, k] if tb else [k, n]), constant=d.chance())
    if d.opset < 11 or d.chance(0.8):
        d.input(d.array(_part(d, [m, n])), constant=d.chance())


def _window(d, dims, dilated=True, pads=True):
    """Draws kernel, strides, pads, dilations; gives the kernel and the extents of an image that holds it."""
    kernel = [d.upto(1, 3) for _ in range(dims)]
    strides = [d.upto(1, 3) for _ in range(dims)] if d.chance(0.7) else None
    dilations = [d.upto(1, 2) for _ in range(dims)] if dilated and d.chance(0.3) else None
    image = [d.upto((k - 1) * (dilations[i] if dilations else 1) + 1, 8) for i, k in enumerate(kernel)]
    d.set(strides=strides, dilations=dilations)
    way = d.upto(0, 3) if pads else 3
    if way == 0:
        d.set(pads=[d.upto(0, k - 1) for k in kernel * 2])
    elif way == 1 and not dilations and (d.name == "Conv" or all(k >= s for k, s in zip(kernel, strides or []))):
        # Where strides are larger than the kernel, ONNX Runtime's pools pad by negative numbers, its convolutions do not.
        d.set(auto_pad=d.pick("SAME_UPPER", "SAME_LOWER", "VALID"))
    return kernel, image


@operator("Conv")
def _conv(d):
    kernel, image = _window(d, d.pick(2, 2, 2, 1, 3))
    groups, per, out = d.upto(1, 3), d.upto(1, 3), d.upto(1, 3)
    if d.chance():
        d.set(kernel_shape=kernel)
    if groups > 1 or d.chance():
        d.set(group=groups)
    d.input(d.array([d.upto(1, 2), groups * per, *image]))
    d.input(d.array([groups * out, per, *kernel]), constant=d.chance(0.7))
    if d.chance():
        d.input(d.array([groups * out]), constant=d.chance(0.7))


@operator("ConvInteger", sets=(10, 24))
def _conv_integer(d):
    kernel, image = _window(d, 2)
    d.input(d.array([1, 2, *image], U8))
    d.input(d.array([3, 2, *kernel], d.pick(U8, I8)), constant=True)
    if d.chance():
        d.constant(d.array([], U8, 0, 30))


@operator("ConvTranspose")
def _conv_transpose(d):
    dims = d.pick(2, 2, 1, 3)
    kernel, strides = [d.upto(1, 3) for _ in range(dims)], [d.upto(1, 3) for _ in range(dims)]
    image = [d.upto(2, 5) for _ in range(dims)]
    groups, per, out = d.upto(1, 3), d.upto(1, 2), d.upto(1, 2)
    d.set(strides=strides, kernel_shape=kernel if d.chance() else None, group=groups)
    if d.chance():
        d.set(pads=[d.upto(0, (k - 1) // 2) for k in kernel * 2])
    if d.chance(0.4):
        d.set(output_padding=[d.upto(0, s - 1) for s in strides])
    if d.chance(0.2):
        d.set(dilations=[d.upto(1, 2) for _ in range(dims)])
    d.input(d.array([1, groups * per, *image]))
    d.input(d.array([groups * per, out, *kernel]), constant=d.chance(0.7))
    if d.chance():
        d.input(d.array([groups * out]), constant=True)


@operator("MaxPool", "AveragePool", "LpPool")
def _pool(d):
    # Average pooling has dilations from operator set 19 on; they and ceil_mode are ways of their own.
    kernel, image = _window(d, d.pick(2, 2, 1, 3), dilated=d.opset >= {"MaxPool": 10, "AveragePool": 19, "LpPool": 18}[d.name])
    d.set(kernel_shape=kernel)
    if d.opset >= 10 and d.chance(0.3) and "auto_pad" not in d.attributes and d.name != "LpPool":
        d.set(ceil_mode=1)
    # From set 19 on ONNX Runtime 1.24 takes the padding below rows from that left of columns where padding counts.
    if d.name == "AveragePool" and d.chance() and (
            d.opset < 19 or (len(set(d.attributes.get("pads", [0]))) == 1 and "auto_pad" not in d.attributes)):
        d.set(count_include_pad=1)
    d.input(d.array([d.upto(1, 2), d.upto(1, 3), *image]))


@operator("GlobalAveragePool", "GlobalMaxPool")
def _global_pool(d):
    d.input(d.array([d.upto(1, 2), d.upto(1, 4), *[d.upto(1, 6) for _ in range(d.pick(2, 2, 1, 3))]]))


@operator("LRN")
def _lrn(d):
    d.set(size=d.pick(1, 3, 5))
    if d.chance():
        d.set(alpha=float(d.array([], F32, 0.01, 0.9)), beta=float(d.array([], F32, 0.3, 1)), bias=1.5)
    d.input(d.array([1, d.upto(1, 6), d.upto(1, 4), d.upto(1, 4)]))


# ---- Normalization and reductions ------------------------------------------------------------------------------------


@operator("BatchNormalization", "InstanceNormalization")
def _norm(d):
    channels = d.upto(1, 4)
    d.input(d.array([d.upto(1, 2), channels, *[d.upto(2, 5) for _ in range(d.pick(2, 2, 1))]]))
    d.constant(d.array([channels]))
    d.constant(d.array([channels]))
    if d.name == "BatchNormalization":
        d.constant(d.array([channels]))
        d.constant(d.array([channels], F32, 0.2, 2))
    if d.chance():
        d.set(epsilon=float(d.array([], F32, 1e-4, 0.1)))
    d.tolerance = 1e-4


@operator("LayerNormalization", sets=(17, 24))
def _layer_norm(d):
    shape = [*d.shape(1, 3), d.upto(2, 6)]
    axis = d.upto(0, len(shape) - 1)
    if shape[axis:] == [1]:
        axis = 0
    d.set(axis=axis - len(shape) if d.chance() else axis)
    # Numbers at a distance from each other: where the variance is next to nothing, rounding is all that is left.
    ramp = d.random.permuted(np.arange(np.prod(shape), dtype=F32)).reshape(shape) if len(shape) == 1 else \
        np.arange(shape[-1], dtype=F32)
    d.input(d.array(shape, F32, 0, 0.5) + ramp)
    d.constant(d.array(shape[axis:]))
    if d.chance():
        d.constant(d.array(shape[axis:]))
    d.tolerance = 1e-4


@operator("ReduceMean", "ReduceSum", "ReduceL1", "ReduceL2", "ReduceSumSquare", "ReduceProd", "ReduceMax", "ReduceMin",
          "ReduceLogSum", "ReduceLogSumExp")
def _reduce(d):
    shape = d.shape(1)
    axes = [int(a) for a in d.random.permutation(len(shape))[:d.upto(1, len(shape))]] if d.chance(0.8) else None
    if axes and d.chance(0.3) and d.opset >= 11:
        axes = [a - len(shape) for a in axes]
    if d.chance(0.7):
        d.set(keepdims=d.upto(0, 1))
    d.input(d.array(shape, F32, 0.1, 2) if "Log" in d.name else d.array(shape))
    if d.opset >= (13 if d.name == "ReduceSum" else 18):
        if axes:
            d.constant(np.array(axes, I64))
        elif d.chance(0.3):
            d.set(noop_with_empty_axes=1)
    else:
        d.set(axes=axes)


@operator("Softmax", "LogSoftmax", "Hardmax")
def _softmax(d):
    shape = d.shape(2 if d.opset < 13 else 1)
    if d.chance(0.7):
        axis = d.upto(0, len(shape) - 1)
        d.set(axis=axis - len(shape) if d.opset >= 11 and d.chance() else axis)
    d.input(d.array(shape))


@operator("ArgMax", "ArgMin")
def _arg(d):
    shape = d.shape(1)
    if d.chance(0.8):
        d.set(axis=d.upto(0, len(shape) - 1))
    if d.chance():
        d.set(keepdims=d.upto(0, 1))
    d.input(d.array(shape))


# ---- Moving elements -------------------------------------------------------------------------------------------------


@operator("Reshape")
def _reshape(d):
    shape, target = d.shape(1), []
    rest = int(np.prod(shape))
    for _ in range(d.upto(0, 3)):
        divisors = [n for n in range(1, rest + 1) if rest % n == 0]
        target.append(d.pick(*divisors))
        rest //= target[-1]
    target.append(d.pick(-1, rest))
    if len(target) <= len(shape) and target[0] == shape[0] and d.chance():
        target[0] = 0
    d.input(d.array(shape, d.pick(F32, I64)))
    d.constant(np.array(target, I64))


@operator("Flatten")
def _flatten(d):
    shape = d.shape(1)
    if d.chance(0.8):
        d.set(axis=d.upto(-len(shape) if d.opset >= 11 else 0, len(shape)))
    d.input(d.array(shape))


@operator("Squeeze", "Unsqueeze")
def _squeeze(d):
    rank = d.upto(1, 3)
    axes = sorted(int(a) for a in d.random.permutation(rank)[:d.upto(1, rank)])
    shape = [1 if i in axes else d.upto(1, 4) for i in range(rank)]
    d.input(d.array(shape if d.name == "Squeeze" else [n for i, n in enumerate(shape) if i not in axes]))
    if d.opset >= 11 and d.chance(0.3):
        axes = [a - rank for a in axes]
    if d.name == "Squeeze" and d.chance(0.2):
        return
    if d.opset >= 13:
        d.constant(np.array(axes, I64))
    else:
        d.set(axes=axes)


@operator("Transpose")
def _transpose(d):
    shape = d.shape(1)
    if d.chance(0.8):
        d.set(perm=[int(a) for a in d.random.permutation(len(shape))])
    d.input(d.array(shape, d.pick(F32, I64, U8)))


@operator("Concat")
def _concat(d):
    shape, dtype = d.shape(1), d.pick(F32, F32, I64)
    axis = d.upto(0, len(shape) - 1)
    for _ in range(d.pick(1, 2, 3, 4, 12)):
        d.input(d.array([d.upto(1, 4) if i == axis else n for i, n in enumerate(shape)], dtype))
    d.set(axis=axis - len(shape) if d.opset >= 11 and d.chance() else axis)


@operator("Split")
def _split(d):
    shape, d.outputs = d.shape(1), d.upto(1, 3)
    axis = d.upto(0, len(shape) - 1)
    equal = d.chance(0.4)
    parts = [d.upto(1, 3)] * d.outputs if equal else [d.upto(1, 3) for _ in range(d.outputs)]
    shape[axis] = sum(parts)
    d.set(axis=axis)
    d.input(d.array(shape))
    if d.opset >= 18 and equal:
        d.set(num_outputs=d.outputs)
    elif not equal or d.outputs == 1:
        if d.opset >= 13:
            d.constant(np.array(parts, I64))
        else:
            d.set(split=parts)


@operator("Slice")
def _slice(d):
    shape = d.shape(1)
    axes = [int(a) for a in d.random.permutation(len(shape))[:d.upto(1, len(shape))]]
    starts, ends, steps = [], [], []
    for a in axes:
        n = shape[a]
        step = d.pick(1, 1, 2, -1, -2) if d.opset >= 10 else 1
        first, last = sorted((d.upto(0, n - 1), d.upto(0, n - 1)))
        if step > 0:
            start, end = first, d.pick(last + 1, n + 5, 2**31)
        else:
            start, end = d.pick(last, n + 3), d.pick(first - 1 if first else -n - 1, -n - 5)
        starts.append(start - n if step > 0 and d.chance(0.2) else start)
        ends.append(end)
        steps.append(step)
    d.input(d.array(shape, d.pick(F32, I64)))
    if d.opset < 10:
        d.set(axes=axes if axes != list(range(len(axes))) or d.chance() else None, starts=starts, ends=ends)
        return
    for values in (starts, ends, axes, steps):
        d.constant(np.array(values, I64))


@operator("Gather")
def _gather(d):
    shape = d.shape(1)
    axis = d.upto(0, len(shape) - 1)
    indices = d.array(d.shape(0, 2), d.pick(I64, I32), 0, shape[axis] - 1)
    if d.opset >= 11 and d.chance(0.3):
        indices = indices - indices.dtype.type(shape[axis])
    d.set(axis=axis)
    d.input(d.array(shape))
    d.input(indices, constant=d.chance(0.7))


@operator("Expand", sets=(8, 24))
def _expand(d):
    shape = d.shape()
    d.input(d.array(_part(d, shape)))
    d.constant(np.array(shape, I64))


@operator("Tile")
def _tile(d):
    shape = d.shape(1)
    d.input(d.array(shape))
    d.constant(np.array([d.upto(1, 3) for _ in shape], I64))


@operator("Pad")
def _pad(d):
    shape = d.shape(1)
    mode = d.pick("constant", "reflect", "edge", *(["wrap"] if d.opset >= 19 else []))
    limit = [2 if mode in ("constant", "edge") else min(2, n - 1) for n in shape]
    pads = [d.upto(0, n) for n in limit + limit]
    if d.chance():
        d.set(mode=mode)
    elif mode != "constant":
        d.set(mode=mode)
    d.input(d.array(shape))
    if d.opset < 11:
        d.set(pads=pads, value=1.5 if d.chance() else None)
        return
    some = sorted(int(a) for a in d.random.permutation(len(shape))[:d.upto(1, len(shape))])
    some = some if d.opset >= 18 and d.chance() else None
    if some:
        pads = [pads[a] for a in some] + [pads[len(shape) + a] for a in some]
    d.constant(np.array(pads, I64))
    if mode == "constant" and d.chance():
        d.constant(d.array([]))
    elif some:
        d.constant(None)
    if some:
        d.constant(np.array([a - d.upto(0, 1) * len(shape) for a in some], I64))


@operator("Resize", sets=(10, 24))
def _resize(d):
    if d.opset == 10:
        d.set(mode=d.pick("nearest", "linear"))
        d.input(d.array([1, d.upto(1, 3), d.upto(2, 6), d.upto(2, 6)]))
        d.constant(np.array([1, 1, d.upto(2, 3), d.upto(1, 3)], F32))
        return
    mode = d.pick("nearest", "linear", "cubic")
    how = d.pick(None, "half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric",
                 *(["half_pixel_symmetric"] if d.opset >= 19 else []))
    d.set(mode=mode, coordinate_transformation_mode=how)
    if mode == "nearest":
        d.set(nearest_mode=d.pick(None, "round_prefer_floor", "round_prefer_ceil", "floor", "ceil"))
    if mode == "cubic":
        d.set(cubic_coeff_a=d.pick(None, -0.5), exclude_outside=d.pick(None, 1))
    shape = [1, d.upto(1, 3), d.upto(2, 6), d.upto(2, 6)]
    some = d.opset >= 18 and d.chance()
    if some:
        d.set(axes=[2, 3] if d.chance() else [-2, -1])
    d.input(d.array(shape))
    nothing = np.zeros(0, F32) if d.opset < 13 else None  # what may not be left out is empty
    d.constant(nothing)
    smooth = d.opset >= 18 and mode != "nearest" and d.chance(0.3)
    if d.chance() and not smooth:
        scales = [d.pick(0.5, 1, 1.5, 2, 3), d.pick(0.5, 1, 1.25, 2, 2.5)]
        if [int(n * s) for n, s in zip(shape[2:], scales)] == shape[2:]:
            scales = [1, 1]  # ONNX Runtime copies where no extent changes, whatever the scales
        d.constant(np.array(scales if some else [1, 1, *scales], F32))
    else:
        d.constant(nothing)
        # ONNX Runtime 1.24 may crash where sizes are those of some axes.
        d.attributes.pop("axes", None)
        d.constant(np.array([1, shape[1], d.upto(1, 9), d.upto(1, 9)], I64))
        if d.opset >= 18 and d.chance(0.3):
            d.set(keep_aspect_ratio_policy=d.pick("stretch", "not_larger", "not_smaller"))
        if smooth:
            d.set(antialias=1, exclude_outside=None)
    d.tolerance = 1e-4


@operator("Upsample", sets=(7, 9))
def _upsample(d):
    scales = [1.0, 1.0, float(d.upto(1, 3)), float(d.upto(1, 3))]
    d.set(mode=d.pick("nearest", "linear"))
    d.input(d.array([1, d.upto(1, 3), d.upto(2, 5), d.upto(2, 5)]))
    if d.opset < 9:
        d.set(scales=scales)
    else:
        d.constant(np.array(scales, F32))


@operator("DepthToSpace", "SpaceToDepth")
def _depth(d):
    b, c, h, w = d.upto(1, 3), d.upto(1, 3), d.upto(1, 3), d.upto(1, 3)
    d.set(blocksize=b)
    if d.name == "DepthToSpace":
        if d.opset >= 11 and d.chance(0.7):
            d.set(mode=d.pick("DCR", "CRD"))
        d.input(d.array([1, c * b * b, h, w]))
    else:
        d.input(d.array([1, c, h * b, w * b]))


@operator("Shape", "Size")
def _shape(d):
    shape = d.shape(1)
    if d.name == "Shape" and d.opset >= 15 and d.chance():
        d.set(start=d.upto(-len(shape), len(shape)), end=d.pick(None, d.upto(-len(shape), len(shape))))
    d.input(d.array(shape))


@operator("Range", sets=(11, 24))
def _range(d):
    dtype = d.pick(I64, I32, F32)
    step = d.pick(1, 2, 3, -1, -2)
    start, count = d.upto(-5, 5), d.upto(1, 6)
    for x in (start, start + step * count, step):
        d.constant(np.array(x, dtype))


@operator("ConstantOfShape", sets=(9, 24))
def _constant_of_shape(d):
    d.constant(np.array(d.shape(1), I64))
    if d.chance():
        d.set(value=numpy_helper.from_array(d.array([1], d.pick(F32, I64, I32))))


# ---- Quantization ----------------------------------------------------------------------------------------------------


def _scale(d, n=None):
    return d.array([] if n is None else [n], F32, 0.01, 0.1)


@operator("QuantizeLinear", "DequantizeLinear", sets=(10, 24))
def _quantize(d):
    dtype, shape = d.pick(U8, I8), d.shape(1)
    axis = d.upto(0, len(shape) - 1) if d.opset >= 13 and d.chance() else None
    d.set(axis=axis)
    n = None if axis is None else shape[axis]
    d.input(d.array(shape, F32, -6, 6) if d.name == "QuantizeLinear" else d.array(shape, dtype))
    d.constant(_scale(d, n))
    if d.chance(0.8):
        d.constant(d.array([] if n is None else [n], dtype, 0, 40))
    elif d.name == "DequantizeLinear" or dtype != U8:
        d.constant(np.zeros([] if n is None else [n], dtype))


@operator("DynamicQuantizeLinear", sets=(11, 24))
def _dynamic(d):
    d.outputs = 3
    d.input(d.array(d.shape(1)))


@operator("QLinearMatMul", sets=(10, 24))
def _qlinear_matmul(d):
    m, k, n, dtype = d.upto(1, 5), d.upto(1, 7), d.upto(1, 5), d.pick(U8, I8)
    for shape in ([m, k], [k, n]):
        d.input(d.array(shape, dtype), constant=len(d.order) > 0)
        d.constant(_scale(d))
        d.constant(d.array([], dtype, 0, 30))
    d.constant(_scale(d) * F32.type(5))
    d.constant(d.array([], dtype, 0, 30))


@operator("QLinearConv", sets=(10, 24))
def _qlinear_conv(d):
    kernel, image = _window(d, 2)
    groups, per, out = d.upto(1, 2), d.upto(1, 3), d.upto(1, 3)
    x, w = d.pick((U8, U8), (I8, I8), (U8, I8))
    d.set(group=groups)
    d.input(d.array([1, groups * per, *image], x))
    d.constant(_scale(d))
    d.constant(d.array([], x, 0, 30))
    each = d.chance()
    d.constant(d.array([groups * out, per, *kernel], w))
    d.constant(_scale(d, groups * out if each else None))
    d.constant(np.zeros([groups * out] if each else [], w) if w == I8 else d.array([], w, 0, 30) if not each
               else np.full([groups * out], 7, w))
    d.constant(_scale(d) * F32.type(5))
    d.constant(d.array([], x, 0, 30))
    if d.chance():
        d.constant(d.array([groups * out], I32))


@operator("QLinearAdd", "QLinearMul", sets=(10, 24))
def _qlinear_binary(d):
    d.domain, dtype, shape = "com.microsoft", d.pick(U8, I8), d.shape(1)
    for i in range(2):
        d.input(d.array(shape if i == 0 else _part(d, shape), dtype))
        d.constant(_scale(d))
        d.constant(d.array([], dtype, 0, 30))
    d.constant(_scale(d))
    d.constant(d.array([], dtype, 0, 30))


@operator("QLinearLeakyRelu", "QLinearSigmoid")
def _qlinear_unary(d):
    d.domain, dtype = "com.microsoft", d.pick(U8, I8)
    if d.name == "QLinearLeakyRelu":
        d.set(alpha=0.1)
    d.input(d.array(d.shape(1), dtype))
    d.constant(_scale(d))
    d.constant(d.array([], dtype, 0, 30))
    d.constant(np.array(1 / 256, F32) if d.name == "QLinearSigmoid" else _scale(d))
    d.constant(d.array([], dtype, 0, 30))


@operator("QLinearGlobalAveragePool")
def _qlinear_pool(d):
    d.domain, dtype = "com.microsoft", d.pick(U8, I8)
    d.set(channels_last=0)
    d.input(d.array([1, d.upto(1, 4), d.upto(1, 5), d.upto(1, 5)], dtype))
    for _ in range(2):
        d.constant(_scale(d))
        d.constant(d.array([], dtype, 0, 30))

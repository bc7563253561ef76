"""Steps of random networks (onnx_networks): what exporters and quantizers write for the layers of real networks."""

import numpy as np
from onnx import TensorProto

from onnx_cases import BOOL, F32, I8, I32, I64, U8
from onnx_networks import Invalid

PATTERNS = []


def pattern(least=7, last=24, times=1):
    """Registers a step for these operator sets, drawn so many times as often as another."""
    def register(function):
        PATTERNS.extend([(function, least, last)] * times)
        return function
    return register


# ---- Images ----------------------------------------------------------------------------------------------------------


def _activation(net, x):
    name = net.pick("Relu", "Relu", "LeakyRelu", "Clip", "Sigmoid", "silu", "hardswish", "HardSigmoid", "Elu", "PRelu", "Tanh",
                    "Softplus", "mish", "HardSwish", None)
    if name is None:
        return x
    if name == "Clip":
        low, high = net.pick((0, 6), (-1, 1), (0, 1))
        if net.opset < 11:
            return net.node("Clip", [x], min=float(low), max=float(high))
        return net.node("Clip", [x, net.const(np.float32(low)), net.const(np.float32(high))])
    if name == "silu":
        return net.node("Mul", [x, net.node("Sigmoid", [x])])
    if name == "mish":
        return net.node("Mul", [x, net.node("Tanh", [net.node("Softplus", [x])])])
    if name == "hardswish":  # of PyTorch before set 14
        y = net.node("Add", [x, net.const(np.float32(3))])
        y = net.node("Clip", [y, net.const(np.float32(0)), net.const(np.float32(6))]) if net.opset >= 11 else \
            net.node("Clip", [y], min=0.0, max=6.0)
        return net.node("Div", [net.node("Mul", [x, y]), net.const(np.float32(6))])
    if name == "HardSwish":
        return net.node(name, [x]) if net.opset >= 14 else x
    if name == "PRelu":
        return net.node(name, [x, net.const(net.array([x.shape[1], 1, 1] if len(x.shape) == 4 else [1], 0.05, 0.4))])
    return net.node(name, [x], alpha=0.1) if name in ("LeakyRelu", "Elu") else net.node(name, [x])


def _conv(net, x, out=None, kernel=None, strides=None, group=1, bias=None):
    channels = x.shape[1]
    kernel = kernel or net.pick(1, 1, 3, 3, 5 if min(x.shape[2:]) >= 5 else 3)
    out = out or net.pick(1, 2, 4, 8, 16, 24)
    strides = strides or net.pick(1, 1, 2)
    attributes = {"kernel_shape": [kernel, kernel], "strides": [strides, strides], "group": group if group > 1 else None,
                  "dilations": [1, 1] if net.chance() else None}
    if net.chance(0.2):
        attributes["auto_pad"] = net.pick("SAME_UPPER", "SAME_LOWER")
    else:
        attributes["pads"] = [kernel // 2] * 4 if net.chance(0.8) else [0, 0, kernel // 2, kernel // 2]
    given = [x, net.weights(out, channels // group, kernel, kernel)]
    if bias if bias is not None else net.chance(0.7):
        given.append(net.const(net.array([out])))
    return net.node("Conv", given, **attributes)


def _batch_norm(net, x):
    n = x.shape[1]
    return net.node("BatchNormalization", [x, net.const(net.array([n], 0.5, 1.5)), net.const(net.array([n])),
                                           net.const(net.array([n])), net.const(net.array([n], 0.3, 2))], epsilon=1e-5)


@pattern(times=3)
def convolution(net):
    x = _conv(net, net.image())
    if net.chance(0.4):
        x = _batch_norm(net, x)
    _activation(net, x)


@pattern(times=2)
def residual(net):
    x = net.image()
    y = _activation(net, _conv(net, x, x.shape[1], 3, 1))
    y = _conv(net, y, x.shape[1], 1, 1) if net.chance() else y
    if y.shape != x.shape:
        raise Invalid("shapes")
    net.node("Relu", [net.node("Add", [y, x] if net.chance() else [x, y])])


@pattern()
def depthwise(net):
    x = net.image()
    _activation(net, _conv(net, x, x.shape[1] * net.pick(1, 1, 2), 3, None, x.shape[1]))


@pattern()
def squeeze_excite(net):
    x = net.image()
    if net.chance():
        y = net.node("GlobalAveragePool", [x])
    else:
        y = net.reduce("ReduceMean", x, [2, 3] if net.opset < 11 or net.chance() else [-1, -2])
    y = net.node("Relu", [_conv(net, y, 4, 1, 1)])
    y = _conv(net, y, x.shape[1], 1, 1)
    net.node("Mul", [x, net.node(net.pick("Sigmoid", "HardSigmoid"), [y])])


@pattern()
def branches(net):
    """Inception: convolutions of one image, concatenated."""
    x = net.image()
    parts = [_activation(net, _conv(net, x, None, net.pick(1, 3), 1)) for _ in range(net.upto(2, 3))]
    if net.chance():
        parts.append(net.node("MaxPool", [x], kernel_shape=[3, 3], pads=[1, 1, 1, 1], strides=[1, 1]))
    if len({tuple(p.shape[2:]) for p in parts}) != 1:
        raise Invalid("shapes")
    net.node("Concat", parts, axis=1 if net.opset < 11 or net.chance() else -3)


@pattern()
def shuffled_channels(net):
    x = net.image()
    n, c, h, w = x.shape
    groups = 2 if c % 2 == 0 else 1
    y = net.reshape(x, [n, groups, c // groups, h, w])
    net.reshape(net.node("Transpose", [y], perm=[0, 2, 1, 3, 4]), [n, c, h, w])


@pattern()
def halves(net):
    """ShuffleNet's and C3's: channels in two parts, one of them worked on."""
    x = net.image()
    c = x.shape[1]
    if c < 2:
        raise Invalid("channels")
    parts = [c // 2, c - c // 2]
    if net.opset >= 13:
        a, b = net.node("Split", [x, net.const(parts, I64)], 2, axis=1)
    else:
        a, b = net.node("Split", [x], 2, axis=1, split=parts)
    net.node("Concat", [a, _activation(net, _conv(net, b, b.shape[1], 1, 1))], axis=1)


@pattern()
def upsampled(net):
    """Resize as exporters write it: known scales, known sizes, or sizes computed of another image's."""
    x = net.image()
    times = net.pick(2, 2, 3)
    if net.opset < 10:
        scales = [1.0, 1.0, float(times), float(times)]
        if net.opset < 9:
            net.node("Upsample", [x], mode=net.pick("nearest", "linear"), scales=scales)
        else:
            net.node("Upsample", [x, net.const(scales, F32)], mode="nearest")
        return
    mode = net.pick(dict(mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor"),
                    dict(mode="linear", coordinate_transformation_mode="half_pixel"),
                    dict(mode="linear", coordinate_transformation_mode="align_corners"),
                    dict(mode="linear", coordinate_transformation_mode="pytorch_half_pixel"),
                    dict(mode="cubic", coordinate_transformation_mode="half_pixel", cubic_coeff_a=-0.75))
    if net.opset == 10:
        mode = dict(mode="nearest")
        net.node("Resize", [x, net.const([1, 1, times, times], F32)], **mode)
        return
    empty = None if net.opset >= 13 else net.const(np.zeros(0, F32))
    way = net.upto(0, 2)
    if way == 0:
        net.node("Resize", [x, empty, net.const([1, 1, times, times], F32)], **mode)
        return
    if way == 1:
        sizes = net.const([*x.shape[:2], net.upto(2, 12), net.upto(2, 12)], I64)
    else:
        lead = net.slice(net.node("Shape", [x]), 0, 0, 2)
        part = net.slice(net.node("Shape", [x]), 0, 2, 4)
        sizes = net.node("Concat", [lead, net.node("Mul", [part, net.const([times, times], I64)])], axis=0)
    net.node("Resize", [x, empty, empty if net.opset >= 13 else net.const(np.zeros(0, F32)), sizes], **mode)


@pattern()
def pools(net):
    x = net.image()
    kind, kernel = net.pick("MaxPool", "AveragePool"), net.pick(2, 3)
    net.node(kind, [x], kernel_shape=[kernel, kernel], strides=[net.pick(1, 2)] * 2,
             ceil_mode=net.pick(None, 1) if net.opset >= 10 else None,
             pads=[kernel // 2] * 4 if net.chance() else None,
             count_include_pad=net.pick(None, 0) if kind == "AveragePool" else None)


@pattern()
def padded(net):
    """PyTorch's padding in front of a window, its pads computed as it computes them."""
    x = net.image()
    pads = [0, 0, 1, 0, 0, 0, 1, 2]
    mode = net.pick("constant", "reflect", "edge")
    if net.opset < 11:
        y = net.node("Pad", [x], mode=mode, pads=pads)
    elif net.chance():
        y = net.node("Pad", [x, net.const(pads, I64)], mode=mode)
    else:  # torch: pairs from the last axis on, turned round
        pairs = net.const([0, 2, 1, 1], I64)
        zeros = net.node("ConstantOfShape", [net.const([4], I64)])
        both = net.node("Concat", [pairs, net.node("Cast", [zeros], to=TensorProto.INT64)], axis=0)
        rows = net.node("Reshape", [both, net.const([-1, 2], I64)])
        turned = net.slice(rows, 0, -1, -(1 << 62), -1)
        flat = net.node("Reshape", [net.node("Transpose", [turned], perm=[1, 0]), net.const([-1], I64)])
        y = net.node("Pad", [x, flat, net.const(np.float32(0.25))] if net.chance() else [x, flat], mode="constant")
    _activation(net, _conv(net, y))


@pattern()
def detector(net):
    """A YOLO head: boxes and classes of each cell."""
    x = net.image()
    n, _, h, w = x.shape
    y = _conv(net, x, 14, 1, 1)
    y = net.reshape(y, [n, 2, 7, y.shape[2], y.shape[3]])
    y = net.node("Sigmoid", [net.node("Transpose", [y], perm=[0, 1, 3, 4, 2])])
    if net.opset >= 13:
        xy, wh, rest = net.node("Split", [y, net.const([2, 2, 3], I64)], 3, axis=4 if net.chance() else -1)
    else:
        xy, wh, rest = net.node("Split", [y], 3, axis=4, split=[2, 2, 3])
    xy = net.node("Add", [net.node("Mul", [xy, net.const(np.float32(2))]), net.const(net.array([1, 1, *y.shape[2:4], 2]))])
    xy = net.node("Mul", [xy, net.const(np.float32(8))])
    wh = net.node("Pow", [net.node("Mul", [wh, net.const(np.float32(2))]), net.const(np.float32(2))])
    wh = net.node("Mul", [wh, net.const(net.array([1, 2, 1, 1, 2], 1, 4))])
    y = net.node("Concat", [xy, wh, rest], axis=4)
    net.node("Reshape", [y, net.const([n, -1, 7], I64)])


@pattern()
def tf_image(net):
    """tf2onnx: N H W C turned to N C H W in front of a convolution, and back."""
    x = net.image()
    y = net.node("Transpose", [net.node("Transpose", [x], perm=[0, 2, 3, 1])], perm=[0, 3, 1, 2])
    y = net.node("Transpose", [_conv(net, y, bias=False)], perm=[0, 2, 3, 1])
    y = net.node("Add", [y, net.const(net.array([y.shape[3]]))])
    net.node("Relu", [y])
    if net.chance():
        net.node("Reshape", [y, net.const([-1, int(np.prod(y.shape[1:]))], I64)])


@pattern()
def dense(net):
    x = net.some(rank=2) if net.chance() else None
    if x is None:
        image = net.image()
        if net.chance():
            image = net.node(net.pick("GlobalAveragePool", "GlobalMaxPool"), [image])
        x = net.node("Flatten", [image], axis=1) if net.chance() else net.reshape(
            image, [image.shape[0], int(np.prod(image.shape[1:]))])
    width, out = x.shape[1], net.upto(1, 20)
    if net.chance(0.6):
        y = net.node("Gemm", [x, net.weights(out, width), net.const(net.array([out]))], transB=1, alpha=net.pick(None, 1.0))
    else:
        y = net.node("Add", [net.node("MatMul", [x, net.const(net.array([width, out]))]), net.const(net.array([out]))])
    y = _activation(net, y) if len(y.shape) == 4 or net.chance() else y
    if net.chance(0.3):
        net.node(net.pick("Softmax", "LogSoftmax"), [y], axis=1 if net.opset < 13 or net.chance() else -1)


@pattern()
def conv_of_lines(net):
    x = net.float([net.upto(1, 2), net.pick(1, 3, 8, 16), net.upto(4, 20)])
    out, kernel = net.pick(2, 8, 16), net.pick(1, 3)
    y = net.node("Conv", [x, net.weights(out, x.shape[1], kernel), net.const(net.array([out]))], kernel_shape=[kernel],
                 pads=[kernel // 2] * 2, strides=[net.pick(1, 2)])
    y = _batch_norm(net, y) if net.chance() else y
    _activation(net, y)


@pattern()
def deconvolution(net):
    x = net.image()
    out = net.pick(2, 4, 8)
    y = net.node("ConvTranspose", [x, net.const(net.array([x.shape[1], out, 2, 2])), net.const(net.array([out]))],
                 kernel_shape=[2, 2], strides=[2, 2])
    _activation(net, y)


@pattern()
def instance_norm(net):
    x = net.image()
    n = x.shape[1]
    net.node("InstanceNormalization", [x, net.const(net.array([n], 0.5, 1.5)), net.const(net.array([n]))])


@pattern()
def group_norm(net):
    """GroupNorm as PyTorch writes it before set 18: InstanceNormalization of groups."""
    x = net.image()
    n, c, h, w = x.shape
    groups = 2 if c % 2 == 0 else 1
    y = net.node("Reshape", [x, net.const([0, groups, -1], I64)])
    y = net.node("InstanceNormalization", [y, net.const(np.ones(groups, F32)), net.const(np.zeros(groups, F32))])
    y = net.node("Reshape", [y, net.node("Shape", [x])])
    y = net.node("Mul", [y, net.const(net.array([c, 1, 1]))])
    net.node("Add", [y, net.const(net.array([c, 1, 1]))])


# ---- Sequences -------------------------------------------------------------------------------------------------------


def _tokens(net, width=None):
    """A tensor of images, steps, width."""
    found = [v for v in net.values if v.array.dtype == F32 and v.array.ndim == 3 and (width is None or v.shape[2] == width)]
    if found and net.chance(0.8):
        return net.calm(found[-1])
    return net.float([net.upto(1, 2), net.upto(1, 6), width or net.pick(4, 8, 12, 16)])


@pattern()
def layer_norm(net):
    """Written out, as exporters do before set 17."""
    x = _tokens(net)
    d = net.node("Sub", [x, net.reduce("ReduceMean", x, [-1] if net.opset >= 11 else [2])])
    power = net.node("Pow", [d, net.const(np.float32(2))]) if net.chance() else net.node("Mul", [d, d])
    v = net.reduce("ReduceMean", power, [-1] if net.opset >= 11 else [2])
    root = net.node("Sqrt", [net.node("Add", [v, net.const(np.float32(1e-2))])])
    y = net.node("Div", [d, root])
    width = x.shape[2]
    net.node("Add", [net.node("Mul", [y, net.const(net.array([width]))]), net.const(net.array([width]))])


@pattern(17)
def layer_norm_node(net):
    x = _tokens(net)
    w = x.shape[2]
    net.node("LayerNormalization", [x, net.const(net.array([w])), net.const(net.array([w]))], axis=-1, epsilon=1e-2)


@pattern(9)
def gelu(net):
    x = _tokens(net)
    e = net.node("Erf", [net.node("Div", [x, net.const(np.float32(np.sqrt(2)))])])
    y = net.node("Mul", [x, net.node("Add", [e, net.const(np.float32(1))])])
    net.node("Mul", [y, net.const(np.float32(0.5))])


@pattern()
def gelu_tanh(net):
    x = net.calm(_tokens(net), 4)
    cube = net.node("Pow", [x, net.const(np.float32(3))])
    y = net.node("Add", [x, net.node("Mul", [cube, net.const(np.float32(0.044715))])])
    y = net.node("Tanh", [net.node("Mul", [y, net.const(np.float32(np.sqrt(2 / np.pi)))])])
    y = net.node("Add", [y, net.const(np.float32(1))])
    net.node("Mul", [net.node("Mul", [x, net.const(np.float32(0.5))]), y])


def _linear(net, x, out):
    y = net.node("MatMul", [x, net.const(net.array([x.shape[-1], out]) / np.float32(np.sqrt(x.shape[-1])))])
    return net.node("Add", [net.const(net.array([out])), y]) if net.chance(0.8) else y


def _heads(net, x, heads):
    n, t, w = x.shape
    if net.chance(0.4):
        batch, steps = net.extent(x, 0), net.extent(x, 1)
        shape = net.node("Concat", [net.axes("Unsqueeze", batch, [0]), net.axes("Unsqueeze", steps, [0]),
                                    net.const([heads], I64), net.const([w // heads], I64)], axis=0)
        y = net.node("Reshape", [x, shape])
    else:
        y = net.reshape(x, [n, t, heads, w // heads])
    return net.node("Transpose", [y], perm=[0, 2, 1, 3])


@pattern(times=3)
def attention(net):
    """Multi-head attention, as PyTorch writes it."""
    x = _tokens(net)
    n, t, w = x.shape
    if w % 4:
        raise Invalid("width")
    heads = 2 if w < 16 else 4
    q, k, v = (_heads(net, _linear(net, x, w), heads) for _ in range(3))
    if net.chance():
        k = net.node("Transpose", [k], perm=[0, 1, 3, 2])
        scores = net.node("Div", [net.node("MatMul", [q, k]), net.const(np.float32(np.sqrt(w // heads)))])
    else:  # scale computed of the shape, on both sides
        scale = net.node("Sqrt", [net.node("Cast", [net.extent(q, 3)], to=TensorProto.FLOAT)])
        root = net.node("Sqrt", [net.node("Div", [net.const(np.float32(1)), scale])])
        k = net.node("Mul", [net.node("Transpose", [k], perm=[0, 1, 3, 2]), root])
        scores = net.node("MatMul", [net.node("Mul", [q, root]), k])
    if net.chance(0.4):
        mask = np.where(np.tril(np.ones([t, t])) > 0, 0, net.pick(-1e4, -np.inf, -3.4028235e38)).astype(F32)
        if np.isinf(mask).any() and net.opset >= 9:
            keep = net.const(np.tril(np.ones([1, 1, t, t])).astype(BOOL))
            scores = net.node("Where", [keep, scores, net.const(np.float32(-1e9))])
        else:
            scores = net.node("Add", [scores, net.const(np.maximum(mask, -1e4))])
    p = net.node("Softmax", [scores], axis=3 if net.opset < 13 or net.chance() else -1)
    y = net.node("Transpose", [net.node("MatMul", [p, v])], perm=[0, 2, 1, 3])
    y = net.node("Reshape", [y, net.const([0, 0, w], I64)]) if net.chance() else net.reshape(y, [n, t, w])
    y = _linear(net, y, w)
    if net.chance():
        net.node("Add", [x, y])


@pattern(14)
def causal(net):
    """A causal mask computed when the model runs, as PyTorch's scaled_dot_product_attention is written."""
    x = _tokens(net)
    n, t, w = x.shape
    steps = net.axes("Unsqueeze", net.extent(x, 1), [0])
    square = net.node("Concat", [steps, steps], axis=0)
    ones = net.node("Expand", [net.const(np.array(1, BOOL)), square]) if net.chance() else net.node(
        "Cast", [net.node("ConstantOfShape", [square], value=_tensor(np.ones(1, F32)))], to=TensorProto.BOOL)
    low = net.node("Trilu", [ones], upper=0)
    mask = net.node("Where", [low, net.const(np.float32(0)), net.const(np.float32(-np.inf))]) if False else net.node(
        "Where", [low, net.const(np.float32(0)), net.const(np.float32(-1e30))])
    scores = net.node("MatMul", [x, net.node("Transpose", [x], perm=[0, 2, 1])])
    p = net.node("Softmax", [net.node("Add", [scores, mask])], axis=-1)
    net.node("MatMul", [p, x])


def _tensor(array):
    from onnx import numpy_helper
    return numpy_helper.from_array(array)


@pattern(times=2)
def embedding(net):
    """Words and their places, both looked up."""
    words, width, n, t = net.upto(3, 20), net.pick(4, 8, 16), net.upto(1, 2), net.upto(1, 6)
    ids = net.input(net.array([n, t], 0, words - 1, net.pick(I64, I64, I32)))
    net.values.append(ids)
    y = net.node("Gather", [net.const(net.array([words, width])), ids])
    if net.chance():
        place = net.const(net.array([12, width]))
        if net.opset >= 11 and net.chance():
            at = net.node("Range", [net.const(0, I64), net.extent(ids, 1), net.const(1, I64)])
        else:
            at = net.slice(net.const(np.arange(12)[None], I64), 1, 0, t)
        p = net.node("Gather", [place, at])
        y = net.node("Add", [y, p])
    if net.chance(0.4) and net.opset >= 9:  # a mask of padding
        mask = net.node("Equal", [ids, net.const(0, ids.array.dtype)]) if net.opset >= 11 or ids.array.dtype != F32 else None
        mask = net.axes("Unsqueeze", net.node("Cast", [net.node("Not", [mask])], to=TensorProto.FLOAT), [2])
        net.node("Mul", [y, mask])


@pattern(times=2)
def recurrent(net):
    """LSTM or GRU with an initial state of zeros made of the input's shape, as PyTorch writes them."""
    x = _tokens(net)
    n, t, w = x.shape
    kind, hidden, both = net.pick("LSTM", "LSTM", "GRU", "RNN"), net.pick(2, 4, 8), net.pick(1, 1, 2)
    gates = {"LSTM": 4, "GRU": 3, "RNN": 1}[kind]
    y = net.node("Transpose", [x], perm=[1, 0, 2])
    given = [y, net.const(net.array([both, gates * hidden, w]) / 2), net.const(net.array([both, gates * hidden, hidden]) / 2),
             net.const(net.array([both, 2 * gates * hidden])), None]
    if net.opset >= 9 and net.chance(0.7):
        shape = net.node("Concat", [net.const([both], I64), net.axes("Unsqueeze", net.extent(y, 1), [0]),
                                    net.const([hidden], I64)], axis=0)
        zero = net.node("ConstantOfShape", [shape], value=_tensor(np.zeros(1, F32)))
        if net.chance(0.3):
            zero = net.node("Expand", [net.const(np.zeros([both, 1, hidden], F32)), shape])
        given += [zero] * (2 if kind == "LSTM" else 1)
    out = net.node(kind, given, [net.name() for _ in range(3 if kind == "LSTM" else 2)], hidden_size=hidden,
                   direction="bidirectional" if both == 2 else None,
                   linear_before_reset=1 if kind == "GRU" else None)
    y = out[0]
    if both == 2:
        y = net.node("Transpose", [y], perm=[0, 2, 1, 3])
        y = net.node("Reshape", [y, net.const([0, 0, -1], I64)])
    else:
        y = net.axes("Squeeze", y, [1])
    y = net.node("Transpose", [y], perm=[1, 0, 2])
    if net.chance():  # the last step
        net.node("Gather", [y, net.const(-1 if net.opset >= 11 else t - 1, I64)], axis=1)


@pattern()
def rms_norm(net):
    x = _tokens(net)
    square = net.node("Pow", [x, net.const(np.float32(2))])
    mean = net.reduce("ReduceMean", square, [-1] if net.opset >= 11 else [2])
    root = net.node("Sqrt", [net.node("Add", [mean, net.const(np.float32(1e-3))])])
    y = net.node("Mul", [x, net.node("Div", [net.const(np.float32(1)), root]) if net.chance() else net.node("Reciprocal", [root])])
    net.node("Mul", [net.const(net.array([x.shape[2]])), y])


@pattern(10)
def rotary(net):
    """Rotary positions: halves turned by Slice, Neg, Concat."""
    x = _tokens(net)
    w = x.shape[2]
    if w % 2:
        raise Invalid("width")
    half = net.const([w // 2], I64)
    a = net.node("Slice", [x, net.const([0], I64), half, net.const([2], I64)])
    b = net.node("Slice", [x, half, net.const([(1 << 63) - 1], I64), net.const([2], I64), net.const([1], I64)])
    turned = net.node("Concat", [net.node("Neg", [b]), a], axis=2 if net.chance() else -1)
    angle = net.node("Mul", [net.const(np.arange(x.shape[1], dtype=F32)[:, None]), net.const(net.array([1, w], 0.1, 1))])
    net.node("Add", [net.node("Mul", [x, net.node("Cos", [angle])]), net.node("Mul", [turned, net.node("Sin", [angle])])])


@pattern()
def glu(net):
    x = _tokens(net)
    if x.shape[2] % 2:
        raise Invalid("width")
    if net.opset >= 18:
        a, b = net.node("Split", [x], 2, axis=-1, num_outputs=2)
    else:
        a, b = net.node("Split", [x], 2, axis=2 if net.opset < 11 else -1)
    net.node("Mul", [a, net.node("Sigmoid", [b])])


@pattern(13)
def patches(net):
    """A vision transformer's stem: patches, a class token, places."""
    x = net.image()
    w = net.pick(8, 16)
    y = net.node("Conv", [x, net.weights(w, x.shape[1], 2, 2), net.const(net.array([w]))], kernel_shape=[2, 2], strides=[2, 2])
    n = y.shape[0]
    if net.chance():
        lead = net.slice(net.node("Shape", [y]), 0, 0, 2)
        flat = net.node("Reshape", [y, net.node("Concat", [lead, net.const([-1], I64)], axis=0)])
    else:
        flat = net.node("Reshape", [y, net.const([0, 0, -1], I64)])
    y = net.node("Transpose", [flat], perm=[0, 2, 1])
    token = net.const(net.array([1, 1, w]))
    if net.chance():
        size = net.node("Concat", [net.axes("Unsqueeze", net.extent(x, 0), [0]), net.const([-1, -1], I64)], axis=0)
        minus = net.node("Mul", [net.node("ConstantOfShape", [net.const([3], I64)], value=_tensor(np.ones(1, I64))),
                                 net.const(-1, I64)])
        size = net.node("Where", [net.node("Equal", [size, minus]), net.node("ConstantOfShape", [net.const([3], I64)],
                                                                             value=_tensor(np.ones(1, I64))), size])
        token = net.node("Expand", [token, size])
    else:
        token = net.node("Tile", [token, net.const([n, 1, 1], I64)])
    y = net.node("Concat", [token, y], axis=1)
    y = net.node("Add", [y, net.const(net.array([1, *y.shape[1:]]))])
    if net.chance():
        net.node("Gather", [y, net.const(0, I64)], axis=1)


@pattern(11)
def windows(net):
    """Swin's: an image in windows, rolled."""
    x = net.image()
    n, c, h, w = x.shape
    y = net.node("Transpose", [x], perm=[0, 2, 3, 1])
    y = net.node("Concat", [net.slice(y, 1, 1, 1 << 31), net.slice(y, 1, 0, 1)], axis=1)
    if h % 2 or w % 2:
        return
    y = net.reshape(y, [n, h // 2, 2, w // 2, 2, c])
    y = net.node("Transpose", [y], perm=[0, 1, 3, 2, 4, 5])
    net.node("Reshape", [y, net.const([-1, 4, c], I64)])


# ---- Choices and types -----------------------------------------------------------------------------------------------


@pattern(9)
def masked(net):
    x = net.some()
    mask = net.node(net.pick("Greater", "Less"), [x, net.const(np.float32(0.3141))])
    if net.chance():
        mask = net.node("Not", [mask])
    net.node("Where", [mask, x, net.const(np.float32(0))] if net.chance() else [mask, net.const(np.float32(-1)), net.calm(x)])


@pattern(11)
def best(net):
    """The best of classes, and where they are."""
    x = net.float([net.upto(1, 3), net.upto(2, 9)])
    k = net.upto(1, x.shape[1])
    values, at = net.node("TopK", [net.node("Softmax", [x], axis=1), net.const([k], I64)], 2, axis=1 if net.chance() else -1)
    if net.chance():
        net.node("GatherElements", [x, at], axis=1)


@pattern()
def normalized(net):
    x = _tokens(net)
    norm = net.reduce("ReduceL2", x, [2] if net.opset < 11 else [-1])
    if net.opset >= 12 or net.opset >= 11:
        norm = net.node("Clip", [norm, net.const(np.float32(1e-2))]) if net.chance() else net.node(
            "Max", [norm, net.const(np.float32(1e-2))])
    net.node("Div", [x, net.node("Expand", [norm, net.node("Shape", [x])]) if net.opset >= 8 and net.chance() else norm])


@pattern()
def halved(net):
    """In float16 and back."""
    x = net.calm(net.some())
    y = net.node("Cast", [net.node("Cast", [x], to=TensorProto.FLOAT16)], to=TensorProto.FLOAT)
    net.tolerance = 4e-3
    net.node("Mul", [y, net.const(np.float32(0.5))])


@pattern()
def doubled(net):
    """In double and back, as exporters of scripts write it."""
    x = net.calm(net.some())
    y = net.node("Cast", [x], to=TensorProto.DOUBLE)
    y = net.node(net.pick("Mul", "Add", "Sub"), [y, net.const(net.array([], 0.1, 2), np.float64)])
    if net.chance():
        y = net.node(net.pick("Sqrt", "Exp", "Tanh", "Sigmoid", "Relu"), [net.node("Abs", [y])])
    if net.chance() and y.shape:
        y = net.node("MatMul", [y, net.const(net.array([y.shape[-1], 3]), np.float64)])
    if net.chance() and y.shape:
        y = net.node("Softmax", [y], axis=len(y.shape) - 1)
    if net.chance(0.3) and y.shape:
        y = net.reduce("ReduceMean", y, [len(y.shape) - 1])
    net.node("Cast", [y], to=TensorProto.FLOAT)


@pattern()
def whole(net):
    """Numbers of int64 and int32, as scripts compute with them."""
    x = net.some(I64) if net.chance() else net.node("Cast", [net.node("Floor", [net.calm(net.some())])], to=TensorProto.INT64)
    y = net.node(net.pick("Add", "Mul", "Sub"), [x, net.const(net.upto(1, 5), I64)])
    if net.opset >= 12 and net.chance():
        y = net.node(net.pick("Max", "Min"), [y, net.const(net.upto(0, 5), I64)])
    net.node("Cast", [y], to=TensorProto.FLOAT)


# ---- Quantizers ------------------------------------------------------------------------------------------------------


def _scale_of(net, x, dtype):
    """Scale and zero point of a value, as a quantizer chooses them."""
    low, high = min(float(x.array.min()), 0.0), max(float(x.array.max()), 0.0)
    if dtype == I8:
        scale, zero = max(-low, high, 1e-3) / 127, 0
        if net.chance(0.3):
            scale = max(high - low, 1e-3) / 255
            zero = int(np.clip(round(-low / scale) - 128, -128, 127))
    else:
        scale = max(high - low, 1e-3) / 255
        zero = int(np.clip(round(-low / scale), 0, 255))
    return net.const(np.float32(scale)), net.const(zero, dtype)


def _pair(net, x, dtype):
    scale, zero = _scale_of(net, x, dtype)
    return net.node("DequantizeLinear", [net.node("QuantizeLinear", [x, scale, zero]), scale, zero])


def _weights(net, shape, each):
    """Quantized weights, dequantized: one scale, or one for each channel of the first axis."""
    shape = [int(n) for n in shape]
    integers = net.const(net.array(shape, -127, 127, I8))
    if each and net.opset >= 13:
        scale = net.const(net.array([shape[0]], 0.002, 0.01))
        return net.node("DequantizeLinear", [integers, scale, net.const(np.zeros(shape[0], I8))], axis=0)
    return net.node("DequantizeLinear", [integers, net.const(np.float32(0.005)), net.const(0, I8)])


@pattern(11, times=3)
def quantized_conv(net):
    """QDQ: pairs around a convolution, its weights and bias as integers."""
    dtype = net.pick(U8, I8)
    x = _pair(net, net.image(), dtype)
    out, kernel, group = net.pick(4, 8, 16), net.pick(1, 3), 1
    if net.chance(0.2):
        out = group = x.shape[1]
    each = net.chance()
    w = _weights(net, [out, x.shape[1] // group, kernel, kernel], each)
    given = [x, w]
    if net.chance(0.7):
        given.append(net.const(net.array([out])))
    y = net.node("Conv", given, kernel_shape=[kernel, kernel], pads=[kernel // 2] * 4, group=group, strides=[net.pick(1, 2)] * 2)
    if net.chance():
        y = net.node("Relu", [y])
    y = _pair(net, y, dtype)
    if net.chance(0.3):
        y = net.node("MaxPool", [y], kernel_shape=[2, 2], strides=[2, 2])
        y = _pair(net, y, dtype) if net.chance() else y


@pattern(11)
def quantized_sum(net):
    dtype = net.pick(U8, I8)
    x = net.image()
    y = net.node("Add", [_pair(net, x, dtype), _pair(net, _conv(net, x, x.shape[1], 1, 1), dtype)])
    _pair(net, y, dtype)


@pattern(11)
def quantized_dense(net):
    dtype = net.pick(U8, I8)
    x = _pair(net, net.float([net.upto(1, 3), net.upto(2, 20)]), dtype)
    out = net.upto(1, 12)
    if net.chance():
        y = net.node("Gemm", [x, _weights(net, [out, x.shape[1]], net.chance()), net.const(net.array([out]))], transB=1)
    else:
        y = net.node("MatMul", [x, _weights(net, [x.shape[1], out], False)])
    _pair(net, y, dtype)


@pattern(11, times=2)
def dynamic_product(net):
    """ONNX Runtime's dynamic quantization: DynamicQuantizeLinear, MatMulInteger, Cast, Mul."""
    x = net.float([*[net.upto(1, 3) for _ in range(net.pick(1, 2))], net.upto(2, 20)])
    out, dtype = net.upto(1, 12), net.pick(I8, U8)
    q, scale, zero = net.node("DynamicQuantizeLinear", [x], 3)
    w = net.const(net.array([x.shape[-1], out], 0 if dtype == U8 else -127, 127, dtype))
    each = net.chance(0.3)
    given = [q, w, zero]
    if dtype == U8 or net.chance():
        given.append(net.const(np.zeros([out] if each else [], dtype) + (dtype.type(100) if dtype == U8 else dtype.type(0))))
    y = net.node("Cast", [net.node("MatMulInteger", given)], to=TensorProto.FLOAT)
    both = net.node("Mul", [scale, net.const(net.array([out] if each else [1], 0.002, 0.01))])
    y = net.node("Mul", [y, both])
    net.node("Add", [y, net.const(net.array([out]))])


@pattern(11)
def dynamic_conv(net):
    """ONNX Runtime's dynamic quantization of a convolution."""
    x = net.image()
    out, kernel = net.pick(2, 4, 8), net.pick(1, 3)
    q, scale, zero = net.node("DynamicQuantizeLinear", [x], 3)
    w = net.const(net.array([out, x.shape[1], kernel, kernel], 0, 255, U8))
    y = net.node("ConvInteger", [q, w, zero, net.const(128, U8)], kernel_shape=[kernel, kernel], pads=[kernel // 2] * 4)
    y = net.node("Mul", [net.node("Cast", [y], to=TensorProto.FLOAT), net.node("Mul", [scale, net.const(np.float32(0.004))])])
    net.node("Add", [y, net.const(net.array([1, out, 1, 1]))])


@pattern(11)
def integer_conv(net):
    """QOperator: QLinearConv of a quantized image, and back."""
    x, dtype = net.image(), U8
    scale, zero = _scale_of(net, x, dtype)
    q = net.node("QuantizeLinear", [x, scale, zero])
    out, kernel = net.pick(4, 8), net.pick(1, 3)
    each = net.chance()
    ws = net.const(net.array([out] if each else [], 0.002, 0.01))
    given = [q, scale, zero, net.const(net.array([out, x.shape[1], kernel, kernel], -127, 127, I8)), ws,
             net.const(np.zeros([out] if each else [], I8)), net.const(np.float32(0.05)), net.const(128, dtype)]
    if net.chance():
        given.append(net.const(net.array([out], -200, 200, I32)))
    y = net.node("QLinearConv", given, kernel_shape=[kernel, kernel], pads=[kernel // 2] * 4)
    if net.chance(0.3):
        y = net.node("QLinearAdd", [y, given[6], given[7], y, given[6], given[7], net.const(np.float32(0.1)), given[7]],
                     domain="com.microsoft")
        given[6] = net.const(np.float32(0.1))
    net.node("DequantizeLinear", [y, given[6], given[7]])

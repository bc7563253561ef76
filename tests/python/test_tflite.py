"""TFLite models: random operators against their definitions in NumPy, and what is refused. The definitions are those of
TFLite's documents, on images N H W C. Real models: test_tflite_models.py, test_oracle.py."""

import itertools
import os
import unittest

import numpy as np

import common  # noqa: F401
import vta
from tflite_make import Model

SAME, VALID = 0, 1
ACTIVATIONS = [lambda x: x, lambda x: np.maximum(x, 0), lambda x: np.clip(x, -1, 1), lambda x: np.clip(x, 0, 6), np.tanh]


# ---- Definitions -----------------------------------------------------------------------------------------------------


def geometry(size, kernel, stride, dilation, padding):
    """Outputs along an axis, and the padding before it."""
    reach = (kernel - 1) * dilation + 1
    if padding == VALID:
        return (size - reach) // stride + 1, 0
    out = -(-size // stride)
    return out, max((out - 1) * stride + reach - size, 0) // 2


def windows(x, kernel, strides, dilations, padding):
    """For each output pixel its place, and the pixels of its window that lie in the image: (dy, dx, vector)."""
    _, height, width, _ = x.shape
    rows, top = geometry(height, kernel[0], strides[0], dilations[0], padding)
    columns, left = geometry(width, kernel[1], strides[1], dilations[1], padding)
    for i, j in itertools.product(range(rows), range(columns)):
        inside = []
        for dy, dx in itertools.product(range(kernel[0]), range(kernel[1])):
            y, z = i * strides[0] - top + dy * dilations[0], j * strides[1] - left + dx * dilations[1]
            if 0 <= y < height and 0 <= z < width:
                inside.append((dy, dx, x[:, y, z, :]))
        yield i, j, inside


def output_of(x, kernel, strides, dilations, padding, channels):
    rows = geometry(x.shape[1], kernel[0], strides[0], dilations[0], padding)[0]
    columns = geometry(x.shape[2], kernel[1], strides[1], dilations[1], padding)[0]
    return np.zeros((x.shape[0], rows, columns, channels))


def conv(x, w, b, strides, dilations, padding):
    """w: O H W I; with fewer channels than x: groups."""
    y = output_of(x, w.shape[1:3], strides, dilations, padding, w.shape[0])
    groups = x.shape[3] // w.shape[3]
    each_in, each_out = w.shape[3], w.shape[0] // groups
    for i, j, inside in windows(x, w.shape[1:3], strides, dilations, padding):
        for dy, dx, v in inside:
            for g in range(groups):
                part = slice(g * each_out, (g + 1) * each_out)
                y[:, i, j, part] += v[:, g * each_in:(g + 1) * each_in] @ w[part, dy, dx, :].T
    return y + (0 if b is None else b)


def depthwise(x, w, b, strides, dilations, padding):
    """w: 1 H W O, the filters of a channel one after the other."""
    times = w.shape[3] // x.shape[3]
    y = output_of(x, w.shape[1:3], strides, dilations, padding, w.shape[3])
    for i, j, inside in windows(x, w.shape[1:3], strides, dilations, padding):
        for dy, dx, v in inside:
            y[:, i, j, :] += np.repeat(v, times, axis=1) * w[0, dy, dx, :]
    return y + (0 if b is None else b)


def pool(x, kernel, strides, padding, mean):
    y = output_of(x, kernel, strides, (1, 1), padding, x.shape[3])
    for i, j, inside in windows(x, kernel, strides, (1, 1), padding):
        values = np.stack([v for _, _, v in inside])
        y[:, i, j, :] = values.mean(0) if mean else values.max(0)
    return y


def transpose_conv(x, w, shape, strides, padding):
    """Every pixel adds its filter to the output; what is beyond is cut off."""
    y = np.zeros(shape)
    pads = [max(strides[k] * (x.shape[1 + k] - 1) + w.shape[1 + k] - shape[1 + k], 0) // 2 for k in range(2)]
    for i, j, dy, dx in itertools.product(range(x.shape[1]), range(x.shape[2]), range(w.shape[1]), range(w.shape[2])):
        r, c = i * strides[0] + dy - pads[0], j * strides[1] + dx - pads[1]
        if 0 <= r < shape[1] and 0 <= c < shape[2]:
            y[:, r, c, :] += x[:, i, j, :] @ w[:, dy, dx, :].T
    return y


def resize(x, size, linear, corners, half):
    y = np.zeros((x.shape[0], size[0], size[1], x.shape[3]))
    for i, j in itertools.product(range(size[0]), range(size[1])):
        places = []
        for at, of, to in ((i, x.shape[1], size[0]), (j, x.shape[2], size[1])):
            scale = (of - 1) / (to - 1) if corners and to > 1 else of / to
            p = (at + 0.5) * scale - (0.5 if linear else 0) if half else at * scale
            if linear:
                low = int(np.floor(max(p, 0)))
                places.append((min(low, of - 1), min(low + 1, of - 1), max(p, 0) - low))
            else:
                nearest = int(np.floor(p + 0.5)) if corners else int(np.floor(p))
                places.append((min(max(nearest, 0), of - 1),) * 2 + (0,))
        (a, b, s), (c, d, t) = places
        y[:, i, j] = ((1 - s) * ((1 - t) * x[:, a, c] + t * x[:, a, d]) + s * ((1 - t) * x[:, b, c] + t * x[:, b, d]))
    return y


def depth_to_space(x, b):
    n, h, w, c = x.shape
    return x.reshape(n, h, w, b, b, c // b**2).transpose(0, 1, 3, 2, 4, 5).reshape(n, h * b, w * b, c // b**2)


def space_to_depth(x, b):
    n, h, w, c = x.shape
    return x.reshape(n, h // b, b, w // b, b, c).transpose(0, 1, 3, 2, 4, 5).reshape(n, h // b, w // b, c * b**2)


# ---- Random operators ------------------------------------------------------------------------------------------------


class Draw:
    """A model of one operator, between two that turn images inside out: inputs come as the file has them, or as the result
    of a pool of single pixels, which keeps what they are and not how they lie in memory."""

    def __init__(self, seed):
        self.random, self.model, self.arrays = np.random.default_rng(seed), Model(), []

    def upto(self, least, most):
        return int(self.random.integers(least, most + 1))

    def pick(self, *of):
        return of[self.upto(0, len(of) - 1)]

    def array(self, shape, low=-2.0, high=2.0):
        return self.random.uniform(low, high, shape).astype("float32")

    def input(self, array):
        m = self.model
        t = m.tensor(array.shape, array.dtype.name)
        m.inputs.append(t)
        self.arrays.append(array)
        if array.ndim == 4 and array.size and self.pick(True, False):
            t2 = m.tensor(array.shape)
            m.node(17, [t], [t2], {0: ("b", VALID), 1: ("i", 1), 2: ("i", 1), 3: ("i", 1), 4: ("i", 1)})
            return t2
        return t

    def give(self, code, inputs, results, options=None):
        outputs = [self.model.tensor(r.shape, r.dtype.name if r.dtype.kind in "ib" else "float32") for r in results]
        self.model.node(code, inputs, outputs, options)
        self.model.outputs += outputs
        self.results = results


def window(d):
    kernel = [d.upto(1, 3), d.upto(1, 3)]
    strides, dilations = [d.upto(1, 3), d.upto(1, 3)], d.pick((1, 1), (1, 1), (2, 1), (1, 2))
    size = [d.upto((k - 1) * e + 1, 7) for k, e in zip(kernel, dilations)]
    return kernel, strides, dilations, size, d.pick(SAME, VALID)


def draw_conv(d):
    kernel, strides, dilations, size, padding = window(d)
    groups, per, act = d.pick(1, 1, 2), d.upto(1, 3), d.upto(0, 4)
    x = d.array([d.upto(1, 2), *size, groups * per])
    w, b = d.array([groups * d.upto(1, 3), *kernel, per]), d.array([1])
    b = d.pick(None, d.array([w.shape[0]]))
    y = ACTIVATIONS[act](conv(x.astype(float), w, b, strides, dilations, padding))
    inputs = [d.input(x), d.model.constant(w)] + ([] if b is None else [d.model.constant(b)])
    d.give(3, inputs, [y], {0: ("b", padding), 1: ("i", strides[1]), 2: ("i", strides[0]), 3: ("b", act),
                            4: ("i", dilations[1]), 5: ("i", dilations[0])})


def draw_depthwise(d):
    kernel, strides, dilations, size, padding = window(d)
    channels, act = d.upto(1, 4), d.upto(0, 4)
    x = d.array([1, *size, channels])
    w = d.array([1, *kernel, channels * d.upto(1, 2)])
    b = d.array([w.shape[3]])
    y = ACTIVATIONS[act](depthwise(x.astype(float), w, b, strides, dilations, padding))
    d.give(4, [d.input(x), d.model.constant(w), d.model.constant(b)], [y],
           {0: ("b", padding), 1: ("i", strides[1]), 2: ("i", strides[0]), 3: ("i", w.shape[3] // channels), 4: ("b", act),
            5: ("i", dilations[1]), 6: ("i", dilations[0])})


def draw_pool(d):
    kernel, strides, _, size, padding = window(d)
    x, mean, act = d.array([1, *[max(s, 3) for s in size], d.upto(1, 4)]), d.pick(True, False), d.upto(0, 3)
    y = ACTIVATIONS[act](pool(x.astype(float), kernel, strides, padding, mean))
    d.give(1 if mean else 17, [d.input(x)], [y], {0: ("b", padding), 1: ("i", strides[1]), 2: ("i", strides[0]),
                                                  3: ("i", kernel[1]), 4: ("i", kernel[0]), 5: ("b", act)})


def draw_transpose_conv(d):
    kernel, strides = [d.upto(1, 3), d.upto(1, 3)], [d.upto(1, 3), d.upto(1, 3)]
    x = d.array([1, d.upto(1, 4), d.upto(1, 4), d.upto(1, 3)])
    w, padding = d.array([d.upto(1, 3), *kernel, x.shape[3]]), d.pick(SAME, VALID)
    size = [x.shape[1 + k] * strides[k] if padding == SAME else (x.shape[1 + k] - 1) * strides[k] + kernel[k]
            for k in range(2)]
    shape = [1, *size, w.shape[0]]
    d.give(67, [d.model.constant(np.array(shape, "int32")), d.model.constant(w), d.input(x)],
           [transpose_conv(x.astype(float), w, shape, strides, padding)],
           {0: ("b", padding), 1: ("i", strides[1]), 2: ("i", strides[0])})


def draw_fully_connected(d):
    rows, depth, out, act = d.pick([3], [2, 2], [1, 2, 2]), d.upto(1, 6), d.upto(1, 5), d.upto(0, 4)
    x, w, b = d.array([*rows, depth]), d.array([out, depth]), d.array([out])
    y = ACTIVATIONS[act](x.astype(float) @ w.T + b)
    keep = d.pick(True, False)
    d.give(9, [d.input(x), d.model.constant(w), d.model.constant(b)], [y if keep else y.reshape(-1, out)],
           {0: ("b", act), 2: ("?", keep)})


def draw_binary(d):
    code, f, act = d.pick((0, np.add, True), (41, np.subtract, True), (18, np.multiply, True), (42, np.divide, True),
                          (55, np.maximum, False), (57, np.minimum, False), (99, lambda a, b: (a - b)**2, False),
                          (78, np.power, False))
    shape = [d.upto(1, 4) for _ in range(d.pick(4, 4, 3, 1))]
    other = [n if d.pick(True, False) else 1 for n in shape][d.upto(0, len(shape)):] if d.pick(True, False) else shape
    positive = code in (42, 78)
    a = d.array(shape, 0.3 if positive else -2)
    b = d.array(other, 0.3 if positive else -2)
    which = d.upto(0, 4) if act else 0
    places = [d.input(a), d.model.constant(b) if d.pick(True, False) else d.input(b)]
    if d.pick(True, False):
        a, b = b, a
        places.reverse()
    y = ACTIVATIONS[which](f(a.astype(float), b.astype(float)))
    d.give(code, places, [y], {0: ("b", which)} if act else {})


def draw_unary(d):
    code, f, low = d.pick((8, np.floor, -2), (14, lambda x: 1 / (1 + np.exp(-x)), -2), (28, np.tanh, -2), (47, np.exp, -2),
                          (59, np.negative, -2), (73, np.log, 0.1), (75, np.sqrt, 0.1), (76, lambda x: 1 / np.sqrt(x), 0.1),
                          (92, np.square, -2), (101, np.abs, -2), (104, np.ceil, -2), (116, np.round, -2),
                          (111, lambda x: np.where(x < 0, np.exp(x) - 1, x), -2), (19, ACTIVATIONS[1], -2),
                          (20, ACTIVATIONS[2], -2), (21, ACTIVATIONS[3], -8),
                          (117, lambda x: x * np.clip(x + 3, 0, 6) / 6, -5))
    x = d.array([d.upto(1, 4) for _ in range(d.upto(1, 4))], low, 8 if code in (21, 117) else 2)
    d.give(code, [d.input(x)], [f(x.astype(float))])


def draw_leaky_relu(d):
    x, alpha = d.array([d.upto(1, 4) for _ in range(4)]), float(d.array([], 0.1, 1))
    if d.pick(True, False):
        d.give(98, [d.input(x)], [np.where(x < 0, x * alpha, x.astype(float))], {0: ("f", alpha)})
        return
    slope = d.array([1, 1, x.shape[3]])
    d.give(54, [d.input(x), d.model.constant(slope)], [np.where(x < 0, x * slope.astype(float), x)])


def draw_reduce(d):
    code, f = d.pick((40, np.mean), (74, np.sum), (82, np.max), (89, np.min), (81, np.prod))
    x = d.array([d.upto(1, 4) for _ in range(d.pick(4, 4, 3, 2))])
    axes = [int(a) for a in d.random.permutation(x.ndim)[:d.upto(1, x.ndim)]]
    keep = d.pick(True, False)
    y = np.asarray(f(x.astype(float), axis=tuple(axes), keepdims=keep))
    axes = [a - x.ndim if d.pick(True, False) else a for a in axes]
    d.give(code, [d.input(x), d.model.constant(np.array(axes, "int32"))], [y], {0: ("?", keep)})


def draw_softmax(d):
    x, beta = d.array([d.upto(1, 4) for _ in range(d.upto(1, 4))]), d.pick(1.0, 1.0, 0.5)
    e = np.exp(beta * x.astype(float))
    d.give(25, [d.input(x)], [e / e.sum(-1, keepdims=True)], {0: ("f", beta)})


def draw_shape(d):
    x = d.array([d.upto(1, 4) for _ in range(d.pick(4, 3, 2))])
    code = d.pick(22, 43, 70)
    if code == 22:
        y = x.reshape([x.size // x.shape[-1], x.shape[-1]] if d.pick(True, False) else [-1])
    elif code == 43:
        x = x[:, :1]
        y = x.squeeze(1)
    else:
        y = x[:, None] if x.ndim < 4 else x.reshape(-1)[None]
    d.give(code, [d.input(x), d.model.constant(np.array(y.shape, "int32"))], [y.astype(float)])


def draw_transpose(d):
    x = d.array([d.upto(1, 4) for _ in range(d.pick(4, 4, 3))])
    perm = d.pick([0, 3, 1, 2], [0, 2, 3, 1], list(d.random.permutation(4))) if x.ndim == 4 else list(d.random.permutation(3))
    d.give(39, [d.input(x), d.model.constant(np.array(perm, "int32"))], [x.transpose(perm).astype(float)])


def draw_concatenation(d):
    shape, act = [d.upto(1, 3) for _ in range(d.pick(4, 4, 2))], d.upto(0, 3)
    axis = d.upto(0, len(shape) - 1)
    parts = [d.array([d.upto(1, 3) if i == axis else n for i, n in enumerate(shape)]) for _ in range(d.upto(1, 4))]
    y = ACTIVATIONS[act](np.concatenate(parts, axis).astype(float))
    d.give(2, [d.input(p) for p in parts], [y], {0: ("i", axis - d.pick(0, len(shape))), 1: ("b", act)})


def draw_pad(d):
    x = d.array([d.upto(2, 4) for _ in range(d.pick(4, 4, 2))])
    pads = [[d.upto(0, 1), d.upto(0, 1)] for _ in x.shape]
    code = d.pick(34, 60, 100)
    more = [d.model.constant(np.array(1.5, "float32"))] if code == 60 else []
    y = np.pad(x, pads, "reflect") if code == 100 else np.pad(x, pads, constant_values=1.5 if code == 60 else 0)
    d.give(code, [d.input(x), d.model.constant(np.array(pads, "int32")), *more], [y.astype(float)], {0: ("b", 0)})


def draw_slice(d):
    x = d.array([d.upto(1, 5) for _ in range(d.pick(4, 3))])
    begin = [d.upto(0, n - 1) for n in x.shape]
    size = [d.pick(-1, d.upto(1, n - b)) for n, b in zip(x.shape, begin)]
    y = x[tuple(slice(b, None if s < 0 else b + s) for b, s in zip(begin, size))]
    d.give(65, [d.input(x), d.model.constant(np.array(begin, "int32")), d.model.constant(np.array(size, "int32"))],
           [y.astype(float)])


def draw_strided_slice(d):
    x = d.array([d.upto(2, 5) for _ in range(d.pick(4, 3))])
    index, begin, end, stride, masks = [], [], [], [], [0, 0, 0]
    for i, n in enumerate(x.shape):
        step = d.pick(1, 1, 2, -1)
        b, e = (d.upto(0, n - 1), d.upto(-1, n + 2)) if step > 0 else (d.upto(0, n + 1), d.upto(-n - 2, n - 1))
        open_begin, open_end, one = d.pick(0, 0, 1), d.pick(0, 1, 1), d.pick(0, 0, 0, 1)
        if one:
            b, step = d.upto(-n, n - 1), 1
            index.append(b)
        else:
            index.append(slice(None if open_begin else b, None if open_end else e, step))
        begin, end, stride = begin + [b], end + [e], stride + [step]
        for k, bit in enumerate((open_begin, open_end, one)):
            masks[k] |= bit << i
    y = x[tuple(index)]
    if not y.size:  # TensorFlow makes no models with empty tensors
        return draw_strided_slice(d)
    numbers = [d.model.constant(np.array(v, "int32")) for v in (begin, end, stride)]
    d.give(45, [d.input(x), *numbers], [np.asarray(y, float)], {0: ("i", masks[0]), 1: ("i", masks[1]), 4: ("i", masks[2])})
    return None


def draw_parts(d):
    x = d.array([d.upto(1, 3) * 2 for _ in range(d.pick(4, 3))])
    axis = d.upto(0, x.ndim - 1)
    if d.pick(True, False):
        y = np.split(x.astype(float), 2, axis)
        d.give(49, [d.model.constant(np.array(axis - d.pick(0, x.ndim), "int32")), d.input(x)], y, {0: ("i", 2)})
        return
    y = [np.take(x, i, axis).astype(float) for i in range(x.shape[axis])]
    d.give(88, [d.input(x)], y, {0: ("i", len(y)), 1: ("i", axis)})


def draw_pack(d):
    shape, count = [d.upto(1, 3) for _ in range(d.upto(1, 3))], d.upto(1, 3)
    parts, axis = [d.array(shape) for _ in range(count)], d.upto(0, len(shape))
    d.give(83, [d.input(p) for p in parts], [np.stack(parts, axis).astype(float)], {0: ("i", count), 1: ("i", axis)})


def draw_gather(d):
    x = d.array([d.upto(1, 4) for _ in range(d.pick(4, 2))])
    axis = d.upto(0, x.ndim - 1)
    indices = d.random.integers(0, x.shape[axis], [d.upto(1, 3) for _ in range(d.upto(0, 2))]).astype("int32")
    d.give(36, [d.input(x), d.model.constant(indices)], [np.take(x, indices, axis).astype(float)], {0: ("i", axis)})


def draw_resize(d):
    x, size, linear = d.array([1, d.upto(2, 5), d.upto(2, 5), d.upto(1, 3)]), [d.upto(2, 8), d.upto(2, 8)], d.pick(True, False)
    corners, half = d.pick((False, False), (True, False), (False, True))
    flags = {2: ("?", corners), 3: ("?", half)} if linear else {0: ("?", corners), 1: ("?", half)}
    d.give(23 if linear else 97, [d.input(x), d.model.constant(np.array(size, "int32"))],
           [resize(x.astype(float), size, linear, corners, half)], flags)


def draw_blocks(d):
    b = d.upto(1, 3)
    if d.pick(True, False):
        x = d.array([1, d.upto(1, 3), d.upto(1, 3), b * b * d.upto(1, 3)])
        d.give(5, [d.input(x)], [depth_to_space(x.astype(float), b)], {0: ("i", b)})
    else:
        x = d.array([1, b * d.upto(1, 3), b * d.upto(1, 3), d.upto(1, 3)])
        d.give(26, [d.input(x)], [space_to_depth(x.astype(float), b)], {0: ("i", b)})


COMPARISONS = {58: np.less, 61: np.greater, 62: np.greater_equal, 63: np.less_equal, 71: np.equal, 72: np.not_equal}


def draw_comparison(d):
    """As 0 and 1, by a cast: bools are no outputs of ours but of the file."""
    code = d.pick(*COMPARISONS)
    shape = [d.upto(1, 3) for _ in range(d.upto(0, 4))]
    a, b = (d.random.integers(-1, 2, d.pick(shape, [1] * len(shape))).astype("float32") for _ in range(2))
    y = COMPARISONS[code](a, b)
    t = d.model.tensor(y.shape, "bool")
    d.model.node(code, [d.input(a), d.input(b)], [t])
    d.give(53, [t], [y.astype(float)])


def draw_logic(d):
    shape = [d.upto(1, 3) for _ in range(d.upto(0, 3))]
    a, b = (d.random.integers(0, 2, shape).astype("float32") for _ in range(2))
    code, y = d.pick((84, np.logical_or(a, b)), (86, np.logical_and(a, b)), (87, np.logical_not(a)))
    bools = []
    for x in (a, b)[:1 if code == 87 else 2]:
        bools.append(d.model.tensor(shape, "bool"))
        d.model.node(53, [d.input(x)], [bools[-1]])
    t = d.model.tensor(shape, "bool")
    d.model.node(code, bools, [t])
    d.give(53, [t], [y.astype(float)])


def draw_select(d):
    shape = [d.upto(1, 3) for _ in range(d.upto(1, 4))]
    a, b, second = d.array(shape), d.array(shape), d.pick(True, False)
    of = d.random.integers(0, 2, d.pick(shape, [1] * len(shape)) if second else d.pick(shape, shape[:1])).astype("float32")
    condition = of.reshape(of.shape + (1,) * (len(shape) - of.ndim)) if not second else of
    t = d.model.tensor(of.shape, "bool")
    d.model.node(53, [d.input(of)], [t])
    d.give(123 if second else 64, [t, d.input(a), d.input(b)], [np.where(condition, a, b).astype(float)])


def draw_if(d):
    """Branches that call for a constant, an image in either order, an If within, and a condition that may be known."""
    shape = [1, *[d.upto(1, 3) for _ in range(3)]] if d.pick(True, False) else [d.upto(1, 4)]
    x, known, nested = d.array(shape), d.pick(True, False, False), d.pick(True, False)
    yes, inner = d.pick(True, False), d.pick(True, False)
    m, c = d.model, np.array(1.5, "float32")

    def condition(flag):
        if known:
            return m.constant(np.array(flag))
        t = m.tensor([], "bool")
        m.node(53, [d.input(np.array(flag, "float32"))], [t])
        return t

    conditions = [condition(yes), condition(inner)]

    def body(code):
        b = m.branch()
        u, k, v, y = b.tensor(shape), b.tensor([]), b.tensor([], "bool"), b.tensor(shape)
        b.inputs, b.outputs = [u, k, v], [y]
        return b, code

    def fill(branch, code):
        b = branch
        u, k, v = b.inputs
        if code == 118:
            b.node(118, [v, u, k, v], b.outputs, {0: ("i", numbers["add"]), 1: ("i", numbers["mul"])})
        else:
            b.node(code, [u, k], b.outputs)

    bodies = {"add": body(0), "mul": body(18)}
    if nested:
        bodies["if"] = body(118)
    numbers = {name: m.branches.index(b) + 1 for name, (b, _) in bodies.items()}
    for b, code in bodies.values():
        fill(b, code)
    results = {"add": x + c, "mul": x * c, "if": x + c if inner else x * c}
    taken = ("if" if nested else "add") if yes else "mul"
    d.give(118, [conditions[0], d.input(x), m.constant(c), conditions[1]], [results[taken].astype(float)],
           {0: ("i", numbers["if" if nested else "add"]), 1: ("i", numbers["mul"])})


DRAWS = [draw_conv, draw_depthwise, draw_pool, draw_transpose_conv, draw_fully_connected, draw_binary, draw_unary,
         draw_leaky_relu, draw_reduce, draw_softmax, draw_shape, draw_transpose, draw_concatenation, draw_pad, draw_slice,
         draw_strided_slice, draw_parts, draw_pack, draw_gather, draw_resize, draw_blocks,
         draw_comparison, draw_logic, draw_select, draw_if]


class Operators(unittest.TestCase):
    def test_random_operators(self):
        for draw, seed in itertools.product(DRAWS, range(int(os.environ.get("VTA_TFLITE_CASES", "60")))):
            d = Draw([seed, *draw.__name__.encode()])
            draw(d)
            with self.subTest(draw=draw.__name__, seed=seed):
                got = vta.Graph(d.model.bytes())(*d.arrays)
                got = got if isinstance(got, tuple) else (got,)
                for mine, expected in zip(got, d.results):
                    self.assertEqual(mine.shape, expected.shape)
                    np.testing.assert_allclose(mine, expected, atol=2e-5 * max(1, np.abs(expected).max()), rtol=0)

    def test_quantized_convolution(self):
        """Integers with scales and zero points, a scale for each output channel of the weights."""
        for seed in range(40):
            d = Draw(seed)
            m, act = d.model, d.pick(0, 1, 3)
            x = d.random.integers(-128, 128, [1, 5, 4, 3]).astype("int8")
            w = d.random.integers(-127, 128, [4, 3, 3, 3]).astype("int8")
            b = d.random.integers(-2000, 2000, [4]).astype("int32")
            sx, zx, sw, sy, zy = 0.05, d.upto(-20, 20), d.array([4], 0.01, 0.03), d.pick(0.4, 0.7), d.upto(-30, 30)
            real = conv((x.astype(float) - zx) * sx, w * sw.astype(float)[:, None, None, None], b * (sx * sw.astype(float)),
                        (1, 1), (1, 1), SAME)
            expected = np.clip(np.round(ACTIVATIONS[act](real) / sy) + zy, -128, 127)
            t = m.tensor(x.shape, "int8", scale=sx, zero=zx)
            weights = m.constant(w, scale=sw, zero=np.zeros(4), axis=0)
            bias = m.constant(b, scale=sx * sw, zero=np.zeros(4), axis=0)
            y = m.tensor(expected.shape, "int8", scale=sy, zero=zy)
            m.node(3, [t, weights, bias], [y], {0: ("b", SAME), 1: ("i", 1), 2: ("i", 1), 3: ("b", act)})
            m.inputs, m.outputs = [t], [y]
            graph = vta.Graph(m.bytes())
            self.assertEqual(str(graph.inputs[0].dtype), "float32")
            got = graph(((x.astype(float) - zx) * sx).astype("float32")) / np.float32(sy) + zy
            self.assertLessEqual(np.abs(got - expected).max(), 1.001)  # a sum next to a half
            self.assertGreater(np.mean(np.abs(got - expected) < 0.01), 0.97)

    def test_half_precision(self):
        """float16 weights, behind DEQUANTIZE: every number that there is."""
        bits = np.arange(65536, dtype="uint16")
        numbers = bits.view("float16")
        numbers = numbers[np.isfinite(numbers)].reshape(1, -1)
        m = Model()
        x, half, whole, y = (m.tensor(numbers.shape), m.constant(numbers), m.tensor(numbers.shape), m.tensor(numbers.shape))
        m.node(6, [half], [whole])
        m.node(0, [x, whole], [y], {})
        m.inputs, m.outputs = [x], [y]
        np.testing.assert_array_equal(vta.Graph(m.bytes())(np.zeros(numbers.shape, "f")), numbers.astype("float32"))


class Refused(unittest.TestCase):
    def refused(self, model, words, **options):
        with self.assertRaisesRegex(vta.VTAError, words):
            vta.Graph(model if isinstance(model, bytes) else model.bytes(), **options)

    def relu(self):
        m = Model()
        x, y = m.tensor([1, 4]), m.tensor([1, 4])
        m.node(19, [x], [y])
        m.inputs, m.outputs = [x], [y]
        return m

    def test_operators(self):
        m = self.relu()
        z = m.tensor([1, 4])
        m.node(121, [m.outputs[0]], [z])
        m.node(32, [m.outputs[0]], [m.tensor([1, 4])], custom="TFLite_Detection_PostProcess")
        self.refused(m, r"(?s)operator 1 \(t2\): TFLite's operator 121 is not supported.*operator 32, "
                        "TFLite_Detection_PostProcess is not supported")

    def test_shapes_given(self):
        self.refused(self.relu(), "has the extents of all its tensors", shapes={"t0": (1, 5)})

    def test_what_does_not_fit(self):
        m = self.relu()
        m.outputs = [7]
        self.refused(m, "output 0 is tensor 7 of 2")
        m = self.relu()
        m.outputs.append(m.tensor([1, 4]))
        self.refused(m, "tensor t2 is used before it is computed")
        m = self.relu()
        m.tensors[1].fields[0].items = [1, 5]
        self.refused(m, r"its output is float32\[1,4\], and the file says float32\[1,5\]")
        m = self.relu()
        m.tensors[0].fields[0].items = [1, -4]
        self.refused(m, "tensor t0 has a negative extent")
        m = self.relu()
        m.tensors[0].fields[1] = ("b", 8)
        self.refused(m, "tensor t0: elements of TFLite's type 8 are not supported")
        m = self.relu()
        m.node(0, [0, m.constant(np.zeros(3, "float32"))], [m.tensor([1, 4])], {0: ("b", 5)})
        m.buffers[1].fields[0].items.append(0)
        self.refused(m, "tensor t2 has 12 bytes, and its buffer 13")

    def branching(self, then=1, other=2, **change):
        m = Model()
        c, x, y = m.tensor([], "bool"), m.tensor([2]), m.tensor([2])
        for _ in range(2):
            b = m.branch()
            u, v = b.tensor(change.get("shape", [2])), b.tensor(change.get("result", [2]))
            b.node(change.get("code", 19), [u], [v], change.get("options"))
            b.inputs, b.outputs = [u][:change.get("inputs", 1)], [v]
        m.node(118, [c, x], [y], {0: ("i", then), 1: ("i", other)})
        m.inputs, m.outputs = [c, x], [y]
        return m

    def test_branches(self):
        graph = vta.Graph(self.branching().bytes())
        np.testing.assert_array_equal(graph(np.array(True), np.array([-1, 2], "float32")), [0, 2])
        self.refused(self.branching(then=3), "a branch is subgraph 3 of 3")
        self.refused(self.branching(then=0), "a branch is subgraph 0 of 3")
        self.refused(self.branching(inputs=0), "a branch has 0 inputs, expected 1")
        self.refused(self.branching(shape=[3]), "input 0 of a branch, t0, is not a tensor such as t1")
        self.refused(self.branching(result=[3]), r"its output is float32\[2\], and the file says float32\[3\]")
        self.refused(self.branching(code=121), "operator 0 .t1.: TFLite's operator 121 is not supported")
        m = self.branching()
        m.tensors[0].fields[1] = ("b", 0)
        self.refused(m, "its condition .t0. is not one bool")
        m = self.branching()  # one that leads to itself
        for b in m.branches:
            b.tensors[0].fields[1], b.tensors[0].fields[0].items = ("b", 6), []
            b.nodes.clear()
            b.node(118, [0, 0], [1], {0: ("i", 1), 1: ("i", 2)})
        m.nodes.clear()
        m.node(118, [0, 0], [2], {0: ("i", 1), 1: ("i", 2)})
        self.refused(m, "branches of more than 16 levels")

    def test_scales(self):
        for scale, words in ((0.0, "a scale of 0"), (-1.0, "a scale of -1"), (np.nan, "a scale of nan"),
                             (np.inf, "a scale of inf"), (1e-42, "a scale of 1.*e-42")):
            m = Model()
            x = m.tensor([1, 4], "int8", scale=scale, zero=0)
            m.inputs, m.outputs = [x], [x]
            self.refused(m, f"tensor t0 has {words}")
        m = Model()
        x = m.tensor([1, 4], "int8", scale=1, zero=200)
        m.inputs, m.outputs = [x], [x]
        self.refused(m, "the zero point 200, which is no int8")

        m = Model()
        x, y = m.tensor([1, 2, 2, 3]), m.tensor([1, 2, 2, 3])
        w = m.constant(np.ones([3, 1, 1, 3], "int8"), scale=[0.5, 0.25, 1], zero=[0, 0, 0], axis=3)
        m.node(3, [x, w], [y], {1: ("i", 1), 2: ("i", 1)})
        m.inputs, m.outputs = [x], [y]
        self.refused(m, "its weights have scales along axis 3, and not one for each output")

    def test_damaged_files(self):
        """Cut anywhere, or with any byte changed: refused in words, or read; never anything else."""
        d = Draw(3)
        draw_conv(d)
        self.damage(d.model.bytes())

    def test_damaged_branches(self):
        self.damage(self.branching().bytes())

    def damage(self, whole):
        for size in range(8, len(whole) - 8, 3):
            with self.assertRaises(vta.VTAError):
                vta.Graph(whole[:size])
        random = np.random.default_rng(1)
        for _ in range(2000):
            damaged = bytearray(whole)
            for _ in range(int(random.integers(1, 4))):
                damaged[int(random.integers(8, len(whole)))] = int(random.choice([0, 1, 4, 127, 128, 255]))
            try:
                vta.Graph(bytes(damaged))
            except vta.VTAError as error:
                self.assertNotIn("internal", str(error))


if __name__ == "__main__":
    unittest.main()

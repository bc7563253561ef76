"""What the library's operators mean, in numpy alone: images N C H W, sums in 64 bits, wrapped where accumulators wrap."""

import numpy as np


def wrap(x):
    """The low 32 bits, as accumulators keep them."""
    return x.astype("int64").astype("int32").astype("int64")


def pads(a):
    """Padding above, below, on the left, on the right."""
    each = [a.get(f"pad_{side}", -1) for side in ("top", "bottom", "left", "right")]
    return [a.get("pad", 0) if p < 0 else p for p in each]


def both(a, key):
    """An option of rows and of columns."""
    return [a.get(f"{key}_{d}", 0) or a.get(key, 1) for d in "hw"]


def windows(x, kernel, stride, dilation, pad, fill):
    """Elements under each window: [N, C, KH, KW, OH, OW]."""
    top, bottom, left, right = pad
    n, c, h, w = x.shape
    image = np.full((n, c, h + top + bottom, w + left + right), fill, "int64")
    image[:, :, top:top + h, left:left + w] = x
    rows = (image.shape[2] - (kernel[0] - 1) * dilation[0] - 1) // stride[0] + 1
    columns = (image.shape[3] - (kernel[1] - 1) * dilation[1] - 1) // stride[1] + 1
    out = np.empty((n, c, *kernel, rows, columns), "int64")
    for y in range(kernel[0]):
        for z in range(kernel[1]):
            out[:, :, y, z] = image[:, :, y * dilation[0]:, z * dilation[1]:][
                :, :, :(rows - 1) * stride[0] + 1:stride[0], :(columns - 1) * stride[1] + 1:stride[1]]
    return out


def conv2d(a, data, weight):
    groups = a.get("groups", 1)
    under = windows(data, weight.shape[2:], both(a, "stride"), both(a, "dilation"), pads(a), 0)
    parts = zip(np.split(under, groups, axis=1), np.split(weight.astype("int64"), groups))
    return np.concatenate([np.einsum("ncyxhw,ocyx->nohw", d, w) for d, w in parts], axis=1)


def conv2d_transpose(a, data, weight):
    stride, pad = both(a, "stride"), pads(a)
    n, _, h, w = data.shape
    _, channels, kh, kw = weight.shape
    out = np.zeros((n, channels, (h - 1) * stride[0] + kh + a.get("output_pad_h", 0),
                    (w - 1) * stride[1] + kw + a.get("output_pad_w", 0)), "int64")
    for y in range(h):
        for x in range(w):
            out[:, :, y * stride[0]:y * stride[0] + kh, x * stride[1]:x * stride[1] + kw] += np.einsum(
                "nc,coyx->noyx", data[:, :, y, x].astype("int64"), weight.astype("int64"))
    return out[:, :, pad[0]:out.shape[2] - pad[1], pad[2]:out.shape[3] - pad[3]]


def dense(a, data, weight):
    return data.astype("int64") @ weight.astype("int64").T


def batch_matmul(a, data, weight):
    return np.einsum("bni,boi->bno", data.astype("int64"), weight.astype("int64"))


def apart(a, data):
    """Elements of rows of two bytes less the mean of their row."""
    x, n = data[0].astype("int64") - 256 * data[1].astype("int64"), data.shape[2]
    up, down = (n - 1).bit_length(), n.bit_length() - 1
    behind, factor = 14 + down - up, int((1 << 15 + down) / n + 1) // 2
    mean = ((x.sum(-1, keepdims=True) >> up) * factor + (1 << behind >> 1)) >> behind
    return wrap(x - wrap(mean) if a.get("mean", 1) else x)


def row_moments(a, data):
    d, n = apart(a, data), data.shape[2]
    squares = wrap(d * d) >> (n - 1).bit_length()
    squares = np.pad(squares, ((0, 0), (0, -n % a["block"]))).reshape(len(d), -1, a["block"]).sum(1)
    return np.stack([(squares + half) >> 8 * k for k, half in enumerate((0, 0x80, 0x8080, 0x808080))], 1)


def layer_norm(a, data, moments):
    power = sum(256 ** k * moments[:, k].astype("int64").sum(-1) for k in range(4)) + a.get("epsilon", 0)
    power = np.maximum(wrap(power), 0)
    enough = np.minimum(power >> 14, 1)
    v, amount = np.maximum(wrap(power * (256 - 255 * enough)), 1 << 14), 5 + 4 * enough
    for by, start in ((8, 22), (4, 18), (2, 16)):
        some = np.minimum(v >> start, 1)
        v, amount = v >> by * some, amount + by // 2 * some
    r = 17448 + (wrap(-9953 * v) >> 16)
    for _ in range(2):
        r = wrap(r * (24576 - (wrap(v * (wrap(r * r) >> 14)) >> 15))) >> 14
    return wrap(apart(a, data) * r[:, None]) >> amount[:, None]


def max_pool2d(a, data):
    return windows(data, both(a, "kernel"), both(a, "stride"), (1, 1), pads(a), -1 << 40).max(axis=(2, 3))


def avg_pool2d(a, data):
    shape = both(a, "kernel"), both(a, "stride"), (1, 1), pads(a)
    total = windows(data, *shape, 0).sum(axis=(2, 3))
    inside = np.ones_like(data) if not a.get("count_include_pad") else None
    count = shape[0][0] * shape[0][1] if inside is None else windows(inside, *shape, 0).sum(axis=(2, 3))
    return (2 * total + count) // (2 * count)


def sum_pool2d(a, data):
    return windows(data, both(a, "kernel"), both(a, "stride"), (1, 1), pads(a), 0).sum(axis=(2, 3))


def global_avg_pool2d(a, data):
    count = data.shape[2] * data.shape[3]
    total = data.astype("int64").sum(axis=(2, 3), keepdims=True)
    return (2 * total + count) // (2 * count)


def upsample2d(a, data):
    scale = [a.get(f"scale_{d}", 0) or a.get("scale", 2) for d in "hw"]
    return data.astype("int64").repeat(scale[0], axis=2).repeat(scale[1], axis=3)


def concat(a, *inputs):
    return np.concatenate(inputs, axis=1)


def leaky_relu(a, data):
    x = data.astype("int64")
    return np.where(x < 0, x >> a.get("by", 3), x)


SIMPLE = {
    "add": lambda a, x, y: wrap(x.astype("int64") + y),
    "multiply": lambda a, x, y: wrap(x.astype("int64") * y),
    "max": lambda a, x, y: np.maximum(x, y),
    "min": lambda a, x, y: np.minimum(x, y),
    "identity": lambda a, x: x,
    "shift": lambda a, x: x.astype("int64") >> a.get("by", 8),
    "clip": lambda a, x: np.clip(x, a.get("low", -128), a.get("high", 127)),
    "relu": lambda a, x: np.maximum(x, 0),
    "leaky_relu": leaky_relu,
}
OPERATORS = {f.__name__: f for f in (conv2d, conv2d_transpose, dense, batch_matmul, max_pool2d, avg_pool2d,
                                     sum_pool2d, global_avg_pool2d, upsample2d, concat)}


def along(vector, x):
    """A value for each channel, beside images, matrices or batches of matrices."""
    return vector.astype("int64").reshape(-1, *[1] * (x.ndim - 2)) if x.ndim == 4 else vector.astype("int64")


def steps(epilogue, x, extra, narrow="saturate"):
    """What follows, on accumulators: `extra` are the inputs of the steps that have one, by their order in the text."""
    inputs, x = iter(extra), wrap(np.asarray(x))
    for step in epilogue.split(",") if epilogue else ():
        name, *numbers = step.split(":")
        n = [int(v) for v in numbers]
        if name == "shift":
            x = x >> (n[0] if n else 8)
        elif name == "round_shift":
            x = (x + (1 << (n[0] - 1))) >> n[0]
        elif name == "requantize":
            x = (x * n[0] + (1 << (n[1] - 1))) >> n[1]
        elif name == "relu":
            x = np.maximum(x, 0)
        elif name == "leaky":
            x = np.where(x < 0, x >> (n[0] if n else 3), x)
        elif name == "clip":
            x = np.clip(x, *(n or (-128, 127)))
        elif name in ("add", "multiply"):
            x = x + n[0] if name == "add" else x * n[0]
        elif name in ("min", "max"):
            x = (np.minimum if name == "min" else np.maximum)(x, n[0])
        elif name in ("bias", "bias_int8"):
            x = x + along(next(inputs), x)
        elif name == "multiply_channel":
            x = x * along(next(inputs), x)
        elif name == "shift_channel":
            x = x >> along(next(inputs), x)
        else:
            x = x + (n[0] if n else 1) * next(inputs).astype("int64")
        x = wrap(x)
    return (x if narrow == "wrap" else np.clip(x, -128, 127)).astype("int8")

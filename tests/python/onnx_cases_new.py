"""More random cases of single ONNX operators: those that came with later operator sets, and those that work on indices.
Import it for what it adds to onnx_cases.CASES."""

import numpy as np
from onnx import TensorProto

from onnx_cases import BOOL, F32, I8, I32, I64, U8, _part, operator

U32, U64 = np.dtype("uint32"), np.dtype("uint64")

# ---- Elements --------------------------------------------------------------------------------------------------------


@operator("Gelu", sets=(20, 24))
def _gelu(d):
    d.set(approximate=d.pick(None, "none", "tanh"))
    d.input(d.array(d.shape()))


@operator("Swish", sets=(24, 24))
def _swish(d):
    d.set(alpha=d.pick(None, 1.0, 0.5, 1.702))
    d.input(d.array(d.shape()))


@operator("Mish", sets=(18, 24))
def _mish(d):
    d.input(d.array(d.shape()))


@operator("Shrink", sets=(9, 24))
def _shrink(d):
    if d.chance(0.8):
        d.set(lambd=float(d.array([], F32, 0.1, 1)), bias=float(d.array([], F32, 0, 1)))
    d.input(d.array(d.shape()))


@operator("Sign", sets=(9, 24))
def _sign(d):
    d.input(d.array(d.shape(), d.pick(F32, I32, I64), -2, 2))


@operator("IsNaN", "IsInf", sets=(10, 24))
def _is(d):
    x = d.array(d.shape())
    d.input(np.where(d.random.random(x.shape) < 0.5, F32.type(d.pick(np.nan, np.inf, -np.inf)), x).astype(F32))
    if d.name == "IsInf":
        d.set(detect_positive=d.pick(None, 0, 1), detect_negative=d.pick(None, 0, 1))


@operator("BitShift", sets=(11, 24))
def _shift(d):
    dtype, shape = d.pick(U8, U32, U64), d.shape()
    d.set(direction=d.pick("LEFT", "RIGHT"))
    d.input(d.array(shape, dtype))
    d.input(d.array(_part(d, shape), dtype, 0, 7))


@operator("BitwiseAnd", "BitwiseOr", "BitwiseXor", sets=(18, 24))
def _bits(d):
    dtype, shape = d.pick(U8, I8, I32, I64, U32), d.shape()
    d.input(d.array(shape, dtype))
    d.input(d.array(_part(d, shape), dtype))


@operator("BitwiseNot", sets=(18, 24))
def _bit_not(d):
    d.input(d.array(d.shape(), d.pick(U8, I8, I32, I64)))


@operator("CastLike", sets=(15, 24))
def _cast_like(d):
    d.input(d.array(d.shape(), d.pick(F32, I32, I64), 0, 100))
    d.input(d.array([1], d.pick(F32, I32, I64, U8)))


# ---- Windows and normalization ---------------------------------------------------------------------------------------


@operator("GlobalLpPool")
def _global_lp(d):
    d.set(p=d.pick(None, 1, 2, 3))
    d.input(d.array([1, d.upto(1, 3), *[d.upto(1, 5) for _ in range(d.pick(1, 2, 3))]]))
    d.tolerance = 1e-4


@operator("GroupNormalization", sets=(18, 24))
def _group_norm(d):
    groups, per = d.upto(1, 3), d.upto(1, 3)
    shape = [d.upto(1, 2), groups * per, *[d.upto(2, 4) for _ in range(d.pick(1, 2))]]
    d.set(num_groups=groups, epsilon=d.pick(None, 1e-3))
    d.input(d.array(shape, F32, 0, 0.5) + np.arange(shape[-1], dtype=F32))
    for _ in range(2):
        d.constant(d.array([groups if d.opset < 21 else groups * per]))
    d.tolerance = 1e-4


@operator("RMSNormalization", sets=(23, 24))
def _rms_norm(d):
    shape = d.shape(1)
    axis = d.upto(0, len(shape) - 1)
    d.set(axis=axis - len(shape) if d.chance() else axis, epsilon=d.pick(None, 1e-3))
    d.input(d.array(shape))
    d.constant(d.array(shape[axis:]))
    d.tolerance = 1e-4


@operator("LpNormalization")
def _lp_norm(d):
    shape = d.shape(1)
    d.set(axis=d.pick(None, d.upto(0, len(shape) - 1)), p=d.pick(None, 1, 2))
    d.input(d.array(shape))


@operator("MeanVarianceNormalization", sets=(9, 24))
def _mvn(d):
    shape = [d.upto(1, 2), d.upto(1, 3), d.upto(2, 4), d.upto(2, 4)]
    d.set(axes=d.pick(None, [0, 2, 3], [2, 3], [0, 1, 2, 3]))
    d.input(d.array(shape, F32, 0, 0.5) + np.arange(shape[-1], dtype=F32))
    d.tolerance = 1e-4


# ---- Indices ---------------------------------------------------------------------------------------------------------


def _indices(d, shape, extent, dtype=I64):
    at = d.array(shape, dtype, 0, extent - 1)
    return np.where(d.random.random(at.shape) < 0.3, at - dtype.type(extent), at).astype(dtype)


@operator("GatherElements", sets=(11, 24))
def _gather_elements(d):
    shape = d.shape(1)
    axis = d.upto(0, len(shape) - 1)
    d.set(axis=axis - len(shape) if d.chance() else axis)
    d.input(d.array(shape, d.pick(F32, I64)))
    to = [d.upto(1, 6) if i == axis else d.upto(1, n) for i, n in enumerate(shape)]
    d.input(_indices(d, to, shape[axis], d.pick(I64, I32)), constant=d.chance())


@operator("GatherND", sets=(11, 24))
def _gather_nd(d):
    shape = d.shape(2)
    batch = d.upto(0, len(shape) - 1) if d.opset >= 12 and d.chance(0.4) else 0
    k = d.upto(1, len(shape) - batch)
    lead = [*shape[:batch], *d.shape(0, 2, 3)]
    if len(lead) == batch and batch:
        lead.append(2)
    if batch:
        d.set(batch_dims=batch)
    d.input(d.array(shape))
    at = [_indices(d, [*lead, 1], shape[batch + j]) for j in range(k)]
    d.input(np.concatenate(at, axis=-1), constant=d.chance())


def _reduction(d):
    if d.opset >= 16 and d.chance():
        d.set(reduction=d.pick("none", "add", "mul", *(["max", "min"] if d.opset >= 18 else [])))
    return d.attributes.get("reduction", "none") == "none"


@operator("Scatter", sets=(9, 10))
@operator("ScatterElements", sets=(11, 24))
def _scatter_elements(d):
    shape = d.shape(1)
    axis = d.upto(0, len(shape) - 1)
    to = [d.upto(1, n) for n in shape]
    alone = _reduction(d)
    d.set(axis=axis)
    d.input(d.array(shape))
    # An element that is set twice is either one: places along the axis are different.
    places = [d.random.permutation(shape[axis])[:to[axis]] for _ in range(int(np.prod(to)) // to[axis])]
    at = np.moveaxis(np.array(places, I64).reshape([n for i, n in enumerate(to) if i != axis] + [to[axis]]), -1, axis)
    at = at if alone else np.asarray(d.array(to, I64, 0, shape[axis] - 1))
    if d.name == "ScatterElements" and d.chance(0.3):
        at = at - shape[axis]
    d.input(np.ascontiguousarray(at), constant=d.chance())
    d.input(d.array(to), constant=d.chance(0.3))


@operator("ScatterND", sets=(11, 24))
def _scatter_nd(d):
    shape = d.shape(1)
    k = d.upto(1, len(shape))
    count = int(np.prod(shape[:k]))
    alone = _reduction(d)
    some = d.random.permutation(count)[:d.upto(1, count)] if alone else d.array([d.upto(1, 6)], I64, 0, count - 1)
    d.input(d.array(shape))
    d.input(np.stack(np.unravel_index(some, shape[:k]), axis=-1).astype(I64), constant=d.chance())
    d.input(d.array([len(some), *shape[k:]]))


@operator("TopK")
def _top_k(d):
    shape = d.shape(1, 4, 8)
    axis = d.upto(0, len(shape) - 1)
    k = d.upto(1, shape[axis])
    d.outputs = 2
    d.set(axis=axis - len(shape) if d.chance() and d.opset >= 11 else axis)
    dtype = d.pick(F32, I64, I32) if d.opset >= 11 else F32
    d.input(d.array(shape, dtype, *((-3, 3) if dtype != F32 and d.chance() else ())))
    if d.opset >= 11:
        d.set(largest=d.pick(None, 0, 1), sorted=1)
    if d.opset < 10:
        d.set(k=k)
    else:
        d.constant(np.array([k], I64))


@operator("NonMaxSuppression", sets=(10, 24))
def _suppression(d):
    images, boxes, classes = d.upto(1, 2), d.upto(1, 20), d.upto(1, 3)
    d.set(center_point_box=d.pick(None, 0, 1))
    d.input(np.round(d.array([images, boxes, 4], F32, 0, 10), d.upto(0, 2)))
    d.input(np.round(d.array([images, classes, boxes], F32, 0, 1), 2))
    d.constant(np.array([d.pick(1, 3, 100, 2**40)], I64))
    d.constant(np.array([d.pick(0, 0.3, 0.5, 1)], F32))
    if d.chance(0.7):
        d.constant(np.array([d.pick(-1, 0.2, 0.5, 0.99)], F32))


@operator("OneHot", sets=(9, 24))
def _one_hot(d):
    depth, dtype = d.upto(1, 6), d.pick(F32, I64)
    shape = d.shape(1, 3)
    d.set(axis=d.pick(None, d.upto(-len(shape) - 1, len(shape))))
    d.input(d.array(shape, I64, -depth - (1 if d.chance(0.2) else 0), depth))
    d.constant(np.array(depth if d.chance() else [depth], I64))
    d.constant(d.array([2], dtype))


@operator("ReverseSequence", sets=(10, 24))
def _reverse_sequence(d):
    shape, batch = [d.upto(1, 5), d.upto(1, 5), *d.shape(0, 2)], d.upto(0, 1)
    if batch == 0 or d.chance():
        d.set(batch_axis=batch, time_axis=1 - batch)
    d.input(d.array(shape))
    d.input(d.array([shape[batch]], I64, 1, shape[1 - batch]), constant=d.chance())


@operator("Trilu", sets=(14, 24))
def _trilu(d):
    d.set(upper=d.pick(None, 0, 1))
    d.input(d.array([*d.shape(0, 2), d.upto(1, 5), d.upto(1, 5)], d.pick(F32, I64, BOOL)))
    if d.chance(0.7):
        d.constant(np.array(d.upto(-6, 6), I64))


@operator("CumSum", sets=(11, 24))
def _cum_sum(d):
    shape = d.shape(1)
    d.set(exclusive=d.pick(None, 0, 1), reverse=d.pick(None, 0, 1))
    d.input(d.array(shape, d.pick(F32, I32, I64)))
    d.constant(np.array(d.upto(-len(shape), len(shape) - 1), d.pick(I32, I64)))


@operator("NonZero", sets=(9, 24))
def _non_zero(d):
    d.input(d.array(d.shape(0 if d.opset >= 13 else 1), d.pick(F32, I64, BOOL), -1, 1), constant=d.chance())


@operator("Compress", sets=(9, 24))
def _compress(d):
    shape = d.shape(1)
    axis = d.pick(None, d.upto(0, len(shape) - 1))
    d.set(axis=axis)
    d.input(d.array(shape))
    condition = d.array([shape[axis] if axis is not None else int(np.prod(shape))], BOOL)
    condition[0] = True
    d.input(condition[:d.upto(1, len(condition))], constant=d.chance())


@operator("EyeLike", sets=(9, 24))
def _eye_like(d):
    d.set(k=d.pick(None, 0, 1, -1), dtype=d.pick(None, TensorProto.FLOAT, TensorProto.INT64))
    d.input(d.array([d.upto(1, 5), d.upto(1, 5)]))


@operator("CenterCropPad", sets=(18, 24))
def _center(d):
    shape = d.shape(1)
    axes = [int(a) for a in d.random.permutation(len(shape))[:d.upto(1, len(shape))]] if d.chance() else None
    d.set(axes=axes)
    d.input(d.array(shape))
    d.constant(np.array([d.upto(1, 7) for _ in (axes or shape)], I64))


# ---- Products --------------------------------------------------------------------------------------------------------


@operator("Einsum", sets=(12, 24))
def _einsum(d):
    extents = {c: d.upto(1, 4) for c in "abcdef"}
    terms = []
    for _ in range(d.pick(1, 2, 2, 2, 3)):
        terms.append("".join(str(c) for c in d.random.permutation(list("abcdef"))[:d.upto(1, 4)]))
    used = sorted(set("".join(terms)))
    result = "".join(str(c) for c in d.random.permutation(used)[:d.upto(0, min(4, len(used)))])
    if d.chance(0.15):
        terms, result = ["iij" if d.chance() else "ii"], "i"
        extents.update(i=3, j=2)
    dots = d.chance(0.2) and "i" not in extents
    equation = ",".join(("..." if dots else "") + t for t in terms)
    if d.chance(0.8) or dots:
        equation += "->" + ("..." if dots else "") + result
    d.set(equation=equation.replace(",", ", ") if d.chance(0.2) else equation)
    lead = d.shape(1, 2, 3) if dots else []
    for term in terms:
        d.input(d.array([*lead, *[extents[c] for c in term]]), constant=d.chance(0.2) and len(terms) > 1)
    d.tolerance = 1e-4


def _heads(d, flat, images, heads, steps, size):
    return d.array([images, steps, heads * size] if flat else [images, heads, steps, size], F32, -1, 1)


@operator("Attention", sets=(23, 24))
def _attention(d):
    flat, images, kv, size, v_size = d.chance(), d.upto(1, 2), d.upto(1, 2), 2 * d.upto(1, 3), d.upto(1, 4)
    heads, steps, keys = kv * d.upto(1, 2), d.upto(1, 4), d.upto(1, 5)
    past = d.upto(1, 3) if d.chance(0.3) else 0
    if flat:
        d.set(q_num_heads=heads, kv_num_heads=kv)
    # Of one query ONNX Runtime 1.24 takes is_causal as if all keys were before it.
    d.set(is_causal=d.pick(None, None, 1) if steps > 1 else None, scale=d.pick(None, 0.3), softcap=d.pick(None, None, 2.0))
    if past and d.chance(0.7):
        d.outputs = 3
    d.input(_heads(d, flat, images, heads, steps, size))
    d.input(_heads(d, flat, images, kv, keys, size))
    d.input(_heads(d, flat, images, kv, keys, v_size))
    if d.chance():
        shape = d.pick([steps, past + keys], [1, heads, steps, past + keys], [images, 1, steps, past + keys])
        mask = d.array(shape, F32 if past else d.pick(F32, BOOL))
        if mask.dtype == BOOL:
            mask[..., 0] = True
        d.input(mask)
    elif past:
        d.input(None)
    if past:
        d.input(d.array([images, kv, past, size], F32, -1, 1))
        d.input(d.array([images, kv, past, v_size], F32, -1, 1))
    d.tolerance = 1e-4


@operator("RotaryEmbedding", sets=(23, 24))
def _rotary(d):
    images, heads, steps, size = d.upto(1, 2), d.upto(1, 3), d.upto(1, 4), 4 * d.upto(1, 2)
    flat, some = d.chance(), d.pick(None, None, 2, 4)
    pairs = (some or size) // 2
    d.set(interleaved=d.pick(None, 0, 1), num_heads=heads if flat else None, rotary_embedding_dim=some)
    d.input(_heads(d, flat, images, heads, steps, size))
    by_place = d.chance()
    for _ in range(2):
        d.input(d.array([8, pairs] if by_place else [images, steps, pairs], F32, -1, 1), constant=d.chance())
    if by_place:
        d.input(d.array([images, steps], I64, 0, 7), constant=d.chance(0.3))


@operator("DFT", sets=(17, 24))
def _dft(d):
    parts = d.pick(1, 2)
    shape = [1, d.upto(2, 9), d.upto(2, 9), parts]
    axis = d.pick(1, 2)
    d.input(d.array(shape))
    if d.chance(0.4):
        d.constant(np.array(d.upto(2, 10), I64))
    elif d.opset >= 20:
        d.constant(None)
    if d.opset >= 20:
        d.constant(np.array(axis, I64))
    else:
        d.set(axis=axis)
    if parts == 1:
        d.set(onesided=d.pick(None, 0, 1))
    else:
        d.set(inverse=d.pick(None, 0, 1))
    d.tolerance = 1e-4


@operator("STFT", sets=(17, 24))
def _stft(d):
    length, step = d.upto(3, 8), d.upto(1, 4)
    d.set(onesided=d.pick(None, 0, 1))
    d.input(d.array([d.upto(1, 2), d.upto(length, 24), 1]))
    d.constant(np.array(step, I64))
    d.input(d.array([length]), constant=d.chance())
    if d.chance():
        d.constant(np.array(length, I64))
    d.tolerance = 1e-4


@operator("HannWindow", "HammingWindow", "BlackmanWindow", sets=(17, 24))
def _window_of(d):
    d.set(periodic=d.pick(None, 0, 1))
    d.constant(np.array(d.upto(2, 12), I64))


# ---- Images ----------------------------------------------------------------------------------------------------------


@operator("GridSample", sets=(16, 24))
def _grid_sample(d):
    axes = d.pick(2, 2, 3) if d.opset >= 20 else 2
    kinds = ("linear", "nearest", "cubic") if d.opset >= 20 else ("bilinear", "nearest", "bicubic")
    mode = d.pick(*(kinds[:2] if axes == 3 else kinds))
    d.set(mode=mode, padding_mode=d.pick(None, "zeros", "border", "reflection"), align_corners=d.pick(None, 0, 1))
    images = d.upto(1, 2)
    d.input(d.array([images, d.upto(1, 3), *[d.upto(2, 5) for _ in range(axes)]]))
    d.input(d.array([images, *[d.upto(1, 4) for _ in range(axes)], axes], F32, -1.4, 1.4))
    d.tolerance = 1e-4


@operator("AffineGrid", sets=(20, 24))
def _affine_grid(d):
    axes, images = d.pick(2, 3), d.upto(1, 2)
    d.set(align_corners=d.pick(None, 0, 1))
    d.input(d.array([images, axes, axes + 1]))
    d.constant(np.array([images, d.upto(1, 3), *[d.upto(2, 5) for _ in range(axes)]], I64))


@operator("ReduceMax", "ReduceMin", sets=(7, 24))
def _reduce_more(d):
    shape = d.shape(1)
    axes = [int(a) for a in d.random.permutation(len(shape))[:d.upto(1, len(shape))]] if d.chance(0.8) else None
    dtype = d.pick(F32, BOOL) if d.opset >= 20 else d.pick(F32, U8, I8, I32, I64) if d.opset >= 12 else F32
    d.set(keepdims=d.pick(None, 0, 1))
    d.input(d.array(shape, dtype))
    if d.opset >= 18 and axes:
        d.constant(np.array(axes, I64))
    elif d.opset < 18:
        d.set(axes=axes)


@operator("ArgMax", "ArgMin")
def _arg_more(d):
    shape = d.shape(1)
    dtype = d.pick(F32, F32, I32)
    d.set(axis=d.pick(None, d.upto(0, len(shape) - 1)), keepdims=d.pick(None, 0, 1),
          select_last_index=d.pick(None, 0, 1) if d.opset >= 12 else None)
    d.input(d.array(shape, dtype, *((-1, 1) if dtype == I32 else ())))


@operator("Range", sets=(11, 24))
def _range_more(d):
    dtype = d.pick(I64, I32, F32)
    step = d.pick(1, 2, 3, -1, -2)
    start, count = d.upto(-5, 5), d.upto(1, 6)
    for x in (start, start + step * count, step):
        d.constant(np.array(x, dtype) if dtype != F32 else np.array(x * 0.25, F32))


@operator("Tile")
def _tile_more(d):
    shape = d.shape(1, 6, 3)
    d.input(d.array(shape, d.pick(F32, I64)))
    d.constant(np.array([d.upto(1, 2 if len(shape) > 4 else 3) for _ in shape], I64))



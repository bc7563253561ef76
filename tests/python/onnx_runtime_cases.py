"""Random cases of ONNX Runtime's own operators (com.microsoft), made from its document of contrib operators: more rows
of onnx_cases.CASES. Nothing here is read from this project's tables."""

import numpy as np

from onnx_cases import F32, I8, I32, I64, U8, operator

MICROSOFT = "com.microsoft"


def _scale(d, shape=()):
    return d.array(list(shape), F32, 0.01, 0.1)


@operator("Gelu", "BiasGelu", "FastGelu", "QuickGelu", sets=(17, 17), domain=MICROSOFT)
def _gelu(d):
    shape = d.shape(1)
    d.input(d.array(shape))
    if d.name == "BiasGelu" or (d.name == "FastGelu" and d.chance()):
        d.constant(d.array(shape[-1:]))
    if d.name == "QuickGelu" and d.chance():
        d.set(alpha=float(d.array([], F32, 0.5, 2)))


@operator("FusedConv", domain=MICROSOFT)
def _fused_conv(d):
    kernel, per, group, out = [d.upto(1, 3), d.upto(1, 3)], d.upto(1, 3), d.upto(1, 2), d.upto(1, 3)
    image = [k + d.upto(0, 4) for k in kernel]
    name = d.pick(None, "Relu", "Tanh", "Sigmoid", "LeakyRelu", "Clip", "HardSigmoid")
    d.set(group=group, kernel_shape=kernel, activation=name, activation_params={
        "LeakyRelu": [0.2], "Clip": [-0.5, 1.5], "HardSigmoid": [0.3, 0.4]}.get(name))
    d.input(d.array([1, group * per, *image]))
    d.constant(d.array([group * out, per, *kernel]))
    d.constant(d.array([group * out])) if d.chance() else d.input(None)
    if d.chance():
        d.input(d.array([1, group * out, *[i - k + 1 for i, k in zip(image, kernel)]]))


@operator("FusedMatMul", domain=MICROSOFT)
def _fused_mat_mul(d):
    batch, m, k, n = d.shape(0, 2), d.upto(1, 5), d.upto(1, 5), d.upto(1, 5)
    a, b, ta, tb = [m, k], [k, n], int(d.chance()), int(d.chance())
    d.set(transA=ta, transB=tb, alpha=d.pick(None, 0.25))
    a, b = (a[::-1] if ta else a), (b[::-1] if tb else b)
    if len(batch) == 1 and d.chance():
        d.set(transBatchA=1)
        a = [a[0], *batch, a[1]]
    else:
        a = [*batch, *a]
    d.input(d.array(a))
    d.input(d.array([*batch, *b]), constant=d.chance())


@operator("FusedGemm", domain=MICROSOFT)
def _fused_gemm(d):
    m, k, n, ta, tb = d.upto(1, 5), d.upto(1, 5), d.upto(1, 5), int(d.chance()), int(d.chance())
    d.set(transA=ta, transB=tb, alpha=d.pick(None, 0.5), activation=d.pick("Relu", "LeakyRelu"), activation_alpha=0.1)
    d.input(d.array([k, m] if ta else [m, k]))
    d.constant(d.array([n, k] if tb else [k, n]))
    if d.chance():
        d.constant(d.array([n]))


@operator("SkipLayerNormalization", "SkipSimplifiedLayerNormalization", sets=(14, 17), domain=MICROSOFT)
def _skip_normalization(d):
    shape = [d.upto(1, 3), d.upto(1, 4), d.upto(4, 9)]  # of two elements a variance near 0 is too common
    d.set(epsilon=d.pick(None, 1e-5))
    for _ in range(2):
        d.input(d.array(shape))
    d.constant(d.array(shape[2:]))
    if d.name == "SkipLayerNormalization":
        d.constant(d.array(shape[2:])) if d.chance() else d.input(None)
    if d.chance():
        d.constant(d.array(shape[2:]))
    if d.chance():
        d.outputs = ["y0", "", "", "y3"]


@operator("SimplifiedLayerNormalization", sets=(14, 17), domain="")
def _simplified(d):
    shape = [d.upto(1, 3), d.upto(2, 9)]
    d.set(epsilon=d.pick(1e-6, 1e-3), axis=d.pick(-1, 1), stash_type=1)
    d.input(d.array(shape))
    d.constant(d.array(shape[1:]))


@operator("EmbedLayerNormalization", sets=(14, 17), domain=MICROSOFT)
def _embed(d):
    batch, length, width, words = d.upto(1, 3), d.upto(1, 5), d.upto(2, 8), d.upto(2, 9)
    segments, mask = d.chance(), d.chance()
    d.set(epsilon=1e-5)
    d.input(d.array([batch, length], I32, 0, words - 1))
    d.input(d.array([batch, length], I32, 0, 1) if segments else None)
    d.constant(d.array([words, width]))
    d.constant(d.array([length + 2, width]))
    d.constant(d.array([2, width])) if segments else d.input(None)
    d.constant(d.array([width]))
    d.constant(d.array([width]))
    d.input((np.arange(length) < d.random.integers(1, length + 1, (batch, 1))).astype(I32) if mask else None)
    d.outputs = 2


def _mask(d, batch, length, keys):
    """Marks or lengths that leave each query a key."""
    lengths = d.random.integers(1, keys + 1, batch).astype(I32)
    return d.pick(lengths, (np.arange(keys) < lengths[:, None]).astype(I32))


@operator("Attention", sets=(14, 17), domain=MICROSOFT)
def _attention(d):
    batch, length, heads, size, width = d.upto(1, 2), d.upto(1, 5), d.upto(1, 3), d.upto(1, 4), d.upto(1, 6)
    past = d.pick(0, 0, d.upto(1, 3))
    d.set(num_heads=heads, unidirectional=d.pick(None, 0, 1), scale=d.pick(None, 0.3))
    d.input(d.array([batch, length, width]))
    d.constant(d.array([width, 3 * heads * size]))
    d.constant(d.array([3 * heads * size]))
    mask = d.chance(0.6) and not past
    d.input(_mask(d, batch, length, length) if mask else None)
    d.outputs = 2 if past else 1
    d.input(d.array([2, batch, heads, past, size]) if past else None)
    if d.chance(0.3) and not past:  # ONNX Runtime takes one of the two
        d.input(d.array([1, heads, length, length]))


@operator("QAttention", sets=(14, 17), domain=MICROSOFT)
def _quantized_attention(d):
    batch, length, heads, size, width = d.upto(1, 2), d.upto(1, 5), d.upto(1, 3), d.upto(1, 4), d.upto(1, 6)
    d.set(num_heads=heads, unidirectional=d.pick(0, 1))
    each = d.chance()
    d.input(d.array([batch, length, width], U8))
    d.constant(d.array([width, 3 * heads * size], I8))
    d.constant(d.array([3 * heads * size]))
    d.constant(_scale(d))
    d.constant(_scale(d, [3 * heads * size] if each else []))
    d.input(_mask(d, batch, length, length) if d.chance() else None)
    d.constant(d.array([], U8, 0, 40))
    d.constant(np.zeros([3 * heads * size] if each else [], I8))


@operator("MultiHeadAttention", sets=(14, 17), domain=MICROSOFT)
def _multi_head(d):
    batch, length, keys, heads, size = d.upto(1, 2), d.upto(1, 5), d.upto(1, 6), d.upto(1, 3), d.upto(1, 4)
    d.set(num_heads=heads, scale=d.pick(None, 0.3))
    past = d.upto(1, 3) if d.chance(0.3) else 0
    d.input(d.array([batch, length, heads * size]))
    for _ in range(2):
        d.input(d.array([batch, keys, heads * size]))
    d.input(d.array([3 * heads * size]) if d.chance() else None)
    d.input(_mask(d, batch, length, keys) if d.chance() and not past else None)
    d.input(d.array([1, heads, length, past + keys]) if d.chance() else None)
    if past:
        d.input(d.array([batch, heads, past, size]))
        d.input(d.array([batch, heads, past, size]))
        d.outputs = 3


@operator("GroupQueryAttention", sets=(14, 17), domain=MICROSOFT)
def _group_query(d):
    batch, groups, times, size = d.upto(1, 2), d.upto(1, 2), d.upto(1, 3), 16
    past, rotary, heads = d.pick(0, d.upto(1, 5)), d.chance(), groups * times
    length = d.upto(1, 5) if past == 0 else 1
    total = past + length
    d.set(num_heads=heads, kv_num_heads=groups, do_rotary=int(rotary), scale=d.pick(None, 0.4),
          rotary_interleaved=d.pick(0, 1), local_window_size=d.pick(None, 2), softcap=d.pick(None, 5.0))
    packed = d.chance(0.3)
    d.input(d.array([batch, length, (heads + 2 * groups if packed else heads) * size]))
    for _ in range(2):
        d.input(None if packed else d.array([batch, length, groups * size]))
    for _ in range(2):
        d.input(d.array([batch, groups, past, size]) if past else None)
    d.constant(np.full([batch], total - 1, I32))
    d.constant(np.array(total, I32))
    if rotary:
        angles = d.array([total + 3, size // 2])
        d.constant(np.cos(angles))
        d.constant(np.sin(angles))
    d.outputs = 3


@operator("RotaryEmbedding", sets=(14, 17), domain=MICROSOFT)
def _rotary(d):
    batch, length, heads, size = d.upto(1, 2), d.upto(1, 5), d.upto(1, 3), 2 * d.upto(1, 4)
    d.set(interleaved=d.pick(None, 0, 1))
    part = size // 2 if d.chance(0.3) and size % 4 == 0 else size
    if part != size:
        d.set(rotary_embedding_dim=part, num_heads=heads)
    d.input(d.array(d.pick([batch, length, heads * size], [batch, heads, length, size])))
    d.input(d.pick(np.array([2], I64), d.array([batch, length], I64, 0, 9)))
    angles = d.array([length + 10, part // 2])
    d.constant(np.cos(angles))
    d.constant(np.sin(angles))


@operator("MatMulNBits", sets=(14, 17), domain=MICROSOFT)
def _blocks(d):
    k, n, size, bits = d.upto(1, 80), d.upto(1, 6), d.pick(16, 32, 64), d.pick(4, 4, 8)
    count = -(-k // size)
    d.set(K=k, N=n, block_size=size, bits=bits)
    d.input(d.array([*d.shape(0, 1), d.upto(1, 4), k]))
    d.constant(d.array([n, count, size * bits // 8], U8, 0, 255))
    d.constant(d.array([n, count] if d.chance() else [n * count], F32, 0.01, 0.1))
    if d.chance():
        d.constant(d.array([n, -(-count * bits // 8)], U8, 0, 255))


@operator("DynamicQuantizeMatMul", sets=(14, 17), domain=MICROSOFT)
def _dynamic(d):
    m, k, n, dtype, each = d.upto(1, 5), d.upto(1, 9), d.upto(1, 5), d.pick(I8, U8), d.chance()
    d.input(d.array([*d.shape(0, 1), m, k]) if d.chance(0.9) else np.zeros([m, k], F32))
    d.constant(d.array([k, n], dtype))
    d.constant(_scale(d, [n] if each else []))
    d.constant(d.array([n] if each else [], dtype, 0, 30)) if d.chance() else d.input(None)
    if d.chance():
        d.constant(d.array([n]))


@operator("MatMulIntegerToFloat", sets=(14, 17), domain=MICROSOFT)
def _to_float(d):
    m, k, n, each = d.upto(1, 5), d.upto(1, 9), d.upto(1, 5), d.chance()
    a, b = d.pick((U8, U8), (U8, I8), (I8, I8))
    d.input(d.array([*d.shape(0, 1), m, k], a))
    d.constant(d.array([k, n], b))
    d.constant(_scale(d))
    d.constant(_scale(d, [n] if each else []))
    d.constant(d.array([], a, 0, 30)) if d.chance() else d.input(None)
    d.constant(d.array([n] if each else [], b, 0, 30)) if d.chance() else d.input(None)
    if d.chance():
        d.constant(d.array([n]))


@operator("QGemm", sets=(14, 17), domain=MICROSOFT)
def _quantized_gemm(d):
    m, k, n, each = d.upto(1, 5), d.upto(1, 9), d.upto(1, 5), d.chance()
    a, b = d.pick((U8, U8), (U8, I8), (I8, I8))
    ta, tb = d.pick(0, 1), d.pick(0, 1)
    d.set(transA=ta, transB=tb, alpha=d.pick(None, 0.5))
    d.input(d.array([k, m] if ta else [m, k], a))
    d.constant(_scale(d))
    d.constant(d.array([], a, 0, 30))
    d.constant(d.array([n, k] if tb else [k, n], b))
    d.constant(_scale(d, [n] if each else []))
    d.constant(np.zeros([n] if each else [], b))
    d.constant(d.array([n], I32)) if d.chance() else d.input(None)
    if d.chance():
        d.constant(_scale(d) * F32.type(5))
        d.constant(d.array([], a, 0, 30))


@operator("QLinearSoftmax", sets=(14, 17), domain=MICROSOFT)
def _quantized_softmax(d):
    # The scale is 1 / 256, whatever is given, and a share of 1 wraps around: none is here.
    dtype, shape = d.pick(U8, I8), [d.upto(2, 5) for _ in range(d.upto(1, 3))]
    d.set(axis=d.upto(0, len(shape) - 1), opset=d.pick(11, 13))
    d.input(d.array(shape, dtype))
    d.constant(d.array([], F32, 0.002, 0.01))
    d.constant(d.array([], dtype, 0, 30))
    d.constant(np.array(1 / 256, F32))
    d.constant(np.array(0 if dtype == U8 else -128, dtype))

/* ONNX Runtime's products of integers: weights of 4 and 8 bits in blocks, and integers with scales. Their meaning is
 * said in floats, in which sums of products of bytes are exact up to 2^24. */
#include <string.h>

#include "frontend/onnx/runtime.h"

/* ---- MatMulNBits: weights in blocks, a scale and a zero point for each ---- */

typedef struct blocks {
    int64_t columns, rows, bits, size, count; /* of the weights; of a number; of a block; blocks in a column */
    const uint8_t *packed, *zeros;
    const float *scales, *float_zeros;
} blocks;

/* Number i of a row of packed numbers; the first ones are in the low bits. */
static uint32_t packed_at(const uint8_t *row, int64_t i, int64_t bits) {
    int64_t bit = i * bits;
    return (uint32_t)(row[bit / 8] >> bit % 8) & ((1u << bits) - 1);
}

static const void *known_data(const vt_onnx_node *n, size_t i, vt_element element, int64_t count, const char *what) {
    const vt_gvalue *v = vt__onnx_need_known(n, i, what);
    if (v->type.element != element || vt_gtype_count(&v->type) != count)
        vt__onnx_wrong(n, "%s are %lld of %s, expected %lld of %s", what, (long long)vt_gtype_count(&v->type),
                       vt_element_text(v->type.element), (long long)count, vt_element_text(element));
    return v->data;
}

static blocks blocks_of(const vt_onnx_node *n) {
    blocks b = {.columns = vt__want_positive(n, "N", 0),
                .rows = vt__want_positive(n, "K", 0),
                .bits = vt__onnx_int(n, "bits", 4),
                .size = vt__want_positive(n, "block_size", 0)};
    const vt_gvalue *zeros = vt__onnx_in(n, 3);
    if (b.bits != 2 && b.bits != 4 && b.bits != 8)
        vt__onnx_unsupported(n, "weights of %lld bits; of 2, 4 and 8 they are supported", (long long)b.bits);
    if (b.size < 16 || b.size > 1 << 20 || (b.size & (b.size - 1)))
        vt__onnx_wrong(n, "block_size is %lld; it must be a power of two from 16 on", (long long)b.size);
    if (b.rows > VT_MAX_COMPUTED / b.columns) vt__onnx_wrong(n, "the weights are too large");
    b.count = (b.rows + b.size - 1) / b.size;
    int64_t row = (b.count * b.bits + 7) / 8, all = b.columns * b.count;
    b.packed = known_data(n, 1, VT_ELEMENT_U8, all * (b.size * b.bits / 8), "the weights");
    b.scales = known_data(n, 2, VT_ELEMENT_F32, all, "the scales");
    if (zeros && zeros->type.element == VT_ELEMENT_U8)
        b.zeros = known_data(n, 3, VT_ELEMENT_U8, b.columns * row, "the zero points");
    else if (zeros)
        b.float_zeros = known_data(n, 3, VT_ELEMENT_F32, all, "the zero points");
    return b;
}

static float zero_of(const blocks *b, int64_t column, int64_t block) {
    int64_t row = (b->count * b->bits + 7) / 8;
    if (b->float_zeros) return b->float_zeros[column * b->count + block];
    return b->zeros ? (float)packed_at(b->zeros + column * row, block, b->bits) : (float)(1u << (b->bits - 1));
}

/* The weights as floats, [rows, columns]. */
static vt_gvalue *unpacked(const vt_onnx_node *n, const blocks *b) {
    const int64_t dims[] = {b->rows, b->columns};
    float *data;
    vt_gvalue *v = vt__mk_room(n, VT_ELEMENT_F32, 2, dims, &data);
    for (int64_t c = 0; c < b->columns; c++) {
        for (int64_t k = 0; k < b->rows; k++) {
            int64_t block = k / b->size, at = c * b->count + block;
            const uint8_t *row = b->packed + at * (b->size * b->bits / 8);
            float x = (float)packed_at(row, k % b->size, b->bits) - zero_of(b, c, block);
            data[k * b->columns + c] = x * b->scales[at];
        }
    }
    return v;
}

void vt__onnx_mat_mul_blocks(const vt_onnx_node *n) {
    blocks b = blocks_of(n);
    vt_gvalue *x = vt__onnx_need(n, 0);
    if (vt__onnx_in(n, 4)) vt__onnx_unsupported(n, "g_idx, rows in another order, is not supported");
    vt__onnx_want_floats(n, x);
    vt_gvalue *y = vt__mk_two(n, VT_G_MAT_MUL, x, unpacked(n, &b));
    vt__onnx_out(n, 0, vt__mk_sum(n, y, vt__onnx_in(n, 5)));
}

/* ---- Integers with scales ---- */

/* The zero point taken off: [rows, columns] with one of each column, or one. */
static vt_gvalue *centred(const vt_onnx_node *n, vt_gvalue *x, vt_gvalue *zero) {
    x = vt__mk_cast(n, x, VT_ELEMENT_F32);
    return zero ? vt__mk_two(n, VT_G_SUB, x, vt__mk_cast(n, zero, VT_ELEMENT_F32)) : x;
}

static void want_bytes(const vt_onnx_node *n, size_t i) {
    const vt_gvalue *v = vt__onnx_need(n, i);
    if (!vt_element_is_byte(v->type.element))
        vt__onnx_wrong(n, "input %zu (%s) is of %s, not int8 or uint8", i, v->name, vt_element_text(v->type.element));
}

/* Input, weights, their scales, their zero points, bias. */
void vt__onnx_integer_to_float(const vt_onnx_node *n) {
    want_bytes(n, 0), want_bytes(n, 1);
    vt_gvalue *a = centred(n, vt__onnx_need(n, 0), vt__onnx_in(n, 4));
    vt_gvalue *b = centred(n, vt__onnx_need(n, 1), vt__onnx_in(n, 5));
    vt_gvalue *scale = vt__mk_two(n, VT_G_MUL, vt__onnx_need(n, 2), vt__onnx_need(n, 3));
    vt_gvalue *y = vt__mk_two(n, VT_G_MUL, vt__mk_two(n, VT_G_MAT_MUL, a, b), scale);
    vt__onnx_out(n, 0, vt__mk_sum(n, y, vt__onnx_in(n, 6)));
}

/* x is quantized by its own range, which holds 0: as DynamicQuantizeLinear does it, its integers being floats here. */
static vt_gvalue *quantized_by_range(const vt_onnx_node *n, vt_gvalue *x, vt_gvalue **out_scale) {
    int64_t axes[VT_MAX_RANK];
    for (uint32_t i = 0; i < x->type.rank; i++) axes[i] = i;
    if (!vt_gtype_count(&x->type)) vt__onnx_unsupported(n, "the input has no elements");
    vt_gvalue *low = vt__mk_with(n, VT_G_MIN, vt__mk_reduce(n, VT_G_REDUCE_MIN, x, x->type.rank, axes, false), 0);
    vt_gvalue *high = vt__mk_with(n, VT_G_MAX, vt__mk_reduce(n, VT_G_REDUCE_MAX, x, x->type.rank, axes, false), 0);
    vt_gvalue *scale = vt__mk_with(n, VT_G_DIV, vt__mk_two(n, VT_G_SUB, high, low), 255);
    vt_gvalue *none = vt__mk_with(n, VT_G_EQUAL, scale, 0); /* all are 0 */
    scale = vt__mk_where(n, none, vt__mk_number(n, VT_ELEMENT_F32, 1), scale);
    vt_gvalue *zero = vt__mk_two(n, VT_G_DIV, vt__mk_with(n, VT_G_MUL, low, -1), scale);
    zero = vt__mk_clip(n, vt__mk_one(n, VT_G_ROUND, zero), 0, 255);
    vt_gvalue *q = vt__mk_one(n, VT_G_ROUND, vt__mk_two(n, VT_G_DIV, x, scale));
    q = vt__mk_clip(n, vt__mk_two(n, VT_G_ADD, q, zero), 0, 255);
    *out_scale = scale;
    return vt__mk_two(n, VT_G_SUB, q, zero);
}

/* Input, weights, their scale, their zero point, bias. */
void vt__onnx_dynamic_mat_mul(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0), *scale, *q;
    vt__onnx_want_floats(n, x), want_bytes(n, 1);
    q = quantized_by_range(n, x, &scale);
    vt_gvalue *y = vt__mk_two(n, VT_G_MAT_MUL, q, centred(n, vt__onnx_need(n, 1), vt__onnx_in(n, 3)));
    y = vt__mk_two(n, VT_G_MUL, y, vt__mk_two(n, VT_G_MUL, scale, vt__onnx_need(n, 2)));
    vt__onnx_out(n, 0, vt__mk_sum(n, y, vt__onnx_in(n, 4)));
}

/* a, its scale, its zero point, b and the same, c (int32, in units of both scales), scale and zero point of the result:
 * without them it is floats. */
void vt__onnx_quantized_gemm(const vt_onnx_node *n) {
    want_bytes(n, 0), want_bytes(n, 3);
    vt_gvalue *a = centred(n, vt__onnx_need(n, 0), vt__onnx_in(n, 2)), *b = vt__onnx_need(n, 3), *c = vt__onnx_in(n, 6);
    vt__want_axes(n, a, 2), vt__want_axes(n, b, 2);
    vt_gvalue *zero = vt__onnx_in(n, 5), *scale = vt__mk_two(n, VT_G_MUL, vt__onnx_need(n, 1), vt__onnx_need(n, 4));
    if (vt__onnx_int(n, "transA", 0)) a = vt__mk_exchanged(n, a);
    if (vt__onnx_int(n, "transB", 0)) b = vt__mk_exchanged(n, b);
    vt_gvalue *y = vt__mk_two(n, VT_G_MAT_MUL, a, centred(n, b, zero));
    y = vt__mk_sum(n, y, c ? vt__mk_cast(n, c, VT_ELEMENT_F32) : NULL);
    y = vt__mk_two(n, VT_G_MUL, y, vt__mk_times(n, scale, vt__onnx_float(n, "alpha", 1)));
    vt__onnx_out(n, 0, vt__onnx_in(n, 7) ? vt__mk_quantized(n, y, vt__onnx_in(n, 7), vt__onnx_in(n, 8), 0) : y);
}

/* Up to set 12 of attribute `opset` all axes from `axis` on are one. */
void vt__onnx_quantized_softmax(const vt_onnx_node *n) {
    vt_gvalue *x = vt__mk_dequantized(n, vt__onnx_need(n, 0), vt__onnx_need(n, 1), vt__onnx_in(n, 2), 0);
    const vt_gtype t = x->type;
    uint32_t axis = vt__onnx_axis(n, vt__onnx_int(n, "axis", -1), t.rank);
    bool flat = vt__onnx_int(n, "opset", 13) < 13;
    if (flat)
        x = vt__onnx_reshape_to(n, x, 2, (int64_t[]){vt_gtype_span(&t, 0, axis), vt_gtype_span(&t, axis, t.rank)});
    x = vt__mk_softmax(n, x, flat ? 1 : axis);
    if (flat) x = vt__onnx_reshape_to(n, x, t.rank, t.dim);
    vt__onnx_out(n, 0, vt__mk_quantized(n, x, vt__onnx_need(n, 3), vt__onnx_in(n, 4), 0));
}

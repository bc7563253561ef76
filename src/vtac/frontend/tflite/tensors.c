/* Tensors of a model: their types, their data and scales; and what they are in the graph, in one layout or the other.
 */
#include <math.h>
#include <string.h>

#include "frontend/tflite/priv.h"

/* N H W C and N C H W. */
static const int64_t to_images[] = {0, 3, 1, 2}, to_file[] = {0, 2, 3, 1};

enum { FLOAT16 = 1, MAX_SCALES = 1 << 20 };

static const struct {
    bool known;
    vt_element element;
} elements[] = {
    [0] = {true, VT_ELEMENT_F32},  [FLOAT16] = {true, VT_ELEMENT_F32}, [2] = {true, VT_ELEMENT_I32},
    [3] = {true, VT_ELEMENT_U8},   [4] = {true, VT_ELEMENT_I64},       [6] = {true, VT_ELEMENT_BOOL},
    [7] = {true, VT_ELEMENT_I16},  [9] = {true, VT_ELEMENT_I8},        [10] = {true, VT_ELEMENT_F64},
    [12] = {true, VT_ELEMENT_U64}, [15] = {true, VT_ELEMENT_U32},      [16] = {true, VT_ELEMENT_U16},
};
enum { ELEMENTS = sizeof elements / sizeof *elements };

/* ---- Reading ----------------------------------------------------------------------------------------------------- */

static vt_gtype read_type(vt_tfl_reader *r, vt_fb_table from, const char *name, bool *out_half) {
    vt_fb_vector shape = vt__fb_vector_of(from, 0, 4);
    int64_t code = vt__fb_int(from, 1, 1, 0), dims[VT_MAX_RANK];
    vt_gtype type;
    *out_half = code == FLOAT16;
    if (code < 0 || code >= ELEMENTS || !elements[code].known)
        vt_raise(r->ctx, VTA_UNSUPPORTED, "%s: tensor %s: elements of TFLite's type %lld are not supported",
                 r->options->name, name, (long long)code);
    if (shape.count > VT_MAX_RANK)
        vt_raise(r->ctx, VTA_MISMATCH, "%s: tensor %s has %u axes; at most %d are supported", r->options->name, name,
                 (unsigned)shape.count, VT_MAX_RANK);
    for (uint32_t i = 0; i < shape.count; i++) dims[i] = vt__fb_item_int(shape, i);
    if (!vt_gtype_make(elements[code].element, shape.count, dims, &type))
        vt_raise(r->ctx, VTA_MISMATCH, "%s: tensor %s has a negative extent, or too many elements", r->options->name,
                 name);
    return type;
}

static float from_half(uint16_t bits) {
    unsigned exponent = bits >> 10 & 31, fraction = bits & 1023;
    double x = exponent == 31 ? (fraction ? NAN : INFINITY)
               : exponent     ? ldexp(1024 + fraction, (int)exponent - 25)
                              : ldexp(fraction, -24);
    return (float)(bits >> 15 ? -x : x);
}

static const void *read_half(vt_tfl_reader *r, vt_fb_vector data, const vt_gtype *type) {
    size_t count = (size_t)vt_gtype_count(type);
    float *to = VT_NEW_ARRAY(r->ctx, float, count + 1);
    const uint8_t *at = vt__fb_data(data);
    for (size_t i = 0; i < count; i++) to[i] = from_half((uint16_t)(at[2 * i] | at[2 * i + 1] << 8));
    return to;
}

/* The contents of the tensor's buffer, aligned for their type; NULL: it has none. */
static const void *read_data(vt_tfl_reader *r, vt_fb_table from, const vt_tfl_tensor *t, bool half) {
    uint64_t number = vt__fb_uint(from, 2, 4, 0);
    if (number >= r->buffers.count)
        vt_raise(r->ctx, VTA_MISMATCH, "%s: tensor %s is in buffer %llu of %u", r->options->name, t->name,
                 (unsigned long long)number, (unsigned)r->buffers.count);
    vt_fb_vector data = vt__fb_vector_of(vt__fb_item_table(r->buffers, (uint32_t)number), 0, 1);
    if (!data.count) return NULL;
    size_t bytes = vt_gtype_bytes(&t->type) / (half ? 2 : 1);
    if (data.count != bytes)
        vt_raise(r->ctx, VTA_MISMATCH, "%s: tensor %s has %zu bytes, and its buffer %u", r->options->name, t->name,
                 bytes, (unsigned)data.count);
    if (half) return read_half(r, data, &t->type);
    void *copy = vt_new_unset(r->ctx, bytes);
    memcpy(copy, vt__fb_data(data), bytes);
    return copy;
}

static void read_scales(vt_tfl_reader *r, vt_fb_table from, vt_tfl_tensor *t) {
    vt_fb_vector scale = vt__fb_vector_of(from, 2, 4), zero = vt__fb_vector_of(from, 3, 8);
    if (!scale.count) return;
    int64_t axis = vt__fb_int(from, 6, 4, 0);
    bool many = scale.count > 1;
    if (many && (axis < 0 || axis >= t->type.rank || t->type.dim[axis] != scale.count))
        vt_raise(r->ctx, VTA_MISMATCH, "%s: tensor %s has %u scales along axis %lld, which has another extent",
                 r->options->name, t->name, (unsigned)scale.count, (long long)axis);
    if (zero.count > 1 && zero.count != scale.count)
        vt_raise(r->ctx, VTA_MISMATCH, "%s: tensor %s has %u scales and %u zero points", r->options->name, t->name,
                 (unsigned)scale.count, (unsigned)zero.count);
    float *scales = VT_NEW_ARRAY(r->ctx, float, scale.count);
    int64_t *zeros = VT_NEW_ARRAY(r->ctx, int64_t, scale.count);
    for (uint32_t i = 0; i < scale.count; i++) {
        scales[i] = (float)vt__fb_item_float(scale, i);
        zeros[i] = zero.count ? vt__fb_item_int(zero, zero.count > 1 ? i : 0) : 0;
        if (!isnormal(scales[i]) || scales[i] < 0)
            vt_raise(r->ctx, VTA_MISMATCH, "%s: tensor %s has a scale of %g; scales are above 0", r->options->name,
                     t->name, (double)scales[i]);
        if ((double)zeros[i] < vt_element_least(t->type.element) || (double)zeros[i] > vt_element_max(t->type.element))
            vt_raise(r->ctx, VTA_MISMATCH, "%s: tensor %s has the zero point %lld, which is no %s", r->options->name,
                     t->name, (long long)zeros[i], vt_element_text(t->type.element));
    }
    t->scales = scale.count;
    t->scale = scales;
    t->zero = zeros;
    t->axis = many ? (uint32_t)axis : 0;
}

static void read_tensor(vt_tfl_reader *r, vt_fb_table from, vt_tfl_tensor *t) {
    bool half;
    t->name = vt__fb_text(from, 3);
    t->type = read_type(r, from, t->name, &half);
    t->data = read_data(r, from, t, half);
    if (t->type.element != VT_ELEMENT_F32) read_scales(r, vt__fb_table_of(from, 4), t);
}

void vt__tfl_read_tensors(vt_tfl_reader *r, vt_fb_table subgraph) {
    vt_fb_vector tensors = vt__fb_vector_of(subgraph, 0, 4);
    r->tensor_count = tensors.count;
    r->tensors = VT_NEW_ARRAY(r->ctx, vt_tfl_tensor, tensors.count + 1);
    for (uint32_t i = 0; i < tensors.count; i++) read_tensor(r, vt__fb_item_table(tensors, i), &r->tensors[i]);
}

/* ---- Of an operator ---------------------------------------------------------------------------------------------- */

static vt_tfl_tensor *tensor_at(const vt_tfl_node *n, vt_fb_vector list, uint32_t i) {
    int64_t index = i < list.count ? vt__fb_item_int(list, i) : -1;
    if (index >= (int64_t)n->r->tensor_count) vt__tfl_wrong(n, "tensor %lld does not exist", (long long)index);
    return index < 0 ? NULL : &n->r->tensors[index];
}

vt_tfl_tensor *vt__tfl_in(const vt_tfl_node *n, uint32_t i) { return tensor_at(n, n->inputs, i); }

vt_tfl_tensor *vt__tfl_need(const vt_tfl_node *n, uint32_t i) {
    vt_tfl_tensor *t = vt__tfl_in(n, i);
    if (!t) vt__tfl_wrong(n, "input %u is missing", (unsigned)i);
    return t;
}

vt_tfl_tensor *vt__tfl_out(const vt_tfl_node *n, uint32_t i) {
    vt_tfl_tensor *t = tensor_at(n, n->outputs, i);
    if (!t) vt__tfl_wrong(n, "output %u is missing", (unsigned)i);
    return t;
}

const int64_t *vt__tfl_ints(const vt_tfl_node *n, uint32_t i, const char *what, uint32_t *out_count) {
    enum { MANY = 1024 };
    const vt_tfl_tensor *t = vt__tfl_need(n, i);
    int64_t count = vt_gtype_count(&t->type);
    if (!t->data && count) vt__tfl_unsupported(n, "%s (%s) is computed when the model runs", what, t->name);
    if (count > MANY || (t->type.element != VT_ELEMENT_I32 && t->type.element != VT_ELEMENT_I64))
        vt__tfl_wrong(n, "%s is not a list of integers", what);
    int64_t *ints = VT_NEW_ARRAY(n->r->ctx, int64_t, (size_t)count + 1);
    for (int64_t k = 0; k < count; k++)
        ints[k] = t->type.element == VT_ELEMENT_I32 ? ((const int32_t *)t->data)[k] : ((const int64_t *)t->data)[k];
    *out_count = (uint32_t)count;
    return ints;
}

/* ---- In the graph ------------------------------------------------------------------------------------------------ */

vt_tfl_layout vt__tfl_layout_of(const vt_tfl_tensor *t) {
    return t->type.rank == 4 && !t->stored[VT_TFL_FILE] && t->stored[VT_TFL_IMAGES] ? VT_TFL_IMAGES : VT_TFL_FILE;
}

/* A constant with its axes in another order, moved now. */
static vt_gvalue *moved_constant(vt_tfl_reader *r, const vt_tfl_tensor *t, const int64_t *perm) {
    vt_gtype type = t->type;
    size_t width = vt_element_bytes(type.element), count = (size_t)vt_gtype_count(&type), strides[VT_MAX_RANK],
           step = 1;
    if (!perm) return vt_graph_constant(r->g, t->name, type, t->data);
    size_t from_strides[VT_MAX_RANK];
    for (uint32_t i = type.rank; i-- > 0;) from_strides[i] = step, step *= (size_t)t->type.dim[i];
    for (uint32_t i = 0; i < type.rank; i++) type.dim[i] = t->type.dim[perm[i]], strides[i] = from_strides[perm[i]];
    char *to = vt_new_unset(r->ctx, count * width + 1);
    int64_t at[VT_MAX_RANK] = {0};
    for (size_t i = 0, from = 0; i < count; i++) {
        memcpy(to + i * width, (const char *)t->data + from * width, width);
        for (uint32_t d = type.rank; d-- > 0;) {
            from += strides[d];
            if (++at[d] < type.dim[d]) break;
            from -= (size_t)at[d] * strides[d];
            at[d] = 0;
        }
    }
    return vt_graph_constant(r->g, t->name, type, to);
}

static vt_gvalue *make_stored(const vt_tfl_node *n, const vt_tfl_tensor *t, vt_tfl_layout layout) {
    const int64_t *perm = layout == VT_TFL_IMAGES ? to_images : to_file;
    if (t->data) return moved_constant(n->r, t, layout == VT_TFL_IMAGES ? perm : NULL);
    vt_gvalue *other = t->stored[1 - layout];
    if (!other) vt__tfl_wrong(n, "tensor %s is used before it is computed", t->name);
    return vt__tfl_transpose(n, other, perm);
}

vt_gvalue *vt__tfl_stored(const vt_tfl_node *n, vt_tfl_tensor *t, vt_tfl_layout layout) {
    if (t->type.rank != 4) layout = VT_TFL_FILE;
    if (!t->stored[layout]) t->stored[layout] = make_stored(n, t, layout);
    return t->stored[layout];
}

static vt_gvalue *constant_of(vt_tfl_reader *r, const vt_tfl_tensor *t, vt_element element, const void *data) {
    vt_gtype type = {element, t->scales > 1, {t->scales > 1 ? t->scales : 0}};
    return vt_graph_constant(r->g, t->name, type, data);
}

static vt_gvalue *scale_of(vt_tfl_reader *r, const vt_tfl_tensor *t) {
    return constant_of(r, t, VT_ELEMENT_F32, t->scale);
}

static vt_gvalue *zero_of(vt_tfl_reader *r, const vt_tfl_tensor *t) {
    size_t width = vt_element_bytes(t->type.element);
    char *zeros = vt_new_bytes(r->ctx, t->scales * width);
    for (uint32_t i = 0; i < t->scales; i++) memcpy(zeros + i * width, &t->zero[i], width); /* little-endian */
    return constant_of(r, t, t->type.element, zeros);
}

static vt_gvalue *linear(const vt_tfl_node *n, vt_gop op, const vt_tfl_tensor *t, vt_gvalue *v, int64_t axis) {
    return vt__tfl_make(n, op, VT_TFL_INPUTS(v, scale_of(n->r, t), zero_of(n->r, t)),
                        VT_TFL_ATTRIBUTES(VT_GSET_INT(AXIS, axis)));
}

vt_gvalue *vt__tfl_quantized(const vt_tfl_node *n, const vt_tfl_tensor *t, vt_gvalue *v) {
    return linear(n, VT_G_QUANTIZE_LINEAR, t, v, t->axis);
}

/* Where an axis of the file is. */
static int64_t axis_in(const vt_tfl_tensor *t, vt_tfl_layout layout) {
    static const int64_t in_images[] = {0, 2, 3, 1};
    return layout == VT_TFL_IMAGES && t->type.rank == 4 ? in_images[t->axis] : t->axis;
}

vt_gvalue *vt__tfl_real(const vt_tfl_node *n, vt_tfl_tensor *t, vt_tfl_layout layout) {
    if (t->type.rank != 4) layout = VT_TFL_FILE;
    vt_gvalue *stored = vt__tfl_stored(n, t, layout);
    if (!t->scales) return stored;
    if (!t->real[layout]) t->real[layout] = linear(n, VT_G_DEQUANTIZE_LINEAR, t, stored, axis_in(t, layout));
    return t->real[layout];
}

vt_gvalue *vt__tfl_weights(const vt_tfl_node *n, vt_tfl_tensor *t, const int64_t *perm) {
    if (!t->data) return vt__tfl_transpose(n, vt__tfl_real(n, t, VT_TFL_FILE), perm);
    vt_gvalue *v = moved_constant(n->r, t, perm);
    if (t->scales > 1 && t->axis != perm[0])
        vt__tfl_unsupported(n, "its weights have scales along axis %u, and not one for each output", (unsigned)t->axis);
    return t->scales ? linear(n, VT_G_DEQUANTIZE_LINEAR, t, v, 0) : v;
}

/* Is v what output i of the file is? */
static void check_output(const vt_tfl_node *n, const vt_tfl_tensor *t, const vt_gtype *expected, const vt_gtype *is) {
    if (t->stored[VT_TFL_FILE] || t->stored[VT_TFL_IMAGES] || t->data)
        vt__tfl_wrong(n, "tensor %s is computed twice, or a constant", t->name);
    if (!vt_gtype_same_shape(expected, is)) {
        char mine[VT_GTYPE_TEXT], theirs[VT_GTYPE_TEXT];
        vt__tfl_wrong(n, "its output is %s, and the file says %s", vt_gtype_text(is, mine),
                      vt_gtype_text(expected, theirs));
    }
}

static void store(const vt_tfl_node *n, vt_tfl_tensor *t, vt_gvalue *v, vt_tfl_layout layout) {
    if (v->type.element != t->type.element)
        vt__tfl_unsupported(n, "its output is %s, and the file says %s without a scale",
                            vt_element_text(v->type.element), vt_element_text(t->type.element));
    t->stored[layout] = v;
}

void vt__tfl_give(const vt_tfl_node *n, uint32_t i, vt_gvalue *v, vt_tfl_layout layout) {
    vt_tfl_tensor *t = vt__tfl_out(n, i);
    vt_gtype expected = t->type;
    if (t->type.rank != 4) layout = VT_TFL_FILE;
    for (uint32_t k = 0; layout == VT_TFL_IMAGES && k < 4; k++) expected.dim[k] = t->type.dim[to_images[k]];
    check_output(n, t, &expected, &v->type);
    if (t->scales) v = linear(n, VT_G_QUANTIZE_LINEAR, t, v, axis_in(t, layout));
    store(n, t, v, layout);
}

void vt__tfl_give_stored(const vt_tfl_node *n, uint32_t i, vt_gvalue *v) {
    vt_tfl_tensor *t = vt__tfl_out(n, i);
    check_output(n, t, &t->type, &v->type);
    store(n, t, v, VT_TFL_FILE);
}

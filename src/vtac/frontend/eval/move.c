/* Operators that move elements. */
#include <math.h>
#include <string.h>

#include "frontend/eval/priv.h"

vt_strides vt__strides_of(const vt_gtype *t) {
    vt_strides s = {{0}};
    int64_t by = 1;
    for (uint32_t i = t->rank; i-- > 0; by *= t->dim[i]) s.by[i] = by;
    return s;
}

vt_strides vt__strides_to(const vt_gtype *t, const vt_gtype *to) {
    vt_strides own = vt__strides_of(t), s = {{0}};
    uint32_t more = to->rank - t->rank;
    for (uint32_t i = 0; i < t->rank; i++) s.by[more + i] = t->dim[i] == 1 ? 0 : own.by[i];
    return s;
}

bool vt__next_index(const vt_gtype *shape, uint32_t without, int64_t index[VT_MAX_RANK]) {
    for (uint32_t i = shape->rank > without ? shape->rank - without : 0; i-- > 0;) {
        if (++index[i] < shape->dim[i]) return true;
        index[i] = 0;
    }
    return false;
}

static int64_t offset(const vt_gtype *shape, const vt_strides *s, const int64_t *index) {
    int64_t at = 0;
    for (uint32_t i = 0; i < shape->rank; i++) at += index[i] * s->by[i];
    return at;
}

static void move_row(size_t bytes, int64_t n, const char *from, int64_t from_by, char *to, int64_t to_by) {
    if (from_by == 1 && to_by == 1) {
        memcpy(to, from, (size_t)n * bytes);
    } else if (bytes == 4) {
        for (int64_t i = 0; i < n; i++) memcpy(to + i * to_by * 4, from + i * from_by * 4, 4);
    } else {
        for (int64_t i = 0; i < n; i++)
            memcpy(to + i * to_by * (int64_t)bytes, from + i * from_by * (int64_t)bytes, bytes);
    }
}

void vt__move(const vt_gtype *shape, size_t bytes, const void *from, const vt_strides *from_by, void *to,
              const vt_strides *to_by) {
    int64_t index[VT_MAX_RANK] = {0}, size = (int64_t)bytes;
    uint32_t last = shape->rank - 1;
    if (!vt_gtype_count(shape)) return;
    if (!shape->rank) {
        memcpy(to, from, bytes);
        return;
    }
    do {
        move_row(bytes, shape->dim[last], (const char *)from + offset(shape, from_by, index) * size, from_by->by[last],
                 (char *)to + offset(shape, to_by, index) * size, to_by->by[last]);
    } while (vt__next_index(shape, 1, index));
}

void vt__move_by_tables(const vt_gtype *in_type, const void *in, const vt_gtype *out_type, void *out,
                        const int64_t *tables) {
    size_t bytes = vt_element_bytes(in_type->element);
    vt_strides by = vt__strides_of(in_type);
    int64_t index[VT_MAX_RANK] = {0}, starts[VT_MAX_RANK], done = 0;
    for (uint32_t i = 0; i < out_type->rank; i++) starts[i] = i ? starts[i - 1] + out_type->dim[i - 1] : 0;
    if (!vt_gtype_count(out_type)) return;
    do {
        int64_t at = 0;
        for (uint32_t i = 0; i < out_type->rank; i++) at += tables[starts[i] + index[i]] * by.by[i];
        memcpy((char *)out + done++ * (int64_t)bytes, (const char *)in + at * (int64_t)bytes, bytes);
    } while (vt__next_index(out_type, 0, index));
}

/* ---- Operators ---- */

vta_status vt__eval_copy(const vt_eval_call *c) {
    size_t bytes = vt_gtype_bytes(vt__in_type(c, 0));
    if (bytes) memcpy(c->out[0], c->in[0], bytes);
    return VTA_OK;
}

/* From strides and a place in the input to the output as it lies. */
static vta_status gather_all(const vt_eval_call *c, const vt_gtype *shape, int64_t start, const vt_strides *from_by) {
    size_t bytes = vt_element_bytes(shape->element);
    vt_strides to_by = vt__strides_of(shape);
    vt__move(shape, bytes, (const char *)c->in[0] + start * (int64_t)bytes, from_by, c->out[0], &to_by);
    return VTA_OK;
}

vta_status vt__eval_transpose(const vt_eval_call *c) {
    vt_strides in = vt__strides_of(vt__in_type(c, 0)), by = {{0}};
    for (uint32_t i = 0; i < vt__out_type(c)->rank; i++) by.by[i] = in.by[vt_gattr_ints(c->n, VT_A_PERM)[i]];
    return gather_all(c, vt__out_type(c), 0, &by);
}

vta_status vt__eval_expand(const vt_eval_call *c) {
    vt_strides by = vt__strides_to(vt__in_type(c, 0), vt__out_type(c));
    return gather_all(c, vt__out_type(c), 0, &by);
}

vta_status vt__eval_slice(const vt_eval_call *c) {
    vt_strides in = vt__strides_of(vt__in_type(c, 0)), by = {{0}};
    int64_t start = 0;
    for (uint32_t i = 0; i < vt__out_type(c)->rank; i++) {
        start += vt_gattr_ints(c->n, VT_A_STARTS)[i] * in.by[i];
        by.by[i] = vt_gattr_ints(c->n, VT_A_STEPS)[i] * in.by[i];
    }
    return gather_all(c, vt__out_type(c), start, &by);
}

vta_status vt__eval_concat(const vt_eval_call *c) {
    const vt_gtype *t = vt__out_type(c);
    uint32_t axis = (uint32_t)vt_gattr_int(c->n, VT_A_AXIS);
    size_t bytes = vt_element_bytes(t->element), row = (size_t)vt_gtype_span(t, axis, t->rank) * bytes, at = 0;
    int64_t rows = vt_gtype_span(t, 0, axis);
    for (uint32_t i = 0; i < c->n->input_count; i++) {
        size_t part = (size_t)vt_gtype_span(vt__in_type(c, i), axis, t->rank) * bytes;
        for (int64_t k = 0; part && k < rows; k++)
            memcpy((char *)c->out[0] + (size_t)k * row + at, (const char *)c->in[i] + (size_t)k * part, part);
        at += part;
    }
    return VTA_OK;
}

vta_status vt__eval_gather(const vt_eval_call *c) {
    const vt_gtype *x = vt__in_type(c, 0), *at = vt__in_type(c, 1);
    uint32_t axis = (uint32_t)vt_gattr_int(c->n, VT_A_AXIS);
    int64_t outer = vt_gtype_span(x, 0, axis), count = vt_gtype_count(at), extent = x->dim[axis];
    size_t part = (size_t)vt_gtype_span(x, axis + 1, x->rank) * vt_element_bytes(x->element);
    for (int64_t k = 0; k < count; k++) {
        int64_t i = at->element == VT_ELEMENT_I32 ? ((const int32_t *)c->in[1])[k] : ((const int64_t *)c->in[1])[k];
        if (i < -extent || i >= extent)
            return vt_fail(c->diag, VTA_OUT_OF_RANGE, "node %s (Gather): entry %lld of an axis of %lld", c->n->name,
                           (long long)i, (long long)extent);
        if (i < 0) i += extent;
        for (int64_t o = 0; o < outer; o++)
            memcpy((char *)c->out[0] + (size_t)(o * count + k) * part,
                   (const char *)c->in[0] + (size_t)(o * extent + i) * part, part);
    }
    return VTA_OK;
}

/* ---- Blocks of pixels: a transpose of six axes ---- */

static vta_status transpose_six(const vt_eval_call *c, const int64_t in_dims[6], const uint32_t perm[6]) {
    vt_gtype in = {.element = vt__in_type(c, 0)->element, .rank = 6}, out = in;
    memcpy(in.dim, in_dims, 6 * sizeof *in.dim);
    vt_strides own = vt__strides_of(&in), by = {{0}};
    for (uint32_t i = 0; i < 6; i++) {
        out.dim[i] = in.dim[perm[i]];
        by.by[i] = own.by[perm[i]];
    }
    return gather_all(c, &out, 0, &by);
}

vta_status vt__eval_depth_to_space(const vt_eval_call *c) {
    const int64_t *x = vt__in_type(c, 0)->dim;
    int64_t b = vt_gattr_int(c->n, VT_A_BLOCKSIZE), channels = x[1] / (b * b);
    if (vt_gattr_int(c->n, VT_A_ORDER) == VT_ORDER_DCR)
        return transpose_six(c, (int64_t[]){x[0], b, b, channels, x[2], x[3]}, (uint32_t[]){0, 3, 4, 1, 5, 2});
    return transpose_six(c, (int64_t[]){x[0], channels, b, b, x[2], x[3]}, (uint32_t[]){0, 1, 4, 2, 5, 3});
}

vta_status vt__eval_space_to_depth(const vt_eval_call *c) {
    const int64_t *x = vt__in_type(c, 0)->dim;
    int64_t b = vt_gattr_int(c->n, VT_A_BLOCKSIZE);
    return transpose_six(c, (int64_t[]){x[0], x[1], x[2] / b, b, x[3] / b, b}, (uint32_t[]){0, 3, 5, 1, 2, 4});
}

/* ---- Pad ---- */

static void fill(void *to, vt_element element, int64_t count, double value) {
    double least = vt_element_least(element), most = vt_element_max(element);
    value = isnan(value) ? (most == INFINITY ? value : 0) : value < least ? least : value > most ? most : value;
    switch (element) {
#define VT_ELEMENT(name, text, ctype)                                                                                  \
    case VT_ELEMENT_##name:                                                                                            \
        for (int64_t i = 0; i < count; i++) ((ctype *)to)[i] = (ctype)value;                                           \
        break;
#include "frontend/graph/elements.def"
#undef VT_ELEMENT
    case VT_ELEMENT_COUNT: break;
    }
}

/* What is both in the input and in the output is moved to its place. */
static vta_status pad_constant(const vt_eval_call *c) {
    const vt_gtype *x = vt__in_type(c, 0), *y = vt__out_type(c);
    const int64_t *pads = vt_gattr_ints(c->n, VT_A_PADS);
    vt_strides from_by = vt__strides_of(x), to_by = vt__strides_of(y);
    vt_gtype both = *x;
    int64_t from = 0, to = 0, bytes = (int64_t)vt_element_bytes(x->element);
    for (uint32_t i = 0; i < x->rank; i++) {
        int64_t begin = pads[i] < 0 ? -pads[i] : 0, end = x->dim[i] + (pads[x->rank + i] < 0 ? pads[x->rank + i] : 0);
        both.dim[i] = end > begin ? end - begin : 0;
        from += begin * from_by.by[i];
        to += (pads[i] > 0 ? pads[i] : 0) * to_by.by[i];
    }
    fill(c->out[0], y->element, vt_gtype_count(y), vt_gattr_float(c->n, VT_A_VALUE));
    vt__move(&both, (size_t)bytes, (const char *)c->in[0] + from * bytes, &from_by, (char *)c->out[0] + to * bytes,
             &to_by);
    return VTA_OK;
}

static int64_t source(int64_t at, int64_t extent, bool reflect) {
    if (reflect && at < 0) at = -at;
    if (reflect && at >= extent) at = 2 * (extent - 1) - at;
    return at < 0 ? 0 : at >= extent ? extent - 1 : at;
}

vta_status vt__eval_pad(const vt_eval_call *c) {
    const vt_gtype *x = vt__in_type(c, 0), *y = vt__out_type(c);
    int64_t how = vt_gattr_int(c->n, VT_A_PADDING), entries = 0, at = 0;
    if (how == VT_PADDING_CONSTANT || !vt_gtype_count(y)) return pad_constant(c);
    for (uint32_t i = 0; i < y->rank; i++) entries += y->dim[i];
    int64_t *tables = vt_alloc_array(c->allocator, (size_t)entries, sizeof *tables);
    if (!tables) return vt_no_memory(c->diag);
    for (uint32_t i = 0; i < y->rank; i++)
        for (int64_t k = 0; k < y->dim[i]; k++)
            tables[at++] = source(k - vt_gattr_ints(c->n, VT_A_PADS)[i], x->dim[i], how == VT_PADDING_REFLECT);
    vt__move_by_tables(x, c->in[0], y, c->out[0], tables);
    vt_free(c->allocator, tables, (size_t)entries * sizeof *tables);
    return VTA_OK;
}

/* Reductions, and Softmax. */
#include <math.h>

#include "frontend/eval/priv.h"

/* The output of an input element: strides of the output along the input's axes, 0 along those that are reduced. */
static vt_strides strides_of(const vt_eval_call *c) {
    const vt_gtype *x = vt__in_type(c, 0);
    const vt_gattr *axes = vt_gattr_of(c->n, VT_A_AXES);
    vt_gtype kept = *x;
    for (uint32_t i = 0; i < axes->count; i++) kept.dim[axes->ints[i]] = 1;
    return vt__strides_to(&kept, x);
}

static int64_t place(const vt_gtype *t, const vt_strides *s, const int64_t *index) {
    int64_t at = 0;
    for (uint32_t i = 0; i < t->rank; i++) at += index[i] * s->by[i];
    return at;
}

/* Sums of floats are made in double, where they are exact for all that matters, and rounded once. */
static vta_status reduce_floats(const vt_eval_call *c) {
    const vt_gtype *x = vt__in_type(c, 0), *y = vt__out_type(c);
    bool wide = x->element == VT_ELEMENT_F64;
    vt_strides by = strides_of(c);
    int64_t index[VT_MAX_RANK] = {0}, out = vt_gtype_count(y), done = 0;
    double *sums = vt_alloc_array(c->allocator, (size_t)out, sizeof *sums);
    if (!sums) return vt_no_memory(c->diag);
    vt_gop op = c->n->op;
    for (int64_t i = 0; i < out; i++)
        sums[i] = op == VT_G_REDUCE_MAX ? -INFINITY : op == VT_G_REDUCE_MIN ? INFINITY : op == VT_G_REDUCE_PROD;
    do {
        double e = wide ? ((const double *)c->in[0])[done] : (double)((const float *)c->in[0])[done];
        double *s = &sums[place(x, &by, index)];
        done++;
        if (op == VT_G_REDUCE_MAX)
            *s = e > *s || isnan(e) ? e : *s;
        else if (op == VT_G_REDUCE_MIN)
            *s = e < *s || isnan(e) ? e : *s;
        else
            *s = op == VT_G_REDUCE_PROD ? *s * e : *s + e;
    } while (vt__next_index(x, 0, index));
    double count = op == VT_G_REDUCE_MEAN ? (double)(vt_gtype_count(x) / out) : 1;
    for (int64_t i = 0; i < out; i++) {
        if (wide)
            ((double *)c->out[0])[i] = sums[i] / count;
        else
            ((float *)c->out[0])[i] = (float)(sums[i] / count);
    }
    vt_free(c->allocator, sums, (size_t)out * sizeof *sums);
    return VTA_OK;
}

/* Of integers: modulo their size, through 64 bits. */
#define REDUCE(name, ctype)                                                                                            \
    static vta_status reduce_##name(const vt_eval_call *c) {                                                           \
        const vt_gtype *x = vt__in_type(c, 0);                                                                         \
        vt_strides by = strides_of(c);                                                                                 \
        int64_t index[VT_MAX_RANK] = {0}, out = vt_gtype_count(vt__out_type(c)), done = 0;                             \
        vt_gop op = c->n->op;                                                                                          \
        ctype *to = c->out[0], least = (ctype)((ctype) - 1 < 1 ? (uint64_t)1 << (sizeof(ctype) * 8 - 1) : 0);          \
        ctype most = (ctype) ~(uint64_t)least;                                                                         \
        for (int64_t i = 0; i < out; i++)                                                                              \
            to[i] = op == VT_G_REDUCE_MAX ? least : op == VT_G_REDUCE_MIN ? most : op == VT_G_REDUCE_PROD;             \
        do {                                                                                                           \
            ctype e = ((const ctype *)c->in[0])[done++], *s = &to[place(x, &by, index)];                               \
            if (op == VT_G_REDUCE_MAX || op == VT_G_REDUCE_MIN)                                                        \
                *s = (op == VT_G_REDUCE_MAX ? e > *s : e < *s) ? e : *s;                                               \
            else                                                                                                       \
                *s = (ctype)(op == VT_G_REDUCE_PROD ? (uint64_t)*s * (uint64_t)e : (uint64_t)*s + (uint64_t)e);        \
        } while (vt__next_index(x, 0, index));                                                                         \
        return VTA_OK;                                                                                                 \
    }
REDUCE(I8, int8_t)
REDUCE(U8, uint8_t)
REDUCE(I16, int16_t)
REDUCE(U16, uint16_t)
REDUCE(I32, int32_t)
REDUCE(U32, uint32_t)
REDUCE(I64, int64_t)
REDUCE(U64, uint64_t)

vta_status vt__eval_reduce(const vt_eval_call *c) {
    vt_element e = vt__in_type(c, 0)->element;
    if (!vt_gtype_count(vt__in_type(c, 0))) return VTA_OK; /* reduced axes are not empty: neither is there a result */
    switch (e) {
    case VT_ELEMENT_F32:
    case VT_ELEMENT_F64: return reduce_floats(c);
    case VT_ELEMENT_I8: return reduce_I8(c);
    case VT_ELEMENT_U8: return reduce_U8(c);
    case VT_ELEMENT_I16: return reduce_I16(c);
    case VT_ELEMENT_U16: return reduce_U16(c);
    case VT_ELEMENT_I32: return reduce_I32(c);
    case VT_ELEMENT_U32: return reduce_U32(c);
    case VT_ELEMENT_I64: return reduce_I64(c);
    case VT_ELEMENT_U64: return reduce_U64(c);
    case VT_ELEMENT_BOOL:
    case VT_ELEMENT_COUNT: break;
    }
    return vt_fail(c->diag, VTA_UNSUPPORTED, "node %s (%s): of %s", c->n->name, vt_gop_text(c->n->op),
                   vt_element_text(e));
}

/* ---- Softmax ---- */

static void softmax_line(const float *x, float *y, int64_t n, int64_t by, bool log_of) {
    float most = -INFINITY;
    double sum = 0;
    for (int64_t i = 0; i < n; i++) most = x[i * by] > most ? x[i * by] : most;
    for (int64_t i = 0; i < n; i++) sum += (double)(y[i * by] = expf(x[i * by] - most));
    for (int64_t i = 0; i < n; i++)
        y[i * by] = log_of ? (float)((double)(x[i * by] - most) - log(sum)) : (float)((double)y[i * by] / sum);
}

vta_status vt__eval_softmax(const vt_eval_call *c) {
    const vt_gtype *x = vt__in_type(c, 0);
    uint32_t axis = (uint32_t)vt_gattr_int(c->n, VT_A_AXIS);
    int64_t n = x->dim[axis], inner = vt_gtype_span(x, axis + 1, x->rank), outer = vt_gtype_span(x, 0, axis);
    for (int64_t i = 0; i < outer * inner; i++) {
        int64_t start = i / inner * n * inner + i % inner;
        softmax_line((const float *)c->in[0] + start, (float *)c->out[0] + start, n, inner,
                     c->n->op == VT_G_LOG_SOFTMAX);
    }
    return VTA_OK;
}

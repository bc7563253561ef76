/* Along an axis: the largest in order, sums of all before; and rows set by their numbers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/eval/priv.h"

/* The lines of a tensor along an axis. */
typedef struct lines {
    int64_t count, length, inner;
} lines;

static lines lines_of(const vt_gtype *t, uint32_t axis) {
    int64_t inner = vt_gtype_span(t, axis + 1, t->rank);
    return (lines){vt_gtype_span(t, 0, axis) * inner, t->dim[axis], inner};
}

/* Where line i of a tensor begins that has `length` elements along the axis. */
static int64_t begin_of(const lines *l, int64_t i, int64_t length) {
    return i / l->inner * length * l->inner + i % l->inner;
}

/* ---- The largest ---- */

/* A number as one that has its order; equal numbers are equal. */
static uint64_t key_of(const void *data, vt_element e, int64_t i) {
    uint64_t bits = 0;
    double x = 0;
    switch (e) {
    case VT_ELEMENT_I64: return (uint64_t)((const int64_t *)data)[i] ^ (uint64_t)1 << 63;
    case VT_ELEMENT_U64: return ((const uint64_t *)data)[i];
    case VT_ELEMENT_F32: x = (double)((const float *)data)[i]; break;
    case VT_ELEMENT_F64: x = ((const double *)data)[i]; break;
    case VT_ELEMENT_I8: x = ((const int8_t *)data)[i]; break;
    case VT_ELEMENT_U8: x = ((const uint8_t *)data)[i]; break;
    case VT_ELEMENT_I16: x = ((const int16_t *)data)[i]; break;
    case VT_ELEMENT_U16: x = ((const uint16_t *)data)[i]; break;
    case VT_ELEMENT_I32: x = ((const int32_t *)data)[i]; break;
    case VT_ELEMENT_U32: x = ((const uint32_t *)data)[i]; break;
    case VT_ELEMENT_BOOL: x = ((const bool *)data)[i]; break;
    case VT_ELEMENT_COUNT: break;
    }
    x = isnan(x) ? (double)INFINITY : x + 0.0; /* there is one zero, and no order of what is not a number */
    memcpy(&bits, &x, sizeof bits);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

typedef struct entry {
    uint64_t key;
    int64_t i;
} entry;

static int in_order(const void *a, const void *b) {
    const entry *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return x->i < y->i ? -1 : x->i > y->i;
}

vta_status vt__eval_top_k(const vt_eval_call *c) {
    const vt_gtype *x = vt__in_type(c, 0);
    lines l = lines_of(x, (uint32_t)vt_gattr_int(c->n, VT_A_AXIS));
    int64_t k = vt_gattr_int(c->n, VT_A_K), *to = c->out[0];
    uint64_t turned = vt_gattr_int(c->n, VT_A_LARGEST) ? UINT64_MAX : 0;
    entry *line = vt_alloc_array(c->allocator, (size_t)l.length + 1, sizeof *line);
    if (!line) return vt_no_memory(c->diag);
    for (int64_t i = 0; i < l.count; i++) {
        int64_t from = begin_of(&l, i, l.length), into = begin_of(&l, i, k);
        for (int64_t j = 0; j < l.length; j++)
            line[j] = (entry){key_of(c->in[0], x->element, from + j * l.inner) ^ turned, j};
        qsort(line, (size_t)l.length, sizeof *line, in_order);
        for (int64_t j = 0; j < k; j++) to[into + j * l.inner] = line[j].i;
    }
    vt_free(c->allocator, line, ((size_t)l.length + 1) * sizeof *line);
    return VTA_OK;
}

/* ---- Sums ---- */

/* Of floats in double, rounded one by one; of integers modulo their size. */
#define CUM_SUM(name, ctype, wide)                                                                                     \
    static void cum_sum_##name(const vt_eval_call *c, const lines *l) {                                                \
        bool before = vt_gattr_int(c->n, VT_A_EXCLUSIVE) != 0, back = vt_gattr_int(c->n, VT_A_REVERSE) != 0;           \
        for (int64_t i = 0; i < l->count; i++) {                                                                       \
            int64_t at = begin_of(l, i, l->length), step = back ? -l->inner : l->inner;                                \
            wide sum = 0;                                                                                              \
            if (back) at += (l->length - 1) * l->inner;                                                                \
            for (int64_t j = 0; j < l->length; j++, at += step) {                                                      \
                wide x = (wide)((const ctype *)c->in[0])[at];                                                          \
                ((ctype *)c->out[0])[at] = (ctype)(before ? sum : sum + x);                                            \
                sum += x;                                                                                              \
            }                                                                                                          \
        }                                                                                                              \
    }
CUM_SUM(F32, float, double)
CUM_SUM(F64, double, double)
CUM_SUM(I32, int32_t, uint64_t)
CUM_SUM(U32, uint32_t, uint64_t)
CUM_SUM(I64, int64_t, uint64_t)
CUM_SUM(U64, uint64_t, uint64_t)

vta_status vt__eval_cum_sum(const vt_eval_call *c) {
    lines l = lines_of(vt__in_type(c, 0), (uint32_t)vt_gattr_int(c->n, VT_A_AXIS));
    vt_element e = vt__in_type(c, 0)->element;
    switch (e) {
    case VT_ELEMENT_F32: cum_sum_F32(c, &l); break;
    case VT_ELEMENT_F64: cum_sum_F64(c, &l); break;
    case VT_ELEMENT_I32: cum_sum_I32(c, &l); break;
    case VT_ELEMENT_U32: cum_sum_U32(c, &l); break;
    case VT_ELEMENT_I64: cum_sum_I64(c, &l); break;
    case VT_ELEMENT_U64: cum_sum_U64(c, &l); break;
    case VT_ELEMENT_I8:
    case VT_ELEMENT_U8:
    case VT_ELEMENT_I16:
    case VT_ELEMENT_U16:
    case VT_ELEMENT_BOOL:
    case VT_ELEMENT_COUNT:
        return vt_fail(c->diag, VTA_UNSUPPORTED, "node %s (CumSum): of %s", c->n->name, vt_element_text(e));
    }
    return VTA_OK;
}

/* ---- Rows ---- */

#define REDUCE(name, ctype, wide)                                                                                      \
    static void update_##name(vt_gword how, int64_t n, const void *from, void *into) {                                 \
        const ctype *x = from;                                                                                         \
        ctype *y = into;                                                                                               \
        for (int64_t i = 0; i < n; i++)                                                                                \
            y[i] = how == VT_REDUCTION_ADD   ? (ctype)((wide)y[i] + (wide)x[i])                                        \
                   : how == VT_REDUCTION_MUL ? (ctype)((wide)y[i] * (wide)x[i])                                        \
                   : how == VT_REDUCTION_MAX ? (x[i] > y[i] ? x[i] : y[i])                                             \
                   : how == VT_REDUCTION_MIN ? (x[i] < y[i] ? x[i] : y[i])                                             \
                                             : x[i];                                                                   \
    }
REDUCE(F32, float, float)
REDUCE(F64, double, double)
REDUCE(I8, int8_t, uint64_t)
REDUCE(U8, uint8_t, uint64_t)
REDUCE(I16, int16_t, uint64_t)
REDUCE(U16, uint16_t, uint64_t)
REDUCE(I32, int32_t, uint64_t)
REDUCE(U32, uint32_t, uint64_t)
REDUCE(I64, int64_t, uint64_t)
REDUCE(U64, uint64_t, uint64_t)
static void update_BOOL(vt_gword how, int64_t n, const void *from, void *into) {
    (void)how;
    memcpy(into, from, (size_t)n);
}

vta_status vt__eval_scatter(const vt_eval_call *c) {
    static void (*const update[])(vt_gword, int64_t, const void *, void *) = {
#define VT_ELEMENT(name, text, ctype) update_##name,
#include "frontend/graph/elements.def"
#undef VT_ELEMENT
    };
    const vt_gtype *x = vt__in_type(c, 0);
    int64_t inner = x->dim[1], row = inner * (int64_t)vt_element_bytes(x->element);
    const int64_t *at = c->in[1];
    vt_gword how = (vt_gword)vt_gattr_int(c->n, VT_A_REDUCTION);
    memcpy(c->out[0], c->in[0], vt_gtype_bytes(x));
    for (int64_t i = 0; i < vt_gtype_count(vt__in_type(c, 1)); i++) {
        if (at[i] < 0 || at[i] >= x->dim[0])
            return vt_fail(c->diag, VTA_OUT_OF_RANGE, "node %s (Scatter): row %lld of %lld", c->n->name,
                           (long long)at[i], (long long)x->dim[0]);
        update[x->element](how, inner, (const char *)c->in[2] + i * row, (char *)c->out[0] + at[i] * row);
    }
    return VTA_OK;
}

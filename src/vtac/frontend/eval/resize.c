/* Images of another size: the nearest element, or linear along each axis in turn. */
#include <math.h>
#include <string.h>

#include "frontend/eval/priv.h"

/* Where output `i` of an axis lies in the input. */
static double coordinate(const vt_gnode *n, uint32_t axis, int64_t in, int64_t out, int64_t i) {
    double scale = vt_gattr_of(n, VT_A_SCALES)->floats[axis];
    switch (vt_gattr_int(n, VT_A_COORDINATES)) {
    case VT_COORDINATES_ASYMMETRIC: return (double)i / scale;
    case VT_COORDINATES_ALIGN_CORNERS: return out > 1 ? (double)i * (double)(in - 1) / (double)(out - 1) : 0;
    case VT_COORDINATES_PYTORCH_HALF_PIXEL: return out > 1 ? ((double)i + 0.5) / scale - 0.5 : 0;
    default: return ((double)i + 0.5) / scale - 0.5;
    }
}

static int64_t inside(double at, int64_t extent) {
    return at < 0 ? 0 : at >= (double)extent ? extent - 1 : (int64_t)at;
}

static int64_t nearest(const vt_gnode *n, double at, int64_t extent) {
    switch (vt_gattr_int(n, VT_A_ROUNDING)) {
    case VT_ROUNDING_FLOOR: return inside(floor(at), extent);
    case VT_ROUNDING_CEIL: return inside(ceil(at), extent);
    case VT_ROUNDING_ROUND_PREFER_CEIL: return inside(floor(at + 0.5), extent);
    default: return inside(ceil(at - 0.5), extent);
    }
}

static vta_status resize_nearest(const vt_eval_call *c) {
    const vt_gtype *x = vt__in_type(c, 0), *y = vt__out_type(c);
    int64_t entries = 0, at = 0;
    for (uint32_t i = 0; i < y->rank; i++) entries += y->dim[i];
    int64_t *tables = vt_alloc_array(c->allocator, (size_t)entries, sizeof *tables);
    if (!tables) return vt_no_memory(c->diag);
    for (uint32_t i = 0; i < y->rank; i++)
        for (int64_t k = 0; k < y->dim[i]; k++)
            tables[at++] = nearest(c->n, coordinate(c->n, i, x->dim[i], y->dim[i], k), x->dim[i]);
    vt__move_by_tables(x, c->in[0], y, c->out[0], tables);
    vt_free(c->allocator, tables, (size_t)entries * sizeof *tables);
    return VTA_OK;
}

/* One axis; `t` is the type of `from` and becomes that of `to`. */
static void linear_axis(const vt_gnode *n, uint32_t axis, int64_t out, vt_gtype *t, const float *from, float *to) {
    int64_t in = t->dim[axis], inner = vt_gtype_span(t, axis + 1, t->rank), outer = vt_gtype_span(t, 0, axis);
    for (int64_t k = 0; k < out; k++) {
        double at = coordinate(n, axis, in, out, k);
        at = at<0 ? 0 : at>(double)(in - 1) ? (double)(in - 1) : at;
        int64_t low = (int64_t)at, high = low + 1 < in ? low + 1 : low;
        float part = (float)(at - (double)low);
        for (int64_t o = 0; o < outer; o++)
            for (int64_t i = 0; i < inner; i++) {
                float a = from[(o * in + low) * inner + i], b = from[(o * in + high) * inner + i];
                to[(o * out + k) * inner + i] = a * (1 - part) + b * part;
            }
    }
    t->dim[axis] = out;
}

/* The largest of the tensors between two axes. */
static size_t largest(const vt_gtype *x, const vt_gtype *y) {
    vt_gtype t = *x;
    size_t most = vt_gtype_bytes(x);
    for (uint32_t i = 0; i < t.rank; i++) {
        t.dim[i] = x->dim[i] > y->dim[i] ? x->dim[i] : y->dim[i];
        if (vt_gtype_bytes(&t) > most) most = vt_gtype_bytes(&t);
    }
    return most;
}

static vta_status resize_linear(const vt_eval_call *c) {
    const vt_gtype *y = vt__out_type(c);
    vt_gtype t = *vt__in_type(c, 0);
    size_t bytes = largest(&t, y);
    float *now = vt_alloc_lines(c->allocator, bytes), *next = vt_alloc_lines(c->allocator, bytes);
    bool had = now && next;
    if (had) {
        memcpy(now, c->in[0], vt_gtype_bytes(&t));
        for (uint32_t i = 0; i < y->rank; i++) {
            if (t.dim[i] == y->dim[i] && vt_gattr_of(c->n, VT_A_SCALES)->floats[i] == 1) continue;
            linear_axis(c->n, i, y->dim[i], &t, now, next);
            float *other = now;
            now = next, next = other;
        }
        memcpy(c->out[0], now, vt_gtype_bytes(y));
    }
    vt_free_lines(c->allocator, now, bytes);
    vt_free_lines(c->allocator, next, bytes);
    return had ? VTA_OK : vt_no_memory(c->diag);
}

vta_status vt__eval_resize(const vt_eval_call *c) {
    if (!vt_gtype_count(vt__out_type(c))) return VTA_OK;
    return vt_gattr_int(c->n, VT_A_SAMPLING) == VT_SAMPLING_LINEAR ? resize_linear(c) : resize_nearest(c);
}

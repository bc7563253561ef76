/* Tensors of any shape: element by element, moved, reduced. */
#include <stdlib.h>
#include <string.h>

#include "operators/host/host_priv.h"

static int64_t elements(const vt_host_shape *s) {
    int64_t n = 1;
    for (int32_t i = 0; i < s->ndim; i++) n *= s->dim[i];
    return n;
}

static void add_input(vt_strbuf *out, const char *name, const vt_host_shape *s) {
    vt_strbuf_addf(out, "input %s: %s[", name, s->type);
    for (int32_t i = 0; i < s->ndim; i++) vt_strbuf_addf(out, "%s%" PRId64, i ? ", " : "", s->dim[i]);
    vt_strbuf_add(out, "]\n");
}

static void add_result(vt_strbuf *out, const char *kind, const vt_host_shape *s) {
    vt_strbuf_addf(out, "%s y[", kind);
    for (int32_t i = 0; i < s->ndim; i++) vt_strbuf_addf(out, "%si%d: %" PRId64, i ? ", " : "", (int)i, s->dim[i]);
    vt_strbuf_addf(out, "] = %s(", s->type);
}

/* Large results are shared among threads by their first axes, in vectors along the last. */
static void add_schedule(vt_strbuf *out, const vt_host_shape *s, bool vectors) {
    enum { VECTOR = 16 };
    vt_strbuf_add(out, "\nstage y\n");
    if (vectors && s->ndim && s->dim[s->ndim - 1] >= VECTOR)
        vt_strbuf_addf(out, "  split %d by %d -> outer, inner\n  vectorize inner\n", (int)s->ndim - 1, VECTOR);
    if (s->ndim > 1 && elements(s) >= VT__HOST_PARALLEL) vt_strbuf_add(out, "  parallel 0\n");
}

static vta_status check(const vt_host *host, const vt_host_shape *s) {
    for (int32_t i = 0; i < s->ndim && s->ndim <= VT_HOST_DIMS; i++)
        if (s->dim[i] < 1) return vt_fail(host->diag, VTA_OUT_OF_RANGE, "extent %d is %" PRId64, (int)i, s->dim[i]);
    if (s->ndim >= 0 && s->ndim <= VT_HOST_DIMS) return VTA_OK;
    return vt_fail(host->diag, VTA_UNSUPPORTED, "%d dimensions; at most %d", (int)s->ndim, VT_HOST_DIMS);
}

/* ---- Element by element ---------------------------------------------------------------------------------------- */

/* "a1[i0, 0, i2]": extents of 1 are read again and again. */
static void add_operand(vt_strbuf *out, uint32_t index, const vt_host_shape *a, const vt_host_shape *y) {
    vt_strbuf_addf(out, "a%u[", index);
    for (int32_t i = 0; i < a->ndim; i++) {
        int32_t of = y->ndim - a->ndim + i;
        if (i) vt_strbuf_add(out, ", ");
        if (a->dim[i] == 1)
            vt_strbuf_add(out, "0");
        else
            vt_strbuf_addf(out, "i%d", (int)of);
    }
    vt_strbuf_add(out, "]");
}

static vta_status check_operand(const vt_host *host, const vt_host_shape *a, const vt_host_shape *y) {
    VT_TRY(check(host, a));
    bool fits = a->ndim <= y->ndim;
    for (int32_t i = 0; fits && i < a->ndim; i++) fits = a->dim[i] == 1 || a->dim[i] == y->dim[y->ndim - a->ndim + i];
    return fits ? VTA_OK : vt_fail(host->diag, VTA_MISMATCH, "an operand's shape does not spread to the result's");
}

static vta_status add_expression(const vt_host *host, vt_strbuf *out, const char *expression,
                                 const vt_host_shape operands[], uint32_t count, const vt_host_shape *y) {
    for (const char *at = expression; *at;) {
        if (*at != '$') {
            vt_strbuf_addc(out, *at++);
            continue;
        }
        char *end;
        unsigned long index = strtoul(at + 1, &end, 10);
        if (end == at + 1 || index >= count)
            return vt_fail(host->diag, VTA_INVALID_ARGUMENT, "%s: no operand %.4s of %u", expression, at, count);
        add_operand(out, (uint32_t)index, &operands[index], y);
        at = end;
    }
    return VTA_OK;
}

vta_status vt_host_map_kernel(const vt_host *host, const char *expression, const vt_host_shape operands[],
                              uint32_t count, const vt_host_shape *result, vtac_kernel **out_kernel) {
    vt_strbuf text;
    char name[16];
    *out_kernel = NULL;
    VT_TRY(check(host, result));
    for (uint32_t i = 0; i < count; i++) VT_TRY(check_operand(host, &operands[i], result));
    vt_strbuf_init(&text, host->allocator);
    vt_strbuf_add(&text, "kernel map\ntarget llvm\n");
    for (uint32_t i = 0; i < count; i++) {
        snprintf(name, sizeof name, "a%u", i);
        add_input(&text, name, &operands[i]);
    }
    add_result(&text, "output", result);
    vta_status status = add_expression(host, &text, expression, operands, count, result);
    vt_strbuf_add(&text, ")");
    add_schedule(&text, result, true);
    if (status == VTA_OK) return vt__host_parse(host, "map", &text, out_kernel);
    vt_strbuf_free(&text);
    return status;
}

/* ---- Moved ----------------------------------------------------------------------------------------------------- */

vta_status vt_host_gather_kernel(const vt_host *host, const vt_host_shape *x, const char *index, const char *condition,
                                 const char *fill, const vt_host_shape *result, vtac_kernel **out_kernel) {
    vt_strbuf text;
    *out_kernel = NULL;
    VT_TRY(check(host, x));
    VT_TRY(check(host, result));
    vt_strbuf_init(&text, host->allocator);
    vt_strbuf_add(&text, "kernel gather\ntarget llvm\n");
    add_input(&text, "x", x);
    add_result(&text, "output", result);
    if (condition)
        vt_strbuf_addf(&text, "if_then_else(%s, x[%s], %s(%s)))", condition, index, x->type, fill);
    else
        vt_strbuf_addf(&text, "x[%s])", index);
    add_schedule(&text, result, false);
    return vt__host_parse(host, "gather", &text, out_kernel);
}

/* Reads x at "i0, table[i1], i2", where table[...] counts from the end when it is negative, and is kept inside. */
static void add_take(vt_strbuf *out, const vt_host_shape *x, int32_t axis, const vt_host_shape *table) {
    char at[VT_HOST_DIMS * 6] = "";
    for (int32_t i = 0, used = 0; i < table->ndim; i++)
        used += snprintf(at + used, sizeof at - (size_t)used, i ? ", i%d" : "i%d", (int)(axis + i));
    vt_strbuf_add(out, "x[");
    for (int32_t i = 0; i < x->ndim; i++) {
        if (i) vt_strbuf_add(out, ", ");
        if (i == axis)
            vt_strbuf_addf(out, "min(max(select(table[%s] < 0, table[%s] + %" PRId64 ", table[%s]), 0), %" PRId64 ")",
                           at, at, x->dim[i], at, x->dim[i] - 1);
        else
            vt_strbuf_addf(out, "i%d", (int)(i < axis ? i : i - 1 + table->ndim));
    }
    vt_strbuf_add(out, "])");
}

vta_status vt_host_take_kernel(const vt_host *host, const vt_host_shape *x, int32_t axis, const vt_host_shape *table,
                               vtac_kernel **out_kernel) {
    vt_strbuf text;
    vt_host_shape y = {.type = x->type, .ndim = x->ndim - 1 + table->ndim};
    *out_kernel = NULL;
    VT_TRY(check(host, x));
    VT_TRY(check(host, table));
    if (axis < 0 || axis >= x->ndim) return vt_fail(host->diag, VTA_OUT_OF_RANGE, "take: no axis %d", (int)axis);
    if (y.ndim > VT_HOST_DIMS)
        return vt_fail(host->diag, VTA_UNSUPPORTED, "take: %d dimensions; at most %d", (int)y.ndim, VT_HOST_DIMS);
    for (int32_t i = 0; i < x->ndim; i++)
        if (i != axis) y.dim[i < axis ? i : i - 1 + table->ndim] = x->dim[i];
    for (int32_t i = 0; i < table->ndim; i++) y.dim[axis + i] = table->dim[i];
    vt_strbuf_init(&text, host->allocator);
    vt_strbuf_add(&text, "kernel take\ntarget llvm\n");
    add_input(&text, "x", x);
    add_input(&text, "table", table);
    add_result(&text, "output", &y);
    add_take(&text, x, axis, table);
    add_schedule(&text, &y, false);
    return vt__host_parse(host, "take", &text, out_kernel);
}

vta_status vt_host_transpose_kernel(const vt_host *host, const vt_host_shape *x, const int32_t order[],
                                    vtac_kernel **out_kernel) {
    char index[VT_HOST_DIMS * 6] = "", *at = index;
    vt_host_shape y = {.type = x->type, .ndim = x->ndim};
    *out_kernel = NULL;
    VT_TRY(check(host, x));
    for (int32_t d = 0; d < x->ndim; d++) { /* extent d of x is the one of the result that comes from it */
        int32_t k = 0;
        while (k < x->ndim && order[k] != d) k++;
        if (k == x->ndim)
            return vt_fail(host->diag, VTA_INVALID_ARGUMENT, "transpose: no extent of the result is extent %d", (int)d);
        y.dim[k] = x->dim[d];
        at += snprintf(at, 6, "%si%d", d ? ", " : "", (int)k);
    }
    return vt_host_gather_kernel(host, x, index, NULL, NULL, &y, out_kernel);
}

/* ---- Reduced --------------------------------------------------------------------------------------------------- */

/* Sums are of 64 bits and rounded once, as those of the evaluator in C: both give the same bits. */
static bool is_sum(vt_host_reduction kind) { return kind == VT_HOST_SUM || kind == VT_HOST_MEAN; }

/* "max[r1: 3](before x[i0, r1] after)" */
static void add_reduction(vt_strbuf *out, const char *name, const vt_host_shape *x, uint32_t axes, const char *before,
                          const char *after) {
    bool first = true;
    vt_strbuf_addf(out, "%s[", name);
    for (int32_t i = 0; i < x->ndim; i++) {
        if (!(axes >> i & 1)) continue;
        vt_strbuf_addf(out, "%sr%d: %" PRId64, first ? "" : ", ", (int)i, x->dim[i]);
        first = false;
    }
    vt_strbuf_addf(out, "](%sx[", before);
    for (int32_t i = 0; i < x->ndim; i++)
        vt_strbuf_addf(out, "%s%c%d", i ? ", " : "", axes >> i & 1 ? 'r' : 'i', (int)i);
    vt_strbuf_addf(out, "]%s)", after);
}

/* The extents of a tensor NAME that is reduced. */
static void add_reduced(vt_strbuf *out, const char *name, const vt_host_shape *y) {
    vt_strbuf_addf(out, "tensor %s[", name);
    for (int32_t i = 0; i < y->ndim; i++) vt_strbuf_addf(out, "%si%d: %" PRId64, i ? ", " : "", (int)i, y->dim[i]);
    vt_strbuf_add(out, "] = ");
}

/* The largest as IEEE and NumPy have it: an element that is not a number is the result, and the largest of infinities
 * is one. u counts the first, v those that are no such infinities; the language begins with the largest finite
 * number. */
static void add_extreme(vt_strbuf *out, bool largest, const vt_host_shape *x, const vt_host_shape *y, uint32_t axes) {
    const char *name = largest ? "max" : "min";
    add_reduced(out, "t", y);
    add_reduction(out, name, x, axes, "", "");
    vt_strbuf_add(out, "\n");
    add_reduced(out, "u", y);
    add_reduction(out, "max", x, axes, "select(fabs(", ") <= float32(1e39), 0, 1)");
    vt_strbuf_add(out, "\n");
    add_reduced(out, "v", y);
    add_reduction(out, "max", x, axes, "select(", largest ? " > float32(-1e39), 1, 0)" : " < float32(1e39), 1, 0)");
    vt_strbuf_add(out, "\n");
    add_result(out, "output", y);
    vt_strbuf_addf(out, "select(u[...] > 0, sqrt(float32(-1.0)), select(v[...] > 0, t[...], float32(%s1e39))))\n",
                   largest ? "-" : "");
}

/* Of integers: sums are of 64 bits, of which the type keeps the last. */
static vta_status reduce_integers(const vt_host *host, vt_strbuf *text, vt_host_reduction kind, const vt_host_shape *x,
                                  const vt_host_shape *y, uint32_t axes, vtac_kernel **out_kernel) {
    if (kind == VT_HOST_MEAN) {
        vt_strbuf_free(text);
        return vt_fail(host->diag, VTA_UNSUPPORTED, "reduce: means are of floats, not of %s", x->type);
    }
    const char *name = kind == VT_HOST_SUM ? "sum" : kind == VT_HOST_MAX ? "max" : "min";
    add_reduced(text, "t", y);
    add_reduction(text, name, x, axes, kind == VT_HOST_SUM ? "int64(" : "", kind == VT_HOST_SUM ? ")" : "");
    vt_strbuf_add(text, "\n");
    add_result(text, "output", y);
    vt_strbuf_add(text, "t[...])\n");
    return vt__host_parse(host, "reduce", text, out_kernel);
}

vta_status vt_host_reduce_kernel(const vt_host *host, vt_host_reduction kind, const vt_host_shape *x, uint32_t axes,
                                 vtac_kernel **out_kernel) {
    vt_strbuf text;
    vt_host_shape y = *x;
    int64_t over = 1;
    *out_kernel = NULL;
    VT_TRY(check(host, x));
    for (int32_t i = 0; i < x->ndim; i++) {
        if (!(axes >> i & 1)) continue;
        over *= x->dim[i];
        y.dim[i] = 1;
    }
    if (!axes || axes >> x->ndim)
        return vt_fail(host->diag, VTA_INVALID_ARGUMENT, "reduce: axes %x of %d dimensions", axes, (int)x->ndim);
    vt_strbuf_init(&text, host->allocator);
    vt_strbuf_add(&text, "kernel reduce\ntarget llvm\n");
    add_input(&text, "x", x);
    if (!strstr(x->type, "float")) return reduce_integers(host, &text, kind, x, &y, axes, out_kernel);
    if (!is_sum(kind)) {
        add_extreme(&text, kind == VT_HOST_MAX, x, &y, axes);
        return vt__host_parse(host, "reduce", &text, out_kernel);
    }
    add_reduced(&text, "t", &y);
    add_reduction(&text, "sum", x, axes, "float64(", ")");
    vt_strbuf_add(&text, "\n");
    add_result(&text, "output", &y);
    vt_strbuf_add(&text, "t[...]");
    if (kind == VT_HOST_MEAN) {
        vt_strbuf_add(&text, " / ");
        vt__host_float(&text, (double)over);
    }
    vt_strbuf_add(&text, ")\n");
    return vt__host_parse(host, "reduce", &text, out_kernel);
}

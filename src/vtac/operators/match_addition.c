/* Steps by GEMM: a sum that starts at x and adds the products of an argument with tiles that are the same for all. */
#include <string.h>

#include "operators/match.h"

typedef struct addition {
    const vt_tensor *t; /* that adds */
    vt_match_operand same, given;
    int64_t *value; /* of `same`, as many as `count` */
    size_t count;
} addition;

static const vt_expr *source_of(const vt_expr *reduce) {
    return vt_is_sum(reduce) && reduce->a[0]->kind == VT_E_MUL ? reduce->a[0] : NULL;
}

static const vt_tensor *read_tensor(const vt_expr *e) {
    while (e->kind == VT_E_CAST) e = e->a[0];
    return e->kind == VT_E_PLOAD ? e->u.tensor : NULL;
}

bool vt__match_is_addition(vt_match *m, const vt_expr *reduce) {
    const vt_expr *source = source_of(reduce);
    const vt_tensor *a = source ? read_tensor(source->a[0]) : NULL, *b = source ? read_tensor(source->a[1]) : NULL;
    return a && b && vt__match_has_argument(m, a) != vt__match_has_argument(m, b);
}

/* ---- The tiles that are the same for all ------------------------------------------------------------------------- */

enum { VALUES_MAX = 1 << 20 };

static int64_t element(const void *data, size_t i, unsigned bits) {
    return bits == 32   ? ((const int32_t *)data)[i]
           : bits == 16 ? ((const int16_t *)data)[i]
                        : ((const int8_t *)data)[i];
}

/* Their values, by evaluating them; `count` is 0 where there are too many. */
static vta_status evaluate(vt_match *m, addition *a) {
    const vt_tensor *t = a->same.tensor;
    a->count = 1;
    for (uint32_t i = 0; i < t->ndim && a->count <= VALUES_MAX; i++) a->count *= (size_t)vt__match_dim(t, i);
    if (a->count > VALUES_MAX || t->dtype.code != VT_INT || t->dtype.bits > 32) a->count = 0;
    if (!a->count) return VTA_OK;
    void *data = vt_alloc_zero(m->allocator, a->count * 4);
    a->value = vt_alloc_zero(m->allocator, a->count * sizeof *a->value);
    vta_status status = VTA_NO_MEMORY;
    if (data && a->value) status = te_evaluate(m->te, (te_tensor *)(uintptr_t)t, 0, NULL, NULL, data);
    for (size_t i = 0; status == VTA_OK && i < a->count; i++) a->value[i] = element(data, i, t->dtype.bits);
    vt_free(m->allocator, data, a->count * 4);
    return status == VTA_NO_MEMORY ? vt_no_memory(m->diag) : status;
}

/* Ones in the last lane, the step of the digits in the others. */
static bool are_ones(const vt_match *m, const addition *a) {
    size_t lanes = vta_config_block_in(m->config);
    for (size_t i = 0; i < a->count; i++)
        if (a->value[i] != (i % lanes == lanes - 1 ? 1 : vt__bias_step(m->config))) return false;
    return a->count;
}

/* The unit matrix times *out_scale, in tiles [ks, kr, BLOCK_OUT, BLOCK_IN]. */
static bool are_units(const vt_match *m, const addition *a, int64_t *out_scale) {
    int64_t in = vta_config_block_in(m->config), out = vta_config_block_out(m->config);
    int64_t parts = vt__match_dim(a->same.tensor, 1);
    *out_scale = a->count ? a->value[0] : 0;
    for (int64_t i = 0; i < (int64_t)a->count; i++) {
        int64_t ri = i % in, ci = i / in % out, kr = i / (in * out) % parts, ks = i / (in * out * parts);
        if (a->value[i] != (ks * out + ci == kr * in + ri ? *out_scale : 0)) return false;
    }
    return *out_scale;
}

/* ---- Where they are read ----------------------------------------------------------------------------------------- */

/* A reduce axis alone that runs over all of a dimension. */
static const vt_var *tap_of(const addition *a, const vt_affine *index, int64_t size) {
    bool alone = index->n == 1 && index->times[0] == 1 && !index->constant;
    return alone && vt__match_reduce_extent(a->t, index->var[0]) == size ? index->var[0] : NULL;
}

static bool is_var(const vt_affine *a, const vt_var *v) {
    return v && a->n == 1 && a->var[0] == v && a->times[0] == 1 && !a->constant;
}

/* Is it of elements of a buffer, inputs or weights? */
static bool is_tiles(const vt_match *m, const vt_tensor *t, uint32_t ndim, vta_memory memory) {
    uint32_t rows = memory == VTA_MEM_INP ? vta_config_batch(m->config) : vta_config_block_out(m->config);
    return t->ndim == ndim && vt__match_dim(t, ndim - 2) == rows &&
           vt__match_dim(t, ndim - 1) == (int64_t)vta_config_block_in(m->config) && t->dtype.code == VT_INT &&
           t->dtype.bits == vta_config_width(m->config, memory);
}

/* The axis of blocks of channels: behind that of images, and of a batch of matrices. */
static uint32_t block_axis(const vt_tensor *t) { return t->ndim == 5 ? 2 : 1; }

static bool is_bias(const vt_match *m, const addition *a) {
    const vt_affine *s = a->same.index, *g = a->given.index;
    uint32_t n = a->t->ndim;
    if (!is_tiles(m, a->same.tensor, 3, VTA_MEM_INP) || !is_tiles(m, a->given.tensor, 4, VTA_MEM_WGT) ||
        !are_ones(m, a))
        return false;
    const vt_var *k = tap_of(a, &s[0], vt__match_dim(a->given.tensor, 1));
    const vt_var *r = tap_of(a, &s[2], vta_config_block_in(m->config));
    return vt__match_dim(a->given.tensor, 0) == vt__match_dim(a->t, block_axis(a->t)) &&
           vt__match_dim(a->same.tensor, 0) == vt__match_dim(a->given.tensor, 1) &&
           vt__affine_is_axis(&s[1], a->t, n - 2) && vt__affine_is_axis(&g[0], a->t, block_axis(a->t)) &&
           is_var(&g[1], k) && vt__affine_is_axis(&g[2], a->t, n - 1) && is_var(&g[3], r);
}

static bool is_quotient(const vt_affine *a, vt_expr_kind kind, const vt_var *axis, int64_t by) {
    const vt_var *v = a->n == 1 && a->times[0] == 1 && !a->constant ? a->var[0] : NULL;
    return v && v->kind == kind && v->a[0] == axis && vt_is_const(v->a[1], by);
}

/* The block of inputs that the lanes of a block of outputs come from: `ins` of them, or one of `outs` parts of one. */
static bool reads_blocks(const addition *a, const vt_affine *block, const vt_affine *part, const vt_var *kr,
                         int64_t ins, int64_t outs) {
    uint32_t at = block_axis(a->t);
    const vt_var *co = vt__match_axis(a->t, at);
    if (outs > 1) {
        if (is_quotient(block, VT_E_FLOORDIV, co, outs) && is_quotient(part, VT_E_FLOORMOD, co, outs)) return true;
        return vt__match_dim(a->t, at) == 1 && !block->n && !block->constant && !part->n && !part->constant;
    }
    if (part->n || part->constant) return false;
    if (ins == 1) return vt__affine_is_axis(block, a->t, at);
    bool first = vt__match_dim(a->t, at) == 1 && block->n == 1;
    return kr && !block->constant && vt__affine_times(block, kr) == 1 &&
           (first || (block->n == 2 && vt__affine_times(block, co) == ins));
}

static bool is_residual(const vt_match *m, const addition *a, int64_t *out_scale) {
    const vt_affine *s = a->same.index, *g = a->given.index;
    const vt_tensor *given = a->given.tensor, *same = a->same.tensor;
    uint32_t n = a->t->ndim, at = block_axis(a->t);
    int64_t in = vta_config_block_in(m->config), out = vta_config_block_out(m->config);
    int64_t ins = out > in ? out / in : 1, outs = in > out ? in / out : 1;
    if (given->ndim != n || !is_tiles(m, given, n, VTA_MEM_INP) || !is_tiles(m, same, 4, VTA_MEM_WGT) ||
        vt__match_dim(same, 0) != outs || vt__match_dim(same, 1) != ins || !are_units(m, a, out_scale))
        return false;
    const vt_var *kr = tap_of(a, &s[1], ins), *ri = tap_of(a, &s[3], in);
    if (!kr && (s[1].n || s[1].constant)) return false;
    for (uint32_t i = 0; i + 1 < n; i++) {
        if (i == at) continue;
        if (!vt__affine_is_axis(&g[i], a->t, i) || vt__match_dim(given, i) != vt__match_dim(a->t, i)) return false;
    }
    return vt__match_dim(given, at) == vt__ceil_div(vt__match_dim(a->t, at) * ins, outs) && is_var(&g[n - 1], ri) &&
           vt__affine_is_axis(&s[2], a->t, n - 1) && reads_blocks(a, &g[at], &s[0], kr, ins, outs);
}

/* ---- The step ---------------------------------------------------------------------------------------------------- */

static vta_status recognize(vt_match *m, const addition *a, const vt_expr *reduce) {
    int64_t scale;
    vt_match_step step = {.side = a->given.tensor, .numbered = true};
    if (vt__match_body(step.side))
        return vt__match_refuse(m, a->t, reduce, "%s, which is added by GEMM, is computed: only an argument can be",
                                step.side->name);
    if (is_bias(m, a)) {
        step.kind = VT_EPILOGUE_bias_int8;
        step.number = vt__match_dim(a->given.tensor, 1);
    } else if (is_residual(m, a, &scale)) {
        step.kind = VT_EPILOGUE_residual_int8;
        step.number = scale;
    } else {
        return vt__match_refuse(
            m, a->t, reduce,
            "adds products of %s and %s, which is neither a bias by GEMM (bias_int8) nor a tensor times "
            "the unit matrix (residual_int8)",
            a->given.tensor->name, a->same.tensor->name);
    }
    return vt__match_add_step(m, a->t, step);
}

vta_status vt__match_addition(vt_match *m, const vt_tensor *t, const vt_expr *reduce) {
    addition a = {.t = t};
    const vt_expr *source = source_of(reduce);
    bool second = vt__match_has_argument(m, read_tensor(source->a[0]));
    if (!vt__match_operand_read(source->a[second], &a.same) || !vt__match_operand_read(source->a[!second], &a.given))
        return vt__match_refuse(m, t, source, "a factor is not an element of a tensor in tiles at sums of axes");
    vta_status status = evaluate(m, &a);
    if (status == VTA_OK) status = recognize(m, &a, reduce);
    vt_free(m->allocator, a.value, a.count * sizeof *a.value);
    return status;
}

vta_status vt__match_start(vt_match *m) {
    const vt_expr *e = vt__match_body(m->sums);
    if (!e->u.reduce->has_init) return VTA_OK;
    const vt_expr *init = e->a[e->u.reduce->n_sources];
    const vt_expr *start = vt__match_at_axes(init, m->sums) ? vt__match_body(init->u.tensor) : NULL;
    if (!start || start->kind != VT_E_REDUCE || start->u.reduce->has_init || !vt__match_is_addition(m, start))
        return vt__match_refuse(m, m->sums, init, "a sum of products starts at 0, or at a bias by GEMM");
    return vt__match_addition(m, init->u.tensor, start);
}

/* Intervals: making, joining, asking. */
#include "arith/intset.h"

#include "ir/build.h"
#include "ir/visit.h"

vt_intset vt_intset_range(vt_ctx *ctx, const vt_expr *min, const vt_expr *extent) {
    if (vt_is_const(extent, 1)) return vt_intset_point(min);
    const vt_expr *end = vt_add(ctx, extent, min);
    return vt_intset_interval(min, vt_sub(ctx, end, vt_const(ctx, end->dtype, 1)));
}

bool vt_intset_is_point(vt_intset s) { return !s.empty && s.min && s.max && vt_expr_equal(s.min, s.max); }

vt_range vt_intset_cover(vt_analyzer *an, vt_intset s, vt_range fallback) {
    if (s.empty || !s.min || !s.max) return fallback;
    vt_ctx *ctx = vt_analyzer_ctx(an);
    const vt_expr *end = vt_add(ctx, s.max, vt_const(ctx, s.max->dtype, 1));
    return (vt_range){vt_simplify(an, s.min), vt_simplify(an, vt_sub(ctx, end, s.min))};
}

static const vt_expr *simplified(vt_analyzer *an, const vt_expr *e) { return e ? vt_simplify(an, e) : NULL; }

vt_intset vt_intset_union(vt_analyzer *an, uint32_t n, const vt_intset *sets) {
    if (n == 0) return vt_intset_nothing();
    if (n == 1) return sets[0];
    vt_ctx *ctx = vt_analyzer_ctx(an);
    vt_intset x = sets[0];
    for (uint32_t i = 1; i < n; i++) {
        vt_intset y = sets[i];
        if (y.empty) continue;
        if (x.empty) {
            x = y;
            continue;
        }
        x.max = x.max && y.max ? vt_max(ctx, x.max, y.max) : NULL;
        x.min = x.min && y.min ? vt_min(ctx, x.min, y.min) : NULL;
    }
    return (vt_intset){simplified(an, x.min), simplified(an, x.max), x.empty};
}

static vt_intset intersect(vt_analyzer *an, vt_intset x, vt_intset y) {
    if (x.empty || y.empty) return vt_intset_nothing();
    vt_ctx *ctx = vt_analyzer_ctx(an);
    const vt_expr *max = !x.max ? y.max : !y.max ? x.max : vt_min(ctx, x.max, y.max);
    const vt_expr *min = !x.min ? y.min : !y.min ? x.min : vt_max(ctx, x.min, y.min);
    if (min && max && vt_prove_ge(an, vt_sub(ctx, min, max), 1)) return vt_intset_nothing();
    return vt_intset_interval(min, max);
}

vt_intset vt_intset_intersect(vt_analyzer *an, uint32_t n, const vt_intset *sets) {
    if (n == 0) return vt_intset_nothing();
    if (n == 1) return sets[0];
    vt_intset x = sets[0];
    for (uint32_t i = 1; i < n; i++) x = intersect(an, x, sets[i]);
    return (vt_intset){simplified(an, x.min), simplified(an, x.max), x.empty};
}

/* The constant a side simplifies to. */
static bool constant(vt_analyzer *an, const vt_expr *e, int64_t *out) {
    return e && vt_as_const(vt_simplify(an, e), out);
}

bool vt_intset_prove_positive(vt_analyzer *an, vt_intset s) {
    int64_t v;
    return !s.empty && constant(an, s.min, &v) && v > 0;
}

bool vt_intset_prove_negative(vt_analyzer *an, vt_intset s) {
    int64_t v;
    return !s.empty && constant(an, s.max, &v) && v < 0;
}

bool vt_intset_prove_nonpositive(vt_analyzer *an, vt_intset s) {
    int64_t v;
    return !s.empty && constant(an, s.max, &v) && v <= 0;
}

bool vt_intset_prove_nonnegative(vt_analyzer *an, vt_intset s) {
    int64_t v;
    return !s.empty && constant(an, s.min, &v) && v >= 0;
}

bool vt_intset_match_range(vt_analyzer *an, vt_intset s, vt_range r) {
    if (s.empty || !s.min || !s.max) return false;
    vt_ctx *ctx = vt_analyzer_ctx(an);
    const vt_expr *end = vt_add(ctx, r.extent, r.min), *last = vt_sub(ctx, end, vt_const(ctx, end->dtype, 1));
    return vt_is_const(vt_simplify(an, vt_sub(ctx, s.min, r.min)), 0) &&
           vt_is_const(vt_simplify(an, vt_sub(ctx, s.max, last)), 0);
}

struct vt_dommap {
    vt_ctx *ctx;
    vt_ptrmap *map; /* variable -> vt_intset */
};

vt_dommap *vt_dommap_new(vt_ctx *ctx) {
    vt_dommap *dom = VT_NEW(ctx, vt_dommap);
    *dom = (vt_dommap){ctx, vt_ptrmap_new(ctx)};
    return dom;
}

void vt_dommap_set(vt_dommap *dom, const vt_var *v, vt_intset set) {
    vt_intset *own = VT_NEW(dom->ctx, vt_intset);
    *own = set;
    vt_ptrmap_set(dom->map, v, own);
}

void vt_dommap_set_range(vt_dommap *dom, const vt_var *v, vt_range r) {
    vt_dommap_set(dom, v, vt_intset_range(dom->ctx, r.min, r.extent));
}

bool vt_dommap_get(const vt_dommap *dom, const vt_var *v, vt_intset *out_set) {
    const vt_intset *set = dom ? vt_ptrmap_get(dom->map, v) : NULL;
    if (set) *out_set = *set;
    return set != NULL;
}

uint32_t vt_dommap_size(const vt_dommap *dom) { return dom ? vt_ptrmap_size(dom->map) : 0; }

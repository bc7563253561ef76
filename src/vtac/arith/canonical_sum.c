/* Splits and sums: combining them and writing them down as expressions. */
#include <string.h>

#include "arith/canonical.h"
#include "ir/build.h"

static int64_t wrap_mul(int64_t x, int64_t y) { return (int64_t)((uint64_t)x * (uint64_t)y); }
static int64_t wrap_add(int64_t x, int64_t y) { return (int64_t)((uint64_t)x + (uint64_t)y); }

vt__canon vt__canon_sum(vt__sum *s) { return (vt__canon){.form = VT__CANON_SUM, .sum = s}; }
vt__canon vt__canon_split(vt__split s) { return (vt__canon){.form = VT__CANON_SPLIT, .split = s}; }
vt__canon vt__canon_expr(const vt_expr *e) { return (vt__canon){.form = VT__CANON_EXPR, .e = e}; }

static bool plain(const vt__split *s) { return s->lower == 1 && s->upper == VT_POS_INF; }
static bool modes_agree(const vt__split *x, bool floor) { return x->floor == floor || plain(x); }

/* ---- Writing --------------------------------------------------------------------------------------------- */

const vt_expr *vt__split_write(vt_ctx *ctx, vt__split s, int64_t scale) {
    vt_dtype t = s.index->dtype;
    if (s.scale == 0) return vt_int(ctx, t, 0);
    const vt_expr *e = s.index;
    if (s.upper != VT_POS_INF) e = vt_bin(ctx, s.floor ? VT_E_FLOORMOD : VT_E_MOD, e, vt_int(ctx, t, s.upper));
    if (s.lower != 1) e = vt_bin(ctx, s.floor ? VT_E_FLOORDIV : VT_E_DIV, e, vt_int(ctx, t, s.lower));
    scale = wrap_mul(scale, s.scale);
    return scale == 1 ? e : vt_mul(ctx, e, vt_int(ctx, t, scale));
}

/* Joins neighbours: x / (c*s) * s + x % (c*s) / c is x / c. */
static void merge(vt__split *args, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        vt__split *l = &args[i];
        for (uint32_t j = i + 1; j < n && l->scale; j++) {
            vt__split *r = &args[j];
            if (!vt_expr_equal(l->index, r->index) || l->upper < r->lower) break;
            if (l->upper == r->upper && l->lower == r->lower && modes_agree(l, r->floor)) {
                r->scale = wrap_add(r->scale, l->scale);
                l->scale = 0;
            } else if (l->lower == r->upper && r->scale && l->scale != INT64_MIN && l->scale % r->scale == 0 &&
                       l->lower == wrap_mul(l->scale / r->scale, r->lower) && modes_agree(l, r->floor)) {
                r->upper = l->upper;
                l->scale = 0;
                break;
            }
        }
    }
}

/* Largest scale first, then lower, upper, mode; false also for equal ones, so that their order stays. */
static bool before(const vt__split *x, const vt__split *y) {
    if (x->scale != y->scale) return x->scale > y->scale;
    if (x->lower != y->lower) return x->lower > y->lower;
    if (x->upper != y->upper) return x->upper > y->upper;
    return x->floor && !y->floor;
}

static void sort(vt__split *args, uint32_t n) {
    for (uint32_t i = 1; i < n; i++) {
        vt__split s = args[i];
        uint32_t j = i;
        for (; j && before(&s, &args[j - 1]); j--) args[j] = args[j - 1];
        args[j] = s;
    }
}

const vt_expr *vt__sum_write(vt_ctx *ctx, const vt__sum *s) {
    if (!s->n) return vt_int(ctx, s->type, s->base);
    const vt_expr *e = vt_int(ctx, s->type, 0);
    vt__split *args = VT_NEW_ARRAY(ctx, vt__split, s->n);
    memcpy(args, s->args, s->n * sizeof *args);
    merge(args, s->n);
    sort(args, s->n);
    for (uint32_t i = 0; i < s->n; i++)
        if (args[i].scale > 0) e = vt_add(ctx, e, vt__split_write(ctx, args[i], 1));
    if (s->base > 0) e = vt_add(ctx, e, vt_int(ctx, s->type, s->base));
    for (uint32_t i = 0; i < s->n; i++)
        if (args[i].scale < 0) e = vt_sub(ctx, e, vt__split_write(ctx, args[i], -1));
    if (s->base < 0) e = vt_sub(ctx, e, vt_int(ctx, s->type, wrap_mul(s->base, -1)));
    return e;
}

const vt_expr *vt__canon_write(vt_ctx *ctx, const vt__canon *c) {
    switch (c->form) {
    case VT__CANON_SPLIT: return vt__split_write(ctx, c->split, 1);
    case VT__CANON_SUM: return vt__sum_write(ctx, c->sum);
    case VT__CANON_EXPR: break;
    }
    return c->e;
}

/* ---- Making ---------------------------------------------------------------------------------------------- */

vt__split vt__split_of_expr(const vt_expr *e) {
    return (vt__split){.index = e, .lower = 1, .upper = VT_POS_INF, .scale = 1};
}

vt__split vt__split_of(vt_ctx *ctx, const vt__canon *c) {
    if (c->form == VT__CANON_SPLIT) return c->split;
    if (c->form == VT__CANON_SUM && c->sum->base == 0 && c->sum->n == 1) return c->sum->args[0];
    return vt__split_of_expr(vt__canon_write(ctx, c));
}

vt__split vt__split_in_mode(vt_ctx *ctx, vt__split s, bool floor) {
    if (s.floor == floor) return s;
    if (!modes_agree(&s, floor)) s = vt__split_of_expr(vt__split_write(ctx, s, 1));
    s.floor = floor;
    return s;
}

static vt__sum *new_sum(vt_ctx *ctx, vt_dtype t) {
    vt__sum *s = VT_NEW(ctx, vt__sum);
    s->type = t;
    return s;
}

vt__sum *vt__sum_copy(vt_ctx *ctx, const vt__sum *s) {
    vt__sum *c = VT_NEW(ctx, vt__sum);
    *c = *s;
    c->args = vt_new_unset(ctx, s->n * sizeof *s->args);
    c->cap = s->n;
    if (s->n) memcpy(c->args, s->args, s->n * sizeof *s->args);
    return c;
}

enum { FEW = 2 }; /* terms that most sums have at most */

static void make_space(vt_ctx *ctx, vt__sum *s) {
    if (s->cap == 0) {
        s->args = vt_new_unset(ctx, FEW * sizeof *s->args);
        s->cap = FEW;
    }
    vt_grow(ctx, &s->args, &s->cap, s->n + 1, sizeof *s->args);
}

static void insert(vt_ctx *ctx, vt__sum *s, uint32_t at, vt__split one) {
    make_space(ctx, s);
    memmove(s->args + at + 1, s->args + at, (s->n - at) * sizeof *s->args);
    s->args[at] = one;
    s->n++;
}

vt__sum *vt__sum_of(vt_ctx *ctx, vt__canon c) {
    if (c.form == VT__CANON_SUM) return c.sum;
    if (c.form == VT__CANON_EXPR && c.e->kind == VT_E_INT) {
        vt__sum *s = new_sum(ctx, c.e->dtype);
        s->base = c.e->u.i;
        return s;
    }
    vt__split split = vt__split_of(ctx, &c);
    vt__sum *s = new_sum(ctx, split.index->dtype);
    insert(ctx, s, 0, split);
    return s;
}

/* ---- Combining ------------------------------------------------------------------------------------------- */

void vt__sum_add_split(vt_ctx *ctx, vt__sum *s, vt__split other, int64_t scale) {
    if (other.scale == 0) return;
    other.scale = wrap_mul(other.scale, scale);
    uint32_t at = 0;
    while (at < s->n && !vt_expr_equal(s->args[at].index, other.index)) at++;
    for (; at < s->n; at++) {
        vt__split *arg = &s->args[at];
        if (!vt_expr_equal(arg->index, other.index) || other.lower > arg->lower) break;
        if (other.lower == arg->lower && other.upper == arg->upper && modes_agree(&other, arg->floor)) {
            arg->scale = wrap_add(arg->scale, other.scale);
            return;
        }
    }
    insert(ctx, s, at, other);
}

void vt__sum_add(vt_ctx *ctx, vt__sum *s, const vt__canon *c, int64_t scale) {
    if (c->form == VT__CANON_EXPR && c->e->kind == VT_E_INT) {
        s->base = wrap_add(s->base, wrap_mul(c->e->u.i, scale));
    } else if (c->form == VT__CANON_SUM) {
        for (uint32_t i = 0; i < c->sum->n; i++) vt__sum_add_split(ctx, s, c->sum->args[i], scale);
        s->base = wrap_add(s->base, wrap_mul(c->sum->base, scale));
    } else {
        vt__sum_add_split(ctx, s, vt__split_of(ctx, c), scale);
    }
}

void vt__sum_scale(vt__sum *s, int64_t scale) {
    s->base = wrap_mul(s->base, scale);
    for (uint32_t i = 0; i < s->n; i++) s->args[i].scale = wrap_mul(s->args[i].scale, scale);
}

void vt__sum_separate(vt_ctx *ctx, const vt__sum *s, int64_t coeff, vt__sum **out_divisible, vt__sum **out_rest) {
    vt__sum *divisible = new_sum(ctx, s->type), *rest = new_sum(ctx, s->type);
    *(s->base % coeff == 0 ? &divisible->base : &rest->base) = s->base;
    for (uint32_t i = 0; i < s->n; i++) {
        vt__sum *to = s->args[i].scale % coeff == 0 ? divisible : rest;
        insert(ctx, to, to->n, s->args[i]);
    }
    *out_divisible = divisible;
    *out_rest = rest;
}

void vt__sum_divide(vt__sum *s, int64_t by) {
    s->base /= by;
    for (uint32_t i = 0; i < s->n; i++) s->args[i].scale /= by;
}

/* The canonical simplifier: index arithmetic becomes sums of splits, everything else is rewritten as usual. */
#include "arith/canonical.h"

#include "ir/build.h"

static vt__canon mutate(vt__rewriter *rw, const vt_expr *e);

static bool is_int(const vt__canon *c) { return c->form == VT__CANON_EXPR && c->e->kind == VT_E_INT; }
static bool is_number(const vt__canon *c, int64_t n) { return is_int(c) && c->e->u.i == n; }
static bool is_zero(const vt__sum *s) { return s->base == 0 && s->n == 0; }
static vt__canon number(vt__rewriter *rw, vt_dtype t, int64_t n) { return vt__canon_expr(vt_int(rw->ctx, t, n)); }

/* Constants, and operands that are neutral or absorbing. */
static bool fold(vt__rewriter *rw, vt_expr_kind kind, const vt__canon *x, const vt__canon *y, vt__canon *out) {
    if (is_int(x) && is_int(y)) {
        const vt_expr *e = vt_try_fold(rw->ctx, kind, x->e, y->e);
        if (e) *out = vt__canon_expr(e);
        return e != NULL;
    }
    switch (kind) {
    case VT_E_ADD:
        if (is_number(x, 0)) return *out = *y, true;
        return is_number(y, 0) ? (*out = *x, true) : false;
    case VT_E_SUB: return is_number(y, 0) ? (*out = *x, true) : false;
    case VT_E_MUL:
        if (is_number(x, 1) || is_number(y, 0)) return *out = *y, true;
        return is_number(x, 0) || is_number(y, 1) ? (*out = *x, true) : false;
    case VT_EACH_LEAF:
    case VT_E_DIV:
    case VT_E_MOD:
    case VT_E_FLOORDIV:
    case VT_E_FLOORMOD:
    case VT_E_MIN:
    case VT_E_MAX:
    case VT_EACH_COMPARE:
    case VT_EACH_LOGIC:
    case VT_EACH_OTHER:
    case VT_E_COUNT: break;
    }
    if (is_number(x, 0)) return *out = *x, true;
    if (!is_number(y, 1)) return false;
    *out = kind == VT_E_DIV || kind == VT_E_FLOORDIV ? *x : number(rw, y->e->dtype, 0);
    return true;
}

static vt__canon add(vt__rewriter *rw, vt__canon x, vt__canon y, int64_t sign) {
    vt__sum *s = vt__sum_of(rw->ctx, x);
    vt__sum_add(rw->ctx, s, &y, sign);
    return vt__canon_sum(s);
}

/* The operation on written-down operands, where there is no canonical form. */
static vt__canon written(vt__rewriter *rw, const vt_expr *e, const vt__canon *x, const vt__canon *y) {
    const vt_expr *operands[] = {vt__canon_write(rw->ctx, x), vt__canon_write(rw->ctx, y)};
    for (int i = 0; i < 2; i++)
        if (vt_expr_equal(operands[i], e->a[i])) operands[i] = e->a[i];
    return vt__canon_expr(vt_e_with(rw->ctx, e, operands));
}

static vt__canon mul(vt__rewriter *rw, const vt_expr *e, vt__canon x, vt__canon y) {
    if (is_int(&x)) {
        vt__canon swap = x;
        x = y;
        y = swap;
    }
    if (!is_int(&y)) return written(rw, e, &x, &y);
    if (x.form == VT__CANON_SUM) {
        vt__sum_scale(x.sum, y.e->u.i);
        return x;
    }
    vt__split s = vt__split_of(rw->ctx, &x);
    s.scale = (int64_t)((uint64_t)s.scale * (uint64_t)y.e->u.i);
    return vt__canon_split(s);
}

/* s / c, c > 0. */
static vt__split split_div(vt__rewriter *rw, vt__split s, int64_t c, bool floor) {
    s = vt__split_in_mode(rw->ctx, s, floor);
    if (s.scale % c == 0) {
        s.scale /= c;
        return s;
    }
    int64_t scaled = s.scale > 0 && c % s.scale == 0 ? c / s.scale : 0, lower;
    if (scaled && !__builtin_mul_overflow(s.lower, scaled, &lower)) {
        vt_dtype t = s.index->dtype;
        if (s.upper != VT_POS_INF && s.upper % lower) {
            if (s.upper <= lower) return vt__split_of_expr(vt_int(rw->ctx, t, 0));
            s.index = vt_bin(rw->ctx, floor ? VT_E_FLOORMOD : VT_E_MOD, s.index, vt_int(rw->ctx, t, s.upper));
            s.upper = VT_POS_INF;
        }
        s.scale = 1;
        s.lower = lower;
        return s;
    }
    s = vt__split_of_expr(vt__split_write(rw->ctx, s, 1));
    s.lower = c;
    s.floor = floor;
    return s;
}

/* s mod c, c > 0. */
static vt__split split_mod(vt__rewriter *rw, vt__split s, int64_t c, bool floor) {
    s = vt__split_in_mode(rw->ctx, s, floor);
    if (s.scale % c == 0) {
        s.scale = 0;
        return s;
    }
    int64_t upper;
    if (s.scale > 0 && c % s.scale == 0 && !__builtin_mul_overflow(s.lower, c / s.scale, &upper)) {
        if (s.upper == VT_POS_INF || upper == s.upper) {
            s.upper = upper;
            return s;
        }
        if (s.upper % upper == 0) { /* a smaller modulus: the index may become simpler */
            vt_dtype t = s.index->dtype;
            const vt_expr *index =
                vt_bin(rw->ctx, floor ? VT_E_FLOORMOD : VT_E_MOD, s.index, vt_int(rw->ctx, t, upper));
            vt__split updated = vt__split_of_expr(rw->visit(rw, index));
            if (s.lower != 1) updated = split_div(rw, updated, s.lower, floor);
            updated.scale *= s.scale;
            return updated;
        }
        if (upper % s.upper == 0) return s;
    }
    s = vt__split_of_expr(vt__split_write(rw->ctx, s, 1));
    s.floor = floor;
    s.upper = c;
    return s;
}

/* Two parts without a negative value: only then truncating division takes them apart. */
static bool both_nonneg(vt__rewriter *rw, const vt__sum *x, const vt__sum *y) {
    return vt_prove_ge(rw->an, vt__sum_write(rw->ctx, x), 0) && vt_prove_ge(rw->an, vt__sum_write(rw->ctx, y), 0);
}

/* 0 <= e < c is proved? (The lower bound only where it is asked for.) */
static bool fits(vt__rewriter *rw, const vt_expr *e, int64_t c, bool lower_too) {
    return vt__try_compare(rw, e, c) == VT__LT && (!lower_too || vt_prove_ge(rw->an, e, 0));
}

static vt__canon sum_div(vt__rewriter *rw, vt__sum *s, int64_t c, bool floor) {
    vt__sum *whole, *rest;
    vt__sum_separate(rw->ctx, s, c, &whole, &rest);
    if (!is_zero(rest) && !floor && !both_nonneg(rw, whole, rest)) {
        vt__canon all = vt__canon_sum(s);
        return vt__canon_split(split_div(rw, vt__split_of(rw->ctx, &all), c, floor));
    }
    vt__sum_divide(whole, c);
    const vt_expr *e = vt__sum_write(rw->ctx, rest);
    if (e->kind == VT_E_INT)
        whole->base += floor ? vt__floordiv(e->u.i, c) : e->u.i / c;
    else if (!fits(rw, e, c, floor))
        vt__sum_add_split(rw->ctx, whole, split_div(rw, vt__split_of_expr(e), c, floor), 1);
    return vt__canon_sum(whole);
}

/* Is 0 <= c < limit for constant bounds? */
static bool in_range(vt__rewriter *rw, const vt__canon *c, int64_t limit) {
    vt_bound b = vt_const_bound(rw->an, vt__canon_write(rw->ctx, c));
    return b.min >= 0 && b.max < limit;
}

static vt__canon division(vt__rewriter *rw, const vt_expr *e, vt__canon x, vt__canon y) {
    bool floor = e->kind == VT_E_FLOORDIV;
    if (!is_int(&y) || y.e->u.i <= 0) return written(rw, e, &x, &y);
    int64_t c = y.e->u.i;
    if (x.form == VT__CANON_SUM) return sum_div(rw, x.sum, c, floor);
    if (in_range(rw, &x, c)) return number(rw, e->dtype, 0);
    return vt__canon_split(split_div(rw, vt__split_of(rw->ctx, &x), c, floor));
}

static vt__canon sum_trunc_mod(vt__rewriter *rw, vt__sum *s, int64_t c) {
    vt__sum *whole, *rest;
    vt__sum_separate(rw->ctx, s, c, &whole, &rest);
    if (is_zero(rest)) return number(rw, s->type, 0);
    if (both_nonneg(rw, whole, rest)) {
        const vt_expr *e = vt__sum_write(rw->ctx, rest);
        if (e->kind == VT_E_INT) return number(rw, s->type, e->u.i % c);
        if (fits(rw, e, c, false)) return vt__canon_expr(e);
        s = rest;
    }
    /* (x - 5) % 3 is (x - 2) % 3 where x >= 5. */
    vt_bound b = vt_const_bound(rw->an, vt__sum_write(rw->ctx, s));
    int64_t base = s->base % c;
    int64_t least;
    bool fits_in = !__builtin_sub_overflow(b.min, s->base, &least) && !__builtin_add_overflow(least, base, &least);
    if (b.min >= 0 && b.min != VT_POS_INF && fits_in && least >= 0) s->base = base;
    vt__canon all = vt__canon_sum(s);
    return vt__canon_split(split_mod(rw, vt__split_of(rw->ctx, &all), c, false));
}

static vt__canon sum_floor_mod(vt__rewriter *rw, vt__sum *s, int64_t c) {
    vt__sum *whole, *rest;
    vt__sum_separate(rw->ctx, s, c, &whole, &rest);
    const vt_expr *e = vt__sum_write(rw->ctx, rest);
    if (e->kind == VT_E_INT) return number(rw, s->type, vt__floormod(e->u.i, c));
    if (fits(rw, e, c, true)) return vt__canon_expr(e);
    rest->base = vt__floormod(rest->base, c);
    vt__canon all = vt__canon_sum(rest);
    return vt__canon_split(split_mod(rw, vt__split_of(rw->ctx, &all), c, true));
}

static vt__canon modulo(vt__rewriter *rw, const vt_expr *e, vt__canon x, vt__canon y) {
    bool floor = e->kind == VT_E_FLOORMOD;
    if (!is_int(&y) || y.e->u.i <= 0) return written(rw, e, &x, &y);
    int64_t c = y.e->u.i;
    if (x.form == VT__CANON_SUM) return floor ? sum_floor_mod(rw, x.sum, c) : sum_trunc_mod(rw, x.sum, c);
    if (in_range(rw, &x, c)) return x;
    return vt__canon_split(split_mod(rw, vt__split_of(rw->ctx, &x), c, floor));
}

/* Quotients and remainders ask how their operands compare with numbers, which looks at these once more, again and
 * again on each level: results are remembered, by value, since sums are changed in place. */
typedef struct vt__canon_memo {
    const vt_expr *e;
    uint32_t epoch;
    int depth;
    vt__canon c;
} vt__canon_memo;

enum { CANONS = 64 };

static vt__canon copy(vt__rewriter *rw, vt__canon c) {
    if (c.form == VT__CANON_SUM) c.sum = vt__sum_copy(rw->ctx, c.sum);
    return c;
}

static vt__canon_memo *memo_of(vt__rewriter *rw, const vt_expr *e) {
    vt_analyzer *an = rw->an;
    if (!an->canons) an->canons = VT_NEW_ARRAY(an->ctx, vt__canon_memo, CANONS);
    return &an->canons[(e->hash + 31u * (uint32_t)rw->depth) % CANONS];
}

static vt__canon divided(vt__rewriter *rw, const vt_expr *e, vt__canon x, vt__canon y) {
    return e->kind == VT_E_DIV || e->kind == VT_E_FLOORDIV ? division(rw, e, x, y) : modulo(rw, e, x, y);
}

static bool recall(vt__rewriter *rw, const vt_expr *e, vt__canon *out) {
    const vt__canon_memo *m = memo_of(rw, e);
    if (!m->e || m->epoch != rw->an->epoch || m->depth != rw->depth || !vt_expr_equal(m->e, e)) return false;
    *out = copy(rw, m->c);
    return true;
}

static void remember(vt__rewriter *rw, const vt_expr *e, uint32_t epoch, vt__canon c) {
    if (rw->an->epoch == epoch) *memo_of(rw, e) = (vt__canon_memo){e, epoch, rw->depth, copy(rw, c)};
}

static vt__canon mutate(vt__rewriter *rw, const vt_expr *e) {
    bool arithmetic = vt_expr_infos[e->kind].cls == VT_CLASS_ARITH && e->kind != VT_E_MIN && e->kind != VT_E_MAX;
    if (!arithmetic || !vt_dtype_is_index(e->dtype)) return vt__canon_expr(vt__rewrite_node(rw, e));
    bool divides = e->kind >= VT_E_DIV && e->kind <= VT_E_FLOORMOD;
    uint32_t epoch = rw->an->epoch;
    vt__canon result;
    if (divides && recall(rw, e, &result)) return result;
    vt__canon x = mutate(rw, e->a[0]), y = mutate(rw, e->a[1]);
    if (fold(rw, (vt_expr_kind)e->kind, &x, &y, &result)) return result;
    switch (e->kind) {
    case VT_E_ADD: return add(rw, x, y, 1);
    case VT_E_SUB: return add(rw, x, y, -1);
    case VT_E_MUL: return mul(rw, e, x, y);
    default: break;
    }
    result = divided(rw, e, x, y);
    remember(rw, e, epoch, result);
    return result;
}

static const vt_expr *visit(vt__rewriter *rw, const vt_expr *e) {
    vt__canon c = mutate(rw, e);
    const vt_expr *result = vt__canon_write(rw->ctx, &c);
    return vt_expr_equal(result, e) ? e : result;
}

void vt__canonical_init(vt_analyzer *an) {
    an->canonical = (vt__rewriter){.an = an, .ctx = an->ctx, .visit = visit, .vars = vt_varmap_new(an->ctx)};
}

const vt_expr *vt_canonical_simplify(vt_analyzer *an, const vt_expr *e) {
    return an->canonical.visit(&an->canonical, e);
}

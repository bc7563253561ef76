/* For which values of a variable a comparison certainly holds. */
#include "arith/linear.h"
#include "ir/build.h"
#include "ir/visit.h"

typedef enum relation { AT_LEAST, AT_MOST, EQUAL } relation;

/* `e relation bound`, being solved for the variable. */
typedef struct problem {
    vt_ctx *ctx;
    vt_analyzer *an;
    const vt_var *v;
    const vt_expr *e, *bound;
    relation rel;
} problem;

static relation turned(relation r) { return r == EQUAL ? EQUAL : r == AT_LEAST ? AT_MOST : AT_LEAST; }

typedef struct counter {
    const vt_var *v;
    uint32_t n;
} counter;

static bool count(void *user, const vt_expr *e) {
    counter *c = user;
    c->n += e == c->v;
    return true;
}

/* Puts the side with the variable left. */
static bool set_up(problem *p, const vt_expr *c) {
    if (vt_expr_infos[c->kind].cls != VT_CLASS_COMPARE || c->kind == VT_E_NE) return false;
    counter n = {p->v, 0};
    vt_expr_walk(c, count, &n);
    if (n.n != 1) return false;
    bool left = vt_expr_uses(c->a[0], p->v);
    const vt_expr *one = vt_const(p->ctx, c->a[0]->dtype, 1);
    p->e = c->a[!left];
    p->bound = c->a[left];
    bool less = c->kind == VT_E_LT || c->kind == VT_E_LE, strict = c->kind == VT_E_LT || c->kind == VT_E_GT;
    p->rel = c->kind == VT_E_EQ ? EQUAL : less == left ? AT_MOST : AT_LEAST;
    if (strict) p->bound = p->rel == AT_MOST ? vt_sub(p->ctx, p->bound, one) : vt_add(p->ctx, p->bound, one);
    return true;
}

/* Makes it hold for all values of the variables to relax. */
static bool relax(problem *p, const vt_dommap *dom) {
    vt_intset x = vt_eval_set(p->an, p->e, dom), y = vt_eval_set(p->an, p->bound, dom);
    if (x.empty || y.empty || vt_intset_is_everything(x) || vt_intset_is_everything(y)) return false;
    if (p->rel == EQUAL && (!x.min || !x.max || !y.min || !y.max || !vt_prove_equal(p->an, x.min, x.max) ||
                            !vt_prove_equal(p->an, y.min, y.max)))
        return false;
    p->e = p->rel == AT_LEAST ? x.min : x.max;
    p->bound = p->rel == AT_LEAST ? y.max : y.min;
    return p->e && p->bound;
}

/* e = rest * (something with the variable) relation bound. */
static bool divide(problem *p, const vt_expr *factor, const vt_dommap *hint) {
    vt_ctx *ctx = p->ctx;
    if (!vt_dtype_is_uint(factor->dtype)) {
        vt_intset set = vt_eval_set(p->an, factor, hint);
        if (vt_intset_prove_negative(p->an, set))
            p->rel = turned(p->rel);
        else if (!vt_intset_prove_positive(p->an, set))
            return false;
    }
    const vt_expr *zero = vt_const(ctx, p->bound->dtype, 0), *one = vt_const(ctx, p->bound->dtype, 1);
    bool exact = vt_prove(p->an, vt_eq(ctx, vt_floormod(ctx, p->bound, factor), zero));
    p->bound = vt_floordiv(ctx, p->bound, factor);
    if (exact) return true;
    if (p->rel == AT_LEAST) p->bound = vt_add(ctx, p->bound, one);
    return p->rel != EQUAL;
}

/* One step down towards the variable. */
static bool step(problem *p, const vt_dommap *hint) {
    const vt_expr *e = p->e;
    if (e->kind != VT_E_ADD && e->kind != VT_E_SUB && e->kind != VT_E_MUL) return false;
    bool left = vt_expr_uses(e->a[0], p->v);
    if (!left && !vt_expr_uses(e->a[1], p->v)) return false;
    const vt_expr *other = e->a[left];
    p->e = e->a[!left];
    if (e->kind == VT_E_ADD) {
        p->bound = vt_sub(p->ctx, p->bound, other);
    } else if (e->kind == VT_E_MUL) {
        return divide(p, other, hint);
    } else if (left) {
        p->bound = vt_add(p->ctx, p->bound, other);
    } else {
        p->bound = vt_neg(p->ctx, vt_sub(p->ctx, p->bound, other));
        p->rel = turned(p->rel);
    }
    return true;
}

vt_intset vt_deduce_bound(vt_ctx *ctx, const vt_var *v, const vt_expr *condition, const vt_dommap *hint,
                          const vt_dommap *relaxed) {
    problem p = {.ctx = ctx, .an = vt_analyzer_new(ctx), .v = v};
    if (!set_up(&p, condition) || !relax(&p, relaxed)) return vt_intset_nothing();
    while (p.e != v)
        if (!step(&p, hint)) return vt_intset_nothing();
    return vt_intset_interval(p.rel == AT_MOST ? NULL : p.bound, p.rel == AT_LEAST ? NULL : p.bound);
}

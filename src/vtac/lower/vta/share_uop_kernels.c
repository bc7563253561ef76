/* Tiles at the border leave out micro-ops that inner tiles have, by conditions on where the tile is. The runtime
 * records a kernel anew for each value of the variables from outside that it uses, so each tile would have a kernel of
 * its own, though all inner ones are equal. What a condition takes from outside is therefore clipped to the values that
 * make a difference inside:
 *
 *     1 <= y*4 + i + dy, with i + dy in [0, 5]     becomes     t <= i + dy, with t = min(max(1 - y*4, 0), 6)
 *
 * and the kernel is known by the clipped values, packed into one number. */
#include "arith/linear.h"
#include "lower/vta/uop_nest.h"

enum { MAX_KEYS = 32 };

/* A value from outside that a kernel depends on: a loop's variable or a clipped bound; from min on, so many values. */
typedef struct key {
    const vt_var *inside;
    const vt_expr *outside;
    int64_t min, extent;
} key;

typedef struct share {
    vt_mutator m;
    vt_around around; /* loops around the scope */
    vt_around inner;  /* loops inside of it */
    key keys[MAX_KEYS];
    uint32_t n;
    bool failed, clipped;
} share;

static const vt_var *key_of(share *st, const vt_expr *outside, int64_t min, int64_t extent) {
    for (uint32_t i = 0; i < st->n; i++)
        if (vt_expr_equal(st->keys[i].outside, outside)) return st->keys[i].inside;
    if (st->n == MAX_KEYS) {
        st->failed = true;
        return NULL;
    }
    const vt_var *inside = vt_var_new(st->m.ctx, "place", VT_I32);
    st->keys[st->n++] = (key){inside, outside, min, extent};
    return inside;
}

static bool is_outer(void *user, const vt_var *v) { return !vt__around_find(&((share *)user)->inner, v); }

/* difference = what inner loops give, in [*min, *max], + *out_outside; false when it is not of that form. */
static bool split(share *st, const vt_expr *difference, const vt_expr **out_inside, const vt_expr **out_outside,
                  int64_t *min, int64_t *max) {
    vt_ctx *ctx = st->m.ctx;
    const vt_var *vars[VT_UOP_LOOPS];
    const vt_expr *linear[VT_UOP_LOOPS + 1];
    uint32_t n = st->inner.n;
    if (n > VT_UOP_LOOPS) return false;
    for (uint32_t i = 0; i < n; i++) vars[i] = st->inner.loops[i].var;
    if (!vt_detect_linear(ctx, difference, n, vars, linear)) return false;
    *out_inside = vt_int(ctx, difference->dtype, 0);
    *out_outside = linear[n];
    *min = *max = 0;
    for (uint32_t i = 0; i < n; i++) {
        int64_t step, first = st->inner.loops[i].min, last = first + st->inner.loops[i].extent - 1;
        if (!vt_as_const(linear[i], &step)) return false;
        *min += step * (step < 0 ? last : first);
        *max += step * (step < 0 ? first : last);
        *out_inside = vt_add(ctx, *out_inside, vt_mul(ctx, vars[i], linear[i]));
    }
    return *max - *min < INT32_MAX;
}

/* x < y, or x <= y, with what comes from outside clipped. */
static const vt_expr *clip(share *st, const vt_expr *e, const vt_expr *x, const vt_expr *y, bool or_equal) {
    vt_ctx *ctx = st->m.ctx;
    const vt_expr *inside, *outside;
    int64_t min, max;
    if (!vt_dtype_eq(x->dtype, VT_I32) || !split(st, vt_sub(ctx, x, y), &inside, &outside, &min, &max)) return e;
    const vt_expr *bound = vt_sub(ctx, vt_i32(ctx, or_equal), outside); /* inside < bound */
    bound = vt_min(ctx, vt_max(ctx, bound, vt_i32(ctx, min)), vt_i32(ctx, max + 1));
    const vt_var *place = key_of(st, vt_simplify_free(ctx, bound), min, max - min + 2);
    if (!place) return e;
    st->clipped = true;
    return vt_lt(ctx, inside, place);
}

static const vt_expr *share_expr(vt_mutator *m, const vt_expr *e) {
    share *st = (share *)m;
    if (!vt_expr_uses_any(e, is_outer, st)) return e;
    switch (e->kind) {
    case VT_E_LT:
    case VT_E_LE: return clip(st, e, e->a[0], e->a[1], e->kind == VT_E_LE);
    case VT_E_GT:
    case VT_E_GE: return clip(st, e, e->a[1], e->a[0], e->kind == VT_E_GE);
    default: return vt_mutate_expr_children(m, e);
    }
}

static const vt_stmt *share_inside(vt_mutator *m, const vt_stmt *s) {
    share *st = (share *)m;
    if (s->kind == VT_S_IF) {
        const vt_expr *condition = vt_mutate_expr(m, s->u.branch.condition);
        const vt_stmt *other = s->u.branch.else_case;
        return vt_s_if(m->ctx, condition, vt_mutate_stmt(m, s->u.branch.then_case),
                       other ? vt_mutate_stmt(m, other) : NULL);
    }
    if (s->kind == VT_S_EVAL) return s;
    uint32_t depth = st->inner.n;
    if (s->kind == VT_S_FOR) {
        vt__around_enter(m->ctx, &st->inner, s->u.loop.var, s->u.loop.min, s->u.loop.extent);
        st->failed |= st->inner.n == depth; /* its range is not constant */
    }
    s = vt_mutate_stmt_children(m, s);
    st->inner.n = depth;
    return s;
}

/* The loops whose variables the body still uses are keys too. */
static const vt_stmt *key_loops(share *st, const vt_stmt *body) {
    uint32_t n;
    const vt_var *const *vars = vt_stmt_free_vars(st->m.ctx, body, &n);
    for (uint32_t i = 0; i < n && !st->failed; i++) {
        bool done = false;
        for (uint32_t k = 0; k < st->n; k++) done |= st->keys[k].inside == vars[i];
        if (done) continue;
        const struct vt_around_loop *loop = vt__around_find(&st->around, vars[i]);
        const vt_var *inside = loop && vt_dtype_eq(vars[i]->dtype, VT_I32)
                                   ? key_of(st, vars[i], loop->min, loop->extent)
                                   : (st->failed = true, NULL);
        if (inside) body = vt_substitute1_stmt(st->m.ctx, body, vars[i], inside);
    }
    return body;
}

/* number = (k0 - min0) + n0 * ((k1 - min1) + n1 * ...), and back inside of the scope: without a common subexpression,
 * which would be moved out and be a second variable. NULL when it has no room. */
static const vt_stmt *pack(share *st, const vt_stmt *scope, const vt_stmt *body) {
    vt_ctx *ctx = st->m.ctx;
    const vt_var *number = vt_var_new(ctx, "kernel", VT_I32);
    const vt_expr *packed = vt_i32(ctx, 0);
    int64_t total = 1;
    for (uint32_t i = 0; i < st->n; i++) {
        const key *k = &st->keys[i];
        const vt_expr *min = vt_i32(ctx, k->min), *step = vt_i32(ctx, total);
        packed = vt_add(ctx, packed, vt_mul(ctx, vt_sub(ctx, k->outside, min), step));
        if (__builtin_mul_overflow(total, k->extent, &total) || total > INT32_MAX) return NULL;
        const vt_expr *place = vt_floormod(ctx, vt_floordiv(ctx, number, step), vt_i32(ctx, k->extent));
        body = vt_s_let(ctx, k->inside, vt_add(ctx, place, min), body);
    }
    return vt_s_let(ctx, number, packed, vt_stmt_with_body(ctx, scope, body));
}

static const vt_stmt *share_scope(share *st, const vt_stmt *scope) {
    vt_mutator outer = st->m;
    st->m.stmt = share_inside;
    st->m.expr = share_expr;
    st->m.statements_only = false;
    st->inner.n = st->n = 0;
    st->failed = st->clipped = false;
    const vt_stmt *body = vt_mutate_stmt(&st->m, scope->u.attr.body);
    st->m = outer;
    if (!st->clipped || st->failed) return scope;
    body = key_loops(st, body);
    const vt_stmt *shared = st->failed ? NULL : pack(st, scope, body);
    return shared ? shared : scope;
}

static const vt_stmt *share_stmt(vt_mutator *m, const vt_stmt *s) {
    share *st = (share *)m;
    if (vt_attr_is(s, VT_ATTR_UOPS)) return vt_is_text(s->u.attr.value, VT_PUSH_GEMM) ? share_scope(st, s) : s;
    uint32_t depth = st->around.n;
    if (s->kind == VT_S_FOR) vt__around_enter(m->ctx, &st->around, s->u.loop.var, s->u.loop.min, s->u.loop.extent);
    s = vt_mutate_stmt_children(m, s);
    st->around.n = depth;
    return s;
}

const vt_func *vt_pass_share_uop_kernels(vt_lowering *l, const vt_func *f) {
    share st = {.m = {.ctx = l->ctx, .statements_only = true, .stmt = share_stmt}};
    return vt_func_with_body(l->ctx, f, vt_mutate_stmt(&st.m, f->body));
}

/* Splits loops so that boundary checks leave the main part.
 *
 * A check marked likely holds in an interval of the loop variable; the loop is cut into the part before, the interval,
 * where the check goes away, and the part after, and each is looked at again. Loops with constant bounds are left whole
 * unless they are marked (pragma loop_partition_hint), or the options ask for them too: after simplification their
 * checks are cheap. In the end all likely marks go. */
#include "arith/linear.h"
#include "lower/generic/pass.h"
#include "lower/generic/util.h"

typedef struct partitioner {
    vt_mutator m;
    vt_analyzer *a;
    vt_ptrmap *candidates; /* loops to be cut */
    vt_ptrmap *hinted;     /* variables whose loops are marked */
    vt_dommap *hint, *relax;
    bool all; /* loops with constant bounds, too */
} partitioner;

/* ---- Which loops ------------------------------------------------------------------------------------------------ */

typedef struct selector {
    vt_visitor v;
    vt_ctx *ctx;
    partitioner *st;
    vt_ptrmap *used; /* variable of an open loop -> is it in a check: &YES or &NO */
    bool in_likely;
} selector;

static const char YES = 0, NO = 0;

static void select_expr(vt_visitor *v, const vt_expr *e) {
    selector *s = (selector *)v;
    if (e->kind == VT_E_VAR && s->in_likely && vt_ptrmap_get(s->used, e)) vt_ptrmap_set(s->used, e, &YES);
    bool outer = s->in_likely;
    if (vt_is_call(e, VT_OP_LIKELY)) s->in_likely = true;
    vt_visit_expr_children(v, e);
    s->in_likely = outer;
}

static void select_stmt(vt_visitor *v, const vt_stmt *s) {
    selector *sel = (selector *)v;
    if (vt_pragma_is(s, "loop_partition_hint") && s->u.attr.node.kind == VT_REF_ITER)
        vt_ptrmap_set(sel->st->hinted, s->u.attr.node.u.iter->var, s);
    if (s->kind != VT_S_FOR) {
        vt_visit_stmt_children(v, s);
        return;
    }
    bool hinted = vt_ptrmap_has(sel->st->hinted, s->u.loop.var);
    bool constant = !sel->st->all && s->u.loop.min->kind == VT_E_INT && s->u.loop.extent->kind == VT_E_INT;
    if (!constant) vt_ptrmap_set(sel->used, s->u.loop.var, &NO);
    vt_visit_stmt_children(v, s);
    if (hinted || (!constant && vt_ptrmap_get(sel->used, s->u.loop.var) == &YES))
        vt_ptrmap_set(sel->st->candidates, s, s);
    vt_ptrmap_set(sel->used, s->u.loop.var, NULL);
}

/* ---- Where checks hold ------------------------------------------------------------------------------------------ */

typedef struct check {
    const vt_expr *condition;
    bool value; /* that it has in the interval */
    vt_intset interval;
} check;

typedef struct finder {
    vt_visitor v;
    partitioner *st;
    const vt_var *var;
    bool hinted;
    uint32_t n, cap;
    check *checks;
} finder;

static const vt_expr *inverse(vt_ctx *ctx, const vt_expr *c) {
    static const struct {
        vt_expr_kind kind, opposite;
    } pairs[] = {{VT_E_LT, VT_E_GE}, {VT_E_GT, VT_E_LE}, {VT_E_LE, VT_E_GT},
                 {VT_E_GE, VT_E_LT}, {VT_E_EQ, VT_E_NE}, {VT_E_NE, VT_E_EQ}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (pairs[i].kind == (vt_expr_kind)c->kind) return vt_e_bin(ctx, pairs[i].opposite, c->a[0], c->a[1]);
    return NULL;
}

static void add_check(finder *f, const vt_expr *condition, const vt_expr *holds, bool value) {
    vt_ctx *ctx = f->st->m.ctx;
    vt_intset interval = vt_deduce_bound(ctx, f->var, holds, f->st->hint, f->st->relax);
    if (interval.empty) return;
    vt_grow(ctx, &f->checks, &f->cap, f->n + 1, sizeof *f->checks);
    f->checks[f->n++] = (check){condition, value, interval};
}

static void deduce(finder *f, const vt_expr *condition) {
    if (!vt_expr_uses(condition, f->var)) return;
    for (uint32_t i = 0; i < f->n; i++)
        if (f->checks[i].condition == condition) return;
    add_check(f, condition, condition, true);
    const vt_expr *opposite = inverse(f->st->m.ctx, condition);
    if (opposite) add_check(f, condition, opposite, false);
}

static void find_expr(vt_visitor *v, const vt_expr *e) {
    finder *f = (finder *)v;
    if (vt_is_call(e, VT_OP_LIKELY))
        deduce(f, e->a[0]);
    else if (f->hinted && vt_expr_infos[e->kind].cls == VT_CLASS_COMPARE)
        deduce(f, e);
    else
        vt_visit_expr_children(v, e);
}

static bool is_outer(void *user, const vt_var *v) {
    vt_intset set;
    const partitioner *st = user;
    return vt_dommap_get(st->hint, v, &set) || vt_dommap_get(st->relax, v, &set);
}

/* A loop inside of the one that is looked at. False when its bounds depend on that one. */
static bool add_inner(finder *f, const vt_var *var, const vt_expr *min, const vt_expr *extent) {
    vt_ctx *ctx = f->st->m.ctx;
    if (vt_expr_uses_any(min, is_outer, f->st) || vt_expr_uses_any(extent, is_outer, f->st)) return false;
    vt_intset set = vt_intset_interval(min, vt_sub(ctx, vt_add(ctx, min, extent), vt_int(ctx, min->dtype, 1)));
    vt_dommap_set(f->st->hint, var, set);
    vt_dommap_set(f->st->relax, var, set);
    return true;
}

static void find_stmt(vt_visitor *v, const vt_stmt *s) {
    finder *f = (finder *)v;
    if (s->kind == VT_S_FOR && !add_inner(f, s->u.loop.var, s->u.loop.min, s->u.loop.extent)) return;
    if (vt_attr_binds_thread(s)) {
        const vt_var *thread = s->u.attr.node.u.iter->var;
        if (!add_inner(f, thread, vt_int(f->st->m.ctx, thread->dtype, 0), s->u.attr.value)) return;
    }
    vt_visit_stmt_children(v, s);
}

/* ---- Cutting ---------------------------------------------------------------------------------------------------- */

/* The interval in which all the checks that can have `value` somewhere in the loop have it. */
static vt_intset common_interval(partitioner *st, const finder *f, vt_intset loop, bool value, vt_ptrmap *out_checks) {
    vt_intset all = vt_intset_nothing();
    bool any = false;
    for (uint32_t i = 0; i < f->n; i++) {
        if (f->checks[i].value != value) continue;
        vt_intset pair[2] = {f->checks[i].interval, loop};
        if (vt_intset_intersect(st->a, 2, pair).empty) continue;
        pair[1] = all;
        all = any ? vt_intset_intersect(st->a, 2, pair) : f->checks[i].interval;
        any = true;
        vt_ptrmap_set(out_checks, f->checks[i].condition, f->checks[i].condition);
    }
    return all;
}

typedef struct eliminate {
    vt_mutator m;
    const vt_ptrmap *checks;
    bool value;
} eliminate;

static const vt_expr *eliminate_expr(vt_mutator *m, const vt_expr *e) {
    eliminate *el = (eliminate *)m;
    if (vt_ptrmap_has(el->checks, e)) return vt_bool(m->ctx, el->value);
    return vt_mutate_expr_children(m, e);
}

/* The loop over [begin, begin + extent) of the values of the loop that is cut. */
static const vt_stmt *part(partitioner *st, const vt_stmt *loop, const vt_expr *begin, const vt_expr *extent,
                           const vt_stmt *body) {
    vt_ctx *ctx = st->m.ctx;
    const vt_var *v = loop->u.loop.var;
    body = vt_substitute1_stmt(ctx, body, v, vt_add(ctx, v, begin));
    extent = vt_simplify(st->a, extent);
    if (vt_is_const(extent, 1)) return vt_substitute1_stmt(ctx, body, v, vt_int(ctx, v->dtype, 0));
    return vt_loop_with(ctx, loop, v, vt_int(ctx, v->dtype, 0), extent, body);
}

static const vt_stmt *partition_again(partitioner *st, const vt_stmt *s);

/* NULL: the loop stays. */
static const vt_stmt *cut(partitioner *st, const vt_stmt *s) {
    vt_ctx *ctx = st->m.ctx;
    const vt_expr *min = s->u.loop.min, *one = vt_int(ctx, min->dtype, 1);
    const vt_expr *max = vt_sub(ctx, vt_add(ctx, min, s->u.loop.extent), one);
    const vt_stmt *body = s->u.loop.body;
    vt_intset loop = vt_intset_interval(min, max);
    vt_dommap_set(st->hint, s->u.loop.var, loop);
    finder f = {.v = {.expr = find_expr, .stmt = find_stmt},
                .st = st,
                .var = s->u.loop.var,
                .hinted = vt_ptrmap_has(st->hinted, s->u.loop.var)};
    vt_visit_stmt(&f.v, body);
    eliminate el = {.m = {.ctx = ctx, .expr = eliminate_expr}, .value = true};
    vt_ptrmap *checks = vt_ptrmap_new(ctx);
    vt_intset middle = common_interval(st, &f, loop, true, checks);
    if (middle.empty) {
        el.value = false;
        checks = vt_ptrmap_new(ctx);
        middle = common_interval(st, &f, loop, false, checks);
        if (middle.empty) return NULL;
    }
    el.checks = checks;
    const vt_expr *begin = min, *end = vt_add(ctx, max, one);
    const vt_stmt *pre = NULL, *mid = NULL, *post = NULL;
    bool again_pre = true, again_post = true;
    if (middle.min) {
        begin = vt_simplify(st->a, middle.min);
        if (!vt_prove_equal(st->a, begin, min)) {
            again_pre = vt_prove(st->a, vt_ge(ctx, vt_sub(ctx, begin, min), vt_int(ctx, min->dtype, 0)));
            if (!again_pre) begin = vt_max(ctx, begin, min);
            /* The middle may lie behind the loop: the part before ends where the loop does. */
            if (!vt_prove(st->a, vt_le(ctx, begin, end))) begin = vt_min(ctx, begin, end), again_pre = false;
            pre = part(st, s, min, vt_sub(ctx, begin, min), body);
        }
    }
    if (middle.max) {
        end = vt_simplify(st->a, vt_add(ctx, middle.max, one));
        if (!vt_prove_equal(st->a, middle.max, max)) {
            const vt_expr *rest = vt_add(ctx, vt_sub(ctx, max, end), one);
            again_post = vt_prove(st->a, vt_ge(ctx, rest, vt_int(ctx, rest->dtype, 0)));
            if (!again_post) end = vt_min(ctx, end, vt_add(ctx, max, one));
            /* With symbolic bounds the middle may be of negative length: the rest begins where it does even so. */
            if (!vt_prove(st->a, vt_ge(ctx, end, begin))) end = vt_max(ctx, end, begin);
            post = part(st, s, end, vt_add(ctx, vt_sub(ctx, max, end), one), body);
        }
    }
    if (!vt_prove(st->a, vt_ge(ctx, begin, end)))
        mid = part(st, s, begin, vt_sub(ctx, end, begin), vt_mutate_stmt(&el.m, body));
    if (mid && (pre || post)) {
        mid = partition_again(st, mid);
        if (pre && again_pre) pre = partition_again(st, pre);
        if (post && again_post) post = partition_again(st, post);
    }
    const vt_stmt *parts[3];
    uint32_t n = 0;
    if (pre) parts[n++] = pre;
    if (mid) parts[n++] = mid;
    if (post) parts[n++] = post;
    return n ? vt_s_seq(ctx, n, parts) : vt_s_nop(ctx);
}

static const vt_stmt *partition_stmt(vt_mutator *m, const vt_stmt *s) {
    partitioner *st = (partitioner *)m;
    if (s->kind != VT_S_FOR) return vt_mutate_stmt_children(m, s);
    vt_poll(m->ctx);
    if (vt_ptrmap_has(st->candidates, s)) {
        const vt_stmt *out = cut(st, s);
        if (out) return out;
    }
    vt_dommap_set_range(st->hint, s->u.loop.var, (vt_range){s->u.loop.min, s->u.loop.extent});
    return vt_mutate_stmt_children(m, s);
}

static const vt_stmt *partition_again(partitioner *st, const vt_stmt *s) {
    selector sel = {
        .v = {.expr = select_expr, .stmt = select_stmt}, .ctx = st->m.ctx, .st = st, .used = vt_ptrmap_new(st->m.ctx)};
    vt_visit_stmt(&sel.v, s);
    return vt_mutate_stmt(&st->m, s);
}

static const vt_expr *drop_likely(void *user, const vt_expr *e) {
    (void)user;
    return vt_is_call(e, VT_OP_LIKELY) ? e->a[0] : e;
}

static const vt_stmt *drop_hint(void *user, const vt_stmt *s) {
    (void)user;
    return vt_pragma_is(s, "loop_partition_hint") ? s->u.attr.body : s;
}

const vt_func *vt_pass_loop_partition(vt_lowering *l, const vt_func *f) {
    vt_ctx *ctx = l->ctx;
    partitioner st = {.m = {.ctx = ctx, .statements_only = true, .stmt = partition_stmt},
                      .a = vt_analyzer_new(ctx),
                      .candidates = vt_ptrmap_new(ctx),
                      .hinted = vt_ptrmap_new(ctx),
                      .hint = vt_dommap_new(ctx),
                      .relax = vt_dommap_new(ctx),
                      .all = l->partition_const};
    const vt_stmt *body = partition_again(&st, f->body);
    if (body != f->body) body = vt_convert_ssa(ctx, body);
    return vt_func_with_body(ctx, f, vt_stmt_rewrite(ctx, body, drop_likely, drop_hint, NULL));
}

/* Full tiles and tails: what a split that does not divide its axis leaves.
 *
 * Such a split guards its innermost statement by a condition marked likely. A transfer, an ALU nest and a micro-kernel
 * have no conditions; so each loop is cut where the conditions inside of it change: a part in which they all hold for
 * every step, and tails of one step, whose number is then a constant, so that the loops inside are cut by what is left
 * of their conditions, and so on inwards. Virtual threads are cut as loops are: those with equal work stay threads, the
 * others run alone; but first a loop inside is cut such that all threads have work in most of its steps. What a loop's
 * stages need of the stages computed inside of it is less in a tail: the region that is realized shrinks to what its
 * readers read, which is a condition on the statements that write it, and those are cut in their turn. So the buffers
 * stay dense, and every tile has transfers and kernels of its own size.
 *
 * A function without such conditions is left as it is. */
#include <string.h>

#include "arith/linear.h"

#include "ir/print.h"
#include "target/vta/uses.h"
#include "target/vta/vta.h"

typedef struct splitter {
    vt_ctx *ctx;
    vt_lowering *l;
    vt_analyzer *a;    /* knows the ranges of the loops around */
    bool threaded;     /* inside of virtual threads */
    bool accelerated;  /* inside of loops marked for the accelerator */
    uint32_t n_copies; /* of loop bodies, made so far */
} splitter;

/* Copies of one loop's body, and of all bodies in a function; steps of a loop looked at one by one. */
enum { MOST_ALONE = 64, MOST_COPIES = 4096, MOST_STEPS = 4096 };

static const vt_stmt *split(splitter *st, const vt_stmt *s);

/* ---- Conditions ------------------------------------------------------------------------------------------------- */

/* The condition of an IF that a split left, as an expression that is below zero where it holds; NULL: another IF. */
static const vt_expr *slack(vt_ctx *ctx, const vt_stmt *s) {
    if (s->kind != VT_S_IF || s->u.branch.else_case || !vt_is_call(s->u.branch.condition, VT_OP_LIKELY)) return NULL;
    const vt_expr *c = s->u.branch.condition->a[0];
    if (vt_expr_infos[c->kind].cls != VT_CLASS_COMPARE || c->a[0]->dtype.code != VT_INT) return NULL;
    const vt_expr *x = c->a[0], *y = c->a[1], *one = vt_int(ctx, x->dtype, 1);
    switch (c->kind) {
    case VT_E_LT: return vt_sub(ctx, x, y);
    case VT_E_LE: return vt_sub(ctx, vt_sub(ctx, x, y), one);
    case VT_E_GT: return vt_sub(ctx, y, x);
    case VT_E_GE: return vt_sub(ctx, vt_sub(ctx, y, x), one);
    default: return NULL;
    }
}

static bool is_marked(const vt_stmt *s) { return vt_pragma_is(s, "dma_copy") || vt_pragma_is(s, "alu"); }

static bool find_accelerator(void *user, const vt_stmt *s) {
    bool *found = user;
    *found |= is_marked(s) || vt_attr_is(s, VT_ATTR_TASK);
    return !*found;
}

static bool holds_accelerator(const vt_stmt *s) {
    bool found = false;
    vt_stmt_walk(s, NULL, find_accelerator, &found);
    return found;
}

/* ---- Where to cut ----------------------------------------------------------------------------------------------- */

/* A loop or the threads of an attribute: `var` runs over [0, extent). */
typedef struct loop {
    const vt_stmt *s;
    const vt_var *var;
    int64_t extent;
    const vt_stmt *body;
} loop;

typedef struct finder {
    vt_visitor v;
    splitter *st;
    const loop *l; /* NULL: only asks whether there are open conditions that use `var` (any, if that is NULL too) */
    const vt_var *var;
    const vt_stmt *open;   /* the first condition that is not decided */
    uint32_t depth;        /* loops marked for the accelerator that are open */
    vt_stmt_list realized; /* the regions that are open */
    int64_t *points;       /* steps of the loop at which something changes */
    uint32_t n, cap;
    const vt_expr **conditions; /* that use the loop's variable, below zero where they hold */
    uint32_t n_conditions, cap_conditions;
} finder;

static void add_point(finder *f, int64_t at) {
    if (at <= 0 || at >= f->l->extent) return;
    vt_grow(f->st->ctx, &f->points, &f->cap, f->n + 1, sizeof *f->points);
    uint32_t i = f->n;
    while (i > 0 && f->points[i - 1] > at) i--;
    if (i > 0 && f->points[i - 1] == at) return;
    memmove(f->points + i + 1, f->points + i, (f->n - i) * sizeof *f->points);
    f->points[i] = at;
    f->n++;
}

static int64_t floor_div(int64_t x, int64_t y) { return x / y - (x % y != 0 && (x < 0) != (y < 0)); }

typedef enum verdict { HOLDS, FAILS, OPEN } verdict;

static verdict judge(splitter *st, const vt_expr *e) {
    vt_bound b = vt_const_bound(st->a, vt_simplify(st->a, e));
    return b.max < 0 ? HOLDS : b.min >= 0 ? FAILS : OPEN;
}

/* Of a fused loop, for example: each step by itself. */
static void add_changes_by_step(finder *f, const vt_expr *e) {
    vt_dtype t = f->l->var->dtype;
    verdict before = OPEN;
    for (int64_t i = 0; i < f->l->extent && i < MOST_STEPS; i++) {
        vt_poll(f->st->ctx);
        verdict v = judge(f->st, vt_substitute1(f->st->ctx, e, f->l->var, vt_int(f->st->ctx, t, i)));
        if (v != before || v == OPEN) add_point(f, i);
        before = v;
    }
}

/* coeff * var + rest < 0: where it begins or ceases to hold for the largest and for the smallest rest. */
static void add_changes(finder *f, const vt_expr *e) {
    splitter *st = f->st;
    const vt_expr *linear[2];
    if (!vt_expr_uses(e, f->l->var)) return;
    vt_grow(st->ctx, &f->conditions, &f->cap_conditions, f->n_conditions + 1, sizeof *f->conditions);
    f->conditions[f->n_conditions++] = e;
    if (!vt_detect_linear(st->ctx, e, 1, &f->l->var, linear) || linear[0]->kind != VT_E_INT) {
        add_changes_by_step(f, e);
        return;
    }
    int64_t coeff = linear[0]->u.i;
    vt_bound rest = vt_const_bound(st->a, vt_simplify(st->a, linear[1]));
    if (coeff == 0 || rest.min == VT_NEG_INF || rest.max == VT_POS_INF) return;
    const int64_t ends[] = {rest.min, rest.max};
    for (int i = 0; i < 2; i++)
        add_point(f, coeff > 0 ? floor_div(-1 - ends[i], coeff) + 1 : floor_div(ends[i], -coeff) + 1);
}

static bool writes_realized(const finder *f, const vt_stmt *s) {
    for (uint32_t i = 0; i < f->realized.n; i++)
        if (vt__writes(f->st->ctx, s, f->realized.items[i]->u.realize.tensor)) return true;
    return false;
}

static void find_condition(finder *f, const vt_stmt *s, const vt_expr *e) {
    splitter *st = f->st;
    if (!f->depth && !holds_accelerator(s)) return;
    if (f->l) {
        add_changes(f, vt_simplify(st->a, e));
        return;
    }
    if (f->open || (f->var && !vt_expr_uses(e, f->var))) return;
    if (judge(st, e) != HOLDS) f->open = s;
}

static void find_stmt(vt_visitor *v, const vt_stmt *s) {
    finder *f = (finder *)v;
    vt_analyzer *a = f->st->a;
    const vt_expr *e = slack(f->st->ctx, s);
    /* A stage computed inside follows those that read it. */
    if (e && f->l && writes_realized(f, s)) return;
    if (e) find_condition(f, s, e);
    if (s->kind == VT_S_FOR) vt_analyzer_bind_range(a, s->u.loop.var, s->u.loop.min, s->u.loop.extent, true);
    if (vt_attr_binds_thread(s))
        vt_analyzer_bind_range(a, s->u.attr.node.u.iter->var, vt_int(f->st->ctx, s->u.attr.value->dtype, 0),
                               s->u.attr.value, true);
    uint32_t n = f->realized.n, depth = f->depth;
    if (s->kind == VT_S_REALIZE) vt_stmt_list_add(f->st->ctx, &f->realized, s);
    if (is_marked(s)) f->depth++;
    vt_visit_stmt_children(v, s);
    f->realized.n = n;
    f->depth = depth;
}

static void no_expr(vt_visitor *v, const vt_expr *e) {
    (void)v;
    (void)e;
}

static finder look(splitter *st, const vt_stmt *s, const loop *l, const vt_var *var) {
    finder f = {.v = {.expr = no_expr, .stmt = find_stmt}, .st = st, .l = l, .var = var, .depth = st->accelerated};
    vt_visit_stmt(&f.v, s);
    return f;
}

/* ---- Cutting ---------------------------------------------------------------------------------------------------- */

/* The steps [begin, begin + count) of the loop: the same loop from 0 over a body that adds `begin`. */
static const vt_stmt *part(splitter *st, const loop *l, int64_t begin, int64_t count) {
    vt_ctx *ctx = st->ctx;
    vt_dtype t = l->var->dtype;
    const vt_expr *first = vt_int(ctx, t, begin), *extent = vt_int(ctx, t, count);
    st->n_copies++;
    if (count == 1) return split(st, vt_substitute1_stmt(ctx, l->body, l->var, first));
    const vt_var *var = l->s->kind == VT_S_FOR ? l->var : vt_var_copy(ctx, l->var, "");
    vt_analyzer_bind_range(st->a, var, vt_int(ctx, t, 0), extent, true);
    const vt_stmt *body = l->body;
    bool outer = st->threaded;
    if (l->s->kind != VT_S_FOR) st->threaded = true;
    if (begin > 0 || var != l->var) body = vt_substitute1_stmt(ctx, body, l->var, vt_add(ctx, var, first));
    body = split(st, body);
    st->threaded = outer;
    if (vt_stmt_is_nop(body)) return body;
    if (l->s->kind == VT_S_FOR) return vt_loop_with(ctx, l->s, var, vt_int(ctx, t, 0), extent, body);
    const vt_iter *old = l->s->u.attr.node.u.iter;
    const vt_iter *iter = vt_iter_new(ctx, var, NULL, NULL, old->type, old->thread_tag);
    return vt_s_attr(ctx, vt_ref_iter(iter), l->s->u.attr.key, extent, body);
}

/* Threads that run alone, after others, may use the memory of those. */
static const vt_stmt *as_phase(const splitter *st, const loop *l, const vt_stmt *s) {
    if (l->s->kind == VT_S_FOR || st->threaded || vt_stmt_is_nop(s)) return s;
    return vt_s_attr(st->ctx, vt_ref_none(), VT_ATTR_PHASE, vt_i32(st->ctx, 1), s);
}

/* The same; step by step where conditions depend on the step even so. */
static void add_part(splitter *st, const loop *l, int64_t begin, int64_t count, vt_stmt_list *out) {
    const vt_stmt *s = part(st, l, begin, count);
    const vt_var *var = s->kind == VT_S_FOR                 ? s->u.loop.var
                        : s->kind == VT_S_ATTR && count > 1 ? s->u.attr.node.u.iter->var
                                                            : NULL;
    bool alone = count > 1 && count <= MOST_ALONE && st->n_copies < MOST_COPIES && var && look(st, s, NULL, var).open;
    if (!alone && !vt_stmt_is_nop(s)) vt_stmt_list_add(st->ctx, out, as_phase(st, l, s));
    for (int64_t i = 0; alone && i < count; i++) {
        s = part(st, l, begin + i, 1);
        if (!vt_stmt_is_nop(s)) vt_stmt_list_add(st->ctx, out, as_phase(st, l, s));
    }
}

static const vt_stmt *sequence(splitter *st, const vt_stmt_list *list) {
    return list->n ? vt_s_seq(st->ctx, list->n, list->items) : vt_s_nop(st->ctx);
}

/* ---- Threads ---------------------------------------------------------------------------------------------------- */

/* The first `count` steps of the loop over `var` have work for every thread. */
typedef struct shared {
    const vt_var *var;
    int64_t extent, count;
} shared;

typedef struct loop_search {
    const vt_var *var;
    const vt_stmt *found;
} loop_search;

static bool find_loop(void *user, const vt_stmt *s) {
    loop_search *f = user;
    if (s->kind == VT_S_FOR && s->u.loop.var == f->var) f->found = s;
    return !f->found;
}

/* Below zero where a condition holds: takes the loop inside of the threads that moves it furthest. */
static bool shared_steps(splitter *st, const loop *threads, const vt_expr *e, shared *out) {
    uint32_t n;
    const vt_var *const *vars = vt_expr_free_vars(st->ctx, e, &n);
    const vt_expr *linear[2], *rest = NULL;
    int64_t coeff = 0;
    *out = (shared){.var = NULL};
    for (uint32_t i = 0; i < n; i++) {
        loop_search f = {.var = vars[i]};
        vt_stmt_walk(threads->body, NULL, find_loop, &f);
        if (!f.found || !vt_is_const(f.found->u.loop.min, 0) || f.found->u.loop.extent->kind != VT_E_INT) continue;
        if (!vt_detect_linear(st->ctx, e, 1, &vars[i], linear) || linear[0]->kind != VT_E_INT) return false;
        if (linear[0]->u.i <= coeff) continue;
        coeff = linear[0]->u.i;
        rest = linear[1];
        *out = (shared){vars[i], f.found->u.loop.extent->u.i, 0};
    }
    if (!out->var) return false;
    vt_bound b = vt_const_bound(st->a, vt_simplify(st->a, rest));
    if (b.max == VT_POS_INF) return false;
    out->count = floor_div(-1 - b.max, coeff) + 1;
    return out->count < out->extent && 2 * out->count >= out->extent;
}

typedef struct stepper {
    vt_mutator m;
    const vt_var *var;
    int64_t begin, count;
} stepper;

static const vt_stmt *step_stmt(vt_mutator *m, const vt_stmt *s) {
    stepper *st = (stepper *)m;
    if (s->kind != VT_S_FOR || s->u.loop.var != st->var) return vt_mutate_stmt_children(m, s);
    vt_dtype t = st->var->dtype;
    const vt_expr *first = vt_int(m->ctx, t, st->begin);
    if (st->count == 1) return vt_substitute1_stmt(m->ctx, s->u.loop.body, st->var, first);
    const vt_stmt *body = s->u.loop.body;
    if (st->begin > 0) body = vt_substitute1_stmt(m->ctx, body, st->var, vt_add(m->ctx, st->var, first));
    return vt_loop_with(m->ctx, s, st->var, s->u.loop.min, vt_int(m->ctx, t, st->count), body);
}

/* The body with some steps only of one of its loops. */
static const vt_stmt *with_steps(splitter *st, const vt_stmt *body, const vt_var *var, int64_t begin, int64_t count) {
    stepper m = {
        .m = {.ctx = st->ctx, .statements_only = true, .stmt = step_stmt}, .var = var, .begin = begin, .count = count};
    return vt_mutate_stmt(&m.m, body);
}

static const vt_stmt *split_loop(splitter *st, const loop *l);

/* NULL: the threads are to be cut as they are. */
static const vt_stmt *split_shared(splitter *st, const loop *l, const finder *f) {
    for (uint32_t i = 0; i < f->n_conditions && st->n_copies < MOST_COPIES; i++) {
        shared s;
        if (!shared_steps(st, l, f->conditions[i], &s)) continue;
        loop most = *l, rest = *l;
        most.body = with_steps(st, l->body, s.var, 0, s.count);
        rest.body = with_steps(st, l->body, s.var, s.count, s.extent - s.count);
        st->n_copies += 2;
        const vt_stmt *both[] = {split_loop(st, &most), split_loop(st, &rest)};
        vt_stmt_list out = {0};
        for (int k = 0; k < 2; k++)
            if (!vt_stmt_is_nop(both[k])) vt_stmt_list_add(st->ctx, &out, both[k]);
        return sequence(st, &out);
    }
    return NULL;
}

static const vt_stmt *split_loop(splitter *st, const loop *l) {
    vt_dtype t = l->var->dtype;
    vt_analyzer_bind_range(st->a, l->var, vt_int(st->ctx, t, 0), vt_int(st->ctx, t, l->extent), true);
    finder f = look(st, l->body, l, NULL);
    const vt_stmt *whole = f.n && l->s->kind == VT_S_ATTR ? split_shared(st, l, &f) : NULL;
    if (whole) return whole;
    vt_stmt_list out = {0};
    for (uint32_t i = 0; i <= f.n; i++) {
        int64_t begin = i ? f.points[i - 1] : 0, end = i < f.n ? f.points[i] : l->extent;
        add_part(st, l, begin, end - begin, &out);
    }
    return sequence(st, &out);
}

/* ---- What is realized ------------------------------------------------------------------------------------------- */

typedef struct demand {
    splitter *st;
    const vt_stmt *s;    /* the REALIZE */
    bool any, unknown;   /* read at all; at places that cannot be told */
    int64_t *low, *high; /* of each dimension, from the region's begin */
} demand;

static void add_read(void *user, const vt_use *use) {
    demand *d = user;
    splitter *st = d->st;
    if (!use->reads || use->tensor != d->s->u.realize.tensor) return;
    for (uint32_t i = 0; i < use->n; i++) {
        const vt_expr *from = vt_sub(st->ctx, use->region[i].min, d->s->u.realize.bounds[i].min);
        vt_bound begin = vt_const_bound(st->a, vt_simplify(st->a, from));
        int64_t extent;
        if (begin.min == VT_NEG_INF || begin.max == VT_POS_INF || !vt_as_const(use->region[i].extent, &extent)) {
            d->unknown = true;
            return;
        }
        if (!d->any || begin.min < d->low[i]) d->low[i] = begin.min;
        if (!d->any || begin.max + extent - 1 > d->high[i]) d->high[i] = begin.max + extent - 1;
    }
    d->any = true;
}

/* Dimensions from here on are inside of an element, which is computed and moved whole. */
static uint32_t element_dims(splitter *st, const vt_stmt *s) {
    vta_memory memory;
    uint32_t n = s->u.realize.n_bounds;
    if (!vt__memory_of(s->u.realize.scope, &memory)) return 0;
    int64_t scalars = vt__elem_scalars(vt__config(st->l), memory), extent;
    for (; n > 0 && scalars > 1 && vt_as_const(s->u.realize.bounds[n - 1].extent, &extent); n--)
        scalars = extent > 0 ? scalars / extent : 0;
    return n;
}

/* The smaller region; NULL: it is not smaller. */
static const vt_range *smaller(splitter *st, const vt_stmt *s, const demand *d) {
    vt_ctx *ctx = st->ctx;
    uint32_t n = s->u.realize.n_bounds, dims = element_dims(st, s);
    vt_range *bounds = VT_NEW_ARRAY(ctx, vt_range, n + 1);
    bool any = false;
    memcpy(bounds, s->u.realize.bounds, n * sizeof *bounds);
    for (uint32_t i = 0; i < dims && d->any && !d->unknown; i++) {
        int64_t extent, low = d->low[i] > 0 ? d->low[i] : 0;
        if (!vt_as_const(bounds[i].extent, &extent)) continue;
        int64_t high = d->high[i] < extent - 1 ? d->high[i] : extent - 1;
        if (high < low || (low == 0 && high == extent - 1)) continue;
        vt_dtype t = bounds[i].min->dtype;
        bounds[i].min = vt_simplify(st->a, vt_add(ctx, bounds[i].min, vt_int(ctx, t, low)));
        bounds[i].extent = vt_int(ctx, bounds[i].extent->dtype, high - low + 1);
        any = true;
    }
    return any ? bounds : NULL;
}

/* Conditions around the statements that write a region. */
typedef struct guard {
    splitter *st;
    const vt_stmt *s;       /* the REALIZE with its region now */
    const vt_range *before; /* the region that it had */
    vt_ptrmap *at;          /* statement -> itself with its conditions */
} guard;

static void add_guard(void *user, const vt_use *use) {
    guard *g = user;
    vt_ctx *ctx = g->st->ctx;
    if (!use->writes || use->tensor != g->s->u.realize.tensor) return;
    const vt_stmt *body = vt_ptrmap_get(g->at, use->at);
    if (!body) body = use->at;
    for (uint32_t i = use->n; i-- > 0;) {
        const vt_range *r = &g->s->u.realize.bounds[i], *u = &use->region[i];
        if (r->min == g->before[i].min && r->extent == g->before[i].extent) continue;
        const vt_expr *begin = vt_sub(ctx, u->min, r->min);
        const vt_expr *last = vt_sub(ctx, vt_add(ctx, begin, u->extent), vt_int(ctx, u->min->dtype, 1));
        body = vt_s_if(ctx, vt_likely(ctx, vt_lt(ctx, last, r->extent)), body, NULL);
        body = vt_s_if(ctx, vt_likely(ctx, vt_ge(ctx, begin, vt_int(ctx, begin->dtype, 0))), body, NULL);
    }
    vt_ptrmap_set(g->at, use->at, body);
}

typedef struct guarder {
    vt_mutator m;
    const vt_ptrmap *at;
} guarder;

static const vt_stmt *guard_stmt(vt_mutator *m, const vt_stmt *s) {
    const vt_stmt *with = vt_ptrmap_get(((guarder *)m)->at, s);
    return with ? with : vt_mutate_stmt_children(m, s);
}

static const vt_stmt *guarded(splitter *st, const vt_stmt *realize, const vt_range *before, const vt_stmt *writer) {
    guard g = {st, realize, before, vt_ptrmap_new(st->ctx)};
    vt__uses(st->ctx, writer, NULL, add_guard, &g);
    guarder m = {.m = {.ctx = st->ctx, .statements_only = true, .stmt = guard_stmt}, .at = g.at};
    return vt_mutate_stmt(&m.m, writer);
}

/* Those that read come first: what they read decides what those that write compute. */
static const vt_stmt *split_realize(splitter *st, const vt_stmt *s) {
    vt_ctx *ctx = st->ctx;
    vt_memory_info info;
    const vt_stmt *body = s->u.realize.body;
    const vt_tensor *t = s->u.realize.tensor;
    if (!vt_memory_of_scope(st->l, s->u.realize.scope, &info)) return vt_stmt_with_body(ctx, s, split(st, body));
    uint32_t n = body->kind == VT_S_SEQ ? body->u.seq.n_items : 1;
    const vt_stmt *const *items = body->kind == VT_S_SEQ ? body->u.seq.items : &body;
    const vt_stmt **out = VT_NEW_ARRAY(ctx, const vt_stmt *, n);
    bool *writes = VT_NEW_ARRAY(ctx, bool, n);
    demand d = {.st = st, .s = s};
    d.low = VT_NEW_ARRAY(ctx, int64_t, s->u.realize.n_bounds + 1);
    d.high = VT_NEW_ARRAY(ctx, int64_t, s->u.realize.n_bounds + 1);
    for (uint32_t i = 0; i < n; i++) {
        writes[i] = vt__writes(ctx, items[i], t);
        if (writes[i]) continue;
        out[i] = split(st, items[i]);
        vt__uses(ctx, out[i], st->a, add_read, &d);
    }
    const vt_range *bounds = smaller(st, s, &d);
    vt_stmt copy = *s;
    if (bounds) copy.u.realize.bounds = bounds;
    vt_stmt_list list = {0};
    for (uint32_t i = 0; i < n; i++) {
        if (writes[i] && !d.any && !d.unknown) continue; /* nothing reads it any more */
        if (writes[i]) out[i] = split(st, bounds ? guarded(st, &copy, s->u.realize.bounds, items[i]) : items[i]);
        if (!vt_stmt_is_nop(out[i])) vt_stmt_list_add(ctx, &list, out[i]);
    }
    copy.u.realize.body = sequence(st, &list);
    return d.any || d.unknown ? vt_s_new(ctx, &copy) : copy.u.realize.body;
}

/* ---- Statements ------------------------------------------------------------------------------------------------- */

static const vt_stmt *split_if(splitter *st, const vt_stmt *s) {
    const vt_expr *e = slack(st->ctx, s);
    if (!e) {
        const vt_stmt *then_case = split(st, s->u.branch.then_case), *else_case = s->u.branch.else_case;
        return vt_s_if(st->ctx, s->u.branch.condition, then_case, else_case ? split(st, else_case) : NULL);
    }
    verdict v = judge(st, e);
    if (v == FAILS) return vt_s_nop(st->ctx);
    const vt_stmt *body = split(st, s->u.branch.then_case);
    return v == HOLDS || vt_stmt_is_nop(body) ? body : vt_s_if(st->ctx, s->u.branch.condition, body, NULL);
}

/* A mark goes to each of the nests that the marked one became. */
static const vt_stmt *mark(splitter *st, const vt_stmt *attr, const vt_stmt *body) {
    vt_ctx *ctx = st->ctx;
    const vt_stmt *inner = body;
    while (inner->kind == VT_S_FOR) inner = inner->u.loop.body;
    if (inner->kind != VT_S_SEQ) return vt_stmt_with_body(ctx, attr, body);
    if (body->kind == VT_S_FOR) return vt_stmt_with_body(ctx, body, mark(st, attr, body->u.loop.body));
    const vt_stmt **items = VT_NEW_ARRAY(ctx, const vt_stmt *, body->u.seq.n_items);
    for (uint32_t i = 0; i < body->u.seq.n_items; i++) items[i] = mark(st, attr, body->u.seq.items[i]);
    return vt_s_seq(ctx, body->u.seq.n_items, items);
}

static const vt_stmt *split_attr(splitter *st, const vt_stmt *s) {
    loop l = {.s = s, .body = s->u.attr.body};
    if (vt_attr_is(s, VT_ATTR_VIRTUAL_THREAD) && vt_as_const(s->u.attr.value, &l.extent) && l.extent > 0) {
        l.var = s->u.attr.node.u.iter->var;
        return split_loop(st, &l);
    }
    if (vt_attr_is(s, VT_ATTR_BIND_BUFFER)) return s;
    bool outer = st->accelerated;
    st->accelerated |= is_marked(s);
    const vt_stmt *body = split(st, s->u.attr.body);
    st->accelerated = outer;
    if (vt_stmt_is_nop(body)) return body;
    return is_marked(s) ? mark(st, s, body) : vt_stmt_with_body(st->ctx, s, body);
}

static const vt_stmt *split_seq(splitter *st, const vt_stmt *s) {
    vt_stmt_list list = {0};
    for (uint32_t i = 0; i < s->u.seq.n_items; i++) {
        const vt_stmt *item = split(st, s->u.seq.items[i]);
        if (!vt_stmt_is_nop(item)) vt_stmt_list_add(st->ctx, &list, item);
    }
    return sequence(st, &list);
}

static const vt_stmt *split_for(splitter *st, const vt_stmt *s) {
    loop l = {.s = s, .var = s->u.loop.var, .body = s->u.loop.body};
    if (vt_is_const(s->u.loop.min, 0) && vt_as_const(s->u.loop.extent, &l.extent) && l.extent > 0)
        return split_loop(st, &l);
    vt_analyzer_bind_range(st->a, l.var, s->u.loop.min, s->u.loop.extent, true);
    return vt_stmt_with_body(st->ctx, s, split(st, l.body));
}

static const vt_stmt *split(splitter *st, const vt_stmt *s) {
    vt_poll(st->ctx);
    switch (s->kind) {
    case VT_S_FOR: return split_for(st, s);
    case VT_S_ATTR: return split_attr(st, s);
    case VT_S_IF: return split_if(st, s);
    case VT_S_SEQ: return split_seq(st, s);
    case VT_S_REALIZE: return split_realize(st, s);
    default: return s;
    }
}

/* ---- What cannot be cut ----------------------------------------------------------------------------------------- */

static void first_written(void *user, const vt_use *use) {
    const vt_tensor **t = user;
    if (use->writes && !*t) *t = use->tensor;
}

/* The split is told by the condition: the loop that moves furthest is the outer one, and so far is the factor. */
static _Noreturn void refuse(splitter *st, const vt_stmt *open) {
    vt_ctx *ctx = st->ctx;
    const vt_expr *condition = open->u.branch.condition->a[0], *e = vt_simplify(st->a, slack(ctx, open));
    uint32_t n;
    const vt_var *const *vars = vt_expr_free_vars(ctx, e, &n), *outer = NULL;
    int64_t factor = 0;
    for (uint32_t i = 0; i < n; i++) {
        const vt_expr *linear[2];
        if (!vt_detect_linear(ctx, e, 1, &vars[i], linear) || linear[0]->kind != VT_E_INT) continue;
        if (outer && linear[0]->u.i <= factor) continue;
        outer = vars[i];
        factor = linear[0]->u.i;
    }
    const vt_tensor *t = NULL;
    vt__uses(ctx, open, NULL, first_written, &t);
    const char *axis = outer ? vt_new_string(ctx, vt_var_name(outer)) : "", *dot = strchr(axis, '.');
    if (dot) axis = vt_new_stringn(ctx, axis, (size_t)(dot - axis));
    vt_raise(
        ctx, VTA_ILLEGAL,
        "%s%s of %s: %s does not divide it, and no tail can be cut off: whether %s holds is not decided by the steps "
        "of its loops, or there are too many tails; choose a factor that divides the axis",
        outer ? "axis " : "an axis", axis, t ? t->name : "a stage",
        factor > 1 ? vt_new_format(ctx, "the split by %lld", (long long)factor) : "a split",
        vt_expr_plain(ctx, condition));
}

/* ---- The pass --------------------------------------------------------------------------------------------------- */

const vt_func *vt_pass_split_tails(vt_lowering *l, const vt_func *f) {
    vt_ctx *ctx = l->ctx;
    splitter st = {.ctx = ctx, .l = l, .a = vt_analyzer_new(ctx)};
    if (!look(&st, f->body, NULL, NULL).open) return f;
    vt__vta(l)->tails = true;
    const vt_stmt *body = split(&st, f->body);
    const vt_stmt *open = look(&st, body, NULL, NULL).open;
    if (open) refuse(&st, open);
    return vt_func_with_body(ctx, f, vt_convert_ssa(ctx, body));
}

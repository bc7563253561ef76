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
#include "lower/vta/slide_rows.h"
#include "lower/vta/tails.h"

/* Copies of one loop's body, and of all bodies in a function. */
enum { MOST_ALONE = 64, MAX_COPIES = 4096 };

/* ---- Cutting ---------------------------------------------------------------------------------------------------- */

/* The steps [begin, begin + count) of the loop: the same loop from 0 over a body that adds `begin`. */
static const vt_stmt *part(splitter *st, const loop *l, int64_t begin, int64_t count) {
    vt_ctx *ctx = st->ctx;
    vt_dtype t = l->var->dtype;
    const vt_expr *first = vt_int(ctx, t, begin), *extent = vt_int(ctx, t, count);
    st->n_copies++;
    if (count == 1) return vt__tails_split(st, vt_substitute1_stmt(ctx, l->body, l->var, first));
    const vt_var *var = l->s->kind == VT_S_FOR ? l->var : vt_var_copy(ctx, l->var, "");
    vt_analyzer_bind_range(st->a, var, vt_int(ctx, t, 0), extent, true);
    const vt_stmt *body = l->body;
    bool outer = st->threaded;
    if (l->s->kind != VT_S_FOR) st->threaded = true;
    if (begin > 0 || var != l->var) body = vt_substitute1_stmt(ctx, body, l->var, vt_add(ctx, var, first));
    body = vt__tails_split(st, body);
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
    bool alone =
        count > 1 && count <= MOST_ALONE && st->n_copies < MAX_COPIES && var && vt__tails_look(st, s, NULL, var).open;
    if (!alone && !vt_stmt_is_nop(s)) vt_stmt_list_add(st->ctx, out, as_phase(st, l, s));
    for (int64_t i = 0; alone && i < count; i++) {
        s = part(st, l, begin + i, 1);
        if (!vt_stmt_is_nop(s)) vt_stmt_list_add(st->ctx, out, as_phase(st, l, s));
    }
}

const vt_stmt *vt__tails_sequence(splitter *st, const vt_stmt_list *list) {
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
    out->count = vt__tails_floor_div(-1 - b.max, coeff) + 1;
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
    for (uint32_t i = 0; i < f->n_conditions && st->n_copies < MAX_COPIES; i++) {
        shared s;
        if (!shared_steps(st, l, vt_simplify(st->a, f->conditions[i]), &s)) continue;
        loop most = *l, rest = *l;
        most.body = with_steps(st, l->body, s.var, 0, s.count);
        rest.body = with_steps(st, l->body, s.var, s.count, s.extent - s.count);
        st->n_copies += 2;
        const vt_stmt *both[] = {split_loop(st, &most), split_loop(st, &rest)};
        vt_stmt_list out = {0};
        for (int k = 0; k < 2; k++)
            if (!vt_stmt_is_nop(both[k])) vt_stmt_list_add(st->ctx, &out, both[k]);
        return vt__tails_sequence(st, &out);
    }
    return NULL;
}

static const vt_stmt *split_loop(splitter *st, const loop *l) {
    vt_dtype t = l->var->dtype;
    vt_analyzer_bind_range(st->a, l->var, vt_int(st->ctx, t, 0), vt_int(st->ctx, t, l->extent), true);
    finder f = vt__tails_look(st, l->body, l, NULL);
    const vt_stmt *whole = f.n && l->s->kind == VT_S_ATTR ? split_shared(st, l, &f) : NULL;
    if (whole) return whole;
    vt_stmt_list out = {0};
    for (uint32_t i = 0; i <= f.n; i++) {
        int64_t begin = i ? f.points[i - 1] : 0, end = i < f.n ? f.points[i] : l->extent;
        add_part(st, l, begin, end - begin, &out);
    }
    return vt__tails_sequence(st, &out);
}

/* ---- Statements ------------------------------------------------------------------------------------------------- */

static const vt_stmt *split_if(splitter *st, const vt_stmt *s) {
    const vt_expr *e = vt__tails_slack(st, s);
    if (!e) {
        const vt_stmt *then_case = vt__tails_split(st, s->u.branch.then_case), *else_case = s->u.branch.else_case;
        return vt_s_if(st->ctx, s->u.branch.condition, then_case, else_case ? vt__tails_split(st, else_case) : NULL);
    }
    verdict v = vt__tails_judge(st, e);
    if (v == FAILS) return vt_s_nop(st->ctx);
    const vt_stmt *body = vt__tails_split(st, s->u.branch.then_case);
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
    if (vt__keeps_rows(s)) { /* written and read in different steps: it stays as large as it is */
        const vt_stmt *realize = s->u.attr.body;
        const vt_stmt *steps = vt__tails_split(st, realize->u.realize.body);
        return vt_stmt_with_body(st->ctx, s, vt_stmt_with_body(st->ctx, realize, steps));
    }
    bool outer = st->accelerated;
    st->accelerated |= vt__tails_is_marked(s);
    const vt_stmt *body = vt__tails_split(st, s->u.attr.body);
    st->accelerated = outer;
    if (vt_stmt_is_nop(body)) return body;
    return vt__tails_is_marked(s) ? mark(st, s, body) : vt_stmt_with_body(st->ctx, s, body);
}

static const vt_stmt *split_seq(splitter *st, const vt_stmt *s) {
    vt_stmt_list list = {0};
    for (uint32_t i = 0; i < s->u.seq.n_items; i++) {
        const vt_stmt *item = vt__tails_split(st, s->u.seq.items[i]);
        if (!vt_stmt_is_nop(item)) vt_stmt_list_add(st->ctx, &list, item);
    }
    return vt__tails_sequence(st, &list);
}

static const vt_stmt *split_for(splitter *st, const vt_stmt *s) {
    loop l = {.s = s, .var = s->u.loop.var, .body = s->u.loop.body};
    if (vt_is_const(s->u.loop.min, 0) && vt_as_const(s->u.loop.extent, &l.extent) && l.extent > 0)
        return split_loop(st, &l);
    vt_analyzer_bind_range(st->a, l.var, s->u.loop.min, s->u.loop.extent, true);
    return vt_stmt_with_body(st->ctx, s, vt__tails_split(st, l.body));
}

const vt_stmt *vt__tails_split(splitter *st, const vt_stmt *s) {
    vt_poll(st->ctx);
    switch (s->kind) {
    case VT_S_FOR: return split_for(st, s);
    case VT_S_ATTR: return split_attr(st, s);
    case VT_S_IF: return split_if(st, s);
    case VT_S_SEQ: return split_seq(st, s);
    case VT_S_REALIZE: return vt__tails_split_realize(st, s);
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
    const vt_expr *condition = open->u.branch.condition->a[0], *e = vt_simplify(st->a, vt__tails_slack(st, open));
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
    vt__uses(ctx, open, NULL, NULL, first_written, &t);
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
    splitter st = {.ctx = ctx, .l = l, .a = vt_analyzer_new(ctx), .slacks = vt_ptrmap_new(ctx)};
    if (!vt__tails_look(&st, f->body, NULL, NULL).open) return f;
    vt__vta(l)->tails = true;
    const vt_stmt *body = vt__tails_split(&st, f->body);
    const vt_stmt *open = vt__tails_look(&st, body, NULL, NULL).open;
    if (open) refuse(&st, open);
    return vt_func_with_body(ctx, f, vt_convert_ssa(ctx, body));
}

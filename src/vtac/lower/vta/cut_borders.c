/* A GEMM kernel that leaves out micro-ops by conditions, at the borders of an image, is cut into kernels without
 * conditions, each a box of two hardware loops.
 *
 *     for i, j, dy, dx, co: if (1 <= i + dy && i + dy < 8 && 1 <= j + dx && j + dx < 8) push
 *
 * With i and j in hardware, each (dy, dx) has the box of the i and j for which its conditions hold. Those whose boxes
 * have equal sizes are micro-ops of one kernel, each with the corner of its own box for its place:
 *
 *     for i in 0..6, for j in 0..7: for co: push (dy = 0, dx = 1, from row 1);  push (dy = 2, dx = 1, from row 0)
 *
 * So there are a few instructions, of few micro-ops, and nothing is multiplied by padding. Of all pairs of loops that
 * can be the hardware's, the pair is taken that costs the fewest cycles of instructions and of loading micro-ops, and
 * that never writes an accumulator twice within three micro-ops. Of one or two accumulators each micro-op is an
 * instruction.
 *
 * Equal kernels become one statement, loops and all; tir.vta.FoldUopLoop gives the loops that it leaves variables of
 * their own. */
#include <string.h>

#include "arith/analyzer.h"
#include "arith/linear.h"
#include "lower/vta/border_boxes.h"
#include "lower/vta/same_scopes.h"

/* ---- Reading ----------------------------------------------------------------------------------------------------- */

/* Coefficients of the nest's loops and the rest; false when it is not such a sum of constants. */
static bool read_linear(vt_ctx *ctx, const vt_border_nest *k, const vt_expr *e, int64_t *times, int64_t *constant) {
    const vt_var *vars[VT_UOP_LOOPS];
    const vt_expr *linear[VT_UOP_LOOPS + 1];
    for (uint32_t i = 0; i < k->n; i++) vars[i] = k->loops[i]->u.loop.var;
    if (!vt_detect_linear(ctx, e, k->n, vars, linear) || !vt_as_const(linear[k->n], constant)) return false;
    for (uint32_t i = 0; i < k->n; i++)
        if (!vt_as_const(linear[i], &times[i])) return false;
    return true;
}

static bool read_condition(vt_ctx *ctx, vt_border_nest *k, const vt_expr *e) {
    if (e->kind == VT_E_AND) return read_condition(ctx, k, e->a[0]) && read_condition(ctx, k, e->a[1]);
    if (vt_is_call(e, VT_OP_LIKELY)) return read_condition(ctx, k, e->a[0]);
    if (vt_is_const(e, 1)) return true;
    bool less = e->kind == VT_E_LT || e->kind == VT_E_LE, strict = e->kind == VT_E_LT || e->kind == VT_E_GT;
    if ((!less && e->kind != VT_E_GT && e->kind != VT_E_GE) || k->n_conditions == VT_BORDER_CONDITIONS) return false;
    vt_border_condition *c = &k->conditions[k->n_conditions++];
    const vt_expr *difference = less ? vt_sub(ctx, e->a[1], e->a[0]) : vt_sub(ctx, e->a[0], e->a[1]);
    if (!read_linear(ctx, k, difference, c->times, &c->constant)) return false;
    c->constant -= strict;
    return true;
}

/* The loops, conditions and push of a kernel; false when it is anything else. */
static bool read_nest(vt_ctx *ctx, const vt_stmt *s, vt_border_nest *k) {
    int64_t rest;
    const vt_stmt *conditions[VT_BORDER_CONDITIONS];
    uint32_t n = 0;
    *k = (vt_border_nest){.n = 0};
    for (;;) {
        if (s->kind == VT_S_FOR) {
            if (k->n == VT_UOP_LOOPS || !vt_is_const(s->u.loop.min, 0) ||
                !vt_as_const(s->u.loop.extent, &k->extents[k->n]))
                return false;
            k->loops[k->n++] = s;
            s = s->u.loop.body;
        } else if (s->kind == VT_S_IF && !s->u.branch.else_case && n < VT_BORDER_CONDITIONS) {
            conditions[n++] = s;
            s = s->u.branch.then_case;
        } else {
            break;
        }
    }
    if (!n || !vt__is_uop_push(s)) return false;
    k->push = s;
    k->extents[k->n] = 1;
    for (uint32_t i = 0; i < n; i++)
        if (!read_condition(ctx, k, conditions[i]->u.branch.condition)) return false;
    return read_linear(ctx, k, s->u.eval.value->a[VT_UOP(dst_index)], k->dst, &rest);
}

/* ---- Writing ----------------------------------------------------------------------------------------------------- */

/* Indices of a box are sums of constants where its loops have become some: as such they need no definitions outside of
 * the kernel, which would have to be moved into each of its places again. */
static const vt_stmt *with_sums(vt_ctx *ctx, const vt_stmt *push) {
    const vt_expr *a[VT_OPERANDS(VTAUopPush) - 1];
    memcpy(a, push->u.eval.value->a, sizeof a);
    for (int i = VT_UOP(dst_index); i <= VT_UOP(wgt_index); i++) a[i] = vt_simplify_free(ctx, a[i]);
    return vt_s_eval(ctx, vt_e_with(ctx, push->u.eval.value, a));
}

static const vt_stmt *write_box(vt_ctx *ctx, const vt_border_nest *k, const vt_border_plan *p, const vt_border_box *b) {
    vt_varmap *map = vt_varmap_new(ctx);
    uint32_t loops[VT_UOP_LOOPS], n = vt__border_free_loops(k, p, loops);
    for (uint32_t i = 0; i < k->n; i++) {
        const vt_var *v = k->loops[i]->u.loop.var;
        if (p->tap[i]) vt_varmap_set(map, v, vt_int(ctx, v->dtype, b->at[i]));
    }
    for (int h = 0; h < 2; h++) {
        if (!b->low[h]) continue;
        const vt_var *v = k->loops[p->hardware[h]]->u.loop.var;
        vt_varmap_set(map, v, vt_add(ctx, v, vt_int(ctx, v->dtype, b->low[h])));
    }
    const vt_stmt *s = with_sums(ctx, vt_substitute_stmt(ctx, k->push, map));
    for (uint32_t i = n; i-- > 0;) s = vt_stmt_with_body(ctx, k->loops[loops[i]], s);
    return s;
}

static const vt_stmt *write_group(vt_ctx *ctx, const vt_stmt *scope, const vt_border_nest *k, const vt_border_plan *p,
                                  uint32_t begin, uint32_t end) {
    vt_stmt_list list = {0};
    for (uint32_t i = begin; i < end; i++) vt_stmt_list_add(ctx, &list, write_box(ctx, k, p, &p->boxes[i]));
    const vt_stmt *s = vt_s_seq(ctx, list.n, list.items);
    for (int h = 1; h >= 0; h--) {
        if (p->hardware[h] == k->n) continue;
        const vt_stmt *loop = k->loops[p->hardware[h]];
        const vt_expr *size = vt_int(ctx, loop->u.loop.var->dtype, p->boxes[begin].size[h]);
        s = vt_loop_with(ctx, loop, loop->u.loop.var, loop->u.loop.min, size, s);
    }
    return vt_stmt_with_body(ctx, scope, s);
}

/* A nest and how it was cut; steps have few different ones. */
typedef struct known {
    vt_border_nest k;
    vt_border_plan p;
    bool cut;
} known;

typedef struct cutter {
    vt_mutator m;
    vt_lowering *l;
    known *known;
    uint32_t n, cap;
    vt_border_finding *finding; /* made at the first use */
    vt_scopes *scopes;
} cutter;

/* The same extents, conditions and moves of the accumulator: the same plan. */
static bool same_nest(const vt_border_nest *x, const vt_border_nest *y) {
    return x->n == y->n && x->n_conditions == y->n_conditions && !memcmp(x->extents, y->extents, sizeof x->extents) &&
           !memcmp(x->dst, y->dst, sizeof x->dst) &&
           !memcmp(x->conditions, y->conditions, x->n_conditions * sizeof x->conditions[0]);
}

static const known *plan_of(cutter *c, const vt_border_nest *k) {
    for (uint32_t i = 0; i < c->n; i++)
        if (same_nest(&c->known[i].k, k)) return &c->known[i];
    vt_grow(c->m.ctx, &c->known, &c->cap, c->n + 1, sizeof *c->known);
    known *made = &c->known[c->n++];
    *made = (known){.k = *k};
    if (!c->finding) c->finding = VT_NEW(c->m.ctx, vt_border_finding);
    made->cut = vt__choose_border_plan(c->m.ctx, vt__config(c->l), c->finding, k, &made->p);
    return made;
}

/* One nest of a kernel, as a kernel of its own. */
static const vt_stmt *cut(cutter *c, const vt_stmt *s, const vt_stmt *body) {
    vt_ctx *ctx = c->m.ctx;
    vt_border_nest k;
    const known *is = read_nest(ctx, body, &k) ? plan_of(c, &k) : NULL;
    if (!is || !is->cut) return vt_stmt_with_body(ctx, s, body);
    const vt_border_plan p = is->p;
    vt_stmt_list list = {0};
    for (uint32_t begin = 0, end; begin < p.n_boxes; begin = end) {
        end = vt__border_group_end(&p, begin);
        vt_stmt_list_add(ctx, &list, write_group(ctx, s, &k, &p, begin, end));
    }
    return vt_s_seq(ctx, list.n, list.items);
}

static const vt_stmt *cut_scope(cutter *c, const vt_stmt *s) {
    vt_ctx *ctx = c->m.ctx;
    const vt_stmt *body = s->u.attr.body;
    vt_border_nest k;
    bool several = body->kind == VT_S_SEQ;
    for (uint32_t i = 0; several && i < body->u.seq.n_items; i++) several = read_nest(ctx, body->u.seq.items[i], &k);
    if (!several) return cut(c, s, body);
    vt_stmt_list list = {0};
    for (uint32_t i = 0; i < body->u.seq.n_items; i++) vt_stmt_list_add(ctx, &list, cut(c, s, body->u.seq.items[i]));
    return vt_s_seq(ctx, list.n, list.items);
}

static const vt_stmt *cut_stmt(vt_mutator *m, const vt_stmt *s) {
    cutter *c = (cutter *)m;
    if (!vt_attr_is(s, VT_ATTR_UOPS)) return vt_mutate_stmt_children(m, s);
    const vt_stmt *made = vt__scopes_find(c->scopes, s);
    if (made) return made;
    made = cut_scope(c, s);
    vt__scopes_add(c->scopes, s, made);
    return made;
}

const vt_func *vt_pass_cut_borders(vt_lowering *l, const vt_func *f) {
    if (!vt__vta(l)->slots) return f;
    cutter c = {
        .m = {.ctx = l->ctx, .statements_only = true, .stmt = cut_stmt}, .l = l, .scopes = vt__scopes_new(l->ctx)};
    return vt_func_with_body(l->ctx, f, vt_mutate_stmt(&c.m, f->body));
}

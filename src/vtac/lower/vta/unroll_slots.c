/* Loops marked `slots` are written out, each step by itself.
 *
 * A step and what is computed within it take turns with their neighbours: the buffers of a step are in one of N places,
 * N being the mark's value, so that a step's loads, or its stores, go on while others compute. Which place it is, and
 * the tokens between steps, are found by vta.PlaceSlots, for which every step is marked; loops around a marked one are
 * written out too, and so is a marked loop's position a constant wherever it is used. Within them, a loop marked
 * `sliding` is over rows that the step before may have computed (slide_rows.c). */
#include "arith/analyzer.h"

#include "lower/vta/slide_rows.h"

enum { MAX_STEPS = 4096 };

typedef struct unroller {
    vt_mutator m;
    vt_analyzer *a; /* that knows nothing: of what becomes constant */
    uint32_t steps; /* written so far */
    bool late_uops;
} unroller;

static bool find_mark(void *user, const vt_stmt *s) {
    bool *found = user;
    *found |= vt_pragma_is(s, "slots");
    return !*found;
}

static bool holds_mark(const vt_stmt *s) {
    bool found = false;
    vt_stmt_walk(s, NULL, find_mark, &found);
    return found;
}

static int64_t extent_of(unroller *st, const vt_stmt *loop) {
    int64_t extent;
    if (!vt_is_const(loop->u.loop.min, 0) || !vt_as_const(loop->u.loop.extent, &extent))
        vt_raise(st->m.ctx, VTA_ILLEGAL, "slots: the loop %s has no constant number of steps",
                 vt_var_name(loop->u.loop.var));
    if (extent > MAX_STEPS || st->steps + extent > MAX_STEPS)
        vt_raise(st->m.ctx, VTA_ILLEGAL, "slots: more than %d steps would be written out; make larger tiles",
                 MAX_STEPS);
    return extent;
}

/* One step; marked with its loop and the number of places when it is a step of a marked loop. */
static const vt_stmt *step(unroller *st, const vt_stmt *mark, const vt_stmt *body) {
    st->steps++;
    body = vt_mutate_stmt(&st->m, body);
    if (!mark) return body;
    return vt_s_attr(st->m.ctx, mark->u.attr.node, VT_ATTR_STEP, mark->u.attr.value, body);
}

/* The loop's variable becomes a constant; choices that it decides are made. */
typedef struct fixer {
    vt_mutator m;
    vt_analyzer *a;
    const vt_var *var;
    const vt_expr *value;
} fixer;

/* Of constants alone: extents must be seen to be constant. */
static const vt_expr *fold(vt_mutator *m, const vt_expr *before) {
    const vt_expr *e = vt_mutate_expr_children(m, before);
    bool constant = e != before && vt_expr_infos[e->kind].cls == VT_CLASS_ARITH;
    for (int i = 0; constant && i < 2; i++) constant = e->a[i]->kind == VT_E_INT;
    const vt_expr *folded = constant ? vt_try_fold(m->ctx, (vt_expr_kind)e->kind, e->a[0], e->a[1]) : NULL;
    return folded ? folded : e;
}

static const vt_expr *fix_expr(vt_mutator *m, const vt_expr *e) {
    const fixer *f = (const fixer *)m;
    if (e == f->var) return f->value;
    if (!vt_is_call(e, VT_OP_IF_THEN_ELSE)) return fold(m, e);
    int64_t holds;
    const vt_expr *condition = vt_mutate_expr(m, e->a[0]);
    if (condition != e->a[0]) condition = vt_simplify(f->a, condition);
    if (vt_as_const(condition, &holds)) return vt_mutate_expr(m, e->a[holds ? 1 : 2]);
    const vt_expr *all[] = {condition, vt_mutate_expr(m, e->a[1]), vt_mutate_expr(m, e->a[2])};
    return vt_e_with(m->ctx, e, all);
}

static const vt_stmt *fix(const unroller *st, const vt_stmt *s, const vt_var *v, const vt_expr *value) {
    fixer f = {.m = {.ctx = st->m.ctx, .expr = fix_expr}, .a = st->a, .var = v, .value = value};
    return vt_mutate_stmt(&f.m, s);
}

static const vt_stmt *write_out(unroller *st, const vt_stmt *mark, const vt_stmt *loop) {
    vt_ctx *ctx = st->m.ctx;
    int64_t extent = extent_of(st, loop);
    const vt_stmt **steps = VT_NEW_ARRAY(ctx, const vt_stmt *, (size_t)extent + 1);
    bool sliding = mark && vt_pragma_is(mark, "sliding");
    for (int64_t i = 0; i < extent; i++) {
        vt_poll(ctx);
        const vt_expr *at = vt_int(ctx, loop->u.loop.var->dtype, i);
        steps[i] = step(st, sliding ? NULL : mark, fix(st, loop->u.loop.body, loop->u.loop.var, at));
        if (sliding) steps[i] = vt__mark_row(ctx, mark, i, steps[i]);
    }
    return mark && !sliding ? vt__slide_rows(ctx, (uint32_t)extent, steps) : vt_s_seq(ctx, (uint32_t)extent, steps);
}

static void check_places(unroller *st, const vt_stmt *mark) {
    int64_t places;
    if (vt_as_const(mark->u.attr.value, &places) && places >= 1 && places <= 64) return;
    vt_raise(st->m.ctx, VTA_ILLEGAL, "slots of %s: a number of places is from 1 to 64",
             vt_var_name(mark->u.attr.node.u.iter->var));
}

static const vt_stmt *unroll_stmt(vt_mutator *m, const vt_stmt *s) {
    unroller *st = (unroller *)m;
    if (vt_pragma_is(s, "slots")) {
        const vt_stmt *body = s->u.attr.body;
        check_places(st, s);
        if (body->kind == VT_S_FOR) return write_out(st, s, body);
        const vt_stmt *only = step(st, s, body);
        return vt__slide_rows(m->ctx, 1, &only);
    }
    if (vt_pragma_is(s, "sliding")) {
        const vt_stmt *body = s->u.attr.body;
        return body->kind == VT_S_FOR ? write_out(st, s, body) : vt__mark_row(m->ctx, s, 0, step(st, NULL, body));
    }
    if (s->kind == VT_S_FOR && holds_mark(s->u.loop.body)) return write_out(st, NULL, s);
    if (vt_attr_is(s, VT_ATTR_VIRTUAL_THREAD) && holds_mark(s))
        vt_raise(m->ctx, VTA_ILLEGAL, "slots inside of virtual threads: use one or the other");
    return vt_mutate_stmt_children(m, s);
}

/* Rows that nothing has slid: no loop of steps is around theirs. */
static bool find_row(void *user, const vt_stmt *s) {
    const vt_stmt **found = user;
    if (vt_attr_is(s, VT_ATTR_ROW) || vt_pragma_is(s, "sliding")) *found = s;
    return !*found;
}

static const vt_func *check_rows(vt_ctx *ctx, const vt_func *f) {
    const vt_stmt *row = NULL;
    vt_stmt_walk(f->body, NULL, find_row, &row);
    if (row)
        vt_raise(ctx, VTA_ILLEGAL, "sliding of %s: there is no loop marked `slots` around the stage",
                 vt_var_name(row->u.attr.node.u.iter->var));
    return f;
}

static bool find_late_uops(void *user, const vt_stmt *s) {
    bool *found = user;
    *found |= vt_pragma_is(s, "late_uops");
    return !*found;
}

/* Nothing is written out. */
static const vt_func *check_unmarked(vt_ctx *ctx, const vt_func *f) {
    bool late = false;
    vt_stmt_walk(f->body, NULL, find_late_uops, &late);
    if (late) vt_raise(ctx, VTA_ILLEGAL, "late_uops: no loop of the kernel is marked `slots`");
    return check_rows(ctx, f);
}

/* Of the whole kernel: the mark is taken off. */
static const vt_stmt *take_late_uops(vt_mutator *m, const vt_stmt *s) {
    unroller *st = (unroller *)m;
    if (!vt_pragma_is(s, "late_uops")) return vt_mutate_stmt_children(m, s);
    st->late_uops = true;
    return vt_mutate_stmt(m, s->u.attr.body);
}

const vt_func *vt_pass_unroll_slots(vt_lowering *l, const vt_func *f) {
    if (!holds_mark(f->body)) return check_unmarked(l->ctx, f);
    unroller st = {.m = {.ctx = l->ctx, .statements_only = true, .stmt = take_late_uops}, .a = vt_analyzer_new(l->ctx)};
    const vt_stmt *body = vt_mutate_stmt(&st.m, f->body);
    st.m.stmt = unroll_stmt;
    vt__vta(l)->slots = true;
    vt__vta(l)->late_uops = st.late_uops;
    body = vt_convert_ssa(l->ctx, vt_mutate_stmt(&st.m, body));
    return check_rows(l->ctx, vt_func_with_body(l->ctx, f, body));
}

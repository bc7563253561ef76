/* Plans the dependence tokens between the tasks of the three stages.
 *
 * Tasks run in program order within a stage, and stages run at once; where control passes from a task of one stage to
 * a task of another, the first must push a token and the second pop it. Walking the program as the instruction stream
 * will run, each statement has the stages it may begin and end in, and the tokens it pops at its begin and pushes at
 * its end. Between neighbours whatever is missing is added. A loop's end meets its own begin: the token that it pushes
 * for the next round needs a first push before the loop (a primer) and a last pop after it (a drain); these are added
 * where the loop meets its neighbours, or the ends of the program. At the very end the program waits for everything.
 *
 * A loop whose rounds begin with a load and store at their end, where nothing is loaded that was stored, need not wait
 * for its stores before it loads again: what is loaded takes the place of what was computed with, and what is computed
 * that of what was stored. So each has a token of its own from one round to the next.
 *
 * There are no tokens between load and store: where control passes from one to the other, the token goes by way of
 * compute, which pops it and pushes another.
 *
 * What virtual threads do is copied for each of them, tokens too. So the tokens inside of a virtual thread's scope are
 * matched inside of it; its neighbours push before all threads begin and pop after the last has ended, once.
 *
 * A condition may leave out its tasks. What is before it is ordered with what is after it all the same: by the tokens
 * around the condition, where one stage both begins and ends it, else by tokens that are passed on instead of the
 * tasks.
 *
 * Work of the host that reads what a task before it stored, or writes what one uses, waits for everything first;
 * tokens do not pass such a place. */
#include "lower/vta/coproc.h"

/* ---- Walking ---------------------------------------------------------------------------------------------------- */

static bool is_pipeline(const planner *st) {
    return !st->rereads && !st->round.other && st->round.compute_first && st->first.enter.items[0] == VTA_STAGE_LOAD &&
           st->last.leave.items[0] == VTA_STAGE_STORE;
}

/* A token from the end of `from` to the begin of `to` in the next round. */
static void pass_on(planner *st, state *loop, const vt_stmt *from, const vt_stmt *to, token x) {
    vt__coproc_insert(st, st->after, from, VT_OP_VTA_COPROC_DEP_PUSH, x);
    vt__coproc_insert(st, st->before, to, VT_OP_VTA_COPROC_DEP_POP, x);
    vt__coproc_add_token(st, &loop->pushes, x);
    vt__coproc_add_token(st, &loop->pops, x);
}

static void plan_rounds(planner *st, state *loop) {
    if (is_pipeline(st)) {
        pass_on(st, loop, st->round.compute_last, st->first.node, (token){VTA_STAGE_COMPUTE, VTA_STAGE_LOAD});
        pass_on(st, loop, st->last.node, st->round.compute_first, (token){VTA_STAGE_STORE, VTA_STAGE_COMPUTE});
    } else {
        vt__coproc_order(st, &st->last, &st->first, &loop->pushes, &loop->pops);
    }
    loop->enter = st->first.enter;
    loop->leave = st->last.leave;
}

static void plan_loop(planner *st, const vt_stmt *s) {
    state first = st->first, last = st->last, loop = {.node = s};
    round outer = st->round;
    st->first.node = st->last.node = NULL;
    st->round = (round){.other = false};
    st->depth++;
    vt_visit_stmt(&st->v, s->u.loop.body);
    st->depth--;
    bool any = st->last.node != NULL;
    if (any) plan_rounds(st, &loop);
    st->first = first;
    st->last = last;
    st->round = outer;
    if (any) vt__coproc_append(st, &loop, false);
}

static void plan_threads(planner *st, const vt_stmt *s) {
    vt__coproc_plan_before_threads(st, s);
    state first = st->first, last = st->last, threads = {.node = s};
    stages entry = st->entry;
    st->first = st->last = (state){.node = NULL};
    st->entry.n = 0;
    vt_visit_stmt(&st->v, s->u.attr.body);
    vt__coproc_close_ends(st);
    threads.enter = st->entry.n ? st->entry : st->first.enter;
    threads.leave = st->last.leave;
    st->first = first;
    st->last = last;
    st->entry = entry;
    vt__coproc_append(st, &threads, false);
}

static bool have_common(const stages *x, const stages *y) {
    for (uint32_t i = 0; i < x->n; i++)
        for (uint32_t k = 0; k < y->n; k++)
            if (x->items[i] == y->items[k]) return true;
    return false;
}

/* A case of a condition that has no task: hands on from where the other begins to where it ends. */
static void hand_on(planner *st, const vt_stmt *condition, const vt_stmt *without, const state *other) {
    if (have_common(&other->enter, &other->leave)) return;
    token x = {other->enter.items[0], other->leave.items[0]}, last = vt__coproc_last_leg(x),
          legs[] = {{x.from, last.from}, last};
    for (int i = last.from == x.from; i < 2; i++) {
        vt_ptrmap *where = without ? st->after : st->otherwise;
        vt__coproc_insert(st, where, without ? without : condition, VT_OP_VTA_COPROC_DEP_PUSH, legs[i]);
        vt__coproc_insert(st, where, without ? without : condition, VT_OP_VTA_COPROC_DEP_POP, legs[i]);
    }
}

static void plan_if(planner *st, const vt_stmt *s) {
    state first = st->first, last = st->last, both = {.node = NULL};
    const vt_stmt *cases[] = {s->u.branch.then_case, s->u.branch.else_case};
    bool has_tasks[2] = {false, false};
    for (int i = 0; i < 2 && cases[i]; i++) {
        st->first = st->last = (state){.node = NULL};
        st->depth++;
        vt_visit_stmt(&st->v, cases[i]);
        st->depth--;
        if (!st->last.node) continue;
        both.node = s;
        has_tasks[i] = true;
        vt__coproc_close_ends(st);
        vt__coproc_add_stages(st, &both.enter, &st->first.enter);
        vt__coproc_add_stages(st, &both.leave, &st->last.leave);
    }
    for (int i = 0; both.node && i < 2; i++)
        if (!has_tasks[i]) hand_on(st, s, cases[i], &both);
    st->first = first;
    st->last = last;
    if (both.node) vt__coproc_append(st, &both, false);
}

static void plan_stmt(vt_visitor *v, const vt_stmt *s) {
    planner *st = (planner *)v;
    if (!vt_ptrmap_has(st->with_tasks, s)) {
        if (s->kind != VT_S_EVAL) vt__coproc_plan_processor(st, s);
    } else if (s->kind == VT_S_FOR) {
        plan_loop(st, s);
    } else if (s->kind == VT_S_IF) {
        plan_if(st, s);
    } else if (vt_attr_is(s, VT_ATTR_VIRTUAL_THREAD)) {
        plan_threads(st, s);
    } else if (vt_attr_is(s, VT_ATTR_TASK) && s->u.attr.node.u.iter == st->axis) {
        if (s->u.attr.value->kind != VT_E_INT)
            vt_raise(st->l->ctx, VTA_ILLEGAL, "the stage of a task is not a constant");
        state task = {.node = s->u.attr.body};
        vt__coproc_add_stage(st, &task.enter, (int)s->u.attr.value->u.i);
        vt__coproc_add_stage(st, &task.leave, (int)s->u.attr.value->u.i);
        vt__coproc_append(st, &task, true);
        vt__coproc_note_done(st, s);
    } else {
        vt_visit_stmt_children(v, s);
    }
}

/* ---- Inserting -------------------------------------------------------------------------------------------------- */

typedef struct inserter {
    vt_mutator m;
    const planner *plan;
} inserter;

static const vt_stmt *insert_stmt(vt_mutator *m, const vt_stmt *s) {
    const planner *plan = ((inserter *)m)->plan;
    const vt_stmt_list *before = vt_ptrmap_get(plan->before, s), *after = vt_ptrmap_get(plan->after, s);
    const vt_stmt_list *otherwise = vt_ptrmap_get(plan->otherwise, s);
    const vt_stmt *out = vt_mutate_stmt_children(m, s);
    if (otherwise)
        out = vt_s_if(m->ctx, out->u.branch.condition, out->u.branch.then_case,
                      vt_s_seq(m->ctx, otherwise->n, otherwise->items));
    if (!before && !after) return out;
    vt_stmt_list all = {0};
    for (uint32_t i = 0; before && i < before->n; i++) vt_stmt_list_add(m->ctx, &all, before->items[i]);
    vt_stmt_list_add(m->ctx, &all, out);
    for (uint32_t i = 0; after && i < after->n; i++) vt_stmt_list_add(m->ctx, &all, after->items[i]);
    return vt_s_seq(m->ctx, all.n, all.items);
}

static bool is_task(void *user, const vt_stmt *s) {
    bool *found = user;
    *found |= vt_attr_is(s, VT_ATTR_TASK);
    return !*found;
}

const vt_func *vt_pass_coproc_sync(vt_lowering *l, const vt_func *f) {
    vt_ctx *ctx = l->ctx;
    bool any = false;
    if (vt__vta(l)->slots) return f; /* vta.PlaceSlots does it */
    vt_stmt_walk(f->body, NULL, is_task, &any);
    if (!any) return f;
    planner plan = {.v = {.statements_only = true, .stmt = plan_stmt},
                    .l = l,
                    .axis = vt__task_axis(l, f),
                    .before = vt_ptrmap_new(ctx),
                    .after = vt_ptrmap_new(ctx),
                    .otherwise = vt_ptrmap_new(ctx),
                    .with_tasks = vt_ptrmap_new(ctx),
                    .stored = vt_ptrmap_new(ctx),
                    .loaded = vt_ptrmap_new(ctx),
                    .stored_before = vt_ptrmap_new(ctx),
                    .loaded_before = vt_ptrmap_new(ctx),
                    .waits = vt_ptrmap_new(ctx)};
    vt_stmt_walk_post(f->body, NULL, vt__coproc_find_tasks, &plan);
    /* Where the whole program is one loop, its drain comes after the synchronization and meets the next run's primer;
     * so TVM does, and recorded call sequences show it. */
    vt_stmt_list *sync = VT_NEW(ctx, vt_stmt_list);
    vt_stmt_list_add(ctx, sync, vt__call(ctx, VT_OP_VTA_COPROC_SYNC, 0, NULL));
    vt_ptrmap_set(plan.after, f->body, sync);
    vt_visit_stmt(&plan.v, f->body);
    if (plan.last.node) vt__coproc_close_ends(&plan);
    vt__coproc_check_lives(&plan, f->body);
    inserter in = {.m = {.ctx = ctx, .statements_only = true, .stmt = insert_stmt}, .plan = &plan};
    return vt_func_with_body(ctx, f, vt_mutate_stmt(&in.m, f->body));
}

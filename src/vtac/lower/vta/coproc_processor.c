/* The share of the host between the tasks: what it must wait for, and what must not live across such a place. */
#include "lower/vta/coproc.h"

static void note_buffer(planner *st, vt_ptrmap *in, const vt_ptrmap *other, const vt_expr *data) {
    vt_ptrmap_set(in, data, data);
    st->rereads |= vt_ptrmap_has(other, data);
}

static void find_transfer(void *user, const vt_stmt *s) {
    bool *found = user;
    const vt_expr *e = s->kind == VT_S_EVAL ? s->u.eval.value : NULL;
    *found |= e && (VT_IS_RUNTIME(e, VTAStoreBuffer2D) || VT_IS_RUNTIME(e, VTALoadBuffer2D));
}

/* Transfers, whose buffers are known, and not something else. */
static bool is_transfer(const vt_stmt *task) {
    bool found = false;
    vt_stmt_walk_post(task, NULL, find_transfer, &found);
    return found;
}

void vt__coproc_find_tasks(void *user, const vt_stmt *s) {
    planner *st = user;
    const vt_stmt *body = vt_stmt_body(s);
    bool any = vt_attr_is(s, VT_ATTR_TASK) || (body && vt_ptrmap_has(st->with_tasks, body));
    for (uint32_t i = 0; s->kind == VT_S_SEQ && i < s->u.seq.n_items; i++)
        any |= vt_ptrmap_has(st->with_tasks, s->u.seq.items[i]);
    if (s->kind == VT_S_IF)
        any |= vt_ptrmap_has(st->with_tasks, s->u.branch.then_case) ||
               (s->u.branch.else_case && vt_ptrmap_has(st->with_tasks, s->u.branch.else_case));
    if (any) vt_ptrmap_set(st->with_tasks, s, s);
    if (vt_attr_is(s, VT_ATTR_TASK) && !vt_is_const(s->u.attr.value, VTA_STAGE_COMPUTE)) st->rereads |= !is_transfer(s);
    if (s->kind != VT_S_EVAL) return;
    const vt_expr *e = s->u.eval.value;
    if (VT_IS_RUNTIME(e, VTAStoreBuffer2D))
        note_buffer(st, st->stored, st->loaded, e->a[VT_OPERAND(VTAStoreBuffer2D, dst_dram)]);
    if (VT_IS_RUNTIME(e, VTALoadBuffer2D))
        note_buffer(st, st->loaded, st->stored, e->a[VT_OPERAND(VTALoadBuffer2D, src_dram)]);
}

static void note_done(void *user, const vt_stmt *s) {
    planner *st = user;
    const vt_expr *e = s->kind == VT_S_EVAL ? s->u.eval.value : NULL;
    if (!e) return;
    if (VT_IS_RUNTIME(e, VTAStoreBuffer2D))
        vt_ptrmap_set(st->stored_before, e->a[VT_OPERAND(VTAStoreBuffer2D, dst_dram)], s);
    if (VT_IS_RUNTIME(e, VTALoadBuffer2D))
        vt_ptrmap_set(st->loaded_before, e->a[VT_OPERAND(VTALoadBuffer2D, src_dram)], s);
}

void vt__coproc_note_done(planner *st, const vt_stmt *task) { vt_stmt_walk_post(task, NULL, note_done, st); }

/* What the host shares with tasks. */
typedef struct conflict {
    vt_visitor v;
    const vt_ptrmap *stored, *loaded; /* data variables of the tasks' buffers */
    bool to_first_task;
    const vt_buffer *buffer; /* one that both use */
} conflict;

static void conflict_expr(vt_visitor *v, const vt_expr *e) {
    conflict *c = (conflict *)v;
    if (e->kind == VT_E_LOAD && vt_ptrmap_has(c->stored, e->u.buffer->data)) c->buffer = e->u.buffer;
    vt_visit_expr_children(v, e);
}

static void conflict_stmt(vt_visitor *v, const vt_stmt *s) {
    conflict *c = (conflict *)v;
    const vt_buffer *b = s->kind == VT_S_STORE ? s->u.store.buffer : NULL;
    if (b && (vt_ptrmap_has(c->stored, b->data) || vt_ptrmap_has(c->loaded, b->data))) c->buffer = b;
    if (c->to_first_task && vt_attr_is(s, VT_ATTR_TASK))
        v->stop = true;
    else
        vt_visit_stmt_children(v, s);
}

static void wait_before(planner *st, const vt_stmt *s, const vt_buffer *buffer) {
    vt_ctx *ctx = st->l->ctx;
    vt__coproc_close_ends(st);
    if (st->entry.n == 0) st->entry = st->first.enter;
    st->first = st->last = (state){.node = NULL};
    st->stored_before = vt_ptrmap_new(ctx);
    st->loaded_before = vt_ptrmap_new(ctx);
    vt_stmt_list *list = VT_NEW(ctx, vt_stmt_list);
    vt_stmt_list_add(ctx, list, vt__call(ctx, VT_OP_VTA_COPROC_SYNC, 0, NULL));
    vt_ptrmap_set(st->before, s, list);
    vt_ptrmap_set(st->waits, s, buffer->name);
}

void vt__coproc_plan_before_threads(planner *st, const vt_stmt *threads) {
    conflict c = {.v = {.expr = conflict_expr, .stmt = conflict_stmt},
                  .stored = st->stored_before,
                  .loaded = st->loaded_before,
                  .to_first_task = true};
    if (!st->last.node || st->depth > 0) return; /* in a loop the host's work itself is refused */
    vt_visit_stmt(&c.v, threads);
    if (c.buffer) wait_before(st, threads, c.buffer);
}

void vt__coproc_plan_processor(planner *st, const vt_stmt *s) {
    conflict c = {.v = {.expr = conflict_expr, .stmt = conflict_stmt}, .stored = st->stored, .loaded = st->loaded};
    vt_visit_stmt(&c.v, s);
    if (!c.buffer || (!st->last.node && st->depth == 0)) return;
    if (st->depth > 0)
        vt_raise(st->l->ctx, VTA_UNSUPPORTED,
                 "the host and the accelerator both work on %s inside of one loop: compute the host's stage "
                 "at the root, or let the accelerator do it",
                 c.buffer->name);
    wait_before(st, s, c.buffer);
}

/* A run of the accelerator ends where the host waits for it, and others may use the chip before the next. */
typedef struct lives {
    vt_visitor v;
    const planner *plan;
    vt_ptrmap *seen; /* data variable on the chip -> the wait before its first use, or the function's body */
    const void *now;
    const char *name; /* of the buffer that the host waits for */
} lives;

static void see_buffer(lives *st, const vt_var *data) {
    vt_memory_info info;
    if (!vt_memory_of_scope(st->plan->l, data->u.var->scope, &info)) return;
    const void *since = vt_ptrmap_get(st->seen, data);
    if (!since) vt_ptrmap_set(st->seen, data, st->now);
    if (!since || since == st->now) return;
    vt_raise(st->plan->l->ctx, VTA_ILLEGAL,
             "%s is in the %s buffer before and after the host works on %s, but what is on the chip is lost when "
             "the host waits for the accelerator: compute or load it again after that in a stage of its own, or let "
             "the accelerator do the host's stage",
             vt_var_name(data), info.name, st->name);
}

static void live_expr(vt_visitor *v, const vt_expr *e) {
    if (e->kind == VT_E_VAR && e->u.var->pointer) see_buffer((lives *)v, e);
    if (e->kind == VT_E_LOAD) see_buffer((lives *)v, e->u.buffer->data);
    vt_visit_expr_children(v, e);
}

static void live_stmt(vt_visitor *v, const vt_stmt *s) {
    lives *st = (lives *)v;
    if (vt_ptrmap_has(st->plan->waits, s)) {
        st->now = s;
        st->name = vt_ptrmap_get(st->plan->waits, s);
    }
    if (s->kind == VT_S_STORE) see_buffer(st, s->u.store.buffer->data);
    vt_visit_stmt_children(v, s);
}

void vt__coproc_check_lives(const planner *plan, const vt_stmt *body) {
    if (vt_ptrmap_size(plan->waits) == 0) return;
    lives st = {
        .v = {.expr = live_expr, .stmt = live_stmt}, .plan = plan, .seen = vt_ptrmap_new(plan->l->ctx), .now = body};
    vt_visit_stmt(&st.v, body);
}

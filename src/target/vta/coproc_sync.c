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
 * Work of the processor that reads what a task before it stored, or writes what one uses, waits for everything first;
 * tokens do not pass such a place. */
#include <string.h>

#include "target/vta/vta.h"

/* A token from one stage to another. */
typedef struct token {
    int from, to;
} token;

enum { MOST_STAGES = 4, MOST_TOKENS = MOST_STAGES * MOST_STAGES };

typedef struct tokens {
    uint32_t n;
    token items[MOST_TOKENS];
} tokens;

typedef struct stages {
    uint32_t n;
    int items[MOST_STAGES];
} stages;

/* A statement as its neighbours see it. */
typedef struct state {
    const vt_stmt *node; /* NULL: no task so far */
    stages enter, leave;
    tokens pops;   /* at its begin, matched by pushes before it */
    tokens pushes; /* at its end, matched by pops after it */
} state;

/* The tasks of a loop's round. */
typedef struct round {
    bool other; /* there is more than tasks */
    const vt_stmt *compute_first, *compute_last;
} round;

typedef struct planner {
    vt_visitor v;
    vt_lowering *l;
    const vt_iter *axis;
    vt_ptrmap *before; /* statement -> vt_stmt_list of what comes before it */
    vt_ptrmap *after;
    vt_ptrmap *otherwise; /* condition without an else -> vt_stmt_list of what happens where it does not hold */
    state first, last;
    stages entry;               /* where the scope of threads is entered, when the processor's work parts it */
    vt_ptrmap *with_tasks;      /* statements that contain a task */
    vt_ptrmap *stored, *loaded; /* data variables of DRAM buffers that tasks store and load */
    vt_ptrmap *waits; /* statements of the processor before which everything is waited for -> a buffer's name */
    bool rereads;     /* tasks load what tasks store, or do what is not known */
    round round;
    uint32_t depth; /* loops and conditions around */
} planner;

static bool has(const tokens *t, token x) {
    for (uint32_t i = 0; i < t->n; i++)
        if (t->items[i].from == x.from && t->items[i].to == x.to) return true;
    return false;
}

static void add_token(planner *st, tokens *t, token x) {
    if (t->n == MOST_TOKENS) vt_raise(st->l->ctx, VTA_INTERNAL, "too many dependence tokens at one place");
    t->items[t->n++] = x;
}

/* The newest first: the order in which TVM walks such sets, and so that of the tokens it emits. */
static void add_stage(planner *st, stages *s, int stage) {
    for (uint32_t i = 0; i < s->n; i++)
        if (s->items[i] == stage) return;
    if (s->n == MOST_STAGES) vt_raise(st->l->ctx, VTA_INTERNAL, "more stages than the accelerator has");
    for (uint32_t i = s->n++; i > 0; i--) s->items[i] = s->items[i - 1];
    s->items[0] = stage;
}

static void add_stages(planner *st, stages *to, const stages *from) {
    for (uint32_t i = 0; i < from->n; i++) add_stage(st, to, from->items[i]);
}

static void insert(planner *st, vt_ptrmap *where, const vt_stmt *node, vt_op op, token x) {
    vt_ctx *ctx = st->l->ctx;
    vt_stmt_list *list = vt_ptrmap_get(where, node);
    if (!list) {
        list = VT_NEW(ctx, vt_stmt_list);
        vt_ptrmap_set(where, node, list);
    }
    const vt_expr *args[] = {vt_i32(ctx, x.from), vt_i32(ctx, x.to)};
    vt_stmt_list_add(ctx, list, vt__call(ctx, op, 2, args));
}

/* The last step from one stage to another. */
static token last_leg(token x) {
    return (token){x.from == VTA_STAGE_COMPUTE || x.to == VTA_STAGE_COMPUTE ? x.from : VTA_STAGE_COMPUTE, x.to};
}

/* The tokens that order two neighbours, each once. What goes by way of compute is handed on there, after prev. */
static tokens needed(planner *st, const state *prev, const state *next) {
    tokens need = {.n = 0};
    for (uint32_t i = 0; i < prev->leave.n; i++) {
        for (uint32_t k = 0; k < next->enter.n; k++) {
            token x = {prev->leave.items[i], next->enter.items[k]}, last = last_leg(x);
            if (x.from == x.to) continue;
            if (last.from != x.from && !has(&prev->pushes, last)) {
                insert(st, st->after, prev->node, VT_OP_VTA_COPROC_DEP_PUSH, (token){x.from, last.from});
                insert(st, st->after, prev->node, VT_OP_VTA_COPROC_DEP_POP, (token){x.from, last.from});
            }
            if (!has(&need, last)) add_token(st, &need, last);
        }
    }
    return need;
}

/* Orders two neighbours. What of prev's pushes and next's pops stays open for the statement around them is handed
 * back: out_pushes at prev's end, out_pops at next's begin (used where prev is a loop's end and next its begin). */
static void order(planner *st, const state *prev, const state *next, tokens *out_pushes, tokens *out_pops) {
    out_pushes->n = out_pops->n = 0;
    tokens pushes = prev->pushes, pops = next->pops, need = needed(st, prev, next);
    for (uint32_t i = 0; i < need.n; i++) {
        token x = need.items[i];
        if (!has(&prev->pushes, x)) {
            add_token(st, &pushes, x);
            insert(st, st->after, prev->node, VT_OP_VTA_COPROC_DEP_PUSH, x);
        }
        if (!has(&next->pops, x)) {
            add_token(st, &pops, x);
            insert(st, st->before, next->node, VT_OP_VTA_COPROC_DEP_POP, x);
        }
    }
    for (uint32_t i = 0; i < pushes.n; i++) {
        if (has(&pops, pushes.items[i]))
            add_token(st, out_pushes, pushes.items[i]);
        else
            insert(st, st->after, prev->node, VT_OP_VTA_COPROC_DEP_POP, pushes.items[i]);
    }
    for (uint32_t i = 0; i < pops.n; i++) {
        if (has(&pushes, pops.items[i]))
            add_token(st, out_pops, pops.items[i]);
        else
            insert(st, st->before, next->node, VT_OP_VTA_COPROC_DEP_PUSH, pops.items[i]);
    }
}

/* The tokens open at the begin and the end of a part that nothing comes before or after. */
static void close_ends(planner *st) {
    for (uint32_t i = 0; i < st->first.pops.n; i++)
        insert(st, st->before, st->first.node, VT_OP_VTA_COPROC_DEP_PUSH, st->first.pops.items[i]);
    for (uint32_t i = 0; i < st->last.pushes.n; i++)
        insert(st, st->after, st->last.node, VT_OP_VTA_COPROC_DEP_POP, st->last.pushes.items[i]);
}

static void add_to_round(round *r, const state *now, bool task) {
    r->other |= !task;
    if (now->enter.items[0] != VTA_STAGE_COMPUTE) return;
    if (!r->compute_first) r->compute_first = now->node;
    r->compute_last = now->node;
}

static void append(planner *st, const state *now, bool task) {
    tokens pushes, pops;
    add_to_round(&st->round, now, task);
    if (st->last.node)
        order(st, &st->last, now, &pushes, &pops);
    else
        st->first = *now;
    st->last = *now;
}

/* ---- The processor's share -------------------------------------------------------------------------------------- */

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

/* Notes the tasks of a statement, from the inside out. */
static void find_tasks(void *user, const vt_stmt *s) {
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

typedef struct conflict {
    vt_visitor v;
    const planner *plan;
    const vt_buffer *buffer; /* one that tasks use too */
} conflict;

static void conflict_expr(vt_visitor *v, const vt_expr *e) {
    conflict *c = (conflict *)v;
    if (e->kind == VT_E_LOAD && vt_ptrmap_has(c->plan->stored, e->u.buffer->data)) c->buffer = e->u.buffer;
    vt_visit_expr_children(v, e);
}

static void conflict_stmt(vt_visitor *v, const vt_stmt *s) {
    conflict *c = (conflict *)v;
    const vt_buffer *b = s->kind == VT_S_STORE ? s->u.store.buffer : NULL;
    if (b && (vt_ptrmap_has(c->plan->stored, b->data) || vt_ptrmap_has(c->plan->loaded, b->data))) c->buffer = b;
    vt_visit_stmt_children(v, s);
}

/* A statement without tasks: waits for those before it when they use its buffers. */
static void plan_processor(planner *st, const vt_stmt *s) {
    vt_ctx *ctx = st->l->ctx;
    conflict c = {.v = {.expr = conflict_expr, .stmt = conflict_stmt}, .plan = st};
    vt_visit_stmt(&c.v, s);
    if (!c.buffer || (!st->last.node && st->depth == 0)) return;
    if (st->depth > 0)
        vt_raise(ctx, VTA_UNSUPPORTED,
                 "the processor and the accelerator both work on %s inside of one loop: compute the processor's stage "
                 "at the root, or let the accelerator do it",
                 c.buffer->name);
    close_ends(st);
    if (st->entry.n == 0) st->entry = st->first.enter;
    st->first = st->last = (state){.node = NULL};
    vt_stmt_list *list = VT_NEW(ctx, vt_stmt_list);
    vt_stmt_list_add(ctx, list, vt__call(ctx, VT_OP_VTA_COPROC_SYNC, 0, NULL));
    vt_ptrmap_set(st->before, s, list);
    vt_ptrmap_set(st->waits, s, c.buffer->name);
}

/* A run of the accelerator ends where the processor waits for it, and others may use the chip before the next. */
typedef struct lives {
    vt_visitor v;
    const planner *plan;
    vt_ptrmap *seen; /* data variable on the chip -> the wait before its first use, or the function's body */
    const void *now;
    const char *name; /* of the buffer that the processor waits for */
} lives;

static void see_buffer(lives *st, const vt_var *data) {
    vt_memory_info info;
    if (!vt_memory_of_scope(st->plan->l, data->u.var->scope, &info)) return;
    const void *since = vt_ptrmap_get(st->seen, data);
    if (!since) vt_ptrmap_set(st->seen, data, st->now);
    if (!since || since == st->now) return;
    vt_raise(
        st->plan->l->ctx, VTA_ILLEGAL,
        "%s is in the %s buffer before and after the processor works on %s, but what is on the chip is lost when "
        "the processor waits for the accelerator: compute or load it again after that in a stage of its own, or let "
        "the accelerator do the processor's stage",
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

static void check_lives(const planner *plan, const vt_stmt *body) {
    if (vt_ptrmap_size(plan->waits) == 0) return;
    lives st = {
        .v = {.expr = live_expr, .stmt = live_stmt}, .plan = plan, .seen = vt_ptrmap_new(plan->l->ctx), .now = body};
    vt_visit_stmt(&st.v, body);
}

/* ---- Walking ---------------------------------------------------------------------------------------------------- */

static bool is_pipeline(const planner *st) {
    return !st->rereads && !st->round.other && st->round.compute_first && st->first.enter.items[0] == VTA_STAGE_LOAD &&
           st->last.leave.items[0] == VTA_STAGE_STORE;
}

/* A token from the end of `from` to the begin of `to` in the next round. */
static void pass_on(planner *st, state *loop, const vt_stmt *from, const vt_stmt *to, token x) {
    insert(st, st->after, from, VT_OP_VTA_COPROC_DEP_PUSH, x);
    insert(st, st->before, to, VT_OP_VTA_COPROC_DEP_POP, x);
    add_token(st, &loop->pushes, x);
    add_token(st, &loop->pops, x);
}

static void plan_rounds(planner *st, state *loop) {
    if (is_pipeline(st)) {
        pass_on(st, loop, st->round.compute_last, st->first.node, (token){VTA_STAGE_COMPUTE, VTA_STAGE_LOAD});
        pass_on(st, loop, st->last.node, st->round.compute_first, (token){VTA_STAGE_STORE, VTA_STAGE_COMPUTE});
    } else {
        order(st, &st->last, &st->first, &loop->pushes, &loop->pops);
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
    if (any) append(st, &loop, false);
}

static void plan_threads(planner *st, const vt_stmt *s) {
    state first = st->first, last = st->last, threads = {.node = s};
    stages entry = st->entry;
    st->first = st->last = (state){.node = NULL};
    st->entry.n = 0;
    vt_visit_stmt(&st->v, s->u.attr.body);
    close_ends(st);
    threads.enter = st->entry.n ? st->entry : st->first.enter;
    threads.leave = st->last.leave;
    st->first = first;
    st->last = last;
    st->entry = entry;
    append(st, &threads, false);
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
    token x = {other->enter.items[0], other->leave.items[0]}, last = last_leg(x), legs[] = {{x.from, last.from}, last};
    for (int i = last.from == x.from; i < 2; i++) {
        vt_ptrmap *where = without ? st->after : st->otherwise;
        insert(st, where, without ? without : condition, VT_OP_VTA_COPROC_DEP_PUSH, legs[i]);
        insert(st, where, without ? without : condition, VT_OP_VTA_COPROC_DEP_POP, legs[i]);
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
        close_ends(st);
        add_stages(st, &both.enter, &st->first.enter);
        add_stages(st, &both.leave, &st->last.leave);
    }
    for (int i = 0; both.node && i < 2; i++)
        if (!has_tasks[i]) hand_on(st, s, cases[i], &both);
    st->first = first;
    st->last = last;
    if (both.node) append(st, &both, false);
}

static void plan_stmt(vt_visitor *v, const vt_stmt *s) {
    planner *st = (planner *)v;
    if (!vt_ptrmap_has(st->with_tasks, s)) {
        if (s->kind != VT_S_EVAL) plan_processor(st, s);
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
        add_stage(st, &task.enter, (int)s->u.attr.value->u.i);
        add_stage(st, &task.leave, (int)s->u.attr.value->u.i);
        append(st, &task, true);
    } else {
        vt_visit_stmt_children(v, s);
    }
}

static void skip_expr(vt_visitor *v, const vt_expr *e) {
    (void)v;
    (void)e;
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
    planner plan = {.v = {.expr = skip_expr, .stmt = plan_stmt},
                    .l = l,
                    .axis = vt__task_axis(l, f),
                    .before = vt_ptrmap_new(ctx),
                    .after = vt_ptrmap_new(ctx),
                    .otherwise = vt_ptrmap_new(ctx),
                    .with_tasks = vt_ptrmap_new(ctx),
                    .stored = vt_ptrmap_new(ctx),
                    .loaded = vt_ptrmap_new(ctx),
                    .waits = vt_ptrmap_new(ctx)};
    vt_stmt_walk_post(f->body, NULL, find_tasks, &plan);
    /* Where the whole program is one loop, its drain comes after the synchronization and meets the next run's primer;
     * so TVM does, and recorded call sequences show it. */
    vt_stmt_list *sync = VT_NEW(ctx, vt_stmt_list);
    vt_stmt_list_add(ctx, sync, vt__call(ctx, VT_OP_VTA_COPROC_SYNC, 0, NULL));
    vt_ptrmap_set(plan.after, f->body, sync);
    vt_visit_stmt(&plan.v, f->body);
    if (plan.last.node) close_ends(&plan);
    check_lives(&plan, f->body);
    inserter in = {.m = {.ctx = ctx, .statements_only = true, .stmt = insert_stmt}, .plan = &plan};
    return vt_func_with_body(ctx, f, vt_mutate_stmt(&in.m, f->body));
}

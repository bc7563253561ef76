/* The buffers of steps that take turns (vta.UnrollSlots) get their places, and their tasks the tokens that order them.
 *
 * Buffers of one name in the steps of one loop are the same buffer in different places: the k-th of them, counted
 * through the whole function, is in place k mod N. Each place is as large as the largest of its buffers. What no
 * transfer touches is used by one stage, in order: one place is enough, unless the next step reads it too.
 *
 * With that, every task stands once in the function, and what it shares with others is the elements that both use. A
 * task of another stage that used one of them before must be done: the task pops a token, and the last one that it
 * waits for pushes it, unless an earlier pop in its stage has waited for as much already. So a stage waits only where
 * it must, and tokens are pushed and popped in one order. Load and store share nothing. */
#include "arith/analyzer.h"

#include "lower/vta/slide_rows.h"
#include "vta/runtime.h"

/* ---- Places ----------------------------------------------------------------------------------------------------- */

/* A buffer of a loop's steps: the places that it takes turns in. */
typedef struct family {
    const void *loop;
    const char *name, *scope;
    int64_t places, count;
    const vt_stmt **allocs; /* of each place: the largest of its buffers, with the variable of the place */
} family;

typedef struct placer {
    vt_mutator m;
    const vt_stmt *step; /* the innermost that is open */
    family **families;
    uint32_t n, cap;
    vt_varmap *renamed; /* variable of a buffer -> variable of its place */
} placer;

typedef struct transfers {
    const vt_var *buffer;
    bool found;
} transfers;

/* A load into the buffer, or a store from it. */
static bool find_transfer(void *user, const vt_stmt *s) {
    transfers *f = user;
    if (!vt_attr_is(s, VT_ATTR_TASK) || s->u.attr.value->u.i == VTA_STAGE_COMPUTE) return !f->found;
    f->found |= vt_stmt_uses(s->u.attr.body, f->buffer);
    return false;
}

static int64_t places_of(const placer *st, const vt_stmt *alloc) {
    transfers f = {.buffer = alloc->u.alloc.var, .found = vt__keeps_rows(st->step)};
    if (!f.found) vt_stmt_walk(alloc->u.alloc.body, NULL, find_transfer, &f);
    return f.found ? st->step->u.attr.value->u.i : 1;
}

static family *family_of(placer *st, const vt_stmt *alloc) {
    const vt_var *v = alloc->u.alloc.var;
    const void *loop = st->step->u.attr.node.u.any;
    for (uint32_t i = 0; i < st->n; i++) {
        family *f = st->families[i];
        if (f->loop == loop && !strcmp(f->name, vt_var_name(v)) && !strcmp(f->scope, v->u.var->scope)) return f;
    }
    family *f = VT_NEW(st->m.ctx, family);
    *f = (family){.loop = loop, .name = vt_var_name(v), .scope = v->u.var->scope, .places = places_of(st, alloc)};
    f->allocs = VT_NEW_ARRAY(st->m.ctx, const vt_stmt *, (size_t)f->places);
    vt_grow(st->m.ctx, &st->families, &st->cap, st->n + 1, sizeof *st->families);
    return st->families[st->n++] = f;
}

static uint64_t size_of(const vt_stmt *alloc) {
    return vt_const_elements(alloc->u.alloc.n_extents, alloc->u.alloc.extents);
}

/* The allocation goes; its buffer is that of the place whose turn it is. */
static const vt_stmt *take_place(placer *st, const vt_stmt *alloc) {
    family *f = family_of(st, alloc);
    const vt_stmt **place = &f->allocs[f->count++ % f->places];
    vt_stmt larger = vt_stmt_copy(alloc);
    if (*place) larger.u.alloc.var = (*place)->u.alloc.var;
    if (!*place || size_of(alloc) > size_of(*place)) *place = vt_s_new(st->m.ctx, &larger);
    vt_varmap_set(st->renamed, alloc->u.alloc.var, (*place)->u.alloc.var);
    return vt_mutate_stmt(&st->m, alloc->u.alloc.body);
}

static const vt_stmt *place_stmt(vt_mutator *m, const vt_stmt *s) {
    placer *st = (placer *)m;
    if (vt_attr_is(s, VT_ATTR_STEP)) {
        const vt_stmt *outer = st->step;
        st->step = s;
        const vt_stmt *body = vt_mutate_stmt(m, s->u.attr.body);
        st->step = outer;
        return body;
    }
    if (s->kind == VT_S_ALLOC && st->step) return take_place(st, s);
    return vt_mutate_stmt_children(m, s);
}

static const vt_stmt *place(vt_ctx *ctx, const vt_stmt *s) {
    placer st = {.m = {.ctx = ctx, .statements_only = true, .stmt = place_stmt}, .renamed = vt_varmap_new(ctx)};
    s = vt_substitute_stmt(ctx, vt_mutate_stmt(&st.m, s), st.renamed);
    for (uint32_t i = st.n; i-- > 0;)
        for (int64_t k = st.families[i]->places; k-- > 0;)
            if (st.families[i]->allocs[k]) s = vt_stmt_with_body(ctx, st.families[i]->allocs[k], s);
    return s;
}

/* ---- Tasks ------------------------------------------------------------------------------------------------------ */

enum { STAGES = 4 };

/* The elements [low, high] of an on-chip buffer that a task uses. */
typedef struct use {
    const vt_var *buffer;
    int64_t low, high;
} use;

typedef struct item {
    const vt_stmt *s;
    int stage;
    use *uses;
    uint32_t n, cap;
    bool pops[STAGES], pushes[STAGES];
} item;

typedef struct planner {
    vt_ctx *ctx;
    vt_lowering *l;
    int stage; /* of the task that is open; 0: none */
    item *items;
    uint32_t n, cap;
    vt_stmt_list around; /* allocations and what else stands around tasks, outermost first */
    vt_stmt_list before; /* what the host computes ahead of the first task */
} planner;

/* ---- What a task uses ------------------------------------------------------------------------------------------- */

typedef struct reader {
    vt_visitor v;
    vt_lowering *l;
    vt_analyzer *a; /* knows the loops that are open */
    item *to;
} reader;

static void add_use(reader *r, const vt_var *buffer, const vt_expr *from, const vt_expr *extent) {
    vt_memory_info info;
    item *to = r->to;
    if (!vt_memory_of_scope(r->l, buffer->u.var->scope, &info)) return;
    vt_bound at = vt_const_bound(r->a, from), size = {1, 1};
    if (extent) size = vt_const_bound(r->a, extent);
    bool known = at.min > VT_NEG_INF && at.max < VT_POS_INF && size.max < VT_POS_INF;
    vt_grow(r->l->ctx, &to->uses, &to->cap, to->n + 1, sizeof *to->uses);
    to->uses[to->n++] = (use){buffer, known ? at.min : VT_NEG_INF, known ? at.max + size.max - 1 : VT_POS_INF};
}

static void read_expr(vt_visitor *v, const vt_expr *e) {
    reader *r = (reader *)v;
    if (e->kind == VT_E_LOAD) add_use(r, e->u.buffer->data, e->a[0], NULL);
    if (vt_is_call(e, VT_OP_ACCESS_PTR)) add_use(r, e->a[1], e->a[2], e->a[3]);
    vt_visit_expr_children(v, e);
}

static void read_stmt(vt_visitor *v, const vt_stmt *s) {
    reader *r = (reader *)v;
    if (s->kind == VT_S_FOR) vt_analyzer_bind_range(r->a, s->u.loop.var, s->u.loop.min, s->u.loop.extent, true);
    if (s->kind == VT_S_STORE) add_use(r, s->u.store.buffer->data, s->u.store.indices[0], NULL);
    vt_visit_stmt_children(v, s);
}

static void add_item(planner *st, const vt_stmt *s) {
    if (vt_stmt_is_nop(s) || vt__does_nothing(s)) return; /* left of a stage of which only padding is read */
    if (!st->stage)
        vt_raise(st->ctx, VTA_UNSUPPORTED,
                 "slots: the host has work between the steps: compute it in a stage at the root");
    item it = {.s = s, .stage = st->stage};
    reader r = {.v = {.expr = read_expr, .stmt = read_stmt}, .l = st->l, .a = vt_analyzer_new(st->ctx), .to = &it};
    vt_visit_stmt(&r.v, s);
    vt_grow(st->ctx, &st->items, &st->cap, st->n + 1, sizeof *st->items);
    st->items[st->n++] = it;
}

static bool find_task(void *user, const vt_stmt *s) {
    bool *found = user;
    *found |= vt_attr_is(s, VT_ATTR_TASK);
    return !*found;
}

/* Constants that the host writes: the accelerator begins when all of its instructions are there. */
static bool comes_before(const planner *st, const vt_stmt *s) {
    bool has_task = false;
    if (st->n || st->stage) return false;
    vt_stmt_walk(s, NULL, find_task, &has_task);
    return !has_task;
}

/* What is in tasks, statement by statement, in program order. */
static void list_items(planner *st, const vt_stmt *s) {
    if (s->kind == VT_S_SEQ) {
        for (uint32_t i = 0; i < s->u.seq.n_items; i++) list_items(st, s->u.seq.items[i]);
    } else if (vt_attr_is(s, VT_ATTR_TASK)) {
        int outer = st->stage;
        st->stage = (int)s->u.attr.value->u.i;
        list_items(st, s->u.attr.body);
        st->stage = outer;
    } else if (!st->stage && (s->kind == VT_S_ALLOC || s->kind == VT_S_LET || s->kind == VT_S_ATTR)) {
        vt_stmt_list_add(st->ctx, &st->around, s);
        list_items(st, vt_stmt_body(s));
    } else if (comes_before(st, s)) {
        vt_stmt_list_add(st->ctx, &st->before, s);
    } else {
        add_item(st, s);
    }
}

static bool share(const item *x, const item *y) {
    for (uint32_t i = 0; i < x->n; i++)
        for (uint32_t k = 0; k < y->n; k++)
            if (x->uses[i].buffer == y->uses[k].buffer && x->uses[i].low <= y->uses[k].high &&
                y->uses[k].low <= x->uses[i].high)
                return true;
    return false;
}

/* The tokens that item `at` pops: of each other stage, from the last of its items that it shares a place with. */
static void wait_for_others(planner *st, uint32_t at, int64_t waited[STAGES][STAGES]) {
    item *it = &st->items[at];
    bool found[STAGES] = {false};
    for (uint32_t i = at; i-- > 0;) {
        item *before = &st->items[i];
        if (before->stage == it->stage || found[before->stage] || !share(before, it)) continue;
        found[before->stage] = true;
        int64_t *last = &waited[before->stage][it->stage];
        if (*last >= (int64_t)i) continue;
        *last = i;
        it->pops[before->stage] = before->pushes[it->stage] = true;
    }
}

static void plan(planner *st) {
    int64_t waited[STAGES][STAGES];
    for (int i = 0; i < STAGES * STAGES; i++) waited[i / STAGES][i % STAGES] = -1;
    for (uint32_t i = 0; i < st->n; i++) {
        vt_poll(st->ctx);
        wait_for_others(st, i, waited);
    }
}

/* Loads go down to the first task that needs them: so they are in the order in which they are needed. */
static void sink_loads(planner *st) {
    for (uint32_t i = st->n; i-- > 0;) {
        uint32_t to = i;
        if (st->items[i].stage != VTA_STAGE_LOAD) continue;
        while (to + 1 < st->n && !share(&st->items[i], &st->items[to + 1])) to++;
        if (to + 1 == st->n) continue;
        item moved = st->items[i];
        memmove(&st->items[i], &st->items[i + 1], (to - i) * sizeof moved);
        st->items[to] = moved;
    }
}

static void add_tokens(vt_ctx *ctx, vt_stmt_list *list, const item *it, const bool *with, vt_op op) {
    for (int stage = 0; stage < STAGES; stage++) {
        if (!with[stage]) continue;
        int from = op == VT_OP_VTA_COPROC_DEP_POP ? stage : it->stage, to = from == stage ? it->stage : stage;
        const vt_expr *args[] = {vt_i32(ctx, from), vt_i32(ctx, to)};
        vt_stmt_list_add(ctx, list, vt__call(ctx, op, 2, args));
    }
}

static const vt_stmt *with_tokens(planner *st, const vt_iter *axis, const item *it) {
    vt_stmt_list list = {0};
    add_tokens(st->ctx, &list, it, it->pops, VT_OP_VTA_COPROC_DEP_POP);
    vt_stmt_list_add(st->ctx, &list, it->s);
    add_tokens(st->ctx, &list, it, it->pushes, VT_OP_VTA_COPROC_DEP_PUSH);
    return vt__task(st->l, axis, (vta_stage)it->stage, vt_s_seq(st->ctx, list.n, list.items));
}

/* Steps list the same micro-ops again and again: those that are on the chip are used where they are. `share` is one of
 * VTA_SHARE_UOPS. */
static const vt_stmt *share_uops(vt_ctx *ctx, int share) {
    const vt_expr *args[] = {vt__command_handle(ctx), vt_i32(ctx, share)};
    return vt__extern(ctx, "VTAShareUops", 2, args);
}

static const vt_stmt *order_tasks(vt_lowering *l, const vt_func *f, const vt_stmt *body) {
    vt_ctx *ctx = l->ctx;
    planner st = {.ctx = ctx, .l = l};
    const vt_iter *axis = vt__task_axis(l, f);
    vt_stmt_list list = {0};
    list_items(&st, body);
    for (uint32_t i = 0; i < st.before.n; i++) vt_stmt_list_add(ctx, &list, st.before.items[i]);
    vt_stmt_list_add(ctx, &list, share_uops(ctx, vt__vta(l)->late_uops ? VTA_SHARE_UOPS_LATE : VTA_SHARE_UOPS_ON));
    sink_loads(&st);
    plan(&st);
    for (uint32_t i = 0; i < st.n; i++) vt_stmt_list_add(ctx, &list, with_tokens(&st, axis, &st.items[i]));
    vt_stmt_list_add(ctx, &list, vt__call(ctx, VT_OP_VTA_COPROC_SYNC, 0, NULL));
    vt_stmt_list_add(ctx, &list, share_uops(ctx, VTA_SHARE_UOPS_OFF));
    const vt_stmt *s = vt_s_seq(ctx, list.n, list.items);
    for (uint32_t i = st.around.n; i-- > 0;) s = vt_stmt_with_body(ctx, st.around.items[i], s);
    return s;
}

const vt_func *vt_pass_place_slots(vt_lowering *l, const vt_func *f) {
    if (!vt__vta(l)->slots) return f;
    f = vt_func_with_attr(l->ctx, f, VT_ATTR_SHARE_KERNELS, vt_i32(l->ctx, 1));
    return vt_func_with_body(l->ctx, f, order_tasks(l, f, place(l->ctx, f->body)));
}

/* Virtual threads: one stream of instructions that does the work of several threads in turn.
 *
 * The body of a virtual_thread attribute is copied for each thread, at the innermost place possible: around the
 * largest statement that depends on the thread. Small numbers of copies of a statement without loops are written out,
 * else a loop runs over the threads. Buffers allocated inside get a part for each thread. Threads called "vthread"
 * may share what does not depend on them; others ("cthread") share nothing, and every task is copied. */
#include <string.h>

#include "ir/print.h"
#include "lower/generic/pass.h"
#include "lower/generic/thread_vars.h"
#include "lower/generic/util.h"

/* So many copies of a statement without loops are written out. */
enum { MAX_WRITTEN_OUT = 15 };

typedef struct inject {
    vt_mutator m;
    vt_lowering *l;
    const vt_var *thread;
    int64_t n_threads;
    const vt_ptrmap *touched;
    bool share;
    bool inside;        /* of the copies made: nothing more is copied */
    bool dependent;     /* what was just visited depends on the thread */
    bool must_copy;     /* ... or must be copied, since nothing is shared */
    int loops;          /* nested in the statement just visited */
    vt_ptrmap *parts;   /* data variable -> elements of one thread's part */
    vt_ptrmap *buffers; /* buffer -> buffer over all parts */
} inject;

static const vt_stmt *copy_for_threads(inject *st, const vt_stmt *s, bool visit) {
    vt_ctx *ctx = st->m.ctx;
    st->dependent = st->must_copy = false;
    st->inside = true;
    if (visit) s = vt_mutate_stmt(&st->m, s);
    st->inside = false;
    st->dependent = false;
    if (st->loops == 0 && st->n_threads <= MAX_WRITTEN_OUT) {
        const vt_stmt *items[MAX_WRITTEN_OUT];
        for (int64_t i = 0; i < st->n_threads; i++)
            items[i] = vt_substitute1_stmt(ctx, s, st->thread, vt_int(ctx, st->thread->dtype, i));
        return vt_s_seq(ctx, (uint32_t)st->n_threads, items);
    }
    const vt_var *index = vt_var_copy(ctx, st->thread, ".s");
    return vt_s_for(ctx, index, vt_int(ctx, index->dtype, 0), vt_int(ctx, index->dtype, st->n_threads), VT_FOR_SERIAL,
                    vt_substitute1_stmt(ctx, s, st->thread, index));
}

/* A transfer from or to a buffer of which each thread has a part; the call itself for others. */
static const vt_expr *inject_transfer(inject *st, const vt_expr *e) {
    vt_ctx *ctx = st->m.ctx;
    vt_transfer_info t;
    const vt_expr *part = vt_transfer_of_call(st->l, e, &t) ? vt_ptrmap_get(st->parts, e->a[t.data]) : NULL;
    if (!part) return e;
    const vt_expr **a = VT_NEW_ARRAY(ctx, const vt_expr *, e->n);
    const vt_expr *scalars = vt_i32(ctx, t.scalars);
    for (uint32_t i = 0; i < e->n; i++) a[i] = i == t.data ? e->a[i] : vt_mutate_expr(&st->m, e->a[i]);
    if (!vt_is_const(vt_floormod(ctx, part, scalars), 0))
        vt_raise(ctx, VTA_ILLEGAL, "%s has %s scalars for each virtual thread, which is not a whole number of elements",
                 vt_var_name(e->a[t.data]), vt_expr_plain(ctx, part));
    a[t.offset] = vt_add(ctx, a[t.offset], vt_mul(ctx, st->thread, vt_floordiv(ctx, part, scalars)));
    st->dependent = true;
    return vt_e_with(ctx, e, a);
}

static const vt_expr *inject_var(inject *st, const vt_expr *e) {
    if (vt_ptrmap_has(st->parts, e))
        vt_raise(st->m.ctx, VTA_UNSUPPORTED,
                 "%s, of which each virtual thread has a part, is passed to a call as a whole", vt_var_name(e));
    if (vt_ptrmap_has(st->touched, e)) st->dependent = true;
    return e;
}

static const vt_expr *inject_expr(vt_mutator *m, const vt_expr *e) {
    inject *st = (inject *)m;
    vt_ctx *ctx = m->ctx;
    if (e->kind == VT_E_VAR) return inject_var(st, e);
    const vt_expr *moved = inject_transfer(st, e);
    if (moved != e) return moved;
    if (vt_is_call(e, VT_OP_CONTEXT_ID)) return st->share ? e : st->thread;
    const vt_expr *part = vt_is_call(e, VT_OP_ACCESS_PTR) ? vt_ptrmap_get(st->parts, e->a[1]) : NULL;
    if (part) {
        st->dependent = true;
        const vt_expr *a[5] = {e->a[0], e->a[1], vt_mutate_expr(m, e->a[2]), vt_mutate_expr(m, e->a[3]), e->a[4]};
        const vt_expr *stride = vt_div(ctx, part, vt_int(ctx, a[2]->dtype, e->a[0]->dtype.lanes));
        a[2] = vt_add(ctx, vt_mul(ctx, stride, st->thread), a[2]);
        return vt_e_with(ctx, e, a);
    }
    if (e->kind == VT_E_LOAD) {
        if (vt_ptrmap_has(st->touched, e->u.buffer->data)) st->dependent = true;
        part = vt_ptrmap_get(st->parts, e->u.buffer->data);
        if (part) {
            st->dependent = true;
            const vt_expr *index = vt_add(ctx, vt_mutate_expr(m, e->a[0]), vt_mul(ctx, st->thread, part));
            return vt_e_load(ctx, m->buffer(m, e->u.buffer), 1, &index);
        }
    }
    return vt_mutate_expr_children(m, e);
}

/* The same memory seen with room for every thread. Its shape is what TVM writes: the shape times a part. */
static const vt_buffer *inject_buffer(vt_mutator *m, const vt_buffer *b) {
    inject *st = (inject *)m;
    const vt_expr *part = vt_ptrmap_get(st->parts, b->data);
    if (!part) return b;
    const vt_buffer *have = vt_ptrmap_get(st->buffers, b);
    if (have) return have;
    vt_buffer copy = *b;
    const vt_expr *size = vt_mul(m->ctx, b->shape[0], part);
    copy.shape = vt_exprs_copy(m->ctx, 1, &size);
    have = vt_buffer_with(m->ctx, &copy);
    vt_ptrmap_set(st->buffers, b, have);
    return have;
}

static const vt_stmt *inject_store(inject *st, const vt_stmt *s) {
    vt_ctx *ctx = st->m.ctx;
    const vt_expr *value = vt_mutate_expr(&st->m, s->u.store.value);
    const vt_expr *index = vt_mutate_expr(&st->m, s->u.store.indices[0]);
    if (vt_ptrmap_has(st->touched, s->u.store.buffer->data)) st->dependent = true;
    st->must_copy = !st->share;
    const vt_expr *part = vt_ptrmap_get(st->parts, s->u.store.buffer->data);
    if (part) index = vt_add(ctx, index, vt_mul(ctx, st->thread, part));
    if (!part && value == s->u.store.value && index == s->u.store.indices[0]) return s;
    return vt_s_store(ctx, inject_buffer(&st->m, s->u.store.buffer), value, 1, &index);
}

static const vt_stmt *inject_alloc(inject *st, const vt_stmt *s) {
    vt_ctx *ctx = st->m.ctx;
    for (uint32_t i = 0; i < s->u.alloc.n_extents; i++) {
        vt_mutate_expr(&st->m, s->u.alloc.extents[i]);
        if (st->dependent && !st->inside) return copy_for_threads(st, s, true);
    }
    st->dependent = false;
    bool split = !st->share || vt_ptrmap_has(st->touched, s->u.alloc.var);
    if (!split) return vt_mutate_stmt_children(&st->m, s);
    const vt_expr *part = vt_i32(ctx, s->u.alloc.dtype.lanes);
    for (uint32_t i = 0; i < s->u.alloc.n_extents; i++) part = vt_mul(ctx, part, s->u.alloc.extents[i]);
    vt_ptrmap_set(st->parts, s->u.alloc.var, part);
    const vt_expr *extent = vt_mul(ctx, s->u.alloc.extents[0], vt_i32(ctx, st->n_threads));
    vt_stmt copy = vt_stmt_copy(s);
    copy.u.alloc.extents = vt_exprs_copy(ctx, 1, &extent);
    copy.u.alloc.n_extents = 1;
    copy.u.alloc.body = vt_mutate_stmt(&st->m, s->u.alloc.body);
    return vt_s_new(ctx, &copy);
}

typedef struct search {
    const vt_lowering *l;
    bool found;
} search;

static bool find_order(void *user, const vt_expr *e) {
    search *st = user;
    st->found |= vt_orders_tasks(st->l, e);
    return !st->found;
}

/* A loop that each thread does a number of times of its own is copied as a whole, one thread after the other. What
 * orders the tasks of its steps is there for all threads at once then, so that it orders nothing. */
static void refuse_ordered(inject *st, const vt_stmt *loop) {
    search order = {.l = st->l};
    vt_stmt_walk(loop, find_order, NULL, &order);
    if (order.found)
        vt_raise(
            st->m.ctx, VTA_UNSUPPORTED,
            "loop %s has a number of steps that depends on the virtual thread %s, and load, compute and store meet in "
            "it; choose factors that divide the axes",
            vt_var_name(loop->u.loop.var), vt_var_name(st->thread));
}

static const vt_stmt *inject_for(inject *st, const vt_stmt *s) {
    const vt_expr *extent = vt_mutate_expr(&st->m, s->u.loop.extent);
    vt_mutate_expr(&st->m, s->u.loop.min);
    const vt_stmt *out;
    if (st->dependent && !st->inside) {
        refuse_ordered(st, s);
        out = copy_for_threads(st, s, true);
    } else {
        st->dependent = false;
        const vt_stmt *body = vt_mutate_stmt(&st->m, s->u.loop.body);
        out = body == s->u.loop.body && extent == s->u.loop.extent
                  ? s
                  : vt_loop_with(st->m.ctx, s, s->u.loop.var, s->u.loop.min, extent, body);
    }
    st->loops++;
    return out;
}

static const vt_stmt *inject_if(inject *st, const vt_stmt *s) {
    const vt_expr *condition = vt_mutate_expr(&st->m, s->u.branch.condition);
    if (st->dependent && !st->inside) return copy_for_threads(st, s, true);
    st->dependent = false;
    const vt_stmt *then_case = vt_mutate_stmt(&st->m, s->u.branch.then_case), *else_case = s->u.branch.else_case;
    if (else_case) {
        int loops = st->loops;
        st->loops = 0;
        else_case = vt_mutate_stmt(&st->m, else_case);
        if (loops > st->loops) st->loops = loops;
    }
    if (condition == s->u.branch.condition && then_case == s->u.branch.then_case && else_case == s->u.branch.else_case)
        return s;
    return vt_s_if(st->m.ctx, condition, then_case, else_case);
}

static const vt_stmt *inject_seq(inject *st, const vt_stmt *s) {
    vt_ctx *ctx = st->m.ctx;
    const vt_stmt **items = VT_NEW_ARRAY(ctx, const vt_stmt *, s->u.seq.n_items);
    bool changed = false;
    for (uint32_t i = 0; i < s->u.seq.n_items; i++) {
        int loops = st->loops;
        st->loops = 0;
        items[i] = vt_mutate_stmt(&st->m, s->u.seq.items[i]);
        changed |= items[i] != s->u.seq.items[i];
        if (loops > st->loops) st->loops = loops;
    }
    return changed ? vt_s_seq(ctx, s->u.seq.n_items, items) : s;
}

static const vt_stmt *inject_node(inject *st, const vt_stmt *s) {
    switch (s->kind) {
    case VT_S_STORE: return inject_store(st, s);
    case VT_S_ALLOC: return inject_alloc(st, s);
    case VT_S_FOR: return inject_for(st, s);
    case VT_S_IF: return inject_if(st, s);
    case VT_S_SEQ: return inject_seq(st, s);
    case VT_S_EVAL: st->must_copy = !st->share; break;
    case VT_S_ATTR: {
        vt_mutate_expr(&st->m, s->u.attr.value);
        bool task = vt_attr_is(s, VT_ATTR_UOPS) || vt_attr_is(s, VT_ATTR_TASK);
        if (!st->inside && (st->dependent || (!st->share && task))) return copy_for_threads(st, s, true);
        break;
    }
    case VT_S_LET:
        vt_mutate_expr(&st->m, s->u.let.value);
        if (st->dependent && !st->inside) return copy_for_threads(st, s, true);
        st->dependent = false;
        break;
    default: break;
    }
    return vt_mutate_stmt_children(&st->m, s);
}

static const vt_stmt *inject_stmt(vt_mutator *m, const vt_stmt *s) {
    inject *st = (inject *)m;
    s = inject_node(st, s);
    if (!st->dependent && !st->must_copy) return s;
    if (!st->inside) return copy_for_threads(st, s, false);
    st->dependent = st->must_copy = false;
    return s;
}

/* ---- The pass --------------------------------------------------------------------------------------------------- */

typedef struct threads {
    vt_mutator m;
    vt_lowering *l;
} threads;

static const vt_stmt *each_thread(vt_mutator *m, const vt_stmt *s) {
    vt_ctx *ctx = m->ctx;
    s = vt_mutate_stmt_children(m, s);
    if (!vt_attr_is(s, VT_ATTR_VIRTUAL_THREAD)) return s;
    const vt_iter *iter = s->u.attr.node.u.iter;
    if (s->u.attr.value->kind != VT_E_INT)
        vt_raise(ctx, VTA_ILLEGAL, "the number of virtual threads %s is not a constant", vt_var_name(iter->var));
    inject st = {.m = {.ctx = ctx, .expr = inject_expr, .stmt = inject_stmt, .buffer = inject_buffer},
                 .l = ((threads *)m)->l,
                 .thread = iter->var,
                 .n_threads = s->u.attr.value->u.i,
                 .touched = vt_thread_vars(ctx, s->u.attr.body, iter->var),
                 .share = strncmp(iter->thread_tag, "vthread", 7) == 0,
                 .parts = vt_ptrmap_new(ctx),
                 .buffers = vt_ptrmap_new(ctx)};
    return vt_mutate_stmt(&st.m, s->u.attr.body);
}

const vt_func *vt_pass_inject_virtual_thread(vt_lowering *l, const vt_func *f) {
    threads all = {.m = {.ctx = l->ctx, .statements_only = true, .stmt = each_thread}, .l = l};
    const vt_stmt *body = vt_mutate_stmt(&all.m, f->body);
    return body == f->body ? f : vt_func_with_body(l->ctx, f, vt_convert_ssa(l->ctx, body));
}

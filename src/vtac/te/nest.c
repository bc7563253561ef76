/* The loop nest of one stage, and the stores in it. */
#include <string.h>

#include "ir/attr.h"
#include "ir/print.h"
#include "te/bound.h"
#include "te/extern.h"
#include "te/nest.h"
#include "te/scan.h"

void te__nest_add(vt_ctx *ctx, te__nest *nest, const vt_stmt *s) {
    vt_grow(ctx, &nest->items, &nest->cap, nest->n + 1, sizeof *nest->items);
    nest->items[nest->n++] = s;
}

static const vt_stmt *with_body(vt_ctx *ctx, const vt_stmt *s, const vt_stmt *body) {
    vt_stmt copy = vt_stmt_copy(s);
    switch ((vt_stmt_kind)s->kind) {
    case VT_S_FOR: copy.u.loop.body = body; break;
    case VT_S_LET: copy.u.let.body = body; break;
    case VT_S_ATTR: copy.u.attr.body = body; break;
    case VT_S_IF: copy.u.branch.then_case = body; break;
    case VT_S_REALIZE: copy.u.realize.body = body; break;
    case VT_S_ASSERT:
    case VT_S_ALLOC:
    case VT_S_STORE:
    case VT_S_PSTORE:
    case VT_S_SEQ:
    case VT_S_EVAL:
    case VT_S_BLOCK:
    case VT_S_COUNT:
        vt_raise(ctx, VTA_INTERNAL, "a loop nest holds a %s statement", vt_stmt_kind_text((vt_stmt_kind)s->kind));
    }
    return vt_s_new(ctx, &copy);
}

const vt_stmt *te__nest_merge(vt_ctx *ctx, const te__nest *nest, const vt_stmt *body) {
    for (uint32_t i = nest->n; i > 0; i--) body = with_body(ctx, nest->items[i - 1], body);
    return body;
}

const vt_stmt *te__wrap(vt_ctx *ctx, const te__nest *levels, uint32_t from, uint32_t to, const vt_stmt *body) {
    for (uint32_t i = to; i > from; i--) body = te__nest_merge(ctx, &levels[i - 1], body);
    return body;
}

const vt_stmt *te__wrap_conditions(vt_ctx *ctx, const vt_expr *const *conditions, uint32_t n, const vt_stmt *body) {
    for (uint32_t i = n; i > 0; i--) body = vt_s_if(ctx, conditions[i - 1], body, NULL);
    return body;
}

const vt_stmt *te__substitute_axes(vt_ctx *ctx, const vt_stmt *s, const vt_ptrmap *values) {
    vt_varmap *map = vt_varmap_new(ctx);
    for (uint32_t i = 0; i < vt_ptrmap_size(values); i++) {
        const vt_iter *axis = vt_ptrmap_key(values, i);
        if (vt_ptrmap_value(values, i) != axis->var) vt_varmap_set(map, axis->var, vt_ptrmap_value(values, i));
    }
    return vt_substitute_stmt(ctx, s, map);
}

/* ---- Loops ---- */

static vt_for_kind loop_kind(const te__axis_attr *attr) {
    switch (attr ? attr->type : VT_ITER_DATA_PAR) {
    case VT_ITER_UNROLLED: return VT_FOR_UNROLLED;
    case VT_ITER_VECTORIZED: return VT_FOR_VECTORIZED;
    case VT_ITER_PARALLELIZED: return VT_FOR_PARALLEL;
    case VT_ITER_DATA_PAR:
    case VT_ITER_THREAD_INDEX:
    case VT_ITER_COMM_REDUCE:
    case VT_ITER_ORDERED:
    case VT_ITER_OPAQUE:
    case VT_ITER_TENSORIZED: break;
    }
    return VT_FOR_SERIAL;
}

typedef struct loop_maker {
    vt_ctx *ctx;
    const te_stage *st;
    const vt_ptrmap *ranges;
    vt_ptrmap *values;
    bool fresh; /* new variables, ".init" */
} loop_maker;

static void add_serial_loop(loop_maker *m, te__nest *level, const vt_iter *axis, const te__axis_attr *attr,
                            const vt_range *dom) {
    vt_ctx *ctx = m->ctx;
    const vt_stmt *nop = vt_s_nop(ctx);
    const vt_var *v = m->fresh ? vt_var_copy(ctx, axis->var, ".init") : axis->var;
    const vt_expr *zero = vt_int(ctx, v->dtype, 0);
    for (uint32_t i = 0; attr && i < attr->n_pragmas; i++) {
        const char *key = vt_new_format(ctx, VT_PRAGMA_PREFIX "%s", attr->pragmas[i].name);
        te__nest_add(ctx, level, vt_s_attr(ctx, vt_ref_iter(axis), key, attr->pragmas[i].value, nop));
    }
    if (vt_is_const(dom->extent, 1)) {
        const vt_expr *value = vt_cast(ctx, v->dtype, dom->min);
        te__nest_add(ctx, level, vt_s_let(ctx, v, value, nop));
        vt_ptrmap_set(m->values, axis, value);
    } else if (vt_is_const(dom->min, 0)) {
        te__nest_add(ctx, level, vt_s_for(ctx, v, zero, dom->extent, loop_kind(attr), nop));
        vt_ptrmap_set(m->values, axis, v);
    } else {
        const vt_var *idx = vt_var_copy(ctx, axis->var, ".idx");
        const vt_expr *value = vt_add(ctx, dom->min, idx);
        te__nest_add(ctx, level, vt_s_for(ctx, idx, zero, dom->extent, loop_kind(attr), nop));
        vt_ptrmap_set(m->values, axis, value);
        te__nest_add(ctx, level, vt_s_let(ctx, v, value, nop));
    }
}

static void add_thread(loop_maker *m, te__nest *level, const vt_iter *axis, const vt_iter *thread,
                       const vt_range *dom) {
    vt_ctx *ctx = m->ctx;
    int64_t extent;
    bool virtual = te__is_virtual(thread);
    if (!vt_is_const(dom->min, 0))
        vt_raise(ctx, VTA_ILLEGAL, "%s.%s is bound to %s, but runs from %s, not from 0", m->st->origin->name,
                 vt_var_name(axis->var), thread->thread_tag, vt_expr_plain(ctx, dom->min));
    if (virtual && !vt_as_const(dom->extent, &extent))
        vt_raise(ctx, VTA_ILLEGAL, "%s.%s is bound to %s, but its extent %s is not a constant", m->st->origin->name,
                 vt_var_name(axis->var), thread->thread_tag, vt_expr_plain(ctx, dom->extent));
    const char *key = virtual ? VT_ATTR_VIRTUAL_THREAD : VT_ATTR_THREAD_EXTENT;
    te__nest_add(ctx, level, vt_s_attr(ctx, vt_ref_iter(thread), key, dom->extent, vt_s_nop(ctx)));
    bool own = !virtual && (vt_is_const(dom->extent, 1) || te__kept_by_thread(m->st, thread)); /* its own part only */
    vt_ptrmap_set(m->values, axis, own ? dom->min : thread->var);
}

static te__nest *make_levels(loop_maker *m, uint32_t begin, const vt_ptrmap *skip) {
    vt_ctx *ctx = m->ctx;
    te__nest *levels = VT_NEW_ARRAY(ctx, te__nest, m->st->leaf.n + 1);
    for (uint32_t i = begin; i < m->st->leaf.n; i++) {
        const vt_iter *axis = m->st->leaf.items[i];
        if (vt_ptrmap_has(skip, axis)) {
            vt_ptrmap_set(m->values, axis, axis->var);
            continue;
        }
        const te__axis_attr *attr = te__attr(m->st, axis);
        const vt_range *dom = te__range(m->ranges, axis);
        if (attr && attr->thread)
            add_thread(m, &levels[i + 1], axis, attr->thread, dom);
        else
            add_serial_loop(m, &levels[i + 1], axis, attr, dom);
        if (!m->fresh)
            te__nest_add(ctx, &levels[i + 1],
                         vt_s_attr(ctx, vt_ref_iter(axis), VT_ATTR_LOOP, axis->var, vt_s_nop(ctx)));
    }
    te__pass_up_index(ctx, m->st, m->ranges, m->values);
    return levels;
}

static const vt_expr **likely_checks(vt_ctx *ctx, const te_stage *st, const vt_ptrmap *ranges, const vt_ptrmap *values,
                                     bool skip_domain, const vt_ptrmap *skip, uint32_t *out_n) {
    const vt_expr **checks = te__bound_checks(ctx, st, ranges, values, skip_domain, skip, out_n);
    for (uint32_t i = 0; i < *out_n; i++) checks[i] = vt_likely(ctx, checks[i]);
    return checks;
}

enum { OF_AXIS = 1, OF_REDUCTION = 2 };

/* The place of the first loop of the reduction; the loops before it are those that init and update share. */
static uint32_t first_reduction(const te_stage *st, const vt_ptrmap *masks) {
    for (uint32_t i = 0; i < st->leaf.n; i++)
        if ((uintptr_t)vt_ptrmap_get(masks, st->leaf.items[i]) & OF_REDUCTION) return i;
    return st->leaf.n;
}

te__loops *te__make_loops(vt_ctx *ctx, const te_stage *st, const vt_ptrmap *ranges, bool apart) {
    const vt_operation *op = st->op;
    te__loops *loops = VT_NEW(ctx, te__loops);
    vt_ptrmap *none = vt_ptrmap_new(ctx), *masks = vt_ptrmap_new(ctx), *skip = vt_ptrmap_new(ctx);
    loops->n_levels = st->leaf.n + 1;
    loops->main_values = vt_ptrmap_new(ctx);
    loops->init_values = vt_ptrmap_new(ctx);
    loop_maker main = {ctx, st, ranges, loops->main_values, false};
    loops->main = make_levels(&main, 0, none);
    loops->main_conditions = likely_checks(ctx, st, ranges, loops->main_values, false, none, &loops->n_main_conditions);
    loops->common = st->leaf.n;
    if (!op->n_reduce) return loops;
    for (uint32_t i = 0; i < op->n_axes + op->n_reduce; i++)
        vt_ptrmap_set(masks, op->iters[i], (void *)(uintptr_t)(i < op->n_axes ? OF_AXIS : OF_REDUCTION));
    te__pass_down_mask(st, masks);
    loops->common = apart ? 0 : first_reduction(st, masks);
    for (uint32_t i = 0; i < loops->common; i++)
        vt_ptrmap_set(loops->init_values, st->leaf.items[i], vt_ptrmap_get(loops->main_values, st->leaf.items[i]));
    for (uint32_t i = 0; i < vt_ptrmap_size(masks); i++)
        if ((uintptr_t)vt_ptrmap_value(masks, i) == OF_REDUCTION) vt_ptrmap_set(skip, vt_ptrmap_key(masks, i), st);
    loop_maker init = {ctx, st, ranges, loops->init_values, true};
    loops->init = make_levels(&init, loops->common, skip);
    loops->init_conditions = likely_checks(ctx, st, ranges, loops->init_values, true, skip, &loops->n_init_conditions);
    return loops;
}

/* ---- Stores ---- */

static const vt_expr *const *own_indices(vt_ctx *ctx, const vt_operation *op) {
    const vt_expr **index = VT_NEW_ARRAY(ctx, const vt_expr *, op->n_axes);
    for (uint32_t i = 0; i < op->n_axes; i++) index[i] = op->iters[i]->var;
    return index;
}

static const vt_stmt *plain_store(vt_ctx *ctx, const vt_operation *op) {
    const vt_stmt **stores = VT_NEW_ARRAY(ctx, const vt_stmt *, op->n_outputs);
    for (uint32_t k = 0; k < op->n_outputs; k++)
        stores[k] = vt_s_pstore(ctx, op->outputs[k], op->bodies[k], op->n_axes, own_indices(ctx, op));
    return vt_s_seq(ctx, op->n_outputs, stores);
}

/* Does a result read, of the value so far, an output that is stored before it? */
static bool reads_stored(const vt_combiner *how) {
    for (uint32_t k = 1; k < how->n; k++)
        for (uint32_t j = 0; j < k; j++)
            if (vt_expr_uses(how->result[k], how->lhs[j])) return true;
    return false;
}

/* Stores of all results, which are computed before the first of them where one needs what another replaces. */
static const vt_stmt *store_results(vt_ctx *ctx, const vt_operation *op, const vt_varmap *sides) {
    const vt_combiner *how = op->bodies[0]->u.reduce->combiner;
    const vt_expr *const *index = own_indices(ctx, op);
    const vt_stmt **stores = VT_NEW_ARRAY(ctx, const vt_stmt *, op->n_outputs);
    te__nest first = {0};
    bool apart = reads_stored(how);
    for (uint32_t k = 0; k < op->n_outputs; k++) {
        const vt_expr *value = vt_substitute(ctx, how->result[k], sides);
        if (apart) {
            const vt_var *v = vt_var_new(ctx, vt_new_format(ctx, "%s.v%u.next", op->name, k), value->dtype);
            te__nest_add(ctx, &first, vt_s_let(ctx, v, value, vt_s_nop(ctx)));
            value = v;
        }
        stores[k] = vt_s_pstore(ctx, op->outputs[k], value, op->n_axes, index);
    }
    return te__nest_merge(ctx, &first, vt_s_seq(ctx, op->n_outputs, stores));
}

/* The store that starts a reduction and the one that adds to it. */
static void reduction_stores(vt_ctx *ctx, const vt_operation *op, const vt_stmt **out_init,
                             const vt_stmt **out_update) {
    const vt_expr *const *index = own_indices(ctx, op), *body = op->bodies[0];
    const vt_reduce *r = body->u.reduce;
    const vt_stmt **init = VT_NEW_ARRAY(ctx, const vt_stmt *, op->n_outputs);
    vt_varmap *sides = vt_varmap_new(ctx);
    for (uint32_t k = 0; k < op->n_outputs; k++) {
        vt_varmap_set(sides, r->combiner->lhs[k], vt_e_pload(ctx, op->outputs[k], op->n_axes, index));
        vt_varmap_set(sides, r->combiner->rhs[k], body->a[k]);
        const vt_expr *start = r->has_init ? body->a[r->n_sources + k] : r->combiner->identity[k];
        init[k] = vt_s_pstore(ctx, op->outputs[k], start, op->n_axes, index);
    }
    *out_init = vt_s_seq(ctx, op->n_outputs, init);
    *out_update = store_results(ctx, op, sides);
    const vt_expr *condition = body->a[body->n - 1];
    if (!vt_is_const(condition, 1)) *out_update = vt_s_if(ctx, condition, *out_update, NULL);
}

/* Does the loop nest stand at another than the first point of its reduction? */
static const vt_expr *later(vt_ctx *ctx, const te_stage *st, const vt_ptrmap *ranges) {
    const vt_expr *any = vt_bool(ctx, false);
    for (uint32_t i = 0; i < st->leaf.n; i++)
        if (st->leaf.items[i]->type == VT_ITER_COMM_REDUCE)
            any = vt_or(ctx, any, vt_gt(ctx, st->leaf.items[i]->var, te__range(ranges, st->leaf.items[i])->min));
    return any;
}

/* The same of what statements reduce. */
static void external_parts(vt_ctx *ctx, const te_stage *st, const vt_ptrmap *ranges, const vt_stmt **out_init,
                           const vt_stmt **out_update) {
    const te__extern *x = st->op->external;
    *out_update = te__extern_statement(ctx, st->op, x->update, true);
    if (x->reset)
        *out_init = te__extern_statement(ctx, st->op, x->reset, false);
    else
        *out_update =
            vt_s_if(ctx, later(ctx, st, ranges), *out_update, te__extern_statement(ctx, st->op, x->body, true));
}

const vt_stmt *te__make_provide(te_context *c, const te_stage *st, const vt_ptrmap *ranges) {
    vt_ctx *ctx = &c->ctx;
    for (uint32_t i = 0; i < st->n_attrs; i++)
        if (st->attrs[i].type == VT_ITER_TENSORIZED && te__iters_find(&st->leaf, st->attrs[i].axis) < st->leaf.n)
            return te__make_tensorized(c, st, ranges);
    te__loops *l = te__make_loops(ctx, st, ranges, false);
    if (!st->op->n_reduce) {
        const vt_stmt *stores = st->op->scan       ? te__scan_stores(ctx, st->op)
                                : st->op->external ? te__extern_statement(ctx, st->op, st->op->external->body, true)
                                                   : plain_store(ctx, st->op);
        const vt_stmt *body = te__wrap_conditions(ctx, l->main_conditions, l->n_main_conditions, stores);
        return te__substitute_axes(ctx, te__wrap(ctx, l->main, 0, l->n_levels, body), l->main_values);
    }
    const vt_stmt *init = NULL, *update;
    if (st->op->external)
        external_parts(ctx, st, ranges, &init, &update);
    else
        reduction_stores(ctx, st->op, &init, &update);
    if (init) {
        init = te__wrap_conditions(ctx, l->init_conditions, l->n_init_conditions, init);
        init = te__substitute_axes(ctx, te__wrap(ctx, l->init, 0, l->n_levels, init), l->init_values);
    }
    update = te__wrap_conditions(ctx, l->main_conditions, l->n_main_conditions, update);
    update = te__wrap(ctx, l->main, l->common + 1, l->n_levels, update);
    const vt_stmt *both = init ? vt_s_seq(ctx, 2, (const vt_stmt *const[]){init, update}) : update;
    return te__substitute_axes(ctx, te__wrap(ctx, l->main, 0, l->common + 1, both), l->main_values);
}

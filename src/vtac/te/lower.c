/* From a schedule to a function: every stage's loops, put where the schedule says. */
#include <string.h>

#include "ir/attr.h"
#include "ir/print.h"
#include "te/bound.h"
#include "te/nest.h"
#include "te/scan.h"

static const vt_expr *tuple(vt_ctx *ctx, uint32_t n, const vt_expr *const *items) {
    return vt_e_call(ctx, VT_HANDLE_T, VT_OP_TUPLE, n, items);
}

/* The memory that a stage's results take, around the code that makes and uses them. */
static const vt_stmt *realize(vt_ctx *ctx, const te_stage *st, const vt_ptrmap *ranges, const vt_stmt *body) {
    const vt_operation *op = st->op;
    for (uint32_t k = op->n_outputs; k > 0; k--) {
        const vt_tensor *t = op->outputs[k - 1];
        vt_range *bounds = VT_NEW_ARRAY(ctx, vt_range, t->ndim);
        for (uint32_t i = 0; i < t->ndim; i++)
            bounds[i] = op->scan || i >= op->n_axes ? (vt_range){vt_int(ctx, t->shape[i]->dtype, 0), t->shape[i]}
                                                    : *te__range(ranges, op->iters[i]);
        body = vt_s_realize(ctx, st->origin->outputs[k - 1], t->ndim, bounds, vt_bool(ctx, true), st->scope, body);
        for (uint32_t i = 0; i < op->n_axes; i++) {
            const te__axis_attr *attr = te__attr(st, op->iters[i]);
            if (!attr || !attr->align_factor) continue;
            const vt_expr *align[] = {vt_i32(ctx, i), vt_i32(ctx, attr->align_factor), vt_i32(ctx, attr->align_offset)};
            body = vt_s_attr(ctx, vt_ref_tensor(st->origin->outputs[k - 1]), VT_ATTR_DIM_ALIGN, tuple(ctx, 3, align),
                             body);
        }
    }
    return body;
}

static const vt_stmt *pipeline(te_context *c, const te_stage *st, const vt_ptrmap *ranges, const vt_stmt *consumer) {
    vt_ctx *ctx = &c->ctx;
    const vt_stmt *s = te__scan_guard(ctx, st, ranges, te__make_provide(c, st, ranges));
    if (consumer && !vt_stmt_is_nop(consumer)) s = vt_s_seq(ctx, 2, (const vt_stmt *const[]){s, consumer});
    return realize(ctx, st, ranges, s);
}

typedef struct attacher {
    vt_mutator base;
    te_context *c;
    const te_stage *st;
    const vt_ptrmap *ranges;
    bool found;
} attacher;

static const vt_stmt *attach_stmt(vt_mutator *base, const vt_stmt *s) {
    attacher *m = (attacher *)base;
    if (m->found) return s;
    if (vt_attr_is(s, VT_ATTR_LOOP) && s->u.attr.node.u.iter == m->st->at_axis) {
        m->found = true;
        const vt_stmt *body = pipeline(m->c, m->st, m->ranges, s->u.attr.body);
        return vt_s_attr(base->ctx, s->u.attr.node, s->u.attr.key, s->u.attr.value, body);
    }
    return vt_mutate_stmt_children(base, s);
}

static const vt_stmt *attach(te_context *c, const te_stage *st, const vt_ptrmap *ranges, const vt_stmt *body) {
    attacher m = {
        .base = {.ctx = &c->ctx, .statements_only = true, .stmt = attach_stmt}, .c = c, .st = st, .ranges = ranges};
    body = body ? vt_mutate_stmt(&m.base, body) : NULL;
    if (!m.found)
        te__raise_at(
            c, st->at_pos, VTA_ILLEGAL,
            "%s is to be computed at %s.%s, but that loop is not in the code: it lies inside a tensorized loop, or %s "
            "is itself computed later",
            st->origin->name, st->at_stage->origin->name, vt_var_name(st->at_axis->var), st->at_stage->origin->name);
    return body;
}

/* ---- The last step: names and marks that only te needs are removed ---- */

typedef struct finisher {
    vt_mutator base;
    vt_varmap *values;    /* variables of LETs, threads */
    vt_ptrmap *tensors;   /* what a rewritten stage makes -> what the user knows it by */
    vt_ptrmap *arguments; /* tensors whose memory the caller gives */
} finisher;

static const vt_tensor *known_tensor(const finisher *m, const vt_tensor *t) {
    const vt_tensor *to = vt_ptrmap_get(m->tensors, te__tensor_key(t));
    return to ? to : t;
}

static const vt_expr *finish_expr(vt_mutator *base, const vt_expr *e) {
    finisher *m = (finisher *)base;
    if (e->kind == VT_E_VAR) {
        const vt_expr *value = vt_varmap_get(m->values, e);
        return value ? value : e;
    }
    e = vt_mutate_expr_children(base, e);
    if (e->kind != VT_E_PLOAD) return e;
    const vt_tensor *t = known_tensor(m, e->u.tensor);
    return t == e->u.tensor ? e : vt_e_pload(base->ctx, t, e->n, e->a);
}

static const vt_stmt *finish_attr(finisher *m, const vt_stmt *s) {
    vt_mutator *base = &m->base;
    if (vt_attr_is(s, VT_ATTR_LOOP)) return vt_mutate_stmt(base, s->u.attr.body);
    if (s->u.attr.node.kind != VT_REF_PAIR) return vt_mutate_stmt_children(base, s);
    const vt_stmt *result = vt_mutate_stmt_children(base, s);
    vt_ref node = vt_ref_pair(s->u.attr.node.u.buffer, known_tensor(m, s->u.attr.node.second));
    return vt_s_attr(base->ctx, node, s->u.attr.key, result->u.attr.value, result->u.attr.body);
}

static const vt_stmt *finish_stmt(vt_mutator *base, const vt_stmt *s) {
    finisher *m = (finisher *)base;
    vt_effect effect = s->kind == VT_S_LET ? vt_expr_effect(s->u.let.value) : VT_EFFECT_PURE;
    bool stays = effect >= VT_EFFECT_UPDATE || (effect == VT_EFFECT_READ && vt_stmt_uses(s->u.let.body, s->u.let.var));
    if (s->kind == VT_S_LET && !stays) { /* not a result's next value */
        vt_varmap_set(m->values, s->u.let.var, vt_mutate_expr(base, s->u.let.value));
        return vt_mutate_stmt(base, s->u.let.body);
    }
    if (s->kind == VT_S_ATTR) return finish_attr(m, s);
    if (s->kind == VT_S_REALIZE && vt_ptrmap_has(m->arguments, te__tensor_key(s->u.realize.tensor)))
        return vt_mutate_stmt(base, s->u.realize.body);
    s = vt_mutate_stmt_children(base, s);
    if (s->kind != VT_S_PSTORE || known_tensor(m, s->u.pstore.tensor) == s->u.pstore.tensor) return s;
    return vt_s_pstore(base->ctx, known_tensor(m, s->u.pstore.tensor), s->u.pstore.value, s->u.pstore.n_indices,
                       s->u.pstore.indices);
}

static const vt_stmt *finish(const te_schedule *s, uint32_t n, const vt_binding *bindings, const vt_stmt *body) {
    vt_ctx *ctx = &s->c->ctx;
    finisher m = {.base = {.ctx = ctx, .expr = finish_expr, .stmt = finish_stmt}};
    m.values = vt_varmap_new(ctx);
    m.tensors = vt_ptrmap_new(ctx);
    m.arguments = vt_ptrmap_new(ctx);
    for (uint32_t i = 0; i < n; i++) vt_ptrmap_set(m.arguments, te__tensor_key(bindings[i].tensor), s);
    for (uint32_t i = 0; i < s->n_stages; i++) {
        const te_stage *st = s->stages[i];
        for (uint32_t j = 0; j < st->n_attrs; j++)
            if (st->attrs[j].thread) vt_varmap_set(m.values, st->attrs[j].axis->var, st->attrs[j].thread->var);
        for (uint32_t k = 0; st->op != st->origin && k < st->op->n_outputs; k++)
            vt_ptrmap_set(m.tensors, st->op->outputs[k], st->origin->outputs[k]);
        for (uint32_t k = 0; st->op->scan && k < st->op->n_outputs; k++)
            vt_ptrmap_set(m.tensors, te__tensor_key(st->op->scan->states[k]), st->origin->outputs[k]);
    }
    return vt_mutate_stmt(&m.base, body);
}

/* ---- The function ---- */

static const vt_stmt *all_stages(te_schedule *s, const vt_ptrmap *ranges) {
    const vt_stmt *body = NULL;
    for (uint32_t i = s->n_stages; i > 0; i--) {
        vt_poll(&s->c->ctx);
        const te_stage *st = s->stages[i - 1];
        if (st->op->placeholder || st->attach == TE__INLINED) continue;
        body = st->attach == TE__AT ? attach(s->c, st, ranges, body) : pipeline(s->c, st, ranges, body);
    }
    return body ? body : vt_s_nop(&s->c->ctx);
}

/* Every input that is read must be an argument, and every output unless some may be missing. */
static void check_arguments(const te_schedule *s, uint32_t n, const vt_te_arg *args, bool some) {
    for (uint32_t i = 0; i < n; i++) {
        if (args[i].tensor) te__need_a(s->c, VT_TAG_TENSOR, args[i].tensor, "a tensor");
        if (args[i].scalar) te__need_a(s->c, VT_TAG_EXPR, args[i].scalar, "a scalar");
    }
    for (uint32_t i = 0; i < s->n_stages; i++) {
        const te_stage *st = s->stages[i];
        bool given = st->op->placeholder ? te__is_state(s, st->op) : some || !st->is_output;
        for (uint32_t j = 0; j < n && !given; j++)
            given = args[j].tensor && te__op(vt_te_tensor(args[j].tensor)) == st->origin;
        if (!given)
            te__raise(s->c, VTA_INVALID_ARGUMENT,
                      "%s, an %s of the schedule, is not among the arguments of the function", st->origin->name,
                      st->op->placeholder ? "input" : "output");
    }
}

static void add_argument(te_context *c, const vt_te_arg *arg, uint32_t i, const vt_var **param, vt_binding *binding) {
    vt_ctx *ctx = &c->ctx;
    if (!arg->tensor && !arg->scalar) te__raise(c, VTA_INVALID_ARGUMENT, "argument %u is NULL", i);
    if (!arg->tensor) {
        *param = vt_te_expr(arg->scalar);
        if ((*param)->kind != VT_E_VAR)
            te__raise(c, VTA_INVALID_ARGUMENT, "argument %u is neither a tensor nor a scalar", i);
        return;
    }
    const vt_tensor *t = vt_te_tensor(arg->tensor);
    te__need_context(c, te__op(t));
    const char *name = te__op(t)->n_outputs == 1 ? t->name : vt_new_format(ctx, "%s.v%u", t->name, t->value_index);
    *param = vt_var_new(ctx, name, VT_HANDLE_T);
    *binding = (vt_binding){.param = *param, .tensor = t};
    binding->buffer = vt_buffer_new(ctx, name, NULL, t->dtype, t->ndim, t->shape);
}

enum { LARGEST_FACTOR = 1 << 30 };

/* Numbers of splits that are only known when the kernel runs must make loops: the kernel refuses its call otherwise. */
static const vt_stmt *check_factors(const te_schedule *s, const vt_stmt *body) {
    vt_ctx *ctx = &s->c->ctx;
    for (uint32_t i = 0; i < s->n_stages; i++)
        for (uint32_t j = 0; j < s->stages[i]->n_relations; j++) {
            const te__relation *r = &s->stages[i]->relations[j];
            const vt_expr *number = r->kind != TE__SPLIT ? NULL : r->factor ? r->factor : r->nparts;
            int64_t known;
            if (!number || vt_as_const(number, &known)) continue;
            const vt_expr *fits = vt_and(ctx, vt_ge(ctx, number, vt_int(ctx, number->dtype, 1)),
                                         vt_le(ctx, number, vt_int(ctx, number->dtype, LARGEST_FACTOR)));
            const char *words =
                vt_new_format(ctx, "%s.%s is split by %s, which must be from 1 to 2^30", s->stages[i]->origin->name,
                              vt_var_name(r->parent->var), vt_expr_plain(ctx, number));
            body = vt_s_assert(ctx, fits, vt_string(ctx, words), body);
        }
    return body;
}

static const vt_func *lower(te_schedule *s, uint32_t n, const vt_te_arg *args, const char *name, bool some) {
    te_context *c = s->c;
    vt_ctx *ctx = &c->ctx;
    check_arguments(s, n, args, some);
    const vt_var **params = VT_NEW_ARRAY(ctx, const vt_var *, n);
    vt_binding *bindings = VT_NEW_ARRAY(ctx, vt_binding, n);
    uint32_t bound = 0;
    for (uint32_t i = 0; i < n; i++) {
        add_argument(c, &args[i], i, &params[i], &bindings[bound]);
        for (uint32_t j = 0; j < bound && args[i].tensor; j++)
            if (bindings[j].tensor == bindings[bound].tensor)
                te__raise(c, VTA_INVALID_ARGUMENT, "argument %s is given twice", bindings[j].tensor->name);
        bound += args[i].tensor != NULL;
    }
    te_schedule *ready = te__normalize(s);
    const vt_ptrmap *ranges = te__infer_bounds(ready);
    te__check_reads(ready, ranges);
    vt_func *f = VT_NEW(ctx, vt_func);
    *f = (vt_func){.name = vt_new_string(ctx, name),
                   .n_params = n,
                   .params = params,
                   .n_bindings = bound,
                   .bindings = bindings,
                   .result = VT_VOID_T};
    f->body = check_factors(s, finish(ready, bound, bindings, all_stages(ready, ranges)));
    const vt_func *result = vt_func_with_attr(ctx, f, "from_legacy_te_schedule", vt_bool(ctx, true));
    result = vt_func_with_attr(ctx, result, "global_symbol", vt_string(ctx, name));
    return vt_func_with_attr(ctx, result, "tir.noalias", vt_bool(ctx, true));
}

const vt_func *vt_te_lower(te_schedule *s, uint32_t n, const vt_te_arg *args, const char *name) {
    return lower(s, n, args, name, false);
}

const vt_func *vt_te_lower_some(te_schedule *s, uint32_t n, const vt_te_arg *args, const char *name) {
    return lower(s, n, args, name, true);
}

/* Copies of a tensor in another memory: before it is read, or before it is written back. */
#include "te/bound.h"
#include "te/expr.h"
#include "te/extern.h"

static const char *cache_name(te_context *c, const vt_operation *op, uint32_t output, const char *scope) {
    const char *index = op->n_outputs == 1 ? "" : vt_new_format(&c->ctx, ".v%u", output);
    return vt_new_format(&c->ctx, "%s%s.%s", op->name, index, *scope ? scope : "cache");
}

te_stage *te__stage_for(te_context *c, const te_schedule *s, const te_tensor *tensor, const char *step) {
    const vt_tensor *t = te__tensor_in(c, tensor, "a tensor");
    te_stage *st = te__stage_of(s, te__op(t));
    if (!st) te__raise(c, VTA_NOT_FOUND, "cannot %s %s: the schedule has no stage for it", step, t->name);
    return st;
}

/* ---- Reading ---- */

static const vt_operation *copy_of(te_context *c, const vt_tensor *t, const char *name) {
    vt_ctx *ctx = &c->ctx;
    const vt_iter **axes = VT_NEW_ARRAY(ctx, const vt_iter *, t->ndim);
    const vt_expr **index = VT_NEW_ARRAY(ctx, const vt_expr *, t->ndim);
    for (uint32_t i = 0; i < t->ndim; i++) {
        axes[i] = te__axis(c, vt_new_format(ctx, "ax%u", i), vt_i32(ctx, 0), t->shape[i], false);
        index[i] = axes[i]->var;
    }
    const vt_expr *body = vt_e_pload(ctx, t, t->ndim, index);
    return te__compute(c, name, "", t->ndim, axes, 1, &body);
}

static void redirect(te_context *c, te_stage *reader, const vt_tensor *from, const vt_tensor *to, te__replacing *r) {
    vt_ptrmap *map = vt_ptrmap_new(&c->ctx);
    vt_ptrmap_set(map, te__tensor_key(from), to);
    const vt_operation *op = te__replace_inputs(&c->ctx, reader->op, map);
    if (op == reader->op) return; /* given twice */
    te__replacing_op(r, reader->op, op);
    reader->op = op;
}

static bool reads(const vt_operation *op, const vt_tensor *t) {
    for (uint32_t i = 0; i < op->n_inputs; i++)
        if (op->inputs[i] == t) return true;
    return false;
}

typedef struct caching {
    te_context *c;
    te_schedule *s;
    te_stage *st, *fresh;   /* the stage that is copied; the copy */
    const vt_operation *op; /* its new computation (writing) */
    te_stage **readers;
    uint32_t n;
    const vt_tensor *source;
} caching;

void te__change_all(te_schedule *s, vta_status (*change)(vt_ctx *ctx, void *arg), void *arg) {
    vt_ctx *ctx = &s->c->ctx;
    vt_grow(ctx, &s->stages, &s->cap_stages, s->n_stages + 1, sizeof *s->stages);
    const vt_operation **before = VT_NEW_ARRAY(ctx, const vt_operation *, s->n_stages);
    for (uint32_t i = 0; i < s->n_stages; i++) before[i] = s->stages[i]->op;
    vta_status status = vt_protect(ctx, change, arg);
    if (status == VTA_OK) return;
    for (uint32_t i = 0; i < s->n_stages; i++) s->stages[i]->op = before[i];
    vt_leave(ctx, status);
}

static vta_status read_through(vt_ctx *ctx, void *arg) {
    caching *k = arg;
    te__replacing *r = te__replacing_new(ctx);
    for (uint32_t i = 0; i < k->n; i++) redirect(k->c, k->readers[i], k->source, k->fresh->op->outputs[0], r);
    te__replace_dataflow(k->s, r);
    return VTA_OK;
}

static te_tensor *cache_read(te_context *c, te_schedule *s, const te_tensor *t, const char *where, size_t n,
                             te_tensor *const *readers) {
    te_stage *st = te__stage_for(c, s, t, "cache_read");
    uint32_t output = vt_te_tensor(t)->value_index;
    const char *scope = te__scope(c, where);
    caching job = {.c = c, .s = s, .st = st, .source = st->op->outputs[output]};
    job.readers = VT_NEW_ARRAY(&c->ctx, te_stage *, s->n_stages + n);
    for (size_t i = 0; i < n; i++) {
        te_stage *reader = te__stage_for(c, s, readers[i], "cache_read for");
        if (!reads(reader->op, job.source))
            te__raise(c, VTA_ILLEGAL, "cannot cache_read %s for %s: %s does not read it", job.source->name,
                      reader->origin->name, reader->origin->name);
        job.readers[job.n++] = reader;
    }
    for (uint32_t i = 0; i < s->n_stages && !n; i++)
        if (reads(s->stages[i]->op, job.source)) job.readers[job.n++] = s->stages[i];
    if (!job.n) te__raise(c, VTA_ILLEGAL, "cannot cache_read %s: nothing reads it", job.source->name);
    job.fresh = te__stage_new(s, copy_of(c, job.source, cache_name(c, st->op, output, scope)));
    job.fresh->scope = scope;
    job.fresh->group = st->group;
    te__change_all(s, read_through, &job);
    te__stage_insert(s, te__stage_index(s, st) + 1, job.fresh);
    return te__out(job.fresh->op->outputs[0]);
}

te_tensor *te_cache_read(te_schedule *s, te_tensor *t, const char *scope, size_t n, te_tensor *const readers[]) {
    if (!vt_is(s, VT_TAG_SCHEDULE) || (n && !readers)) return NULL;
    TE_RETURN(s->c, cache_read(s->c, s, t, scope, n, readers));
}

/* ---- Writing ---- */

typedef struct relayout {
    vt_ctx *ctx;
    const te_stage *st;
    const vt_operation *op;
    vt_ptrmap *ranges;
    vt_ptrmap *reduce;    /* the operation's reduce axes, and what their loops became */
    const vt_iter **axes; /* of the cache: the loops of the stage */
    uint32_t n_axes;
    const vt_expr **place; /* where in the cache an element of the result is */
    const vt_expr **bodies;
} relayout;

/* The cache's axes are the stage's data loops as they stand; the bodies are written in terms of them. */
static void relayout_bodies(relayout *l) {
    vt_ctx *ctx = l->ctx;
    vt_varmap *to_loops = vt_varmap_new(ctx), *to_fresh = vt_varmap_new(ctx);
    vt_ptrmap *values = vt_ptrmap_new(ctx), *skip = vt_ptrmap_new(ctx);
    for (uint32_t i = 0; i < l->st->leaf.n; i++) {
        const vt_iter *axis = l->st->leaf.items[i];
        const vt_range *r = te__range(l->ranges, axis);
        if (axis->type == VT_ITER_COMM_REDUCE) continue;
        const vt_var *v = vt_var_copy(ctx, axis->var, ".c");
        l->axes[l->n_axes++] = vt_iter_new(ctx, v, r->min, r->extent, VT_ITER_DATA_PAR, "");
        vt_ptrmap_set(values, axis, axis->var);
        vt_varmap_set(to_fresh, axis->var, v);
    }
    for (uint32_t i = 0; i < l->st->all.n; i++)
        if (l->st->all.items[i]->type == VT_ITER_COMM_REDUCE) vt_ptrmap_set(skip, l->st->all.items[i], l->st);
    te__pass_up_index(ctx, l->st, l->ranges, values);
    uint32_t n;
    const vt_expr **checks = te__bound_checks(ctx, l->st, l->ranges, values, true, skip, &n), *inside = NULL;
    for (uint32_t i = 0; i < n; i++) inside = inside ? vt_and(ctx, inside, checks[i]) : checks[i];
    for (uint32_t i = 0; i < l->op->n_axes; i++)
        vt_varmap_set(to_loops, l->op->iters[i]->var, vt_ptrmap_get(values, l->op->iters[i]));
    for (uint32_t k = 0; k < l->op->n_outputs; k++) {
        const vt_expr *body = vt_substitute(ctx, l->op->bodies[k], to_loops);
        if (inside && body->kind == VT_E_REDUCE) {
            const vt_reduce *r = body->u.reduce;
            const vt_expr *condition = vt_and(ctx, body->a[body->n - 1], inside);
            body = vt_e_reduce(ctx, r->combiner, r->n_sources, body->a, r->n_axes, r->axes, condition,
                               r->has_init ? body->a + r->n_sources : NULL, r->value_index);
        } else if (inside) {
            body = vt_e_select(ctx, inside, body, vt_const(ctx, body->dtype, 0));
        }
        l->bodies[k] = vt_substitute(ctx, body, to_fresh);
    }
}

static void relayout_places(relayout *l) {
    vt_ptrmap *values = vt_ptrmap_new(l->ctx);
    uint32_t n = 0;
    for (uint32_t i = 0; i < l->op->n_axes; i++) vt_ptrmap_set(values, l->op->iters[i], l->op->iters[i]->var);
    te__pass_down_index(l->ctx, l->st, l->ranges, values);
    for (uint32_t i = 0; i < l->st->leaf.n; i++)
        if (l->st->leaf.items[i]->type != VT_ITER_COMM_REDUCE)
            l->place[n++] = vt_ptrmap_get(values, l->st->leaf.items[i]);
}

static vta_status write_through(vt_ctx *ctx, void *arg) {
    caching *k = arg;
    te__replacing *r = te__replacing_new(ctx);
    te__replacing_op(r, k->st->op, k->op);
    te__replace_dataflow(k->s, r);
    k->st->op = k->op;
    te__iters_reset(ctx, k->st);
    return VTA_OK;
}

static te_tensor *add_cache(te_context *c, const te_tensor *t, te_stage *st, const char *scope,
                            const vt_operation *cache, const vt_operation *out) {
    caching job = {.c = c, .s = st->schedule, .st = st, .fresh = te__stage_new(st->schedule, cache), .op = out};
    job.fresh->scope = scope;
    job.fresh->group = st->group;
    te__change_all(job.s, write_through, &job);
    te__stage_insert(job.s, te__stage_index(job.s, st), job.fresh);
    return te__out(cache->outputs[vt_te_tensor(t)->value_index]);
}

static const char *written_name(te_context *c, const vt_operation *op, const char *scope) {
    return vt_new_format(&c->ctx, "%s.%s", op->name, *scope ? scope : "cache");
}

/* What an intrinsic computes is computed by it in the cache, and copied out element by element. */
static te_tensor *cache_statements(te_context *c, const te_tensor *t, te_stage *st, const char *scope) {
    vt_ctx *ctx = &c->ctx;
    const vt_operation *op = st->op;
    if (!op->external->intrinsic)
        te__raise(c, VTA_UNSUPPORTED, "cannot cache_write %s: it consists of statements", op->name);
    if (st->n_relations)
        te__raise(c, VTA_ILLEGAL,
                  "cannot cache_write %s, which an intrinsic computes, after its loops were split or fused", op->name);
    const vt_operation *cache = te__extern_again(c, op, written_name(c, op, scope));
    uint32_t ndim = op->n_axes + op->external->n_inner;
    const vt_iter **axes = VT_NEW_ARRAY(ctx, const vt_iter *, ndim);
    const vt_expr **index = VT_NEW_ARRAY(ctx, const vt_expr *, ndim),
                  **copies = VT_NEW_ARRAY(ctx, const vt_expr *, op->n_outputs);
    for (uint32_t i = 0; i < ndim; i++) {
        axes[i] = i < op->n_axes ? op->iters[i] : op->external->inner[i - op->n_axes];
        index[i] = axes[i]->var;
    }
    for (uint32_t k = 0; k < op->n_outputs; k++) copies[k] = vt_e_pload(ctx, cache->outputs[k], ndim, index);
    return add_cache(c, t, st, scope, cache, te__compute(c, op->name, op->tag, ndim, axes, op->n_outputs, copies));
}

static te_tensor *cache_write(te_context *c, te_schedule *s, const te_tensor *t, const char *where) {
    vt_ctx *ctx = &c->ctx;
    te_stage *st = te__stage_for(c, s, t, "cache_write");
    const vt_operation *op = st->op;
    const char *scope = te__scope(c, where);
    if (op->placeholder)
        te__raise(c, VTA_ILLEGAL, "cannot cache_write %s: it is an input and is not computed", op->name);
    if (op->scan) te__raise(c, VTA_UNSUPPORTED, "cannot cache_write %s: it is a scan", op->name);
    if (op->external) return cache_statements(c, t, st, scope);
    if (te__has_mixed_loops(ctx, st))
        te__raise(c, VTA_ILLEGAL, "cannot cache_write %s: a data axis and a reduce axis of it are fused", op->name);
    relayout l = {.ctx = ctx, .st = st, .op = op, .ranges = vt_ptrmap_new(ctx)};
    l.axes = VT_NEW_ARRAY(ctx, const vt_iter *, st->leaf.n);
    l.place = VT_NEW_ARRAY(ctx, const vt_expr *, st->leaf.n);
    l.bodies = VT_NEW_ARRAY(ctx, const vt_expr *, op->n_outputs);
    vt_analyzer *a = vt_analyzer_new(ctx);
    for (uint32_t i = 0; i < op->n_axes; i++) {
        te__range_set(ctx, l.ranges, op->iters[i], op->iters[i]->min, op->iters[i]->extent);
        vt_analyzer_bind_range(a, op->iters[i]->var, op->iters[i]->min, op->iters[i]->extent, false);
    }
    te__pass_down_domain(ctx, st, l.ranges, a, true);
    relayout_bodies(&l);
    relayout_places(&l);
    const vt_operation *cache =
        te__compute(c, written_name(c, op, scope), op->tag, l.n_axes, l.axes, op->n_outputs, l.bodies);
    const vt_expr **copies = VT_NEW_ARRAY(ctx, const vt_expr *, op->n_outputs);
    for (uint32_t k = 0; k < op->n_outputs; k++) copies[k] = vt_e_pload(ctx, cache->outputs[k], l.n_axes, l.place);
    return add_cache(c, t, st, scope, cache,
                     te__compute(c, op->name, op->tag, op->n_axes, op->iters, op->n_outputs, copies));
}

te_tensor *te_cache_write(te_schedule *s, te_tensor *t, const char *scope) {
    if (!vt_is(s, VT_TAG_SCHEDULE)) return NULL;
    TE_RETURN(s->c, cache_write(s->c, s, t, scope));
}

/* Bound inference: over which range every axis of every stage runs, from the outputs back to the inputs. */
#include <string.h>

#include "te/bound.h"
#include "te/scan.h"

typedef struct bounds {
    te_schedule *s;
    vt_ctx *ctx;
    vt_ptrmap *ranges;
    vt_ptrmap *threads; /* axis -> thread axis that it is bound to */
    vt_analyzer *analyzer;
} bounds;

/* ---- Memory and threads ---- */

enum { RANK_GLOBAL = 0, RANK_SHARED = 1, RANK_WARP = 2, RANK_LOCAL = 3, RANK_BLOCK = 0, RANK_THREAD = 1 };

static int scope_rank(const char *scope) { /* how few threads share it */
    if (strncmp(scope, "local", 5) == 0) return RANK_LOCAL;
    if (strncmp(scope, "warp", 4) == 0) return RANK_WARP;
    return strncmp(scope, "shared", 6) == 0 ? RANK_SHARED : RANK_GLOBAL;
}

static const char *thread_tag(const bounds *b, const vt_iter *axis) {
    const vt_iter *thread = vt_ptrmap_get(b->threads, axis);
    return thread ? thread->thread_tag : axis->thread_tag;
}

static int thread_rank(const char *tag) { return strncmp(tag, "blockIdx", 8) == 0 ? RANK_BLOCK : RANK_THREAD; }

bool te__kept_by_thread(const te_stage *st, const vt_iter *thread) {
    return *st->scope && scope_rank(st->scope) > thread_rank(thread->thread_tag);
}

static bool is_virtual(const bounds *b, const vt_iter *axis) {
    const vt_iter *thread = vt_ptrmap_get(b->threads, axis);
    return te__is_virtual(thread ? thread : axis);
}

/* Does the stage need what all values of the axis need (true), or what its present value needs? Memory that threads
 * share must hold the part of each, and so must what is computed around the loops that virtual threads become. */
static bool need_relax(const bounds *b, const vt_iter *axis, bool inside, int rank) {
    const char *tag = thread_tag(b, axis);
    if (!*tag) return !inside;
    if (!inside && is_virtual(b, axis)) return true;
    if (rank == RANK_WARP && strcmp(tag, "threadIdx.x") == 0) return true; /* the threads of a warp */
    return rank <= thread_rank(tag);
}

static int stage_rank(const bounds *b, uint32_t index) {
    const te_stage *st = b->s->stages[index];
    if (*st->scope) return scope_rank(st->scope);
    int rank = RANK_GLOBAL;
    for (uint32_t i = 0; i < st->path.n; i++) {
        const char *tag = thread_tag(b, st->path.items[i]);
        if (*tag && thread_rank(tag) == RANK_THREAD) return RANK_LOCAL;
        if (*tag) rank = RANK_SHARED;
    }
    return rank;
}

/* ---- Attach paths ---- */

static void find_path(bounds *b, uint32_t index) {
    te_stage *st = b->s->stages[index];
    te__iters *path = &st->path;
    uint32_t steps = 0;
    for (const te_stage *at = st; at->attach == TE__AT; at = at->at_stage) {
        if (++steps > b->s->n_stages)
            te__raise_at(b->s->c, at->at_pos, VTA_ILLEGAL, "%s is computed at a loop of itself, by way of other stages",
                         st->origin->name);
        uint32_t from = te__iters_find(&at->at_stage->leaf, at->at_axis);
        if (from == at->at_stage->leaf.n)
            te__raise_at(
                b->s->c, at->at_pos, VTA_ILLEGAL,
                "%s is to be computed at %s.%s, but that is not a loop any more, nor was it split or fused into "
                "one; the loops of %s are %s",
                at->origin->name, at->at_stage->origin->name, vt_var_name(at->at_axis->var), at->at_stage->origin->name,
                te__leaf_names(b->ctx, at->at_stage));
        if (at->at_stage->attach == TE__INLINED)
            te__raise_at(b->s->c, at->at_pos, VTA_ILLEGAL, "%s is to be computed at a loop of %s, which is inlined",
                         at->origin->name, at->at_stage->origin->name);
        for (uint32_t i = from + 1; i > 0; i--) {
            const vt_iter *axis = at->at_stage->leaf.items[i - 1];
            const te__axis_attr *attr = te__attr(at->at_stage, axis);
            te__iters_insert(b->ctx, path, path->n, axis);
            if (attr && attr->thread) te__iters_insert(b->ctx, path, path->n, attr->thread);
        }
    }
}

/* ---- Demands ---- */

typedef struct demand_walk {
    vt_analyzer *a;
    const vt_dommap *domain;
    uint32_t n;
    te__demand *demands;
} demand_walk;

static vt_intset clamp_to_shape(vt_analyzer *a, vt_intset set, const vt_expr *extent) {
    vt_ctx *ctx = vt_analyzer_ctx(a);
    const vt_expr *low = vt_int(ctx, extent->dtype, 0), *high = vt_sub(ctx, extent, vt_int(ctx, extent->dtype, 1));
    bool all = !set.min && !set.max;
    bool wider = set.min && set.max && vt_prove(a, vt_ge(ctx, low, set.min)) && vt_prove(a, vt_le(ctx, high, set.max));
    return all || wider ? vt_intset_interval(low, high) : set;
}

static void add_demand(void *user, const vt_expr *e) {
    demand_walk *w = user;
    vt_ctx *ctx = vt_analyzer_ctx(w->a);
    if (e->kind != VT_E_PLOAD) return;
    for (uint32_t k = 0; k < w->n; k++) {
        te__demand *d = &w->demands[k];
        if (d->tensor != e->u.tensor) continue;
        vt_grow(ctx, &d->sets, &d->cap, d->n + e->n, sizeof *d->sets);
        for (uint32_t i = 0; i < e->n; i++)
            d->sets[d->n++] = clamp_to_shape(w->a, vt_eval_set(w->a, e->a[i], w->domain), d->tensor->shape[i]);
    }
}

void te__demand_of(vt_analyzer *a, const vt_operation *op, const vt_dommap *domain, uint32_t n, te__demand *demands) {
    demand_walk w = {a, domain, n, demands};
    if (op->external) {
        te__extern_demand(a, op, domain, n, demands);
        return;
    }
    for (uint32_t k = 0; k < op->n_outputs && !op->placeholder; k++) vt_expr_walk_post(op->bodies[k], add_demand, &w);
}

vt_intset te__demand_union(vt_ctx *ctx, const te__demand *demand, uint32_t dim) {
    uint32_t ndim = demand->tensor->ndim, n = ndim ? demand->n / ndim : 0;
    vt_intset *sets = VT_NEW_ARRAY(ctx, vt_intset, n);
    for (uint32_t i = 0; i < n; i++) sets[i] = demand->sets[i * ndim + dim];
    return vt_intset_union(vt_analyzer_new(ctx), n, sets);
}

/* ---- One stage ---- */

static bool reads(const te_stage *consumer, const vt_operation *op) {
    for (uint32_t i = 0; i < consumer->op->n_inputs; i++)
        if (te__op(consumer->op->inputs[i]) == op) return true;
    return false;
}

/* Is the thread of a loop outside of the stage the very thread that one of its own loops is bound to, or one around it?
 */
static bool shares_thread(const bounds *b, const te_stage *st, const vt_iter *axis) {
    const vt_iter *thread = vt_ptrmap_get(b->threads, axis);
    bool same = thread && te__iters_find(&st->path, thread) < st->path.n;
    for (uint32_t i = 0; thread && i < st->n_attrs && !same; i++) same = st->attrs[i].thread == thread;
    return same && !te__is_virtual(thread);
}

/* Memory of its own for every thread, but computed before the threads part. */
static _Noreturn void refuse_outside_thread(const bounds *b, const te_stage *st, const te_stage *consumer,
                                            const vt_iter *axis) {
    te__raise_at(
        b->s->c, st->at_pos, VTA_ILLEGAL,
        "%s is kept in %s memory, of which each thread has its own, but %s, which needs it, is bound to thread %s "
        "inside of where %s is computed: compute it at the loop %s or further in, or keep it in global memory",
        st->origin->name, *st->scope ? st->scope : "local", consumer->origin->name, thread_tag(b, axis),
        st->origin->name, vt_var_name(axis->var));
}

/* What the consumer's axes take while one value of the stage is needed. */
static vt_ptrmap *consumer_sets(const bounds *b, const te_stage *st, const te_stage *consumer, const vt_iter *attach,
                                int rank, bool *inside) {
    vt_ptrmap *sets = vt_ptrmap_new(b->ctx);
    for (uint32_t i = consumer->leaf.n; i > 0; i--) {
        const vt_iter *axis = consumer->leaf.items[i - 1];
        if (axis == attach) *inside = true;
        const vt_range *r = te__range(b->ranges, axis);
        const vt_iter *thread = vt_ptrmap_get(b->threads, axis);
        if (vt_is_const(r->extent, 1))
            te__set_put(b->ctx, sets, axis, vt_intset_point(r->min));
        else if (!need_relax(b, axis, *inside, rank) && !*inside && !shares_thread(b, st, axis))
            refuse_outside_thread(b, st, consumer, axis);
        else if (!need_relax(b, axis, *inside, rank))
            te__set_put(b->ctx, sets, axis, vt_intset_point(thread ? thread->var : axis->var));
        else
            te__set_put(b->ctx, sets, axis, vt_intset_range(b->ctx, r->min, r->extent));
    }
    return sets;
}

/* The loops around the consumer that the stage must cover whole. */
static vt_dommap *relaxed_loops(const bounds *b, const te_stage *st, const te_stage *consumer, const vt_iter *attach,
                                int rank, bool *inside) {
    vt_dommap *relax = vt_dommap_new(b->ctx);
    const te__iters *path = &consumer->path;
    for (uint32_t i = 0; i < path->n; i++) {
        const vt_iter *axis = path->items[i], *thread = vt_ptrmap_get(b->threads, axis);
        if (axis == attach) *inside = true;
        bool one = vt_is_const(te__range(b->ranges, axis)->extent, 1);
        if (!need_relax(b, axis, *inside, rank)) {
            if (!*inside && !one && !shares_thread(b, st, axis)) refuse_outside_thread(b, st, consumer, axis);
            continue;
        }
        vt_dommap_set_range(relax, axis->var, *te__range(b->ranges, axis));
        if (thread) vt_dommap_set_range(relax, thread->var, *te__range(b->ranges, axis));
    }
    return relax;
}

static void bind_loops(const bounds *b, vt_analyzer *a, const te__iters *axes) {
    for (uint32_t i = 0; i < axes->n; i++) {
        const vt_range *r = te__range(b->ranges, axes->items[i]);
        const vt_iter *thread = vt_ptrmap_get(b->threads, axes->items[i]);
        if (r) vt_analyzer_bind_range(a, axes->items[i]->var, r->min, r->extent, true);
        if (r && thread) vt_analyzer_bind_range(a, thread->var, r->min, r->extent, true);
    }
}

/* A stage inside of a scan is computed from the first row on that follows from others. */
static vt_intset rows_of_scan(vt_analyzer *a, const te_stage *st, vt_intset rows) {
    vt_ctx *ctx = vt_analyzer_ctx(a);
    int64_t low;
    if (!st->scan || !rows.min || !rows.max || !vt_as_const(rows.min, &low)) return rows;
    if (low >= st->scan->op->scan->first) return rows;
    const vt_expr *extent = st->op->iters[0]->extent, *last = vt_sub(ctx, extent, vt_int(ctx, extent->dtype, 1));
    const vt_expr *first = vt_int(ctx, rows.min->dtype, st->scan->op->scan->first);
    return vt_intset_interval(first, vt_prove(a, vt_le(ctx, last, rows.max)) ? last : rows.max);
}

static void demand_by(bounds *b, uint32_t index, uint32_t consumer, int rank, uint32_t n, te__demand *demands) {
    const te_stage *st = b->s->stages[index], *to = b->s->stages[consumer];
    vt_ctx *ctx = b->ctx;
    const vt_iter *attach = st->path.n ? st->path.items[0] : NULL;
    bool inside = false;
    vt_ptrmap *sets = consumer_sets(b, st, to, attach, rank, &inside);
    vt_dommap *relax = relaxed_loops(b, st, to, attach, rank, &inside);
    if (!inside && attach)
        te__raise_at(
            b->s->c, st->at_pos, VTA_ILLEGAL,
            "%s is computed at %s.%s, but %s, which also needs it, lies outside that loop: compute %s at the same "
            "place, or %s further out",
            st->origin->name, st->at_stage->origin->name, vt_var_name(st->at_axis->var), to->origin->name,
            to->origin->name, st->origin->name);
    te__pass_up_domain(vt_analyzer_new(ctx), to, b->ranges, sets);
    vt_analyzer *a = vt_analyzer_new(ctx);
    bind_loops(b, a, &to->all);
    bind_loops(b, a, &to->path);
    bind_loops(b, a, &st->path);
    vt_dommap *domain = vt_dommap_new(ctx);
    for (uint32_t i = 0; i < to->op->n_axes + to->op->n_reduce; i++) {
        const vt_iter *axis = to->op->iters[i];
        vt_range r = {axis->min, axis->extent};
        const vt_intset *set = vt_ptrmap_get(sets, axis);
        if (set) r = vt_intset_cover(vt_analyzer_new(ctx), *set, r);
        vt_intset over = vt_intset_range(ctx, r.min, r.extent);
        if (vt_dommap_size(relax)) {
            const vt_expr *last = vt_sub(ctx, vt_add(ctx, r.min, r.extent), vt_int(ctx, r.extent->dtype, 1));
            over = vt_intset_interval(vt_eval_set(a, r.min, relax).min, vt_eval_set(a, last, relax).max);
        }
        if (i == 0) over = rows_of_scan(a, to, over);
        vt_dommap_set(domain, axis->var, over);
        vt_analyzer_bind_range(a, axis->var, r.min, r.extent, true);
    }
    for (uint32_t k = 0; to->op->scan && k < to->op->n_outputs; k++)
        for (uint32_t d = 0; d + 1 < to->op->outputs[k]->ndim; d++) {
            const vt_iter *column = to->op->scan->columns[k][d];
            vt_dommap_set(domain, column->var, vt_intset_range(ctx, column->min, column->extent));
            vt_analyzer_bind_range(a, column->var, column->min, column->extent, true);
        }
    te__demand_of(a, to->op, domain, n, demands);
}

/* What all consumers need of all outputs in one dimension; the whole where nobody reads. */
static vt_range needed_range(vt_ctx *ctx, uint32_t n, const te__demand *demands, uint32_t dim, vt_range whole) {
    vt_intset *sets = VT_NEW_ARRAY(ctx, vt_intset, n);
    uint32_t read = 0;
    for (uint32_t k = 0; k < n; k++)
        if (demands[k].n) sets[read++] = te__demand_union(ctx, &demands[k], dim);
    if (read == 0) return whole;
    vt_intset all = read == 1 ? sets[0] : vt_intset_union(vt_analyzer_new(ctx), read, sets);
    return vt_intset_cover(vt_analyzer_new(ctx), all, whole);
}

static void infer_roots(bounds *b, uint32_t index) {
    const te_stage *st = b->s->stages[index];
    const vt_operation *op = st->op;
    vt_ctx *ctx = b->ctx;
    if (st->attach == TE__INLINED || op->placeholder) return;
    if (st->is_output || op->scan) { /* of a scan every row is needed for the next */
        for (uint32_t i = 0; i < op->n_axes + op->n_reduce; i++)
            te__range_set(ctx, b->ranges, op->iters[i], op->iters[i]->min, op->iters[i]->extent);
        return;
    }
    te__demand *demands = VT_NEW_ARRAY(ctx, te__demand, op->n_outputs);
    for (uint32_t i = 0; i < op->n_outputs; i++) demands[i].tensor = op->outputs[i];
    int rank = stage_rank(b, index);
    for (uint32_t i = index + 1; i < b->s->n_stages; i++)
        if (b->s->stages[i]->attach != TE__INLINED && reads(b->s->stages[i], op))
            demand_by(b, index, i, rank, op->n_outputs, demands);
    for (uint32_t i = 0; i < op->n_axes; i++) {
        vt_range whole = {op->iters[i]->min, op->iters[i]->extent};
        vt_range r = needed_range(ctx, op->n_outputs, demands, i, whole);
        te__range_set(ctx, b->ranges, op->iters[i], r.min, r.extent);
    }
    for (uint32_t i = op->n_axes; i < op->n_axes + op->n_reduce; i++)
        te__range_set(ctx, b->ranges, op->iters[i], op->iters[i]->min, op->iters[i]->extent);
}

static void bind_roots(bounds *b, const te_stage *st) {
    for (uint32_t i = 0; i < st->op->n_axes + st->op->n_reduce; i++) {
        const vt_range *r = te__range(b->ranges, st->op->iters[i]);
        if (r) vt_analyzer_bind_range(b->analyzer, st->op->iters[i]->var, r->min, r->extent, true);
    }
}

vt_ptrmap *te__infer_bounds(te_schedule *s) {
    vt_ctx *ctx = &s->c->ctx;
    bounds b = {.s = s, .ctx = ctx, .ranges = vt_ptrmap_new(ctx), .threads = vt_ptrmap_new(ctx)};
    b.analyzer = vt_analyzer_new(ctx);
    for (uint32_t i = 0; i < s->n_stages; i++) {
        find_path(&b, i);
        for (uint32_t j = 0; j < s->stages[i]->n_attrs; j++)
            if (s->stages[i]->attrs[j].thread)
                vt_ptrmap_set(b.threads, s->stages[i]->attrs[j].axis, s->stages[i]->attrs[j].thread);
    }
    for (uint32_t i = s->n_stages; i > 0; i--) {
        vt_poll(ctx);
        const te_stage *st = s->stages[i - 1];
        infer_roots(&b, i - 1);
        if (st->attach == TE__INLINED) continue;
        bind_roots(&b, st);
        te__pass_down_domain(ctx, st, b.ranges, b.analyzer, false);
    }
    vt_ptrmap *result = vt_ptrmap_new(ctx);
    for (uint32_t i = 0; i < vt_ptrmap_size(b.ranges); i++) {
        const vt_iter *axis = vt_ptrmap_key(b.ranges, i);
        const vt_range *r = te__range(b.ranges, axis);
        te__range_set(ctx, result, axis, vt_simplify(b.analyzer, r->min), vt_simplify(b.analyzer, r->extent));
    }
    return result;
}

/* ---- Checks ------------------------------------------------------------------------------------------------------ */

/* Which axes may leave their range because a split does not divide: the key is in the map. */
static vt_ptrmap *inexact_axes(vt_ctx *ctx, vt_analyzer *a, const te_stage *st, const vt_ptrmap *ranges) {
    vt_ptrmap *inexact = vt_ptrmap_new(ctx);
    for (uint32_t i = st->n_relations; i > 0; i--) {
        const te__relation *r = &st->relations[i - 1];
        bool up = false;
        if (r->kind == TE__SPLIT) {
            const vt_range *outer = te__range(ranges, r->outer), *inner = te__range(ranges, r->inner);
            up = !outer || !inner || vt_ptrmap_has(inexact, r->outer) || vt_ptrmap_has(inexact, r->inner) ||
                 !vt_prove(a,
                           vt_eq(ctx, te__range(ranges, r->parent)->extent, vt_mul(ctx, inner->extent, outer->extent)));
        } else if (r->kind == TE__REBASE) {
            up = vt_ptrmap_has(inexact, r->inner);
        } else if (r->kind == TE__FUSE && vt_ptrmap_has(inexact, r->parent)) {
            vt_ptrmap_set(inexact, r->outer, st);
            vt_ptrmap_set(inexact, r->inner, st);
        }
        if (up) vt_ptrmap_set(inexact, r->parent, st);
    }
    return inexact;
}

typedef struct check_list {
    vt_ctx *ctx;
    const vt_expr **items;
    uint32_t n, cap;
} check_list;

static void add_check(check_list *list, const vt_expr *e) {
    vt_grow(list->ctx, &list->items, &list->cap, list->n + 1, sizeof *list->items);
    list->items[list->n++] = e;
}

static bool provable(vt_analyzer *a, const vt_expr *bound, const vt_expr *value, const vt_expr *condition) {
    return bound && vt_dtype_eq(bound->dtype, value->dtype) && vt_prove(a, condition);
}

static bool same_range(const vt_iter *axis, const vt_range *r) {
    return vt_expr_equal(axis->min, r->min) && vt_expr_equal(axis->extent, r->extent);
}

static void know_loops(vt_analyzer *a, vt_dommap *domain, const te_stage *st, const te__iters *axes,
                       const vt_ptrmap *ranges) {
    for (uint32_t i = 0; i < axes->n; i++) {
        const vt_range *r = te__range(ranges, axes->items[i]);
        const te__axis_attr *attr = te__attr(st, axes->items[i]);
        if (!r) continue;
        vt_dommap_set_range(domain, axes->items[i]->var, *r);
        vt_analyzer_bind_range(a, axes->items[i]->var, r->min, r->extent, true);
        if (!attr || !attr->thread) continue;
        vt_dommap_set_range(domain, attr->thread->var, *r);
        vt_analyzer_bind_range(a, attr->thread->var, r->min, r->extent, true);
    }
}

/* A part of a list is smaller than the largest. */
static void add_part_check(check_list *list, const te__relation *r, const vt_ptrmap *values, const vt_ptrmap *skip) {
    if (r->kind != TE__LIST || vt_ptrmap_has(skip, r->parent)) return;
    const vt_expr *outer = vt_ptrmap_get(values, r->outer), *inner = vt_ptrmap_get(values, r->inner);
    if (!outer || !inner) return;
    const vt_expr *size = te__list_part(list->ctx, r, outer, false);
    if (!vt_expr_equal(size, r->factor)) add_check(list, vt_lt(list->ctx, inner, size));
}

const vt_expr **te__bound_checks(vt_ctx *ctx, const te_stage *st, const vt_ptrmap *ranges, const vt_ptrmap *values,
                                 bool skip_domain, const vt_ptrmap *skip, uint32_t *out_n) {
    vt_analyzer *a = vt_analyzer_new(ctx);
    vt_ptrmap *inexact = inexact_axes(ctx, a, st, ranges);
    vt_dommap *domain = vt_dommap_new(ctx);
    know_loops(a, domain, st, &st->all, ranges);
    know_loops(a, domain, st, &st->path, ranges);
    check_list list = {.ctx = ctx};
    for (uint32_t i = 0; i < st->all.n; i++) {
        const vt_iter *axis = st->all.items[i];
        if (vt_ptrmap_has(skip, axis) || !vt_ptrmap_has(inexact, axis)) continue;
        const vt_range *dom = te__range(ranges, axis);
        if (!dom || !vt_ptrmap_has(values, axis)) continue;
        const vt_expr *value = vt_sub(ctx, vt_ptrmap_get(values, axis), dom->min);
        const vt_expr *max = vt_eval_set(a, value, domain).max;
        if (!max || !provable(a, max, value, vt_lt(ctx, max, dom->extent)))
            add_check(&list, vt_lt(ctx, value, dom->extent));
    }
    for (uint32_t i = 0; i < st->n_relations; i++) add_part_check(&list, &st->relations[i], values, skip);
    for (uint32_t i = 0; i < st->op->n_axes + st->op->n_reduce && !skip_domain; i++) {
        const vt_iter *axis = st->op->iters[i];
        if (vt_ptrmap_has(skip, axis) || same_range(axis, te__range(ranges, axis))) continue;
        const vt_expr *value = vt_sub(ctx, vt_ptrmap_get(values, axis), axis->min),
                      *zero = vt_int(ctx, value->dtype, 0);
        vt_intset s = vt_eval_set(a, value, domain);
        if (!s.min || !provable(a, s.min, value, vt_ge(ctx, s.min, zero))) add_check(&list, vt_ge(ctx, value, zero));
        if (!s.max || !provable(a, s.max, value, vt_lt(ctx, s.max, axis->extent)))
            add_check(&list, vt_lt(ctx, value, axis->extent));
    }
    *out_n = list.n;
    return list.items;
}

/* The conditions that keep a loop nest inside of its domain: of splits that do not divide, lists of sizes, and axes
 * that are computed beyond their range. */
#include "te/bound.h"

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

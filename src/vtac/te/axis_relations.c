/* Passing ranges, values and flags between the axes of a stage, along its splits, fusions and rebasings. */
#include "ir/print.h"
#include "te/bound.h"

/* ---- Ranges ------------------------------------------------------------------------------------------------------ */

void te__range_set(vt_ctx *ctx, vt_ptrmap *ranges, const vt_iter *axis, const vt_expr *min, const vt_expr *extent) {
    vt_range *r = VT_NEW(ctx, vt_range);
    *r = (vt_range){min, extent};
    vt_ptrmap_set(ranges, axis, r);
}

/* The least that a fused or split axis is known by: zero of its type. */
static const vt_expr *zero_of(vt_ctx *ctx, const vt_iter *axis) { return vt_int(ctx, axis->var->dtype, 0); }

static void update(vt_ctx *ctx, const te_stage *st, vt_ptrmap *ranges, const vt_iter *axis, const vt_expr *min,
                   const vt_expr *extent, vt_analyzer *a) {
    const vt_range *old = te__range(ranges, axis);
    if (!old) {
        te__range_set(ctx, ranges, axis, min, extent);
        vt_analyzer_bind_range(a, axis->var, min, extent, false);
    } else if (!vt_is_const(old->min, 0) || !vt_prove_equal(a, extent, old->extent)) {
        vt_raise(ctx, VTA_ILLEGAL,
                 "%s: axes bound to thread %s have different extents, %s and %s; all stages must split it alike",
                 st->origin->name, vt_var_name(axis->var), vt_expr_plain(ctx, old->extent), vt_expr_text(ctx, extent));
    }
}

static const vt_expr *ceil_div(vt_ctx *ctx, vt_analyzer *a, const vt_expr *x, const vt_expr *y) {
    if (vt_prove_equal(a, vt_floormod(ctx, x, y), vt_int(ctx, x->dtype, 0)))
        return vt_simplify(a, vt_floordiv(ctx, x, y));
    return vt_simplify(a, vt_floordiv(ctx, vt_add(ctx, x, vt_sub(ctx, y, vt_int(ctx, y->dtype, 1))), y));
}

static const vt_expr *smaller(vt_ctx *ctx, vt_analyzer *a, const vt_expr *x, const vt_expr *y) {
    return vt_simplify(a, vt_prove(a, vt_lt(ctx, x, y)) ? x : y);
}

/* Axes that lead to a loop bound to a thread: their extents must stay what was asked for. */
static vt_ptrmap *axes_of_threads(vt_ctx *ctx, const te_stage *st) {
    vt_ptrmap *bound = vt_ptrmap_new(ctx);
    for (uint32_t i = 0; i < st->leaf.n; i++) {
        const te__axis_attr *attr = te__attr(st, st->leaf.items[i]);
        if (attr && attr->thread) vt_ptrmap_set(bound, st->leaf.items[i], st);
    }
    for (uint32_t i = st->n_relations; i > 0; i--) {
        const te__relation *r = &st->relations[i - 1];
        if (r->kind == TE__FUSE) {
            if (!vt_ptrmap_has(bound, r->parent)) continue;
            vt_ptrmap_set(bound, r->outer, st);
            vt_ptrmap_set(bound, r->inner, st);
        } else if (r->parent && (vt_ptrmap_has(bound, r->inner) || (r->outer && vt_ptrmap_has(bound, r->outer)))) {
            vt_ptrmap_set(bound, r->parent, st);
        }
    }
    return bound;
}

static void down_split(vt_ctx *ctx, const te_stage *st, const te__relation *r, vt_ptrmap *ranges, vt_analyzer *a,
                       const vt_ptrmap *threads, bool allow_missing) {
    const vt_expr *extent = te__range(ranges, r->parent)->extent, *asked = r->factor ? r->factor : r->nparts;
    const vt_iter *fixed = r->factor ? r->inner : r->outer, *other = r->factor ? r->outer : r->inner;
    bool keep = vt_ptrmap_has(threads, fixed) || allow_missing || vt_is_const(extent, 0);
    const vt_expr *size = keep ? asked : smaller(ctx, a, extent, asked);
    update(ctx, st, ranges, fixed, zero_of(ctx, fixed), size, a);
    update(ctx, st, ranges, other, zero_of(ctx, other), ceil_div(ctx, a, extent, asked), a);
}

const vt_expr *te__list_part(vt_ctx *ctx, const te__relation *r, const vt_expr *outer, bool begin) {
    int64_t at = 0;
    const vt_expr *chosen = NULL, **values = VT_NEW_ARRAY(ctx, const vt_expr *, r->n_sizes);
    for (uint32_t i = 0; i < r->n_sizes; i++) {
        values[i] = vt_int(ctx, outer->dtype, begin ? at : r->sizes[i]);
        at += r->sizes[i];
    }
    for (uint32_t i = r->n_sizes; i-- > 0;)
        chosen = !chosen || vt_expr_equal(values[i], chosen)
                     ? values[i]
                     : vt_if_then_else(ctx, vt_le(ctx, outer, vt_int(ctx, outer->dtype, i)), values[i], chosen);
    return chosen;
}

static void down_list(vt_ctx *ctx, const te_stage *st, const te__relation *r, vt_ptrmap *ranges, vt_analyzer *a) {
    const vt_expr *extent = te__range(ranges, r->parent)->extent;
    int64_t sum = 0;
    for (uint32_t i = 0; i < r->n_sizes; i++) sum += r->sizes[i];
    if (!vt_is_const(vt_simplify(a, extent), sum))
        vt_raise(ctx, VTA_ILLEGAL,
                 "%s.%s is split by sizes that make %lld, but %s of it are computed here: split the stage that it is "
                 "computed in, or compute it at the root",
                 st->origin->name, vt_var_name(r->parent->var), (long long)sum, vt_expr_plain(ctx, extent));
    update(ctx, st, ranges, r->inner, zero_of(ctx, r->inner), r->factor, a);
    update(ctx, st, ranges, r->outer, zero_of(ctx, r->outer), vt_int(ctx, r->outer->var->dtype, r->n_sizes), a);
}

void te__pass_down_domain(vt_ctx *ctx, const te_stage *st, vt_ptrmap *ranges, vt_analyzer *a, bool allow_missing) {
    vt_ptrmap *threads = axes_of_threads(ctx, st);
    for (uint32_t i = 0; i < st->n_relations; i++) {
        const te__relation *r = &st->relations[i];
        const vt_range *outer = r->outer ? te__range(ranges, r->outer) : NULL, *inner = te__range(ranges, r->inner);
        switch (r->kind) {
        case TE__SPLIT:
            if (te__range(ranges, r->parent)) down_split(ctx, st, r, ranges, a, threads, allow_missing);
            break;
        case TE__LIST:
            if (te__range(ranges, r->parent)) down_list(ctx, st, r, ranges, a);
            break;
        case TE__FUSE:
            if (outer && inner)
                te__range_set(ctx, ranges, r->parent, zero_of(ctx, r->parent),
                              vt_mul(ctx, outer->extent, inner->extent));
            break;
        case TE__REBASE:
            if (te__range(ranges, r->parent))
                update(ctx, st, ranges, r->inner, zero_of(ctx, r->inner), te__range(ranges, r->parent)->extent, a);
            break;
        case TE__SINGLETON: update(ctx, st, ranges, r->inner, zero_of(ctx, r->inner), vt_i32(ctx, 1), a);
        }
    }
    for (uint32_t i = 0; i < st->n_attrs; i++) {
        if (!st->attrs[i].thread) continue;
        const vt_range *r = te__range(ranges, st->attrs[i].axis);
        if (r) update(ctx, st, ranges, st->attrs[i].thread, r->min, r->extent, a);
    }
}

/* ---- Sets, upwards ---- */

void te__set_put(vt_ctx *ctx, vt_ptrmap *sets, const vt_iter *axis, vt_intset set) {
    vt_intset *s = VT_NEW(ctx, vt_intset);
    *s = set;
    vt_ptrmap_set(sets, axis, s);
}

static vt_intset set_get(const vt_ptrmap *sets, const vt_iter *axis) {
    const vt_intset *s = vt_ptrmap_get(sets, axis);
    return s ? *s : vt_intset_everything();
}

static vt_intset range_set(vt_ctx *ctx, const vt_range *r) { return vt_intset_range(ctx, r->min, r->extent); }

static vt_intset up_split(vt_analyzer *a, const te__relation *r, const vt_ptrmap *ranges, vt_intset outer,
                          vt_intset inner) {
    vt_ctx *ctx = vt_analyzer_ctx(a);
    const vt_range *ro = te__range(ranges, r->outer), *ri = te__range(ranges, r->inner),
                   *rp = te__range(ranges, r->parent);
    if (vt_intset_match_range(a, outer, *ro) && vt_intset_match_range(a, inner, *ri)) return range_set(ctx, rp);
    vt_dommap *dom = vt_dommap_new(ctx);
    vt_dommap_set(dom, r->outer->var, outer);
    vt_dommap_set(dom, r->inner->var, inner);
    const vt_expr *e = vt_add(ctx, vt_mul(ctx, r->outer->var, ri->extent), r->inner->var);
    return vt_eval_set(a, vt_add(ctx, e, rp->min), dom);
}

/* One part, or all of them. */
static vt_intset up_list(vt_analyzer *a, const te__relation *r, const vt_ptrmap *ranges, vt_intset outer,
                         vt_intset inner) {
    vt_ctx *ctx = vt_analyzer_ctx(a);
    const vt_range *parent = te__range(ranges, r->parent);
    if (!vt_intset_is_point(outer) || !inner.min || !inner.max) return range_set(ctx, parent);
    const vt_expr *begin = vt_add(ctx, te__list_part(ctx, r, outer.min, true), parent->min);
    return vt_intset_interval(vt_add(ctx, begin, inner.min), vt_add(ctx, begin, inner.max));
}

static void up_fuse(vt_analyzer *a, const te__relation *r, const vt_ptrmap *ranges, vt_intset fused, vt_ptrmap *sets) {
    vt_ctx *ctx = vt_analyzer_ctx(a);
    const vt_range *ro = te__range(ranges, r->outer), *ri = te__range(ranges, r->inner);
    if (vt_intset_match_range(a, fused, *te__range(ranges, r->parent))) {
        te__set_put(ctx, sets, r->outer, range_set(ctx, ro));
        te__set_put(ctx, sets, r->inner, range_set(ctx, ri));
        return;
    }
    const vt_expr *width = ri->extent;
    if (vt_intset_is_point(fused)) {
        const vt_expr *o = vt_floordiv(ctx, fused.min, width), *n = vt_floormod(ctx, fused.min, width);
        if (!vt_is_const(ro->min, 0)) o = vt_add(ctx, o, ro->min);
        if (!vt_is_const(ri->min, 0)) n = vt_add(ctx, n, ri->min);
        te__set_put(ctx, sets, r->outer, vt_intset_point(o));
        te__set_put(ctx, sets, r->inner, vt_intset_point(n));
        return;
    }
    if (!fused.min || !fused.max) {
        te__set_put(ctx, sets, r->outer, range_set(ctx, ro));
        te__set_put(ctx, sets, r->inner, range_set(ctx, ri));
        return;
    }
    const vt_expr *size = vt_add(ctx, vt_sub(ctx, fused.max, fused.min), vt_int(ctx, fused.max->dtype, 1));
    te__set_put(ctx, sets, r->outer,
                vt_intset_interval(vt_add(ctx, ro->min, vt_floordiv(ctx, fused.min, width)),
                                   vt_add(ctx, ro->min, vt_floordiv(ctx, fused.max, width))));
    bool one_row = vt_is_const(vt_simplify_free(ctx, vt_floormod(ctx, width, size)), 0) &&
                   vt_is_const(vt_simplify_free(ctx, vt_floormod(ctx, fused.min, size)), 0);
    te__set_put(ctx, sets, r->inner,
                one_row ? vt_intset_interval(vt_add(ctx, ri->min, vt_floormod(ctx, fused.min, width)),
                                             vt_add(ctx, ri->min, vt_floormod(ctx, fused.max, width)))
                        : range_set(ctx, ri));
}

static vt_intset up_rebase(vt_analyzer *a, const te__relation *r, const vt_ptrmap *ranges, vt_intset rebased) {
    vt_ctx *ctx = vt_analyzer_ctx(a);
    const vt_range *rp = te__range(ranges, r->parent);
    if (vt_intset_match_range(a, rebased, *te__range(ranges, r->inner))) return range_set(ctx, rp);
    vt_dommap *dom = vt_dommap_new(ctx);
    vt_dommap_set(dom, r->inner->var, rebased);
    return vt_eval_set(a, vt_add(ctx, r->inner->var, rp->min), dom);
}

void te__pass_up_domain(vt_analyzer *a, const te_stage *st, const vt_ptrmap *ranges, vt_ptrmap *sets) {
    vt_ctx *ctx = vt_analyzer_ctx(a);
    for (uint32_t i = st->n_relations; i > 0; i--) {
        const te__relation *r = &st->relations[i - 1];
        if (r->kind == TE__SPLIT)
            te__set_put(ctx, sets, r->parent, up_split(a, r, ranges, set_get(sets, r->outer), set_get(sets, r->inner)));
        else if (r->kind == TE__LIST)
            te__set_put(ctx, sets, r->parent, up_list(a, r, ranges, set_get(sets, r->outer), set_get(sets, r->inner)));
        else if (r->kind == TE__FUSE)
            up_fuse(a, r, ranges, set_get(sets, r->parent), sets);
        else if (r->kind == TE__REBASE)
            te__set_put(ctx, sets, r->parent, up_rebase(a, r, ranges, set_get(sets, r->inner)));
    }
}

/* ---- Values and flags -------------------------------------------------------------------------------------------- */

static const vt_expr *plus_min(vt_ctx *ctx, const vt_expr *e, const vt_range *r) {
    return vt_is_const(r->min, 0) ? e : vt_add(ctx, e, r->min);
}

void te__pass_up_index(vt_ctx *ctx, const te_stage *st, const vt_ptrmap *ranges, vt_ptrmap *values) {
    for (uint32_t i = st->n_relations; i > 0; i--) {
        const te__relation *r = &st->relations[i - 1];
        if (r->kind == TE__SPLIT) {
            const vt_expr *outer = vt_ptrmap_get(values, r->outer), *inner = vt_ptrmap_get(values, r->inner);
            if (!outer || !inner) continue;
            const vt_expr *e = vt_add(ctx, inner, vt_mul(ctx, outer, te__range(ranges, r->inner)->extent));
            vt_ptrmap_set(values, r->parent, plus_min(ctx, e, te__range(ranges, r->parent)));
        } else if (r->kind == TE__LIST) {
            const vt_expr *outer = vt_ptrmap_get(values, r->outer), *inner = vt_ptrmap_get(values, r->inner);
            if (!outer || !inner) continue;
            const vt_expr *e = vt_add(ctx, inner, te__list_part(ctx, r, outer, true));
            vt_ptrmap_set(values, r->parent, plus_min(ctx, e, te__range(ranges, r->parent)));
        } else if (r->kind == TE__FUSE) {
            const vt_expr *value = vt_ptrmap_get(values, r->parent);
            if (!value) continue;
            const vt_expr *width = te__range(ranges, r->inner)->extent;
            vt_ptrmap_set(values, r->outer, plus_min(ctx, vt_floordiv(ctx, value, width), te__range(ranges, r->outer)));
            vt_ptrmap_set(values, r->inner, plus_min(ctx, vt_floormod(ctx, value, width), te__range(ranges, r->inner)));
        } else if (r->kind == TE__REBASE) {
            const vt_expr *value = vt_ptrmap_get(values, r->inner);
            if (value) vt_ptrmap_set(values, r->parent, plus_min(ctx, value, te__range(ranges, r->parent)));
        }
    }
}

/* The part that an element of the parent is in. */
static const vt_expr *part_with(vt_ctx *ctx, const te__relation *r, const vt_expr *parent) {
    int64_t end = 0;
    const vt_expr *part = NULL, **ends = VT_NEW_ARRAY(ctx, const vt_expr *, r->n_sizes);
    for (uint32_t i = 0; i < r->n_sizes; i++) ends[i] = vt_int(ctx, parent->dtype, end += r->sizes[i]);
    for (uint32_t i = r->n_sizes; i-- > 0;) {
        const vt_expr *number = vt_int(ctx, parent->dtype, i);
        part = part ? vt_if_then_else(ctx, vt_lt(ctx, parent, ends[i]), number, part) : number;
    }
    return part;
}

void te__pass_down_index(vt_ctx *ctx, const te_stage *st, const vt_ptrmap *ranges, vt_ptrmap *values) {
    for (uint32_t i = 0; i < st->n_relations; i++) {
        const te__relation *r = &st->relations[i];
        if (r->kind == TE__SPLIT) {
            const vt_expr *parent = vt_ptrmap_get(values, r->parent);
            if (!parent) continue;
            const vt_expr *factor = te__range(ranges, r->inner)->extent;
            vt_ptrmap_set(values, r->outer, vt_floordiv(ctx, parent, factor));
            vt_ptrmap_set(values, r->inner, vt_floormod(ctx, parent, factor));
        } else if (r->kind == TE__LIST) {
            const vt_expr *parent = vt_ptrmap_get(values, r->parent);
            if (!parent) continue;
            const vt_expr *outer = part_with(ctx, r, parent);
            vt_ptrmap_set(values, r->outer, outer);
            vt_ptrmap_set(values, r->inner, vt_sub(ctx, parent, te__list_part(ctx, r, outer, true)));
        } else if (r->kind == TE__FUSE) {
            const vt_expr *outer = vt_ptrmap_get(values, r->outer), *inner = vt_ptrmap_get(values, r->inner);
            if (outer && inner)
                vt_ptrmap_set(values, r->parent,
                              vt_add(ctx, vt_mul(ctx, outer, te__range(ranges, r->inner)->extent), inner));
        } else if (r->kind == TE__REBASE) {
            const vt_expr *parent = vt_ptrmap_get(values, r->parent);
            if (parent) vt_ptrmap_set(values, r->inner, parent);
        } else {
            vt_ptrmap_set(values, r->inner, vt_i32(ctx, 0));
        }
    }
}

/* ---- Flags ---- */

static uintptr_t mask_of(const vt_ptrmap *masks, const vt_iter *axis) { return (uintptr_t)vt_ptrmap_get(masks, axis); }

static void mask_or(vt_ptrmap *masks, const vt_iter *axis, uintptr_t bits) {
    vt_ptrmap_set(masks, axis, (void *)(mask_of(masks, axis) | bits)); /* flags, kept where pointers are */
}

void te__pass_down_mask(const te_stage *st, vt_ptrmap *masks) {
    for (uint32_t i = 0; i < st->n_relations; i++) {
        const te__relation *r = &st->relations[i];
        if (r->kind == TE__SPLIT || r->kind == TE__LIST || r->kind == TE__REBASE) {
            if (r->outer) mask_or(masks, r->outer, mask_of(masks, r->parent));
            mask_or(masks, r->inner, mask_of(masks, r->parent));
        } else if (r->kind == TE__FUSE) {
            mask_or(masks, r->parent, mask_of(masks, r->outer) | mask_of(masks, r->inner));
        }
    }
}

bool te__has_mixed_loops(vt_ctx *ctx, const te_stage *st) {
    enum { DATA = 1, REDUCTION = 2 };
    vt_ptrmap *masks = vt_ptrmap_new(ctx);
    for (uint32_t i = 0; i < st->op->n_axes + st->op->n_reduce; i++)
        mask_or(masks, st->op->iters[i], i < st->op->n_axes ? DATA : REDUCTION);
    te__pass_down_mask(st, masks);
    for (uint32_t i = 0; i < st->leaf.n; i++)
        if (mask_of(masks, st->leaf.items[i]) == (DATA | REDUCTION)) return true;
    return false;
}

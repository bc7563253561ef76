/* Passing values and flags between the axes of a stage, along its splits, fusions and rebasings. */
#include "te/bound.h"

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

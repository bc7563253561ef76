/* Reads that surely leave their tensor, found before anything is compiled. What is certain is refused: an index whose
 * values at all points of the computation are known exactly. What hangs on a condition that is not known, or on data,
 * passes. */
#include "arith/linear.h"
#include "te/bound.h"
#include "te/expr.h"
#include "te/scan.h"

typedef struct checker {
    te_context *c;
    const vt_operation *op;
    uint32_t n; /* its axes, data and reduce */
    const vt_iter **iters;
    const vt_var **vars; /* theirs */
    vt_analyzer *an;
    vt_ptrmap *seen;
} checker;

/* The least and the largest value; what lies between need not be reached. */
typedef struct span {
    const vt_expr *low, *high;
} span;

static _Noreturn void refuse(const checker *k, const vt_expr *load, uint32_t dim, span s) {
    te_context *c = k->c;
    const vt_tensor *t = load->u.tensor;
    const char *values = vt_expr_equal(s.low, s.high)
                             ? vt_new_format(&c->ctx, "is %s", te__repr(c, s.low))
                             : vt_new_format(&c->ctx, "runs from %s to %s", te__repr(c, s.low), te__repr(c, s.high));
    te__raise_at(
        c, k->op->pos, VTA_OUT_OF_RANGE,
        "%s reads %s outside of it: the index of dimension %u, %s, %s, but the dimension has %s elements, from "
        "0; keep the index inside, or read under if_then_else(condition, %s[...], value)",
        k->op->name, t->name, dim, te__repr(c, load->a[dim]), values, te__repr(c, t->shape[dim]), t->name);
}

/* Surely before the first or past the last element? */
static bool leaves(const checker *k, span s, const vt_expr *extent) {
    vt_ctx *ctx = &k->c->ctx;
    int64_t low, high, size;
    if (vt_as_const(s.low, &low) && vt_as_const(s.high, &high) && vt_as_const(extent, &size))
        return low < 0 || high >= size;
    return vt_prove(k->an, vt_lt(ctx, s.low, vt_const(ctx, s.low->dtype, 0))) ||
           vt_prove(k->an, vt_ge(ctx, s.high, extent));
}

/* An index that is linear in the axes takes both its ends, since the axes run by themselves; an axis that depends on
 * another leaves that one in the ends, and what holds of them for all of its values holds of its last. */
static bool linear_span(const checker *k, const vt_expr *index, span *out) {
    vt_ctx *ctx = &k->c->ctx;
    const vt_expr **coeffs = VT_NEW_ARRAY(ctx, const vt_expr *, k->n + 1);
    if (!vt_detect_linear(ctx, index, k->n, k->vars, coeffs)) return false;
    *out = (span){coeffs[k->n], coeffs[k->n]};
    for (uint32_t i = 0; i < k->n; i++) {
        const vt_iter *axis = k->iters[i];
        int64_t coeff;
        if (!vt_as_const(coeffs[i], &coeff)) return false;
        if (!coeff) continue;
        const vt_expr *last = vt_add(ctx, axis->min, vt_sub(ctx, axis->extent, vt_const(ctx, axis->extent->dtype, 1)));
        const vt_expr *ends[] = {vt_mul(ctx, coeffs[i], axis->min), vt_mul(ctx, coeffs[i], last)};
        out->low = vt_add(ctx, out->low, ends[coeff < 0]);
        out->high = vt_add(ctx, out->high, ends[coeff > 0]);
    }
    *out = (span){vt_simplify(k->an, out->low), vt_simplify(k->an, out->high)};
    return true;
}

/* Does the axis run over the same values whatever the others are? */
static bool runs_freely(const checker *k, const vt_iter *axis) {
    for (uint32_t i = 0; i < k->n; i++)
        if (vt_expr_uses(axis->min, k->vars[i]) || vt_expr_uses(axis->extent, k->vars[i])) return false;
    return true;
}

/* Takes both ends of its constant bounds: each axis occurs once, under operations that rise or fall with it. */
static bool reaches_its_bounds(const checker *k, const vt_expr *e, vt_ptrmap *used) {
    int64_t by;
    switch ((vt_expr_kind)e->kind) {
    case VT_E_INT: return true;
    case VT_E_VAR:
        for (uint32_t i = 0; i < k->n; i++)
            if (k->vars[i] == e && !vt_ptrmap_has(used, e)) {
                vt_ptrmap_set(used, e, e);
                return runs_freely(k, k->iters[i]);
            }
        return false;
    case VT_E_ADD:
    case VT_E_SUB:
    case VT_E_MIN:
    case VT_E_MAX: return reaches_its_bounds(k, e->a[0], used) && reaches_its_bounds(k, e->a[1], used);
    case VT_E_MUL:
    case VT_E_DIV:
    case VT_E_FLOORDIV: return vt_as_const(e->a[1], &by) && by && reaches_its_bounds(k, e->a[0], used);
    case VT_E_FLOAT:
    case VT_E_STRING:
    case VT_E_MOD:
    case VT_E_FLOORMOD:
    case VT_EACH_COMPARE:
    case VT_EACH_LOGIC:
    case VT_EACH_OTHER:
    case VT_E_COUNT: break;
    }
    return false;
}

static void check_index(const checker *k, const vt_expr *load, uint32_t dim) {
    const vt_expr *index = load->a[dim], *extent = load->u.tensor->shape[dim];
    vt_ctx *ctx = &k->c->ctx;
    span s;
    int64_t size;
    if (linear_span(k, index, &s)) {
        if (leaves(k, s, extent)) refuse(k, load, dim, s);
        return;
    }
    if (!vt_as_const(extent, &size)) return;
    index = vt_simplify(k->an, index);
    vt_bound b = vt_const_bound(k->an, index);
    bool ends = reaches_its_bounds(k, index, vt_ptrmap_new(ctx));
    if (ends ? b.min < 0 || b.max >= size : b.max < 0 || b.min >= size)
        refuse(k, load, dim, (span){vt_int(ctx, index->dtype, b.min), vt_int(ctx, index->dtype, b.max)});
}

static void check(const checker *k, const vt_expr *e);

/* A choice is followed where its condition is known; otherwise only its condition is surely evaluated. */
static void check_choice(const checker *k, const vt_expr *e) {
    check(k, e->a[0]);
    if (vt_prove(k->an, e->a[0]))
        check(k, e->a[1]);
    else if (vt_prove(k->an, vt_not(&k->c->ctx, e->a[0])))
        check(k, e->a[2]);
}

static void check(const checker *k, const vt_expr *e) {
    if (!e->n || vt_ptrmap_has(k->seen, e)) return;
    vt_ptrmap_set(k->seen, e, e);
    if (e->kind == VT_E_SELECT || vt_is_call(e, VT_OP_IF_THEN_ELSE)) {
        check_choice(k, e);
        return;
    }
    if (e->kind == VT_E_AND || e->kind == VT_E_OR) { /* the right side may not be asked for */
        check(k, e->a[0]);
        return;
    }
    if (e->kind == VT_E_REDUCE && !vt_is_const(e->a[e->n - 1], 1)) {
        check(k, e->a[e->n - 1]);
        return;
    }
    for (uint32_t i = 0; i < e->n; i++) check(k, e->a[i]);
    for (uint32_t i = 0; e->kind == VT_E_PLOAD && i < e->n; i++) check_index(k, e, i);
}

/* The axis over another range. */
static const vt_iter *axis_over(vt_ctx *ctx, const vt_iter *axis, vt_range r) {
    return vt_iter_new(ctx, axis->var, r.min, r.extent, axis->type, "");
}

static vt_range later_range(vt_ctx *ctx, const vt_iter *axis, int64_t first) {
    const vt_expr *by = vt_int(ctx, axis->var->dtype, first);
    return (vt_range){vt_add(ctx, axis->min, by), vt_sub(ctx, axis->extent, by)};
}

/* The part of a range that lies in the axis, as far as that can be proven; loops are guarded where they run past it. */
static vt_range within(te_context *c, const vt_iter *axis, vt_range r) {
    vt_ctx *ctx = &c->ctx;
    vt_analyzer *a = vt_analyzer_new(ctx);
    const vt_expr *end = vt_add(ctx, r.min, r.extent), *last = vt_add(ctx, axis->min, axis->extent);
    const vt_expr *min = vt_prove(a, vt_ge(ctx, r.min, axis->min)) ? r.min : axis->min;
    return (vt_range){min, vt_simplify(a, vt_sub(ctx, vt_prove(a, vt_le(ctx, end, last)) ? end : last, min))};
}

/* Over which part of its axes a computation is surely carried out: of a stage by itself what its consumers need, of
 * another one all of it, from the first row that a scan around it computes. */
static const vt_iter *axis_of(te_context *c, const te_stage *st, const vt_ptrmap *ranges, uint32_t i, int64_t first) {
    const vt_iter *axis = st->origin->iters[i];
    const vt_range *r = st->attach == TE__ROOT && i < st->origin->n_axes ? te__range(ranges, axis) : NULL;
    if (r) return axis_over(&c->ctx, axis, within(c, axis, *r));
    return i || !first ? axis : axis_over(&c->ctx, axis, later_range(&c->ctx, axis, first));
}

static void check_stage(te_context *c, const te_stage *st, const vt_ptrmap *ranges, int64_t first) {
    vt_ctx *ctx = &c->ctx;
    const vt_operation *op = st->origin;
    checker k = {.c = c, .op = op, .n = op->n_axes + op->n_reduce};
    k.vars = VT_NEW_ARRAY(ctx, const vt_var *, k.n);
    k.iters = VT_NEW_ARRAY(ctx, const vt_iter *, k.n);
    k.an = vt_analyzer_new(ctx);
    k.seen = vt_ptrmap_new(ctx);
    for (uint32_t i = 0; i < k.n; i++) {
        const vt_iter *axis = k.iters[i] = axis_of(c, st, ranges, i, first);
        int64_t extent;
        if (vt_as_const(axis->extent, &extent) && extent < 1) return; /* nothing of it is computed */
        k.vars[i] = axis->var;
        vt_analyzer_bind_range(k.an, k.vars[i], axis->min, axis->extent, false);
    }
    for (uint32_t i = 0; !op->placeholder && i < op->n_outputs; i++) check(&k, op->bodies[i]);
}

void te__check_reads(const te_schedule *s, const vt_ptrmap *ranges) {
    for (uint32_t i = 0; i < s->n_stages; i++) {
        int64_t first = 0;
        if (!te__scan_begins(s, s->stages[i]->origin, &first)) first = 0;
        check_stage(s->c, s->stages[i], ranges, first);
    }
}

vta_status vt_te_check_reads(te_context *c, te_tensor *output) {
    te_schedule *s = te_schedule_create(c, 1, &output);
    if (!s) return vta_diag_status(te_context_diag(c));
    TE_RETURN_STATUS(c, te__check_reads(s, vt_ptrmap_new(&c->ctx)));
}

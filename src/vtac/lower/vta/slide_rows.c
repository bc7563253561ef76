/* Rows that steps share are computed once.
 *
 * A stage whose steps read rows that overlap, as the windows of a pooling do, computes them again in each step. Where
 * the loop over its rows is marked `sliding`, a step leaves out the rows that the step before has, and reads them from
 * its buffer: the tensor of each step becomes one of its own, alive until the next step is done, in two places that
 * take turns (vta.PlaceSlots). Rows that the first step computes but does not read are left out too. */
#include "lower/vta/slide_rows.h"

#include "arith/analyzer.h"
#include "lower/vta/uses.h"

typedef struct slider {
    vt_mutator m;
    const vt_tensor *from, *now, *before; /* the stage's tensor; that of this step and of the one before */
    uint32_t axis;
    int64_t low, high, kept; /* rows of this step; the first row of the step before */
    const vt_stmt *realize;
} slider;

static _Noreturn void refuse(vt_ctx *ctx, const vt_tensor *t, const char *why) {
    vt_raise(ctx, VTA_ILLEGAL, "sliding: %s: %s", t->name, why);
}

static bool constant(vt_ctx *ctx, const vt_expr *e, int64_t *out) {
    return vt_as_const(e, out) || vt_as_const(vt_simplify_free(ctx, e), out);
}

/* ---- Finding ---------------------------------------------------------------------------------------------------- */

typedef struct search {
    const vt_tensor *tensor;
    const vt_stmt *realize;
    int64_t axis;
} search;

static bool find_row(void *user, const vt_stmt *s) {
    search *f = user;
    if (vt_attr_is(s, VT_ATTR_ROW)) f->axis = s->u.attr.value->a[1]->u.i;
    return f->axis < 0;
}

/* The realized tensor whose rows slide: the innermost one around a mark. */
static bool find_tensor(void *user, const vt_stmt *s) {
    search *f = user, within = {.axis = -1};
    if (s->kind != VT_S_REALIZE) return true;
    vt_stmt_walk(s, NULL, find_row, &within);
    if (within.axis < 0) return false;
    f->realize = s;
    f->tensor = s->u.realize.tensor;
    f->axis = within.axis;
    return true;
}

static bool find_realize(void *user, const vt_stmt *s) {
    search *f = user;
    if (s->kind == VT_S_REALIZE && s->u.realize.tensor == f->tensor) f->realize = s;
    return !f->realize;
}

static const vt_stmt *realize_in(vt_ctx *ctx, const vt_stmt *step, const vt_tensor *t) {
    search f = {.tensor = t};
    vt_stmt_walk(step, NULL, find_realize, &f);
    if (!f.realize) refuse(ctx, t, "it is not computed in each step of the loop around it");
    return f.realize;
}

/* The least row that the step reads. */
typedef struct reads {
    const slider *st;
    int64_t least;
} reads;

static bool find_read(void *user, const vt_expr *e) {
    reads *r = user;
    int64_t row;
    if (e->kind != VT_E_PLOAD || e->u.tensor != r->st->from) return true;
    if (!constant(r->st->m.ctx, e->a[r->st->axis], &row)) row = r->st->low;
    if (row < r->least) r->least = row;
    return true;
}

static int64_t first_read(const slider *st, const vt_stmt *step) {
    reads r = {.st = st, .least = st->high - 1};
    vt_stmt_walk(step, find_read, NULL, &r);
    return r.least;
}

/* ---- Rewriting a step ------------------------------------------------------------------------------------------- */

static const vt_tensor *tensor_of(const slider *st, const vt_expr *index) {
    int64_t row;
    if (!constant(st->m.ctx, index, &row))
        refuse(st->m.ctx, st->from, "a step reads rows that change within it: make tiles of one row");
    if (row >= st->low) return st->now;
    if (!st->before || row < st->kept) refuse(st->m.ctx, st->from, "a step reads rows older than the step before it");
    return st->before;
}

static const vt_expr *slide_expr(vt_mutator *m, const vt_expr *e) {
    const slider *st = (slider *)m;
    e = vt_mutate_expr_children(m, e);
    if (e->kind != VT_E_PLOAD || e->u.tensor != st->from) return e;
    return vt_e_pload(m->ctx, tensor_of(st, e->a[st->axis]), e->n, e->a);
}

static const vt_stmt *slide_row(slider *st, const vt_stmt *s) {
    int64_t first;
    if (!constant(st->m.ctx, st->realize->u.realize.bounds[st->axis].min, &first))
        refuse(st->m.ctx, st->from, "its rows are not known");
    return first + s->u.attr.value->a[0]->u.i < st->low ? vt_s_nop(st->m.ctx) : vt_mutate_stmt(&st->m, s->u.attr.body);
}

static const vt_stmt *without_nops(vt_ctx *ctx, const vt_stmt *s) {
    vt_stmt_list kept = {0};
    if (s->kind != VT_S_SEQ) return s;
    for (uint32_t i = 0; i < s->u.seq.n_items; i++)
        if (!vt_stmt_is_nop(s->u.seq.items[i])) vt_stmt_list_add(ctx, &kept, s->u.seq.items[i]);
    return kept.n == s->u.seq.n_items ? s : vt_s_seq(ctx, kept.n, kept.items);
}

static const vt_stmt *slide_stmt(vt_mutator *m, const vt_stmt *s) {
    slider *st = (slider *)m;
    if (s == st->realize) return vt_mutate_stmt(m, s->u.realize.body);
    if (vt_attr_is(s, VT_ATTR_ROW) && vt__writes(m->ctx, s, st->from)) return slide_row(st, s);
    if (s->kind == VT_S_PSTORE && s->u.pstore.tensor == st->from) {
        s = vt_mutate_stmt_children(m, s);
        return vt_s_pstore(m->ctx, tensor_of(st, s->u.pstore.indices[st->axis]), s->u.pstore.value,
                           s->u.pstore.n_indices, s->u.pstore.indices);
    }
    if (vt_attr_is(s, VT_ATTR_BIND_BUFFER) && s->u.attr.node.second == st->from) {
        vt_ref node = s->u.attr.node;
        node.second = tensor_of(st, s->u.attr.value->a[2 * st->axis]);
        return vt_s_attr(m->ctx, node, s->u.attr.key, s->u.attr.value, vt_mutate_stmt(m, s->u.attr.body));
    }
    return without_nops(m->ctx, vt_mutate_stmt_children(m, s));
}

/* ---- The steps of a loop ---------------------------------------------------------------------------------------- */

/* The buffer of a step's own rows, around all steps. */
static const vt_stmt *keep(const slider *st, const vt_stmt *body) {
    vt_ctx *ctx = st->m.ctx;
    const vt_stmt *r = st->realize;
    vt_range *bounds = VT_NEW_ARRAY(ctx, vt_range, r->u.realize.n_bounds);
    for (uint32_t i = 0; i < r->u.realize.n_bounds; i++) bounds[i] = r->u.realize.bounds[i];
    bounds[st->axis] = (vt_range){vt_i32(ctx, (int32_t)st->low), vt_i32(ctx, (int32_t)(st->high - st->low))};
    body = vt_s_realize(ctx, st->now, r->u.realize.n_bounds, bounds, r->u.realize.condition, r->u.realize.scope, body);
    return vt_s_attr(ctx, vt_ref_op(st->from), VT_ATTR_STEP, vt_i32(ctx, 2), body);
}

static slider begin_step(vt_ctx *ctx, const slider *last, const vt_stmt *step) {
    slider st = *last;
    int64_t low, extent;
    st.m = (vt_mutator){.ctx = ctx, .expr = slide_expr, .stmt = slide_stmt};
    st.realize = realize_in(ctx, step, st.from);
    const vt_range *rows = &st.realize->u.realize.bounds[st.axis];
    if (!constant(ctx, rows->min, &low) || !constant(ctx, rows->extent, &extent))
        refuse(ctx, st.from, "its rows are not known");
    st.before = last->now;
    st.kept = last->low;
    st.low = low;
    st.high = low + extent;
    if (st.before && last->high > low) st.low = last->high;
    if (!st.before) st.low = first_read(&st, step);
    if (st.low >= st.high) refuse(ctx, st.from, "a step has no rows of its own");
    vt_tensor *own = VT_NEW(ctx, vt_tensor);
    *own = *st.from;
    st.now = own;
    return st;
}

/* The steps of one tensor; all[i] is what is kept of step i. */
static slider *slide(vt_ctx *ctx, const search *of, uint32_t n, const vt_stmt **steps) {
    slider *all = VT_NEW_ARRAY(ctx, slider, n), none = {.from = of->tensor, .axis = (uint32_t)of->axis};
    if (of->axis >= of->tensor->ndim) refuse(ctx, of->tensor, "its value is the number of an axis");
    for (uint32_t i = 0; i < n; i++) {
        all[i] = begin_step(ctx, i ? &all[i - 1] : &none, steps[i]);
        steps[i] = vt_mutate_stmt(&all[i].m, steps[i]);
    }
    return all;
}

const vt_stmt *vt__mark_row(vt_ctx *ctx, const vt_stmt *pragma, int64_t row, const vt_stmt *body) {
    const vt_expr *both[] = {vt_i32(ctx, (int32_t)row), pragma->u.attr.value};
    const vt_expr *value = vt_e_call(ctx, VT_HANDLE_T, VT_OP_TUPLE, 2, both);
    return vt_s_attr(ctx, pragma->u.attr.node, VT_ATTR_ROW, value, body);
}

const vt_stmt *vt__slide_rows(vt_ctx *ctx, uint32_t n, const vt_stmt **steps) {
    enum { MAX_TENSORS = 16 };
    slider *of[MAX_TENSORS];
    uint32_t tensors = 0;
    for (search f = {.axis = -1}; n; f = (search){.axis = -1}) {
        vt_stmt_walk(steps[0], NULL, find_tensor, &f);
        if (!f.tensor) break;
        if (tensors == MAX_TENSORS) refuse(ctx, f.tensor, "more tensors than may slide at one loop");
        of[tensors++] = slide(ctx, &f, n, steps);
    }
    const vt_stmt *s = vt_s_seq(ctx, n, steps);
    while (tensors--)
        for (uint32_t i = n; i-- > 0;) s = keep(&of[tensors][i], s);
    return s;
}

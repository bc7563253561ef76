/* TopK and CumSum along a short axis, and rows set by their numbers: by comparing, or adding, each with all others,
 * which are operators that code is generated for. The numbers are the same to the bit: sums of floats are made in
 * double either way. */
#include <math.h>

#include "frontend/pass/decompose.h"

enum { PAIRS_MAX = 1 << 22 }; /* elements of the largest value between */

typedef struct along {
    vt_rewrite *r;
    const vt_gnode *n;
} along;

static vt_gvalue *two(const along *a, vt_gop op, vt_gvalue *x, vt_gvalue *y) {
    return vt__decompose_make(a->r, a->n, false, op, 2, (vt_gvalue *[]){x, y}, 0, NULL);
}

static vt_gvalue *three(const along *a, vt_gvalue *condition, vt_gvalue *x, vt_gvalue *y) {
    return vt__decompose_make(a->r, a->n, false, VT_G_WHERE, 3, (vt_gvalue *[]){condition, x, y}, 0, NULL);
}

static vt_gvalue *cast(const along *a, bool last, vt_gvalue *x, vt_element to) {
    const vt_gattr set[] = {VT_GSET_INT(TO, to)};
    return vt__decompose_make(a->r, a->n, last, VT_G_CAST, 1, &x, 1, set);
}

static vt_gvalue *sum_last(const along *a, bool last, vt_gvalue *x) {
    const int64_t axis = x->type.rank - 1;
    const vt_gattr set[] = {VT_GSET_INTS(AXES, 1, &axis), VT_GSET_INT(KEEPDIMS, 0)};
    return vt__decompose_make(a->r, a->n, last, VT_G_REDUCE_SUM, 1, &x, 2, set);
}

/* x with an axis of one element more, before axis `at`. */
static vt_gvalue *apart(const along *a, vt_gvalue *x, uint32_t at) {
    int64_t dims[VT_MAX_RANK + 1];
    for (uint32_t i = 0, from = 0; i <= x->type.rank; i++) dims[i] = i == at ? 1 : x->type.dim[from++];
    const vt_gattr set[] = {VT_GSET_INTS(SHAPE, x->type.rank + 1, dims)};
    return vt__decompose_make(a->r, a->n, false, VT_G_RESHAPE, 1, &x, 1, set);
}

/* The two axes exchanged; `last` as for vt__decompose_make. */
static vt_gvalue *exchanged(const along *a, bool last, vt_gvalue *x, uint32_t i, uint32_t k) {
    int64_t order[VT_MAX_RANK];
    if (i == k) return x;
    for (uint32_t j = 0; j < x->type.rank; j++) order[j] = j;
    order[i] = k, order[k] = i;
    const vt_gattr perm[] = {VT_GSET_INTS(PERM, x->type.rank, order)};
    return vt__decompose_make(a->r, a->n, last, VT_G_TRANSPOSE, 1, &x, 1, perm);
}

/* The numbers 0 to count - 1: [count], or [count, 1]. */
static vt_gvalue *numbers(const along *a, int64_t count, bool column) {
    vt_ctx *ctx = a->r->to->ctx;
    float *data = VT_NEW_ARRAY(ctx, float, (size_t)count);
    for (int64_t i = 0; i < count; i++) data[i] = (float)i;
    vt_gtype t = {VT_ELEMENT_F32, column ? 2 : 1, {count, column}};
    return vt_graph_constant(a->r->to, vt_new_format(ctx, "%s.numbers", a->n->name), t, data);
}

/* [count, count]: does element k (columns) come before element i (rows), or also after it, or is it i itself? */
static vt_gvalue *pairs(const along *a, int64_t count, bool before, bool after, bool same) {
    vt_ctx *ctx = a->r->to->ctx;
    bool *data = VT_NEW_ARRAY(ctx, bool, (size_t)(count * count));
    for (int64_t i = 0; i < count; i++)
        for (int64_t k = 0; k < count; k++) data[i * count + k] = k < i ? before : k > i ? after : same;
    vt_gtype t = {VT_ELEMENT_BOOL, 2, {count, count}};
    return vt_graph_constant(a->r->to, vt_new_format(ctx, "%s.pairs", a->n->name), t, data);
}

static vt_gvalue *zero(const along *a, vt_element e) {
    vt_ctx *ctx = a->r->to->ctx;
    return vt_graph_constant(a->r->to, vt_new_format(ctx, "%s.zero", a->n->name), (vt_gtype){.element = e},
                             vt_new_bytes(ctx, sizeof(int64_t)));
}

/* What is not a number counts as infinity, as in the evaluator: every element has one place. */
static vt_gvalue *ordered(const along *a, vt_gvalue *x) {
    vt_ctx *ctx = a->r->to->ctx;
    if (x->type.element != VT_ELEMENT_F32) return x;
    vt_gvalue *most = vt_graph_scalar(a->r->to, vt_new_format(ctx, "%s.infinity", a->n->name), INFINITY);
    return three(a, two(a, VT_G_EQUAL, x, x), x, most);
}

/* How many come before each element in the order: those that are better, and equal ones in front of it. */
static vt_gvalue *places(const along *a, vt_gvalue *x, bool largest) {
    uint32_t last = x->type.rank - 1;
    x = ordered(a, x);
    vt_gvalue *others = apart(a, x, last), *each = apart(a, x, last + 1);
    vt_gvalue *better = two(a, largest ? VT_G_GREATER : VT_G_LESS, others, each);
    vt_gvalue *first =
        two(a, VT_G_AND, two(a, VT_G_EQUAL, others, each), pairs(a, x->type.dim[last], true, false, false));
    return sum_last(a, false, cast(a, false, two(a, VT_G_OR, better, first), VT_ELEMENT_F32));
}

/* Of each place the number of the element that has it. */
static vt_gvalue *top_k(const along *a, vt_gvalue *x) {
    uint32_t last = x->type.rank - 1;
    int64_t count = x->type.dim[last];
    vt_gvalue *place = apart(a, places(a, x, vt_gattr_int(a->n, VT_A_LARGEST) != 0), last);
    vt_gvalue *wanted = numbers(a, vt_gattr_int(a->n, VT_A_K), true);
    return sum_last(a, false,
                    three(a, two(a, VT_G_EQUAL, place, wanted), numbers(a, count, false), zero(a, VT_ELEMENT_F32)));
}

static vt_gvalue *cum_sum(const along *a, bool is_last, vt_gvalue *x) {
    uint32_t last = x->type.rank - 1;
    bool back = vt_gattr_int(a->n, VT_A_REVERSE) != 0, without = vt_gattr_int(a->n, VT_A_EXCLUSIVE) != 0;
    vt_gvalue *counts = pairs(a, x->type.dim[last], !back, back, !without);
    return sum_last(a, is_last, three(a, counts, apart(a, x, last), zero(a, x->type.element)));
}

/* Rows and the updates behind them, of which each row of the result takes one: its last update, or itself. A number
 * that is outside is no row's. */
static vt_gvalue *scatter(const along *a, vt_gvalue *x, vt_gvalue *at, vt_gvalue *updates) {
    int64_t rows = x->type.dim[0], count = at->type.dim[0];
    const vt_gattr along_rows[] = {VT_GSET_INT(AXIS, 0)};
    vt_gvalue *both[] = {x, updates}, *none = numbers(a, 1, false);
    vt_gvalue *row = cast(a, false, numbers(a, rows, true), VT_ELEMENT_I64);
    vt_gvalue *meets = two(a, VT_G_EQUAL, row, apart(a, at, 0)); /* 1 and on: the updates; 0: there is none */
    vt_gvalue *one = vt_graph_scalar(a->r->to, vt_new_format(a->r->to->ctx, "%s.one", a->n->name), 1);
    vt_gvalue *number = three(a, meets, two(a, VT_G_ADD, numbers(a, count, false), one), none);
    const int64_t second = 1;
    const vt_gattr set[] = {VT_GSET_INTS(AXES, 1, &second), VT_GSET_INT(KEEPDIMS, 0)};
    number = vt__decompose_make(a->r, a->n, false, VT_G_REDUCE_MAX, 1, &number, 2, set);
    vt_gvalue *most = vt_graph_scalar(a->r->to, vt_new_format(a->r->to->ctx, "%s.rows", a->n->name), (float)(rows - 1));
    vt_gvalue *from =
        three(a, two(a, VT_G_GREATER, number, none), two(a, VT_G_ADD, number, most), numbers(a, rows, false));
    vt_gvalue *in[] = {vt__decompose_make(a->r, a->n, false, VT_G_CONCAT, 2, both, 1, along_rows),
                       cast(a, false, from, VT_ELEMENT_I64)};
    return vt__decompose_make(a->r, a->n, true, VT_G_GATHER, 2, in, 1, along_rows);
}

/* What changes nothing: 0, 1, or the number that every other one is larger or smaller than. */
static vt_gvalue *neutral(const along *a, vt_element e, int64_t reduction) {
    vt_ctx *ctx = a->r->to->ctx;
    bool real = e == VT_ELEMENT_F32 || e == VT_ELEMENT_F64;
    double least = real ? -INFINITY : vt_element_least(e), most = real ? INFINITY : vt_element_max(e);
    void *data = vt_new_bytes(ctx, sizeof(int64_t));
    double x = reduction == VT_REDUCTION_MUL   ? 1
               : reduction == VT_REDUCTION_MAX ? least
               : reduction == VT_REDUCTION_MIN ? most
                                               : 0;
    if (!real && vt_element_bytes(e) == 8 && x > 1) /* 2^63 - 1 and 2^64 - 1 are no doubles */
        *(uint64_t *)data = e == VT_ELEMENT_U64 ? UINT64_MAX : INT64_MAX;
    else
        vt_element_store(e, data, 0, x);
    return vt_graph_constant(a->r->to, vt_new_format(ctx, "%s.neutral", a->n->name), (vt_gtype){.element = e}, data);
}

/* Rows with all their updates added, multiplied, or compared: updates of other rows are made neutral. */
static vt_gvalue *reduce_rows(const along *a, int64_t reduction, vt_gvalue *x, vt_gvalue *at, vt_gvalue *updates) {
    int64_t rows = x->type.dim[0], count = at->type.dim[0], width = vt_gtype_span(&x->type, 1, x->type.rank);
    const int64_t flat[] = {1, count, width}, columns[] = {rows, count, 1}, second = 1;
    const vt_gattr as_flat[] = {VT_GSET_INTS(SHAPE, 3, flat)}, as_columns[] = {VT_GSET_INTS(SHAPE, 3, columns)};
    const vt_gattr as_x[] = {VT_GSET_INTS(SHAPE, x->type.rank, x->type.dim)};
    const vt_gattr over[] = {VT_GSET_INTS(AXES, 1, &second), VT_GSET_INT(KEEPDIMS, 0)};
    static const vt_gop reduce[] = {[VT_REDUCTION_ADD] = VT_G_REDUCE_SUM,
                                    [VT_REDUCTION_MUL] = VT_G_REDUCE_PROD,
                                    [VT_REDUCTION_MAX] = VT_G_REDUCE_MAX,
                                    [VT_REDUCTION_MIN] = VT_G_REDUCE_MIN};
    static const vt_gop join[] = {[VT_REDUCTION_ADD] = VT_G_ADD,
                                  [VT_REDUCTION_MUL] = VT_G_MUL,
                                  [VT_REDUCTION_MAX] = VT_G_MAX,
                                  [VT_REDUCTION_MIN] = VT_G_MIN};
    vt_gvalue *row = cast(a, false, numbers(a, rows, true), VT_ELEMENT_I64);
    vt_gvalue *meets = two(a, VT_G_EQUAL, row, apart(a, at, 0));
    meets = vt__decompose_make(a->r, a->n, false, VT_G_RESHAPE, 1, &meets, 1, as_columns);
    updates = vt__decompose_make(a->r, a->n, false, VT_G_RESHAPE, 1, &updates, 1, as_flat);
    vt_gvalue *all = three(a, meets, updates, neutral(a, x->type.element, reduction));
    if (reduction == VT_REDUCTION_MUL)
        all = vt__decompose_product(a->r, a->n, false, all, 1);
    else
        all = vt__decompose_make(a->r, a->n, false, reduce[reduction], 1, &all, 2, over);
    all = vt__decompose_make(a->r, a->n, false, VT_G_RESHAPE, 1, &all, 1, as_x);
    return vt__decompose_make(a->r, a->n, true, join[reduction], 2, (vt_gvalue *[]){x, all}, 0, NULL);
}

static vt_gvalue *set_rows(vt_rewrite *r, const vt_gnode *n) {
    const vt_gvalue *x = n->inputs[0], *at = n->inputs[1], *updates = n->inputs[2];
    int64_t rows = x->type.dim[0], count = at->type.dim[0], reduction = vt_gattr_int(n, VT_A_REDUCTION);
    along a = {r, n};
    if (!vt_gtype_count(&x->type) || !count || rows > PAIRS_MAX / count) return NULL;
    if (reduction == VT_REDUCTION_NONE)
        return scatter(&a, vt_rewrite_of(r, x), vt_rewrite_of(r, at), vt_rewrite_of(r, updates));
    if (vt_gtype_count(&x->type) > PAIRS_MAX / count) return NULL;
    return reduce_rows(&a, reduction, vt_rewrite_of(r, x), vt_rewrite_of(r, at), vt_rewrite_of(r, updates));
}

vt_gvalue *vt__decompose_along(vt_rewrite *r, const vt_gnode *n) {
    along a = {r, n};
    const vt_gtype *x = n->input_count ? &n->inputs[0]->type : NULL;
    bool order = n->op == VT_G_TOP_K;
    if (n->op == VT_G_SCATTER) return set_rows(r, n);
    if ((!order && n->op != VT_G_CUM_SUM) || x->rank >= VT_MAX_RANK) return NULL;
    uint32_t axis = (uint32_t)vt_gattr_int(n, VT_A_AXIS), last = x->rank - 1;
    int64_t count = x->dim[axis];
    if (!vt_gtype_count(&n->outputs[0]->type) || count > PAIRS_MAX / vt_gtype_count(x)) return NULL;
    vt_gvalue *in = exchanged(&a, false, vt_rewrite_of(r, n->inputs[0]), axis, last);
    vt_gvalue *y = order ? cast(&a, axis == last, top_k(&a, in), VT_ELEMENT_I64) : cum_sum(&a, axis == last, in);
    return exchanged(&a, true, y, axis, last);
}

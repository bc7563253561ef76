/* Operators that find rows: how many depends on values (frontend/onnx/rows.h). */
#include <math.h>

#include "frontend/onnx/make.h"
#include "frontend/onnx/rows.h"

/* ---- Boxes ---- */

static double number_or(const vt_onnx_node *n, size_t i, const char *what, double otherwise) {
    return vt__onnx_in(n, i) ? vt__onnx_constant_number(n, i, what) : otherwise;
}

/* The scores, those of boxes that do not count made what is no number: such a box is never taken. */
static vt_gvalue *counted_scores(const vt_onnx_node *n, vt_gvalue *scores) {
    vt_gvalue *counts = vt__onnx_rows_counted(n, scores);
    if (!counts) return scores;
    return vt__onnx_rows_whole(n, vt__mk_where(n, counts, scores, vt__mk_number(n, VT_ELEMENT_F32, NAN)));
}

void vt__onnx_non_max_suppression(const vt_onnx_node *n) {
    vt_gvalue *boxes = vt__onnx_need(n, 0), *scores = vt__onnx_need(n, 1);
    double k = number_or(n, 2, "max_output_boxes_per_class", 0), iou = number_or(n, 3, "iou_threshold", 0);
    const vt_gattr set[] = {VT_GSET_INT(K, k < 0                 ? 0
                                           : k > VT_MAX_COMPUTED ? VT_MAX_COMPUTED
                                                                 : (int64_t)k),
                            VT_GSET_FLOAT(IOU, iou),
                            VT_GSET_FLOAT(SCORE, number_or(n, 4, "score_threshold", -INFINITY)),
                            VT_GSET_INT(CENTERED, vt__onnx_int(n, "center_point_box", 0))};
    if (!(iou >= 0 && iou <= 1)) vt__onnx_wrong(n, "iou_threshold is %g, expected 0 to 1", iou);
    scores = counted_scores(n, scores);
    boxes = vt__onnx_rows_whole(n, boxes);
    vt_gvalue *found = vt__onnx_make(n, VT_G_NON_MAX_SUPPRESSION, VT_ONNX_INPUTS(boxes, scores), 4, set);
    vt_gvalue *count = vt__mk_slice(n, vt__mk_slice(n, found, 0, 0, 1), 1, 0, 1);
    vt_gvalue *rows = vt__mk_slice(n, found, 0, 1, found->type.dim[0] - 1);
    vt__onnx_rows_set(n->r, rows, vt__onnx_reshape_to(n, count, 1, (int64_t[]){1}), 0);
    vt__onnx_out(n, 0, rows);
}

/* ---- Places ---- */

/* The numbers of the true elements of a list, in order, and behind them those of the others. */
static vt_gvalue *places_of(const vt_onnx_node *n, vt_gvalue *is_true) {
    const vt_gattr set[] = {VT_GSET_INT(AXIS, 0), VT_GSET_INT(K, is_true->type.dim[0]), VT_GSET_INT(LARGEST, 1)};
    vt_gvalue *ones = vt__mk_cast(n, is_true, VT_ELEMENT_F32);
    const int64_t all = 0;
    vt_gvalue *count = vt__mk_reduce(n, VT_G_REDUCE_SUM, vt__mk_cast(n, is_true, VT_ELEMENT_I64), 1, &all, true);
    vt_gvalue *places = vt__onnx_make(n, VT_G_TOP_K, 1, &ones, 3, set);
    vt__onnx_rows_set(n->r, places, count, 0);
    return places;
}

/* Truths of which those that do not count are false. */
static vt_gvalue *counted_truths(const vt_onnx_node *n, vt_gvalue *is_true) {
    vt_gvalue *counts = vt__onnx_rows_counted(n, is_true);
    return counts ? vt__onnx_rows_whole(n, vt__mk_two(n, VT_G_AND, is_true, counts)) : is_true;
}

/* Where x is not 0: a row for each axis, a column for each such element. */
vt_gvalue *vt__mk_non_zero(const vt_onnx_node *n, vt_gvalue *x) {
    const vt_gtype t = x->type;
    int64_t count = vt_gtype_count(&t), *to;
    uint32_t rank = t.rank ? t.rank : 1;
    if (t.element != VT_ELEMENT_BOOL) x = vt__mk_one(n, VT_G_NOT, vt__mk_with(n, VT_G_EQUAL, x, 0));
    vt_gvalue *places = places_of(n, vt__onnx_reshape_to(n, counted_truths(n, x), 1, &count));
    vt_gvalue *table = vt__mk_room(n, VT_ELEMENT_I64, 2, (int64_t[]){rank, count}, &to);
    for (int64_t i = 0; i < count; i++) {
        int64_t rest = i;
        for (uint32_t a = t.rank; a-- > 0; rest /= t.dim[a]) to[a * count + i] = rest % t.dim[a];
    }
    return vt__mk_take(n, table, 1, places);
}

/* The entries along an axis that the truths say; those behind the last truth are left out. */
vt_gvalue *vt__mk_compress(const vt_onnx_node *n, vt_gvalue *x, uint32_t axis, vt_gvalue *truths) {
    if (truths->type.element != VT_ELEMENT_BOOL || truths->type.rank != 1 || truths->type.dim[0] > x->type.dim[axis])
        vt__onnx_wrong(n, "condition is not a list of at most %lld truths", (long long)x->type.dim[axis]);
    uint32_t open;
    if (vt__onnx_rows_are_open(n->r, x, &open) && open == axis) x = vt__onnx_rows_whole(n, x); /* of rows that count */
    return vt__mk_take(n, x, axis, places_of(n, counted_truths(n, truths)));
}

/* Elements taken and set by indices: all of them become Gather along one axis, or a scatter of rows, by the number that
 * an element has in memory. Gather of a table of such numbers counts indices from the end where they are negative, and
 * refuses those outside of their axis. */
#include <string.h>

#include "frontend/onnx/make.h"
#include "frontend/onnx/rows.h"

/* Each index of an axis of `extent` entries, times `stride`. */
static vt_gvalue *offsets(const vt_onnx_node *n, vt_gvalue *indices, int64_t extent, int64_t stride) {
    vt_element e = indices->type.element;
    if (e != VT_ELEMENT_I64 && e != VT_ELEMENT_I32)
        vt__onnx_wrong(n, "its indices (%s) are %s, expected int64 or int32", indices->name, vt_element_text(e));
    return vt__mk_take(n, vt__mk_iota(n, VT_ELEMENT_I64, 1, 0, extent, 0, (double)stride), 0, indices);
}

/* ---- One index for each element ---- */

/* The numbers in memory of x[i, .., indices[i, j, ..], ..], where an index stands for the place along the axis. */
static vt_gvalue *along(const vt_onnx_node *n, const vt_gtype *x, vt_gvalue *indices, uint32_t axis) {
    const vt_gtype *t = &indices->type;
    int64_t dims[VT_MAX_RANK] = {0}, by[VT_MAX_RANK] = {0}, *to, count = 1, step = 1;
    if (t->rank != x->rank) vt__onnx_wrong(n, "indices of %u axes for %u", (unsigned)t->rank, (unsigned)x->rank);
    for (uint32_t i = x->rank; i-- > 0; step *= x->dim[i]) by[i] = step;
    for (uint32_t i = 0; i < x->rank; i++) {
        dims[i] = i == axis ? 1 : t->dim[i];
        count *= dims[i];
        if (i != axis && t->dim[i] > x->dim[i])
            vt__onnx_wrong(n, "axis %u of the indices has %lld elements, that of the data %lld", (unsigned)i,
                           (long long)t->dim[i], (long long)x->dim[i]);
    }
    vt_gvalue *base = vt__mk_room(n, VT_ELEMENT_I64, x->rank, dims, &to);
    for (int64_t i = 0; i < count; i++) {
        int64_t rest = i;
        for (uint32_t a = x->rank; a-- > 0; rest /= dims[a]) to[i] += rest % dims[a] * by[a];
    }
    return vt__mk_two(n, VT_G_ADD, offsets(n, indices, x->dim[axis], by[axis]), base);
}

static vt_gvalue *flat(const vt_onnx_node *n, vt_gvalue *x) {
    return vt__onnx_reshape_to(n, x, 1, (int64_t[]){vt_gtype_count(&x->type)});
}

vt_gvalue *vt__mk_take_along(const vt_onnx_node *n, vt_gvalue *x, vt_gvalue *indices, uint32_t axis) {
    return vt__mk_take(n, flat(n, x), 0, along(n, &x->type, indices, axis));
}

void vt__onnx_gather_elements(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0);
    uint32_t axis = vt__onnx_axis(n, vt__onnx_int(n, "axis", 0), x->type.rank);
    vt__onnx_out(n, 0, vt__mk_take_along(n, x, vt__onnx_need(n, 1), axis));
}

/* ---- Rows of indices: the last axis has one for each of the first axes of the data ---- */

/* The numbers of the entries that rows of indices select, entries being what follows the first `first` + k axes. */
static vt_gvalue *of_rows(const vt_onnx_node *n, const vt_gtype *x, vt_gvalue *indices, uint32_t first) {
    const vt_gtype t = indices->type;
    uint32_t last = t.rank ? t.rank - 1 : 0;
    int64_t k = t.rank ? t.dim[last] : 0;
    vt_gvalue *sum = NULL;
    if (k < 1 || k > x->rank - first)
        vt__onnx_wrong(n, "rows of %lld indices for %u axes", (long long)k, (unsigned)(x->rank - first));
    for (int64_t j = 0; j < k; j++) {
        vt_gvalue *part = vt__onnx_reshape_to(n, vt__mk_slice(n, indices, last, j, 1), last, t.dim);
        part = offsets(n, part, x->dim[first + j], vt_gtype_span(x, first + (uint32_t)j + 1, first + (uint32_t)k));
        sum = sum ? vt__mk_two(n, VT_G_ADD, sum, part) : part;
    }
    return sum;
}

void vt__onnx_gather_nd(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0), *indices = vt__onnx_need(n, 1);
    const vt_gtype t = x->type, s = indices->type;
    int64_t batch = vt__onnx_int(n, "batch_dims", 0), dims[2 * VT_MAX_RANK], images = 1;
    uint32_t rank = 0;
    if (batch < 0 || batch >= t.rank || batch >= s.rank) vt__onnx_wrong(n, "batch_dims is %lld", (long long)batch);
    for (uint32_t i = 0; i < batch; i++) {
        if (t.dim[i] != s.dim[i]) vt__onnx_wrong(n, "axis %u of data and indices is not the same", (unsigned)i);
        images *= t.dim[i];
    }
    vt_gvalue *at = of_rows(n, &t, indices, (uint32_t)batch);
    uint32_t selected = (uint32_t)batch + (uint32_t)s.dim[s.rank - 1];
    if (images > 1) {
        int64_t each = vt_gtype_span(&t, (uint32_t)batch, selected);
        at = vt__onnx_reshape_to(n, at, 2, (int64_t[]){images, vt_gtype_span(&s, (uint32_t)batch, s.rank - 1)});
        at = vt__mk_two(n, VT_G_ADD, at, vt__mk_iota(n, VT_ELEMENT_I64, 2, 0, images, 0, (double)each));
    }
    for (uint32_t i = 0; i + 1 < s.rank; i++) dims[rank++] = s.dim[i];
    for (uint32_t i = selected; i < t.rank; i++) dims[rank++] = t.dim[i];
    if (rank > VT_MAX_RANK) vt__onnx_unsupported(n, "a result of %u axes", (unsigned)rank);
    x = vt__onnx_reshape_to(n, x, 2, (int64_t[]){vt_gtype_span(&t, 0, selected), vt_gtype_span(&t, selected, t.rank)});
    vt__onnx_out(n, 0, vt__onnx_reshape_to(n, vt__mk_take(n, x, 0, flat(n, at)), rank, dims));
}

/* ---- Setting ---- */

/* Rows of x replaced by the updates whose index is known now: rows of both, the last update of a row being the one. */
static vt_gvalue *replaced(const vt_onnx_node *n, vt_gvalue *x, const vt_gvalue *at, vt_gvalue *updates) {
    int64_t rows = x->type.dim[0], count = updates->type.dim[0], *table;
    const int64_t *index = at->data;
    vt_gvalue *v = vt__mk_room(n, VT_ELEMENT_I64, 1, &rows, &table);
    for (int64_t i = 0; i < rows; i++) table[i] = i;
    for (int64_t i = 0; i < count; i++) {
        if (index[i] < 0 || index[i] >= rows)
            vt__onnx_wrong(n, "index %lld is outside of the data", (long long)index[i]);
        table[index[i]] = rows + i;
    }
    return vt__mk_take(n, vt__mk_concat(n, 2, (vt_gvalue *[]){x, updates}, 0), 0, v);
}

/* x as rows of `inner` elements, the rows `at` made what the updates say. */
static vt_gvalue *scattered(const vt_onnx_node *n, vt_gvalue *x, int64_t inner, vt_gvalue *at, vt_gvalue *updates) {
    const vt_gtype t = x->type;
    vt_gword how = vt_gword_find(VT_A_REDUCTION, vt__onnx_string(n, "reduction", "none"));
    vt_gvalue *known = vt__onnx_known(n, at);
    at = flat(n, known ? known : at);
    if (inner < 1) return x;
    if (updates->type.element != t.element || vt_gtype_count(&updates->type) != at->type.dim[0] * inner)
        vt__onnx_wrong(n, "its updates are not one %s for each of %lld elements", vt_element_text(t.element),
                       (long long)(at->type.dim[0] * inner));
    x = vt__onnx_reshape_to(n, x, 2, (int64_t[]){vt_gtype_count(&t) / inner, inner});
    updates = vt__onnx_reshape_to(n, updates, 2, (int64_t[]){at->type.dim[0], inner});
    if (!vt_gtype_count(&updates->type))
        ; /* nothing is set */
    else if (at->data && how == VT_REDUCTION_NONE)
        x = replaced(n, x, at, updates);
    else
        x = vt__onnx_make(n, VT_G_SCATTER, VT_ONNX_INPUTS(x, at, updates),
                          VT_ONNX_ATTRIBUTES(VT_GSET_INT(REDUCTION, how)));
    return vt__onnx_reshape_to(n, x, t.rank, t.dim);
}

void vt__onnx_scatter_elements(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0), *indices = vt__onnx_need(n, 1), *updates = vt__onnx_need(n, 2);
    uint32_t axis = vt__onnx_axis(n, vt__onnx_int(n, "axis", 0), x->type.rank);
    if (!vt_gtype_same_shape(&indices->type, &updates->type))
        vt__onnx_wrong(n, "indices and updates have not the same shape");
    vt__onnx_out(n, 0, scattered(n, x, 1, along(n, &x->type, indices, axis), updates));
}

void vt__onnx_scatter_nd(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0), *indices = vt__onnx_need(n, 1);
    vt_gvalue *at = of_rows(n, &x->type, indices, 0);
    uint32_t selected = (uint32_t)indices->type.dim[indices->type.rank - 1];
    vt__onnx_out(n, 0, scattered(n, x, vt_gtype_span(&x->type, selected, x->type.rank), at, vt__onnx_need(n, 2)));
}

/* Rows of a cache from write_indices[image] on are set; in a circle, or up to its end. */
void vt__onnx_tensor_scatter(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0), *updates = vt__onnx_need(n, 1), *from = vt__onnx_in(n, 2);
    const vt_gtype t = x->type;
    uint32_t axis = vt__onnx_axis(n, vt__onnx_int(n, "axis", -2), t.rank);
    bool circle = !strcmp(vt__onnx_string(n, "mode", "linear"), "circular");
    int64_t rows = t.dim[axis], count = updates->type.rank == t.rank ? updates->type.dim[axis] : 0, *table;
    if (!axis || updates->type.rank != t.rank || count > rows) vt__onnx_wrong(n, "the update does not fit the cache");
    if (!from) from = vt__mk_room(n, VT_ELEMENT_I64, 1, t.dim, &table);
    if (from->type.rank != 1 || from->type.dim[0] != t.dim[0] || from->type.element != VT_ELEMENT_I64)
        vt__onnx_wrong(n, "write_indices is not one int64 for each of %lld entries", (long long)t.dim[0]);
    vt_gvalue *places = vt__mk_room(n, VT_ELEMENT_I64, 1, (int64_t[]){circle ? 2 * rows : rows}, &table);
    for (int64_t i = 0; i < places->type.dim[0]; i++) table[i] = i % rows;
    from = vt__mk_two(n, VT_G_ADD, vt__mk_unsqueeze(n, from, 1), vt__mk_iota(n, VT_ELEMENT_I64, 2, 1, count, 0, 1));
    vt_gvalue *at = vt__mk_two(n, VT_G_ADD, vt__mk_take(n, places, 0, from),
                               vt__mk_iota(n, VT_ELEMENT_I64, 2, 0, t.dim[0], 0, (double)rows));
    x = vt__mk_move_axis(n, x, axis, 1), updates = vt__mk_move_axis(n, updates, axis, 1);
    x = scattered(n, x, vt_gtype_span(&x->type, 2, t.rank), at, updates);
    vt__onnx_out(n, 0, vt__mk_move_axis(n, x, 1, axis));
}

/* ---- The largest ---- */

void vt__onnx_top_k(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0);
    uint32_t axis = vt__onnx_axis(n, vt__onnx_int(n, "axis", -1), x->type.rank);
    int64_t k = vt__onnx_int(n, "k", 0);
    if (n->r->opset >= 10) {
        vt_onnx_ints given = vt__onnx_constant_ints(n, 1, "k");
        if (given.count != 1) vt__onnx_wrong(n, "k is not one number");
        k = given.item[0];
    }
    if (k < 0 || k > x->type.dim[axis])
        vt__onnx_wrong(n, "the %lld largest of %lld", (long long)k, (long long)x->type.dim[axis]);
    const vt_gattr set[] = {VT_GSET_INT(AXIS, axis), VT_GSET_INT(K, k),
                            VT_GSET_INT(LARGEST, vt__onnx_int(n, "largest", 1) != 0)};
    vt_gvalue *places = vt__onnx_make(n, VT_G_TOP_K, 1, &x, 3, set);
    if (vt__onnx_wants(n, 0)) vt__onnx_out(n, 0, vt__mk_take_along(n, vt__onnx_rows_whole(n, x), places, axis));
    vt__onnx_out(n, 1, places);
}

/* ---- Selections ---- */

void vt__onnx_compress(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0), *given = vt__onnx_need(n, 1), *condition = vt__onnx_known(n, given);
    if (!vt__onnx_has(n, "axis")) x = flat(n, x);
    uint32_t axis = vt__onnx_has(n, "axis") ? vt__onnx_axis(n, vt__onnx_int(n, "axis", 0), x->type.rank) : 0;
    if (!condition) {
        vt__onnx_out(n, 0, vt__mk_compress(n, x, axis, given));
        return;
    }
    int64_t all = vt_gtype_count(&condition->type), count = 0, *table;
    if (condition->type.element != VT_ELEMENT_BOOL || all > x->type.dim[axis])
        vt__onnx_wrong(n, "condition is not a list of at most %lld truths", (long long)x->type.dim[axis]);
    for (int64_t i = 0; i < all; i++) count += ((const bool *)condition->data)[i];
    vt_gvalue *at = vt__mk_room(n, VT_ELEMENT_I64, 1, &count, &table);
    for (int64_t i = 0; i < all; i++)
        if (((const bool *)condition->data)[i]) *table++ = i;
    vt__onnx_out(n, 0, vt__mk_take(n, x, axis, at));
}

/* Of constants it has as many columns as there are. */
void vt__onnx_non_zero(const vt_onnx_node *n) {
    vt_gvalue *given = vt__onnx_need(n, 0), *x = vt__onnx_known(n, given);
    if (!x) {
        vt__onnx_out(n, 0, vt__mk_non_zero(n, given));
        return;
    }
    vt__onnx_rows_want_known(n, x, "numbers");
    int64_t all = vt_gtype_count(&x->type), count = 0, *to, done = 0;
    uint32_t rank = x->type.rank ? x->type.rank : 1;
    for (int64_t i = 0; i < all; i++) count += vt_gelement_at(x, (size_t)i) != 0;
    vt_gvalue *y = vt__mk_room(n, VT_ELEMENT_I64, 2, (int64_t[]){rank, count}, &to);
    for (int64_t i = 0; i < all; i++) {
        int64_t rest = i;
        if (vt_gelement_at(x, (size_t)i) == 0) continue;
        for (uint32_t a = x->type.rank; a-- > 0; rest /= x->type.dim[a]) to[a * count + done] = rest % x->type.dim[a];
        done++;
    }
    vt__onnx_out(n, 0, y);
}

/* The first entries along the time axis, as many as there are of each sequence, the other way round. */
void vt__onnx_reverse_sequence(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0), *lengths = vt__onnx_need(n, 1);
    uint32_t batch = vt__onnx_axis(n, vt__onnx_int(n, "batch_axis", 1), x->type.rank);
    uint32_t time = vt__onnx_axis(n, vt__onnx_int(n, "time_axis", 0), x->type.rank);
    if (batch == time || batch > 1 || time > 1) vt__onnx_wrong(n, "batch_axis and time_axis are 0 and 1, or 1 and 0");
    x = vt__mk_move_axis(n, x, batch, 0);
    const vt_gtype t = x->type;
    int64_t count = t.dim[1];
    if (lengths->type.rank != 1 || lengths->type.dim[0] != t.dim[0] || lengths->type.element != VT_ELEMENT_I64)
        vt__onnx_wrong(n, "sequence_lens is not one int64 for each of %lld sequences", (long long)t.dim[0]);
    lengths = vt__mk_unsqueeze(n, lengths, 1);
    vt_gvalue *places = vt__mk_iota(n, VT_ELEMENT_I64, 2, 1, count, 0, 1);
    vt_gvalue *back = vt__mk_two(n, VT_G_SUB, vt__mk_with(n, VT_G_SUB, lengths, 1), places);
    vt_gvalue *at = vt__mk_where(n, vt__mk_two(n, VT_G_LESS, places, lengths), back, places);
    at = vt__mk_two(n, VT_G_ADD, offsets(n, at, count, 1),
                    vt__mk_iota(n, VT_ELEMENT_I64, 2, 0, t.dim[0], 0, (double)count));
    x = vt__onnx_reshape_to(n, x, 2, (int64_t[]){t.dim[0] * count, vt_gtype_span(&t, 2, t.rank)});
    x = vt__onnx_reshape_to(n, vt__mk_take(n, x, 0, flat(n, at)), t.rank, t.dim);
    vt__onnx_out(n, 0, vt__mk_move_axis(n, x, 0, batch));
}

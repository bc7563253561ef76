/* Operators that move elements. */
#include <string.h>

#include "frontend/onnx/make.h"
#include "frontend/onnx/rows.h"

/* 0: as the input has it (unless allowzero); -1: what is left over. */
void vt__onnx_reshape(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0);
    vt_onnx_ints shape = vt__onnx_constant_ints(n, 1, "shape");
    int64_t dims[VT_MAX_RANK], known = 1, open = -1, count = vt_gtype_count(&x->type);
    if (!shape.given || shape.count > VT_MAX_RANK) vt__onnx_wrong(n, "a shape of %u axes", (unsigned)shape.count);
    for (uint32_t i = 0; i < shape.count; i++) {
        dims[i] = shape.item[i];
        if (dims[i] == 0 && !vt__onnx_int(n, "allowzero", 0) && i < x->type.rank) dims[i] = x->type.dim[i];
        if (dims[i] == -1 && open < 0)
            open = i;
        else if (dims[i] < 0 || __builtin_mul_overflow(known, dims[i], &known))
            vt__onnx_wrong(n, "a shape with %lld", (long long)dims[i]);
    }
    if (open >= 0) {
        if (!known || count % known)
            vt__onnx_wrong(n, "%lld elements are not a multiple of %lld", (long long)count, (long long)known);
        dims[open] = count / known;
    }
    vt_gvalue *y = vt__onnx_reshape_to(n, x, shape.count, dims);
    vt__onnx_rows_shaped(n, vt__onnx_in(n, 1), y);
    vt__onnx_out(n, 0, y);
}

void vt__onnx_flatten(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0);
    const vt_gtype *t = &x->type;
    int64_t axis = vt__onnx_int(n, "axis", 1);
    uint32_t at = axis == t->rank ? t->rank : vt__onnx_axis(n, axis, t->rank);
    vt__onnx_out(n, 0,
                 vt__onnx_reshape_to(n, x, 2, (int64_t[]){vt_gtype_span(t, 0, at), vt_gtype_span(t, at, t->rank)}));
}

/* A bit for each axis of a list; refuses one that is there twice. */
static uint32_t axes_of(const vt_onnx_node *n, vt_onnx_ints axes, uint32_t rank) {
    uint32_t set = 0;
    for (uint32_t i = 0; i < axes.count; i++) {
        uint32_t bit = 1u << vt__onnx_axis(n, axes.item[i], rank);
        if (set & bit) vt__onnx_wrong(n, "axis %lld is there twice", (long long)axes.item[i]);
        set |= bit;
    }
    return set;
}

void vt__onnx_squeeze(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0);
    vt_onnx_ints axes = vt__onnx_ints_either(n, "axes", 13, 1);
    uint32_t set = axes_of(n, axes, x->type.rank), rank = 0;
    int64_t dims[VT_MAX_RANK];
    for (uint32_t i = 0; i < x->type.rank; i++) {
        bool goes = axes.given ? set >> i & 1 : x->type.dim[i] == 1;
        if (goes && x->type.dim[i] != 1)
            vt__onnx_wrong(n, "axis %u has %lld elements", (unsigned)i, (long long)x->type.dim[i]);
        if (!goes) dims[rank++] = x->type.dim[i];
    }
    vt__onnx_out(n, 0, vt__onnx_reshape_to(n, x, rank, dims));
}

void vt__onnx_unsqueeze(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0);
    vt_onnx_ints axes = vt__onnx_ints_either(n, "axes", 13, 1);
    uint32_t rank = x->type.rank + axes.count, from = 0;
    int64_t dims[VT_MAX_RANK];
    if (!axes.given || axes.count > VT_MAX_RANK || rank > VT_MAX_RANK)
        vt__onnx_wrong(n, "%u axes more", (unsigned)axes.count);
    uint32_t set = axes_of(n, axes, rank);
    for (uint32_t i = 0; i < rank; i++) dims[i] = set >> i & 1 ? 1 : x->type.dim[from++];
    vt__onnx_out(n, 0, vt__onnx_reshape_to(n, x, rank, dims));
}

void vt__onnx_transpose(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0);
    vt_onnx_ints perm = vt__onnx_ints_of(n, "perm");
    int64_t reversed[VT_MAX_RANK];
    for (uint32_t i = 0; i < x->type.rank; i++) reversed[i] = x->type.rank - 1 - i;
    if (!perm.given) perm = (vt_onnx_ints){reversed, x->type.rank, true};
    vt__onnx_out(
        n, 0, vt__onnx_make(n, VT_G_TRANSPOSE, 1, &x, VT_ONNX_ATTRIBUTES(VT_GSET_INTS(PERM, perm.count, perm.item))));
}

void vt__onnx_concat(const vt_onnx_node *n) {
    vt_gvalue **in = VT_NEW_ARRAY(n->r->ctx, vt_gvalue *, n->p->n_input);
    if (!vt__onnx_has(n, "axis")) vt__onnx_wrong(n, "axis is missing");
    for (size_t i = 0; i < n->p->n_input; i++) in[i] = vt__onnx_need(n, i);
    uint32_t axis = vt__onnx_axis(n, vt__onnx_int(n, "axis", 0), vt__onnx_need(n, 0)->type.rank);
    vt__onnx_out(
        n, 0, vt__onnx_make(n, VT_G_CONCAT, (uint32_t)n->p->n_input, in, VT_ONNX_ATTRIBUTES(VT_GSET_INT(AXIS, axis))));
}

/* ---- Parts ---- */

static vt_gvalue *slice(const vt_onnx_node *n, vt_gvalue *x, const int64_t *starts, const int64_t *steps,
                        const int64_t *dims) {
    uint32_t r = x->type.rank;
    return vt__onnx_make(n, VT_G_SLICE, 1, &x,
                         VT_ONNX_ATTRIBUTES(VT_GSET_INTS(STARTS, r, starts), VT_GSET_INTS(STEPS, r, steps),
                                            VT_GSET_INTS(SHAPE, r, dims)));
}

/* Sizes of the parts: given, or as equal as can be: from operator set 18 on the last one may be smaller. */
static int64_t part(const vt_onnx_node *n, vt_onnx_ints sizes, int64_t extent, size_t i) {
    int64_t parts = (int64_t)n->p->n_output, wanted = vt__onnx_int(n, "num_outputs", parts);
    if (wanted != parts) vt__onnx_wrong(n, "num_outputs is %lld, of %lld outputs", (long long)wanted, (long long)parts);
    if (sizes.given && sizes.count != n->p->n_output)
        vt__onnx_wrong(n, "%u sizes for %zu outputs", (unsigned)sizes.count, n->p->n_output);
    if (sizes.given) return sizes.item[i];
    int64_t each = (extent + parts - 1) / parts, rest = extent - each * (parts - 1);
    if (rest < 0 || (n->r->opset < 18 && rest != each))
        vt__onnx_wrong(n, "%lld elements in %lld equal parts", (long long)extent, (long long)parts);
    return (int64_t)i + 1 < parts ? each : rest;
}

void vt__onnx_split(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0);
    vt_onnx_ints sizes = vt__onnx_ints_either(n, "split", 13, 1);
    uint32_t axis = vt__onnx_axis(n, vt__onnx_int(n, "axis", 0), x->type.rank);
    int64_t starts[VT_MAX_RANK] = {0}, steps[VT_MAX_RANK], dims[VT_MAX_RANK];
    for (uint32_t i = 0; i < x->type.rank; i++) steps[i] = 1, dims[i] = x->type.dim[i];
    for (size_t i = 0; i < n->p->n_output; i++) {
        dims[axis] = part(n, sizes, x->type.dim[axis], i);
        if (dims[axis] < 0 || dims[axis] > x->type.dim[axis] - starts[axis])
            vt__onnx_wrong(n, "its parts are larger than the whole");
        vt__onnx_out(n, i, slice(n, x, starts, steps, dims));
        starts[axis] += dims[axis];
    }
    if (starts[axis] != x->type.dim[axis]) vt__onnx_wrong(n, "its parts are smaller than the whole");
}

static int64_t between(int64_t x, int64_t least, int64_t most) { return x < least ? least : x > most ? most : x; }

/* One axis: start and end counted from the end where negative, and kept inside. */
static void slice_axis(const vt_onnx_node *n, int64_t extent, int64_t *start, int64_t end, int64_t step,
                       int64_t *count) {
    if (step == 0 || step == INT64_MIN) vt__onnx_wrong(n, "a step of %lld", (long long)step);
    *start = between(*start < 0 ? *start + extent : *start, 0, step > 0 ? extent : extent - 1);
    end = between(end < 0 ? end + extent : end, step > 0 ? 0 : -1, extent);
    int64_t span = step > 0 ? end - *start : *start - end, by = step > 0 ? step : -step;
    *count = span > 0 ? (span - 1) / by + 1 : 0;
    if (!*count) *start = 0;
}

/* A step longer than the axis is one of its length. */
static int64_t short_step(int64_t step, int64_t extent) { return between(step, -extent - 1, extent + 1); }

void vt__onnx_slice(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0);
    vt_onnx_ints starts = vt__onnx_ints_either(n, "starts", 10, 1), ends = vt__onnx_ints_either(n, "ends", 10, 2);
    vt_onnx_ints axes = vt__onnx_ints_either(n, "axes", 10, 3);
    vt_onnx_ints steps = n->r->opset < 10 ? (vt_onnx_ints){0} : vt__onnx_constant_ints(n, 4, "steps");
    int64_t start[VT_MAX_RANK] = {0}, step[VT_MAX_RANK], dims[VT_MAX_RANK];
    if (!starts.given || starts.count != ends.count || (axes.given && axes.count != starts.count) ||
        (steps.given && steps.count != starts.count) || starts.count > x->type.rank)
        vt__onnx_wrong(n, "starts, ends, axes and steps are not as many");
    for (uint32_t i = 0; i < x->type.rank; i++) step[i] = 1, dims[i] = x->type.dim[i];
    if (axes.given) axes_of(n, axes, x->type.rank);
    for (uint32_t i = 0; i < starts.count; i++) {
        uint32_t a = axes.given ? vt__onnx_axis(n, axes.item[i], x->type.rank) : i;
        start[a] = starts.item[i];
        step[a] = steps.given ? short_step(steps.item[i], x->type.dim[a]) : 1;
        slice_axis(n, x->type.dim[a], &start[a], ends.item[i], step[a], &dims[a]);
    }
    vt__onnx_out(n, 0, slice(n, x, start, step, dims));
}

void vt__onnx_gather(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0), *at = vt__onnx_need(n, 1);
    uint32_t axis = vt__onnx_axis(n, vt__onnx_int(n, "axis", 0), x->type.rank);
    vt__onnx_out(n, 0,
                 vt__onnx_make(n, VT_G_GATHER, VT_ONNX_INPUTS(x, at), VT_ONNX_ATTRIBUTES(VT_GSET_INT(AXIS, axis))));
}

/* ---- More of the same ---- */

static vt_gvalue *expand_to(const vt_onnx_node *n, vt_gvalue *x, uint32_t rank, const int64_t *dims) {
    return vt__onnx_make(n, VT_G_EXPAND, 1, &x, VT_ONNX_ATTRIBUTES(VT_GSET_INTS(SHAPE, rank, dims)));
}

/* An extent of 1 leaves the input's as it is. */
void vt__onnx_expand(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0);
    vt_onnx_ints shape = vt__onnx_constant_ints(n, 1, "shape");
    uint32_t rank = shape.count > x->type.rank ? shape.count : x->type.rank;
    int64_t dims[VT_MAX_RANK];
    if (!shape.given || rank > VT_MAX_RANK) vt__onnx_wrong(n, "a shape of %u axes", (unsigned)rank);
    for (uint32_t i = 0; i < rank; i++) {
        int64_t own = i < rank - x->type.rank ? 1 : x->type.dim[i - (rank - x->type.rank)];
        int64_t given = i < rank - shape.count ? 1 : shape.item[i - (rank - shape.count)];
        dims[i] = given == 1 ? own : given;
    }
    vt_gvalue *y = expand_to(n, x, rank, dims);
    vt__onnx_rows_shaped(n, vt__onnx_in(n, 1), y);
    vt__onnx_out(n, 0, y);
}

/* Axis by axis, where there is no room for an axis more before each. */
static vt_gvalue *tile_by_tables(const vt_onnx_node *n, vt_gvalue *x, vt_onnx_ints times) {
    for (uint32_t i = 0; i < times.count; i++) {
        int64_t extent = x->type.dim[i], *to;
        if (times.item[i] == 1) continue;
        if (times.item[i] < 0 || times.item[i] > VT_MAX_ELEMENTS)
            vt__onnx_wrong(n, "%lld repeats", (long long)times.item[i]);
        vt_gvalue *table = vt__mk_room(n, VT_ELEMENT_I64, 1, (int64_t[]){times.item[i] * extent}, &to);
        for (int64_t k = 0; k < times.item[i] * extent; k++) to[k] = k % extent;
        x = vt__mk_take(n, x, i, table);
    }
    return x;
}

/* An axis of one element before each axis, which is broadcast. */
void vt__onnx_tile(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0);
    vt_onnx_ints times = vt__onnx_constant_ints(n, 1, "repeats");
    uint32_t rank = x->type.rank;
    int64_t apart[VT_MAX_RANK], more[VT_MAX_RANK], dims[VT_MAX_RANK];
    if (times.count != rank) vt__onnx_wrong(n, "%u repeats for %u axes", (unsigned)times.count, (unsigned)rank);
    if (2 * rank > VT_MAX_RANK) {
        vt__onnx_out(n, 0, tile_by_tables(n, x, times));
        return;
    }
    for (uint32_t i = 0; i < rank; i++) {
        if (times.item[i] < 0 || times.item[i] > VT_MAX_ELEMENTS)
            vt__onnx_wrong(n, "%lld repeats", (long long)times.item[i]);
        apart[2 * i] = 1, apart[2 * i + 1] = x->type.dim[i];
        more[2 * i] = times.item[i], more[2 * i + 1] = x->type.dim[i];
        dims[i] = times.item[i] * x->type.dim[i];
    }
    vt_gvalue *v = expand_to(n, vt__onnx_reshape_to(n, x, 2 * rank, apart), 2 * rank, more);
    vt__onnx_out(n, 0, vt__onnx_reshape_to(n, v, rank, dims));
}

/* Around in a circle. */
static vt_gvalue *wrapped(const vt_onnx_node *n, vt_gvalue *x, const int64_t *pads) {
    for (uint32_t i = 0; i < x->type.rank; i++) {
        int64_t extent = x->type.dim[i], before = pads[i], after = pads[x->type.rank + i], *to;
        if (!before && !after) continue;
        if (before < 0 || after < 0 || !extent || before > VT_MAX_ELEMENTS || after > VT_MAX_ELEMENTS)
            vt__onnx_unsupported(n, "mode wrap with pads of %lld and %lld", (long long)before, (long long)after);
        vt_gvalue *table = vt__mk_room(n, VT_ELEMENT_I64, 1, (int64_t[]){before + extent + after}, &to);
        for (int64_t k = 0; k < before + extent + after; k++) to[k] = ((k - before) % extent + extent) % extent;
        x = vt__mk_take(n, x, i, table);
    }
    return x;
}

/* From operator set 18 on pads may be those of some axes. */
void vt__onnx_pad(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0);
    vt_onnx_ints pads = vt__onnx_ints_either(n, "pads", 11, 1), axes = {0};
    uint32_t rank = x->type.rank, count = pads.count / 2;
    int64_t all[2 * VT_MAX_RANK] = {0};
    double value = vt__onnx_float(n, "value", 0);
    const char *how = vt__onnx_string(n, "mode", "constant");
    if (n->r->opset >= 11 && vt__onnx_in(n, 2)) value = vt__onnx_constant_number(n, 2, "the value");
    if (n->r->opset >= 18) axes = vt__onnx_constant_ints(n, 3, "axes");
    if (pads.count % 2 || count != (axes.given ? axes.count : rank) || count > rank)
        vt__onnx_wrong(n, "%u pads for %u axes", (unsigned)pads.count, (unsigned)(axes.given ? axes.count : rank));
    if (axes.given) axes_of(n, axes, rank);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t a = axes.given ? vt__onnx_axis(n, axes.item[i], rank) : i;
        all[a] = pads.item[i], all[rank + a] = pads.item[count + i];
    }
    if (!strcmp(how, "wrap")) {
        vt__onnx_out(n, 0, wrapped(n, x, all));
        return;
    }
    const vt_gattr set[] = {VT_GSET_INTS(PADS, 2 * rank, all), VT_GSET_FLOAT(VALUE, value),
                            VT_GSET_INT(PADDING, vt_gword_find(VT_A_PADDING, how))};
    vt__onnx_out(n, 0, vt__onnx_make(n, VT_G_PAD, 1, &x, 3, set));
}

void vt__onnx_depth_to_space(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0);
    const vt_gattr set[] = {VT_GSET_INT(BLOCKSIZE, vt__onnx_int(n, "blocksize", 0)),
                            VT_GSET_INT(ORDER, vt_gword_find(VT_A_ORDER, vt__onnx_string(n, "mode", "DCR")))};
    bool to_space = !strcmp(n->p->op_type, "DepthToSpace");
    vt__onnx_out(n, 0,
                 vt__onnx_make(n, to_space ? VT_G_DEPTH_TO_SPACE : VT_G_SPACE_TO_DEPTH, 1, &x, to_space ? 2 : 1, set));
}

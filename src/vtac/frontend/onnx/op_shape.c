/* Operators that move elements. */
#include <math.h>
#include <string.h>

#include "frontend/onnx/priv.h"

/* 0: as the input has it (unless allowzero); -1: what is left over. */
void vt__onnx_reshape(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0);
    vt_onnx_ints shape = vt__onnx_constant_ints(n, 1, "shape");
    int64_t dims[VT_MOST_RANK], known = 1, open = -1, count = vt_gtype_count(&x->type);
    if (!shape.given || shape.count > VT_MOST_RANK) vt__onnx_wrong(n, "a shape of %u axes", (unsigned)shape.count);
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
    vt__onnx_out(n, 0, vt__onnx_reshape_to(n, x, shape.count, dims));
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
    int64_t dims[VT_MOST_RANK];
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
    int64_t dims[VT_MOST_RANK];
    if (!axes.given || axes.count > VT_MOST_RANK || rank > VT_MOST_RANK)
        vt__onnx_wrong(n, "%u axes more", (unsigned)axes.count);
    uint32_t set = axes_of(n, axes, rank);
    for (uint32_t i = 0; i < rank; i++) dims[i] = set >> i & 1 ? 1 : x->type.dim[from++];
    vt__onnx_out(n, 0, vt__onnx_reshape_to(n, x, rank, dims));
}

void vt__onnx_transpose(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0);
    vt_onnx_ints perm = vt__onnx_ints_of(n, "perm");
    int64_t reversed[VT_MOST_RANK];
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

/* Sizes of the parts: given, or as equal as can be. */
static int64_t part(const vt_onnx_node *n, vt_onnx_ints sizes, int64_t extent, size_t i) {
    int64_t parts = (int64_t)n->p->n_output;
    if (!sizes.given && extent % parts)
        vt__onnx_wrong(n, "%lld elements in %lld equal parts", (long long)extent, (long long)parts);
    if (sizes.given && sizes.count != n->p->n_output)
        vt__onnx_wrong(n, "%u sizes for %zu outputs", (unsigned)sizes.count, n->p->n_output);
    return sizes.given ? sizes.item[i] : extent / parts;
}

void vt__onnx_split(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0);
    vt_onnx_ints sizes = vt__onnx_ints_either(n, "split", 13, 1);
    uint32_t axis = vt__onnx_axis(n, vt__onnx_int(n, "axis", 0), x->type.rank);
    int64_t starts[VT_MOST_RANK] = {0}, steps[VT_MOST_RANK], dims[VT_MOST_RANK];
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
    int64_t start[VT_MOST_RANK] = {0}, step[VT_MOST_RANK], dims[VT_MOST_RANK];
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
    int64_t dims[VT_MOST_RANK];
    if (!shape.given || rank > VT_MOST_RANK) vt__onnx_wrong(n, "a shape of %u axes", (unsigned)rank);
    for (uint32_t i = 0; i < rank; i++) {
        int64_t own = i < rank - x->type.rank ? 1 : x->type.dim[i - (rank - x->type.rank)];
        int64_t given = i < rank - shape.count ? 1 : shape.item[i - (rank - shape.count)];
        dims[i] = given == 1 ? own : given;
    }
    vt__onnx_out(n, 0, expand_to(n, x, rank, dims));
}

/* An axis of one element before each axis, which is broadcast. */
void vt__onnx_tile(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0);
    vt_onnx_ints times = vt__onnx_constant_ints(n, 1, "repeats");
    uint32_t rank = x->type.rank;
    int64_t apart[VT_MOST_RANK], more[VT_MOST_RANK], dims[VT_MOST_RANK];
    if (times.count != rank) vt__onnx_wrong(n, "%u repeats for %u axes", (unsigned)times.count, (unsigned)rank);
    if (2 * rank > VT_MOST_RANK)
        vt__onnx_unsupported(n, "of %u axes; at most %d are", (unsigned)rank, VT_MOST_RANK / 2);
    for (uint32_t i = 0; i < rank; i++) {
        if (times.item[i] < 0 || times.item[i] > VT_MOST_ELEMENTS)
            vt__onnx_wrong(n, "%lld repeats", (long long)times.item[i]);
        apart[2 * i] = 1, apart[2 * i + 1] = x->type.dim[i];
        more[2 * i] = times.item[i], more[2 * i + 1] = x->type.dim[i];
        dims[i] = times.item[i] * x->type.dim[i];
    }
    vt_gvalue *v = expand_to(n, vt__onnx_reshape_to(n, x, 2 * rank, apart), 2 * rank, more);
    vt__onnx_out(n, 0, vt__onnx_reshape_to(n, v, rank, dims));
}

void vt__onnx_pad(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0);
    vt_onnx_ints pads = vt__onnx_ints_either(n, "pads", 11, 1);
    double value = vt__onnx_float(n, "value", 0);
    vt_gword mode = vt_gword_find(VT_A_PADDING, vt__onnx_string(n, "mode", "constant"));
    if (n->r->opset >= 11 && vt__onnx_in(n, 2)) value = vt__onnx_constant_number(n, 2, "the value");
    vt__onnx_out(n, 0,
                 vt__onnx_make(n, VT_G_PAD, 1, &x,
                               VT_ONNX_ATTRIBUTES(VT_GSET_INTS(PADS, pads.count, pads.item),
                                                  VT_GSET_FLOAT(VALUE, value), VT_GSET_INT(PADDING, mode))));
}

void vt__onnx_depth_to_space(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0);
    const vt_gattr set[] = {VT_GSET_INT(BLOCKSIZE, vt__onnx_int(n, "blocksize", 0)),
                            VT_GSET_INT(ORDER, vt_gword_find(VT_A_ORDER, vt__onnx_string(n, "mode", "DCR")))};
    bool to_space = !strcmp(n->p->op_type, "DepthToSpace");
    vt__onnx_out(n, 0,
                 vt__onnx_make(n, to_space ? VT_G_DEPTH_TO_SPACE : VT_G_SPACE_TO_DEPTH, 1, &x, to_space ? 2 : 1, set));
}

/* ---- Resize ---- */

typedef struct size {
    double scales[VT_MOST_RANK];
    int64_t dims[VT_MOST_RANK];
} size;

static void scale_axis(const vt_onnx_node *n, size *s, uint32_t i, double scale, int64_t extent) {
    double to = floor((double)extent * scale);
    if (!(scale > 0) || to > (double)VT_MOST_ELEMENTS) vt__onnx_wrong(n, "a scale of %g", scale);
    s->scales[i] = scale;
    s->dims[i] = (int64_t)to;
}

static void by_scales(const vt_onnx_node *n, size *s, const vt_gtype *x, size_t input) {
    const Onnx__AttributeProto *a = vt__onnx_attribute_of(n, "scales");
    const vt_gvalue *v = a ? NULL : vt__onnx_need(n, input);
    size_t count = a ? a->n_floats : (size_t)vt_gtype_count(&v->type);
    if (v && !v->data) vt__onnx_unsupported(n, "scales (%s) are computed when the model runs", v->name);
    if (count != x->rank || (v && v->type.element != VT_ELEMENT_F32))
        vt__onnx_wrong(n, "%zu scales for %u axes", count, (unsigned)x->rank);
    for (uint32_t i = 0; i < x->rank; i++)
        scale_axis(n, s, i, a ? (double)a->floats[i] : vt_gelement_at(v, i), x->dim[i]);
}

static void by_sizes(const vt_onnx_node *n, size *s, const vt_gtype *x) {
    vt_onnx_ints sizes = vt__onnx_constant_ints(n, 3, "sizes");
    if (sizes.count != x->rank) vt__onnx_wrong(n, "%u sizes for %u axes", (unsigned)sizes.count, (unsigned)x->rank);
    for (uint32_t i = 0; i < x->rank; i++) {
        if (sizes.item[i] < 1 || x->dim[i] < 1)
            vt__onnx_wrong(n, "axis %u from %lld to %lld", (unsigned)i, (long long)x->dim[i], (long long)sizes.item[i]);
        s->dims[i] = sizes.item[i];
        s->scales[i] = (double)sizes.item[i] / (double)x->dim[i];
    }
}

/* Upsample, and Resize of opset 10: asymmetric, the nearest below. */
void vt__onnx_resize(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0);
    bool old = n->r->opset < 11;
    const vt_gvalue *scales = old ? NULL : vt__onnx_in(n, 2);
    size s = {{0}, {0}};
    if (old)
        by_scales(n, &s, &x->type, 1);
    else if (scales && vt_gtype_count(&scales->type))
        by_scales(n, &s, &x->type, 2);
    else
        by_sizes(n, &s, &x->type);
    const char *how = vt__onnx_string(n, "coordinate_transformation_mode", old ? "asymmetric" : "half_pixel");
    const char *rounding = vt__onnx_string(n, "nearest_mode", old ? "floor" : "round_prefer_floor");
    const vt_gattr set[] = {VT_GSET_INT(SAMPLING, vt_gword_find(VT_A_SAMPLING, vt__onnx_string(n, "mode", "nearest"))),
                            VT_GSET_INT(COORDINATES, vt_gword_find(VT_A_COORDINATES, how)),
                            VT_GSET_INT(ROUNDING, vt_gword_find(VT_A_ROUNDING, rounding)),
                            VT_GSET_FLOATS(SCALES, x->type.rank, s.scales), VT_GSET_INTS(SHAPE, x->type.rank, s.dims)};
    vt__onnx_out(n, 0, vt__onnx_make(n, VT_G_RESIZE, 1, &x, 5, set));
}

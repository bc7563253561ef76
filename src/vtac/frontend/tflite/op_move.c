/* Operators that move elements: shapes, parts, padding, images of another size. */
#include <string.h>

#include "frontend/tflite/priv.h"

/* Elements move as they are stored where that is enough: quantized ones are turned into floats and back, whose scales
 * may differ (and which is taken out again where they do not). */
static vt_gvalue *moved(const vt_tfl_node *n, uint32_t i, vt_tfl_layout layout) {
    return vt__tfl_real(n, vt__tfl_need(n, i), layout);
}

static vt_gvalue *slice_of(const vt_tfl_node *n, vt_gvalue *x, const int64_t *starts, const int64_t *steps,
                           const int64_t *shape) {
    return vt__tfl_make(n, VT_G_SLICE, 1, &x,
                        VT_TFL_ATTRIBUTES(VT_GSET_INTS(STARTS, x->type.rank, starts),
                                          VT_GSET_INTS(STEPS, x->type.rank, steps),
                                          VT_GSET_INTS(SHAPE, x->type.rank, shape)));
}

/* ---- Shapes ------------------------------------------------------------------------------------------------------ */

/* RESHAPE, SQUEEZE, EXPAND_DIMS: the file has the shape of the result. */
void vt__tfl_shape(const vt_tfl_node *n) {
    const vt_gtype *to = &vt__tfl_out(n, 0)->type;
    vt_gvalue *x = moved(n, 0, VT_TFL_FILE);
    if (vt_gtype_count(&x->type) != vt_gtype_count(to))
        vt__tfl_wrong(n, "%lld elements become %lld", (long long)vt_gtype_count(&x->type),
                      (long long)vt_gtype_count(to));
    vt__tfl_give(n, 0, vt__tfl_reshape(n, x, to->rank, to->dim), VT_TFL_FILE);
}

/* Of four axes the first stays, and the others turn: 0 3 1 2, or 0 2 3 1. */
static bool is_order(const int64_t *perm, uint32_t rank, int64_t second) {
    return rank == 4 && perm[0] == 0 && perm[1] == second && perm[2] == second % 3 + 1 &&
           perm[3] == (second + 1) % 3 + 1;
}

/* What a tensor is as images, and the other way round, is there already, or soon asked for: models that were converted
 * are full of such pairs. */
void vt__tfl_permute(const vt_tfl_node *n) {
    uint32_t count, seen = 0, rank = vt__tfl_need(n, 0)->type.rank;
    const int64_t *perm = vt__tfl_ints(n, 1, "the order of axes", &count);
    for (uint32_t i = 0; i < count; i++)
        if (perm[i] >= 0 && perm[i] < rank) seen |= 1u << perm[i];
    if (count != rank || seen != (1u << count) - 1) vt__tfl_wrong(n, "its order of axes is no permutation");
    if (is_order(perm, rank, 3))
        vt__tfl_give(n, 0, moved(n, 0, VT_TFL_IMAGES), VT_TFL_FILE);
    else if (is_order(perm, rank, 2))
        vt__tfl_give(n, 0, moved(n, 0, VT_TFL_FILE), VT_TFL_IMAGES);
    else
        vt__tfl_give(n, 0, vt__tfl_transpose(n, moved(n, 0, VT_TFL_FILE), perm), VT_TFL_FILE);
}

void vt__tfl_depth_to_space(const vt_tfl_node *n) {
    vt_gvalue *x = moved(n, 0, VT_TFL_IMAGES);
    if (x->type.rank != 4) vt__tfl_wrong(n, "its input has %u axes, and images have 4", (unsigned)x->type.rank);
    /* The pixels of a block are the slower part of the channels in both, which is what the graph's operators have. */
    vt_gvalue *v =
        vt__tfl_make(n, n->op->gop, 1, &x, VT_TFL_ATTRIBUTES(VT_GSET_INT(BLOCKSIZE, vt__fb_int(n->options, 0, 4, 0))));
    vt__tfl_give(n, 0, v, VT_TFL_IMAGES);
}

/* ---- Joining ----------------------------------------------------------------------------------------------------- */

void vt__tfl_concatenation(const vt_tfl_node *n) {
    uint32_t count = n->inputs.count;
    vt_tfl_layout layout = VT_TFL_FILE;
    if (!count) vt__tfl_wrong(n, "it has no inputs");
    vt_gvalue **in = VT_NEW_ARRAY(n->r->ctx, vt_gvalue *, count);
    for (uint32_t i = 0; i < count; i++)
        if (vt__tfl_layout_of(vt__tfl_need(n, i)) == VT_TFL_IMAGES) layout = VT_TFL_IMAGES;
    for (uint32_t i = 0; i < count; i++) in[i] = moved(n, i, layout);
    uint32_t axis = vt__tfl_axis(n, vt__fb_int(n->options, 0, 4, 0), in[0]->type.rank, layout);
    vt_gvalue *v = vt__tfl_make(n, VT_G_CONCAT, count, in, VT_TFL_ATTRIBUTES(VT_GSET_INT(AXIS, axis)));
    vt__tfl_give(n, 0, vt__tfl_activation(n, 1, v), layout);
}

/* The shape with an axis of one element more. */
static vt_gvalue *with_axis(const vt_tfl_node *n, vt_gvalue *x, uint32_t axis) {
    int64_t dims[VT_MAX_RANK + 1];
    for (uint32_t i = 0, k = 0; i <= x->type.rank; i++) dims[i] = i == axis ? 1 : x->type.dim[k++];
    return vt__tfl_reshape(n, x, x->type.rank + 1, dims);
}

void vt__tfl_pack(const vt_tfl_node *n) {
    uint32_t count = n->inputs.count;
    if (!count) vt__tfl_wrong(n, "it has no inputs");
    vt_gvalue **in = VT_NEW_ARRAY(n->r->ctx, vt_gvalue *, count);
    uint32_t rank = vt__tfl_need(n, 0)->type.rank + 1;
    if (rank > VT_MAX_RANK) vt__tfl_wrong(n, "its output has %u axes", (unsigned)rank);
    uint32_t axis = vt__tfl_axis(n, vt__fb_int(n->options, 1, 4, 0), rank, VT_TFL_FILE);
    for (uint32_t i = 0; i < count; i++) {
        if (vt__tfl_need(n, i)->type.rank + 1 != rank) vt__tfl_wrong(n, "its inputs have not as many axes each");
        in[i] = with_axis(n, moved(n, i, VT_TFL_FILE), axis);
    }
    vt__tfl_give(n, 0, vt__tfl_make(n, VT_G_CONCAT, count, in, VT_TFL_ATTRIBUTES(VT_GSET_INT(AXIS, axis))),
                 VT_TFL_FILE);
}

/* ---- Parts ------------------------------------------------------------------------------------------------------- */

/* One output after the other along an axis, each as long as the file says. */
static void give_parts(const vt_tfl_node *n, vt_gvalue *x, uint32_t axis, bool drop_axis) {
    int64_t starts[VT_MAX_RANK] = {0}, steps[VT_MAX_RANK], shape[VT_MAX_RANK];
    for (uint32_t i = 0; i < x->type.rank; i++) steps[i] = 1, shape[i] = x->type.dim[i];
    for (uint32_t i = 0; i < n->outputs.count; i++) {
        const vt_gtype *to = &vt__tfl_out(n, i)->type;
        shape[axis] = drop_axis ? 1 : axis < to->rank ? to->dim[axis] : 0;
        if (shape[axis] > x->type.dim[axis] - starts[axis])
            vt__tfl_wrong(n, "its outputs are longer than its input along axis %u", (unsigned)axis);
        vt_gvalue *v = slice_of(n, x, starts, steps, shape);
        vt__tfl_give(n, i, drop_axis ? vt__tfl_reshape(n, v, to->rank, to->dim) : v, VT_TFL_FILE);
        starts[axis] += shape[axis];
    }
}

/* The axis, then the input. */
void vt__tfl_split(const vt_tfl_node *n) {
    uint32_t count;
    const int64_t *axis = vt__tfl_ints(n, 0, "its axis", &count);
    vt_gvalue *x = moved(n, 1, VT_TFL_FILE);
    if (count != 1) vt__tfl_wrong(n, "it has %u axes", (unsigned)count);
    give_parts(n, x, vt__tfl_axis(n, *axis, x->type.rank, VT_TFL_FILE), false);
}

void vt__tfl_unpack(const vt_tfl_node *n) {
    vt_gvalue *x = moved(n, 0, VT_TFL_FILE);
    give_parts(n, x, vt__tfl_axis(n, vt__fb_int(n->options, 1, 4, 0), x->type.rank, VT_TFL_FILE), true);
}

/* Where it begins, and how long it is; -1: to the end. */
void vt__tfl_slice(const vt_tfl_node *n) {
    vt_gvalue *x = moved(n, 0, VT_TFL_FILE);
    uint32_t rank = x->type.rank, begins, sizes;
    const int64_t *begin = vt__tfl_ints(n, 1, "where it begins", &begins),
                  *size = vt__tfl_ints(n, 2, "its size", &sizes);
    int64_t steps[VT_MAX_RANK], shape[VT_MAX_RANK];
    if (begins != rank || sizes != rank) vt__tfl_wrong(n, "it has not a begin and a size for each axis");
    for (uint32_t i = 0; i < rank; i++) {
        steps[i] = 1;
        shape[i] = size[i] == -1 ? x->type.dim[i] - begin[i] : size[i];
        if (begin[i] < 0 || shape[i] < 0 || begin[i] > x->type.dim[i] || shape[i] > x->type.dim[i] - begin[i])
            vt__tfl_wrong(n, "it goes beyond axis %u", (unsigned)i);
    }
    vt__tfl_give(n, 0, slice_of(n, x, begin, steps, shape), VT_TFL_FILE);
}

typedef struct bounds {
    const int64_t *begin, *end, *stride;
    int64_t begin_mask, end_mask, shrink;
} bounds;

/* One axis as numpy has it: indices from the end where they are negative, cut off at the ends. */
static void slice_axis(const vt_tfl_node *n, const bounds *b, uint32_t i, int64_t extent, int64_t *start, int64_t *step,
                       int64_t *length) {
    bool one = b->shrink >> i & 1;
    *step = one ? 1 : b->stride[i];
    if (!*step) vt__tfl_wrong(n, "it has a stride of 0");
    int64_t low = *step > 0 ? 0 : -1, high = *step > 0 ? extent : extent - 1;
    int64_t from = b->begin[i] < 0 ? b->begin[i] + extent : b->begin[i];
    int64_t to = b->end[i] < 0 ? b->end[i] + extent : b->end[i];
    if (!one && b->begin_mask >> i & 1) from = *step > 0 ? low : high;
    if (b->end_mask >> i & 1) to = *step > 0 ? high : low;
    if (one && (from < 0 || from >= extent)) vt__tfl_wrong(n, "index %lld of axis %u", (long long)from, (unsigned)i);
    from = from < low ? low : from > high ? high : from;
    to = one ? from + 1 : to < low ? low : to > high ? high : to;
    int64_t way = *step > 0 ? to - from : from - to, stride = *step > 0 ? *step : -*step;
    *start = from;
    *length = way > 0 ? (way + stride - 1) / stride : 0;
    if (!*length) *start = 0;
}

void vt__tfl_strided_slice(const vt_tfl_node *n) {
    vt_gvalue *x = moved(n, 0, VT_TFL_FILE);
    uint32_t counts[3], rank = x->type.rank;
    const vt_gtype *to = &vt__tfl_out(n, 0)->type;
    bounds b = {vt__tfl_ints(n, 1, "where it begins", &counts[0]),
                vt__tfl_ints(n, 2, "where it ends", &counts[1]),
                vt__tfl_ints(n, 3, "its strides", &counts[2]),
                vt__fb_int(n->options, 0, 4, 0),
                vt__fb_int(n->options, 1, 4, 0),
                vt__fb_int(n->options, 4, 4, 0)};
    int64_t starts[VT_MAX_RANK], steps[VT_MAX_RANK], shape[VT_MAX_RANK];
    if (vt__fb_int(n->options, 2, 4, 0) || vt__fb_int(n->options, 3, 4, 0))
        vt__tfl_unsupported(n, "its ellipsis and new axes are not supported");
    if (counts[0] > rank || counts[1] != counts[0] || counts[2] != counts[0])
        vt__tfl_wrong(n, "it has %u begins, %u ends and %u strides for %u axes", (unsigned)counts[0],
                      (unsigned)counts[1], (unsigned)counts[2], (unsigned)rank);
    for (uint32_t i = 0; i < rank; i++) {
        starts[i] = 0, steps[i] = 1, shape[i] = x->type.dim[i];
        if (i < counts[0]) slice_axis(n, &b, i, x->type.dim[i], &starts[i], &steps[i], &shape[i]);
    }
    vt_gvalue *v = slice_of(n, x, starts, steps, shape);
    if (b.shrink && vt_gtype_count(&v->type) == vt_gtype_count(to)) v = vt__tfl_reshape(n, v, to->rank, to->dim);
    vt__tfl_give(n, 0, v, VT_TFL_FILE);
}

void vt__tfl_gather(const vt_tfl_node *n) {
    vt_gvalue *x = moved(n, 0, VT_TFL_FILE), *indices = vt__tfl_stored(n, vt__tfl_need(n, 1), VT_TFL_FILE);
    if (vt__fb_int(n->options, 1, 4, 0)) vt__tfl_unsupported(n, "its batch axes are not supported");
    uint32_t axis = vt__tfl_axis(n, vt__fb_int(n->options, 0, 4, 0), x->type.rank, VT_TFL_FILE);
    vt_gvalue *v = vt__tfl_make(n, VT_G_GATHER, VT_TFL_INPUTS(x, indices), VT_TFL_ATTRIBUTES(VT_GSET_INT(AXIS, axis)));
    vt__tfl_give(n, 0, v, VT_TFL_FILE);
}

/* ---- Padding ----------------------------------------------------------------------------------------------------- */

/* What PADV2 pads with. */
static double padding_value(const vt_tfl_node *n) {
    if (strcmp(n->op->name, "PADV2") != 0) return 0;
    const vt_gvalue *v = moved(n, 2, VT_TFL_FILE);
    if (!v->data || vt_gtype_count(&v->type) != 1)
        vt__tfl_unsupported(n, "what it pads with is computed when the model runs");
    return vt_gelement_at(v, 0);
}

/* Of each axis what comes before and behind. */
void vt__tfl_pad(const vt_tfl_node *n) {
    vt_tfl_layout layout = vt__tfl_layout_of(vt__tfl_need(n, 0));
    vt_gvalue *x = moved(n, 0, layout);
    uint32_t count, rank = x->type.rank;
    const int64_t *given = vt__tfl_ints(n, 1, "its padding", &count);
    int64_t pads[2 * VT_MAX_RANK];
    bool mirror = !strcmp(n->op->name, "MIRROR_PAD");
    if (count != 2 * rank) vt__tfl_wrong(n, "%u numbers for %u axes", (unsigned)count, (unsigned)rank);
    if (mirror && vt__fb_int(n->options, 0, 1, 0))
        vt__tfl_unsupported(n, "padding that repeats the edge is not supported");
    for (uint32_t i = 0; i < rank; i++) {
        uint32_t at = vt__tfl_axis(n, i, rank, layout);
        pads[at] = given[2 * i];
        pads[rank + at] = given[2 * i + 1];
    }
    const vt_gattr set[] = {VT_GSET_INT(PADDING, mirror ? VT_PADDING_REFLECT : VT_PADDING_CONSTANT),
                            VT_GSET_INTS(PADS, 2 * rank, pads), VT_GSET_FLOAT(VALUE, padding_value(n))};
    vt__tfl_give(n, 0, vt__tfl_make(n, VT_G_PAD, 1, &x, 3, set), layout);
}

/* ---- Images of another size -------------------------------------------------------------------------------------- */

/* Pixels lie at the corners of both, or at half a pixel, or begin together; the nearest is that below, but for corners.
 */
void vt__tfl_resize(const vt_tfl_node *n) {
    bool linear = !strcmp(n->op->name, "RESIZE_BILINEAR");
    bool corners = vt__fb_bool(n->options, linear ? 2 : 0), half = vt__fb_bool(n->options, linear ? 3 : 1);
    vt_gvalue *x = moved(n, 0, VT_TFL_IMAGES);
    uint32_t count;
    const int64_t *size = vt__tfl_ints(n, 1, "its size", &count);
    if (x->type.rank != 4 || count != 2) vt__tfl_wrong(n, "its input is no images, or its size not two numbers");
    if (size[0] < 1 || size[1] < 1 || x->type.dim[2] < 1 || x->type.dim[3] < 1)
        vt__tfl_wrong(n, "its size is %lld x %lld", (long long)size[0], (long long)size[1]);
    const int64_t shape[] = {x->type.dim[0], x->type.dim[1], size[0], size[1]};
    const double scales[] = {1, 1, (double)size[0] / (double)x->type.dim[2], (double)size[1] / (double)x->type.dim[3]};
    const vt_gattr set[] = {VT_GSET_INT(SAMPLING, linear ? VT_SAMPLING_LINEAR : VT_SAMPLING_NEAREST),
                            VT_GSET_INT(COORDINATES, corners ? VT_COORDINATES_ALIGN_CORNERS
                                                     : half  ? VT_COORDINATES_HALF_PIXEL
                                                             : VT_COORDINATES_ASYMMETRIC),
                            VT_GSET_INT(ROUNDING, corners || half ? VT_ROUNDING_ROUND_PREFER_CEIL : VT_ROUNDING_FLOOR),
                            VT_GSET_FLOATS(SCALES, 4, scales), VT_GSET_INTS(SHAPE, 4, shape)};
    vt__tfl_give(n, 0, vt__tfl_make(n, VT_G_RESIZE, 1, &x, 5, set), VT_TFL_IMAGES);
}

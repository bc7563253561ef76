/* Resize and Upsample. What takes the nearest element or neighbours' shares is the graph's Resize; other ways are a
 * table of elements, or a product with a matrix of shares, along each axis in turn. */
#include <math.h>
#include <string.h>

#include "frontend/onnx/make.h"

typedef struct sizes {
    const char *mode, *coordinates, *rounding;
    bool antialias, exclude;
    double cubic, outside; /* the coefficient a; what stands outside of the region */
    double scale[VT_MAX_RANK], begin[VT_MAX_RANK], end[VT_MAX_RANK];
    int64_t dims[VT_MAX_RANK];
} sizes;

static bool is(const char *a, const char *b) { return !strcmp(a, b); }

static void scale_axis(const vt_onnx_node *n, sizes *s, uint32_t axis, double scale, int64_t extent) {
    double to = floor((double)extent * scale);
    if (!(scale > 0) || to > (double)VT_MAX_ELEMENTS) vt__onnx_wrong(n, "a scale of %g", scale);
    s->scale[axis] = scale;
    s->dims[axis] = (int64_t)to;
}

/* The axes that numbers are given for: `axes`, or all. */
static uint32_t axes_of(const vt_onnx_node *n, uint32_t rank, uint32_t axes[VT_MAX_RANK]) {
    vt_onnx_ints given = vt__onnx_ints_of(n, "axes");
    uint32_t count = given.given ? given.count : rank;
    if (count > rank) vt__onnx_wrong(n, "%u axes of %u", (unsigned)count, (unsigned)rank);
    for (uint32_t i = 0; i < count; i++) axes[i] = given.given ? vt__onnx_axis(n, given.item[i], rank) : i;
    return count;
}

static void by_scales(const vt_onnx_node *n, sizes *s, const vt_gtype *x, size_t input) {
    const Onnx__AttributeProto *a = vt__onnx_attribute_of(n, "scales");
    const vt_gvalue *v = a ? NULL : vt__onnx_need_known(n, input, "scales");
    size_t count = a ? a->n_floats : (size_t)vt_gtype_count(&v->type);
    uint32_t axes[VT_MAX_RANK], some = axes_of(n, x->rank, axes);
    if (count != some || (v && v->type.element != VT_ELEMENT_F32))
        vt__onnx_wrong(n, "%zu scales for %u axes", count, (unsigned)some);
    for (uint32_t i = 0; i < some; i++)
        scale_axis(n, s, axes[i], a ? (double)a->floats[i] : vt_gelement_at(v, i), x->dim[axes[i]]);
}

static void by_sizes(const vt_onnx_node *n, sizes *s, const vt_gtype *x) {
    vt_onnx_ints given = vt__onnx_constant_ints(n, 3, "sizes");
    uint32_t axes[VT_MAX_RANK], some = axes_of(n, x->rank, axes);
    const char *keep = vt__onnx_string(n, "keep_aspect_ratio_policy", "stretch");
    double one = 0;
    if (given.count != some) vt__onnx_wrong(n, "%u sizes for %u axes", (unsigned)given.count, (unsigned)some);
    for (uint32_t i = 0; i < some; i++) {
        uint32_t a = axes[i];
        if (given.item[i] < 1 || x->dim[a] < 1)
            vt__onnx_wrong(n, "axis %u from %lld to %lld", (unsigned)a, (long long)x->dim[a], (long long)given.item[i]);
        s->dims[a] = given.item[i];
        s->scale[a] = (double)given.item[i] / (double)x->dim[a];
        bool better = is(keep, "not_larger") ? s->scale[a] < one : s->scale[a] > one;
        if (i == 0 || better) one = s->scale[a];
    }
    for (uint32_t i = 0; i < some && !is(keep, "stretch"); i++) {
        s->scale[axes[i]] = one;
        s->dims[axes[i]] = (int64_t)floor(one * (double)x->dim[axes[i]] + 0.5);
    }
}

/* The region that a crop takes, as parts of the extents. */
static void read_region(const vt_onnx_node *n, sizes *s, const vt_gtype *x) {
    uint32_t axes[VT_MAX_RANK], some = axes_of(n, x->rank, axes);
    const vt_gvalue *v = vt__onnx_need_known(n, 1, "roi");
    if (vt_gtype_count(&v->type) != 2 * some)
        vt__onnx_wrong(n, "roi is not two numbers for each of %u axes", (unsigned)some);
    for (uint32_t i = 0; i < some; i++) {
        s->begin[axes[i]] = vt_gelement_at(v, i);
        s->end[axes[i]] = vt_gelement_at(v, some + i);
    }
}

/* ---- One axis ---- */

/* Where element i of the result is in the input. */
static double place_of(const sizes *s, uint32_t axis, int64_t in, int64_t out, int64_t i) {
    double at = (double)i, scale = s->scale[axis], n = (double)out, x = (double)in;
    if (is(s->coordinates, "asymmetric")) return at / scale;
    if (is(s->coordinates, "tf_half_pixel_for_nn")) return (at + 0.5) / scale;
    if (is(s->coordinates, "align_corners")) return out > 1 ? at * (x - 1) / (n - 1) : 0;
    if (is(s->coordinates, "pytorch_half_pixel") && out == 1) return 0;
    if (is(s->coordinates, "half_pixel_symmetric")) return x / 2 * (1 - n / (scale * x)) + (at + 0.5) / scale - 0.5;
    if (is(s->coordinates, "tf_crop_and_resize")) {
        double from = s->begin[axis], to = s->end[axis];
        return out > 1 ? from * (x - 1) + at * (to - from) * (x - 1) / (n - 1) : 0.5 * (from + to) * (x - 1);
    }
    return (at + 0.5) / scale - 0.5;
}

static int64_t inside(int64_t at, int64_t extent) { return at < 0 ? 0 : at >= extent ? extent - 1 : at; }

static int64_t nearest(const sizes *s, double at, int64_t extent) {
    if (is(s->rounding, "floor")) return inside((int64_t)floor(at), extent);
    if (is(s->rounding, "ceil")) return inside((int64_t)ceil(at), extent);
    return inside((int64_t)(is(s->rounding, "round_prefer_ceil") ? floor(at + 0.5) : ceil(at - 0.5)), extent);
}

/* What an element at that distance counts. */
static double share(const sizes *s, double distance) {
    double d = fabs(distance), a = s->cubic;
    if (is(s->mode, "linear")) return d < 1 ? 1 - d : 0;
    if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
    return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
}

/* The shares of all elements of the input, `in` numbers; those outside are the border's, or left out. Smaller images
 * that are smoothed look further. */
static void add_shares(const sizes *s, uint32_t axis, int64_t in, double at, float *to) {
    double narrow = s->antialias && s->scale[axis] < 1 ? s->scale[axis] : 1;
    double reach = (is(s->mode, "linear") ? 1 : 2) / narrow, all = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int64_t k = (int64_t)floor(at - reach); k <= (int64_t)ceil(at + reach); k++) {
            double part = share(s, ((double)k - at) * narrow);
            if (s->exclude && (k < 0 || k >= in)) continue;
            if (pass)
                to[inside(k, in)] += (float)(part / all);
            else
                all += part;
        }
}

static vt_gvalue *by_table(const vt_onnx_node *n, const sizes *s, vt_gvalue *x, uint32_t axis) {
    int64_t in = x->type.dim[axis], out = s->dims[axis], *to;
    vt_gvalue *table = vt__mk_room(n, VT_ELEMENT_I64, 1, &out, &to);
    for (int64_t i = 0; i < out; i++) to[i] = nearest(s, place_of(s, axis, in, out, i), in);
    return vt__mk_take(n, x, axis, table);
}

/* Rows are multiplied from the left, all other axes stand last meanwhile and are from the right. */
static vt_gvalue *by_matrix(const vt_onnx_node *n, const sizes *s, vt_gvalue *x, uint32_t axis) {
    const int64_t in = x->type.dim[axis], out = s->dims[axis];
    const uint32_t last = x->type.rank - 1;
    bool left = last > 0 && axis == last - 1;
    float *to, *row = VT_NEW_ARRAY(n->r->ctx, float, (size_t)in);
    vt_gvalue *m = vt__mk_room(n, VT_ELEMENT_F32, 2, (int64_t[]){left ? out : in, left ? in : out}, &to);
    for (int64_t i = 0; i < out; i++) {
        memset(row, 0, (size_t)in * sizeof *row);
        add_shares(s, axis, in, place_of(s, axis, in, out, i), row);
        for (int64_t k = 0; k < in; k++) to[left ? i * in + k : k * out + i] = row[k];
    }
    if (left) return vt__mk_two(n, VT_G_MAT_MUL, m, x);
    x = vt__mk_two(n, VT_G_MAT_MUL, vt__mk_move_axis(n, x, axis, last), m);
    return vt__mk_move_axis(n, x, last, axis);
}

/* What is outside of the input along the axis becomes a number. */
static vt_gvalue *filled(const vt_onnx_node *n, const sizes *s, vt_gvalue *x, uint32_t axis, int64_t in) {
    int64_t dims[VT_MAX_RANK], out = s->dims[axis];
    bool any = false, *to;
    for (uint32_t i = 0; i < x->type.rank; i++) dims[i] = i == axis ? out : 1;
    vt_gvalue *mask = vt__mk_room(n, VT_ELEMENT_BOOL, x->type.rank, dims, &to);
    for (int64_t i = 0; i < out; i++) {
        double at = place_of(s, axis, in, out, i);
        any = (to[i] = at < 0 || at > (double)(in - 1)) || any;
    }
    return any ? vt__mk_where(n, mask, vt__mk_number(n, x->type.element, s->outside), x) : x;
}

/* ---- The operator ---- */

static vt_gvalue *axis_by_axis(const vt_onnx_node *n, const sizes *s, vt_gvalue *x) {
    for (uint32_t i = 0; i < x->type.rank; i++) {
        int64_t in = x->type.dim[i];
        bool crop = is(s->coordinates, "tf_crop_and_resize") && (s->begin[i] != 0 || s->end[i] != 1);
        if (s->dims[i] == in && s->scale[i] == 1 && !crop) continue;
        if (in < 1) vt__onnx_wrong(n, "axis %u has no elements", (unsigned)i);
        if (!is(s->mode, "nearest")) vt__onnx_want_floats(n, x);
        x = is(s->mode, "nearest") ? by_table(n, s, x, i) : by_matrix(n, s, x, i);
        if (is(s->coordinates, "tf_crop_and_resize")) x = filled(n, s, x, i, in);
    }
    return x;
}

/* Upsample, and Resize of operator set 10: asymmetric, the nearest below. */
void vt__onnx_resize(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0);
    bool old = n->r->opset < 11;
    const vt_gvalue *scales = old ? NULL : vt__onnx_in(n, 2);
    sizes s = {.mode = vt__onnx_string(n, "mode", "nearest"),
               .coordinates = vt__onnx_string(n, "coordinate_transformation_mode", old ? "asymmetric" : "half_pixel"),
               .rounding = vt__onnx_string(n, "nearest_mode", old ? "floor" : "round_prefer_floor"),
               .antialias = vt__onnx_int(n, "antialias", 0) != 0,
               .exclude = vt__onnx_int(n, "exclude_outside", 0) != 0,
               .cubic = vt__onnx_float(n, "cubic_coeff_a", -0.75),
               .outside = vt__onnx_float(n, "extrapolation_value", 0)};
    for (uint32_t i = 0; i < x->type.rank; i++) s.scale[i] = 1, s.dims[i] = x->type.dim[i], s.end[i] = 1;
    if (old)
        by_scales(n, &s, &x->type, 1);
    else if (scales && vt_gtype_count(&scales->type))
        by_scales(n, &s, &x->type, 2);
    else
        by_sizes(n, &s, &x->type);
    if (is(s.coordinates, "tf_crop_and_resize")) read_region(n, &s, &x->type);
    vt_gword how = vt_gword_find(VT_A_COORDINATES, s.coordinates), sampling = vt_gword_find(VT_A_SAMPLING, s.mode);
    if (how == VT_GWORD_COUNT || sampling == VT_GWORD_COUNT || s.antialias || s.exclude) {
        vt__onnx_out(n, 0, axis_by_axis(n, &s, x));
        return;
    }
    const vt_gattr set[] = {VT_GSET_INT(SAMPLING, sampling), VT_GSET_INT(COORDINATES, how),
                            VT_GSET_INT(ROUNDING, vt_gword_find(VT_A_ROUNDING, s.rounding)),
                            VT_GSET_FLOATS(SCALES, x->type.rank, s.scale), VT_GSET_INTS(SHAPE, x->type.rank, s.dims)};
    vt__onnx_out(n, 0, vt__onnx_make(n, VT_G_RESIZE, 1, &x, 5, set));
}

/* Images read at computed places: GridSample, and the grid of an affine transformation. Places become numbers of
 * pixels and shares of them; pixels are taken as rows of one table, with all their channels. */
#include <math.h>
#include <string.h>

#include "frontend/onnx/make.h"

enum { TAPS_MAX = 4, AXES_MAX = 3, PIXELS_MAX = 1 << 24 /* that a float32 can count */ };

typedef enum borders { ZEROS, BORDER, REFLECTION } borders;

typedef struct sampling {
    const vt_onnx_node *n;
    borders outside;
    bool corners; /* -1 and 1 are the middles of the first and last pixel, not their outer edges */
} sampling;

/* Along one axis: the pixels and what each of them counts (NULL: all). */
typedef struct taps {
    uint32_t count;
    vt_gvalue *place[TAPS_MAX], *share[TAPS_MAX];
} taps;

static vt_gvalue *plus(const sampling *s, vt_gvalue *x, double y) { return y ? vt__mk_with(s->n, VT_G_ADD, x, y) : x; }
static vt_gvalue *times(const sampling *s, vt_gvalue *x, double y) { return vt__mk_with(s->n, VT_G_MUL, x, y); }
static vt_gvalue *product(const sampling *s, vt_gvalue *a, vt_gvalue *b) {
    return a && b ? vt__mk_two(s->n, VT_G_MUL, a, b) : a ? a : b;
}

static vt_gvalue *bounded(const sampling *s, vt_gvalue *x, double least, double most) {
    return vt__onnx_make(s->n, VT_G_CLIP, 1, &x,
                         VT_ONNX_ATTRIBUTES(VT_GSET_FLOAT(MIN, least), VT_GSET_FLOAT(MAX, most)));
}

/* Back and forth between the ends. */
static vt_gvalue *reflected(const sampling *s, vt_gvalue *x, int64_t extent) {
    double low = s->corners ? 0 : -0.5, range = (double)extent - (s->corners ? 1 : 0);
    if (range <= 0) return times(s, x, 0);
    vt_gvalue *turn = times(s, plus(s, x, -low), 1 / (2 * range)); /* one back and forth is from 0 to 1 */
    turn = vt__mk_two(s->n, VT_G_SUB, turn, vt__mk_one(s->n, VT_G_FLOOR, turn));
    turn = plus(s, times(s, vt__mk_one(s->n, VT_G_ABS, plus(s, turn, -0.5)), -2 * range), range);
    return plus(s, turn, low);
}

/* Whole places inside of the image; the share of those outside is 0 where zeros are there. */
static void add_tap(const sampling *s, taps *t, vt_gvalue *at, vt_gvalue *share, int64_t extent) {
    double last = (double)(extent - 1);
    if (s->outside == ZEROS) {
        vt_gvalue *low = vt__mk_with(s->n, VT_G_GREATER_OR_EQUAL, at, 0);
        vt_gvalue *here = vt__mk_two(s->n, VT_G_AND, low, vt__mk_with(s->n, VT_G_LESS_OR_EQUAL, at, last));
        share = product(s, share, vt__mk_cast(s->n, here, VT_ELEMENT_F32));
    }
    if (s->outside == REFLECTION) at = vt__mk_one(s->n, VT_G_ROUND, reflected(s, at, extent));
    t->place[t->count] = bounded(s, at, 0, last);
    t->share[t->count++] = share;
}

/* ((a * d + b) * d + c) * d + e */
static vt_gvalue *cubic(const sampling *s, vt_gvalue *d, double a, double b, double c, double e) {
    vt_gvalue *y = vt__mk_two(s->n, VT_G_MUL, plus(s, times(s, d, a), b), d);
    return plus(s, vt__mk_two(s->n, VT_G_MUL, plus(s, y, c), d), e);
}

static taps taps_of(const sampling *s, vt_gvalue *grid, int64_t extent, char mode) {
    double half = (double)extent / 2;
    taps t = {.count = 0};
    vt_gvalue *at = s->corners ? times(s, plus(s, grid, 1), ((double)extent - 1) / 2)
                               : plus(s, times(s, plus(s, grid, 1), half), -0.5);
    if (mode == 'n') {
        add_tap(s, &t, vt__mk_one(s->n, VT_G_ROUND, at), NULL, extent);
        return t;
    }
    if (mode == 'l' && s->outside == BORDER) at = bounded(s, at, 0, (double)(extent - 1));
    if (mode == 'l' && s->outside == REFLECTION) at = reflected(s, at, extent);
    vt_gvalue *low = vt__mk_one(s->n, VT_G_FLOOR, at), *part = vt__mk_two(s->n, VT_G_SUB, at, low);
    if (mode == 'l') {
        add_tap(s, &t, low, plus(s, times(s, part, -1), 1), extent);
        add_tap(s, &t, plus(s, low, 1), part, extent);
        return t;
    }
    const double a = -0.75;
    vt_gvalue *other = plus(s, times(s, part, -1), 1);
    add_tap(s, &t, plus(s, low, -1), cubic(s, plus(s, part, 1), a, -5 * a, 8 * a, -4 * a), extent);
    add_tap(s, &t, low, cubic(s, part, a + 2, -(a + 3), 0, 1), extent);
    add_tap(s, &t, plus(s, low, 1), cubic(s, other, a + 2, -(a + 3), 0, 1), extent);
    add_tap(s, &t, plus(s, low, 2), cubic(s, plus(s, other, 1), a, -5 * a, 8 * a, -4 * a), extent);
    return t;
}

/* Rows of pixels with their channels: [images * pixels, channels]. */
static vt_gvalue *rows_of(const vt_onnx_node *n, vt_gvalue *x) {
    const vt_gtype t = x->type;
    int64_t pixels = vt_gtype_span(&t, 2, t.rank);
    x = vt__onnx_reshape_to(n, x, 3, (int64_t[]){t.dim[0], t.dim[1], pixels});
    x = vt__mk_transpose(n, x, (int64_t[]){0, 2, 1});
    return vt__onnx_reshape_to(n, x, 2, (int64_t[]){t.dim[0] * pixels, t.dim[1]});
}

/* The sum over all combinations of taps: [images, places, channels]. */
static vt_gvalue *gathered(const sampling *s, vt_gvalue *rows, const taps *t, const vt_gtype *x) {
    uint32_t axes = x->rank - 2, combinations = 1;
    int64_t pixels = vt_gtype_span(x, 2, x->rank);
    vt_gvalue *sum = NULL, *first = vt__mk_iota(s->n, VT_ELEMENT_F32, 2, 0, x->dim[0], 0, (double)pixels);
    for (uint32_t a = 0; a < axes; a++) combinations *= t[a].count;
    for (uint32_t i = 0; i < combinations; i++) {
        vt_gvalue *at = first, *share = NULL;
        for (uint32_t a = 0, rest = i; a < axes; rest /= t[a].count, a++) {
            double by = (double)vt_gtype_span(x, 3 + a, x->rank);
            at = vt__mk_two(s->n, VT_G_ADD, at, times(s, t[a].place[rest % t[a].count], by));
            share = product(s, share, t[a].share[rest % t[a].count]);
        }
        vt_gvalue *part = vt__mk_take(s->n, rows, 0, vt__mk_cast(s->n, at, VT_ELEMENT_I64));
        if (share) part = vt__mk_two(s->n, VT_G_MUL, part, vt__mk_unsqueeze(s->n, share, 2));
        sum = sum ? vt__mk_two(s->n, VT_G_ADD, sum, part) : part;
    }
    return sum;
}

void vt__onnx_grid_sample(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0), *grid = vt__onnx_need(n, 1);
    const vt_gtype t = x->type, g = grid->type;
    const char *mode = vt__onnx_string(n, "mode", "linear"), *how = vt__onnx_string(n, "padding_mode", "zeros");
    sampling s = {n, *how == 'z' ? ZEROS : *how == 'b' ? BORDER : REFLECTION, vt__onnx_int(n, "align_corners", 0) != 0};
    uint32_t axes = t.rank > 2 ? t.rank - 2 : 0;
    taps along[AXES_MAX];
    int64_t dims[VT_MAX_RANK];
    vt__onnx_want_floats(n, x), vt__onnx_want_floats(n, grid);
    if (axes < 1 || axes > AXES_MAX) vt__onnx_unsupported(n, "of %u axes", (unsigned)axes);
    if (g.rank != t.rank || g.dim[0] != t.dim[0] || g.dim[axes + 1] != axes)
        vt__onnx_wrong(n, "the grid has not %u numbers for each place of each image", (unsigned)axes);
    if (!vt_gtype_count(&t) || !vt_gtype_count(&g)) vt__onnx_unsupported(n, "of an empty tensor");
    if (t.dim[0] * vt_gtype_span(&t, 2, t.rank) > PIXELS_MAX)
        vt__onnx_unsupported(n, "of more than %d pixels", PIXELS_MAX);
    char kind = !strcmp(mode, "nearest") ? 'n' : strstr(mode, "cubic") ? 'c' : 'l';
    int64_t places = vt_gtype_span(&g, 1, g.rank - 1);
    grid = vt__onnx_reshape_to(n, grid, 3, (int64_t[]){g.dim[0], places, axes});
    for (uint32_t a = 0; a < axes; a++) { /* the last axis comes first */
        vt_gvalue *part = vt__mk_slice(n, grid, 2, axes - 1 - a, 1);
        part = vt__onnx_reshape_to(n, part, 2, (int64_t[]){g.dim[0], places});
        along[a] = taps_of(&s, part, t.dim[2 + a], kind);
    }
    vt_gvalue *y = vt__mk_transpose(n, gathered(&s, rows_of(n, x), along, &t), (int64_t[]){0, 2, 1});
    dims[0] = t.dim[0], dims[1] = t.dim[1];
    for (uint32_t a = 0; a < axes; a++) dims[2 + a] = g.dim[1 + a];
    vt__onnx_out(n, 0, vt__onnx_reshape_to(n, y, t.rank, dims));
}

/* The places of an image's pixels, transformed: x, y, (z,) 1 times theta. */
void vt__onnx_affine_grid(const vt_onnx_node *n) {
    vt_gvalue *theta = vt__onnx_need(n, 0);
    vt_onnx_ints size = vt__onnx_constant_ints(n, 1, "size");
    bool corners = vt__onnx_int(n, "align_corners", 0) != 0;
    uint32_t axes = size.count > 2 ? size.count - 2 : 0;
    int64_t dims[VT_MAX_RANK] = {0}, places = 1;
    float *to;
    vt__onnx_want_floats(n, theta);
    if (axes < 2 || axes > 3 || theta->type.rank != 3 || theta->type.dim[1] != axes || theta->type.dim[2] != axes + 1 ||
        theta->type.dim[0] != size.item[0])
        vt__onnx_wrong(n, "theta does not fit a size of %u numbers", (unsigned)size.count);
    for (uint32_t a = 0; a < axes; a++) {
        if (size.item[2 + a] < 1 || size.item[2 + a] > PIXELS_MAX / places)
            vt__onnx_wrong(n, "an extent of %lld", (long long)size.item[2 + a]);
        places *= size.item[2 + a];
        dims[1 + a] = size.item[2 + a];
    }
    vt_gvalue *base = vt__mk_room(n, VT_ELEMENT_F32, 2, (int64_t[]){places, axes + 1}, &to);
    for (int64_t i = 0; i < places; i++) {
        int64_t rest = i;
        for (uint32_t a = axes; a-- > 0; rest /= size.item[2 + a]) {
            double extent = (double)size.item[2 + a], at = (double)(rest % size.item[2 + a]);
            double place = corners ? (extent > 1 ? 2 * at / (extent - 1) - 1 : -1) : (2 * at + 1) / extent - 1;
            to[i * (axes + 1) + (axes - 1 - a)] = (float)place;
        }
        to[i * (axes + 1) + axes] = 1;
    }
    vt_gvalue *y = vt__mk_two(n, VT_G_MAT_MUL, base, vt__mk_transpose(n, theta, (int64_t[]){0, 2, 1}));
    dims[0] = theta->type.dim[0], dims[1 + axes] = axes;
    vt__onnx_out(n, 0, vt__onnx_reshape_to(n, y, axes + 2, dims));
}

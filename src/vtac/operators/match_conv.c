/* A convolution in tiles, with its sizes. */
#include <stdio.h>

#include "operators/match.h"

/* One spatial axis along which the kernel slides. Row (or column) `out * stride + tap * dilation - before` of the image
 * is read, which has `size` of them; the tensor that is read holds those from `least` to `most`, all counted without
 * the constant. */
typedef struct slide {
    int64_t stride, dilation, taps, before, size, outs, least, most;
} slide;

/* How a tensor pads its source: elements before it in each dimension. */
typedef struct padding {
    int64_t before[6];
} padding;

/* ---- Padding --------------------------------------------------------------------------------------------------- */

/* One dimension of a tensor that pads: read at axis - before, guarded so that exactly the source is read. */
static bool read_pad_dim(const vt_tensor *t, uint32_t d, const vt_expr *index, int64_t *before) {
    vt_affine a;
    if (!vt__affine_read(index, &a)) return false;
    *before = -a.constant;
    if (!a.n && vt__match_dim(t, d) == 1) return !a.constant;
    return a.n == 1 && a.var[0] == vt__match_axis(t, d) && a.times[0] == 1;
}

static bool guards_exactly(const vt_tensor *t, uint32_t d, int64_t size, int64_t before, const vt_guards *g,
                           uint32_t *used) {
    int64_t least = 0, most = vt__match_dim(t, d) - 1;
    for (uint32_t i = 0; i < g->n; i++) {
        const vt_guard *k = &g->of[i];
        if (k->sum.n != 1 || k->sum.var[0] != vt__match_axis(t, d) || k->sum.times[0] != 1) continue;
        ++*used;
        if (k->least > least) least = k->least;
        if (k->most < most) most = k->most;
    }
    return least == before && most == before + size - 1 && before >= 0;
}

/* The tensor that `t` pads with zeros; NULL when it does something else. */
static const vt_tensor *read_padding(const vt_tensor *t, padding *out) {
    const vt_expr *condition, *value, *body = vt__match_body(t);
    vt_guards g;
    uint32_t used = 0;
    if (!body || t->ndim != 6 || !vt__choice_read(body, &condition, &value) || value->kind != VT_E_PLOAD ||
        value->n != 6 || !vt__guards_read(condition, &g))
        return NULL;
    for (uint32_t d = 0; d < 6; d++) {
        if (!read_pad_dim(t, d, value->a[d], &out->before[d])) return NULL;
        if (!guards_exactly(t, d, vt__match_dim(value->u.tensor, d), out->before[d], &g, &used)) return NULL;
    }
    return used == g.n ? value->u.tensor : NULL;
}

/* ---- Sliding --------------------------------------------------------------------------------------------------- */

static bool read_slide(const vt_match *m, const vt_affine *a, uint32_t axis, const vt_var *tap, slide *s) {
    const vt_var *out = vt__match_axis(m->sums, axis);
    s->outs = vt__match_dim(m->sums, axis);
    s->stride = vt__affine_times(a, out);
    s->dilation = tap ? vt__affine_times(a, tap) : 1;
    if (s->outs == 1 && !s->stride) s->stride = 1; /* its axis is 0 wherever it stands */
    if (s->taps == 1) s->dilation = 1;
    for (uint32_t i = 0; i < a->n; i++)
        if (a->var[i] != out && a->var[i] != tap) return false;
    return s->stride >= 1 && s->dilation >= 1;
}

static int64_t reach(const slide *s) { return (s->outs - 1) * s->stride + (s->taps - 1) * s->dilation; }

/* Conditions must let through all that the image holds, and keep out what the tensor read does not hold. */
static bool guards_image(const vt_guards *g, const vt_affine *index, const slide *s, uint32_t *used) {
    int64_t first = s->before > 0 ? s->before : 0, last = s->before + s->size - 1;
    int64_t least = 0, most = reach(s);
    if (last > most) last = most;
    for (uint32_t i = 0; i < g->n; i++) {
        const vt_guard *k = &g->of[i];
        if (!vt__affine_same(&k->sum, index)) continue;
        ++*used;
        if (k->least > first || k->most < last) return false;
        if (k->least > least) least = k->least;
        if (k->most < most) most = k->most;
    }
    return least >= s->least && most <= s->most;
}

/* The padding behind the image that makes as many outputs as there are; false when there should be more of them. */
static bool behind(const slide *s, int64_t *out) {
    int64_t after = reach(s) + 1 - s->size - s->before;
    *out = after > 0 ? after : 0;
    return after > -s->stride;
}

/* ---- The convolution ------------------------------------------------------------------------------------------- */

static const char data_form[] =
    "the data must be read as data[bo, rc, i * stride + dy * dilation, j * stride + dx * dilation, bi, ri]";
static const char weight_form[] = "the weights must be read as weight[co, rc, dy, dx, ci, ri]";

typedef struct conv {
    const vt_var *rc, *ri, *dy, *dx;
    int64_t channels, lanes, groups;
    slide y, x;
    padding pad;
} conv;

static bool read_weight(const vt_match *m, const vt_match_product *p, conv *c) {
    const vt_affine *w = p->weight.index;
    return vt__affine_is_axis(&w[0], m->sums, 1) && vt__match_tap(m, &w[1], &c->rc, &c->channels) &&
           vt__match_tap(m, &w[2], &c->dy, &c->y.taps) && vt__match_tap(m, &w[3], &c->dx, &c->x.taps) &&
           vt__affine_is_axis(&w[4], m->sums, 5) && vt__match_tap(m, &w[5], &c->ri, &c->lanes);
}

/* Blocks of channels of the group that a block of outputs belongs to: co // outputs * inputs + rc. */
static bool read_groups(const vt_match *m, const vt_affine *a, conv *c) {
    int64_t outputs = vt__match_dim(m->sums, 1), each = outputs;
    const vt_var *co = vt__match_axis(m->sums, 1);
    for (uint32_t i = 0; i < a->n; i++) {
        const vt_var *v = a->var[i];
        if (v == c->rc && a->times[i] == 1) continue;
        bool quotient = v->kind == VT_E_FLOORDIV && v->a[0] == co;
        if ((v != co && !quotient) || a->times[i] != c->channels || each != outputs) return false;
        each = quotient ? v->a[1]->u.i : 1;
    }
    c->groups = each >= 1 && outputs % each == 0 ? outputs / each : 0;
    return c->groups && !a->constant && (!c->rc || vt__affine_times(a, c->rc) == 1);
}

static void hold(slide *s, const vt_affine *a, int64_t before, int64_t size, int64_t held) {
    s->before = before - a->constant;
    s->size = size;
    s->least = -a->constant;
    s->most = held - 1 - a->constant;
}

static vta_status read_conv_data(vt_match *m, const vt_match_product *p, conv *c) {
    const vt_affine *d = p->data.index;
    const vt_tensor *read = p->data.tensor, *source = read_padding(read, &c->pad);
    uint32_t used = 0;
    if (!vt__affine_is_axis(&d[0], m->sums, 0) || !read_groups(m, &d[1], c) || !vt__affine_is_axis(&d[4], m->sums, 4) ||
        !vt__match_same_tap(&d[5], c->ri))
        return vt__match_product_refuse(m, p->data.load, data_form);
    if (!source) source = read;
    VT_TRY(vt__match_argument(m, source, "inp_t", VTA_MEM_INP, &m->data));
    for (int i = 0; i < 6; i++)
        if ((i < 2 || i > 3) && vt__match_dim(read, (uint32_t)i) != vt__match_dim(m->data, (uint32_t)i))
            return vt__match_refuse(m, read, NULL, "pads other dimensions than rows and columns");
    hold(&c->y, &d[2], c->pad.before[2], vt__match_dim(m->data, 2), vt__match_dim(read, 2));
    hold(&c->x, &d[3], c->pad.before[3], vt__match_dim(m->data, 3), vt__match_dim(read, 3));
    if (!read_slide(m, &d[2], 2, c->dy, &c->y) || !read_slide(m, &d[3], 3, c->dx, &c->x))
        return vt__match_product_refuse(m, p->data.load, data_form);
    if (!guards_image(&p->guards, &d[2], &c->y, &used) || !guards_image(&p->guards, &d[3], &c->x, &used) ||
        used != p->guards.n)
        return vt__match_product_refuse(
            m, p->data.load,
            "the conditions around it are not those of zero padding (what lies outside of the image counts "
            "as 0, and nothing else)");
    return VTA_OK;
}

/* A convolution computes every output that its image and its padding have. */
static vta_status check_outputs(const vt_match *m, const char *what, const slide *s, int64_t *out_behind) {
    if (s->before < 0)
        return vt__match_refuse(m, m->sums, NULL,
                                "begins behind the first of the image's %s: make those an input of "
                                "its own",
                                what);
    if (behind(s, out_behind)) return VTA_OK;
    return vt__match_refuse(m, m->sums, NULL, "computes %lld %s of a convolution that has more: compute all of them",
                            (long long)s->outs, what);
}

vta_status vt__match_conv(vt_match *m, const vt_match_product *p) {
    conv c = {.lanes = 0};
    int64_t bottom, right, n = vt__match_dim(m->sums, 0), oc = vt__match_dim(m->sums, 1);
    if (p->weight.load->n != 6 || !read_weight(m, p, &c))
        return vt__match_product_refuse(m, p->weight.load, weight_form);
    if (p->data.load->n != 6) return vt__match_product_refuse(m, p->data.load, data_form);
    VT_TRY(read_conv_data(m, p, &c));
    VT_TRY(check_outputs(m, "rows", &c.y, &bottom));
    VT_TRY(check_outputs(m, "columns", &c.x, &right));
    m->operator_name = "conv2d";
    m->groups = c.groups;
    snprintf(
        m->attributes, sizeof m->attributes,
        "groups=%lld batch=%lld height=%lld width=%lld in_channels=%lld out_channels=%lld kernel_h=%lld kernel_w=%lld "
        "stride_h=%lld stride_w=%lld dilation_h=%lld dilation_w=%lld pad_top=%lld pad_left=%lld pad_bottom=%lld "
        "pad_right=%lld",
        (long long)c.groups, (long long)(n * vta_config_batch(m->config)), (long long)c.y.size, (long long)c.x.size,
        (long long)(c.groups * c.channels * vta_config_block_in(m->config)),
        (long long)(oc * vta_config_block_out(m->config)), (long long)c.y.taps, (long long)c.x.taps,
        (long long)c.y.stride, (long long)c.x.stride, (long long)c.y.dilation, (long long)c.x.dilation,
        (long long)c.y.before, (long long)c.x.before, (long long)bottom, (long long)right);
    return VTA_OK;
}

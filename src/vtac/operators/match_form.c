/* Operators without weights of an argument: from the sizes of what is read come the few operators that it can be; it is
 * the one whose own kernel file computes the same. */
#include <stdio.h>
#include <string.h>

#include "operators/match_guess.h"

/* ---- Elements ---------------------------------------------------------------------------------------------------- */

static bool is_wide(const vt_tensor *t) { return t->dtype.code == VT_INT && t->dtype.bits == 32; }

/* The operation itself, whatever tensors it is spread over; its operands are elements of *t. */
static const vt_expr *operation(const vt_expr *e, const vt_tensor **t) {
    while (e->kind == VT_E_PLOAD && vt__match_at_axes(e, *t)) {
        const vt_expr *body = vt__match_body(e->u.tensor);
        bool copy = body && body->kind == VT_E_PLOAD && !vt__match_body(body->u.tensor); /* of an argument */
        if (!body || body->kind == VT_E_REDUCE || copy) break;
        *t = e->u.tensor;
        e = body;
    }
    return e;
}

/* The tensor that an operation reads; NULL: it is no element of one. */
static const vt_tensor *read_by(const vt_expr *e, const vt_tensor *t) {
    e = operation(e, &t);
    return e->kind == VT_E_PLOAD ? e->u.tensor : NULL;
}

/* The shift of the lower side of a leaky relu; 0: there is none. Both sides of narrow tensors come into the
 * accumulators each for itself: where one that is there is read twice, it is a step behind something else. */
static int64_t slope(const vt_expr *e, const vt_tensor *t, bool wide) {
    for (uint32_t i = 0; i < 2; i++) {
        const vt_tensor *at = t;
        const vt_expr *side = operation(e->a[i], &at);
        if (side->kind != VT_E_CALL || side->u.op != VT_OP_SHIFT_RIGHT || side->a[1]->kind != VT_E_INT) continue;
        const vt_tensor *low = read_by(side->a[0], at);
        if (wide || !low || low != read_by(e->a[!i], t)) return side->a[1]->u.i;
    }
    return 0;
}

/* Has the second tensor one row and one column, the first more? */
static bool is_of_channels(const vt_match_clues *c) {
    vt_match_image first = vt__match_image(c, c->arg[0]), second = vt__match_image(c, c->arg[1]);
    return second.h == 1 && second.w == 1 && (first.h > 1 || first.w > 1);
}

static vta_status try_elements(vt_match_clues *c) {
    const vt_tensor *t = c->t;
    const vt_expr *e = operation(c->e, &t);
    const char *name = e->kind == VT_E_ADD   ? "add"
                       : e->kind == VT_E_MUL ? "multiply"
                       : e->kind == VT_E_MAX ? "max"
                       : e->kind == VT_E_MIN ? "min"
                                             : NULL;
    vt_match_image s = vt__match_image(c, c->arg[0]);
    static const char sizes[] = "batch=%lld channels=%lld height=%lld width=%lld wide=%d";
    int wide = is_wide(c->arg[0]);
    if (c->args == 2 && e->kind == VT_E_MUL && is_of_channels(c))
        return vt__match_try(c, name, false, "batch=%lld channels=%lld height=%lld width=%lld wide=%d of_channels=1",
                             s.batch, s.channels, s.h, s.w, wide);
    if (c->args == 2 && name) return vt__match_try(c, name, false, sizes, s.batch, s.channels, s.h, s.w, wide);
    if (c->args == 1 && e->kind == VT_E_MAX && slope(e, t, wide))
        return vt__match_try(c, "leaky_relu", false, "batch=%lld channels=%lld height=%lld width=%lld wide=%d by=%lld",
                             s.batch, s.channels, s.h, s.w, wide, (long long)slope(e, t, wide));
    bool leaf = e->kind == VT_E_PLOAD || e->kind == VT_E_CAST;
    return c->args == 1 && leaf ? vt__match_try(c, "identity", false, sizes, s.batch, s.channels, s.h, s.w, wide)
                                : VTA_OK;
}

/* ---- Windows ----------------------------------------------------------------------------------------------------- */

static bool read_direction(const vt_match_clues *c, const vt_expr *load, uint32_t from_end, vt_match_direction *d) {
    vt_affine a;
    uint32_t at = load->n - from_end, axis = c->sum->ndim - from_end;
    *d = (vt_match_direction){.stride = 1, .taps = 1, .outs = vt__match_dim(c->t, c->t->ndim - from_end)};
    if (!vt__affine_read(load->a[at], &a)) return false;
    for (uint32_t i = 0; i < a.n; i++) {
        int64_t extent = vt__match_reduce_extent(c->sum, a.var[i]);
        if (extent) d->taps = extent;
        if (a.var[i] == vt__match_axis(c->sum, axis)) d->stride = a.times[i];
    }
    vt__match_frame(load, c->arg[0], at, d);
    return d->before >= 0 && d->after >= 0 && d->stride >= 1;
}

static const vt_expr *load_of_sum(const vt_match_clues *c) {
    const vt_expr *e = c->sum ? vt__match_body(c->sum)->a[0] : NULL;
    if (!e) return NULL;
    for (e = e->kind == VT_E_MUL ? e->a[0] : e; e->kind == VT_E_CAST;) e = e->a[0];
    return e->kind == VT_E_PLOAD && e->n >= 6 && c->sum->ndim >= 6 ? e : NULL;
}

static const char window_sizes[] =
    "batch=%lld channels=%lld height=%lld width=%lld kernel_h=%lld kernel_w=%lld "
    "stride_h=%lld stride_w=%lld pad_top=%lld pad_left=%lld pad_bottom=%lld pad_right=%lld%s";

vta_status vt__match_try_window(vt_match_clues *c, const char *name, const vt_match_direction *y,
                                const vt_match_direction *x, const char *more) {
    vt_match_image s = vt__match_image(c, c->arg[0]);
    return vt__match_try(c, name, false, window_sizes, s.batch, s.channels, s.h, s.w, (long long)y->taps,
                         (long long)x->taps, (long long)y->stride, (long long)x->stride, (long long)y->before,
                         (long long)x->before, (long long)y->after, (long long)x->after, more);
}

static vta_status try_averages(vt_match_clues *c, const vt_match_direction *y, const vt_match_direction *x) {
    vt_match_image s = vt__match_image(c, c->arg[0]);
    if (y->taps == s.h && x->taps == s.w)
        VT_TRY(vt__match_try(c, "global_avg_pool2d", false, "batch=%lld channels=%lld height=%lld width=%lld", s.batch,
                             s.channels, s.h, s.w));
    VT_TRY(vt__match_try_window(c, "avg_pool2d", y, x, ""));
    return vt__match_try_window(c, "avg_pool2d", y, x, " count_include_pad=1");
}

/* The kernels that make so many outputs of an image and its padding: the largest first, and as many as the stride. */
static int64_t largest(const vt_match_direction *d) {
    return d->before + d->size + d->after - (d->outs - 1) * d->stride;
}

static vta_status try_maxima(vt_match_clues *c, vt_match_direction y, vt_match_direction x) {
    enum { MAX = 64 }; /* as many tensors as the operator sorts an image into */
    int64_t h = largest(&y), w = largest(&x);
    if (y.stride * x.stride > MAX) return VTA_OK;
    for (int64_t i = 0; i < y.stride && !c->found; i++)
        for (int64_t j = 0; j < x.stride && !c->found; j++) {
            y.taps = h - i;
            x.taps = w - j;
            if (y.taps >= 1 && x.taps >= 1) VT_TRY(vt__match_try_window(c, "max_pool2d", &y, &x, ""));
        }
    return VTA_OK;
}

static vta_status try_upsampling(vt_match_clues *c) {
    vt_match_image s = vt__match_image(c, c->arg[0]);
    uint32_t n = c->t->ndim;
    long long rows = vt__match_dim(c->t, n - 4), columns = vt__match_dim(c->t, n - 3);
    if (rows % s.h || columns % s.w) return VTA_OK;
    return vt__match_try(c, "upsample2d", false,
                         "batch=%lld channels=%lld height=%lld width=%lld scale_h=%lld scale_w=%lld", s.batch,
                         s.channels, s.h, s.w, rows / s.h, columns / s.w);
}

static vta_status try_windows(vt_match_clues *c) {
    vt_match_direction y, x;
    VT_TRY(try_upsampling(c));
    const vt_expr *load = load_of_sum(c);
    if (c->found || !load || !read_direction(c, load, 4, &y) || !read_direction(c, load, 3, &x)) return VTA_OK;
    if (vt__match_body(c->sum)->a[0]->kind != VT_E_MUL) return vt__match_reduced_window(c, &y, &x);
    VT_TRY(vt__match_try_window(c, "sum_pool2d", &y, &x, ""));
    if (c->found) return VTA_OK;
    VT_TRY(try_averages(c, &y, &x));
    return try_maxima(c, y, x);
}

/* ---- Concatenation ----------------------------------------------------------------------------------------------- */

/* The ends of the inputs' channels are in the conditions, in lanes or in blocks. */
static vta_status try_concat(vt_match_clues *c) {
    char channels[256] = "";
    const vt_expr *e = c->e;
    int64_t begin = 0, lanes = vta_config_block_out(c->m->config);
    uint32_t n = 0;
    for (; e->kind == VT_E_CALL && e->u.op == VT_OP_IF_THEN_ELSE && n < VT_MATCH_INPUTS; e = e->a[2], n++) {
        const vt_expr *less = e->a[0];
        if (less->kind != VT_E_LT || less->a[1]->kind != VT_E_INT) return VTA_OK;
        int64_t end = less->a[1]->u.i * (less->a[0]->kind == VT_E_VAR ? lanes : 1);
        size_t length = strlen(channels);
        snprintf(channels + length, sizeof channels - length, " channels%u=%lld", n, (long long)(end - begin));
        begin = end;
    }
    vt_match_image s = vt__match_image(c, c->t);
    return n ? vt__match_try(c, "concat", false, "batch=%lld height=%lld width=%lld%s", s.batch, s.h, s.w, channels)
             : VTA_OK;
}

vta_status vt__match_form(vt_match *m, const vt_tensor *t, const vt_expr *e, bool *out_found) {
    vt_match_clues c = {.m = m, .t = t, .e = e};
    *out_found = false;
    vt__match_look_into(&c, e);
    if (!c.args || c.args > VT_MATCH_INPUTS || t->ndim < 6) return VTA_OK;
    for (uint32_t i = 0; i < c.args; i++)
        if (c.arg[i]->ndim < 6) return VTA_OK;
    if (t == m->out) VT_TRY(try_concat(&c));
    if (!c.found) VT_TRY(try_elements(&c));
    if (!c.found && c.args == 1) VT_TRY(try_windows(&c));
    *out_found = c.found;
    return VTA_OK;
}

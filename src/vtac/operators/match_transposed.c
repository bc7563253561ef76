/* Transposed convolutions, as their own kernel file has them: strides and padding are in the quotients of its indices.
 */
#include <stdio.h>

#include "operators/match_guess.h"

/* (axis + before) // stride, somewhere in it. */
static bool find_quotient(const vt_expr *e, const vt_var *axis, vt_match_direction *d) {
    vt_affine a;
    if (e->kind == VT_E_FLOORDIV && e->a[1]->kind == VT_E_INT && vt__affine_read(e->a[0], &a) && a.n == 1 &&
        a.var[0] == axis && a.times[0] == 1) {
        d->stride = e->a[1]->u.i;
        d->before = a.constant;
        return true;
    }
    for (uint32_t i = 0; i < e->n; i++)
        if (find_quotient(e->a[i], axis, d)) return true;
    return false;
}

/* Of stride 1 there is no quotient: axis + before - tap of the image, which is padded in front. */
static bool find_step(const vt_expr *load, const vt_tensor *data, uint32_t at, const vt_var *axis,
                      vt_match_direction *d) {
    vt_affine a;
    bool turned = false;
    vt_match_direction frame = {.size = 0};
    if (load->kind != VT_E_PLOAD || load->n != 6 || !vt__affine_read(load->a[at], &a)) return false;
    for (uint32_t i = 0; i < a.n; i++) turned |= a.times[i] == -1;
    if (!turned || vt__affine_times(&a, axis) != 1) return false;
    vt__match_frame(load, data, at, &frame);
    d->stride = 1;
    d->before = a.constant - frame.before;
    return true;
}

static const vt_expr *data_of(const vt_expr *e) {
    const vt_expr *condition, *value;
    if (vt__choice_read(e, &condition, &value)) e = value;
    if (e->kind == VT_E_MUL) e = e->a[0];
    while (e->kind == VT_E_CAST) e = e->a[0];
    return e;
}

/* What the last outputs lack is padding, or what they have more is added. */
static int64_t more(const vt_match_direction *d) { return d->outs - ((d->size - 1) * d->stride + d->taps - d->before); }

static int64_t positive(int64_t x) { return x > 0 ? x : 0; }

vta_status vt__match_transposed(vt_match *m, bool *out_found) {
    const vt_expr *e = vt__match_body(m->sums);
    vt_match_clues c = {.m = m, .t = m->sums, .e = e};
    vt_match_direction y = {.outs = vt__match_dim(m->sums, 2)}, x = {.outs = vt__match_dim(m->sums, 3)};
    *out_found = false;
    vt__match_look_into(&c, e->a[0]);
    if (c.args != 2 || c.arg[0]->ndim != 6 || c.arg[1]->ndim != 6) return VTA_OK;
    const vt_tensor *data = c.arg[0], *weight = c.arg[1];
    const vt_var *i = vt__match_axis(m->sums, 2), *j = vt__match_axis(m->sums, 3);
    const vt_expr *load = data_of(e->a[0]);
    if ((!find_quotient(e, i, &y) && !find_step(load, data, 2, i, &y)) ||
        (!find_quotient(e, j, &x) && !find_step(load, data, 3, j, &x)))
        return VTA_OK;
    y.size = vt__match_dim(data, 2), x.size = vt__match_dim(data, 3);
    y.taps = vt__match_dim(weight, 2), x.taps = vt__match_dim(weight, 3);
    vt_match_image s = vt__match_image(&c, data);
    long long out = vt__match_dim(weight, 0) * vta_config_block_out(m->config);
    for (int skip = 0; skip < 2; skip++)
        VT_TRY(vt__match_try(
            &c, "conv2d_transpose", skip,
            "batch=%lld in_channels=%lld out_channels=%lld height=%lld width=%lld kernel_h=%lld kernel_w=%lld "
            "stride_h=%lld stride_w=%lld pad_top=%lld pad_left=%lld pad_bottom=%lld pad_right=%lld "
            "output_pad_h=%lld output_pad_w=%lld",
            s.batch, s.channels, out, s.h, s.w, (long long)y.taps, (long long)x.taps, (long long)y.stride,
            (long long)x.stride, (long long)y.before, (long long)x.before, (long long)positive(-more(&y)),
            (long long)positive(-more(&x)), (long long)positive(more(&y)), (long long)positive(more(&x))));
    *out_found = c.found;
    return VTA_OK;
}

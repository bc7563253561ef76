/* Layers that reduce: convolutions, dense layers and pools, element by element of the result. */
#include <inttypes.h>

#include "network/integer.h"

/* A condition, and the row and column, of tap (dy, dx) of a window. */
typedef struct tap {
    const char *inside, *row, *column;
} tap;

static tap tap_of(vt__integer *w) {
    const vt_qwindow *v = &w->l->window;
    vt_ctx *ctx = w->n->ctx;
    tap t;
    t.row =
        vt_new_format(ctx, "i * %" PRId64 " + dy * %" PRId64 " - %" PRId64, v->strides[0], v->dilations[0], v->pads[0]);
    t.column =
        vt_new_format(ctx, "j * %" PRId64 " + dx * %" PRId64 " - %" PRId64, v->strides[1], v->dilations[1], v->pads[1]);
    t.inside = vt_new_format(ctx, "%s >= 0 && %s < %" PRId64 " && %s >= 0 && %s < %" PRId64, t.row, t.row, w->in[2],
                             t.column, t.column, w->in[3]);
    return t;
}

void vt__integer_conv(vt__integer *w) {
    const vt_qlayer *l = w->l;
    tap t = tap_of(w);
    int64_t ins = w->in[1] / l->group, outs = w->to[1] / l->group, h = l->window.kernel[0], v = l->window.kernel[1];
    const char *n = vt_new_format(w->n->ctx, "bo * %" PRId64 " + bi", w->n->batch);
    const char *c =
        l->group == 1 ? "rc" : vt_new_format(w->n->ctx, "%s // %" PRId64 " * %" PRId64 " + rc", w->channel, outs, ins);
    vt__integer_constant(w, "k", "int8", l->weight, vt_gtype_count(&l->weight_type), 1);
    vt__integer_steps(w);
    vt__integer_reduced(
        w, "sum", vt_new_format(w->n->ctx, "rc: %" PRId64 ", dy: %" PRId64 ", dx: %" PRId64, ins, h, v),
        vt_new_format(w->n->ctx,
                      "select(%s, %s * int32(k[((%s * %" PRId64 " + rc) * %" PRId64 " + dy) * %" PRId64 " + dx]), 0)",
                      t.inside, vt__integer_element(w, "x", n, c, t.row, t.column), w->channel, ins, h, v));
}

/* Output i takes input y by tap i + pad - y * stride. */
void vt__integer_conv_transpose(vt__integer *w) {
    const vt_qwindow *v = &w->l->window;
    vt_ctx *ctx = w->n->ctx;
    const char *row = vt_new_format(ctx, "(i + %" PRId64 " - dy)", v->pads[0]);
    const char *column = vt_new_format(ctx, "(j + %" PRId64 " - dx)", v->pads[1]);
    const char *n = vt_new_format(ctx, "bo * %" PRId64 " + bi", w->n->batch);
    const char *y = vt_new_format(ctx, "%s // %" PRId64, row, v->strides[0]);
    const char *x = vt_new_format(ctx, "%s // %" PRId64, column, v->strides[1]);
    vt__integer_constant(w, "k", "int8", w->l->weight, vt_gtype_count(&w->l->weight_type), 1);
    vt__integer_steps(w);
    vt__integer_reduced(
        w, "sum",
        vt_new_format(ctx, "rc: %" PRId64 ", dy: %" PRId64 ", dx: %" PRId64, w->in[1], v->kernel[0], v->kernel[1]),
        vt_new_format(ctx,
                      "select(%s %% %" PRId64 " == 0 && %s %% %" PRId64 " == 0 && %s >= 0 && %s < %" PRId64
                      " && %s >= 0 && %s < %" PRId64 ", %s * int32(k[((%s * %" PRId64 " + rc) * %" PRId64
                      " + dy) * %" PRId64 " + dx]), 0)",
                      row, v->strides[0], column, v->strides[1], y, y, w->in[2], x, x, w->in[3],
                      vt__integer_element(w, "x", n, "rc", y, x), w->channel, w->in[1], v->kernel[0], v->kernel[1]));
}

void vt__integer_dense(vt__integer *w) {
    const char *n = vt_new_format(w->n->ctx, "bo * %" PRId64 " + bi", w->n->batch);
    vt__integer_constant(w, "k", "int8", w->l->weight, vt_gtype_count(&w->l->weight_type), 1);
    vt__integer_steps(w);
    vt__integer_reduced(w, "sum", vt_new_format(w->n->ctx, "rc: %" PRId64, w->in[1]),
                        vt_new_format(w->n->ctx, "%s * int32(k[%s * %" PRId64 " + rc])",
                                      vt__integer_element(w, "x", n, "rc", "i", "j"), w->channel, w->in[1]));
}

void vt__integer_pool(vt__integer *w) {
    tap t = tap_of(w);
    bool most = w->l->kind == VT_Q_MAX_POOL;
    vt__integer_steps(w);
    vt__integer_reduced(
        w, most ? "max" : "sum",
        vt_new_format(w->n->ctx, "dy: %" PRId64 ", dx: %" PRId64, w->l->window.kernel[0], w->l->window.kernel[1]),
        vt_new_format(w->n->ctx, "select(%s, int32(x[bo, co, %s, %s, bi, ci]), %s)", t.inside, t.row, t.column,
                      most ? "-128" : "0"));
}

/* Layers of integers as functions for the processor, on the same tiles: the text of a kernel file each.
 *
 * The result is y[bo, co, i, j, bi, ci], whose element is image bo * BATCH + bi, channel co * BLOCK + ci. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena_text.h"
#include "network/priv.h"

const char *vt__number(char out[32], double x) {
    snprintf(out, 32, "%.9g", x);
    if (!strpbrk(out, ".en")) strcat(out, ".0");
    return out;
}

typedef struct writer {
    vt__net *n;
    const vt_qlayer *l;
    vt_strbuf *out;
    vt__args *args;
    int64_t in[4], to[4]; /* images: N, C, H, W */
    const char *channel;  /* of an element of the result; past the last one: the last */
} writer;

/* ---- Declarations ---------------------------------------------------------------------------------------------- */

static void input_tiles(writer *w, const char *name, const vt_qtensor *t) {
    int64_t d[4];
    vt__tiles(w->n, &t->type, d);
    vt_strbuf_addf(w->out,
                   "input %s: int8[%s%" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 "]\n",
                   name, vt__is_wide(t) ? "2, " : "", d[0], d[1], d[2], d[3], w->n->batch, w->n->block);
    vt__give(w->args, vt__buffer_of(w->n, t));
}

static void input_constant(writer *w, const char *name, const char *type, const void *data, int64_t count,
                           size_t bytes) {
    uint32_t buffer;
    vt_strbuf_addf(w->out, "input %s: %s[%" PRId64 "]\n", name, type, count);
    vt__must(w->n, vt_planner_constant(w->n->planner, VT_PLACE_DATA, w->l->name, data, (size_t)count * bytes,
                                       w->n->ctx->diag, &buffer));
    vt__give(w->args, buffer);
}

static void input_steps(writer *w) {
    char name[16];
    for (uint32_t i = 0; i < w->l->step_count; i++) {
        const vt_qstep *s = &w->l->steps[i];
        snprintf(name, sizeof name, "s%u", i);
        if (s->channel) input_constant(w, name, "int32", s->channel, w->to[1], sizeof *s->channel);
        if (s->tensor) input_tiles(w, name, s->tensor);
    }
}

/* ---- Expressions ----------------------------------------------------------------------------------------------- */

/* x with all steps done. */
static const char *finished(writer *w, const char *x) {
    vt_ctx *ctx = w->n->ctx;
    for (uint32_t i = 0; i < w->l->step_count; i++) {
        const vt_qstep *s = &w->l->steps[i];
        switch (s->kind) {
        case VT_QSTEP_BIAS: x = vt_new_format(ctx, "(%s + s%u[%s])", x, i, w->channel); break;
        case VT_QSTEP_SHIFT: x = vt_new_format(ctx, "(%s >> %" PRId32 ")", x, s->number); break;
        case VT_QSTEP_SHIFT_CHANNEL: x = vt_new_format(ctx, "(%s >> s%u[%s])", x, i, w->channel); break;
        case VT_QSTEP_MULTIPLY: x = vt_new_format(ctx, "(%s * %" PRId32 ")", x, s->number); break;
        case VT_QSTEP_MULTIPLY_CHANNEL: x = vt_new_format(ctx, "(%s * s%u[%s])", x, i, w->channel); break;
        case VT_QSTEP_RESIDUAL:
            x = vt_new_format(ctx, "(%s + %" PRId32 " * int32(s%u[bo, co, i, j, bi, ci]))", x, s->number, i);
            break;
        case VT_QSTEP_ADD: x = vt_new_format(ctx, "(%s + %" PRId32 ")", x, s->number); break;
        case VT_QSTEP_MAX: x = vt_new_format(ctx, "max(%s, %" PRId32 ")", x, s->number); break;
        case VT_QSTEP_MIN: x = vt_new_format(ctx, "min(%s, %" PRId32 ")", x, s->number); break;
        case VT_QSTEP_LEAKY:
            x = vt_new_format(ctx, "(max(%s, 0) + (min(%s, 0) >> %" PRId32 "))", x, x, s->number);
            break;
        case VT_QSTEP_COUNT: break;
        }
    }
    return x;
}

/* Element (n, c, y, x) of tiles; of 16 bits `half` is "0, " or "1, ", else "". */
static const char *element_of(writer *w, const char *name, const char *half, const char *n, const char *c,
                              const char *y, const char *x) {
    long long b = w->n->batch, k = w->n->block;
    return vt_new_format(w->n->ctx, "int32(%s[%s(%s) // %lld, (%s) // %lld, %s, %s, (%s) %% %lld, (%s) %% %lld])", name,
                         half, n, b, c, k, y, x, n, b, c, k);
}

static const char *element(writer *w, const char *name, const char *n, const char *c, const char *y, const char *x) {
    return element_of(w, name, "", n, c, y, x);
}

/* A condition, and the row and column, of tap (dy, dx) of a window. */
typedef struct tap {
    const char *inside, *row, *column;
} tap;

static tap tap_of(writer *w) {
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

/* ---- Layers ---------------------------------------------------------------------------------------------------- */

static const char *axes_of(writer *w) {
    int64_t d[4];
    vt__tiles(w->n, &w->l->output->type, d);
    return vt_new_format(
        w->n->ctx, "bo: %" PRId64 ", co: %" PRId64 ", i: %" PRId64 ", j: %" PRId64 ", bi: %" PRId64 ", ci: %" PRId64,
        d[0], d[1], d[2], d[3], w->n->batch, w->n->block);
}

/* The result from an expression of 32 bits; lanes past the last image or channel are zeros. */
static void write_result(writer *w, const char *value) {
    bool wide = vt__is_wide(w->l->output);
    vt_strbuf_addf(w->out,
                   "output y[%s%s] = int8(select(bo * %" PRId64 " + bi < %" PRId64 " && co * %" PRId64
                   " + ci < %" PRId64 ", %s%s, 0))\n",
                   wide ? "half: 2, " : "", axes_of(w), w->n->batch, w->to[0], w->n->block, w->to[1],
                   finished(w, value), wide ? " >> half * 8" : "");
    vt__give(w->args, vt__buffer_of(w->n, w->l->output));
}

/* A reduction, element by element of the result. */
static void write_reduced(writer *w, const char *how, const char *axes, const char *value) {
    vt_strbuf_addf(w->out, "tensor all[%s] = %s[%s](%s)\n", axes_of(w), how, axes, value);
    write_result(w, "all[bo, co, i, j, bi, ci]");
    vt_strbuf_addf(w->out, "stage all\n  compute_at y, %d\n", vt__is_wide(w->l->output) ? 6 : 5);
}

static void write_conv(writer *w) {
    const vt_qlayer *l = w->l;
    tap t = tap_of(w);
    int64_t ins = w->in[1] / l->group, outs = w->to[1] / l->group, h = l->window.kernel[0], v = l->window.kernel[1];
    const char *n = vt_new_format(w->n->ctx, "bo * %" PRId64 " + bi", w->n->batch);
    const char *c =
        l->group == 1 ? "rc" : vt_new_format(w->n->ctx, "%s // %" PRId64 " * %" PRId64 " + rc", w->channel, outs, ins);
    input_constant(w, "k", "int8", l->weight, vt_gtype_count(&l->weight_type), 1);
    input_steps(w);
    write_reduced(w, "sum", vt_new_format(w->n->ctx, "rc: %" PRId64 ", dy: %" PRId64 ", dx: %" PRId64, ins, h, v),
                  vt_new_format(w->n->ctx,
                                "select(%s, %s * int32(k[((%s * %" PRId64 " + rc) * %" PRId64 " + dy) * %" PRId64
                                " + dx]), 0)",
                                t.inside, element(w, "x", n, c, t.row, t.column), w->channel, ins, h, v));
}

/* Output i takes input y by tap i + pad - y * stride. */
static void write_conv_transpose(writer *w) {
    const vt_qwindow *v = &w->l->window;
    vt_ctx *ctx = w->n->ctx;
    const char *row = vt_new_format(ctx, "(i + %" PRId64 " - dy)", v->pads[0]);
    const char *column = vt_new_format(ctx, "(j + %" PRId64 " - dx)", v->pads[1]);
    const char *n = vt_new_format(ctx, "bo * %" PRId64 " + bi", w->n->batch);
    const char *y = vt_new_format(ctx, "%s // %" PRId64, row, v->strides[0]);
    const char *x = vt_new_format(ctx, "%s // %" PRId64, column, v->strides[1]);
    input_constant(w, "k", "int8", w->l->weight, vt_gtype_count(&w->l->weight_type), 1);
    input_steps(w);
    write_reduced(
        w, "sum",
        vt_new_format(ctx, "rc: %" PRId64 ", dy: %" PRId64 ", dx: %" PRId64, w->in[1], v->kernel[0], v->kernel[1]),
        vt_new_format(ctx,
                      "select(%s %% %" PRId64 " == 0 && %s %% %" PRId64 " == 0 && %s >= 0 && %s < %" PRId64
                      " && %s >= 0 && %s < %" PRId64 ", %s * int32(k[((%s * %" PRId64 " + rc) * %" PRId64
                      " + dy) * %" PRId64 " + dx]), 0)",
                      row, v->strides[0], column, v->strides[1], y, y, w->in[2], x, x, w->in[3],
                      element(w, "x", n, "rc", y, x), w->channel, w->in[1], v->kernel[0], v->kernel[1]));
}

static void write_dense(writer *w) {
    const char *n = vt_new_format(w->n->ctx, "bo * %" PRId64 " + bi", w->n->batch);
    input_constant(w, "k", "int8", w->l->weight, vt_gtype_count(&w->l->weight_type), 1);
    input_steps(w);
    write_reduced(w, "sum", vt_new_format(w->n->ctx, "rc: %" PRId64, w->in[1]),
                  vt_new_format(w->n->ctx, "%s * int32(k[%s * %" PRId64 " + rc])",
                                element(w, "x", n, "rc", "i", "j"), w->channel, w->in[1]));
}

static void write_pool(writer *w) {
    tap t = tap_of(w);
    bool most = w->l->kind == VT_Q_MAX_POOL;
    input_steps(w);
    write_reduced(
        w, most ? "max" : "sum",
        vt_new_format(w->n->ctx, "dy: %" PRId64 ", dx: %" PRId64, w->l->window.kernel[0], w->l->window.kernel[1]),
        vt_new_format(w->n->ctx, "select(%s, int32(x[bo, co, %s, %s, bi, ci]), %s)", t.inside, t.row, t.column,
                      most ? "-128" : "0"));
}

static void write_map(writer *w) {
    input_steps(w);
    write_result(w, "int32(x[bo, co, i, j, bi, ci])");
}

static void write_upsample(writer *w) {
    write_result(w, vt_new_format(w->n->ctx, "int32(x[bo, co, i // %" PRId64 ", j // %" PRId64 ", bi, ci])",
                                  w->l->scale[0], w->l->scale[1]));
}

static void write_reshape(writer *w) {
    vt_ctx *ctx = w->n->ctx;
    const int64_t *s = w->in, *d = w->to;
    const char *at =
        vt_new_format(ctx, "((((bo * %" PRId64 " + bi) * %" PRId64 " + %s) * %" PRId64 " + i) * %" PRId64 " + j)",
                      w->n->batch, d[1], w->channel, d[2], d[3]);
    const char *n = vt_new_format(ctx, "min(%s // %" PRId64 ", %" PRId64 ")", at, s[1] * s[2] * s[3], s[0] - 1);
    write_result(
        w, element(w, "x", n, vt_new_format(ctx, "%s // %" PRId64 " %% %" PRId64, at, s[2] * s[3], s[1]),
                   vt_new_format(ctx, "%s // %" PRId64 " %% %" PRId64, at, s[3], s[2]),
                   vt_new_format(ctx, "%s %% %" PRId64, at, s[3])));
}

/* One select for each input but the last. */
static void write_concat(writer *w) {
    static const int axis_of_rank[5][4] = {{0}, {0}, {0, 1}, {0, 1, 3}, {0, 1, 2, 3}};
    const vt_qlayer *l = w->l;
    vt_ctx *ctx = w->n->ctx;
    int axis = axis_of_rank[l->output->type.rank][l->axis];
    const char *coordinate[4] = {vt_new_format(ctx, "bo * %" PRId64 " + bi", w->n->batch), w->channel, "i", "j"};
    const char *along = coordinate[axis], *value = NULL;
    int64_t end = w->to[axis];
    for (uint32_t k = l->input_count; k-- > 0;) {
        int64_t d[4];
        vt_qtensor_image(&l->inputs[k]->type, d);
        end -= d[axis];
        coordinate[axis] = vt_new_format(ctx, "(%s - %" PRId64 ")", along, end);
        const char *x =
            element(w, vt_new_format(ctx, "x%u", k), coordinate[0], coordinate[1], coordinate[2], coordinate[3]);
        value = value ? vt_new_format(ctx, "select(%s < %" PRId64 ", %s, %s)", along, end + d[axis], x, value) : x;
    }
    for (uint32_t k = 0; k < l->input_count; k++) input_tiles(w, vt_new_format(ctx, "x%u", k), l->inputs[k]);
    write_result(w, value);
}

/* ---- Between integers and floats ------------------------------------------------------------------------------- */

static const char *shape_of(vt_ctx *ctx, const vt_gtype *t, const char *const names[4]) {
    static const int image[5][4] = {{0}, {0}, {0, 1}, {0, 1, 3}, {0, 1, 2, 3}};
    const char *s = "";
    for (uint32_t i = 0; i < t->rank; i++)
        s = names ? vt_new_format(ctx, "%s%s%s", s, i ? ", " : "", names[image[t->rank][i]])
                  : vt_new_format(ctx, "%s%s%" PRId64, s, i ? ", " : "", t->dim[i]);
    return s;
}

static void write_quantize(writer *w) {
    const vt_qtensor *x = w->l->inputs[0];
    vt_ctx *ctx = w->n->ctx;
    char scale[32];
    const char *names[4] = {vt_new_format(ctx, "min(bo * %" PRId64 " + bi, %" PRId64 ")", w->n->batch, w->to[0] - 1),
                            w->channel, "i", "j"};
    vt_strbuf_addf(w->out, "input x: float32[%s]\n", shape_of(ctx, &x->type, NULL));
    vt__give(w->args, vt__buffer_of(w->n, x));
    write_result(w, vt_new_format(ctx, "int32(min(max(nearbyint(x[%s] * %s), -128.0), 127.0))",
                                  shape_of(ctx, &x->type, names),
                                  vt__number(scale, (double)(float)(1 / w->l->output->scale))));
}

static void write_dequantize(writer *w) {
    const vt_qtensor *x = w->l->inputs[0];
    vt_ctx *ctx = w->n->ctx;
    char scale[32];
    static const char *const letters[4] = {"n", "c", "i", "j"};
    const char *declared[4];
    for (int i = 0; i < 4; i++) declared[i] = vt_new_format(ctx, "%s: %" PRId64, letters[i], w->to[i]);
    const char *row = x->type.rank > 3 ? "i" : "0", *column = x->type.rank > 2 ? "j" : "0";
    const char *integer = element_of(w, "x", vt__is_wide(x) ? "1, " : "", "n", "c", row, column);
    if (vt__is_wide(x))
        integer = vt_new_format(ctx, "(%s * 256 + (%s & 255))", integer,
                                element_of(w, "x", "0, ", "n", "c", row, column));
    input_tiles(w, "x", x);
    vt_strbuf_addf(w->out, "output y[%s] = float32(%s) * %s\n", shape_of(ctx, &x->type, declared), integer,
                   vt__number(scale, (double)(float)x->scale));
    vt__give(w->args, vt__buffer_of(w->n, w->l->output));
}

/* ---- The kernel ------------------------------------------------------------------------------------------------ */

static void write_layer(writer *w) {
    bool tiles = w->l->kind != VT_Q_QUANTIZE && w->l->kind != VT_Q_DEQUANTIZE && w->l->kind != VT_Q_CONCAT;
    if (tiles) input_tiles(w, "x", w->l->inputs[0]);
    switch (w->l->kind) {
    case VT_Q_QUANTIZE: write_quantize(w); break;
    case VT_Q_DEQUANTIZE: write_dequantize(w); break;
    case VT_Q_CONV: write_conv(w); break;
    case VT_Q_CONV_TRANSPOSE: write_conv_transpose(w); break;
    case VT_Q_DENSE: write_dense(w); break;
    case VT_Q_MAX_POOL:
    case VT_Q_SUM_POOL: write_pool(w); break;
    case VT_Q_MAP: write_map(w); break;
    case VT_Q_CONCAT: write_concat(w); break;
    case VT_Q_UPSAMPLE: write_upsample(w); break;
    case VT_Q_RESHAPE: write_reshape(w); break;
    case VT_Q_FLOAT:
    case VT_QKIND_COUNT: break;
    }
}

void vt__call_kernel(vt__net *n, const vt_qlayer *l, vtac_kernel *kernel, const vt__args *args) {
    vt_grow(n->ctx, &n->made, &n->made_cap, n->made_count + 1, sizeof *n->made);
    n->made[n->made_count++] = (vt__made){.kernel = kernel};
    vt__must(n, vt_planner_call(n->planner, l->name, kernel, args->item, args->count, n->ctx->diag));
}

static void call_text(writer *w) {
    vta_allocator room;
    vtac_kernel *kernel;
    vt_ctx *ctx = w->n->ctx;
    vt_strbuf all = vt_arena_text(ctx, &room);
    vt_strbuf_addf(&all, "kernel layer_%u\ntarget llvm\n%s", w->l->index, vt_strbuf_text(w->out));
    const char *file = vt_arena_text_take(ctx, &all);
    vt_grow(ctx, &w->n->made, &w->n->made_cap, w->n->made_count + 1, sizeof *w->n->made); /* nothing raises below */
    vt__must(w->n, vtac_kernel_parse(file, strlen(file), w->l->name, NULL, w->n->config, w->n->allocator, ctx->diag,
                                     &kernel));
    vt__call_kernel(w->n, w->l, kernel, w->args);
}

void vt__on_processor(vt__net *n, const vt_qlayer *l) {
    vta_allocator room;
    vt_strbuf text = vt_arena_text(n->ctx, &room);
    vt__args args = {.count = 0};
    writer w = {.n = n, .l = l, .out = &text, .args = &args};
    if (l->kind == VT_Q_FLOAT) {
        vt__float_on_processor(n, l);
        return;
    }
    vt_qtensor_image(&l->inputs[0]->type, w.in);
    vt_qtensor_image(&l->output->type, w.to);
    w.channel = vt_new_format(
        n->ctx, w.to[1] % n->block ? "min(co * %" PRId64 " + ci, %" PRId64 ")" : "(co * %" PRId64 " + ci)", n->block,
        w.to[1] - 1);
    write_layer(&w);
    call_text(&w);
}

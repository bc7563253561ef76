/* Layers between integers in tiles and floats as the network has them. */
#include <inttypes.h>

#include "network/integer.h"

static const char *shape_of(vt_ctx *ctx, const vt_gtype *t, const char *const names[4]) {
    static const int image[5][4] = {{0}, {0}, {0, 1}, {0, 1, 3}, {0, 1, 2, 3}};
    const char *s = "";
    for (uint32_t i = 0; i < t->rank; i++)
        s = names ? vt_new_format(ctx, "%s%s%s", s, i ? ", " : "", names[image[t->rank][i]])
                  : vt_new_format(ctx, "%s%s%" PRId64, s, i ? ", " : "", t->dim[i]);
    return s;
}

void vt__integer_scale(vt__integer *w, double scale) {
    const float number = (float)scale;
    vt__integer_constant(w, "scale", "float32", &number, 1, sizeof number);
}

/* A number for each channel of a value, as an input of the kernel. */
static void add_numbers(vt__integer *w, const vt_qtensor *t, int64_t count, bool factors) {
    float *numbers = VT_NEW_ARRAY(w->n->ctx, float, (size_t)count);
    for (int64_t c = 0; c < count; c++) numbers[c] = factors ? vt_qtensor_factor(t, c) : (float)vt_qtensor_scale(t, c);
    vt__integer_constant(w, "s", "float32", numbers, count, sizeof *numbers);
}

/* What a channel of integers has of a number `v`: its high part, what that leaves, or its high part in coarser steps.
 */
static const char *part_of(vt__integer *w, const char *v) {
    vt_ctx *ctx = w->n->ctx;
    const vt_qtensor *t = w->l->output;
    int64_t parts = vt_qparts_count(t->parts);
    const char *high = !(t->parts & VT_QPART_FINE)
                           ? v
                           : vt_new_format(ctx, "((%s + %d) >> %d)", v, 1 << (VT_QFINE_BITS - 1), VT_QFINE_BITS);
    const char *fine = vt_new_format(ctx, "%s - %s * %d", v, high, 1 << VT_QFINE_BITS);
    const char *coarse = vt_new_format(ctx, "(%s + %d) >> %d", high, 1 << (VT_QCOARSE_BITS - 1), VT_QCOARSE_BITS);
    if (parts == 1) return high;
    if (parts == 2)
        return vt_new_format(ctx, "select(%s %% 2 == 0, %s, %s)", w->channel, high,
                             t->parts & VT_QPART_FINE ? fine : coarse);
    return vt_new_format(ctx, "select(%s %% 3 == 0, %s, select(%s %% 3 == 1, %s, %s))", w->channel, high, w->channel,
                         fine, coarse);
}

static void quantize_channels(vt__integer *w) {
    const vt_qtensor *x = w->l->inputs[0], *t = w->l->output;
    vt_ctx *ctx = w->n->ctx;
    char low[32], high[32];
    float least, most;
    const char *channel = vt_new_format(ctx, "%s // %" PRId64, w->channel, vt_qparts_count(t->parts));
    const char *names[4] = {vt_new_format(ctx, "min(bo * %" PRId64 " + bi, %" PRId64 ")", w->n->batch, w->to[0] - 1),
                            channel, "i", "j"};
    vt_qtensor_limits(t, &least, &most);
    vt_strbuf_addf(w->out, "input x: float32[%s]\n", shape_of(ctx, &x->type, NULL));
    vt__give_place(w->args, vt__place_of(w->n, x));
    add_numbers(w, t, x->type.dim[1], true);
    const char *v =
        vt_new_format(ctx, "int32(min(max(nearbyint(x[%s] * s[%s]), %s), %s))", shape_of(ctx, &x->type, names), channel,
                      vt__number(low, (double)least), vt__number(high, (double)most));
    vt__integer_result(w, part_of(w, v));
}

void vt__integer_quantize(vt__integer *w) {
    if (w->l->output->form) {
        vt__matrices_quantize(w);
        return;
    }
    if (w->l->output->channel || w->l->output->parts) {
        quantize_channels(w);
        return;
    }
    const vt_qtensor *x = w->l->inputs[0], *t = w->l->output;
    const vt_gtype *type = t->split ? &t->type : &x->type; /* a stream is rows */
    vt_ctx *ctx = w->n->ctx;
    float least, most;
    char low[32], high[32];
    const char *names[4] = {vt_new_format(ctx, "min(bo * %" PRId64 " + bi, %" PRId64 ")", w->n->batch, w->to[0] - 1),
                            w->channel, "i", "j"};
    vt_qtensor_limits(t, &least, &most);
    vt_strbuf_addf(w->out, "input x: float32[%s]\n", shape_of(ctx, type, NULL));
    vt__give_place(w->args, vt__place_of(w->n, x));
    vt__integer_scale(w, 1 / t->scale);
    vt__integer_result(w, vt_new_format(ctx, "int32(min(max(nearbyint(x[%s] * scale[0]), %s), %s))",
                                        shape_of(ctx, type, names), vt__number(low, (double)least),
                                        vt__number(high, (double)most)));
}

/* The line of a result of floats. */
static void add_floats(vt__integer *w, const char *value) {
    static const char *const letters[4] = {"n", "c", "i", "j"};
    const char *declared[4];
    for (int i = 0; i < 4; i++) declared[i] = vt_new_format(w->n->ctx, "%s: %" PRId64, letters[i], w->to[i]);
    vt_strbuf_addf(w->out, "output y[%s] = %s\n", shape_of(w->n->ctx, &w->l->output->type, declared), value);
    vt__give_place(w->args, vt__place_of(w->n, w->l->output));
}

/* The places of an element of floats in tiles: axes that it has not are 0. */
static void places_of(const vt_gtype *t, const char *out[4]) {
    out[0] = t->rank > 0 ? "n" : "0", out[1] = t->rank > 1 ? "c" : "0";
    out[2] = t->rank > 3 ? "i" : "0", out[3] = t->rank > 2 ? "j" : "0";
}

/* The same of rows, whose floats have other axes. */
static void places_in_rows(vt__integer *w, const char *out[4]) {
    static const char *const letters[] = {"n", "c", "i", "j"};
    static const int image[5][4] = {{0}, {0}, {0, 1}, {0, 1, 3}, {0, 1, 2, 3}};
    const vt_gtype *t = &w->l->output->type;
    const char *row = letters[0];
    for (uint32_t i = 1; i + 1 < t->rank; i++)
        row = vt_new_format(w->n->ctx, "(%s * %" PRId64 " + %s)", row, t->dim[i], letters[image[t->rank][i]]);
    out[0] = row, out[1] = letters[image[t->rank][t->rank - 1]];
    out[2] = out[3] = "0";
}

void vt__integer_dequantize(vt__integer *w) {
    const vt_qtensor *x = w->l->inputs[0];
    vt_ctx *ctx = w->n->ctx;
    const char *at[4];
    if (x->form) {
        vt__matrices_dequantize(w);
        return;
    }
    if (x->type.rank == w->l->output->type.rank)
        places_of(&x->type, at);
    else
        places_in_rows(w, at);
    const char *integer = vt__integer_half(w, "x", vt__is_wide(x) ? "1, " : "", at[0], at[1], at[2], at[3]);
    if (x->split)
        integer =
            vt_new_format(ctx, "(%s - %s * 256)", vt__integer_half(w, "x", "0, ", at[0], at[1], at[2], at[3]), integer);
    else if (vt__is_wide(x))
        integer = vt_new_format(ctx, "(%s * 256 + (%s & 255))", integer,
                                vt__integer_half(w, "x", "0, ", at[0], at[1], at[2], at[3]));
    vt__integer_tiles(w, "x", x);
    if (x->channel)
        add_numbers(w, x, x->type.dim[1], false);
    else
        vt__integer_scale(w, x->scale);
    add_floats(w, vt_new_format(ctx, "float32(%s) * %s", integer,
                                x->channel ? vt_new_format(ctx, "s[%s]", at[1]) : "scale[0]"));
}

/* The entry of the table for an element of the input, in channel `channel`. */
static const char *entry(vt__integer *w, const char *channel, const char *element) {
    if (w->l->table_rows == 1) return vt_new_format(w->n->ctx, "t[%s + 128]", element);
    return vt_new_format(w->n->ctx, "t[%s * 256 + %s + 128]", channel, element);
}

void vt__integer_table(vt__integer *w) {
    const vt_qlayer *l = w->l;
    bool floats = l->output->scale == 0;
    int64_t count = l->table_rows * VT_QTABLE_INTEGERS;
    vt__integer_constant(w, "t", floats ? "float32" : "int8", l->table, count, floats ? 4 : 1);
    if (!floats) {
        vt__integer_result(
            w, vt_new_format(w->n->ctx, "int32(%s)", entry(w, w->channel, "int32(x[bo, co, i, j, bi, ci])")));
        return;
    }
    const char *at[4];
    places_of(&l->output->type, at);
    add_floats(w, entry(w, at[1], vt__integer_element(w, "x", at[0], at[1], at[2], at[3])));
}

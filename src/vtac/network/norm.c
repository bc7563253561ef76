/* Normalization of rows (frontend/quant/norm.c): a function for the host; two operators, of which the first has the
 * sums of squares that the second divides by. */
#include <inttypes.h>
#include <math.h>

#include "base/log2.h"
#include "network/integer.h"

/* ---- A function for the host ------------------------------------------------------------------------------------- */

/* A tensor of one element a row. */
static void add_row(vt__integer *w, const char *name, const char *value) {
    vt_strbuf_addf(w->out, "tensor %s[r: %" PRId64 "] = %s\n", name, w->to[0], value);
}

/* Elements less the mean of their row: d[r, c]. */
static void add_apart(vt__integer *w) {
    vt_ctx *ctx = w->n->ctx;
    int64_t rows = w->to[0], n = w->to[1];
    int32_t up = vt_ceil_log2(n), down = vt_floor_log2(n), shift = 14 + down - up;
    vt_strbuf_addf(w->out, "tensor e[r: %" PRId64 ", c: %" PRId64 "] = %s - 256 * %s\n", rows, n,
                   vt__integer_half(w, "x", "0, ", "r", "c", "0", "0"),
                   vt__integer_half(w, "x", "1, ", "r", "c", "0", "0"));
    if (w->l->no_mean) {
        vt_strbuf_addf(w->out, "tensor d[r: %" PRId64 ", c: %" PRId64 "] = e[r, c]\n", rows, n);
        return;
    }
    add_row(w, "total", vt_new_format(ctx, "sum[k: %" PRId64 "](e[r, k])", n));
    add_row(w, "mean",
            vt_new_format(ctx, "((total[r] >> %d) * %ld + %d) >> %d", (int)up, lround(ldexp(1, 14 + down) / (double)n),
                          1 << (shift - 1), (int)shift));
    vt_strbuf_addf(w->out, "tensor d[r: %" PRId64 ", c: %" PRId64 "] = e[r, c] - mean[r]\n", rows, n);
}

/* The inverse root of the sum of squares, and what is shifted away behind a product with it. */
static void add_divisor(vt__integer *w) {
    static const struct {
        int by, from;
    } steps[] = {{8, 22}, {4, 18}, {2, 16}};
    vt_ctx *ctx = w->n->ctx;
    add_row(
        w, "squares",
        vt_new_format(ctx, "sum[q: %" PRId64 "]((d[r, q] * d[r, q]) >> %d)", w->to[1], (int)vt_ceil_log2(w->to[1])));
    add_row(w, "power", vt_new_format(ctx, "squares[r] + %" PRId32, w->l->epsilon));
    add_row(w, "v0", "max(select((power[r] >> 14) > 0, power[r], power[r] * 256), 16384)");
    add_row(w, "by0", "select((power[r] >> 14) > 0, 9, 5)");
    for (int i = 0; i < 3; i++) {
        const char *some = vt_new_format(ctx, "(v%d[r] >> %d) > 0", i, steps[i].from);
        add_row(w, vt_new_format(ctx, "v%d", i + 1),
                vt_new_format(ctx, "select(%s, v%d[r] >> %d, v%d[r])", some, i, steps[i].by, i));
        add_row(w, vt_new_format(ctx, "by%d", i + 1),
                vt_new_format(ctx, "by%d[r] + select(%s, %d, 0)", i, some, steps[i].by / 2));
    }
    add_row(w, "r0", "17448 + ((v3[r] * -9953) >> 16)");
    for (int k = 1; k <= 2; k++)
        add_row(w, vt_new_format(ctx, "r%d", k),
                vt_new_format(ctx, "(r%d[r] * (24576 - ((v3[r] * ((r%d[r] * r%d[r]) >> 14)) >> 15))) >> 14", k - 1,
                              k - 1, k - 1));
}

void vt__integer_norm(vt__integer *w) {
    vt_ctx *ctx = w->n->ctx;
    const char *row = vt_new_format(ctx, "min(bo * %" PRId64 " + bi, %" PRId64 ")", w->n->batch, w->to[0] - 1);
    add_apart(w);
    add_divisor(w);
    vt__integer_steps(w);
    vt__integer_result(w, vt_new_format(ctx, "((d[%s, %s] * r2[%s]) >> by3[%s])", row, w->channel, row, row));
}

/* ---- Operators --------------------------------------------------------------------------------------------------- */

#define SET(op, name, number) (r->values[VT_ATTRIBUTE_##op##_##name] = (number))

static const vt_op_request *moments_of(const vt__net *n, const vt_qlayer *l) {
    vt_op_request *r = VT_NEW(n->ctx, vt_op_request);
    vt_op_request_init(r, VT_OPERATOR_row_moments);
    SET(row_moments, batch, l->output->type.dim[0]), SET(row_moments, features, l->output->type.dim[1]);
    SET(row_moments, mean, !l->no_mean);
    return r;
}

static const vt_op_request *norm_of(const vt__net *n, const vt_qlayer *l) {
    vt_op_request *r = VT_NEW(n->ctx, vt_op_request);
    vt_op_request_init(r, VT_OPERATOR_layer_norm);
    SET(layer_norm, batch, l->output->type.dim[0]), SET(layer_norm, features, l->output->type.dim[1]);
    SET(layer_norm, mean, !l->no_mean), SET(layer_norm, epsilon, l->epsilon);
    for (uint32_t i = 0; i < l->step_count; i++) r->steps[r->step_count++] = vt__step_of(n, l, &l->steps[i]);
    return r;
}

void vt__norm_requests(const vt__net *n, const vt_qlayer *l, void (*fn)(void *user, const vt_op_request *r),
                       void *user) {
    fn(user, moments_of(n, l));
    fn(user, norm_of(n, l));
}

static void add_operator(vt__net *n, const vt_qlayer *l, const vtac_op *op, const vt__args *args) {
    vt__must(n, vt_planner_operator(n->planner, l->name, op, args->item, args->count, n->ctx->diag));
}

/* Vectors stand in the order of their sorts: biases, then factors. */
static void give_vectors(vt__net *n, const vt_qlayer *l, vt__args *args) {
    static const vt_qstep_kind kinds[] = {VT_QSTEP_BIAS, VT_QSTEP_MULTIPLY_CHANNEL};
    for (int k = 0; k < 2; k++)
        for (uint32_t i = 0; i < l->step_count; i++)
            if (l->steps[i].kind == kinds[k]) vt__give(args, vt__channels(n, l, l->steps[i].channel));
}

bool vt__accelerate_norm(vt__net *n, const vt_qlayer *l, const char **out_why) {
    enum { PARTS = 4 };
    const vtac_op *moments = vt__operator_for(n, l, moments_of(n, l));
    const vtac_op *norm = moments ? vt__operator_for(n, l, norm_of(n, l)) : NULL;
    int64_t tiles[4];
    uint32_t between;
    *out_why = norm ? NULL : "no schedule of it fits the accelerator";
    if (!norm) return false;
    vt__tiles(n, &l->output->type, tiles);
    uint64_t bytes = (uint64_t)(tiles[0] * PARTS * n->batch * n->block);
    vt__must(n, vt_planner_buffer(n->planner, VT_PLACE_DEVICE, l->name, bytes, n->ctx->diag, &between));
    vt__args first = {.count = 0}, second = {.count = 0};
    vt__give_place(&first, vt__place_of(n, l->inputs[0]));
    vt__give(&first, between);
    add_operator(n, l, moments, &first);
    vt__give_place(&second, vt__place_of(n, l->inputs[0]));
    vt__give(&second, between);
    give_vectors(n, l, &second);
    vt__give_place(&second, vt__place_of(n, l->output));
    add_operator(n, l, norm, &second);
    return true;
}

/* Layers whose elements are elements of an input each. */
#include <inttypes.h>

#include "base/context.h"
#include "network/integer.h"

void vt__integer_map(vt__integer *w) {
    vt__integer_steps(w);
    vt__integer_result(w, "int32(x[bo, co, i, j, bi, ci])");
}

void vt__integer_mul(vt__integer *w) {
    bool of_channels = !vt_qtensor_same_image(&w->l->inputs[0]->type, &w->l->inputs[1]->type);
    vt__integer_tiles(w, "f", w->l->inputs[1]);
    vt__integer_steps(w);
    vt__integer_result(w, vt_new_format(w->n->ctx, "(int32(x[bo, co, i, j, bi, ci]) * int32(f[bo, co, %s, bi, ci]))",
                                        of_channels ? "0, 0" : "i, j"));
}

/* ---- Elements in other places ------------------------------------------------------------------------------------ */

/* The place of element `i` of an image among those of its tiles. */
static int64_t in_tiles(const vt__net *n, const int64_t d[4], int64_t i) {
    int64_t x = i % d[3], y = i / d[3] % d[2], c = i / (d[3] * d[2]) % d[1], image = i / (d[3] * d[2] * d[1]);
    int64_t blocks = (d[1] + n->block - 1) / n->block;
    int64_t tile = ((image / n->batch * blocks + c / n->block) * d[2] + y) * d[3] + x;
    return (tile * n->batch + image % n->batch) * n->block + c % n->block;
}

static int64_t place_in(const vt__net *n, const vt_qtensor *t, const int64_t image[4], int64_t i) {
    return t->form ? vt__matrix_place(n, t, i) : in_tiles(n, image, i);
}

/* Of each element of the result's tiles its place in those of the input; -1: a zero. */
static const int32_t *places_of(const vt__integer *w, int64_t count) {
    int32_t *out = VT_NEW_ARRAY(w->n->ctx, int32_t, (size_t)count);
    const vt_qtensor *x = w->l->inputs[0], *y = w->l->output;
    int64_t elements = vt_gtype_count(&y->type);
    for (int64_t i = 0; i < count; i++) out[i] = -1;
    for (int64_t i = 0; i < elements; i++) {
        int32_t place = w->l->places[i];
        if (place >= 0) out[place_in(w->n, y, w->to, i)] = (int32_t)place_in(w->n, x, w->in, place);
    }
    return out;
}

/* Tiles as rows of bytes: one kernel for all layers of a size. */
void vt__integer_move(vt__integer *w) {
    int64_t from = (int64_t)vt__tile_bytes(w->n, w->l->inputs[0]), to = (int64_t)vt__tile_bytes(w->n, w->l->output);
    vt_strbuf_addf(w->out, "input x: int8[%" PRId64 "]\n", from);
    vt__give_place(w->args, vt__place_of(w->n, w->l->inputs[0]));
    vt__integer_constant(w, "at", "int32", places_of(w, to), to, sizeof(int32_t));
    vt_strbuf_addf(w->out, "output y[i: %" PRId64 "] = if_then_else(at[i] >= 0, x[max(at[i], 0)], int8(0))\n", to);
    vt__give_place(w->args, vt__place_of(w->n, w->l->output));
}

void vt__integer_upsample(vt__integer *w) {
    vt__integer_result(w, vt_new_format(w->n->ctx, "int32(x[bo, co, i // %" PRId64 ", j // %" PRId64 ", bi, ci])",
                                        w->l->scale[0], w->l->scale[1]));
}

void vt__integer_reshape(vt__integer *w) {
    vt_ctx *ctx = w->n->ctx;
    const int64_t *s = w->in, *d = w->to;
    const char *at =
        vt_new_format(ctx, "((((bo * %" PRId64 " + bi) * %" PRId64 " + %s) * %" PRId64 " + i) * %" PRId64 " + j)",
                      w->n->batch, d[1], w->channel, d[2], d[3]);
    const char *n = vt_new_format(ctx, "min(%s // %" PRId64 ", %" PRId64 ")", at, s[1] * s[2] * s[3], s[0] - 1);
    vt__integer_result(
        w, vt__integer_element(w, "x", n, vt_new_format(ctx, "%s // %" PRId64 " %% %" PRId64, at, s[2] * s[3], s[1]),
                               vt_new_format(ctx, "%s // %" PRId64 " %% %" PRId64, at, s[3], s[2]),
                               vt_new_format(ctx, "%s %% %" PRId64, at, s[3])));
}

/* One select for each input but the last. */
void vt__integer_concat(vt__integer *w) {
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
        const char *x = vt__integer_element(w, vt_new_format(ctx, "x%u", k), coordinate[0], coordinate[1],
                                            coordinate[2], coordinate[3]);
        value = value ? vt_new_format(ctx, "select(%s < %" PRId64 ", %s, %s)", along, end + d[axis], x, value) : x;
    }
    for (uint32_t k = 0; k < l->input_count; k++) vt__integer_tiles(w, vt_new_format(ctx, "x%u", k), l->inputs[k]);
    vt__integer_result(w, value);
}

/* Layers whose elements are elements of an input each. */
#include <inttypes.h>

#include "network/integer.h"

void vt__integer_map(vt__integer *w) {
    vt__integer_steps(w);
    vt__integer_result(w, "int32(x[bo, co, i, j, bi, ci])");
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

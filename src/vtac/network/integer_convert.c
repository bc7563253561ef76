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

void vt__integer_quantize(vt__integer *w) {
    const vt_qtensor *x = w->l->inputs[0];
    vt_ctx *ctx = w->n->ctx;
    char scale[32];
    const char *names[4] = {vt_new_format(ctx, "min(bo * %" PRId64 " + bi, %" PRId64 ")", w->n->batch, w->to[0] - 1),
                            w->channel, "i", "j"};
    vt_strbuf_addf(w->out, "input x: float32[%s]\n", shape_of(ctx, &x->type, NULL));
    vt__give(w->args, vt__buffer_of(w->n, x));
    vt__integer_result(w, vt_new_format(ctx, "int32(min(max(nearbyint(x[%s] * %s), -128.0), 127.0))",
                                        shape_of(ctx, &x->type, names),
                                        vt__number(scale, (double)(float)(1 / w->l->output->scale))));
}

void vt__integer_dequantize(vt__integer *w) {
    const vt_qtensor *x = w->l->inputs[0];
    vt_ctx *ctx = w->n->ctx;
    char scale[32];
    static const char *const letters[4] = {"n", "c", "i", "j"};
    const char *declared[4];
    for (int i = 0; i < 4; i++) declared[i] = vt_new_format(ctx, "%s: %" PRId64, letters[i], w->to[i]);
    const char *row = x->type.rank > 3 ? "i" : "0", *column = x->type.rank > 2 ? "j" : "0";
    const char *integer = vt__integer_half(w, "x", vt__is_wide(x) ? "1, " : "", "n", "c", row, column);
    if (vt__is_wide(x))
        integer = vt_new_format(ctx, "(%s * 256 + (%s & 255))", integer,
                                vt__integer_half(w, "x", "0, ", "n", "c", row, column));
    vt__integer_tiles(w, "x", x);
    vt_strbuf_addf(w->out, "output y[%s] = float32(%s) * %s\n", shape_of(ctx, &x->type, declared), integer,
                   vt__number(scale, (double)(float)x->scale));
    vt__give(w->args, vt__buffer_of(w->n, w->l->output));
}

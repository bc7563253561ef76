/* What the kernels of layers of integers have in common: arguments, elements of tiles, steps, the result. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "network/integer.h"

/* Beyond float32 it becomes infinite, which has no name in the language. */
const char *vt__number(char out[32], double x) {
    if (isinf(x)) return strcpy(out, x > 0 ? "float32(1e39)" : "float32(-1e39)");
    snprintf(out, 32, "%.9g", x);
    if (!strpbrk(out, ".en")) strcat(out, ".0");
    return out;
}

/* ---- Declarations ---------------------------------------------------------------------------------------------- */

void vt__integer_tiles(vt__integer *w, const char *name, const vt_qtensor *t) {
    int64_t d[4];
    vt__tiles(w->n, &t->type, d);
    vt_strbuf_addf(w->out,
                   "input %s: int8[%s%" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 "]\n",
                   name, vt__is_wide(t) ? "2, " : "", d[0], d[1], d[2], d[3], w->n->batch, w->n->block);
    vt__give_place(w->args, vt__place_of(w->n, t));
}

void vt__integer_constant(vt__integer *w, const char *name, const char *type, const void *data, int64_t count,
                          size_t bytes) {
    uint32_t buffer;
    vt_strbuf_addf(w->out, "input %s: %s[%" PRId64 "]\n", name, type, count);
    vt__must(w->n, vt_planner_constant(w->n->planner, VT_PLACE_DATA, w->l->name, data, (size_t)count * bytes,
                                       w->n->ctx->diag, &buffer));
    vt__give(w->args, buffer);
}

void vt__integer_steps(vt__integer *w) {
    char name[16];
    for (uint32_t i = 0; i < w->l->step_count; i++) {
        const vt_qstep *s = &w->l->steps[i];
        snprintf(name, sizeof name, "s%u", i);
        if (s->channel) vt__integer_constant(w, name, "int32", s->channel, w->to[1], sizeof *s->channel);
        if (s->tensor) vt__integer_tiles(w, name, s->tensor);
    }
}

/* ---- Expressions ----------------------------------------------------------------------------------------------- */

const char *vt__integer_finished(vt__integer *w, const char *x) {
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
            if (s->tensor->split) {
                x = vt_new_format(
                    ctx, "(%s + int32(s%u[0, bo, co, i, j, bi, ci]) - 256 * int32(s%u[1, bo, co, i, j, bi, ci]))", x, i,
                    i);
                break;
            }
            x = vt_new_format(ctx, "(%s + %" PRId32 " * int32(s%u[%s]))", x, s->number, i,
                              w->l->output->form ? "m, ro, co, ri, ci" : "bo, co, i, j, bi, ci");
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
const char *vt__integer_half(vt__integer *w, const char *name, const char *half, const char *n, const char *c,
                             const char *y, const char *x) {
    long long b = w->n->batch, k = w->n->block;
    return vt_new_format(w->n->ctx, "int32(%s[%s(%s) // %lld, (%s) // %lld, %s, %s, (%s) %% %lld, (%s) %% %lld])", name,
                         half, n, b, c, k, y, x, n, b, c, k);
}

const char *vt__integer_element(vt__integer *w, const char *name, const char *n, const char *c, const char *y,
                                const char *x) {
    return vt__integer_half(w, name, "", n, c, y, x);
}

/* ---- Results --------------------------------------------------------------------------------------------------- */

static const char *axes_of(vt__integer *w) {
    int64_t d[4];
    vt__tiles(w->n, &w->l->output->type, d);
    return vt_new_format(
        w->n->ctx, "bo: %" PRId64 ", co: %" PRId64 ", i: %" PRId64 ", j: %" PRId64 ", bi: %" PRId64 ", ci: %" PRId64,
        d[0], d[1], d[2], d[3], w->n->batch, w->n->block);
}

/* The low byte, and the high one; of a stream minus that, rounded. */
static const char *halves_of(vt__integer *w, const char *x) {
    if (w->l->output->split) return vt_new_format(w->n->ctx, "select(half == 0, %s, (127 - %s) >> 8)", x, x);
    return vt__is_wide(w->l->output) ? vt_new_format(w->n->ctx, "%s >> half * 8", x) : x;
}

/* The result from an expression of 32 bits; lanes past the last image or channel are zeros. */
void vt__integer_result(vt__integer *w, const char *value) {
    bool wide = vt__is_wide(w->l->output);
    vt_strbuf_addf(w->out,
                   "output y[%s%s] = int8(select(bo * %" PRId64 " + bi < %" PRId64 " && co * %" PRId64
                   " + ci < %" PRId64 ", %s, 0))\n",
                   wide ? "half: 2, " : "", axes_of(w), w->n->batch, w->to[0], w->n->block, w->to[1],
                   halves_of(w, vt__integer_finished(w, value)));
    vt__give_place(w->args, vt__place_of(w->n, w->l->output));
}

/* A reduction, element by element of the result. */
void vt__integer_reduced(vt__integer *w, const char *how, const char *axes, const char *value) {
    vt_strbuf_addf(w->out, "tensor all[%s] = %s[%s](%s)\n", axes_of(w), how, axes, value);
    vt__integer_result(w, "all[bo, co, i, j, bi, ci]");
    vt_strbuf_addf(w->out, "stage all\n  compute_at y, %d\n", vt__is_wide(w->l->output) ? 6 : 5);
}

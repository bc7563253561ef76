/* What has no integers is refused, by name: infinities, what is not a number, and ranges beyond float32. */
#include <math.h>

#include "base/spill.h"
#include "frontend/quant/priv.h"

/* Steps are at least 2^-15 of a range, and integers of 8 bits reach one further below zero than the range. */
#define LEAST_RANGE 0x1p-100
#define LARGEST_RANGE 0x1p120

void vt__check_range(vt_ctx *ctx, const char *name, double most) {
    if (most == 0 || (most >= LEAST_RANGE && most <= LARGEST_RANGE)) return;
    vt_raise(ctx, VTA_OUT_OF_RANGE,
             "the values of %s go up to %g: integers stand for ranges from %g to %g. Scale the model or its samples",
             name, most, LEAST_RANGE, LARGEST_RANGE);
}

/* A border of infinities, as some exporters put in front of a MaxPool, is never the largest: it saturates. */
static bool has_infinite_border(const vt_gnode *n) {
    return n && n->op == VT_G_PAD && isinf(vt_gattr_float(n, VT_A_VALUE));
}

void vt__check_samples(const vt_quantizer *q, const vt_gvalue *v) {
    double x;
    size_t place;
    while (has_infinite_border(v->by)) v = v->by->inputs[0];
    if (vt_ranges_odd(q->ranges, v, &x, &place))
        vt_raise(
            q->ctx, VTA_INVALID_ARGUMENT,
            "element %zu of %s is %s when the model computes the samples in floats: it has no integer. Look at the "
            "samples, and at the constants before it",
            place, v->name, isnan(x) ? "not a number" : "infinite");
}

void vt__check_constant(vt_quantizer *q, const vt_gnode *n, const vt_gvalue *constant) {
    enum { BLOCK = 1 << 20 };
    size_t read = 0, bytes = vt_element_bytes(constant->type.element);
    for (int64_t i = 0; i < vt_gtype_count(&constant->type); i++) {
        if (i % BLOCK == 0) vt_spill_read_on(q->g->read_in, &read, BLOCK * bytes);
        double x = vt_gelement_at(constant, (size_t)i);
        if (!isfinite(x))
            vt_raise(q->ctx, VTA_INVALID_ARGUMENT, "node %s (%s): element %lld of %s is %s: it has no integer", n->name,
                     vt_gop_text(n->op), (long long)i, constant->name, isnan(x) ? "not a number" : "infinite");
    }
}

void vt__check_number(vt_ctx *ctx, const vt_gnode *n, double x) {
    if (!(fabs(x) <= 0x1p120))
        vt_raise(ctx, VTA_OUT_OF_RANGE,
                 "node %s (%s): its weights or biases go up to %g with what follows it: %g at most", n->name,
                 vt_gop_text(n->op), x, 0x1p120);
}

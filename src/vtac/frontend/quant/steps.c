/* Steps that several kinds of layers have. */
#include <math.h>

#include "frontend/quant/priv.h"

void vt__fraction(double factor, int32_t most, int32_t *out_m, int32_t *out_n) {
    int32_t n = 0;
    double m = fmin(factor, most);
    while (n < 31 && m * 2 <= most + 0.49) m *= 2, n++;
    *out_m = (int32_t)lround(m);
    *out_n = n;
}

static int32_t limit(double x, double scale, double least, double most) {
    return (int32_t)fmin(fmax(nearbyint(x / scale), least), most);
}

void vt__add_activation(vt_quantizer *q, vt_qlayer *l, const vt_chain *c) {
    int32_t most = l->output->split ? VT_QSTREAM_MAX : vt__most_of(q, l->output->value);
    int32_t least = l->output->split ? -most : -most - 1;
    int power;
    if (c->leaky) {
        frexp(vt_gattr_float(c->leaky, VT_A_ALPHA), &power);
        vt__step(l, VT_QSTEP_LEAKY, 1 - power);
    }
    vt__step(l, VT_QSTEP_MAX, limit(c->least, l->output->scale, least, most));
    vt__step(l, VT_QSTEP_MIN, limit(c->most, l->output->scale, least, most));
}

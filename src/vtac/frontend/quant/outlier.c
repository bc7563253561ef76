/* Operands of more than 8 bits where a few large elements leave too few steps for all others: the product of two
 * functions in a transformer's feed-forward layer, for one. Its fine part doubles a product's work, so only operands
 * that the host makes integers of get it, where their noise is far above that of others. */
#include "frontend/quant/outlier.h"

#include <math.h>

#include "frontend/quant/priv.h"

/* A normal distribution that reaches 4.5 deviations has 4,700 times the power of its rounding to 8 bits. */
enum { LEAST_RATIO = 1000 };

static bool has_outliers(const vt_ranges *ranges, const vt_gvalue *v) {
    const double *powers = vt_ranges_powers(ranges, v);
    double power = 0, range = vt_ranges_of(ranges, v, VT_RANGE_MAX, 100, INT8_MAX), step = range / INT8_MAX;
    int64_t channels = v->type.dim[1];
    if (!powers || range == 0) return false;
    for (int64_t c = 0; c < channels; c++) power += powers[c] / (double)channels;
    return power < LEAST_RATIO * step * step / 12;
}

bool vt_quant_choose_fine(const vt_graph *g, const vt_ranges *ranges, vt_quant_choice *choices) {
    bool any = false;
    for (uint32_t i = 0; i < g->node_count; i++) {
        const vt_gnode *n = g->nodes[i];
        if (vt__product_kind(n) != VT_Q_DENSE || !has_outliers(ranges, n->inputs[0])) continue;
        choices[n->inputs[0]->index].parts |= VT_QPART_FINE;
        any = true;
    }
    return any;
}

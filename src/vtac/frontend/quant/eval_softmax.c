/* Softmax in integers: the largest of a row; rows divided by the sums of their shares. */
#include <string.h>

#include "frontend/quant/eval_priv.h"

void vt__run_row_max(const vt__qcall *c) {
    const vt_qmatrices *m = &c->layer->inputs[0]->matrices;
    for (int64_t r = 0; r < m->count * m->rows; r++) {
        const int8_t *x = (const int8_t *)c->in + r * m->columns;
        int8_t most = INT8_MIN;
        for (int64_t i = 0; i < m->columns; i++) most = x[i] > most ? x[i] : most;
        memset((int8_t *)c->out + r * m->columns, most, (size_t)m->columns);
    }
}

static int32_t wrap(int64_t x) { return (int32_t)(uint32_t)(uint64_t)x; }

/* 2^28 / t, of a t with 15 bits. */
static int32_t inverse_of(int32_t t) {
    int32_t r = 23130 + ((-7710 * t) >> 14);
    for (int k = 0; k < 2; k++) r = wrap((int64_t)r * (32767 - (wrap((int64_t)t * r) >> 14))) >> 14;
    return r;
}

void vt__divide_by_shares(const int8_t *shares, int64_t ins, int32_t *acc, int64_t outs) {
    int32_t t = 0, by = 0;
    for (int64_t i = 0; i < ins; i++) t += shares[i];
    t *= 1024;
    for (int s = 8; s; s /= 2)
        if (t >> (14 + s)) t >>= s, by += s;
    int32_t inverse = inverse_of(t);
    for (int64_t o = 0; o < outs; o++) acc[o] = wrap((int64_t)(acc[o] * 16 >> by) * inverse);
}

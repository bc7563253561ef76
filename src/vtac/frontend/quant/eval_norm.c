/* Normalization of rows in integers, as docs/operators.md has it (row_moments, layer_norm). */
#include <math.h>

#include "base/log2.h"
#include "frontend/quant/eval_priv.h"

/* Halves up. */
static int32_t mean_of(const int16_t *x, int64_t n) {
    int32_t sum = 0, up = vt_ceil_log2(n), down = vt_floor_log2(n), shift = 14 + down - up;
    int32_t factor = (int32_t)lround(ldexp(1, 14 + down) / (double)n);
    for (int64_t i = 0; i < n; i++) sum += x[i];
    return ((sum >> up) * factor + (1 << (shift - 1))) >> shift;
}

/* The inverse root of a sum of squares, and what is shifted away behind the product with it. */
static int32_t inverse_root(int32_t power, int32_t *out_amount) {
    static const struct {
        int32_t by, from;
    } steps[] = {{8, 22}, {4, 18}, {2, 16}};
    bool enough = power >> 14;
    int32_t v = enough ? power : power * 256;
    if (v < 1 << 14) v = 1 << 14;
    *out_amount = enough ? 9 : 5;
    for (int i = 0; i < 3; i++)
        if (v >> steps[i].from) v >>= steps[i].by, *out_amount += steps[i].by / 2;
    int32_t r = 17448 + ((v * -9953) >> 16);
    for (int k = 0; k < 2; k++) r = (r * (24576 - ((v * ((r * r) >> 14)) >> 15))) >> 14;
    return r;
}

void vt__run_norm(const vt__qcall *c) {
    const vt_qlayer *l = c->layer;
    int64_t rows = l->output->type.dim[0], n = l->output->type.dim[1];
    for (int64_t r = 0; r < rows; r++) {
        const int16_t *x = (const int16_t *)c->in + r * n;
        int32_t mean = l->no_mean ? 0 : mean_of(x, n), power = l->epsilon, amount;
        for (int64_t i = 0; i < n; i++) power += ((x[i] - mean) * (x[i] - mean)) >> vt_ceil_log2(n);
        int32_t root = inverse_root(power, &amount);
        for (int64_t i = 0; i < n; i++) {
            int32_t y = ((x[i] - mean) * root) >> amount;
            vt__finish(c, &y, 1, i, r * n + i);
        }
    }
}

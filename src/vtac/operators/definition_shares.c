/* batch_matmul with shares, from docs/operators.md: sums divided by the sum of their row of data. */
#include "operators/definition.h"

/* What the algebra computes of words and numbers. */
typedef struct words {
    const vt_algebra *a;
} words;

static vt_word of_two(const words *w, vta_field_op op, vt_word x, vt_word y) {
    return w->a->apply(w->a->ctx, op, x, y);
}
static vt_word with(const words *w, vta_field_op op, vt_word x, int64_t y) {
    return of_two(w, op, x, w->a->number(w->a->ctx, y));
}

/* What a row's sums are shifted by to the right, and then multiplied by. */
typedef struct divisor {
    vt_word amount, inverse;
} divisor;

static divisor divisor_of(const words *w, vt_word total) {
    vt_word t = with(w, VTA_FIELD_MUL, with(w, VTA_FIELD_MAX, total, 0), 1024), amount = 0;
    for (int by = 8; by; by /= 2) {
        vt_word some = with(w, VTA_FIELD_MIN, with(w, VTA_FIELD_SHR, t, 14 + by), 1);
        if (by > 1) some = with(w, VTA_FIELD_MUL, some, by);
        t = of_two(w, VTA_FIELD_SHR, t, some);
        amount = by == 8 ? some : of_two(w, VTA_FIELD_ADD, amount, some);
    }
    vt_word line = with(w, VTA_FIELD_SHR, with(w, VTA_FIELD_MUL, t, -7710), 14);
    vt_word inverse = with(w, VTA_FIELD_ADD, line, 23130);
    for (int i = 0; i < 2; i++) {
        vt_word product = with(w, VTA_FIELD_SHR, of_two(w, VTA_FIELD_MUL, t, inverse), 14);
        vt_word rest = with(w, VTA_FIELD_ADD, with(w, VTA_FIELD_MUL, product, -1), 32767);
        inverse = with(w, VTA_FIELD_SHR, of_two(w, VTA_FIELD_MUL, inverse, rest), 14);
    }
    return (divisor){amount, inverse};
}

void vt__definition_divide(const vt_algebra *a, vt_word total, vt_word *sums, int64_t count) {
    const words w = {a};
    divisor d = divisor_of(&w, total);
    for (int64_t i = 0; i < count; i++)
        sums[i] = of_two(&w, VTA_FIELD_MUL, of_two(&w, VTA_FIELD_SHR, with(&w, VTA_FIELD_MUL, sums[i], 16), d.amount),
                         d.inverse);
}

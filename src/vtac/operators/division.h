/* Averages on a machine that multiplies and shifts: how a sum is divided by the number of its elements, and the check
 * that the quotient is right for every sum that there can be (docs/operators.md, "How averages are divided"). */
#ifndef VT_OPS_DIVISION_H
#define VT_OPS_DIVISION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "vta/status.h"

typedef enum vt_division_way {
    VT_DIVIDE_SHIFT, /* (sum + half) >> bits: a power of two */
    VT_DIVIDE_ONCE,  /* ((2 sum + half) * factor) >> bits; GEMM doubles the sum */
    VT_DIVIDE_TWICE, /* an estimate of the quotient, and the same for what it leaves */
} vt_division_way;

/* VT_DIVIDE_TWICE, with u = sum + half:
 *     guess = (((u >> before) * factor) >> (bits - before)) - below
 *     result = guess + (((u - guess * count) * factor) >> bits) */
typedef struct vt_division {
    vt_division_way way;
    int bits, before, below;
    bool tables; /* counts differ: what is added and multiplied is not a constant */
} vt_division;

int64_t vt__division_half(const vt_division *d, int64_t count);
int64_t vt__division_factor(const vt_division *d, int64_t count);

/* The numbers of elements that there are under a window: n of them, each once. `constants`: there is one, and what it
 * is multiplied by must fit an instruction. */
typedef struct vt_division_counts {
    const int64_t *of;
    uint32_t n;
    bool constants;
} vt_division_counts;

/* The cheapest way whose result is floor((2 sum + count) / (2 count)) for every sum of `count` integers of `width`
 * bits, and whose intermediate values fit 32 bits: compared with plain division at both ends of every step of the
 * quotient. False where there is none; *out_error is then by how much the average would be off at most, taken once (-1:
 * it would wrap). Widths of 1 to 16. */
bool vt__division_choose(vt_division_counts counts, unsigned width, vt_division *out, int64_t *out_error);

#endif

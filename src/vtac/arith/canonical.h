/* The canonical form of index arithmetic: sums of scaled pieces of indices. */
#ifndef VT_ARITH_CANONICAL_H
#define VT_ARITH_CANONICAL_H

#include "arith/priv.h"

/* ((index mod upper) div lower) * scale, with div and mod of one mode. upper VT_POS_INF: no mod. lower divides upper.
 */
typedef struct vt__split {
    const vt_expr *index;
    int64_t lower, upper, scale;
    bool floor; /* division rounds down, else truncates; without mod and div both modes are one */
} vt__split;

/* sum of args + base. Pieces of one index stand together, larger lower first. */
typedef struct vt__sum {
    vt_dtype type;
    uint32_t n, cap;
    vt__split *args;
    int64_t base;
} vt__sum;

/* What canonicalization makes of an expression, before it is written down again. */
typedef struct vt__canon {
    enum { VT__CANON_EXPR, VT__CANON_SPLIT, VT__CANON_SUM } form;
    const vt_expr *e;
    vt__split split;
    vt__sum *sum;
} vt__canon;

const vt_expr *vt__split_write(vt_ctx *ctx, vt__split s, int64_t scale);
const vt_expr *vt__sum_write(vt_ctx *ctx, const vt__sum *s);
const vt_expr *vt__canon_write(vt_ctx *ctx, const vt__canon *c);
vt__split vt__split_of(vt_ctx *ctx, const vt__canon *c);
vt__split vt__split_of_expr(const vt_expr *e);
vt__sum *vt__sum_copy(vt_ctx *ctx, const vt__sum *s);
/* The value as a sum, which may be changed: the value's own where it is one. */
vt__sum *vt__sum_of(vt_ctx *ctx, vt__canon c);
void vt__sum_add_split(vt_ctx *ctx, vt__sum *s, vt__split other, int64_t scale);
void vt__sum_add(vt_ctx *ctx, vt__sum *s, const vt__canon *c, int64_t scale);
void vt__sum_scale(vt__sum *s, int64_t scale);
/* Takes apart what `coeff` divides and the rest. */
void vt__sum_separate(vt_ctx *ctx, const vt__sum *s, int64_t coeff, vt__sum **out_divisible, vt__sum **out_rest);
void vt__sum_divide(vt__sum *s, int64_t by);
/* The split as one whose mode is `floor`. */
vt__split vt__split_in_mode(vt_ctx *ctx, vt__split s, bool floor);
vt__canon vt__canon_sum(vt__sum *s);
vt__canon vt__canon_split(vt__split s);
vt__canon vt__canon_expr(const vt_expr *e);

#endif

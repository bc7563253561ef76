/* What an operator means: plain loops over images, rows, columns and channels, straight from docs/operators.md. Nothing
 * here knows of kernel files, schedules or tensor expressions, so that all of these can be judged by it.
 *
 * Elements are words of an algebra: integers, or values that stand for all inputs at once (vta/field.h). */
#ifndef VT_OPS_DEFINITION_H
#define VT_OPS_DEFINITION_H

#include "operators/ops.h"

/* An int64_t, or a vta_value. */
typedef uint64_t vt_word;

/* What is computed with words; integers of accumulators, of 32 bits, wrap. */
typedef struct vt_algebra {
    void *ctx;
    bool integers; /* words are integers, and not values that stand for all of them */
    vt_word (*number)(void *ctx, int64_t number);
    vt_word (*apply)(void *ctx, vta_field_op op, vt_word a, vt_word b);
    /* As vta_field_products, with steps of 1. */
    vt_word (*products)(void *ctx, size_t rows, const int64_t ai[], const int64_t bi[], const vt_word a[],
                        const vt_word b[], int64_t n);
    /* floor((2 sum + count) / (2 count)), where `sums` is the sum of elements times `times`. */
    vt_word (*average)(void *ctx, vt_word sums, int64_t count);
    int64_t (*times)(void *ctx);
    /* floor((x + 2^(bits - 1)) / 2^bits); `fits`: x + 2^(bits - 1) is no more than 32 bits hold. */
    vt_word (*round_shift)(void *ctx, vt_word x, int bits, bool fits);
    /* values[x + 128] of 256, x from -128 to 127. */
    vt_word (*look_up)(void *ctx, const vt_word values[], vt_word x);
    /* The low bits of the output type. */
    vt_word (*result)(void *ctx, vt_word x);
} vt_algebra;

typedef enum vt_role {
    VT_ROLE_INPUT, /* `index` of them: data; a and b; x0 to x7 */
    VT_ROLE_WEIGHT,
    VT_ROLE_BIAS,
    VT_ROLE_RESIDUAL,
    VT_ROLE_FACTOR,
    VT_ROLE_AMOUNT,
    VT_ROLE_DIGITS,
    VT_ROLE_ADDEND,
    VT_ROLE_TABLE,
    VT_ROLE_RESULT,
    VT_ROLES
} vt_role;

/* An argument as a plain tensor [m, n, h, w, c], channels next to each other, and where its elements lie in tiles.
 * Weights have outputs as n and inputs as c; what belongs to channels has a row for each image of a tile as n; digits
 * have channels as n, tiles as h and lanes as c. m: of matrices in a batch. */
typedef struct vt_plain {
    vt_role role;
    uint32_t index;
    int64_t m, n, h, w, c;
    size_t count, tiled; /* elements: plain, and in tiles */
    unsigned bits;       /* of an element */
    int64_t most;        /* what limits its magnitude besides its type; 0: nothing */
    bool zeros;          /* what is in tiles alone (map: -1) must be zeros */
    vt_word *values;
    int64_t *map; /* for each element in tiles the plain one, or -1 */
} vt_plain;

enum { VT_DEFINITION_ARGS = VT_EPILOGUE_MAX + 10 };

/* The arguments of the scheduled operator, in its order; the result is the last. */
typedef struct vt_definition {
    const vtac_op *op;
    const vta_allocator *allocator;
    uint32_t n;
    vt_plain of[VT_DEFINITION_ARGS];
    const vt_plain *by_role[VT_ROLES][VT_EPILOGUE_MAX + 1];
    int64_t sum_h, sum_w; /* of sums of products, before they are pooled */
} vt_definition;

/* Sizes, values that are not filled in, and maps. Free with vt__definition_close in any case. */
vta_status vt__definition_open(const vtac_op *op, const vta_allocator *allocator, vta_diag *diag, vt_definition *out);
void vt__definition_close(vt_definition *d);
/* The values of the result, from those of the other arguments. */
vta_status vt__definition_evaluate(const vt_definition *d, const vt_algebra *a, vta_diag *diag);
/* In definition_steps.c: x after the epilogue as it was written; `bias_add` and others are steps by themselves. */
vt_word vt__definition_steps(const vt_definition *d, const vt_algebra *a, vt_word x, size_t at);

/* In definition_shares.c: the sums of a row, divided by the sum of its data. */
void vt__definition_divide(const vt_algebra *a, vt_word total, vt_word *sums, int64_t count);
/* In definition_norm.c: row_moments and layer_norm, before the epilogue. */
vta_status vt__definition_norm(const vt_definition *d, const vt_algebra *a, vt_plain *res, vta_diag *diag);

/* Integers. */
extern const vt_algebra vt__definition_integers;
/* In definition_sizes.c: the arguments as plain tensors, and maps. */
vta_status vt__definition_sizes(vt_definition *d, vta_diag *diag);
vta_status vt__definition_maps(vt_definition *d, vta_diag *diag);

static inline const vt_plain *vt__definition_arg(const vt_definition *d, vt_role role, uint32_t index) {
    return d->by_role[role][index];
}

static inline size_t vt__plain_at(const vt_plain *p, int64_t m, int64_t n, int64_t y, int64_t x, int64_t c) {
    return (size_t)((((m * p->n + n) * p->h + y) * p->w + x) * p->c + c);
}

#endif

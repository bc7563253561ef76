/* Normalization of rows (row_moments.c, layer_norm.c): what both need of rows of 16 bits.
 *
 * An element x of such a row is in two tensors, one behind the other: its low byte, and minus the high one, rounded:
 * x = low - 256 * other. So GEMM puts it into an accumulator, by two tiles of weights of -128. */
#ifndef VT_OPS_NORM_H
#define VT_OPS_NORM_H

#include "operators/ops.h"

enum {
    VT_NORM_FEATURES_MAX = 4096,
    VT_NORM_PARTS = 4,    /* bytes of a lane's sum of squares */
    VT_NORM_BITS = 14,    /* of the factor that divides by the number of features */
    VT_NORM_UNITS = 6,    /* tiles of weights */
    VT_NORM_AMOUNT = 9,   /* what the result is shifted by where the inverse root is not */
    VT_NORM_LINE = 17448, /* 2^13 * (2.13 - 1.215 v) is nearest to 2^13 / sqrt(v) from 1/4 to 1, within 9 % */
    VT_NORM_SLOPE = 9953,
    VT_NORM_STEPS = 2, /* of Newton's */
    VT_NORM_ONE_AND_A_HALF = 24576,
};

/* The sum of a row, shifted, times a factor, shifted with halves up, is its mean. */
typedef struct vt_norm_mean {
    int32_t before, factor, behind;
} vt_norm_mean;

vt_norm_mean vt__norm_mean_of(int64_t features);
/* Squares are shifted by so much that their sum has 30 bits, whatever the row. */
int32_t vt__norm_square_shift(int64_t features);

static inline bool vt__is_norm(const vtac_op *op) {
    return op->is->write == vt__write_layer_norm || op->is->write == vt__write_row_moments;
}
vta_status vt__norm_describe(vtac_op *op, int64_t rows, int64_t features, int64_t blocks, vta_diag *diag);
/* What it takes besides a product for each output, as vt__epilogue_use. */
vt_epilogue_use vt__norm_use(const vtac_op *op, int64_t oc, int64_t tile);

/* ---- Kernel files ---- */

/* Rows: their axes; `at`: the axis of res within which tiles are computed. `stages`: their stages are written. */
typedef struct vt_norm_writing {
    const vtac_op *op;
    int64_t blocks; /* of features */
    bool stages;
    const char *at;
    vt_strbuf *out;
} vt_norm_writing;

/* The input, weights, and their copies. */
void vt__norm_write_inputs(const vt_norm_writing *w);
/* A tensor of one tile a row; `form` has elements of `a` and `b` (NULL: none). */
void vt__norm_write_row(const vt_norm_writing *w, const char *name, const char *form, const char *a, const char *b);
/* The same of one tile a block of features; `b` is of rows. */
void vt__norm_write_tile(const vt_norm_writing *w, const char *name, const char *form, const char *a, const char *b);
/* Elements less the mean of their row: "apart"; its operator has no mean: elements. */
void vt__norm_write_apart(const vt_norm_writing *w);
/* The stage res, of tiles of `b`; gives the axis within which one is computed. Then the stages of what is loaded. */
const char *vt__norm_write_tiles(const vt_op_blocks *b, bool columns, vt_strbuf *out);
void vt__norm_write_loads(const vt_norm_writing *w, const vt_op_blocks *b);

#endif

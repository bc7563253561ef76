/* Schedules of tiles that take turns in several places (turns.c). */
#ifndef VT_OPS_TURNS_H
#define VT_OPS_TURNS_H

#include "operators/ops.h"

enum { VT_TURNS_PLACES = 2, VT_TURNS_MAX_PLACES = 3, VT_TURNS_ROWS = 1024 };

/* Places that the operands of steps of the sum take turns in. */
static inline int64_t vt__turns_places(const vt_op_blocks *b) {
    return b->third_place ? VT_TURNS_MAX_PLACES : VT_TURNS_PLACES;
}

/* What the same operator costs in all of them. */
typedef struct vt_turns {
    const vtac_op *op;
    double inp, wgt, acc, out; /* cycles of the bus for an element */
    double passes;             /* of the ALU over each accumulator, with the reset */
    int64_t instructions;      /* that are those passes */
    /* Of the epilogue: accumulators for each of the result beside itself; vectors with an accumulator for each block of
     * channels; elements loaded for each accumulator; constants; digits of a bias for each block of channels. */
    int64_t wide, vectors, addends, ones, units, digits;
    int64_t columns; /* of a padded image row that a tile of whole rows reads, and those that are really there */
    int64_t real_columns, valid_columns, taps;
    bool strided;                 /* only the rows that are used are loaded */
    int64_t valid[VT_TURNS_ROWS]; /* taps of a row of outputs that read the image */
    bool cut;                     /* kernels are cut at the image's borders */
} vt_turns;

void vt__turns_set(const vt_op_cost *cost, vt_turns *out);
/* Rows of the image that rows of outputs read. */
int64_t vt__turns_rows(const vt_turns *t, int64_t y);
double vt__turns_estimate(const vt_turns *t, const vt_op_blocks *b);

/* The best `room` by estimate, best first; how many there were of them. None for what they are not for. */
uint32_t vt__turns_choose(const vt_op_cost *cost, uint32_t room, vt_op_blocks *out, uint64_t *out_considered);
/* As vt_op_space.admit, of a schedule whose tiles take turns. */
const char *vt__turns_admit(const vt_op_cost *cost, vt_op_blocks *b);
/* Are only those rows of the image loaded that the kernel reads? */
bool vt__turns_strided(const vtac_op *op);
/* The schedule of a convolution whose weight_buf has input channels first. */
void vt__turns_write(const vtac_op *op, const vt_op_blocks *b, vt_strbuf *out);

#endif

/* Tensors of the input type on their way into the accumulators: a product with the unit matrix, whose lanes stay where
 * they are.
 *
 * Blocks of inputs and of outputs may have different sizes. A group of lanes is the larger one: so many channels are
 * in_blocks blocks of inputs and out_blocks blocks of outputs, one of which is 1. Tensors have an axis for blocks of a
 * group where there are several; in memory they lie as if it were not there. */
#ifndef VT_OPS_LANES_H
#define VT_OPS_LANES_H

#include "operators/ops.h"

enum { VT_LANES_TEXT = 192 };

/* Pieces of kernel files: of a result of rows x columns, and of a tensor of its channels. */
typedef struct vt_lanes {
    char shape[VT_LANES_TEXT]; /* "1, 4, 56, 56, BATCH, BLOCK_OUT" */
    char axes[VT_LANES_TEXT];  /* "bo: 1, co: 4, i: 56, j: 56, bi: BATCH, ci: BLOCK_OUT" */
    const char *index;         /* "bo, co, i, j, bi, ci" */
    char bias_shape[VT_LANES_TEXT];
    const char *bias_index;
} vt_lanes;

/* Groups of lanes for so many channels: sets oc, in_blocks and out_blocks. Of `wide` tensors, which are loaded into the
 * accumulators as they are, blocks of outputs are the groups. */
void vt__lanes_describe(const vtac_op *op, int64_t channels, bool wide, vt_op_shape *s);
/* VTA_UNSUPPORTED: the host cannot write the unit matrix in this configuration's weights. */
vta_status vt__lanes_check(const vtac_op *op, vta_diag *diag);
vt_lanes vt__lanes_of(const vt_op_shape *s, int64_t rows, int64_t columns);

/* "input NAME: inp_t[…]" of the operator's h x w, or acc_t if it is wide. */
void vt__lanes_input(const vt_op_shape *s, const char *name, vt_strbuf *out);
/* The unit matrix times `factor`, and its copy on the chip: unit_buf. */
void vt__lanes_unit(const vt_op_shape *s, int64_t factor, vt_strbuf *out);
/* "tensor NAME[axes] = sum(FROM_buf[…] * unit_buf[…])" over taps of the reduce axes (" dy, dx," or ""), at a row and a
 * column. */
void vt__lanes_product(const vt_op_shape *s, const char *name, const char *axes, const char *from, const char *taps,
                       const char *row, const char *column, vt_strbuf *out);
/* Stages of unit_buf, of which each virtual thread has its own, of FROM_buf, and of such a product. */
void vt__lanes_unit_stage(const vt_op_blocks *b, vt_strbuf *out);
void vt__lanes_load_stage(const char *from, const char *scope, const char *at, vt_strbuf *out);
void vt__lanes_product_stage(const vt_op_shape *s, const char *name, const char *at, vt_strbuf *out);

#endif

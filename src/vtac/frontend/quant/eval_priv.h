/* What computes a layer: between eval.c and eval_*.c. */
#ifndef VT_QUANT_EVAL_PRIV_H
#define VT_QUANT_EVAL_PRIV_H

#include "frontend/eval/lives.h"
#include "frontend/quant/quant.h"

typedef struct vt__qcall {
    const vt_qlayer *layer;
    const void *in;        /* data of the first input */
    const vt_life *values; /* of all tensors, by index */
    void *out;
    const vta_allocator *allocator;
} vt__qcall;

void vt__run_quantize(const vt__qcall *c);
void vt__run_dequantize(const vt__qcall *c);
vta_status vt__run_conv(const vt__qcall *c, vta_diag *diag);
vta_status vt__run_conv_transpose(const vt__qcall *c, vta_diag *diag);
void vt__run_dense(const vt__qcall *c);
vta_status vt__run_matmul(const vt__qcall *c, vta_diag *diag);
void vt__run_row_max(const vt__qcall *c);
void vt__run_norm(const vt__qcall *c);
/* Sums of a row, divided by the sum of its shares (docs/operators.md, batch_matmul). */
void vt__divide_by_shares(const int8_t *shares, int64_t ins, int32_t *acc, int64_t outs);
void vt__run_max_pool(const vt__qcall *c);
void vt__run_sum_pool(const vt__qcall *c);
void vt__run_map(const vt__qcall *c);
void vt__run_mul(const vt__qcall *c);
void vt__run_move(const vt__qcall *c);
void vt__run_table(const vt__qcall *c);
void vt__run_concat(const vt__qcall *c);
void vt__run_upsample(const vt__qcall *c);

/* Integers on their way: `count` accumulators of channel `channel`, the first of which is element `at` of the output.
 * The steps are done and the results stored. */
void vt__finish(const vt__qcall *c, int32_t *acc, int64_t count, int64_t channel, int64_t at);
void vt__store_integer(const vt_qtensor *t, void *data, int64_t i, int32_t x);

#endif

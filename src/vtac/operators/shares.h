/* batch_matmul with shares: sums divided by the sum of their row of data. Between dense.c and shares.c. */
#ifndef VT_OPS_SHARES_H
#define VT_OPS_SHARES_H

#include "operators/ops.h"

static inline bool vt__has_shares(const vtac_op *op) {
    return op->is->write == vt__write_batch_matmul && op->values[VT_ATTRIBUTE_batch_matmul_shares];
}

/* May the operator have it? */
vta_status vt__shares_check(const vtac_op *op, vta_diag *diag);
/* What it takes besides the products, as vt__epilogue_use. */
vt_epilogue_use vt__shares_use(const vtac_op *op, int64_t oc, int64_t tile);
/* Of the kernel file: the sums of rows, and what comes of them; `data`: the index of again_buf in the sum over kr, rj.
 * Then the tensor "sums", of "products". */
void vt__shares_total(const vtac_op *op, const char *axes, const char *index, const char *data, vt_strbuf *out);
void vt__shares_sums(const char *axes, const char *index, const char *row_index, vt_strbuf *out);
/* Their stages; `batch`: "bb, ". */
void vt__shares_stages(const char *batch, const char *at, vt_strbuf *out);

#endif

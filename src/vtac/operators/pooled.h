/* Convolutions with a maximum over windows behind them, on the sums themselves (pooled.c). */
#ifndef VT_OPS_POOLED_H
#define VT_OPS_POOLED_H

#include "operators/ops.h"

/* Sizes of the pooled result; refuses what cannot be pooled where it is computed. */
vta_status vt__pooled_describe(vtac_op *op, vta_diag *diag);
uint32_t vt__pooled_choose(const vt_op_cost *cost, uint32_t room, vt_op_blocks *out, uint64_t *out_considered);
uint64_t vt__pooled_bound(const vt_op_cost *cost);
vta_status vt__pooled_nothing_fits(const vtac_op *op, vta_diag *diag);
/* Tensors and schedule, behind the inputs. */
void vt__pooled_write(const vtac_op *op, const vt_op_blocks *b, vt_strbuf *out);

#endif

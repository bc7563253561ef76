/* Schedules of tiles that take turns in several places (turns.c). */
#ifndef VT_OPS_TURNS_H
#define VT_OPS_TURNS_H

#include "ops/ops.h"

/* The best `room` by estimate, best first; how many there were of them. None for what they are not for. */
uint32_t vt__turns_choose(const vt_op_cost *cost, uint32_t room, vt_op_blocks *out, uint64_t *out_considered);
/* As vt_op_space.admit, of a schedule whose tiles take turns. */
const char *vt__turns_admit(const vt_op_cost *cost, vt_op_blocks *b);
/* Are only those rows of the image loaded that the kernel reads? */
bool vt__turns_strided(const vtac_op *op);
/* The schedule of a convolution whose weight_buf has input channels first. */
void vt__turns_write(const vtac_op *op, const vt_op_blocks *b, vt_strbuf *out);

#endif

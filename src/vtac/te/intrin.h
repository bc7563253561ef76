/* Intrinsics. */
#ifndef VT_TE_INTRIN_H
#define VT_TE_INTRIN_H

#include "te/nest.h"

struct te_intrin {
    vt_tag tag;
    te_context *c;
    const char *name;
    const vt_operation *op;
    uint32_t n_buffers; /* inputs, then outputs */
    const vt_buffer **buffers;
    te__nest attrs[3]; /* by te_intrin_part */
    te__nest emits[3];
};
te_intrin *te__gemm(te_context *c);
/* A part's statement; NULL when nothing was emitted for it. */
const vt_stmt *te__intrin_part(vt_ctx *ctx, const te_intrin *in, te_intrin_part part);

#endif

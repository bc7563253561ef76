/* The four token queues, counted in program order: what the comments of a disassembly show. */
#ifndef VT_ISA_TOKENS_H
#define VT_ISA_TOKENS_H

#include "vta/isa.h"

/* Tokens in each queue, "l2g" from load to compute and so on (TVM VTA's letters: g is the GEMM core). Below 0
 * where an instruction takes a token that only a later one gives. */
typedef struct vt_token_depths {
    int64_t l2g, g2l, s2g, g2s;
} vt_token_depths;

/* What one instruction takes and gives. */
void vt_tokens_count(vt_token_depths *depths, const vta_insn *insn);

#endif

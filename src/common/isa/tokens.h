/* The four token queues (vta/token.def): who pushes and who pops, and which flags of an instruction do. */
#ifndef VT_ISA_TOKENS_H
#define VT_ISA_TOKENS_H

#include <stdbool.h>

#include "vta/isa.h"

/* In the order of a disassembly's comments. */
typedef struct vt_token_row {
    vta_token_queue queue;
    const char *letters;
} vt_token_row;
extern const vt_token_row vt_token_rows[VTA_TOKEN_QUEUES];

vta_stage vt_token_from(vta_token_queue queue);
vta_stage vt_token_to(vta_token_queue queue);
/* The queue between two stages, which may be one past the first and the last; VTA_TOKEN_QUEUES where there is none. */
vta_token_queue vt_token_between(vta_stage from, vta_stage to);

/* Whether an instruction that `stage` runs pops a token of the queue, or pushes one. */
bool vt_token_popped_by(const vta_insn *insn, vta_stage stage, vta_token_queue queue);
bool vt_token_pushed_by(const vta_insn *insn, vta_stage stage, vta_token_queue queue);

/* Tokens in each queue, counted in program order. Below 0 where an instruction takes a token that only a later one
 * gives. */
typedef struct vt_token_depths {
    int64_t of[VTA_TOKEN_QUEUES];
} vt_token_depths;

/* What one instruction takes and gives. */
void vt_tokens_count(vt_token_depths *depths, const vta_insn *insn);

#endif

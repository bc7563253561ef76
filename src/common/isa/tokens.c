#include "isa/tokens.h"

#include "isa/codec.h"

const vt_token_row vt_token_rows[VTA_TOKEN_QUEUES] = {
#define VTA_TOKEN(from, to, number, name, letters) {VTA_TOKEN_##from##_##to, letters},
#include "vta/token.def"
#undef VTA_TOKEN
};

static const struct {
    uint8_t from, to; /* vta_stage */
    const char *name;
} queues[VTA_TOKEN_QUEUES] = {
#define VTA_TOKEN(from, to, number, name, letters) [number] = {VTA_STAGE_##from, VTA_STAGE_##to, name},
#include "vta/token.def"
#undef VTA_TOKEN
};

const char *vta_token_queue_name(vta_token_queue queue) {
    return (unsigned)queue < VTA_TOKEN_QUEUES ? queues[queue].name : NULL;
}

vta_stage vt_token_from(vta_token_queue queue) { return (vta_stage)queues[queue].from; }
vta_stage vt_token_to(vta_token_queue queue) { return (vta_stage)queues[queue].to; }

vta_token_queue vt_token_between(vta_stage from, vta_stage to) {
    enum { STAGES = VTA_STAGE_STORE + 2 };
    static const uint8_t after[STAGES][STAGES] = {
#define VTA_TOKEN(from, to, number, name, letters) [VTA_STAGE_##from][VTA_STAGE_##to] = number + 1,
#include "vta/token.def"
#undef VTA_TOKEN
    };
    uint8_t found = after[from][to];
    return found ? (vta_token_queue)(found - 1) : VTA_TOKEN_QUEUES;
}

bool vt_token_popped_by(const vta_insn *insn, vta_stage stage, vta_token_queue queue) {
    vta_stage from = vt_token_from(queue), to = vt_token_to(queue);
    return stage == to && (from < to ? insn->pop_prev_dep : insn->pop_next_dep);
}

bool vt_token_pushed_by(const vta_insn *insn, vta_stage stage, vta_token_queue queue) {
    vta_stage from = vt_token_from(queue), to = vt_token_to(queue);
    return stage == from && (from < to ? insn->push_next_dep : insn->push_prev_dep);
}

void vt_tokens_count(vt_token_depths *depths, const vta_insn *insn) {
    vta_stage stage = (vta_stage)vt_insn_stage(insn);
    for (int q = 0; q < VTA_TOKEN_QUEUES; q++) {
        depths->of[q] -= vt_token_popped_by(insn, stage, (vta_token_queue)q);
        depths->of[q] += vt_token_pushed_by(insn, stage, (vta_token_queue)q);
    }
}

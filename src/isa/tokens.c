#include "isa/tokens.h"

#include "isa/codec.h"

void vt_tokens_count(vt_token_depths *d, const vta_insn *insn) {
    switch (vt_insn_stage(insn)) {
    case VTA_STAGE_LOAD:
        d->g2l -= insn->pop_next_dep;
        d->l2g += insn->push_next_dep;
        break;
    case VTA_STAGE_COMPUTE:
        d->l2g -= insn->pop_prev_dep;
        d->s2g -= insn->pop_next_dep;
        d->g2l += insn->push_prev_dep;
        d->g2s += insn->push_next_dep;
        break;
    case VTA_STAGE_STORE:
        d->g2s -= insn->pop_prev_dep;
        d->s2g += insn->push_prev_dep;
        break;
    default: break;
    }
}

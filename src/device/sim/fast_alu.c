/* ALU and STORE of the fast engine: micro-ops whose elements follow one another become one long row of lanes. The rows
 * are walked from the first lane to the last, as the micro-ops are, so it does not matter whether they overlap. */
#include "config/config_priv.h"
#include "device/core/reference.h"
#include "device/sim/fast.h"

static void lanes(vt_machine *m, vta_alu_opcode opcode, bool use_imm, int32_t imm, uint32_t dst, uint32_t src,
                  uint32_t elements) {
    const vt_fast *f = m->engine_state;
    int32_t *to = m->acc + (size_t)dst * m->acc_lanes;
    if (use_imm)
        f->cpu->alu_imm(opcode, to, imm, (size_t)elements * m->acc_lanes);
    else
        f->cpu->alu(opcode, to, m->acc + (size_t)src * m->acc_lanes, (size_t)elements * m->acc_lanes);
}

void vt__fast_alu(vt_machine *m, const vt_loops *l, vta_alu_opcode opcode, bool use_imm, int32_t imm) {
    uint32_t dst = 0, src = 0, count = 0;
    for (uint32_t y = 0; y < l->iter_out; y++)
        for (uint32_t x = 0; x < l->iter_in; x++) {
            uint32_t d0 = l->dst0 + y * l->dst_factor_out + x * l->dst_factor_in;
            uint32_t s0 = l->src0 + y * l->src_factor_out + x * l->src_factor_in;
            for (uint32_t u = 0; u < l->uop_count; u++) {
                uint32_t d = d0 + l->uops[u].dst, s = s0 + l->uops[u].src;
                if (count && d == dst + count && (use_imm || s == src + count)) {
                    count++;
                    continue;
                }
                if (count) lanes(m, opcode, use_imm, imm, dst, src, count);
                dst = d;
                src = s;
                count = 1;
            }
        }
    if (count) lanes(m, opcode, use_imm, imm, dst, src, count);
}

void vt__fast_narrow(vt_machine *machine, const int32_t *from, size_t count, uint8_t *to) {
    const vt_fast *f = machine->engine_state;
    if (machine->config->width[VTA_MEM_OUT] == 8)
        f->cpu->narrow8(from, count, to);
    else
        vt__reference_narrow(machine, from, count, to);
}

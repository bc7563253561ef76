/* ALU: acc[dst] = op(acc[dst], use_imm ? imm : acc[src]), lane by lane, one micro-op after another. */
#include "device/core/alu.h"

#include "device/core/reference.h"

void vt__reference_alu(vt_machine *m, const vt_loops *l, vta_alu_opcode opcode, bool use_imm, int32_t imm) {
    const int8_t *table = vt_table_of(m, opcode, imm);
    for (uint32_t y = 0; y < l->iter_out; y++)
        for (uint32_t x = 0; x < l->iter_in; x++)
            for (uint32_t u = 0; u < l->uop_count; u++) {
                uint32_t dst = l->dst0 + l->uops[u].dst + y * l->dst_factor_out + x * l->dst_factor_in;
                uint32_t src = l->src0 + l->uops[u].src + y * l->src_factor_out + x * l->src_factor_in;
                int32_t *to = m->acc + (size_t)dst * m->acc_lanes;
                const int32_t *from = use_imm ? NULL : m->acc + (size_t)src * m->acc_lanes;
                for (uint32_t i = 0; i < m->acc_lanes; i++)
                    to[i] = vt_alu_lane(opcode, to[i], use_imm ? imm : from[i], table);
            }
}

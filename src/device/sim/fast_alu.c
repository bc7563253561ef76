/* ALU, reset and STORE of the fast engine: micro-ops whose elements follow one another become one long row of lanes.
 * The rows are walked from the first lane to the last, as the micro-ops are, so it does not matter whether they
 * overlap. */
#include <string.h>

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

/* Elements in a row that are waiting to be worked on together. */
typedef struct row {
    vt_machine *machine;
    vta_alu_opcode opcode;
    bool use_imm;
    int32_t imm;
    uint32_t dst, src, count;
} row;

static void flush(row *r) {
    if (r->count) lanes(r->machine, r->opcode, r->use_imm, r->imm, r->dst, r->src, r->count);
    r->count = 0;
}

static void append(row *r, uint32_t dst, uint32_t src, uint32_t count) {
    if (r->count && dst == r->dst + r->count && (r->use_imm || src == r->src + r->count)) {
        r->count += count;
        return;
    }
    flush(r);
    r->dst = dst;
    r->src = src;
    r->count = count;
}

/* With one micro-op, the inner loop may itself be a row. */
static uint32_t inner_row(const vt_loops *l, bool use_imm) {
    return l->uop_count == 1 && l->dst_factor_in == 1 && (use_imm || l->src_factor_in == 1) ? l->iter_in : 1;
}

void vt__fast_alu(vt_machine *m, const vt_loops *l, vta_alu_opcode opcode, bool use_imm, int32_t imm) {
    row r = {.machine = m, .opcode = opcode, .use_imm = use_imm, .imm = imm};
    uint32_t run = inner_row(l, use_imm);
    for (uint32_t y = 0; y < l->iter_out; y++)
        for (uint32_t x = 0; x < l->iter_in; x += run) {
            uint32_t dst = l->dst0 + y * l->dst_factor_out + x * l->dst_factor_in;
            uint32_t src = l->src0 + y * l->src_factor_out + x * l->src_factor_in;
            for (uint32_t u = 0; u < l->uop_count; u++) append(&r, dst + l->uops[u].dst, src + l->uops[u].src, run);
        }
    flush(&r);
}

void vt__fast_reset(vt_machine *m, const vt_loops *l) {
    uint32_t run = inner_row(l, true), first = 0, count = 0;
    size_t element = m->acc_lanes * sizeof *m->acc;
    for (uint32_t y = 0; y < l->iter_out; y++)
        for (uint32_t x = 0; x < l->iter_in; x += run)
            for (uint32_t u = 0; u < l->uop_count; u++) {
                uint32_t dst = l->dst0 + y * l->dst_factor_out + x * l->dst_factor_in + l->uops[u].dst;
                if (dst != first + count) {
                    memset(m->acc + (size_t)first * m->acc_lanes, 0, count * element);
                    first = dst;
                    count = 0;
                }
                count += run;
            }
    memset(m->acc + (size_t)first * m->acc_lanes, 0, count * element);
}

void vt__fast_narrow(vt_machine *machine, const int32_t *from, size_t count, uint8_t *to) {
    const vt_fast *f = machine->engine_state;
    if (machine->config->width[VTA_MEM_OUT] == 8)
        f->cpu->narrow8(from, count, to);
    else
        vt__reference_narrow(machine, from, count, to);
}

/* What simulators and boards treat differently: legal here, but a program should not rely on it. */
#include <string.h>

#include "base/diag.h"
#include "config/config_priv.h"
#include "device/core/race.h"

/* ORDER WARNING */
static const char *const texts[VT_WARN_COUNT] = {
    [VT_WARN_IMM_SOURCE] = "an immediate operation whose micro-op has a source other than its destination: simulator "
                           "and HLS boards operate on the destination, the Chisel design on the source",
    [VT_WARN_MUL] = "MUL exists in simulators only",
    [VT_WARN_SAME_ACC] = "two micro-ops in a row write the same accumulator element: HLS boards lose the first",
    [VT_WARN_ALU_FORWARD] = "a micro-op reads the accumulator element that the one just before it writes: the Chisel "
                            "design reads the old value",
};

static void warn(vt_checker *c, vt_portability kind, uint32_t index) {
    if (!c->warned[kind]++) c->warned_at[kind] = index;
}

static bool is_board(const vta_config *config) {
    return strcmp(config->target, "sim") != 0 && strcmp(config->target, "tsim") != 0;
}

/* Does a micro-op's destination (or source) meet the destination of the one that runs just before it? Looks at the
 * seams of the inner loop; those of the outer loop follow other rules of address and are left out. */
static bool next_meets(const vta_insn *insn, const vt_machine *m, bool source) {
    uint32_t bgn = insn->u.exec.uop_bgn, last = insn->u.exec.uop_end - 1;
    uint32_t first_index =
        source ? m->uops[bgn].src + insn->u.exec.src_factor_in : m->uops[bgn].dst + insn->u.exec.dst_factor_in;
    for (uint32_t u = bgn; u < last; u++)
        if ((source ? m->uops[u + 1].src : m->uops[u + 1].dst) == m->uops[u].dst) return true;
    return insn->u.exec.iter_in > 1 && first_index == m->uops[last].dst;
}

void vt__check_portability(vt_checker *c, const vt_machine *m, uint32_t index) {
    const vta_insn *insn = &c->stream->insns[index];
    bool alu = insn->opcode == VTA_OP_ALU;
    if (next_meets(insn, m, false)) warn(c, VT_WARN_SAME_ACC, index);
    if (!alu) return;
    if (insn->u.exec.alu_opcode == VTA_ALU_MUL && is_board(c->config)) warn(c, VT_WARN_MUL, index);
    if (!insn->u.exec.use_imm) {
        if (next_meets(insn, m, true)) warn(c, VT_WARN_ALU_FORWARD, index);
        return;
    }
    bool differs = (insn->u.exec.iter_out > 1 && insn->u.exec.dst_factor_out != insn->u.exec.src_factor_out) ||
                   (insn->u.exec.iter_in > 1 && insn->u.exec.dst_factor_in != insn->u.exec.src_factor_in);
    for (uint32_t u = insn->u.exec.uop_bgn; u < insn->u.exec.uop_end && !differs; u++)
        differs = m->uops[u].dst != m->uops[u].src;
    if (differs) warn(c, VT_WARN_IMM_SOURCE, index);
}

void vt__report_portability(const vt_checker *c, vta_diag *diag) {
    char label[24];
    for (int kind = 0; kind < VT_WARN_COUNT; kind++)
        if (c->warned[kind])
            vt_warn_at(diag, VTA_ILLEGAL, VT_NO_POS, "instruction %u (%s), the first of %u: %s", c->warned_at[kind],
                       vt_insn_label(&c->stream->insns[c->warned_at[kind]], label), c->warned[kind], texts[kind]);
}

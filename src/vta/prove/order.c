/* Whether every order that the tokens allow computes the same. The checker of device/core finds accesses to the same
 * memory of which one writes and which no token path orders; where there are none, each instruction reads in every
 * order what it reads in this one, so that one order is all of them. */
#include <stdio.h>

#include "config/config_priv.h"
#include "device/core/race.h"
#include "device/findings.h"
#include "isa/label.h"
#include "prove/prover.h"

/* The first micro-op of an instruction's range that nothing has loaded; uop_end: none. */
static uint32_t first_unloaded(const vt_checker *c, const vta_insn *insn) {
    const uint32_t *written = c->written[VTA_MEM_UOP];
    const uint8_t *left = c->machine->left[VTA_MEM_UOP];
    uint32_t u = insn->u.exec.uop_bgn;
    while (u < insn->u.exec.uop_end && (written[u] || left[u])) u++;
    return u;
}

/* Micro-ops are not values: what nothing has loaded is not seen in results. */
static vta_status check_uops(const vt_checker *c, uint32_t index, const vta_insn *insn, vta_diag *diag) {
    char label[24];
    bool executes = insn->opcode == VTA_OP_GEMM || insn->opcode == VTA_OP_ALU;
    if (!executes || !vt_exec_work(insn)) return VTA_OK;
    uint32_t u = first_unloaded(c, insn);
    if (u >= insn->u.exec.uop_end) return VTA_OK;
    return vt_fail(diag, VTA_ILLEGAL, "instruction %u (%s) executes micro-op %u, which nothing has loaded", index,
                   vt_insn_label(insn, label), u);
}

vta_status vt_prover_order_insn(vt_checker *c, uint32_t index, vta_diag *diag) {
    const vta_insn *insn = &c->stream->insns[index];
    VT_TRY(check_uops(c, index, insn, diag));
    vt_checker_insn(c, index);
    return VTA_OK;
}

/* The worst finding that makes orders differ. Elements that nothing has written are variables: results tell. */
static const vt_finding *worst(const vt_findings *found) {
    const vt_finding *w = NULL;
    for (uint32_t i = 0; i < found->shown_count; i++) {
        const vt_finding *f = &found->shown[i];
        if (f->kind != VT_FINDING_UNWRITTEN && (!w || f->kind < w->kind)) w = f;
    }
    return w;
}

vta_status vt_prover_order_end(const vt_prover *p, vt_checker *c, vta_diag *diag) {
    char text[320], where[32] = "";
    vt_checker_end(c);
    const vt_finding *f = worst(&c->found);
    if (vta_program_run_count(p->program) > 1) snprintf(where, sizeof where, " (run %u)", p->run);
    if (!f) return VTA_OK;
    vt_finding_text(f, text, sizeof text);
    return vt_fail(diag, VTA_RACE, "%s%s", text, where);
}

/* ---- Loads that FINISH does not wait for ------------------------------------------------------------------------- */

enum { LOAD_STAGE, COMPUTE_STAGE };

static void forget(vt_prover *p, const vta_insn *insn) {
    bool is_wgt = insn->u.mem.memory_type == VTA_MEM_WGT;
    size_t scalars = is_wgt ? p->wgt_scalars : p->inp_scalars, first = insn->u.mem.sram_base * scalars;
    vta_value *values = is_wgt ? p->wgt : p->inp;
    uint64_t space = (p->options->stale << 8 | insn->u.mem.memory_type) << 32 | (p->run + 1);
    for (size_t i = first; i < first + vt_exec_work(insn) * scalars; i++)
        values[i] = vta_field_variable(p->field, space, i);
}

/* They may run later than the next run reads what they load. */
void vt_prover_forget_unfinished(vt_prover *p, const vt_stream *s) {
    uint32_t done = s->clocks[s->count - 1].before[LOAD_STAGE];
    for (; done < s->length[LOAD_STAGE]; done++) {
        const vta_insn *load = &s->insns[s->queue[LOAD_STAGE][done]];
        if (load->opcode == VTA_OP_LOAD && load->u.mem.x_size) forget(p, load);
    }
}

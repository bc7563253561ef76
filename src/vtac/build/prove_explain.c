/* A difference between what a kernel computes and what it should: who wrote it, and an input that shows it. */
#include <stdio.h>

#include "base/diag.h"
#include "build/prove_draw.h"

/* "instruction 12 (STORE): STORE ...", and what it comes from where that was recorded. */
static void describe(const vt_proof *p, uint32_t run_index, uint32_t index, char *to, size_t room) {
    vta_program_run_info info;
    vta_insn insn;
    if (vta_program_get_run(p->program, run_index, &info) != VTA_OK || index >= info.insn_count) return;
    if (vta_insn_decode(vta_program_config(p->program), info.insns + (size_t)index * VTA_INSN_BYTES, NULL, &insn) !=
        VTA_OK)
        return;
    const char *note = vta_program_note(p->program, run_index, index);
    const char *what = insn.opcode == VTA_OP_ALU    ? vta_alu_opcode_name((vta_alu_opcode)insn.u.exec.alu_opcode)
                       : insn.opcode == VTA_OP_LOAD ? vta_memory_name((vta_memory)insn.u.mem.memory_type)
                                                    : NULL;
    snprintf(to, room, "%s%s%s%s%s%s", vta_opcode_name((vta_opcode)insn.opcode), what ? " " : "", what ? what : "",
             note && *note ? " of " : "", note && *note ? note : "", "");
}

/* Runs once more and asks who wrote the element; with other stale memory, and sees whether it changes. */
static vta_status explain(const draw *d, const vta_field_options *options, bool *out_stale) {
    const vt_proof *p = d->proof;
    vtac_prove_result *r = p->result;
    vta_value first = d->operands[r->arg].got[r->index];
    vta_field_options again = *options;
    again.stale = options->stale + 1;
    again.watch = r->arg;
    again.watch_index = r->index;
    again.out_writer = &r->writer;
    VT_TRY(vt__prove_run(d, &again));
    *out_stale = !vta_field_same(d->operands[r->arg].got[r->index], first);
    if (r->writer.known) describe(p, r->writer.run, r->writer.store, r->store_text, sizeof r->store_text);
    if (r->writer.has_alu) describe(p, r->writer.run, r->writer.insn, r->insn_text, sizeof r->insn_text);
    return VTA_OK;
}

/* Inputs that cannot be tried are not an error of the proof. */
static vta_status look_for_example(const vt_proof *p) {
    vt_proof quiet = *p;
    quiet.diag = vta_diag_create(p->allocator);
    vta_status status = vt_prove_example(&quiet);
    vta_diag_destroy(quiet.diag);
    return status == VTA_NO_MEMORY || status == VTA_INTERRUPTED ? vt_fail(p->diag, status, "while looking for inputs")
                                                                : VTA_OK;
}

/* In some orders the race is lost; program order is the one it was written for. */
vta_status vt__prove_races(const vt_proof *p, const char *reason) {
    enum { ORDERS = 6, TRIES = 2 };
    vtac_prove_result *r = p->result;
    vt_proof few = *p;
    few.options.tries = p->options.tries < TRIES ? p->options.tries : TRIES;
    for (uint64_t i = 0; i < ORDERS && !r->has_example; i++) {
        r->order = i ? VTA_ORDER_RANDOM : VTA_ORDER_STORE_LATE;
        r->order_seed = i ? p->options.seed + i : 0;
        VT_TRY(look_for_example(&few));
    }
    return vt__prove_decide(p, VTAC_WRONG, reason);
}

vta_status vt__prove_differs(const draw *d, const vta_field_options *options, uint64_t different) {
    const vt_proof *p = d->proof;
    vtac_prove_result *r = p->result;
    bool stale;
    r->different = different;
    r->order = options->order;
    r->order_seed = options->seed;
    VT_TRY(explain(d, options, &stale));
    VT_TRY(look_for_example(p));
    if (r->has_example) return vt__prove_decide(p, VTAC_WRONG, "an input shows it");
    if (stale && !r->writer.known) return vt__prove_decide(p, VTAC_WRONG, "nothing writes the element");
    if (stale) return vt__prove_decide(p, VTAC_WRONG, "the element depends on memory that nothing has written");
    return vt__prove_decide(
        p, VTAC_UNPROVEN,
        "the values differ, but no input was found that shows it: perhaps the kernel uses a law of min, max, "
        "shifts or narrowing that the proof does not know");
}

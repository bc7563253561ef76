/* Force-serial: all tokens rewritten, so that each instruction waits for the one before it in the stream. */
#include <string.h>

#include "runtime/insn_queue.h"

static void clear_tokens(vta_insn *insn) {
    insn->pop_prev_dep = insn->pop_next_dep = insn->push_prev_dep = insn->push_next_dep = 0;
}

/* Load and store have no queue between them: their hand-over goes through compute. */
static bool needs_relay(vta_stage before, vta_stage after) {
    return before != after && before != VTA_STAGE_COMPUTE && after != VTA_STAGE_COMPUTE;
}

static size_t count_relays(const vt_insn_queue *queue) {
    size_t relays = 0;
    for (size_t i = 1; i < queue->count; i++)
        relays +=
            needs_relay((vta_stage)vt_insn_stage(&queue->insns[i - 1]), (vta_stage)vt_insn_stage(&queue->insns[i]));
    return relays;
}

static void relay(vta_insn *to) {
    memset(to, 0, sizeof *to);
    to->opcode = VTA_OP_LOAD;
    to->u.mem.memory_type = VTA_MEM_UOP;
}

/* Opens the gaps from the end on, in place. */
static void insert_relays(vt_insn_queue *queue, size_t relays) {
    size_t to = queue->count + relays;
    queue->count = to;
    for (size_t from = to - relays; from-- > 0;) {
        queue->insns[--to] = queue->insns[from];
        if (from > 0 && needs_relay((vta_stage)vt_insn_stage(&queue->insns[from - 1]),
                                    (vta_stage)vt_insn_stage(&queue->insns[from])))
            relay(&queue->insns[--to]);
    }
}

static void chain(vta_insn *before, vta_insn *after) {
    vta_stage from = (vta_stage)vt_insn_stage(before), to = (vta_stage)vt_insn_stage(after);
    if (from == to) return; /* a stage runs its own instructions in order */
    *(from < to ? &before->push_next_dep : &before->push_prev_dep) = 1;
    *(from < to ? &after->pop_prev_dep : &after->pop_next_dep) = 1;
}

bool vt_queue_finish_serial(vt_insn_queue *queue) {
    int64_t balance[VTA_TOKEN_QUEUES];
    for (int q = 0; q < VTA_TOKEN_QUEUES; q++) balance[q] = vt_queue_balance(queue, (vta_token_queue)q);
    size_t relays = count_relays(queue);
    if (relays) vt_queue_drop_notes(queue); /* their instructions move */
    if (!vt_queue_reserve(queue, relays + VT_FINISH_INSNS)) return false;
    insert_relays(queue, relays);
    /* FINISH carries no tokens, so a no-op of compute waits for the last instruction. */
    vt_queue_noop(queue, VTA_STAGE_COMPUTE, false, false, false, false);
    for (size_t i = 0; i < queue->count; i++) clear_tokens(&queue->insns[i]);
    for (size_t i = 1; i < queue->count; i++) chain(&queue->insns[i - 1], &queue->insns[i]);
    vta_insn *finish = vt_queue_next(queue, VTA_STAGE_COMPUTE);
    finish->opcode = VTA_OP_FINISH;
    finish->pop_prev_dep = finish->pop_next_dep = 0;
    memset(queue->pop_prev, 0, sizeof queue->pop_prev);
    memset(queue->pop_next, 0, sizeof queue->pop_next);
    memcpy(queue->tokens, balance, sizeof queue->tokens); /* what the caller's calls left, not the rewritten tokens */
    return true;
}

#include "runtime/insn_queue.h"

#include <string.h>

void vt_queue_init(vt_insn_queue *queue, const vta_allocator *allocator) {
    *queue = (vt_insn_queue){.allocator = allocator};
}

void vt_queue_drop_notes(vt_insn_queue *queue) {
    while (queue->note_count) vt_strfree(queue->allocator, queue->notes[--queue->note_count].text);
}

void vt_queue_note(vt_insn_queue *queue, const char *text) {
    if (!vt_reserve(queue->allocator, &queue->notes, &queue->note_cap, queue->note_count + 1, sizeof *queue->notes))
        return;
    char *copy = vt_strdup(queue->allocator, text);
    if (copy) queue->notes[queue->note_count++] = (vt_insn_note){queue->count, copy};
}

void vt_queue_clear(vt_insn_queue *queue) {
    vt_queue_drop_notes(queue);
    vt_free(queue->allocator, queue->notes, queue->note_cap * sizeof *queue->notes);
    vt_free(queue->allocator, queue->insns, queue->cap * sizeof *queue->insns);
    vt_queue_init(queue, queue->allocator);
}

static bool *waiting_pop(vt_insn_queue *queue, vta_token_queue q) {
    vta_stage from = vt_token_from(q), to = vt_token_to(q);
    return from < to ? &queue->pop_prev[to] : &queue->pop_next[to];
}

void vt_queue_reset(vt_insn_queue *queue, bool dropped) {
    queue->count = 0;
    vt_queue_drop_notes(queue);
    for (int q = 0; q < VTA_TOKEN_QUEUES; q++) {
        int64_t left = vt_queue_balance(queue, (vta_token_queue)q);
        if (left > 0) queue->carried[q] += (uint64_t)left;
        queue->tokens[q] = 0;
        *waiting_pop(queue, (vta_token_queue)q) = false;
    }
    queue->carried_from_dropped |= dropped;
}

int64_t vt_queue_balance(const vt_insn_queue *queue, vta_token_queue q) {
    return queue->tokens[q] - *waiting_pop((vt_insn_queue *)queue, q);
}

void vt_queue_forget_dropped(vt_insn_queue *queue) {
    if (!queue->carried_from_dropped) return;
    memset(queue->carried, 0, sizeof queue->carried);
    queue->carried_from_dropped = false;
}

bool vt_queue_reserve(vt_insn_queue *queue, size_t more) {
    return vt_reserve(queue->allocator, &queue->insns, &queue->cap, queue->count + more, sizeof *queue->insns);
}

static void count_pops(vt_insn_queue *queue, vta_stage stage, bool prev, bool next) {
    if (prev) queue->tokens[vt_token_between((vta_stage)(stage - 1), stage)]--;
    if (next) queue->tokens[vt_token_between((vta_stage)(stage + 1), stage)]--;
}

vta_insn *vt_queue_next(vt_insn_queue *queue, vta_stage stage) {
    vta_insn *insn = &queue->insns[queue->count++];
    memset(insn, 0, sizeof *insn);
    insn->pop_prev_dep = queue->pop_prev[stage];
    insn->pop_next_dep = queue->pop_next[stage];
    if (insn->pop_prev_dep | insn->pop_next_dep) {
        count_pops(queue, stage, insn->pop_prev_dep, insn->pop_next_dep);
        queue->pop_prev[stage] = queue->pop_next[stage] = false;
    }
    return insn;
}

void vt_queue_noop(vt_insn_queue *queue, vta_stage stage, bool pop_prev, bool pop_next, bool push_prev,
                   bool push_next) {
    vta_insn *insn = &queue->insns[queue->count++];
    memset(insn, 0, sizeof *insn);
    insn->opcode = stage == VTA_STAGE_STORE ? VTA_OP_STORE : VTA_OP_LOAD;
    insn->u.mem.memory_type = stage == VTA_STAGE_LOAD ? VTA_MEM_INP : VTA_MEM_UOP;
    insn->pop_prev_dep = pop_prev;
    insn->pop_next_dep = pop_next;
    insn->push_prev_dep = push_prev;
    insn->push_next_dep = push_next;
    count_pops(queue, stage, pop_prev, pop_next);
}

void vt_queue_flush_pops(vt_insn_queue *queue, vta_stage stage) {
    bool prev = queue->pop_prev[stage], next = queue->pop_next[stage];
    if (!prev && !next) return;
    queue->pop_prev[stage] = queue->pop_next[stage] = false;
    vt_queue_noop(queue, stage, prev, next, false, false);
}

bool vt_queue_has_pops(const vt_insn_queue *queue) {
    for (int s = VTA_STAGE_LOAD; s <= VTA_STAGE_STORE; s++)
        if (queue->pop_prev[s] || queue->pop_next[s]) return true;
    return false;
}

/* A pop of a token that this stream pushes. */
static void wait_for(vt_insn_queue *queue, vta_stage from, vta_stage to) {
    bool *waiting = waiting_pop(queue, vt_token_between(from, to));
    if (*waiting) vt_queue_flush_pops(queue, to);
    *waiting = true;
}

void vt_queue_dep_pop(vt_insn_queue *queue, vta_stage from, vta_stage to) {
    uint64_t *carried = &queue->carried[vt_token_between(from, to)];
    if (*carried)
        --*carried;
    else
        wait_for(queue, from, to);
}

/* The stage whose pushes an instruction can carry. A LOAD that only carries tokens takes no more of them, a STORE
 * does: so TVM's VTA has it, and streams are compared with its streams. */
static vta_stage carries_for(const vta_insn *insn) {
    if (insn->opcode == VTA_OP_LOAD && insn->u.mem.x_size == 0) return (vta_stage)0;
    return (vta_stage)vt_insn_stage(insn);
}

void vt_queue_dep_push(vt_insn_queue *queue, vta_stage from, vta_stage to) {
    vt_queue_flush_pops(queue, from);
    queue->tokens[vt_token_between(from, to)]++;
    vta_insn *last = queue->count ? &queue->insns[queue->count - 1] : NULL;
    if (last && carries_for(last) == from) {
        uint8_t *flag = from < to ? &last->push_next_dep : &last->push_prev_dep;
        if (!*flag) {
            *flag = 1;
            return;
        }
    }
    vt_queue_noop(queue, from, false, false, from > to, from < to);
}

static void add_finish(vt_insn_queue *queue) {
    vta_insn *insn = &queue->insns[queue->count++];
    memset(insn, 0, sizeof *insn);
    insn->opcode = VTA_OP_FINISH;
}

size_t vt_queue_finish_insns(const vt_insn_queue *queue) {
    size_t count = VT_FINISH_INSNS;
    for (int q = 0; q < VTA_TOKEN_QUEUES; q++) {
        int64_t left = vt_queue_balance(queue, (vta_token_queue)q);
        if (left > 0) count += (size_t)left;
    }
    return count;
}

void vt_queue_take_left(vt_insn_queue *queue) {
    for (int q = 0; q < VTA_TOKEN_QUEUES; q++) {
        vta_stage from = vt_token_from((vta_token_queue)q), to = vt_token_to((vta_token_queue)q);
        for (; vt_queue_balance(queue, (vta_token_queue)q) > 0; queue->carried[q]++)
            vt_queue_noop(queue, to, from<to, from> to, false, false);
    }
}

void vt_queue_finish(vt_insn_queue *queue) {
    if (queue->note_count) vt_queue_note(queue, ""); /* what follows ends the stream and belongs to no note */
    vt_queue_dep_push(queue, VTA_STAGE_STORE, VTA_STAGE_COMPUTE);
    vt_queue_dep_push(queue, VTA_STAGE_LOAD, VTA_STAGE_COMPUTE);
    wait_for(queue, VTA_STAGE_STORE, VTA_STAGE_COMPUTE);
    wait_for(queue, VTA_STAGE_LOAD, VTA_STAGE_COMPUTE);
    vt_queue_flush_pops(queue, VTA_STAGE_COMPUTE);
    add_finish(queue);
}

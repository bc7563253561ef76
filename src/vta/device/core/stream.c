#include "device/core/stream.h"

#include "base/diag.h"
#include "config/config_priv.h"

static vta_status allocate(vt_stream *s, uint32_t count, vta_diag *diag) {
    s->cap = count;
    s->insns = vt_alloc_array(s->allocator, count, sizeof *s->insns);
    s->stage = vt_alloc_array(s->allocator, count, sizeof *s->stage);
    s->position = vt_alloc_array(s->allocator, count, sizeof *s->position);
    s->order = vt_alloc_array(s->allocator, count, sizeof *s->order);
    bool ok = s->insns && s->stage && s->position && s->order;
    for (int stage = 0; stage < VT_STAGES; stage++) {
        s->queue[stage] = vt_alloc_array(s->allocator, count, sizeof *s->queue[stage]);
        ok = ok && s->queue[stage];
    }
    return ok ? VTA_OK : vt_no_memory(diag);
}

void vt_stream_clear(vt_stream *stream) {
    const vta_allocator *a = stream->allocator;
    vt_free(a, stream->insns, stream->cap * sizeof *stream->insns);
    vt_free(a, stream->stage, stream->cap * sizeof *stream->stage);
    vt_free(a, stream->position, stream->cap * sizeof *stream->position);
    vt_free(a, stream->order, stream->cap * sizeof *stream->order);
    vt_free(a, stream->clocks, stream->cap * sizeof *stream->clocks);
    for (int stage = 0; stage < VT_STAGES; stage++)
        vt_free(a, stream->queue[stage], stream->cap * sizeof *stream->queue[stage]);
    *stream = (vt_stream){.allocator = a};
}

vta_token_queue vt_token_popped(uint32_t stage, bool next) {
    return vt_token_between((vta_stage)(next ? stage + 2 : stage), (vta_stage)(stage + 1));
}

vta_token_queue vt_token_pushed(uint32_t stage, bool next) {
    return vt_token_between((vta_stage)(stage + 1), (vta_stage)(next ? stage + 2 : stage));
}

bool vt_stream_pops(const vt_stream *s, uint32_t index, vta_token_queue queue) {
    return vt_token_popped_by(&s->insns[index], (vta_stage)(s->stage[index] + 1), queue);
}

bool vt_stream_pushes(const vt_stream *s, uint32_t index, vta_token_queue queue) {
    return vt_token_pushed_by(&s->insns[index], (vta_stage)(s->stage[index] + 1), queue);
}

/* A load that takes a token from the stage before it: there is none. */
static vta_status check_tokens(const vta_insn *insn, uint32_t index, uint32_t stage, vta_diag *diag) {
    const struct {
        bool set, exists;
        const char *name;
    } flags[] = {
        {insn->pop_prev_dep, vt_token_popped(stage, false) != VTA_TOKEN_QUEUES, "pop_prev_dep"},
        {insn->pop_next_dep, vt_token_popped(stage, true) != VTA_TOKEN_QUEUES, "pop_next_dep"},
        {insn->push_prev_dep, vt_token_pushed(stage, false) != VTA_TOKEN_QUEUES, "push_prev_dep"},
        {insn->push_next_dep, vt_token_pushed(stage, true) != VTA_TOKEN_QUEUES, "push_next_dep"},
    };
    char label[24];
    for (int i = 0; i < 4; i++)
        if (flags[i].set && !flags[i].exists)
            return vt_fail(diag, VTA_ILLEGAL, "instruction %u (%s): %s is set, but the %s stage has no such neighbour",
                           index, vt_insn_label(insn, label), flags[i].name, vta_stage_name((vta_stage)(stage + 1)));
    return VTA_OK;
}

static vta_status add(vt_stream *s, const vta_config *config, const uint8_t bytes[VTA_INSN_BYTES], vta_diag *diag) {
    uint32_t index = s->count;
    vta_insn *insn = &s->insns[index];
    vta_status status = vta_insn_decode(config, bytes, diag, insn);
    if (status != VTA_OK) {
        vt_note_at(diag, VT_NO_POS, "it is instruction %u of the stream", index);
        return status;
    }
    uint32_t stage = (uint32_t)vta_insn_stage(insn) - 1;
    char label[24];
    if (stage >= VT_STAGES)
        return vt_fail(diag, VTA_ILLEGAL, "instruction %u (%s): no stage runs this opcode with memory_type %u", index,
                       vt_insn_label(insn, label), insn->u.mem.memory_type);
    if (insn->opcode == VTA_OP_LOAD && insn->u.mem.memory_type == VTA_MEM_TABLE && !config->depth[VTA_MEM_TABLE])
        return vt_no_tables(index, insn, diag);
    if (insn->pop_prev_dep | insn->pop_next_dep | insn->push_prev_dep | insn->push_next_dep)
        VT_TRY(check_tokens(insn, index, stage, diag));
    s->stage[index] = (uint8_t)stage;
    s->position[index] = s->length[stage];
    s->queue[stage][s->length[stage]++] = index;
    s->count++;
    return VTA_OK;
}

static vta_status decode(vt_stream *s, vt_machine *m, uint32_t insn_addr, uint32_t count, vta_diag *diag) {
    VT_TRY(allocate(s, count, diag));
    for (uint32_t i = 0; i < count; i++) {
        uint8_t bytes[VTA_INSN_BYTES];
        vt_dram_read(m->dram, insn_addr + (uint64_t)i * VTA_INSN_BYTES, bytes, VTA_INSN_BYTES);
        VT_TRY(add(s, m->config, bytes, diag));
        if (s->insns[i].opcode == VTA_OP_FINISH) return VTA_OK;
    }
    return vt_fail(diag, VTA_ILLEGAL, "none of the %u instructions is FINISH: the device would never report done",
                   count);
}

vta_status vt_stream_decode(vt_stream *stream, vt_machine *machine, uint32_t insn_addr, uint32_t count,
                            vta_diag *diag) {
    *stream = (vt_stream){.allocator = machine->allocator};
    uint64_t hole;
    if (!vt_dram_mapped(machine->dram, insn_addr, (uint64_t)count * VTA_INSN_BYTES, &hole))
        return vt_fail(diag, VTA_OUT_OF_RANGE, "%u instructions at 0x%08x: 0x%08llx is not mapped", count, insn_addr,
                       (unsigned long long)hole);
    vta_status status = decode(stream, machine, insn_addr, count, diag);
    if (status != VTA_OK) vt_stream_clear(stream);
    return status;
}

/* The event loop of the timing model: always the earliest event of the four units. No unit can change what another
 * one did before that time, and all waiting is found as a difference of times, so no cycle is looked at by itself. */
#include "device/tsim/model.h"

static vta_status init(vt_model *m) {
    vt_port_init(&m->port, m->profile);
    m->finish = VT_NEVER;
    for (int s = 0; s < VT_STAGES; s++) {
        vt_ring *queue = &m->engine[s].queue;
        queue->cap = m->profile->queue_depth;
        queue->items = vt_alloc_array(m->allocator, queue->cap, sizeof(vt_ring_item));
        if (queue->items == NULL) return vt_no_memory(m->diag);
    }
    for (int q = 0; q < VT_TOKEN_COUNT; q++) {
        m->token[q].cap = m->profile->token_limit;
        m->token[q].items = vt_alloc_array(m->allocator, m->token[q].cap, sizeof(vt_ring_item));
        if (m->token[q].items == NULL) return vt_no_memory(m->diag);
    }
    vt__fetch_init(m);
    return VTA_OK;
}

static void clear(vt_model *m) {
    for (int s = 0; s < VT_STAGES; s++)
        vt_free(m->allocator, m->engine[s].queue.items, m->engine[s].queue.cap * sizeof(vt_ring_item));
    for (int q = 0; q < VT_TOKEN_COUNT; q++)
        vt_free(m->allocator, m->token[q].items, m->token[q].cap * sizeof(vt_ring_item));
}

/* Which event goes first among those of one cycle: starts (they take tokens), then commands in the port's order of
 * priority, then ends (they push tokens, which are visible a cycle later). */
static uint32_t rank(const vt_unit_engine *e) {
    if (e->phase == VT_PHASE_READY) return 0;
    return e->phase == VT_PHASE_READING ? 1 + e->rank : 8;
}

static vta_status deadlock(vt_model *m) {
    for (uint32_t s = 0; s < VT_STAGES; s++) {
        const vt_unit_engine *e = &m->engine[s];
        char text[24];
        if (e->queue.count == 0) continue;
        uint32_t index = vt__ring_head(&e->queue)->insn;
        const vta_insn *insn = &m->insns[index];
        vt_token prev = insn->pop_prev_dep ? vt_token_popped(s, false) : VT_TOKEN_COUNT;
        vt_token next = insn->pop_next_dep ? vt_token_popped(s, true) : VT_TOKEN_COUNT;
        vt_token token = prev < VT_TOKEN_COUNT && m->token[prev].count == 0 ? prev : next;
        if (token >= VT_TOKEN_COUNT) continue;
        return vt_fail(m->diag, VTA_DEADLOCK,
                       "instruction %u (%s) waits for ever for a %s token: nothing that can still run pushes one%s",
                       index, vt_insn_label(insn, text), vt_token_name(token),
                       m->timing->lost_tokens ? "; tokens were lost in a full token queue" : "");
    }
    return vt_fail(m->diag, VTA_DEADLOCK, "the stream ends without FINISH");
}

static vta_status loop(vt_model *m) {
    while (m->finish == VT_NEVER) {
        uint64_t now = vt__fetch_next(m), until = VT_NEVER; /* until: the earliest event of the others */
        uint32_t who = VT_STAGES, best = 1;                 /* fetch is the port's first client */
        for (uint32_t s = 0; s < VT_STAGES; s++) {
            uint64_t at = vt__engine_next(m, s);
            if (at == VT_NEVER) continue;
            uint32_t r = rank(&m->engine[s]);
            if (at > now || (at == now && r >= best)) {
                until = at < until ? at : until;
                continue;
            }
            until = now < until ? now : until;
            now = at;
            who = s;
            best = r;
        }
        if (now == VT_NEVER) return deadlock(m);
        if (m->limit && now >= m->limit)
            return vt_fail(m->diag, VTA_TIMEOUT, "FINISH was not reached within %llu cycles",
                           (unsigned long long)m->limit);
        if (who == VT_STAGES)
            vt__fetch_step(m, now);
        else if (m->engine[who].phase == VT_PHASE_READY)
            vt__engine_start(m, who, now);
        else if (m->engine[who].phase == VT_PHASE_READING)
            vt__engine_command(m, who, now, until);
        else
            vt__engine_end(m, who, now);
    }
    return VTA_OK;
}

/* Makes every unit's states sum to the cycles: what a unit was in the middle of counts as busy up to the end. */
static void close_books(vt_model *m) {
    m->timing->cycles = m->finish;
    m->timing->runs = 1;
    m->timing->read_beats = m->port.beats;
    m->timing->read_bursts = m->port.bursts;
    m->timing->fetch_bytes = (uint64_t)m->count * VTA_INSN_BYTES;
    vt__fetch_finish(m);
    for (uint32_t s = 0; s < VT_STAGES; s++) {
        vt_unit_engine *e = &m->engine[s];
        uint64_t *state = m->timing->state[s + 1];
        if (e->phase != VT_PHASE_READY) {
            state[VTA_STATE_busy] += m->finish - e->start;
        } else {
            state[VTA_STATE_idle] += m->finish - e->ready;
        }
    }
}

vta_status vt_timing_run(const vta_config *config, const vta_timing_profile *profile, const vta_insn *insns,
                         const uint8_t *stages, uint32_t count, uint32_t insn_addr, uint64_t limit,
                         const vta_allocator *allocator, vta_diag *diag, vta_timing *out_timing,
                         vta_insn_time *out_times) {
    *out_timing = (vta_timing){0};
    for (uint32_t i = 0; out_times && i < count; i++)
        out_times[i] = (vta_insn_time){.start = VT_NEVER, .token_prev = UINT32_MAX, .token_next = UINT32_MAX};
    vt_model m = {.config = config,
                  .profile = profile,
                  .allocator = allocator,
                  .diag = diag,
                  .insns = insns,
                  .stages = stages,
                  .count = count,
                  .insn_addr = insn_addr,
                  .limit = limit,
                  .timing = out_timing,
                  .times = out_times};
    vta_status status = init(&m);
    if (status == VTA_OK) status = loop(&m);
    if (status == VTA_OK) close_books(&m);
    clear(&m);
    if (status != VTA_OK) *out_timing = (vta_timing){0};
    return status;
}

/* A transfer's tiles must fit its buffer: that bounds the bursts of an instruction, and no machine could run it. */
static vta_status check_size(const vta_config *config, uint32_t index, const vta_insn *insn, vta_diag *diag) {
    if ((insn->opcode != VTA_OP_LOAD && insn->opcode != VTA_OP_STORE) || insn->u.mem.x_size == 0) return VTA_OK;
    uint64_t tiles = (uint64_t)insn->u.mem.y_size * insn->u.mem.x_size;
    if (insn->opcode == VTA_OP_LOAD) tiles += vt_load_padding(insn);
    uint32_t depth = vta_config_depth(config, (vta_memory)insn->u.mem.memory_type);
    if (insn->u.mem.sram_base + tiles <= depth) return VTA_OK;
    return vt_fail(diag, VTA_OUT_OF_RANGE,
                   "instruction %u: %llu elements from on-chip element %u on, and the %s buffer holds %u", index,
                   (unsigned long long)tiles, insn->u.mem.sram_base,
                   vta_memory_name((vta_memory)insn->u.mem.memory_type), depth);
}

vta_status vta_timing_run(const vta_config *config, const vta_timing_profile *profile, const vta_insn *insns,
                          size_t count, uint32_t insn_addr, uint64_t limit, const vta_allocator *allocator,
                          vta_diag *diag, vta_timing *out_timing, vta_insn_time *out_times) {
    if (out_timing) *out_timing = (vta_timing){0};
    if (config == NULL || profile == NULL || insns == NULL || out_timing == NULL || count == 0 ||
        count > UINT32_MAX / 2)
        return vt_fail(diag, VTA_INVALID_ARGUMENT,
                       "vta_timing_run: needs a configuration, a profile, at least one instruction and out_timing");
    uint8_t *stages = vt_alloc(allocator, count);
    if (stages == NULL) return vt_no_memory(diag);
    vta_status status = VTA_OK;
    uint32_t used = 0;
    bool finished = false;
    for (; used < count && !finished && status == VTA_OK; used++) {
        unsigned stage = vta_insn_stage(&insns[used]);
        if (stage == 0)
            status = vt_fail(diag, VTA_ILLEGAL,
                             "instruction %u: no stage runs this combination of opcode and memory type", used);
        if (status == VTA_OK) status = check_size(config, used, &insns[used], diag);
        stages[used] = (uint8_t)(stage - 1);
        finished = insns[used].opcode == VTA_OP_FINISH;
    }
    for (size_t i = used; out_times && i < count; i++)
        out_times[i] = (vta_insn_time){.start = VT_NEVER, .token_prev = UINT32_MAX, .token_next = UINT32_MAX};
    if (status == VTA_OK)
        status = vt_timing_run(config, profile, insns, stages, used, insn_addr, limit, allocator, diag, out_timing,
                               out_times);
    vt_free(allocator, stages, count);
    return status;
}

/* The event loop of the timing model: always the earliest event of the four units. No unit can change what another
 * one did before that time, and all waiting is found as a difference of times, so no cycle is looked at by itself. */
#include "device/tsim/model.h"
#include "device/tsim/pipe.h"

static vta_status init(vt_model *m) {
    vt_port_init(&m->port, m->profile);
    m->finish = VT_NEVER;
    for (int s = 0; s < VT_STAGES; s++) {
        vt_ring *queue = &m->engine[s].queue;
        queue->cap = m->profile->queue_depth;
        queue->items = vt_alloc_array(m->allocator, queue->cap, sizeof(vt_ring_item));
        if (queue->items == NULL) return vt_no_memory(m->diag);
    }
    for (int q = 0; q < VTA_TOKEN_QUEUES; q++) {
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
    for (int q = 0; q < VTA_TOKEN_QUEUES; q++)
        vt_free(m->allocator, m->token[q].items, m->token[q].cap * sizeof(vt_ring_item));
}

/* Which event goes first among those of one cycle: starts (they take tokens), then commands in the port's order of
 * priority, then ends (they push tokens, which are visible a cycle later). */
static uint32_t rank(const vt_unit_engine *e) {
    if (e->phase == VT_PHASE_READY) return 0;
    return e->phase == VT_PHASE_READING ? 1 + e->rank : 8;
}

/* The token queue that stage `s` waits for: one without a token that its next instruction takes, or a full one that the
 * instruction that is done pushes into. VTA_TOKEN_QUEUES: it waits for none. */
static vta_token_queue awaited(const vt_model *m, uint32_t s) {
    const vt_unit_engine *e = &m->engine[s];
    const vta_insn *insn = &m->insns[vt__ring_head(&e->queue)->insn];
    bool done = e->phase == VT_PHASE_BLOCKED;
    for (int next = 0; next < 2; next++) {
        vta_token_queue token = done ? vt_token_pushed(s, next) : vt_token_popped(s, next);
        bool uses = done ? (next ? insn->push_next_dep : insn->push_prev_dep)
                         : (next ? insn->pop_next_dep : insn->pop_prev_dep);
        if (uses && token < VTA_TOKEN_QUEUES && m->token[token].count == (done ? m->token[token].cap : 0)) return token;
    }
    return VTA_TOKEN_QUEUES;
}

static vta_status deadlock(vt_model *m) {
    for (uint32_t s = 0; s < VT_STAGES; s++) {
        const vt_unit_engine *e = &m->engine[s];
        char text[24];
        vta_token_queue token = e->queue.count ? awaited(m, s) : VTA_TOKEN_QUEUES;
        if (token == VTA_TOKEN_QUEUES) continue;
        uint32_t index = vt__ring_head(&e->queue)->insn;
        const char *label = vt_insn_label(&m->insns[index], text), *name = vta_token_queue_name(token);
        if (e->phase == VT_PHASE_BLOCKED)
            return vt_fail(
                m->diag, VTA_DEADLOCK,
                "instruction %u (%s) waits forever for room for a %s token: nothing that can still run takes one",
                index, label, name);
        return vt_fail(m->diag, VTA_DEADLOCK,
                       "instruction %u (%s) waits forever for a %s token: nothing that can still run pushes one%s",
                       index, label, name, m->timing->lost_tokens ? "; tokens were lost in a full token queue" : "");
    }
    return vt_fail(m->diag, VTA_DEADLOCK, "the stream ends without FINISH");
}

/* The run stops in cycle `limit`: what is under way then did not end. */
static vta_status timed_out(vt_model *m) {
    m->finish = m->limit;
    return vt_fail(m->diag, VTA_TIMEOUT, "FINISH was not reached within %llu cycles", (unsigned long long)m->limit);
}

static vta_status loop(vt_model *m) {
    for (;;) {
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
        if (now >= m->finish) return now == VT_NEVER && m->finish == VT_NEVER ? deadlock(m) : VTA_OK;
        if (now >= m->limit) return timed_out(m);
        if (m->interrupt && atomic_load_explicit(m->interrupt, memory_order_relaxed))
            return vt_fail(m->diag, VTA_INTERRUPTED, "interrupted in cycle %llu", (unsigned long long)now);
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
static void finish_sums(vt_model *m) {
    m->timing->cycles = m->finish;
    m->timing->runs = 1;
    m->timing->read_beats = m->port.beats;
    m->timing->read_bursts = m->port.bursts;
    m->timing->fetch_bytes = (uint64_t)m->count * VTA_INSN_BYTES;
    if (m->profile->overlapped) return; /* counted as they went */
    vt__fetch_finish(m);
    for (uint32_t s = 0; s < VT_STAGES; s++) {
        vt_unit_engine *e = &m->engine[s];
        uint64_t *state = m->timing->state[s + 1];
        if (e->phase != VT_PHASE_READY) {
            state[VTA_STATE_BUSY] += m->finish - e->start;
        } else {
            state[VTA_STATE_IDLE] += m->finish - e->ready;
        }
    }
}

static void name_none(vta_insn_time *times, size_t count) {
    for (size_t i = 0; times && i < count; i++)
        times[i] = (vta_insn_time){.start = VT_NEVER, .token_prev = UINT32_MAX, .token_next = UINT32_MAX};
}

vta_status vt_timing_run(const vt_timing_job *job, vta_diag *diag, vta_timing *out_timing, vta_insn_time *out_times,
                         uint32_t out_done[VT_STAGES]) {
    *out_timing = (vta_timing){0};
    name_none(out_times, job->count);
    vt_model m = {.config = job->config,
                  .profile = job->profile,
                  .allocator = job->allocator,
                  .diag = diag,
                  .insns = job->insns,
                  .stages = job->stages,
                  .count = job->count,
                  .insn_addr = job->insn_addr,
                  .limit = job->limit ? job->limit : VT_NEVER,
                  .interrupt = job->interrupt,
                  .dram = job->dram,
                  .uop_words = job->uop_words,
                  .timing = out_timing,
                  .times = out_times};
    vta_status status = init(&m);
    if (status == VTA_OK) status = m.profile->overlapped ? vt__pipe_run(&m) : loop(&m);
    bool ended = status == VTA_OK || status == VTA_TIMEOUT;
    if (ended) finish_sums(&m);
    clear(&m);
    if (!ended) *out_timing = (vta_timing){0};
    for (int s = 0; out_done && s < VT_STAGES; s++) out_done[s] = m.engine[s].done;
    return status;
}

vta_status vt_timing_check(const vta_config *config, uint32_t index, const vta_insn *insn, vta_diag *diag) {
    if ((insn->opcode != VTA_OP_LOAD && insn->opcode != VTA_OP_STORE) || insn->u.mem.x_size == 0) return VTA_OK;
    uint32_t memory = insn->u.mem.memory_type;
    if (memory >= VTA_MEM_COUNT)
        return vt_fail(diag, VTA_ILLEGAL, "instruction %u: there is no memory_type %u", index, memory);
    uint64_t tiles = (uint64_t)insn->u.mem.y_size * insn->u.mem.x_size;
    if (insn->opcode == VTA_OP_LOAD) tiles += vt_load_padding(insn);
    uint32_t depth = vta_config_depth(config, (vta_memory)memory);
    if (insn->u.mem.sram_base + tiles <= depth) return VTA_OK;
    return vt_fail(diag, VTA_OUT_OF_RANGE,
                   "instruction %u: %llu elements from on-chip element %u on, and the %s buffer holds %u", index,
                   (unsigned long long)tiles, insn->u.mem.sram_base, vta_memory_name((vta_memory)memory), depth);
}

/* The stages of the instructions up to and with FINISH, each of which the model can time. */
static vta_status find_stages(const vta_config *config, const vta_insn *insns, size_t count, vta_diag *diag,
                              uint8_t *stages, uint32_t *out_used) {
    bool finished = false;
    uint32_t used = 0;
    for (; used < count && !finished; used++) {
        unsigned stage = vta_insn_stage(&insns[used]);
        if (stage == 0)
            return vt_fail(diag, VTA_ILLEGAL,
                           "instruction %u: no stage runs this combination of opcode and memory type", used);
        VT_TRY(vt_timing_check(config, used, &insns[used], diag));
        stages[used] = (uint8_t)(stage - 1);
        finished = insns[used].opcode == VTA_OP_FINISH;
    }
    *out_used = used;
    return VTA_OK;
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
    vt_timing_job job = {.config = config,
                         .profile = profile,
                         .insns = insns,
                         .stages = stages,
                         .insn_addr = insn_addr,
                         .limit = limit,
                         .allocator = allocator};
    name_none(out_times, count);
    vta_status status = find_stages(config, insns, count, diag, stages, &job.count);
    if (status == VTA_OK) status = vt_timing_run(&job, diag, out_timing, out_times, NULL);
    if (status != VTA_OK) *out_timing = (vta_timing){0};
    vt_free(allocator, stages, count);
    return status;
}

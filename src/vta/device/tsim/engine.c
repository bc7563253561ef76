/* The three in-order engines. Each runs one instruction at a time: it starts when the instruction is visible in its
 * queue and its tokens are, takes those, and pushes tokens in its last cycle. It keeps its place in the queue up to
 * then: fetch can fill the place in the cycle after. */
#include "config/config_priv.h"
#include "device/tsim/model.h"

vta_insn_kind vt_insn_kind(const vta_insn *insn) {
    switch ((vta_opcode)insn->opcode) {
    case VTA_OP_GEMM: return insn->u.exec.reset_reg ? VTA_KIND_RESET : VTA_KIND_GEMM;
    case VTA_OP_ALU: return insn->u.exec.use_imm ? VTA_KIND_ALU_IMM : VTA_KIND_ALU;
    case VTA_OP_FINISH: return VTA_KIND_FINISH;
    case VTA_OP_STORE: return insn->u.mem.x_size ? VTA_KIND_STORE : VTA_KIND_NOP;
    case VTA_OP_LOAD:
    case VTA_OP_COUNT: break;
    }
    if (insn->u.mem.x_size == 0) return VTA_KIND_NOP;
    switch ((vta_memory)insn->u.mem.memory_type) {
    case VTA_MEM_INP: return VTA_KIND_LOAD_INP;
    case VTA_MEM_WGT: return VTA_KIND_LOAD_WGT;
    case VTA_MEM_UOP: return VTA_KIND_LOAD_UOP;
    case VTA_MEM_ACC:
    case VTA_MEM_ACC_8BIT:
    case VTA_MEM_TABLE: return VTA_KIND_LOAD_ACC; /* the same engine loads them */
    case VTA_MEM_OUT:                             /* nothing loads these: the stream was checked */
    case VTA_MEM_COUNT: break;
    }
    return VTA_KIND_NOP;
}

uint64_t vt_exec_cost(const vta_timing_profile *profile, const vta_insn *insn) {
    uint64_t n = vt_exec_work(insn);
    if (insn->opcode == VTA_OP_GEMM) return n * profile->gemm_step + profile->gemm_fill;
    return n * (insn->u.exec.use_imm ? profile->alu_imm_step : profile->alu_step) + profile->alu_fill;
}

static vt_ring *popped(vt_model *m, uint32_t stage, const vta_insn *insn, bool next) {
    if (!(next ? insn->pop_next_dep : insn->pop_prev_dep)) return NULL;
    vta_token_queue token = vt_token_popped(stage, next);
    return token < VTA_TOKEN_QUEUES ? &m->token[token] : NULL;
}

static vt_ring *pushed(vt_model *m, uint32_t stage, const vta_insn *insn, bool next) {
    if (!(next ? insn->push_next_dep : insn->push_prev_dep)) return NULL;
    vta_token_queue token = vt_token_pushed(stage, next);
    return token < VTA_TOKEN_QUEUES ? &m->token[token] : NULL;
}

/* When the head of the queue can start; VT_NEVER while it, or a token of its, is missing. */
static uint64_t start_time(vt_model *m, uint32_t stage) {
    const vt_unit_engine *e = &m->engine[stage];
    if (e->queue.count == 0) return VT_NEVER;
    const vt_ring_item *head = vt__ring_head(&e->queue);
    uint64_t when = e->ready > head->visible ? e->ready : head->visible;
    for (int next = 0; next < 2; next++) {
        const vt_ring *token = popped(m, stage, &m->insns[head->insn], next);
        if (token == NULL) continue;
        if (token->count == 0) return VT_NEVER;
        uint64_t visible = vt__ring_head(token)->visible;
        if (visible > when) when = visible;
    }
    return when;
}

/* The time of the engine's next event. It is looked up after every event of anybody, and commands of different units
 * hold each other up at the port's gate. */
uint64_t vt__engine_next(const vt_model *m, uint32_t stage) {
    const vt_unit_engine *e = &m->engine[stage];
    switch (e->phase) {
    case VT_PHASE_READY: return start_time((vt_model *)m, stage);
    case VT_PHASE_READING: return vt_port_gate(&m->port, e->earliest);
    case VT_PHASE_RUNNING: return e->end - 1;
    case VT_PHASE_BLOCKED: break;
    }
    return VT_NEVER;
}

static uint32_t take(vt_ring *token, uint64_t *when, uint64_t *wait) {
    if (token == NULL) return UINT32_MAX;
    vt_ring_item head = *vt__ring_head(token);
    vt__ring_pop(token);
    if (head.visible > *when) {
        *wait = head.visible - *when;
        *when = head.visible;
    }
    return head.insn;
}

/* A unit that was done but could not push because this queue was full can go on. */
static void unblock(vt_model *m, uint64_t now) {
    for (uint32_t s = 0; s < VT_STAGES; s++)
        if (m->engine[s].phase == VT_PHASE_BLOCKED) {
            m->engine[s].phase = VT_PHASE_RUNNING;
            m->engine[s].blocked += now + 1 - m->engine[s].end;
            m->engine[s].end = now + 1;
        }
}

static void account_wait(vt_model *m, uint32_t stage, uint64_t now) {
    vt_unit_engine *e = &m->engine[stage];
    uint64_t *state = m->timing->state[stage + 1];
    const vt_ring_item *head = vt__ring_head(&e->queue);
    const vta_insn *insn = &m->insns[head->insn];
    uint64_t when = e->ready > head->visible ? e->ready : head->visible;
    state[VTA_STATE_WAIT_FETCH] += when - e->ready;
    e->wait_prev = e->wait_next = 0;
    vt_ring *prev = popped(m, stage, insn, false), *next = popped(m, stage, insn, true);
    e->token_prev = take(prev, &when, &e->wait_prev);
    e->token_next = take(next, &when, &e->wait_next);
    state[VTA_STATE_WAIT_PREV] += e->wait_prev;
    state[VTA_STATE_WAIT_NEXT] += e->wait_next;
    if (m->profile->token_stall && (prev || next)) unblock(m, now);
}

static void begin_load(vt_model *m, vt_unit_engine *e, const vta_insn *insn) {
    vt_bursts_of_load(&e->bursts, m->config, m->profile, insn);
    vt_padding_begin(&e->padding, insn, e->start + 1);
    e->lead = 1 + insn->u.mem.y_pad_0 * !m->profile->pad_serial;
    e->earliest = e->start + e->lead + 1; /* in the slot a cycle before */
    e->last_beat = e->start;
    e->beats_next = vt_bursts_next(&e->bursts);
    static const uint8_t rank[VTA_KIND_COUNT] = {
        [VTA_KIND_LOAD_UOP] = 1, [VTA_KIND_LOAD_INP] = 2, [VTA_KIND_LOAD_WGT] = 3, [VTA_KIND_LOAD_ACC] = 4};
    e->rank = rank[e->kind];
    e->phase = VT_PHASE_READING;
}

/* All data beats are known: adds what padding they did not hide, and the tail. */
static void end_load(vt_model *m, vt_unit_engine *e, const vta_insn *insn) {
    const vta_timing_profile *p = m->profile;
    int narrow = vt_load_narrow(m->config, p, insn);
    uint64_t pads = vt_load_padding(insn), last = e->last_beat;
    if (p->pad_serial) {
        if (narrow) pads *= m->config->elem_bytes[insn->u.mem.memory_type] / (p->bus_bits / 8);
        last += pads;
    } else if (pads) {
        uint64_t padded = vt_padding_end(&e->padding);
        if (padded > last) last = padded;
    }
    uint32_t tail = narrow ? p->load_tail_narrow : p->load_tail_wide;
    e->end = last + tail;
    uint64_t took = e->end - e->start, moved = e->beats + pads + e->lead + tail - 1;
    e->waited = took > moved ? took - moved : 0;
    e->phase = VT_PHASE_RUNNING;
}

void vt__engine_start(vt_model *m, uint32_t stage, uint64_t now) {
    vt_unit_engine *e = &m->engine[stage];
    account_wait(m, stage, now);
    e->start = now;
    e->insn = vt__ring_head(&e->queue)->insn;
    e->arrived = vt__ring_head(&e->queue)->visible;
    const vta_insn *insn = &m->insns[e->insn];
    e->kind = (uint8_t)vt_insn_kind(insn);
    e->beats = 0;
    e->waited = 0;
    e->blocked = 0;
    e->phase = VT_PHASE_RUNNING;
    switch ((vta_insn_kind)e->kind) {
    case VTA_KIND_NOP: e->end = now + m->profile->nop_cost; break;
    case VTA_KIND_FINISH: e->end = now + m->profile->finish_cost; break;
    case VTA_KIND_STORE: e->end = now + vt_store_cost(m->config, m->profile, insn); break;
    case VTA_KIND_LOAD_INP:
    case VTA_KIND_LOAD_WGT:
    case VTA_KIND_LOAD_ACC:
    case VTA_KIND_LOAD_UOP:
        begin_load(m, e, insn);
        if (e->beats_next == 0) end_load(m, e, insn);
        break;
    case VTA_KIND_GEMM:
    case VTA_KIND_RESET:
    case VTA_KIND_ALU:
    case VTA_KIND_ALU_IMM: e->end = now + vt_exec_cost(m->profile, insn); break;
    case VTA_KIND_COUNT: break;
    }
    if (e->phase == VT_PHASE_RUNNING && e->end <= now) e->end = now + 1;
}

/* Sends commands for as long as they go out before `until`, when another unit has something to do: what others want
 * can only be put off by these commands, never come sooner. */
void vt__engine_command(vt_model *m, uint32_t stage, uint64_t now, uint64_t until) {
    vt_unit_engine *e = &m->engine[stage];
    uint64_t first;
    do {
        vt_port_accept(&m->port, now, e->beats_next, &first, &e->last_beat);
        if (vt_padding_left(&e->padding)) vt_padding_data(&e->padding, first, e->last_beat);
        e->beats += e->beats_next;
        e->earliest = now + 2; /* the slot is filled again in the cycle after */
        e->beats_next = vt_bursts_next(&e->bursts);
        now = vt_port_gate(&m->port, e->earliest);
    } while (e->beats_next && now < until);
    if (e->beats_next == 0) end_load(m, e, &m->insns[e->insn]);
}

/* FINISH ends the run in its second cycle like any no-op, a cycle before a successor could start. */
static uint64_t successor(const vta_timing_profile *profile, const vt_unit_engine *e) {
    bool longer = e->kind == VTA_KIND_FINISH && profile->nop_cost > profile->finish_cost;
    return longer ? e->start + profile->nop_cost : e->end;
}

static void record(vt_model *m, uint32_t stage) {
    const vt_unit_engine *e = &m->engine[stage];
    m->times[e->insn] = (vta_insn_time){.ready = e->ready,
                                        .arrived = e->arrived,
                                        .start = e->start,
                                        .end = successor(m->profile, e),
                                        .wait_prev = e->wait_prev,
                                        .wait_next = e->wait_next,
                                        .wait_memory = e->waited,
                                        .beats = (uint32_t)e->beats,
                                        .token_prev = e->token_prev,
                                        .token_next = e->token_next,
                                        .kind = e->kind,
                                        .unit = (uint8_t)(stage + 1)};
}

static void account_work(vt_model *m, uint32_t stage) {
    const vt_unit_engine *e = &m->engine[stage];
    const vta_insn *insn = &m->insns[e->insn];
    vta_timing *t = m->timing;
    uint64_t took = e->end - e->start - e->blocked;
    t->state[stage + 1][VTA_STATE_WAIT_FULL] += e->blocked;
    t->kind_count[e->kind]++;
    t->kind_cycles[e->kind] += took;
    t->state[stage + 1][VTA_STATE_WAIT_MEMORY] += e->waited;
    t->state[stage + 1][VTA_STATE_BUSY] += took - e->waited;
    if (insn->opcode == VTA_OP_LOAD || insn->opcode == VTA_OP_STORE) {
        uint64_t bytes = vt_memory_bytes(m->config, insn);
        t->kind_bytes[e->kind] += bytes;
        if (insn->opcode == VTA_OP_STORE) t->write_bytes += bytes;
    } else if (e->kind == VTA_KIND_GEMM) {
        t->gemm_uops += vt_exec_work(insn);
    } else if (insn->opcode == VTA_OP_ALU) {
        t->alu_uops += vt_exec_work(insn);
    }
}

void vt__engine_end(vt_model *m, uint32_t stage, uint64_t now) {
    vt_unit_engine *e = &m->engine[stage];
    const vta_insn *insn = &m->insns[e->insn];
    vt_ring *push[2] = {pushed(m, stage, insn, false), pushed(m, stage, insn, true)};
    for (int i = 0; i < 2; i++)
        if (m->profile->token_stall && push[i] && push[i]->count == push[i]->cap) {
            e->phase = VT_PHASE_BLOCKED;
            return;
        }
    for (int i = 0; i < 2; i++) {
        if (push[i] == NULL) continue;
        if (push[i]->count == push[i]->cap)
            m->timing->lost_tokens++;
        else
            vt__ring_push(push[i], now + 1, e->insn);
    }
    if (e->queue.count == e->queue.cap) vt__fetch_unblock(m, stage, now);
    vt__ring_pop(&e->queue);
    e->done++;
    account_work(m, stage);
    if (m->times) record(m, stage);
    if (insn->opcode == VTA_OP_FINISH) m->finish = e->end;
    e->ready = e->end;
    e->phase = VT_PHASE_READY;
}

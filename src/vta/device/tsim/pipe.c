#include "device/tsim/pipe.h"

#include <string.h>

#include "config/config_priv.h"
#include "isa/label.h"

static const vt_ring_item *token_of(const vt_pipe *p, uint32_t stage, const vta_insn *insn, bool next, bool *out_pops) {
    *out_pops = next ? insn->pop_next_dep : insn->pop_prev_dep;
    vta_token_queue queue = *out_pops ? vt_token_popped(stage, next) : VTA_TOKEN_QUEUES;
    *out_pops = queue < VTA_TOKEN_QUEUES;
    if (!*out_pops) return NULL;
    const vt_ring *ring = &p->m->token[queue];
    return ring->count && vt__ring_head(ring)->visible <= p->now ? vt__ring_head(ring) : NULL;
}

bool vt__pipe_tokens(const vt_pipe *p, uint32_t stage) {
    const vta_insn *insn = vt__pipe_head(p, stage);
    for (int next = 0; next < 2; next++) {
        bool pops;
        if (!token_of(p, stage, insn, next, &pops) && pops) return false;
    }
    return true;
}

/* The waits are told when the instruction ends: up to then they are the cycles in which the tokens came. */
static void note_token(vt_pipe *p, uint32_t index, bool next, vt_ring_item token) {
    vta_insn_time *t = p->m->times ? &p->m->times[index] : NULL;
    if (!t) return;
    *(next ? &t->token_next : &t->token_prev) = token.insn;
    *(next ? &t->wait_next : &t->wait_prev) = token.visible;
}

void vt__pipe_take(vt_pipe *p, uint32_t stage) {
    vt_pipe_queue *q = &p->queue[stage];
    const vta_insn *insn = &p->m->insns[q->insn];
    for (int next = 0; next < 2; next++) {
        bool pops;
        const vt_ring_item *token = token_of(p, stage, insn, next, &pops);
        if (!pops) continue;
        note_token(p, q->insn, next, *token);
        vt__ring_pop(&p->m->token[vt_token_popped(stage, next)]);
    }
    p->taken[q->insn] = p->now;
    p->flying[stage]++;
    q->popped = true;
    p->moved = true;
}

static void push_tokens(vt_pipe *p, uint32_t stage, uint32_t index) {
    const vta_insn *insn = &p->m->insns[index];
    for (int next = 0; next < 2; next++) {
        if (!(next ? insn->push_next_dep : insn->push_prev_dep)) continue;
        vta_token_queue queue = vt_token_pushed(stage, next);
        if (queue == VTA_TOKEN_QUEUES) continue;
        vt_ring *ring = &p->m->token[queue];
        if (ring->count == ring->cap)
            p->m->timing->lost_tokens++;
        else
            vt__ring_push(ring, p->now + 1, index);
    }
}

static uint64_t wait_for(uint64_t token, uint64_t *from) {
    uint64_t wait = token > *from ? token - *from : 0;
    *from += wait;
    return wait;
}

static void record(vt_pipe *p, uint32_t stage, uint32_t index, uint64_t start, uint64_t beats, uint64_t waited) {
    vta_insn_time *t = &p->m->times[index];
    uint64_t ready = p->last[stage], from = t->arrived > ready ? t->arrived : ready;
    bool behind = ready >= p->taken[index]; /* taken while the one before ran */
    t->ready = ready;
    t->start = start;
    t->end = p->now + 1;
    t->wait_prev = behind ? 0 : wait_for(t->wait_prev, &from);
    t->wait_next = behind ? 0 : wait_for(t->wait_next, &from);
    t->wait_memory = waited;
    t->beats = (uint32_t)beats;
    t->kind = (uint8_t)vt_insn_kind(&p->m->insns[index]);
    t->unit = (uint8_t)(stage + 1);
}

static uint64_t beats_of(const vt_pipe *p, const vta_insn *insn) {
    vt_bursts bursts;
    uint64_t beats = 0;
    if (insn->opcode != VTA_OP_LOAD || !insn->u.mem.x_size) return 0;
    vt_bursts_of_load(&bursts, p->m->config, p->m->profile, insn);
    for (uint32_t burst; (burst = vt_bursts_next(&bursts)) != 0;) beats += burst;
    return beats;
}

static void account(vt_pipe *p, uint32_t index, uint64_t took) {
    const vta_insn *insn = &p->m->insns[index];
    vta_timing *t = p->m->timing;
    vta_insn_kind kind = vt_insn_kind(insn);
    t->kind_count[kind]++;
    t->kind_cycles[kind] += took;
    if (insn->opcode == VTA_OP_LOAD || insn->opcode == VTA_OP_STORE) {
        uint64_t bytes = vt_memory_bytes(p->m->config, insn);
        t->kind_bytes[kind] += bytes;
        if (insn->opcode == VTA_OP_STORE) t->write_bytes += bytes;
    } else if (kind == VTA_KIND_GEMM) {
        t->gemm_uops += vt_exec_work(insn);
    } else if (insn->opcode == VTA_OP_ALU) {
        t->alu_uops += vt_exec_work(insn);
    }
}

void vt__pipe_retire(vt_pipe *p, uint32_t stage, uint32_t index) {
    const vta_insn *insn = &p->m->insns[index];
    uint64_t taken = p->taken[index], start = taken > p->last[stage] ? taken : p->last[stage];
    if (start > p->now + 1) start = p->now + 1;
    uint64_t took = p->now + 1 - start, beats = beats_of(p, insn), moved = beats + (beats ? vt_load_padding(insn) : 0);
    push_tokens(p, stage, index);
    account(p, index, took);
    if (p->m->times) record(p, stage, index, start, beats, beats && took > moved ? took - moved : 0);
    p->last[stage] = p->now + 1;
    p->flying[stage]--;
    p->m->engine[stage].done++;
    if (insn->opcode == VTA_OP_FINISH) p->m->finish = p->now;
    p->moved = true;
}

/* ---- Queues -------------------------------------------------------------------------------------------------- */

static void fill(vt_pipe *p, vt_pipe_queue *q) {
    bool room = !q->valid || q->popped, there = q->memory->count && vt__ring_head(q->memory)->visible <= p->now;
    if (q->popped) q->valid = false;
    q->popped = false;
    if (!room || !there) return;
    q->insn = vt__ring_head(q->memory)->insn;
    q->valid = true;
    vt__ring_pop(q->memory);
    p->moved = true;
}

/* ---- What the units do, for the sums ------------------------------------------------------------------------- */

static vta_unit_state waiting(const vt_pipe *p, uint32_t stage) {
    const vta_insn *insn = vt__pipe_head(p, stage);
    bool pops;
    if (!insn)
        return p->fetch.next == p->m->count && !p->queue[stage].memory->count ? VTA_STATE_IDLE : VTA_STATE_WAIT_FETCH;
    if (!token_of(p, stage, insn, false, &pops) && pops) return VTA_STATE_WAIT_PREV;
    if (!token_of(p, stage, insn, true, &pops) && pops) return VTA_STATE_WAIT_NEXT;
    return VTA_STATE_BUSY;
}

static vta_unit_state unit_state(const vt_pipe *p, uint32_t stage) {
    if (!p->flying[stage]) return waiting(p, stage);
    if (stage == 2 || (stage == 1 && !p->execute.idle)) return VTA_STATE_BUSY;
    return p->lines[stage] ? VTA_STATE_BUSY : VTA_STATE_WAIT_MEMORY;
}

static vta_unit_state fetch_state(const vt_pipe *p) {
    const vt_pipe_fetch *f = &p->fetch;
    if (f->held) return VTA_STATE_WAIT_FULL;
    if (f->next == p->m->count) return VTA_STATE_IDLE;
    return f->lines ? VTA_STATE_BUSY : f->pending ? VTA_STATE_WAIT_MEMORY : VTA_STATE_BUSY;
}

static void count_cycles(vt_pipe *p, uint64_t cycles) {
    vta_timing *t = p->m->timing;
    t->state[VTA_UNIT_FETCH][fetch_state(p)] += cycles;
    for (uint32_t s = 0; s < VT_STAGES; s++) t->state[s + 1][unit_state(p, s)] += cycles;
}

/* ---- The loop ------------------------------------------------------------------------------------------------ */

static void cycle(vt_pipe *p) {
    p->moved = false;
    p->lines[0] = p->lines[1] = false;
    p->loads[0].before = p->loads[0].count;
    p->loads[1].before = p->loads[1].count;
    vt__pipe_memory(p);
    vt__pipe_store(p);
    vt__pipe_execute(p);
    vt__pipe_reads(p);
    vt__pipe_engines(p);
    vt__pipe_compute(p);
    vt__pipe_load(p);
    vt__pipe_fetch(p);
    for (uint32_t s = 0; s < VT_STAGES; s++) fill(p, &p->queue[s]);
}

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* Cycles up to the one after `until`, which is still to come. */
static uint64_t up_to(const vt_pipe *p, uint64_t until) { return until >= p->now ? until - p->now : VT_NEVER; }

/* After a cycle in which nothing moved but a line and a micro-op: for how many more that is so. */
static uint64_t quiet_cycles(const vt_pipe *p) {
    const vt_pipe_reads *r = &p->reads;
    const vt_pipe_execute *e = &p->execute;
    uint64_t most = VT_NEVER;
    if (r->taken) most = r->read[r->first].beats - r->beat - 1;
    if (!r->serving && r->count) {
        uint64_t ready = r->read[r->first].ready;
        most = least(most, ready > p->now ? ready - p->now : 0);
    }
    if (e->streams)
        most = least(most, e->left - 1);
    else
        most = least(most, least(up_to(p, e->gemm_until), least(up_to(p, e->alu_until), up_to(p, e->write_until))));
    if (e->end_count) most = least(most, e->ends[e->end_first].visible - p->now - 1);
    return most;
}

static void skip(vt_pipe *p, uint64_t cycles) {
    vt_pipe_reads *r = &p->reads;
    if (r->taken) {
        vt_pipe_engine *to = &p->engine[r->read[r->first].client];
        r->beat += (uint32_t)cycles;
        to->left -= cycles;
        to->line = (uint32_t)((to->line + cycles) % to->lines);
    }
    if (p->execute.streams) vt__pipe_pass(p, cycles);
}

static vta_status stuck(const vt_pipe *p) {
    for (uint32_t s = 0; s < VT_STAGES; s++) {
        const vta_insn *insn = vt__pipe_head(p, s);
        char text[24];
        vta_unit_state state = insn ? waiting(p, s) : VTA_STATE_BUSY;
        if (state != VTA_STATE_WAIT_PREV && state != VTA_STATE_WAIT_NEXT) continue;
        vta_token_queue token = vt_token_popped(s, state == VTA_STATE_WAIT_NEXT);
        return vt_fail(p->m->diag, VTA_DEADLOCK,
                       "instruction %u (%s) waits forever for a %s token: nothing that can still run pushes one%s",
                       p->queue[s].insn, vt_insn_label(insn, text), vta_token_queue_name(token),
                       p->m->timing->lost_tokens ? "; tokens were lost in a full token queue" : "");
    }
    return vt_fail(p->m->diag, VTA_DEADLOCK, "the stream ends without FINISH");
}

static vta_status run(vt_pipe *p) {
    vt_model *m = p->m;
    for (count_cycles(p, 1), p->now = 1; p->now < m->limit; p->now++) {
        if (m->interrupt && atomic_load_explicit(m->interrupt, memory_order_relaxed))
            return vt_fail(m->diag, VTA_INTERRUPTED, "interrupted in cycle %llu", (unsigned long long)p->now);
        cycle(p);
        if (m->finish != VT_NEVER) return VTA_OK;
        count_cycles(p, 1);
        if (p->moved) continue;
        uint64_t quiet = quiet_cycles(p);
        if (quiet == VT_NEVER) return stuck(p);
        quiet = least(quiet, m->limit - p->now - 1);
        if (!quiet) continue;
        skip(p, quiet);
        count_cycles(p, quiet);
        p->now += quiet;
    }
    m->finish = m->limit;
    return vt_fail(m->diag, VTA_TIMEOUT, "FINISH was not reached within %llu cycles", (unsigned long long)m->limit);
}

vta_status vt__pipe_run(vt_model *m) {
    vt_pipe *p = vt_alloc_zero(m->allocator, sizeof *p);
    uint64_t *taken = vt_alloc_array(m->allocator, m->count, sizeof *taken);
    vta_status status = p && taken ? VTA_OK : vt_no_memory(m->diag);
    if (status == VTA_OK) {
        p->m = m;
        p->taken = taken;
        p->store.free = VT_PIPE_SLOTS;
        p->execute.stages = (uint32_t)__builtin_ctz(m->config->block_in) + 2;
        for (uint32_t s = 0; s < VT_STAGES; s++) p->queue[s].memory = &m->engine[s].queue;
        vt__pipe_begin_fetch(p);
        status = vt__pipe_begin_uops(p);
        if (status == VTA_OK) status = run(p);
        vt__pipe_end_uops(p);
    }
    vt_free(m->allocator, taken, m->count * sizeof *taken);
    vt_free(m->allocator, p, sizeof *p);
    return status;
}

/* A timing model that shares nothing with the library's: it goes through the run cycle by cycle, with small state
 * machines for fetch, three engines and the memory, written from docs/timing.md alone. Slow and plain. */
#ifndef TESTS_REF_NAIVE_TIMING_H
#define TESTS_REF_NAIVE_TIMING_H

#include <string.h>

#include "vta/timing.h"

enum { NV_FIFO = 4096, NV_CMDS = 1 << 16, NV_FETCH = 3 };

typedef struct nv_request {
    int client; /* engine 0..2, or NV_FETCH */
    uint32_t beats;
    uint64_t ready;
} nv_request;

typedef struct nv_memory {
    nv_request fifo[NV_FIFO]; /* waiting, in order */
    int waiting;
    int client;    /* who is being served, or -1 */
    uint32_t left; /* beats that the server still sends */
    int arrive[2]; /* client whose beat is on its way, by cycle parity; -1 none */
    uint32_t outstanding;
    uint32_t of_burst[2]; /* 1 when the beat on its way is its burst's last */
} nv_memory;

typedef struct nv_engine {
    uint32_t queue[1 << 16]; /* instructions handed over, in order */
    uint32_t head, tail, tail_next;
    int running;
    uint32_t insn;
    uint64_t start, end; /* end: known unless it loads */
    int loading, narrow;
    uint32_t cmd[NV_CMDS], cmds, cmd_at;
    uint64_t cmd_ready;
    uint64_t beats_left, pads_left, quiet; /* quiet: the last cycle in which something moved */
} nv_engine;

typedef struct nv {
    const vta_config *config;
    const vta_timing_profile *p;
    const vta_insn *insns;
    uint32_t count, addr;
    nv_memory mem;
    nv_engine e[3];
    uint32_t token[4], token_next[4]; /* l2g g2l g2s s2g; _next: pushed this cycle */
    uint32_t fetched, batch_end;      /* fetch */
    int draining;
    uint32_t fcmd[NV_CMDS], fcmds, fcmd_at, fbeats;
    uint64_t fwish;
    uint64_t finish;
    uint64_t *starts, *ends;
} nv;

/* Bursts of a row of bytes: line by line, a new burst at each multiple of the longest. */
static inline uint32_t nv_row(const vta_timing_profile *p, uint64_t addr, uint64_t bytes, uint32_t *cmd, uint32_t n) {
    uint64_t bus = p->bus_bits / 8, longest = 1u << p->len_bits;
    int fresh = 1;
    for (uint64_t line = addr / bus; line * bus < addr + bytes; line++) {
        if (fresh || line % longest == 0) cmd[n++] = 0;
        fresh = 0;
        cmd[n - 1]++;
    }
    return n;
}

static inline int nv_pop_token(int stage, int next) {
    static const int t[3][2] = {{-1, 1}, {0, 3}, {2, -1}};
    return t[stage][next];
}
static inline int nv_push_token(int stage, int next) {
    static const int t[3][2] = {{-1, 0}, {1, 2}, {3, -1}};
    return t[stage][next];
}

static inline uint64_t nv_store(const nv *v, const vta_insn *i) {
    uint64_t tile = vta_config_elem_bytes(v->config, VTA_MEM_OUT), bus = v->p->bus_bits / 8, cost = v->p->store_start;
    for (uint32_t y = 0; y < i->u.mem.y_size; y++) {
        uint64_t at = (i->u.mem.dram_base + (uint64_t)y * i->u.mem.x_stride) * tile;
        if (tile > bus) {
            uint64_t most = (1u << v->p->len_bits) / (tile / bus), x = i->u.mem.x_size;
            if (most < 1) most = 1;
            for (uint64_t n; x; x -= n) {
                n = x < most ? x : most;
                cost += n * (tile / bus + 1) + v->p->store_narrow_fill;
            }
        } else {
            uint64_t beats = (at + i->u.mem.x_size * tile - 1) / bus - at / bus + 1;
            for (uint64_t n; beats; beats -= n) {
                n = beats < (1u << v->p->len_bits) ? beats : 1u << v->p->len_bits;
                cost += n + v->p->store_wide_fill;
            }
        }
    }
    return cost;
}

static inline void nv_begin(nv *v, int s, uint64_t t) {
    nv_engine *e = &v->e[s];
    const vta_timing_profile *p = v->p;
    e->insn = e->queue[e->head++];
    e->running = 1;
    e->loading = 0;
    e->start = t;
    const vta_insn *i = &v->insns[e->insn];
    uint64_t cost;
    if (i->opcode == VTA_OP_FINISH) {
        cost = p->finish_cost;
    } else if (i->opcode == VTA_OP_GEMM || i->opcode == VTA_OP_ALU) {
        cost = 0;
        for (uint32_t a = 0; a < i->u.exec.iter_out; a++)
            for (uint32_t b = 0; b < i->u.exec.iter_in; b++)
                for (uint32_t u = i->u.exec.uop_bgn; u < i->u.exec.uop_end; u++)
                    cost += i->opcode == VTA_OP_GEMM ? p->gemm_step : i->u.exec.use_imm ? p->alu_imm_step : p->alu_step;
        cost += i->opcode == VTA_OP_GEMM ? p->gemm_fill : p->alu_fill;
    } else if (i->u.mem.x_size == 0) {
        cost = p->nop_cost;
    } else if (i->opcode == VTA_OP_STORE) {
        cost = nv_store(v, i);
    } else {
        uint64_t tile = vta_config_elem_bytes(v->config, (vta_memory)i->u.mem.memory_type);
        e->loading = 1;
        e->narrow = tile > p->bus_bits / 8;
        e->cmds = e->cmd_at = 0;
        e->beats_left = e->pads_left = 0;
        for (uint32_t y = 0; y < i->u.mem.y_size; y++)
            e->cmds = nv_row(p, (i->u.mem.dram_base + (uint64_t)y * i->u.mem.x_stride) * tile, i->u.mem.x_size * tile,
                             e->cmd, e->cmds);
        for (uint32_t c = 0; c < e->cmds; c++) e->beats_left += e->cmd[c];
        uint64_t width = i->u.mem.x_pad_0 + i->u.mem.x_size + i->u.mem.x_pad_1;
        e->pads_left = (i->u.mem.y_pad_0 + i->u.mem.y_pad_1) * width +
                       (uint64_t)i->u.mem.y_size * (i->u.mem.x_pad_0 + i->u.mem.x_pad_1);
        e->cmd_ready = t + 1 + i->u.mem.y_pad_0;
        e->quiet = t;
        return;
    }
    e->end = t + (cost ? cost : 1);
}

/* A data beat reached the engine this cycle, or not. */
static inline void nv_load(nv *v, int s, uint64_t t, int beat) {
    nv_engine *e = &v->e[s];
    if (beat) {
        e->beats_left--;
        e->quiet = t;
    } else if (e->pads_left && t >= e->start + (e->narrow ? 2 : 1)) {
        e->pads_left--;
        e->quiet = t;
    }
    if (e->beats_left == 0 && e->pads_left == 0) {
        e->loading = 0;
        e->end = e->quiet + (e->narrow ? v->p->load_tail_narrow : v->p->load_tail_wide);
    }
}

static inline void nv_finish(nv *v, int s, uint64_t t) {
    nv_engine *e = &v->e[s];
    const vta_insn *i = &v->insns[e->insn];
    int flag[2] = {i->push_prev_dep, i->push_next_dep};
    for (int n = 0; n < 2; n++) {
        int q = flag[n] ? nv_push_token(s, n) : -1;
        if (q >= 0 && v->p->token_stall && v->token[q] + v->token_next[q] >= v->p->token_limit) return;
    }
    for (int n = 0; n < 2; n++) {
        int q = flag[n] ? nv_push_token(s, n) : -1;
        if (q >= 0 && v->token[q] + v->token_next[q] < v->p->token_limit) v->token_next[q]++;
    }
    v->starts[e->insn] = e->start;
    v->ends[e->insn] = t + 1;
    if (i->opcode == VTA_OP_FINISH) v->finish = t + 1;
    e->running = 0;
}

static inline int nv_can_start(nv *v, int s) {
    nv_engine *e = &v->e[s];
    if (e->running || e->head == e->tail) return 0;
    const vta_insn *i = &v->insns[e->queue[e->head]];
    int flag[2] = {i->pop_prev_dep, i->pop_next_dep};
    for (int n = 0; n < 2; n++)
        if (flag[n] && nv_pop_token(s, n) >= 0 && v->token[nv_pop_token(s, n)] == 0) return 0;
    for (int n = 0; n < 2; n++)
        if (flag[n] && nv_pop_token(s, n) >= 0) v->token[nv_pop_token(s, n)]--;
    return 1;
}

/* The server: sends a beat a cycle, and takes the next request in the cycle of the last beat. Returns nothing; a beat
 * sent now reaches its client in the next cycle. */
static inline void nv_serve(nv_memory *m, uint64_t t) {
    m->arrive[(t + 1) & 1] = -1;
    if (m->left) {
        m->arrive[(t + 1) & 1] = m->client;
        m->left--;
        m->of_burst[(t + 1) & 1] = m->left == 0;
    }
    if (m->left == 0 && m->waiting && m->fifo[0].ready <= t) {
        m->client = m->fifo[0].client;
        m->left = m->fifo[0].beats;
        memmove(m->fifo, m->fifo + 1, sizeof m->fifo[0] * (size_t)--m->waiting);
    }
}

static inline int nv_rank(const nv *v, int client) {
    if (client == NV_FETCH) return 0;
    switch (v->insns[v->e[client].insn].u.mem.memory_type) {
    case VTA_MEM_UOP: return 1;
    case VTA_MEM_INP: return 2;
    case VTA_MEM_WGT: return 3;
    default: return 4;
    }
}

static inline int nv_wants(const nv *v, int client, uint64_t t) {
    if (client == NV_FETCH) return v->fetched < v->count && !v->draining && v->fcmd_at < v->fcmds && v->fwish <= t;
    const nv_engine *e = &v->e[client];
    return e->running && e->loading && e->cmd_at < e->cmds && e->cmd_ready <= t;
}

static inline void nv_batch(nv *v, uint64_t wish) {
    uint32_t n = (v->p->bus_bits / 8 << v->p->len_bits) / VTA_INSN_BYTES;
    if (n == 0) n = 1;
    v->batch_end = v->fetched + n < v->count ? v->fetched + n : v->count;
    v->fcmds = nv_row(v->p, v->addr + 16ull * v->fetched, 16ull * (v->batch_end - v->fetched), v->fcmd, 0);
    v->fbeats = 0;
    for (uint32_t c = 0; c < v->fcmds; c++) v->fbeats += v->fcmd[c];
    v->fcmd_at = 0;
    v->draining = 0;
    v->fwish = wish;
}

/* One command a cycle enters the memory's queue, where it is in the next cycle. */
static inline void nv_arbitrate(nv *v, uint64_t t) {
    nv_memory *m = &v->mem;
    int best = -1;
    if (m->outstanding >= (v->p->serial_reads ? 1 : v->p->outstanding)) return;
    for (int c = 0; c <= NV_FETCH; c++)
        if (nv_wants(v, c, t) && (best < 0 || nv_rank(v, c) < nv_rank(v, best))) best = c;
    if (best < 0) return;
    uint32_t beats;
    if (best == NV_FETCH) {
        beats = v->fcmd[v->fcmd_at++];
        v->fwish = t + 1;
    } else {
        nv_engine *e = &v->e[best];
        beats = e->cmd[e->cmd_at++];
        e->cmd_ready = e->cmd_ready + 2 > t + 1 ? e->cmd_ready + 2 : t + 1;
    }
    m->outstanding++;
    /* Enqueued at t + 1, after the server has looked at that cycle's head: see the order of the calls in nv_cycle. */
    m->fifo[m->waiting++] = (nv_request){best, beats, 0};
}

static inline void nv_hand_over(nv *v, uint64_t t, const uint32_t *fill) {
    if (v->fetched == v->count || !v->draining || v->fwish > t) return;
    int s = (int)vta_insn_stage(&v->insns[v->fetched]) - 1;
    nv_engine *e = &v->e[s];
    if (fill[s] >= v->p->queue_depth) return;
    e->queue[e->tail_next++] = v->fetched++;
    v->fwish = t + 1;
    if (v->fetched == v->batch_end && v->fetched < v->count) nv_batch(v, t + v->p->fetch_after);
}

static inline void nv_cycle(nv *v, uint64_t t) {
    nv_memory *m = &v->mem;
    uint32_t fill[3];
    /* What the cycle before made is visible now. */
    for (int q = 0; q < 4; q++) v->token[q] += v->token_next[q], v->token_next[q] = 0;
    for (int s = 0; s < 3; s++) {
        v->e[s].tail = v->e[s].tail_next;
        fill[s] = v->e[s].tail - v->e[s].head;
    }
    int fresh = m->waiting && m->fifo[m->waiting - 1].ready == 0;
    nv_request last = {0};
    if (fresh) last = m->fifo[--m->waiting];
    nv_serve(m, t);
    if (fresh) {
        last.ready = t + v->p->port_overhead - 3 + (m->waiting ? 0 : v->p->delay);
        m->fifo[m->waiting++] = last;
    }
    for (int s = 0; s < 3; s++)
        if (nv_can_start(v, s)) nv_begin(v, s, t);
    int beat = m->arrive[t & 1];
    for (int s = 0; s < 3; s++)
        if (v->e[s].running && v->e[s].loading && t > v->e[s].start) nv_load(v, s, t, beat == s);
    int done = beat >= 0 && m->of_burst[t & 1];
    nv_arbitrate(v, t);
    if (done) m->outstanding--;
    nv_hand_over(v, t, fill);
    if (beat == NV_FETCH && --v->fbeats == 0) {
        v->draining = 1;
        v->fwish = t + 1;
    }
    for (int s = 0; s < 3; s++)
        if (v->e[s].running && !v->e[s].loading && t + 1 >= v->e[s].end) nv_finish(v, s, t);
}

/* Cycles from launch to FINISH; 0 when FINISH is not reached within `limit`. */
static inline uint64_t nv_run(nv *v, uint64_t limit) {
    v->mem.client = v->mem.arrive[0] = v->mem.arrive[1] = -1;
    nv_batch(v, 1);
    for (uint64_t t = 0; t < limit && v->finish == 0; t++) nv_cycle(v, t);
    return v->finish;
}

#endif

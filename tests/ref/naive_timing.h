/* A timing model that shares nothing with the library's: it goes through the run cycle by cycle, with the registers of
 * fetch, three engines, the arbiter and the memory as the hardware has them (docs/timing.md). Slow and plain.
 *
 * In a cycle everything looks at the registers as they were when it began; what it changes is seen in the next one. */
#ifndef TESTS_REF_NAIVE_TIMING_H
#define TESTS_REF_NAIVE_TIMING_H

#include <string.h>

#include "vta/timing.h"

enum { NV_CMDS = 1 << 16, NV_QUEUE = 1 << 16, NV_FIFO = 256, NV_CLIENTS = 5 };
/* The clients of the port in the order of their priority. */
enum { NV_FETCH, NV_UOP, NV_INP, NV_WGT, NV_ACC, NV_NONE };

typedef struct nv_beat {
    int client; /* NV_NONE: no beat */
    int last;   /* of its burst */
} nv_beat;

typedef struct nv_request {
    int client;
    uint32_t beats;
    uint32_t age; /* cycles in the queue */
} nv_request;

typedef enum nv_serial { NV_SERIAL_FREE, NV_SERIAL_BUSY, NV_SERIAL_AFTER } nv_serial;

typedef struct nv_memory {
    uint32_t slot[NV_CLIENTS]; /* beats of the command in each client's slot, 0 when it is empty */
    uint32_t tags;             /* taken */
    nv_serial serial;
    nv_request fifo[NV_FIFO];
    uint32_t waiting;
    uint32_t counter; /* of the delay: runs while the queue is not empty */
    int client;       /* being served */
    uint32_t left;    /* beats of it that did not come to the port yet */
    nv_beat port, at_client;
} nv_memory;

/* Commands that a client has still to put into its slot. */
typedef struct nv_commands {
    uint32_t beats[NV_CMDS];
    uint32_t count, next;
} nv_commands;

typedef enum nv_pad { NV_PAD_DONE, NV_PAD_TILE, NV_PAD_ROW } nv_pad;

typedef struct nv_engine {
    uint32_t queue[NV_QUEUE]; /* instructions handed over, in order; the one that runs stands at head */
    uint32_t head, tail, tail_next;
    int running;
    uint32_t insn;
    uint64_t start, end; /* end: known unless it loads */
    int loading, narrow, client;
    nv_commands commands;
    uint32_t rows_above; /* cycles before the first command */
    uint64_t in_flight;  /* beats asked for that were not written */
    int beat_before;     /* narrow: a beat came in the cycle before and is written in this one */
    uint32_t row, column;
} nv_engine;

typedef enum nv_fetching { NV_FETCH_OVER, NV_FETCH_BEGIN, NV_FETCH_READ, NV_FETCH_DRAIN } nv_fetching;

typedef struct nv_fetch {
    nv_fetching state;
    uint32_t read, buffered; /* instructions read or asked for so far; of those, still in the buffer */
    nv_commands commands;
    uint64_t in_flight;
    int beat_before;
    uint32_t pipe[2], pipe_count; /* wide buses: between the buffer and the queues */
} nv_fetch;

typedef struct nv {
    const vta_config *config;
    const vta_timing_profile *p;
    const vta_insn *insns;
    uint32_t count, addr;
    nv_memory mem;
    nv_engine e[3];
    nv_fetch f;
    uint32_t token[4], token_next[4]; /* l2g g2l g2s s2g; _next: pushed this cycle */
    uint64_t finish;
    uint64_t *starts, *ends;
} nv;

/* Commands for the bytes of a row: line by line, a new one at each multiple of the longest burst. */
static inline void nv_row(const vta_timing_profile *p, uint64_t addr, uint64_t bytes, nv_commands *c) {
    uint64_t bus = p->bus_bits / 8, longest = 1u << p->len_bits;
    int fresh = 1;
    for (uint64_t line = addr / bus; line * bus < addr + bytes; line++) {
        if (fresh || line % longest == 0) c->beats[c->count++] = 0;
        fresh = 0;
        c->beats[c->count - 1]++;
    }
}

static inline int nv_pop_token(int stage, int next) {
    static const int t[3][2] = {{-1, 1}, {0, 3}, {2, -1}};
    return t[stage][next];
}
static inline int nv_push_token(int stage, int next) {
    static const int t[3][2] = {{-1, 0}, {1, 2}, {3, -1}};
    return t[stage][next];
}

/* Tile by tile (narrow) or line by line (wide) over the bus. */
static inline uint64_t nv_store(const nv *v, const vta_insn *i) {
    uint64_t tile = vta_config_elem_bytes(v->config, VTA_MEM_OUT), bus = v->p->bus_bits / 8, cost = v->p->store_start;
    uint64_t boundary = bus << v->p->len_bits;
    for (uint32_t y = 0; y < i->u.mem.y_size; y++) {
        uint64_t at = (i->u.mem.dram_base + (uint64_t)y * i->u.mem.x_stride) * tile, end = at + i->u.mem.x_size * tile;
        if (tile > bus) {
            for (uint64_t a = at; a < end; a += tile)
                cost +=
                    tile / bus + 1 + (a == at || a % boundary == 0 || tile > boundary ? v->p->store_narrow_fill : 0);
        } else {
            for (uint64_t line = at / bus; line * bus < end; line++)
                cost += 1 + (line == at / bus || line * bus % boundary == 0 ? v->p->store_wide_fill : 0);
        }
    }
    return cost;
}

/* ---- Padding: a walk over the rows and columns of what the load writes ------------------------------------- */

/* At a tile of padding, at a row of data that is only passed, or at the end. Data in between are stepped over. */
static inline nv_pad nv_pad_at(nv_engine *e, const vta_insn *i) {
    uint32_t width = i->u.mem.x_pad_0 + i->u.mem.x_size + i->u.mem.x_pad_1;
    uint32_t below = i->u.mem.y_pad_0 + i->u.mem.y_size, height = below + i->u.mem.y_pad_1;
    int sides = i->u.mem.x_pad_0 || i->u.mem.x_pad_1;
    for (;;) {
        if (e->row >= height) return NV_PAD_DONE;
        int data_row = e->row >= i->u.mem.y_pad_0 && e->row < below;
        if (!data_row) return NV_PAD_TILE;
        if (!sides) return i->u.mem.y_pad_1 ? NV_PAD_ROW : NV_PAD_DONE;
        if (e->column >= i->u.mem.x_pad_0 && e->column < i->u.mem.x_pad_0 + i->u.mem.x_size)
            e->column += i->u.mem.x_size;
        if (e->column < width) return NV_PAD_TILE;
        e->row++;
        e->column = 0;
    }
}

static inline void nv_pad_step(nv_engine *e, const vta_insn *i, int can_write) {
    uint32_t width = i->u.mem.x_pad_0 + i->u.mem.x_size + i->u.mem.x_pad_1;
    nv_pad at = nv_pad_at(e, i);
    if (at == NV_PAD_ROW || (at == NV_PAD_TILE && can_write && ++e->column == width)) {
        e->row++;
        e->column = 0;
    }
}

/* ---- Engines ------------------------------------------------------------------------------------------------ */

static inline void nv_begin_load(nv *v, nv_engine *e, const vta_insn *i) {
    static const int clients[] = {[VTA_MEM_UOP] = NV_UOP,
                                  [VTA_MEM_WGT] = NV_WGT,
                                  [VTA_MEM_INP] = NV_INP,
                                  [VTA_MEM_ACC] = NV_ACC,
                                  [VTA_MEM_ACC_8BIT] = NV_ACC};
    uint64_t tile = vta_config_elem_bytes(v->config, (vta_memory)i->u.mem.memory_type);
    e->loading = 1;
    e->client = clients[i->u.mem.memory_type];
    e->narrow = tile > v->p->bus_bits / 8;
    e->commands.count = e->commands.next = 0;
    e->in_flight = 0;
    e->beat_before = 0;
    e->row = e->column = 0;
    e->rows_above = i->u.mem.y_pad_0;
    for (uint32_t y = 0; y < i->u.mem.y_size; y++)
        nv_row(v->p, (i->u.mem.dram_base + (uint64_t)y * i->u.mem.x_stride) * tile, i->u.mem.x_size * tile,
               &e->commands);
}

static inline void nv_begin(nv *v, int s, uint64_t t) {
    nv_engine *e = &v->e[s];
    const vta_timing_profile *p = v->p;
    e->insn = e->queue[e->head];
    e->running = 1;
    e->loading = 0;
    e->start = t;
    const vta_insn *i = &v->insns[e->insn];
    uint64_t cost = 0;
    if (i->opcode == VTA_OP_FINISH) {
        cost = p->finish_cost;
    } else if (i->opcode == VTA_OP_GEMM || i->opcode == VTA_OP_ALU) {
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
        nv_begin_load(v, e, i);
    }
    e->end = t + (cost ? cost : 1);
}

/* One cycle of a load after its first. Returns 1 in its last one. */
static inline int nv_load(nv *v, nv_engine *e, uint64_t t) {
    const vta_insn *i = &v->insns[e->insn];
    nv_memory *m = &v->mem;
    int beat = m->at_client.client == e->client, written = e->narrow && !v->p->serial_reads ? e->beat_before : beat;
    /* The earlier generation ends with the last beat; now the count is looked at a cycle later. */
    uint64_t left = e->in_flight - (v->p->serial_reads && written);
    int done = left == 0 && e->commands.next == e->commands.count && nv_pad_at(e, i) == NV_PAD_DONE;
    if (t >= e->start + (e->narrow ? 2 : 1)) nv_pad_step(e, i, !written);
    e->in_flight -= (uint64_t)written;
    e->beat_before = beat;
    if (e->rows_above) {
        e->rows_above--;
    } else if (e->commands.next < e->commands.count && m->slot[e->client] == 0) {
        m->slot[e->client] = e->commands.beats[e->commands.next++];
        e->in_flight += m->slot[e->client];
    }
    return done;
}

/* The last cycle: tokens go out and the place in the queue is given up. */
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
    if (i->opcode == VTA_OP_FINISH) {
        v->finish = t + 1;
        if (e->start + v->p->nop_cost > t + 1) v->ends[e->insn] = e->start + v->p->nop_cost;
    }
    e->running = 0;
    e->head++;
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

/* ---- Memory ------------------------------------------------------------------------------------------------- */

/* The memory after its queue, and the registers of the port. */
static inline void nv_serve(nv *v) {
    nv_memory *m = &v->mem;
    uint32_t extra = v->p->port_overhead - 4; /* more registers on the way than the hardware has */
    uint32_t delay = v->p->delay + extra;
    int waiting = m->waiting > 0;
    m->at_client = m->port;
    if (waiting && m->left == 0 && m->counter == delay && m->fifo[0].age >= extra) {
        m->client = m->fifo[0].client;
        m->left = m->fifo[0].beats;
        memmove(m->fifo, m->fifo + 1, sizeof m->fifo[0] * --m->waiting);
    }
    m->counter = waiting ? m->counter + (m->counter < delay) : 0;
    for (uint32_t i = 0; i < m->waiting; i++) m->fifo[i].age++;
    m->port = m->left ? (nv_beat){m->client, m->left == 1} : (nv_beat){NV_NONE, 0};
    if (m->left) m->left--;
}

/* Serial reads: nothing leaves from the cycle after a command left up to the one after its last beat at the client. */
static inline int nv_serial_wait(nv_memory *m, nv_beat at_client) {
    if (m->serial == NV_SERIAL_AFTER) {
        m->serial = NV_SERIAL_FREE;
        return 1;
    }
    int wait = m->serial == NV_SERIAL_BUSY;
    if (at_client.client != NV_NONE && at_client.last) m->serial = NV_SERIAL_AFTER;
    return wait;
}

/* The arbiter: a command from a slot into the memory's queue. `was` is what the slots held when the cycle began. */
static inline void nv_arbitrate(nv *v, const uint32_t was[NV_CLIENTS], nv_beat at_port, nv_beat at_client) {
    nv_memory *m = &v->mem;
    int last = at_port.client != NV_NONE && at_port.last, no_tag = m->tags >= v->p->outstanding;
    int wait = v->p->serial_reads && nv_serial_wait(m, at_client);
    m->tags -= (uint32_t)last;
    if (last || no_tag || wait) return;
    for (int c = 0; c < NV_CLIENTS; c++) {
        if (was[c] == 0) continue;
        m->fifo[m->waiting++] = (nv_request){.client = c, .beats = was[c]};
        m->slot[c] = 0;
        m->tags++;
        m->serial = NV_SERIAL_BUSY;
        return;
    }
}

/* ---- Fetch -------------------------------------------------------------------------------------------------- */

static inline int nv_wide(const nv *v) { return v->p->bus_bits >= 128; }

static inline void nv_batch(nv *v) {
    nv_fetch *f = &v->f;
    uint32_t n = 1u << v->p->len_bits, left = v->count - f->read;
    if (!nv_wide(v)) n = n * v->p->bus_bits / 128;
    if (n == 0) n = 1;
    if (n > left) n = left;
    f->commands.count = f->commands.next = 0;
    nv_row(v->p, nv_wide(v) ? v->addr + 16ull * f->read : 0, 16ull * n, &f->commands);
    f->read += n;
    f->buffered = n;
    f->in_flight = 0;
    for (uint32_t c = 0; c < f->commands.count; c++) f->in_flight += f->commands.beats[c];
}

static inline int nv_enqueue(nv *v, uint32_t insn, const uint32_t *fill) {
    int s = (int)vta_insn_stage(&v->insns[insn]) - 1;
    if (fill[s] >= v->p->queue_depth) return 0;
    v->e[s].queue[v->e[s].tail_next++] = insn;
    return 1;
}

/* Out of the buffer: into the pipe on a wide bus, into the queues on a narrow one. */
static inline void nv_drain(nv *v, const uint32_t *fill, uint32_t pipe_count) {
    nv_fetch *f = &v->f;
    uint32_t insn = f->read - f->buffered;
    if (f->buffered == 0) {
        f->state = f->read < v->count ? NV_FETCH_BEGIN : NV_FETCH_OVER;
    } else if (!nv_wide(v)) {
        f->buffered -= (uint32_t)nv_enqueue(v, insn, fill);
    } else if (pipe_count < 2) {
        f->pipe[f->pipe_count++] = insn;
        f->buffered--;
    }
}

static inline void nv_fetch_cycle(nv *v, const uint32_t *fill) {
    nv_fetch *f = &v->f;
    nv_memory *m = &v->mem;
    int beat = m->at_client.client == NV_FETCH, written = nv_wide(v) ? f->beat_before : beat;
    uint32_t pipe_count = f->pipe_count;
    if (pipe_count && nv_enqueue(v, f->pipe[0], fill)) {
        f->pipe[0] = f->pipe[1];
        f->pipe_count--;
    }
    f->beat_before = beat;
    if (f->state == NV_FETCH_BEGIN && nv_wide(v)) { /* a cycle for the first address */
        nv_batch(v);
        f->state = NV_FETCH_READ;
        return;
    }
    if (f->state == NV_FETCH_BEGIN) nv_batch(v);
    if (f->state == NV_FETCH_DRAIN)
        nv_drain(v, fill, pipe_count);
    else if (f->state != NV_FETCH_OVER) {
        f->state = NV_FETCH_READ;
        int all = f->in_flight == 0; /* as the cycle began */
        f->in_flight -= (uint64_t)written;
        if (f->commands.next < f->commands.count && m->slot[NV_FETCH] == 0)
            m->slot[NV_FETCH] = f->commands.beats[f->commands.next++];
        if (nv_wide(v) ? all : f->in_flight == 0) f->state = NV_FETCH_DRAIN;
    }
}

/* ---- All of it ---------------------------------------------------------------------------------------------- */

static inline void nv_cycle(nv *v, uint64_t t) {
    nv_memory *m = &v->mem;
    uint32_t fill[3], was[NV_CLIENTS];
    nv_beat at_port = m->port, at_client = m->at_client;
    for (int q = 0; q < 4; q++) v->token[q] += v->token_next[q], v->token_next[q] = 0;
    for (int s = 0; s < 3; s++) {
        v->e[s].tail = v->e[s].tail_next;
        fill[s] = v->e[s].tail - v->e[s].head;
    }
    memcpy(was, m->slot, sizeof was);
    nv_fetch_cycle(v, fill);
    for (int s = 0; s < 3; s++) {
        nv_engine *e = &v->e[s];
        if (nv_can_start(v, s))
            nv_begin(v, s, t);
        else if (e->running && e->loading && nv_load(v, e, t))
            e->loading = 0, e->end = t + 1;
    }
    nv_serve(v);
    nv_arbitrate(v, was, at_port, at_client);
    for (int s = 0; s < 3; s++)
        if (v->e[s].running && !v->e[s].loading && t + 1 >= v->e[s].end) nv_finish(v, s, t);
}

/* Cycles from launch to FINISH; 0 when FINISH is not reached within `limit`. */
static inline uint64_t nv_run(nv *v, uint64_t limit) {
    v->mem.port.client = v->mem.at_client.client = NV_NONE;
    v->f.state = NV_FETCH_BEGIN;
    /* The launch counts as the cycle before a narrow bus's first command, and as the first address of a wide one. */
    for (uint64_t t = nv_wide(v) ? 0 : 1; t < limit && v->finish == 0; t++) nv_cycle(v, t);
    return v->finish;
}

#endif

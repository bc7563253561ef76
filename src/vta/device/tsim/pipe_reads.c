/* The read side of the memory port (vta_reads, and the memory as the driver rtl has it), and fetch. */
#include "device/tsim/pipe.h"

enum { FETCH_LEN_BITS = 4, MANY = 8 };

void vt__pipe_next_burst(vt_pipe_rows *rows) { rows->beats = vt_bursts_next(&rows->bursts); }

void vt__pipe_memory(vt_pipe *p) {
    vt_pipe_reads *r = &p->reads;
    r->may_enter = r->count < p->m->profile->outstanding;
    if (!r->serving && r->count) {
        uint64_t ready = r->read[r->first].ready, taken = ready > r->last_beat ? ready : r->last_beat;
        r->serving = taken < p->now;
    }
    r->line = r->serving;
}

static vt_pipe_rows *rows_of(vt_pipe *p, uint32_t client) {
    return client == VT_PIPE_FETCH ? &p->fetch.rows : &p->engine[client].rows;
}

static bool asks(vt_pipe *p, uint32_t client) {
    const vt_pipe_rows *rows = rows_of(p, client);
    return rows->beats && (client != VT_PIPE_FETCH || p->fetch.free >= rows->beats);
}

static bool many(const vt_pipe *p, uint32_t stage) {
    return p->m->profile->queue_depth >= 2 * MANY && p->queue[stage].memory->count >= MANY;
}

/* Whose command leaves next; VT_PIPE_CLIENTS: nobody's. */
static uint32_t choose(vt_pipe *p) {
    uint32_t client = VT_PIPE_UOP;
    bool fetch = asks(p, VT_PIPE_FETCH);
    if (fetch && !(many(p, 0) && many(p, 1))) return VT_PIPE_FETCH;
    while (client < VT_PIPE_CLIENTS && !asks(p, client)) client++;
    return client == VT_PIPE_CLIENTS && fetch ? VT_PIPE_FETCH : client;
}

static void send(vt_pipe *p, uint32_t client) {
    vt_pipe_reads *r = &p->reads;
    vt_pipe_rows *rows = rows_of(p, client);
    r->sent = true;
    r->sent_client = (uint8_t)client;
    r->sent_beats = rows->beats;
    r->under_way++;
    if (client == VT_PIPE_FETCH) {
        p->fetch.free -= rows->beats;
        p->fetch.pending += rows->beats;
    }
    p->m->port.beats += rows->beats;
    p->m->port.bursts++;
    p->moved = true;
    vt__pipe_next_burst(rows);
}

/* The command at the port enters the memory's queue; the delay runs for one that finds no other waiting. */
static void enter(vt_pipe *p) {
    vt_pipe_reads *r = &p->reads;
    uint32_t waiting = r->count - r->serving, at = (r->first + r->count++) % VT_PORT_MAX;
    r->read[at].client = r->sent_client;
    r->read[at].beats = r->sent_beats;
    r->read[at].ready = waiting ? 0 : p->now + 1 + p->m->profile->delay;
    r->sent = false;
    p->moved = true;
}

static bool engine_takes(vt_pipe *p, vt_pipe_engine *e, bool is_acc) {
    e->whole = e->data && e->line + 1 == e->lines;
    bool ready = e->data && (!e->whole || !is_acc || p->execute.idle);
    if (!ready) return false;
    e->took = true;
    if (e->widen.on) return e->widen.quarter == 3 || e->widen.left == 1;
    return true;
}

static bool line_taken(vt_pipe *p) {
    uint32_t client = p->reads.read[p->reads.first].client;
    if (client != VT_PIPE_FETCH) return engine_takes(p, &p->engine[client], client == VT_PIPE_ACC);
    p->fetch.lines++;
    p->fetch.newest = p->now + 1;
    p->fetch.pending--;
    p->moved = true;
    return true;
}

static void end_burst(vt_pipe *p) {
    vt_pipe_reads *r = &p->reads;
    r->beat = 0;
    r->serving = false;
    r->last_beat = p->now;
    r->first = (r->first + 1) % VT_PORT_MAX;
    r->count--;
    r->under_way--;
    p->moved = true;
}

void vt__pipe_reads(vt_pipe *p) {
    vt_pipe_reads *r = &p->reads;
    bool may_send = (!r->sent || r->may_enter) && r->under_way != VT_PIPE_READS;
    if (r->sent && r->may_enter) enter(p);
    uint32_t client = may_send ? choose(p) : VT_PIPE_CLIENTS;
    if (client < VT_PIPE_CLIENTS) send(p, client);
    r->taken = r->line && line_taken(p);
    if (r->taken && ++r->beat == r->read[r->first].beats) end_burst(p);
}

/* ---- Fetch --------------------------------------------------------------------------------------------------- */

void vt__pipe_begin_fetch(vt_pipe *p) {
    vt_pipe_fetch *f = &p->fetch;
    vta_timing_profile profile = *p->m->profile;
    uint32_t bytes = profile.bus_bits / 8;
    if (profile.len_bits > FETCH_LEN_BITS) profile.len_bits = FETCH_LEN_BITS;
    f->free = 2u << profile.len_bits;
    f->per_insn = bytes < VTA_INSN_BYTES ? VTA_INSN_BYTES / bytes : 1;
    f->per_line = bytes > VTA_INSN_BYTES ? bytes / VTA_INSN_BYTES : 1;
    f->at = f->per_line > 1 ? p->m->insn_addr / VTA_INSN_BYTES % f->per_line : 0;
    vt_bursts_of_row(&f->rows.bursts, &profile, p->m->insn_addr, (uint64_t)p->m->count * VTA_INSN_BYTES);
    vt__pipe_next_burst(&f->rows);
}

static void line_done(vt_pipe_fetch *f) {
    f->lines--;
    f->free++;
    f->at = 0;
}

void vt__pipe_fetch(vt_pipe *p) {
    vt_pipe_fetch *f = &p->fetch;
    bool there = f->lines > (f->newest > p->now);
    f->held = false;
    if (!there || f->next == p->m->count) return;
    if (f->per_insn > 1 && f->at + 1 < f->per_insn) { /* a part of an instruction */
        uint32_t at = f->at + 1;
        line_done(f);
        f->at = at;
        p->moved = true;
        return;
    }
    vt_ring *queue = p->queue[p->m->stages[f->next]].memory;
    f->held = queue->count == queue->cap;
    if (f->held) return;
    if (p->m->times) p->m->times[f->next].arrived = p->now + 2; /* at the output, with none before it */
    vt__ring_push(queue, p->now + 1, f->next++);
    if (f->per_line > 1 && f->at + 1 < f->per_line && f->next < p->m->count)
        f->at++;
    else
        line_done(f);
    p->moved = true;
}

/* Fetch: reads a batch of instructions through the memory port, then hands them to the three queues, one a cycle. */
#include "device/tsim/model.h"

static void account(vt_fetch *f, vta_timing *t, uint64_t until, vta_unit_state state) {
    if (until <= f->accounted) return;
    t->state[VTA_UNIT_FETCH][state] += until - f->accounted;
    f->accounted = until;
}

/* The batch that begins at `next`: whole lines of the bus, as many as the longest burst has. */
static void begin_batch(vt_model *m, uint64_t wish) {
    vt_fetch *f = &m->fetch;
    uint32_t left = m->count - f->next;
    f->batch_end = f->next + (left < f->batch ? left : f->batch);
    f->draining = false;
    f->wish = wish;
    uint64_t bytes = (uint64_t)(f->batch_end - f->next) * VTA_INSN_BYTES;
    vt_bursts_of_row(&f->bursts, m->profile, m->insn_addr + (uint64_t)f->next * VTA_INSN_BYTES, bytes);
    f->beats_next = vt_bursts_next(&f->bursts);
}

void vt__fetch_init(vt_model *m) {
    uint32_t bytes = (m->profile->bus_bits / 8) << m->profile->len_bits;
    m->fetch.batch = bytes > VTA_INSN_BYTES ? bytes / VTA_INSN_BYTES : 1;
    begin_batch(m, 1);
}

/* Room for the rest of the batch in every queue: then nothing can hold it up. */
static bool room_for_all(const vt_model *m) {
    uint32_t left = m->fetch.batch_end - m->fetch.next;
    for (uint32_t s = 0; s < VT_STAGES; s++)
        if (m->engine[s].queue.cap - m->engine[s].queue.count < left) return false;
    return true;
}

uint64_t vt__fetch_next(const vt_model *m) {
    const vt_fetch *f = &m->fetch;
    if (f->next == m->count) return VT_NEVER;
    if (!f->draining) return vt_port_gate(&m->port, f->wish);
    const vt_ring *queue = &m->engine[m->stages[f->next]].queue;
    return queue->count < queue->cap ? f->wish : VT_NEVER;
}

void vt__fetch_unblock(vt_model *m, uint32_t stage, uint64_t now) {
    vt_fetch *f = &m->fetch;
    if (f->draining && f->next < m->count && m->stages[f->next] == stage && f->wish <= now) f->wish = now + 1;
}

static void read(vt_model *m, uint64_t now) {
    vt_fetch *f = &m->fetch;
    uint64_t first, last;
    account(f, m->timing, f->wish, VTA_STATE_busy);
    vt_port_accept(&m->port, now, f->beats_next, &first, &last);
    account(f, m->timing, first, VTA_STATE_wait_memory);
    account(f, m->timing, last + 1, VTA_STATE_busy);
    f->beats_next = vt_bursts_next(&f->bursts);
    f->draining = f->beats_next == 0;
    f->wish = f->draining ? last + 1 : now + 1;
}

static void hand_over(vt_model *m, uint64_t now) {
    vt_fetch *f = &m->fetch;
    account(f, m->timing, now, VTA_STATE_wait_full);
    account(f, m->timing, now + 1, VTA_STATE_busy);
    vt__ring_push(&m->engine[m->stages[f->next]].queue, now + 1, f->next);
    f->next++;
    f->wish = now + 1;
    if (f->next == f->batch_end && f->next < m->count) begin_batch(m, now + m->profile->fetch_after);
}

void vt__fetch_step(vt_model *m, uint64_t now) {
    if (!m->fetch.draining) {
        read(m, now);
        return;
    }
    uint32_t end = room_for_all(m) ? m->fetch.batch_end : m->fetch.next + 1;
    while (m->fetch.next < end) hand_over(m, now++);
}

/* Closes fetch's books at the end of the run: what was counted beyond it goes, what is missing was idle. */
void vt__fetch_finish(vt_model *m) {
    vt_fetch *f = &m->fetch;
    uint64_t *state = m->timing->state[VTA_UNIT_FETCH];
    uint64_t beyond = f->accounted > m->finish ? f->accounted - m->finish : 0;
    uint64_t busy = beyond < state[VTA_STATE_busy] ? beyond : state[VTA_STATE_busy];
    state[VTA_STATE_busy] -= busy;
    state[VTA_STATE_wait_memory] -= beyond - busy;
    account(f, m->timing, m->finish, VTA_STATE_idle);
}

/* Fetch: reads a batch of instructions through the memory port, then hands them to the three queues, one a cycle. */
#include "device/tsim/model.h"

/* From the buffer of a batch to the queues. */
enum { PIPE = 2 };
/* Wide: cycles between the last beat and the first instruction that can enter the pipe. */
enum { WIDE_LATENCY = 2 };

static void account(vt_fetch *f, vta_timing *t, uint64_t until, vta_unit_state state) {
    if (until <= f->accounted) return;
    t->state[VTA_UNIT_FETCH][state] += until - f->accounted;
    f->accounted = until;
}

/* The batch after the last one; its first command is in the slot in cycle `slot`. A narrow bus takes it with one
 * command, a wide one with commands like those of a load. */
static void begin_batch(vt_model *m, uint64_t slot) {
    vt_fetch *f = &m->fetch;
    uint32_t first = f->batch_end, left = m->count - first, size = left < f->batch ? left : f->batch;
    uint64_t addr = m->insn_addr + (uint64_t)first * VTA_INSN_BYTES;
    f->batch_end = first + size;
    f->reading = true;
    f->earliest = slot + 1;
    vt_bursts_of_row(&f->bursts, m->profile, f->wide ? addr : 0, (uint64_t)size * VTA_INSN_BYTES);
    f->beats_next = vt_bursts_next(&f->bursts);
}

uint32_t vta_timing_fetch_batch(const vta_timing_profile *profile) {
    if (profile == NULL) return 0;
    uint32_t bytes = profile->bus_bits / 8, beats = 1u << profile->len_bits;
    if (bytes >= VTA_INSN_BYTES) return beats;
    uint32_t batch = beats * bytes / VTA_INSN_BYTES;
    return batch ? batch : 1;
}

void vt__fetch_init(vt_model *m) {
    m->fetch.wide = m->profile->bus_bits / 8 >= VTA_INSN_BYTES;
    m->fetch.batch = vta_timing_fetch_batch(m->profile);
    begin_batch(m, 1);
}

/* Lets instructions of the batch that was read enter the pipe as it has room, one a cycle; a narrow bus has no pipe. */
static void enter(vt_model *m) {
    vt_fetch *f = &m->fetch;
    if (!f->wide && !f->reading) {
        f->entered = f->batch_end;
        return;
    }
    while (!f->reading && f->entered < f->batch_end && f->entered - f->next < PIPE) {
        uint64_t when = f->drain > f->enter + 1 ? f->drain : f->enter + 1;
        if (f->handed >= when) when = f->handed + 1;
        f->at[f->entered++ % PIPE] = when + 1;
        f->enter = when;
        if (f->entered == f->batch_end && f->entered < m->count) begin_batch(m, when + 1 + m->profile->fetch_after);
    }
}

/* When the next instruction can be handed over, room in its queue aside. */
static uint64_t hand_time(const vt_fetch *f) {
    uint64_t entered = f->wide ? f->at[f->next % PIPE] : f->drain;
    return entered > f->handed ? entered : f->handed + 1;
}

static bool room(const vt_model *m, uint32_t stage, uint32_t instructions) {
    return m->engine[stage].queue.cap - m->engine[stage].queue.count >= instructions;
}

static uint64_t next_hand_over(const vt_model *m) {
    const vt_fetch *f = &m->fetch;
    return f->next < f->entered && room(m, m->stages[f->next], 1) ? hand_time(f) : VT_NEVER;
}

static uint64_t next_command(const vt_model *m) {
    return m->fetch.reading ? vt_port_gate(&m->port, m->fetch.earliest) : VT_NEVER;
}

uint64_t vt__fetch_next(const vt_model *m) {
    uint64_t command = next_command(m), hand = next_hand_over(m);
    return command < hand ? command : hand;
}

void vt__fetch_unblock(vt_model *m, uint32_t stage, uint64_t now) {
    vt_fetch *f = &m->fetch;
    if (f->next < f->entered && m->stages[f->next] == stage && f->handed < now) f->handed = now;
}

static void read(vt_model *m, uint64_t now) {
    vt_fetch *f = &m->fetch;
    uint64_t first, last;
    account(f, m->timing, now, VTA_STATE_BUSY);
    vt_port_accept(&m->port, now, f->beats_next, &first, &last);
    account(f, m->timing, first, VTA_STATE_WAIT_MEMORY);
    f->drain = last + 1 + (f->wide ? WIDE_LATENCY : 0);
    account(f, m->timing, f->drain, VTA_STATE_BUSY);
    f->beats_next = vt_bursts_next(&f->bursts);
    f->reading = f->beats_next != 0;
    f->earliest = now + 2;
    enter(m);
}

static void hand_over(vt_model *m, uint64_t now) {
    vt_fetch *f = &m->fetch;
    account(f, m->timing, now, VTA_STATE_WAIT_FULL);
    account(f, m->timing, now + 1, VTA_STATE_BUSY);
    vt__ring_push(&m->engine[m->stages[f->next]].queue, now + 1, f->next);
    f->next++;
    f->handed = now;
    if (!f->wide && f->next == f->batch_end && f->next < m->count) begin_batch(m, now + m->profile->fetch_after);
    enter(m);
}

/* Room for the rest of the batch in every queue: then nothing can hold it up. */
static bool room_for_all(const vt_model *m) {
    uint32_t left = m->fetch.batch_end - m->fetch.next;
    return !m->fetch.reading && room(m, 0, left) && room(m, 1, left) && room(m, 2, left);
}

void vt__fetch_step(vt_model *m, uint64_t now) {
    vt_fetch *f = &m->fetch;
    if (next_command(m) <= now) {
        read(m, now);
        return;
    }
    uint32_t end = room_for_all(m) ? f->batch_end : f->next + 1;
    for (; f->next < end; now = hand_time(f)) hand_over(m, now);
}

static uint64_t take_back(uint64_t *state, uint64_t cycles) {
    uint64_t taken = cycles < *state ? cycles : *state;
    *state -= taken;
    return cycles - taken;
}

/* Closes fetch's books at the end of the run: what was counted beyond it goes, what is missing was idle. */
void vt__fetch_finish(vt_model *m) {
    vt_fetch *f = &m->fetch;
    uint64_t *state = m->timing->state[VTA_UNIT_FETCH];
    uint64_t beyond = f->accounted > m->finish ? f->accounted - m->finish : 0;
    beyond = take_back(&state[VTA_STATE_BUSY], beyond);
    beyond = take_back(&state[VTA_STATE_WAIT_MEMORY], beyond);
    take_back(&state[VTA_STATE_WAIT_FULL], beyond);
    account(f, m->timing, m->finish, VTA_STATE_IDLE);
}

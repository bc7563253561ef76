/* The store unit (vta_store, vta_walk) and the write side of the memory. */
#include "config/config_priv.h"
#include "device/tsim/pipe.h"

static uint32_t bytes_of(const vt_pipe *p, const vta_insn *insn) {
    return p->m->config->elem_bytes[insn->u.mem.memory_type];
}

/* Lines that are read of acc: of an element, or of as many as the bus carries at once. */
static uint64_t reads_of(const vt_pipe *p, const vta_insn *insn) {
    uint32_t elem = bytes_of(p, insn), bus = p->m->profile->bus_bits / 8, tiles = elem < bus ? bus / elem : 1;
    uint64_t reads = 0, tile = insn->u.mem.dram_base;
    if (tiles == 1) return (uint64_t)insn->u.mem.y_size * insn->u.mem.x_size;
    for (uint32_t y = 0; y < insn->u.mem.y_size; y++, tile += insn->u.mem.x_stride)
        reads += (tile % tiles + insn->u.mem.x_size + tiles - 1) / tiles;
    return reads;
}

static void add_order(vt_pipe *p, uint32_t insn, bool burst, bool last) {
    vt_pipe_store *s = &p->store;
    uint32_t at = (s->order_first + s->order_count++) % VT_PIPE_BURSTS;
    s->order[at].insn = insn;
    s->order[at].burst = burst;
    s->order[at].last = last;
    s->order[at].since = p->now + 1;
}

/* The command at the port, and the next one behind it. */
static void commands(vt_pipe *p, bool memory_takes) {
    vt_pipe_store *s = &p->store;
    bool leaves = s->command && s->length_count < VT_PIPE_SLOTS && memory_takes, may = !s->command || leaves;
    bool order_ready = s->order_count < VT_PIPE_BURSTS;
    if (leaves) {
        uint32_t at = (s->length_first + s->length_count++) % VT_PIPE_SLOTS;
        s->length[at].beats = s->command_beats;
        s->length[at].since = p->now + 1;
        s->writes++;
        s->command = false;
    }
    if (!s->rows.beats || !may || !order_ready) return;
    s->command = true;
    s->command_beats = s->rows.beats;
    vt__pipe_next_burst(&s->rows);
    add_order(p, s->insn, true, s->rows.beats == 0);
}

/* A beat of data; true when it is the last one of its burst. A line that is done gives its place back. */
static bool data(vt_pipe *p, bool memory_takes, uint32_t *freed) {
    vt_pipe_store *s = &p->store;
    bool line = s->out_count && s->out[s->out_first] <= p->now;
    bool length = s->length_count && s->length[s->length_first].since <= p->now;
    if (!line || !length || !memory_takes) return false;
    if (++s->part == s->beats_of_line) {
        s->part = 0;
        s->out_first = (s->out_first + 1) % VT_PIPE_SLOTS;
        s->out_count--;
        (*freed)++;
    }
    if (++s->beat != s->length[s->length_first].beats) return false;
    s->beat = 0;
    s->length_first = (s->length_first + 1) % VT_PIPE_SLOTS;
    s->length_count--;
    return true;
}

/* The oldest burst is answered, or it is no burst. */
static void answer(vt_pipe *p) {
    vt_pipe_store *s = &p->store;
    if (!s->order_count || s->order[s->order_first].since > p->now) return;
    uint32_t insn = s->order[s->order_first].insn;
    bool last = s->order[s->order_first].last;
    if (s->order[s->order_first].burst && !s->answers) return;
    s->answers -= s->order[s->order_first].burst;
    s->order_first = (s->order_first + 1) % VT_PIPE_BURSTS;
    s->order_count--;
    if (last) vt__pipe_retire(p, 2, insn);
}

static void read_acc(vt_pipe *p) {
    vt_pipe_store *s = &p->store;
    s->read = s->reads && s->free;
    if (!s->read) return;
    s->reads--;
    s->free--;
    s->out[(s->out_first + s->out_count++) % VT_PIPE_SLOTS] = p->now + 2;
}

static void take(vt_pipe *p, bool had_commands, bool order_ready) {
    vt_pipe_store *s = &p->store;
    const vta_insn *insn = vt__pipe_head(p, 2);
    if (!insn || !vt__pipe_tokens(p, 2)) return;
    uint32_t index = p->queue[2].insn;
    if (!insn->u.mem.x_size || !insn->u.mem.y_size) {
        if (had_commands || !order_ready) return;
        add_order(p, index, false, true);
    } else {
        if (s->rows.beats || s->reads) return;
        vt_bursts_of_load(&s->rows.bursts, p->m->config, p->m->profile, insn);
        vt__pipe_next_burst(&s->rows);
        s->insn = index;
        s->reads = reads_of(p, insn);
        uint32_t elem = bytes_of(p, insn), bus = p->m->profile->bus_bits / 8;
        s->beats_of_line = elem > bus ? elem / bus : 1;
    }
    vt__pipe_take(p, 2);
}

void vt__pipe_store(vt_pipe *p) {
    vt_pipe_store *s = &p->store;
    bool takes_command = s->writes < VT_PIPE_BURSTS && s->answers < VT_PIPE_BURSTS, takes_data = s->writes != 0;
    bool had_commands = s->rows.beats != 0, order_ready = s->order_count < VT_PIPE_BURSTS;
    uint32_t freed = 0;
    if (p->flying[2]) p->moved = true;
    read_acc(p);
    commands(p, takes_command);
    bool ended = data(p, takes_data, &freed);
    answer(p);
    if (ended) s->answers++, s->writes--;
    s->free += freed;
    take(p, had_commands, order_ready);
}

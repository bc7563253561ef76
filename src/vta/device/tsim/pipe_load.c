/* Load engines (vta_load_engine, vta_gather, vta_pad, vta_widen), the order of two of them (vta_loads), the load unit.
 */
#include "config/config_priv.h"
#include "device/tsim/pipe.h"

/* Lines of the bus that a row touches whose first element is number `tile`; elements of acc for ACC_8BIT. */
static uint64_t row_lines(uint32_t elem, uint32_t bus, uint64_t tile, uint64_t x_size) {
    if (elem >= bus) return x_size * (elem / bus);
    uint32_t tiles = bus / elem;
    return (tile % tiles + x_size + tiles - 1) / tiles;
}

static uint32_t elem_of(const vt_pipe *p, const vta_insn *insn) {
    uint32_t memory = insn->u.mem.memory_type == VTA_MEM_ACC_8BIT ? VTA_MEM_ACC : insn->u.mem.memory_type;
    return p->m->config->elem_bytes[memory];
}

static uint64_t all_lines(const vt_pipe *p, const vta_insn *insn) {
    uint32_t elem = elem_of(p, insn), bus = p->m->profile->bus_bits / 8;
    if (elem >= bus) return insn->u.mem.y_size * row_lines(elem, bus, 0, insn->u.mem.x_size);
    uint64_t lines = 0, tile = insn->u.mem.dram_base;
    for (uint32_t y = 0; y < insn->u.mem.y_size; y++, tile += insn->u.mem.x_stride)
        lines += row_lines(elem, bus, tile, insn->u.mem.x_size);
    return lines;
}

void vt__pipe_begin_load(vt_pipe *p, uint32_t client, uint32_t index) {
    vt_pipe_engine *e = &p->engine[client];
    vt_bursts_of_load(&e->rows.bursts, p->m->config, p->m->profile, &p->m->insns[index]);
    vt__pipe_next_burst(&e->rows);
    e->jobs[e->job_count++] = index;
    e->table = p->m->insns[index].u.mem.memory_type == VTA_MEM_TABLE;
}

static void begin_pad(vt_pipe_pad *pad, const vta_insn *insn) {
    uint64_t sides = insn->u.mem.x_pad_0 + insn->u.mem.x_pad_1, width = sides + insn->u.mem.x_size;
    uint64_t above = insn->u.mem.y_pad_0 * width, below = insn->u.mem.y_pad_1 * width;
    bool rows = insn->u.mem.y_size != 0;
    *pad = (vt_pipe_pad){.left = above + (rows ? insn->u.mem.x_pad_0 : below),
                         .after = rows ? below + insn->u.mem.x_pad_1 : 0,
                         .between = (uint32_t)sides,
                         .rows = insn->u.mem.y_size};
    pad->active = pad->left || pad->after || (sides && insn->u.mem.y_size > 1);
}

static void begin_row(vt_pipe_widen *w, uint32_t elem, uint32_t bus) {
    w->left = row_lines(elem, bus, w->tile, w->x_size);
    w->quarter = (elem >= bus ? w->tile * (elem / bus) : w->tile / (bus / elem)) % 4;
}

/* The engine begins with the job that has waited longest. */
static void begin_job(vt_pipe *p, vt_pipe_engine *e) {
    const vta_insn *insn = &p->m->insns[e->jobs[0]];
    uint32_t elem = elem_of(p, insn), bus = p->m->profile->bus_bits / 8;
    e->insn = e->jobs[0];
    e->jobs[0] = e->jobs[1];
    e->job_count--;
    e->busy = true;
    e->data = insn->u.mem.y_size != 0;
    bool table = insn->u.mem.memory_type == VTA_MEM_TABLE; /* whose lines are written one by one */
    e->lines = elem > bus && !table ? elem / bus : 1;
    e->line = 0;
    e->left = all_lines(p, insn);
    begin_pad(&e->pad, insn);
    e->widen = (vt_pipe_widen){.on = insn->u.mem.memory_type == VTA_MEM_ACC_8BIT && insn->u.mem.y_size,
                               .rows = insn->u.mem.y_size,
                               .stride = insn->u.mem.x_stride,
                               .x_size = insn->u.mem.x_size,
                               .tile = insn->u.mem.dram_base};
    if (e->widen.on) begin_row(&e->widen, elem, bus);
    p->moved = true;
}

static void widen_line(vt_pipe *p, vt_pipe_engine *e) {
    vt_pipe_widen *w = &e->widen;
    w->quarter = (w->quarter + 1) % 4;
    if (--w->left || --w->rows == 0) return;
    w->tile += w->stride;
    begin_row(w, elem_of(p, &p->m->insns[e->insn]), p->m->profile->bus_bits / 8);
}

/* A line came: true when it was the last one. */
static bool take_line(vt_pipe *p, vt_pipe_engine *e) {
    e->line = e->whole ? 0 : e->line + 1;
    if (e->widen.on) {
        widen_line(p, e);
        p->moved = true;
    }
    if (--e->left) return false;
    e->data = false;
    return true;
}

/* A cycle of padding: an element, or the end of a run without any. True when it was the last one. */
static bool pad(vt_pipe_pad *pad, bool ready) {
    bool end_run = pad->left == 0 || (pad->left == 1 && ready);
    if (!end_run) {
        pad->left -= ready;
        return false;
    }
    if (pad->rows == 0) {
        pad->active = false;
        return true;
    }
    pad->left = --pad->rows ? pad->between : pad->after;
    return false;
}

static void run_engine(vt_pipe *p, uint32_t client) {
    vt_pipe_engine *e = &p->engine[client];
    bool data_end = !e->data, pad_end = !e->pad.active;
    if (e->took) data_end = take_line(p, e);
    if (e->took || e->pad.active) p->lines[client == VT_PIPE_UOP || client == VT_PIPE_ACC] = true;
    if (e->pad.active) {
        pad_end = pad(&e->pad, (client != VT_PIPE_ACC || p->execute.idle) && !e->whole);
        p->moved = true;
    }
    if (data_end && pad_end) {
        e->busy = false;
        e->ended++;
        p->moved = true;
    }
}

static void end_loads(vt_pipe *p, uint32_t unit) {
    vt_pipe_loads *l = &p->loads[unit];
    if (!l->before) return;
    uint32_t engine = l->order[0].engine, index = l->order[0].insn;
    const vta_insn *insn = &p->m->insns[index];
    bool tokens = insn->push_prev_dep || insn->push_next_dep;
    bool may = unit == 0 || p->execute.idle || (!tokens && !p->execute.retired);
    if (!may || (engine != VT_PIPE_NOP && !p->engine[engine].ended)) return;
    if (engine != VT_PIPE_NOP) p->engine[engine].ended--;
    for (uint32_t i = 1; i < l->count; i++) l->order[i - 1] = l->order[i];
    l->count--;
    vt__pipe_retire(p, unit, index);
}

/* Micro-ops whose writes the index of vta_walk has passed: in the first line of a row it tells nothing. */
static uint64_t past_uops(const vt_pipe *p, const vt_pipe_engine *e) {
    if (!e->busy || !e->data) return 0;
    const vta_insn *insn = &p->m->insns[e->insn];
    uint32_t lanes = p->m->profile->bus_bits / 8 / elem_of(p, insn);
    uint64_t came = all_lines(p, insn) - e->left, lead = insn->u.mem.dram_base % lanes;
    return came || lanes == 1 ? insn->u.mem.sram_base + came * lanes - lead : 0;
}

void vt__pipe_engines(vt_pipe *p) {
    p->engine[VT_PIPE_UOP].past = p->loads[1].lone ? past_uops(p, &p->engine[VT_PIPE_UOP]) : 0;
    for (uint32_t c = VT_PIPE_UOP; c < VT_PIPE_CLIENTS; c++) {
        vt_pipe_engine *e = &p->engine[c];
        uint32_t waiting = e->job_count; /* those of this cycle come later */
        e->full = waiting == VT_PIPE_JOBS;
        e->idle = !e->busy && !waiting;
        if (e->busy) run_engine(p, c);
        if (!e->busy && waiting) begin_job(p, e);
        e->took = e->whole = false;
    }
    end_loads(p, 0);
    end_loads(p, 1);
}

void vt__pipe_load(vt_pipe *p) {
    const vta_insn *insn = vt__pipe_head(p, 0);
    vt_pipe_loads *l = &p->loads[0];
    if (!insn || !vt__pipe_tokens(p, 0) || l->before == VT_PIPE_ORDER) return;
    uint32_t engine = insn->u.mem.memory_type == VTA_MEM_WGT ? VT_PIPE_WGT : VT_PIPE_INP;
    if (!insn->u.mem.x_size) engine = VT_PIPE_NOP;
    if (engine != VT_PIPE_NOP && (p->engine[engine].full || p->engine[engine].rows.beats)) return;
    l->order[l->count].insn = p->queue[0].insn;
    l->order[l->count++].engine = (uint8_t)engine;
    if (engine != VT_PIPE_NOP) vt__pipe_begin_load(p, engine, p->queue[0].insn);
    vt__pipe_take(p, 0);
}

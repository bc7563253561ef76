/* The compute unit (vta_compute) and its pipeline (vta_sequencer, vta_execute). Which element of acc a micro-op writes
 * is known from its place in the loops, as far as micro-ops with different places in the buffer write different ones.
 */
#include "config/config_priv.h"
#include "device/tsim/pipe.h"

enum { A2 = 2, W = 3 }; /* cycles from X on */

/* An end of an instruction that comes in cycle `when`. */
static void add_end(vt_pipe_execute *e, uint64_t when, uint32_t insn) {
    e->ends[(e->end_first + e->end_count++) % VT_PIPE_ENDS] = (vt_ring_item){when, insn};
}

static void end_one(vt_pipe *p) {
    vt_pipe_execute *e = &p->execute;
    e->retired = e->end_count && e->ends[e->end_first].visible == p->now;
    if (!e->retired) return;
    uint32_t insn = e->ends[e->end_first].insn;
    e->end_first = (e->end_first + 1) % VT_PIPE_ENDS;
    e->end_count--;
    vt__pipe_retire(p, 1, insn);
}

/* GEMMs under way, ALU micro-ops that write what this one reads, the store unit in the way of its second operand. */
static bool x_waits(const vt_pipe *p) {
    const vt_pipe_execute *e = &p->execute;
    if (p->now <= e->gemm_until) return true;
    if (e->x.bubble) return false;
    bool tensor = !p->m->insns[e->x.insn].u.exec.use_imm;
    if (p->store.read && tensor) return true;
    for (int i = 0; i < VT_PIPE_BACK; i++) {
        bool meets = e->back[i].dst == e->x.at.dst || (tensor && e->back[i].dst == e->x.at.src);
        if (p->now - e->back[i].cycle <= W && meets) return true;
    }
    return false;
}

static void note_back(vt_pipe_execute *e, uint64_t cycle, uint64_t dst) {
    for (int i = VT_PIPE_BACK - 1; i > 0; i--) e->back[i] = e->back[i - 1];
    e->back[0].cycle = cycle;
    e->back[0].dst = dst;
}

static void leave_x(vt_pipe *p) {
    vt_pipe_execute *e = &p->execute;
    e->alu_until = p->now + A2;
    if (!e->x.bubble) {
        e->write_until = p->now + W;
        note_back(e, p->now, e->x.at.dst);
    }
    if (e->x.last) add_end(e, p->now + A2, e->x.insn);
    e->x.valid = false;
}

static void pass_gemm(vt_pipe *p, bool last) {
    vt_pipe_execute *e = &p->execute;
    e->gemm_until = p->now + e->stages;
    e->write_until = e->gemm_until + 1;
    e->streams = true;
    if (!last) return;
    add_end(e, e->gemm_until, e->insn);
    /* At W it is where an ALU micro-op is three cycles after X. */
    note_back(e, e->write_until - W, vt__pipe_uop(p, &p->m->insns[e->insn], e->all - 1).dst);
}

static void pass_to_x(vt_pipe *p, bool last, bool was_full) {
    vt_pipe_execute *e = &p->execute;
    e->x.valid = true;
    e->x.last = last;
    e->x.bubble = e->bubble;
    e->x.insn = e->insn;
    if (!e->bubble) e->x.at = vt__pipe_uop(p, &p->m->insns[e->insn], e->all - e->left);
    e->streams = e->steady && was_full && e->all - e->left > VT_PIPE_BACK;
}

void vt__pipe_execute(vt_pipe *p) {
    vt_pipe_execute *e = &p->execute;
    bool was_full = e->x.valid;
    e->idle = !e->valid && !e->x.valid && p->now > e->gemm_until && p->now > e->alu_until && p->now > e->write_until;
    e->streams = false;
    end_one(p);
    if (e->x.valid && !x_waits(p))
        leave_x(p);
    else if (e->x.valid && p->now > e->gemm_until)
        p->moved = true; /* what holds it up lasts some cycles */
    e->ready = !e->valid || (!e->x.valid && e->left == 1);
    if (e->valid && !e->x.valid) {
        bool last = e->left == 1;
        if (e->gemm && !e->bubble)
            pass_gemm(p, last);
        else
            pass_to_x(p, last, was_full);
        e->valid = --e->left != 0;
        if (last) e->streams = false;
        p->moved |= !e->streams;
    } else if (was_full && !e->x.valid) {
        p->moved = true;
    }
}

void vt__pipe_pass(vt_pipe *p, uint64_t count) {
    vt_pipe_execute *e = &p->execute;
    const vta_insn *insn = &p->m->insns[e->insn];
    e->left -= count;
    e->write_until += count;
    if (e->gemm) {
        e->gemm_until += count;
        return;
    }
    uint64_t newest = e->all - e->left - 1; /* in X */
    e->alu_until += count;
    e->x.at = vt__pipe_uop(p, insn, newest);
    for (int i = 0; i < VT_PIPE_BACK; i++) {
        e->back[i].cycle += count;
        e->back[i].dst = vt__pipe_uop(p, insn, newest - 1 - (uint64_t)i).dst;
    }
}

static void begin(vt_pipe *p, uint32_t index) {
    vt_pipe_execute *e = &p->execute;
    const vta_insn *insn = &p->m->insns[index];
    bool work = insn->opcode == VTA_OP_GEMM || insn->opcode == VTA_OP_ALU;
    uint64_t all = work && insn->u.exec.uop_end > insn->u.exec.uop_bgn ? vt_exec_work(insn) : 0;
    e->valid = true;
    e->bubble = all == 0;
    e->gemm = insn->opcode == VTA_OP_GEMM;
    e->insn = index;
    e->all = e->left = all ? all : 1;
    e->steady = all && (e->gemm || vt__pipe_steady(p, insn));
}

static bool is_row(const vta_insn *load) {
    return load->u.mem.memory_type == VTA_MEM_UOP && load->u.mem.y_size == 1 && !load->u.mem.y_pad_0 &&
           !load->u.mem.y_pad_1 && !load->u.mem.x_pad_0 && !load->u.mem.x_pad_1;
}

/* A row of micro-ops, none of which the instruction that runs reads. */
static bool is_apart(const vt_pipe *p, const vta_insn *load) {
    const vta_insn *run = &p->m->insns[p->execute.insn];
    if (!is_row(load)) return false;
    return p->execute.bubble || load->u.mem.sram_base + load->u.mem.x_size <= run->u.exec.uop_bgn ||
           load->u.mem.sram_base >= run->u.exec.uop_end;
}

/* Tables and acc share a read port, and their engines take turns: is the other one at work? */
static bool other_works(const vt_pipe *p, const vta_insn *load) {
    const vt_pipe_engine *e = &p->engine[VT_PIPE_ACC];
    bool table = load->u.mem.memory_type == VTA_MEM_TABLE;
    return load->u.mem.memory_type != VTA_MEM_UOP && !e->idle && e->table != table;
}

static void take_load(vt_pipe *p, const vta_insn *insn) {
    vt_pipe_loads *l = &p->loads[1];
    uint32_t client = insn->u.mem.memory_type == VTA_MEM_UOP ? VT_PIPE_UOP : VT_PIPE_ACC;
    if ((!p->execute.ready && !is_apart(p, insn)) || other_works(p, insn)) return;
    if (l->before == VT_PIPE_ORDER || p->engine[client].full || p->engine[client].rows.beats) return;
    l->lone = !l->before && is_row(insn) && !insn->push_prev_dep && !insn->push_next_dep;
    l->order[l->count].insn = p->queue[1].insn;
    l->order[l->count++].engine = (uint8_t)client;
    vt__pipe_begin_load(p, client, p->queue[1].insn);
    if (client == VT_PIPE_UOP) vt__pipe_load_uops(p, insn);
    vt__pipe_take(p, 1);
}

/* GEMM and ALU wait for loads, but not for micro-ops that they do not read. */
static bool may_execute(vt_pipe *p, const vta_insn *insn, bool work) {
    const vt_pipe_loads *l = &p->loads[1];
    if (!l->before) return true;
    if (!work || !l->lone) return false;
    p->moved = true; /* each line counts */
    uint32_t begin = p->m->insns[l->order[0].insn].u.mem.sram_base, end = insn->u.exec.uop_end;
    return end <= begin || end <= p->engine[VT_PIPE_UOP].past;
}

void vt__pipe_compute(vt_pipe *p) {
    const vta_insn *insn = vt__pipe_head(p, 1);
    if (!insn || !vt__pipe_tokens(p, 1)) return;
    if (insn->opcode == VTA_OP_LOAD && insn->u.mem.x_size) {
        take_load(p, insn);
        return;
    }
    bool work = insn->opcode == VTA_OP_GEMM || insn->opcode == VTA_OP_ALU;
    if (!p->execute.ready || !may_execute(p, insn, work)) return;
    uint32_t index = p->queue[1].insn;
    vt__pipe_take(p, 1);
    if (!work && p->execute.idle)
        vt__pipe_retire(p, 1, index);
    else
        begin(p, index);
}

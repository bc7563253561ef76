/* What can be seen of a run at a moment: units, token queues, and what an instruction touches. */
#include "config/config_priv.h"
#include "debug/debugger.h"
#include "isa/codec.h"

/* The place in a stage's queue of its first instruction that has not ended at `cycle`. */
static uint32_t first_open(const vta_debugger *d, uint32_t stage, uint64_t cycle) {
    uint32_t low = 0, high = d->stream.length[stage];
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        const vta_insn_time *t = &d->times[d->stream.queue[stage][middle]];
        if (t->start != UINT64_MAX && t->end <= cycle)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void waiting(const vta_insn_time *t, uint64_t cycle, vta_unit_view *view) {
    uint64_t from_fetch = t->ready > t->arrived ? t->ready : t->arrived;
    view->since = t->ready;
    view->until = t->start;
    if (cycle < from_fetch)
        view->state = VTA_STATE_WAIT_FETCH;
    else
        view->state = cycle < from_fetch + t->wait_prev ? VTA_STATE_WAIT_PREV : VTA_STATE_WAIT_NEXT;
}

vta_unit_view vta_debugger_unit(const vta_debugger *debugger, vta_unit unit) {
    vta_unit_view view = {.state = VTA_STATE_IDLE, .insn = UINT32_MAX};
    if (debugger == NULL || unit <= VTA_UNIT_FETCH || unit >= VTA_UNIT_COUNT) return view;
    uint32_t stage = (uint32_t)unit - VTA_UNIT_LOAD, at = first_open(debugger, stage, debugger->cycle);
    for (uint32_t i = at; i < debugger->stream.length[stage]; i++) {
        const vta_insn_time *t = &debugger->times[debugger->stream.queue[stage][i]];
        if (t->start == UINT64_MAX || t->arrived > debugger->cycle) break;
        view.queued += t->start > debugger->cycle;
    }
    if (at == debugger->stream.length[stage]) return view;
    uint32_t insn = debugger->stream.queue[stage][at];
    const vta_insn_time *t = &debugger->times[insn];
    if (t->start == UINT64_MAX) return view;
    view.insn = insn;
    if (t->start <= debugger->cycle) {
        view.state = VTA_STATE_BUSY;
        view.since = t->start;
        view.until = t->end;
    } else {
        waiting(t, debugger->cycle, &view);
    }
    return view;
}

bool vta_debugger_uses_token(const vta_debugger *debugger, uint32_t index, vta_token_queue queue) {
    if (debugger == NULL || index >= debugger->stream.count) return false;
    if ((unsigned)queue >= VTA_TOKEN_QUEUES) return false;
    return vt_stream_pushes(&debugger->stream, index, queue) || vt_stream_pops(&debugger->stream, index, queue);
}

void vta_debugger_tokens(const vta_debugger *debugger, uint32_t out_tokens[VTA_TOKEN_QUEUES]) {
    for (int q = 0; q < VTA_TOKEN_QUEUES; q++) {
        out_tokens[q] = 0;
        for (uint32_t i = 0; debugger && i < debugger->stream.count; i++) {
            const vta_insn_time *t = &debugger->times[i];
            if (t->start == UINT64_MAX) continue;
            if (t->end <= debugger->cycle) out_tokens[q] += vt_stream_pushes(&debugger->stream, i, (vta_token_queue)q);
            if (t->start <= debugger->cycle) out_tokens[q] -= vt_stream_pops(&debugger->stream, i, (vta_token_queue)q);
        }
    }
}

static bool is_memory(const vta_insn *insn) { return insn->opcode == VTA_OP_LOAD || insn->opcode == VTA_OP_STORE; }

static bool transfer_touches(const vta_insn *insn, vta_memory memory, uint32_t element) {
    vta_memory own = (vta_memory)insn->u.mem.memory_type;
    if (own == VTA_MEM_OUT || own == VTA_MEM_ACC_8BIT) own = VTA_MEM_ACC;
    if (own != memory || insn->u.mem.x_size == 0) return false;
    uint64_t width = insn->u.mem.x_pad_0 + insn->u.mem.x_size + insn->u.mem.x_pad_1;
    uint64_t rows = (uint64_t)insn->u.mem.y_pad_0 + insn->u.mem.y_size + insn->u.mem.y_pad_1;
    return element >= insn->u.mem.sram_base && element - insn->u.mem.sram_base < width * rows;
}

/* Is `distance` y * outer + x * inner for a y and an x inside the loops? The steps of y that come into question are
 * bounded by the distance, whatever the loop counts say. */
static bool loops_reach(const vta_insn *insn, uint32_t distance, uint32_t outer, uint32_t inner) {
    for (uint32_t y = 0; y < insn->u.exec.iter_out && (uint64_t)y * outer <= distance; y++) {
        uint32_t left = distance - y * outer;
        if (insn->u.exec.iter_in && (inner ? left % inner == 0 && left / inner < insn->u.exec.iter_in : left == 0))
            return true;
        if (outer == 0) return false;
    }
    return false;
}

static bool loops_touch(const vta_debugger *d, const vta_insn *insn, vta_memory memory, uint32_t element) {
    bool gemm = insn->opcode == VTA_OP_GEMM, reset = gemm && insn->u.exec.reset_reg;
    bool reads_src = !reset && (gemm ? memory == VTA_MEM_INP : memory == VTA_MEM_ACC && !insn->u.exec.use_imm);
    bool reads_wgt = gemm && !reset && memory == VTA_MEM_WGT, writes = memory == VTA_MEM_ACC;
    uint32_t end = insn->u.exec.uop_end, depth = d->machine.config->depth[VTA_MEM_UOP];
    for (uint32_t u = insn->u.exec.uop_bgn; u < end && u < depth; u++) {
        const vta_uop *op = &d->machine.uops[u];
        if (writes && element >= op->dst &&
            loops_reach(insn, element - op->dst, insn->u.exec.dst_factor_out, insn->u.exec.dst_factor_in))
            return true;
        if (reads_src && element >= op->src &&
            loops_reach(insn, element - op->src, insn->u.exec.src_factor_out, insn->u.exec.src_factor_in))
            return true;
        if (reads_wgt && element >= op->wgt &&
            loops_reach(insn, element - op->wgt, insn->u.exec.wgt_factor_out, insn->u.exec.wgt_factor_in))
            return true;
    }
    return false;
}

bool vta_debugger_touches(const vta_debugger *debugger, uint32_t index, vta_memory memory, uint32_t element) {
    if (debugger == NULL || index >= debugger->stream.count) return false;
    const vta_insn *insn = &debugger->stream.insns[index];
    if (is_memory(insn)) return transfer_touches(insn, memory, element);
    if (insn->opcode == VTA_OP_FINISH) return false;
    if (memory == VTA_MEM_UOP) return element >= insn->u.exec.uop_bgn && element < insn->u.exec.uop_end;
    if (memory == VTA_MEM_TABLE)
        return insn->opcode == VTA_OP_ALU && insn->u.exec.alu_opcode == VTA_ALU_TABLE &&
               insn->u.exec.imm == (int)element;
    return loops_touch(debugger, insn, memory, element);
}

bool vta_debugger_touches_dram(const vta_debugger *debugger, uint32_t index, uint32_t addr) {
    if (debugger == NULL || index >= debugger->stream.count) return false;
    const vta_insn *insn = &debugger->stream.insns[index];
    if (!is_memory(insn)) return false;
    uint64_t tile = vt_insn_elem_bytes(debugger->machine.config, insn);
    for (uint32_t y = 0; y < insn->u.mem.y_size; y++) {
        uint64_t begin = (insn->u.mem.dram_base + (uint64_t)y * insn->u.mem.x_stride) * tile;
        if (addr >= begin && addr - begin < insn->u.mem.x_size * tile) return true;
    }
    return 0;
}

/* One instruction: check, then effect, then counters. */
#include "config/config_priv.h"
#include "device/core/machine.h"

/* A piece of work between two looks at the interrupt flag, in micro-op executions. */
enum { SLICE = 1 << 20 };

static bool is_nop(const vta_insn *insn) {
    return (insn->opcode == VTA_OP_LOAD || insn->opcode == VTA_OP_STORE) && insn->u.mem.x_size == 0;
}

uint64_t vt_exec_work(const vta_insn *insn) {
    if (is_nop(insn) || insn->opcode == VTA_OP_FINISH) return 1;
    if (insn->opcode == VTA_OP_LOAD)
        return (uint64_t)(insn->u.mem.y_pad_0 + insn->u.mem.y_size + insn->u.mem.y_pad_1) *
               (uint64_t)(insn->u.mem.x_pad_0 + insn->u.mem.x_size + insn->u.mem.x_pad_1);
    if (insn->opcode == VTA_OP_STORE) return (uint64_t)insn->u.mem.y_size * insn->u.mem.x_size;
    uint64_t uops = insn->u.exec.uop_end > insn->u.exec.uop_bgn ? insn->u.exec.uop_end - insn->u.exec.uop_bgn : 0;
    return uops * insn->u.exec.iter_out * insn->u.exec.iter_in;
}

static void count_transfer(vta_counters *counters, const vta_config *config, const vta_insn *insn) {
    vta_memory memory = (vta_memory)insn->u.mem.memory_type;
    uint64_t bytes = (uint64_t)insn->u.mem.y_size * insn->u.mem.x_size * config->elem_bytes[memory];
    switch (memory) {
    case VTA_MEM_UOP: counters->uop_load_nbytes += bytes; break;
    case VTA_MEM_WGT: counters->wgt_load_nbytes += bytes; break;
    case VTA_MEM_INP: counters->inp_load_nbytes += bytes; break;
    case VTA_MEM_OUT: counters->out_store_nbytes += bytes; break;
    default: counters->acc_load_nbytes += bytes;
    }
}

static void count(vta_counters *counters, const vta_config *config, const vta_insn *insn) {
    uint64_t work = vt_exec_work(insn);
    if (is_nop(insn)) {
        counters->insn_nop++;
        return;
    }
    switch (insn->opcode) {
    case VTA_OP_LOAD:
        counters->insn_load++;
        count_transfer(counters, config, insn);
        break;
    case VTA_OP_STORE:
        counters->insn_store++;
        count_transfer(counters, config, insn);
        break;
    case VTA_OP_GEMM:
        counters->insn_gemm++;
        if (insn->u.exec.reset_reg) {
            counters->gemm_reset_counter += work;
        } else {
            counters->gemm_counter += work;
            counters->macs += work * config->batch * config->block_in * config->block_out;
        }
        break;
    case VTA_OP_ALU:
        counters->insn_alu++;
        counters->alu_counter += work;
        break;
    default: counters->insn_finish++;
    }
}

static void compute(vt_machine *m, const vta_insn *insn, const vt_loops *loops) {
    if (insn->opcode == VTA_OP_ALU)
        m->engine->alu(m, loops, (vta_alu_opcode)insn->u.exec.alu_opcode, insn->u.exec.use_imm, insn->u.exec.imm);
    else if (insn->u.exec.reset_reg)
        m->engine->reset(m, loops);
    else
        m->engine->gemm(m, loops);
}

/* Runs the loops in slices of the outer and, where that is not enough, the inner loop. */
static vta_status run_loops(vt_machine *m, uint32_t index, const vta_insn *insn, const vt_loops *all, vta_diag *diag) {
    if (!all->uop_count || !all->iter_in || !all->iter_out) return VTA_OK;
    uint32_t inner = SLICE / all->uop_count;
    if (inner > all->iter_in) inner = all->iter_in;
    if (!inner) inner = 1;
    uint32_t outer = inner == all->iter_in ? SLICE / all->uop_count / inner : 1;
    if (!outer) outer = 1;
    for (uint32_t y = 0; y < all->iter_out; y += outer) {
        for (uint32_t x = 0; x < all->iter_in; x += inner) {
            vt_loops part = *all;
            part.iter_out = all->iter_out - y < outer ? all->iter_out - y : outer;
            part.iter_in = all->iter_in - x < inner ? all->iter_in - x : inner;
            part.dst0 += y * all->dst_factor_out + x * all->dst_factor_in;
            part.src0 += y * all->src_factor_out + x * all->src_factor_in;
            part.wgt0 += y * all->wgt_factor_out + x * all->wgt_factor_in;
            compute(m, insn, &part);
            if (m->interrupt && atomic_load_explicit(m->interrupt, memory_order_relaxed))
                return vt_fail(diag, VTA_INTERRUPTED, "interrupted in instruction %u", index);
        }
    }
    return VTA_OK;
}

static vta_status check(vt_machine *m, uint32_t index, const vta_insn *insn, vta_diag *diag, vt_loops *out_loops) {
    if (is_nop(insn) || insn->opcode == VTA_OP_FINISH) return VTA_OK;
    switch (insn->opcode) {
    case VTA_OP_LOAD: return vt__check_load(m, index, insn, diag);
    case VTA_OP_STORE: return vt__check_store(m, index, insn, diag);
    case VTA_OP_ALU:
        if (insn->u.exec.alu_opcode >= VTA_ALU_COUNT)
            return vt_fail(diag, VTA_ILLEGAL, "instruction %u (ALU): alu_opcode %u does not exist (0..%d do)", index,
                           insn->u.exec.alu_opcode, VTA_ALU_COUNT - 1);
        return vt__check_loops(m, index, insn, diag, out_loops);
    case VTA_OP_GEMM: return vt__check_loops(m, index, insn, diag, out_loops);
    default: return vt_fail(diag, VTA_ILLEGAL, "instruction %u: opcode %u does not exist", index, insn->opcode);
    }
}

vta_status vt_exec_check(vt_machine *machine, uint32_t index, const vta_insn *insn, vta_diag *diag) {
    vt_loops loops;
    return check(machine, index, insn, diag, &loops);
}

vta_status vt_exec_insn(vt_machine *machine, uint32_t index, const vta_insn *insn, vta_diag *diag) {
    vt_loops loops;
    VT_TRY(check(machine, index, insn, diag, &loops));
    count(machine->counters, machine->config, insn);
    if (is_nop(insn)) return VTA_OK;
    switch (insn->opcode) {
    case VTA_OP_LOAD:
        if (!machine->skip_execution || insn->u.mem.memory_type == VTA_MEM_UOP) vt__load(machine, insn);
        return VTA_OK;
    case VTA_OP_STORE:
        if (!machine->skip_execution) vt__store(machine, insn);
        return VTA_OK;
    case VTA_OP_FINISH: return VTA_OK;
    default: return machine->skip_execution ? VTA_OK : run_loops(machine, index, insn, &loops, diag);
    }
}

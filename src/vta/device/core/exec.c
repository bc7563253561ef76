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
    case VTA_MEM_ACC:
    case VTA_MEM_ACC_8BIT: counters->acc_load_nbytes += bytes; break;
    case VTA_MEM_TABLE: counters->table_load_nbytes += bytes; break;
    case VTA_MEM_COUNT: break;
    }
}

static void count(vta_counters *counters, const vta_config *config, const vta_insn *insn) {
    uint64_t work = vt_exec_work(insn);
    if (is_nop(insn)) {
        counters->insn_nop++;
        return;
    }
    switch ((vta_opcode)insn->opcode) {
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
    case VTA_OP_FINISH: counters->insn_finish++; break;
    case VTA_OP_COUNT: break;
    }
}

void vt_exec_count(const vt_machine *machine, vta_counters *counters, const vta_insn *insn) {
    count(counters, machine->config, insn);
}

static vt_alu_imm imm_of(const vta_insn *insn) {
    return (vt_alu_imm){(vta_alu_opcode)insn->u.exec.alu_opcode, insn->u.exec.imm};
}

/* `chain`: operations of this instruction and of those run with it. */
static void compute(vt_machine *m, const vta_insn *insn, const vt_loops *loops, const vt_alu_imm *chain,
                    uint32_t length) {
    if (length > 1)
        m->engine->alu_chain(m, loops, chain, length);
    else if (insn->opcode == VTA_OP_ALU)
        m->engine->alu(m, loops, (vta_alu_opcode)insn->u.exec.alu_opcode, insn->u.exec.use_imm, insn->u.exec.imm);
    else if (insn->u.exec.reset_reg)
        m->engine->reset(m, loops);
    else
        m->engine->gemm(m, loops);
}

/* Runs the loops in slices of the outer and, where that is not enough, the inner loop. */
static vta_status run_loops(vt_machine *m, uint32_t index, const vta_insn *insn, const vt_loops *all,
                            const vt_alu_imm *chain, uint32_t length, vta_diag *diag) {
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
            compute(m, insn, &part, chain, length);
            if (m->interrupt && atomic_load_explicit(m->interrupt, memory_order_relaxed))
                return vt_fail(diag, VTA_INTERRUPTED, "interrupted in instruction %u", index);
        }
    }
    return VTA_OK;
}

vta_status vt_no_tables(uint32_t index, const vta_insn *insn, vta_diag *diag) {
    char label[24];
    return vt_fail(
        diag, VTA_ILLEGAL,
        "instruction %u (%s): the configuration has no tables; LOG_TABLE_BUFF_SIZE, 8 or more, gives it some", index,
        vt_insn_label(insn, label));
}

static bool has_table(const vt_machine *m, const vta_insn *insn) {
    return insn->u.exec.imm >= 0 && (uint32_t)insn->u.exec.imm < m->config->depth[VTA_MEM_TABLE];
}

/* TABLE looks up a table that its immediate numbers. */
static vta_status check_table(const vt_machine *m, uint32_t index, const vta_insn *insn, vta_diag *diag) {
    uint32_t tables = m->config->depth[VTA_MEM_TABLE];
    if (!tables) return vt_no_tables(index, insn, diag);
    if (!insn->u.exec.use_imm)
        return vt_fail(diag, VTA_ILLEGAL,
                       "instruction %u (ALU TABLE): use_imm is 0; the number of the table is an immediate", index);
    if (!has_table(m, insn))
        return vt_fail(diag, VTA_OUT_OF_RANGE, "instruction %u (ALU TABLE): table %d, but the table memory has %u",
                       index, insn->u.exec.imm, tables);
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
        if (insn->u.exec.alu_opcode == VTA_ALU_TABLE) VT_TRY(check_table(m, index, insn, diag));
        return vt__check_loops(m, index, insn, diag, out_loops);
    case VTA_OP_GEMM: return vt__check_loops(m, index, insn, diag, out_loops);
    default: return vt_fail(diag, VTA_ILLEGAL, "instruction %u: opcode %u does not exist", index, insn->opcode);
    }
}

vta_status vt_exec_check(vt_machine *machine, uint32_t index, const vta_insn *insn, vta_diag *diag) {
    vt_loops loops;
    return check(machine, index, insn, diag, &loops);
}

static vta_status run(vt_machine *m, uint32_t index, const vta_insn *insn, const vt_loops *loops,
                      const vt_alu_imm *chain, uint32_t length, vta_diag *diag) {
    if (is_nop(insn)) return VTA_OK;
    switch (insn->opcode) {
    case VTA_OP_LOAD:
        if (!m->skip_execution || insn->u.mem.memory_type == VTA_MEM_UOP) vt__load(m, insn);
        return VTA_OK;
    case VTA_OP_STORE:
        if (!m->skip_execution) vt__store(m, insn);
        return VTA_OK;
    case VTA_OP_FINISH: return VTA_OK;
    default: return m->skip_execution ? VTA_OK : run_loops(m, index, insn, loops, chain, length, diag);
    }
}

vta_status vt_exec_insn(vt_machine *machine, uint32_t index, const vta_insn *insn, vta_diag *diag) {
    vt_loops loops;
    VT_TRY(check(machine, index, insn, diag, &loops));
    count(machine->counters, machine->config, insn);
    return run(machine, index, insn, &loops, NULL, 1, diag);
}

static bool is_alu_imm(const vta_insn *insn) {
    return insn->opcode == VTA_OP_ALU && insn->u.exec.use_imm && insn->u.exec.alu_opcode < VTA_ALU_COUNT;
}

static bool one_micro_op(const vt_machine *m, const vta_insn *insn) {
    return insn->u.exec.uop_end - insn->u.exec.uop_bgn == 1 && insn->u.exec.uop_end <= m->config->depth[VTA_MEM_UOP];
}

/* Two operations with immediates on the same accumulators: then both are in bounds or neither. */
static bool same_accumulators(const vt_machine *m, const vta_insn *a, const vta_insn *b) {
    return is_alu_imm(b) && one_micro_op(m, b) && m->uops[a->u.exec.uop_bgn].dst == m->uops[b->u.exec.uop_bgn].dst &&
           a->u.exec.iter_out == b->u.exec.iter_out && a->u.exec.iter_in == b->u.exec.iter_in &&
           a->u.exec.dst_factor_out == b->u.exec.dst_factor_out && a->u.exec.dst_factor_in == b->u.exec.dst_factor_in &&
           (b->u.exec.alu_opcode != VTA_ALU_TABLE || has_table(m, b));
}

/* No lane is reached twice: it would take the operations of a chain in another order. */
static bool each_once(const vta_insn *insn) {
    const uint32_t in = insn->u.exec.iter_in, step = insn->u.exec.dst_factor_in;
    return (in == 1 || step) && (insn->u.exec.iter_out == 1 || insn->u.exec.dst_factor_out > (in - 1) * step);
}

vta_status vt_exec_chain(vt_machine *machine, const vta_insn *insns, const uint32_t *order, uint32_t most,
                         vta_diag *diag, uint32_t *out_done) {
    const vta_insn *first = &insns[order[0]];
    vt_alu_imm chain[VT_CHAIN_MAX];
    vt_loops loops;
    *out_done = 1;
    if (!machine->engine->alu_chain || !is_alu_imm(first) || !one_micro_op(machine, first) || !each_once(first))
        return vt_exec_insn(machine, order[0], first, diag);
    VT_TRY(check(machine, order[0], first, diag, &loops));
    uint32_t n = 0;
    while (n < most && n < VT_CHAIN_MAX && same_accumulators(machine, first, &insns[order[n]])) {
        count(machine->counters, machine->config, &insns[order[n]]);
        chain[n] = imm_of(&insns[order[n]]);
        n++;
    }
    *out_done = n;
    return run(machine, order[n - 1], first, &loops, chain, n, diag);
}

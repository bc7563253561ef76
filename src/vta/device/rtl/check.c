#include "device/rtl/check.h"

#include "config/config_priv.h"
#include "isa/label.h"

/* The DRAM bytes of a memory instruction, from the first to the last. */
typedef struct span {
    uint64_t begin, end;
} span;

static span span_of(const vta_config *c, const vta_insn *insn) {
    uint64_t elem = c->elem_bytes[insn->u.mem.memory_type], begin = insn->u.mem.dram_base * elem;
    if (!insn->u.mem.x_size || !insn->u.mem.y_size) return (span){begin, begin};
    uint64_t last = insn->u.mem.dram_base + (insn->u.mem.y_size - 1u) * (uint64_t)insn->u.mem.x_stride;
    return (span){begin, (last + insn->u.mem.x_size) * elem};
}

static bool meet(span a, span b) { return a.begin < b.end && b.begin < a.end; }

static bool loads_uops(const vta_insn *insn) {
    return insn->opcode == VTA_OP_LOAD && insn->u.mem.memory_type == VTA_MEM_UOP;
}

static bool may_be_stored(const vt_stream *s, const vta_config *c, const vta_insn *load) {
    for (uint32_t i = 0; i < s->count; i++)
        if (s->insns[i].opcode == VTA_OP_STORE && meet(span_of(c, &s->insns[i]), span_of(c, load))) return true;
    return false;
}

static bool moves(const vta_insn *insn) { return insn->opcode == VTA_OP_LOAD || insn->opcode == VTA_OP_STORE; }

static vta_status check_transfer(const vta_config *c, uint32_t index, const vta_insn *insn, vta_diag *diag) {
    char label[24];
    uint64_t end = insn->u.mem.sram_base + vt_exec_work(insn);
    bool may_pad = insn->opcode == VTA_OP_LOAD && insn->u.mem.memory_type != VTA_MEM_TABLE;
    if (!insn->u.mem.x_size) return VTA_OK;
    if (vt_pads(insn) && !may_pad)
        return vt_fail(diag, VTA_ILLEGAL, "instruction %u (%s): it has padding, but STORE and LOAD table have none",
                       index, vt_insn_label(insn, label));
    if (end <= c->depth[insn->u.mem.memory_type]) return VTA_OK;
    return vt_fail(diag, VTA_OUT_OF_RANGE, "instruction %u (%s): its elements end at %llu, but the buffer has %u",
                   index, vt_insn_label(insn, label), (unsigned long long)end, c->depth[insn->u.mem.memory_type]);
}

vta_status vt_rtl_check(vt_machine *m, const vt_stream *s, vta_diag *diag) {
    bool known = true;
    for (uint32_t i = 0; i < s->count; i++) {
        const vta_insn *insn = &s->insns[i];
        if (moves(insn))
            VT_TRY(check_transfer(m->config, i, insn, diag));
        else if (known)
            VT_TRY(vt_exec_check(m, i, insn, diag));
        if (!loads_uops(insn)) continue;
        known = known && !may_be_stored(s, m->config, insn) && vt_exec_insn(m, i, insn, NULL) == VTA_OK;
    }
    return VTA_OK;
}

/* What a small design has not; NULL: it has all of it. */
static const char *left_out(const vta_insn *insn) {
    if (insn->opcode == VTA_OP_ALU) return insn->u.exec.alu_opcode == VTA_ALU_MUL ? "MUL" : NULL;
    if (insn->opcode != VTA_OP_LOAD) return NULL;
    if (insn->u.mem.memory_type == VTA_MEM_ACC_8BIT) return "loads of 8-bit accumulators";
    return vt_pads(insn) && insn->u.mem.memory_type != VTA_MEM_INP ? "padding of anything but inp" : NULL;
}

vta_status vt_rtl_check_design(const vta_hardware_options *design, const vta_config *c, const vt_stream *s,
                               vta_diag *diag) {
    uint32_t bits = design->address_bits ? design->address_bits : 32;
    char label[24];
    for (uint32_t i = 0; i < s->count; i++) {
        const vta_insn *insn = &s->insns[i];
        const char *lacks = design->small ? left_out(insn) : NULL;
        if (lacks)
            return vt_fail(diag, VTA_UNSUPPORTED, "instruction %u (%s): a small design has no %s", i,
                           vt_insn_label(insn, label), lacks);
        if (bits < 32 && moves(insn) && span_of(c, insn).end > (uint64_t)1 << bits)
            return vt_fail(diag, VTA_OUT_OF_RANGE, "instruction %u (%s): an address beyond the %u bits of this design",
                           i, vt_insn_label(insn, label), bits);
    }
    return VTA_OK;
}

uint32_t vt_rtl_next(const vt_stream *s, uint32_t stage, uint32_t done) {
    return done < s->length[stage] ? s->queue[stage][done] : UINT32_MAX;
}

uint32_t vt_rtl_accessing(const vt_stream *s, const vta_config *c, uint32_t stage, uint32_t done, vta_memory memory,
                          uint32_t addr, uint32_t bytes) {
    for (; done < s->length[stage]; done++) {
        const vta_insn *insn = &s->insns[s->queue[stage][done]];
        if (!moves(insn)) continue;
        bool with_acc = insn->u.mem.memory_type == VTA_MEM_ACC_8BIT || insn->u.mem.memory_type == VTA_MEM_TABLE;
        bool same = insn->u.mem.memory_type == memory || (memory == VTA_MEM_ACC && with_acc);
        if (same && meet(span_of(c, insn), (span){addr, (uint64_t)addr + bytes})) return s->queue[stage][done];
    }
    return UINT32_MAX;
}

uint32_t vt_rtl_beyond(const vt_stream *s, const vta_config *c, uint32_t stage, uint32_t done) {
    for (; done < s->length[stage]; done++) {
        const vta_insn *insn = &s->insns[s->queue[stage][done]];
        if (moves(insn) && span_of(c, insn).end > (uint64_t)1 << 32) return s->queue[stage][done];
    }
    return UINT32_MAX;
}

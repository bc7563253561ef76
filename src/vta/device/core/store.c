/* STORE: y_size x x_size elements from sram_base on, each scalar cut to the output width (its low bits), to
 * dram_base + y * x_stride. */
#include "config/config_priv.h"
#include "device/core/machine.h"

vta_status vt__check_store(vt_machine *machine, uint32_t index, const vta_insn *insn, vta_diag *diag) {
    uint32_t memory = insn->u.mem.memory_type;
    if (memory != VTA_MEM_OUT)
        return vt_fail(diag, VTA_ILLEGAL, "instruction %u (STORE): memory_type %u cannot be stored, only OUT (%d) can",
                       index, memory, VTA_MEM_OUT);
    uint32_t pads = insn->u.mem.y_pad_0 + insn->u.mem.y_pad_1 + insn->u.mem.x_pad_0 + insn->u.mem.x_pad_1;
    if (pads)
        return vt_fail(diag, VTA_ILLEGAL, "instruction %u (STORE): padding %u %u %u %u, but STORE has none", index,
                       insn->u.mem.y_pad_0, insn->u.mem.y_pad_1, insn->u.mem.x_pad_0, insn->u.mem.x_pad_1);
    uint64_t end = insn->u.mem.sram_base + vt_exec_work(insn);
    if (end > machine->config->depth[VTA_MEM_OUT])
        return vt_fail(diag, VTA_OUT_OF_RANGE,
                       "instruction %u (STORE out): sram_base %u + y_size %u x x_size %u elements end at %llu, but the "
                       "buffer has %u",
                       index, insn->u.mem.sram_base, insn->u.mem.y_size, insn->u.mem.x_size, (unsigned long long)end,
                       machine->config->depth[VTA_MEM_OUT]);
    return vt__check_dram(machine, index, insn, diag);
}

void vt__store(vt_machine *m, const vta_insn *insn) {
    uint64_t element = m->config->elem_bytes[VTA_MEM_OUT];
    size_t scalars = (size_t)insn->u.mem.x_size * m->acc_lanes;
    const int32_t *from = m->acc + (size_t)insn->u.mem.sram_base * m->acc_lanes;
    for (uint32_t y = 0; y < insn->u.mem.y_size; y++, from += scalars) {
        uint64_t addr = (insn->u.mem.dram_base + (uint64_t)y * insn->u.mem.x_stride) * element, run;
        uint64_t bytes = insn->u.mem.x_size * element;
        uint8_t *to = vt_dram_at(m->dram, addr, &run);
        if (run >= bytes) {
            m->engine->narrow(m, from, scalars, to);
        } else {
            m->engine->narrow(m, from, scalars, m->row);
            vt_dram_write(m->dram, addr, m->row, bytes);
        }
    }
}

/* What LOAD and STORE have in common: the DRAM rows that they touch must be mapped. */
#include "config/config_priv.h"
#include "device/core/machine.h"

/* All rows lie in one region, as they nearly always do? */
static bool in_one_region(vt_dram *dram, const vta_insn *insn, uint64_t element) {
    if (!insn->u.mem.y_size) return true;
    uint64_t bytes = ((insn->u.mem.y_size - 1u) * (uint64_t)insn->u.mem.x_stride + insn->u.mem.x_size) * element, run;
    return vt_dram_at(dram, insn->u.mem.dram_base * element, &run) && run >= bytes;
}

vta_status vt__check_dram(vt_machine *machine, uint32_t index, const vta_insn *insn, vta_diag *diag) {
    char label[24];
    uint64_t element = machine->config->elem_bytes[insn->u.mem.memory_type], hole;
    if (in_one_region(machine->dram, insn, element)) return VTA_OK;
    for (uint32_t y = 0; y < insn->u.mem.y_size; y++) {
        uint64_t first = insn->u.mem.dram_base + (uint64_t)y * insn->u.mem.x_stride;
        if (!vt_dram_mapped(machine->dram, first * element, insn->u.mem.x_size * element, &hole))
            return vt_fail(
                diag, VTA_OUT_OF_RANGE,
                "instruction %u (%s): row %u at dram_base %u + %u x x_stride %u is physical address 0x%08llx "
                "and 0x%08llx is not mapped",
                index, vt_insn_label(insn, label), y, insn->u.mem.dram_base, y, insn->u.mem.x_stride,
                (unsigned long long)(first * element), (unsigned long long)hole);
    }
    return VTA_OK;
}

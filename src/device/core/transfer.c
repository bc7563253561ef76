/* What LOAD and STORE have in common: the DRAM rows that they touch must be mapped. */
#include "config/config_priv.h"
#include "device/core/machine.h"

vta_status vt__check_dram(vt_machine *machine, uint32_t index, const vta_insn *insn, vta_diag *diag) {
    char label[24];
    uint64_t element = machine->config->elem_bytes[insn->u.mem.memory_type], hole;
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

/* LOAD: (y_pad_0 + y_size + y_pad_1) x (x_pad_0 + x_size + x_pad_1) elements from sram_base on, rows after one
 * another; padding is zero; row y is read from dram_base + y * x_stride. */
#include <string.h>

#include "config/config_priv.h"
#include "device/core/machine.h"

vta_status vt__check_load(vt_machine *machine, uint32_t index, const vta_insn *insn, vta_diag *diag) {
    uint32_t memory = insn->u.mem.memory_type;
    if (memory >= VTA_MEM_COUNT || memory == VTA_MEM_OUT)
        return vt_fail(diag, VTA_ILLEGAL, "instruction %u (LOAD): memory_type %u cannot be loaded", index, memory);
    if (memory == VTA_MEM_TABLE && !machine->tables) return vt_no_tables(index, insn, diag);
    if (memory == VTA_MEM_TABLE && vt_pads(insn))
        return vt_fail(diag, VTA_ILLEGAL, "instruction %u (LOAD table): padding %u %u %u %u, but tables have none",
                       index, insn->u.mem.y_pad_0, insn->u.mem.y_pad_1, insn->u.mem.x_pad_0, insn->u.mem.x_pad_1);
    char label[24];
    uint64_t end = insn->u.mem.sram_base + vt_exec_work(insn);
    if (end > machine->config->depth[memory])
        return vt_fail(
            diag, VTA_OUT_OF_RANGE,
            "instruction %u (%s): sram_base %u + (%u + y_size %u + %u) x (%u + x_size %u + %u) elements end at "
            "%llu, but the buffer has %u",
            index, vt_insn_label(insn, label), insn->u.mem.sram_base, insn->u.mem.y_pad_0, insn->u.mem.y_size,
            insn->u.mem.y_pad_1, insn->u.mem.x_pad_0, insn->u.mem.x_size, insn->u.mem.x_pad_1, (unsigned long long)end,
            machine->config->depth[memory]);
    return vt__check_dram(machine, index, insn, diag);
}

/* A buffer as LOAD sees it: what to fill, and bytes an element takes there. */
typedef struct target {
    uint8_t *bytes;
    size_t element;
} target;

static target target_of(vt_machine *m, vta_memory memory) {
    switch (memory) {
    case VTA_MEM_UOP: return (target){(uint8_t *)m->uop_words, sizeof *m->uop_words};
    case VTA_MEM_WGT: return (target){m->wgt, m->config->elem_bytes[VTA_MEM_WGT]};
    case VTA_MEM_INP: return (target){m->inp, m->config->elem_bytes[VTA_MEM_INP]};
    case VTA_MEM_TABLE: return (target){(uint8_t *)m->tables, VTA_TABLE_ENTRIES};
    case VTA_MEM_ACC:
    case VTA_MEM_ACC_8BIT: return (target){(uint8_t *)m->acc, m->acc_lanes * sizeof *m->acc};
    case VTA_MEM_OUT:
    case VTA_MEM_COUNT: break; /* vt__check_load refuses them */
    }
    return (target){NULL, 0};
}

/* Reads `count` elements at `addr`; 8-bit scalars are widened from the back of the place that they will fill. */
static void read_row(vt_machine *m, const vta_insn *insn, uint64_t addr, uint8_t *to, size_t count) {
    if (insn->u.mem.memory_type != VTA_MEM_ACC_8BIT) {
        vt_dram_read(m->dram, addr, to, count * m->config->elem_bytes[insn->u.mem.memory_type]);
        return;
    }
    size_t scalars = count * m->acc_lanes;
    int8_t *narrow = (int8_t *)to + scalars * (sizeof *m->acc - 1);
    vt_dram_read(m->dram, addr, narrow, scalars);
    for (size_t i = 0; i < scalars; i++) {
        int32_t wide = narrow[i];
        memcpy(to + i * sizeof wide, &wide, sizeof wide);
    }
}

/* Whether a whole row of micro-ops or weights is on chip already, as it stands in DRAM: streams load their
 * micro-ops anew in every run, and weights for every band of rows. What was made of it then still holds. */
static bool there_already(vt_machine *m, const vta_insn *insn, uint64_t addr, const uint8_t *there) {
    vta_memory memory = (vta_memory)insn->u.mem.memory_type;
    if ((memory != VTA_MEM_UOP && memory != VTA_MEM_WGT) || insn->u.mem.x_pad_0 || insn->u.mem.x_pad_1) return false;
    uint64_t bytes = (uint64_t)insn->u.mem.x_size * m->config->elem_bytes[memory], run;
    const uint8_t *from = vt_dram_at(m->dram, addr, &run);
    return run >= bytes && !memcmp(from, there, bytes);
}

static uint8_t *zeros(uint8_t *to, size_t bytes) {
    memset(to, 0, bytes);
    return to + bytes;
}

/* Elements [first, first + count) of a memory have new contents. */
static void tell(vt_machine *m, vta_memory memory, uint32_t first, uint32_t count) {
    if (memory == VTA_MEM_UOP) vt_machine_uops_loaded(m, first, count);
    if ((memory == VTA_MEM_INP || memory == VTA_MEM_WGT) && m->engine->loaded)
        m->engine->loaded(m, memory, first, count);
}

/* The engine is told row by row: it finds the row in the nearest cache. */
void vt__load(vt_machine *m, const vta_insn *insn) {
    vta_memory memory = (vta_memory)insn->u.mem.memory_type;
    target t = target_of(m, memory);
    uint64_t dram_element = m->config->elem_bytes[memory];
    uint32_t elements = (uint32_t)(insn->u.mem.x_pad_0 + insn->u.mem.x_size + insn->u.mem.x_pad_1);
    uint32_t at = insn->u.mem.sram_base, above = insn->u.mem.y_pad_0 * elements, below = insn->u.mem.y_pad_1 * elements;
    uint8_t *to = zeros(t.bytes + at * t.element, above * t.element);
    if (above) tell(m, memory, at, above);
    at += above;
    for (uint32_t y = 0; y < insn->u.mem.y_size; y++, at += elements) {
        uint64_t addr = (insn->u.mem.dram_base + (uint64_t)y * insn->u.mem.x_stride) * dram_element;
        if (there_already(m, insn, addr, to)) {
            to += insn->u.mem.x_size * t.element;
            continue;
        }
        to = zeros(to, insn->u.mem.x_pad_0 * t.element);
        read_row(m, insn, addr, to, insn->u.mem.x_size);
        to = zeros(to + insn->u.mem.x_size * t.element, insn->u.mem.x_pad_1 * t.element);
        tell(m, memory, at, elements);
    }
    zeros(to, below * t.element);
    if (below) tell(m, memory, at, below);
}
